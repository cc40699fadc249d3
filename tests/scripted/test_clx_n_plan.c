// SPDX-License-Identifier: GPL-2.0-only
/* base-freq on Cascade Lake-N: which scaling limits the CPUs get (hardware.md, section 7). The
 * order of the two limits is tested where they are planned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "plan_steps.h"
#include "settings/settings.h"

#define CPUFREQ_PATH "/sys/devices/system/cpu/cpu%u/cpufreq/%s"
#define CPUS         8

/* CPUs 0, 1, 4 and 5 are package 0; in package 1 the difference is below 100 MHz but for CPU 7. */
static const uint32_t base_khz[CPUS] = { 2800000, 2300000, 2750000, 2700000,
					 2800000, 2350000, 2799999, 2100000 };

struct bench {
	struct fake_machine fake;
	struct machine *machine;
	struct platform *platform;
	struct change_list plan;
	const struct power_domain *domains[2];
	int errors[2];
};

static void set_khz(struct bench *bench, uint32_t cpu, const char *name, uint32_t khz)
{
	char path[80], text[16];

	snprintf(path, sizeof(path), CPUFREQ_PATH, cpu, name);
	snprintf(text, sizeof(text), "%" PRIu32 "\n", khz);
	fake_machine_set_file(&bench->fake, path, text, 0);
}

static void bench_open(struct bench *bench)
{
	const struct fake_shape shape = {
		.packages = 2,
		.dies = 1,
		.cores = 2,
		.model = 0x55,
		.stepping = 7,
		.model_name = "Intel(R) Xeon(R) Gold 6230N CPU @ 2.30GHz",
	};
	const struct platform_options options = { .channel.tries = 1 };
	_cleanup_free_ char *message = NULL;

	*bench = (struct bench){ 0 };
	fake_machine_init(&bench->fake, &shape);
	bench->fake.open_error = -ENOENT;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		set_khz(bench, cpu, "base_frequency", base_khz[cpu]);
		set_khz(bench, cpu, "cpuinfo_min_freq", 800000);
		set_khz(bench, cpu, "cpuinfo_max_freq", 3900000);
		set_khz(bench, cpu, "scaling_min_freq", 1000000);
		set_khz(bench, cpu, "scaling_max_freq", 3800000);
	}
	assert_int_equal(machine_open(&bench->fake.host, &bench->machine, &message), 0);
	assert_int_equal(platform_open(bench->machine, &options, &bench->platform, &message), 0);
	assert_int_equal(bench->platform->domains.n_domains, 2);
	for (size_t i = 0; i < 2; i++)
		bench->domains[i] = &bench->platform->domains.domains[i];
}

static void bench_close(struct bench *bench)
{
	change_list_done(&bench->plan);
	platform_close(&bench->platform);
	machine_close(&bench->machine);
	fake_machine_done(&bench->fake);
}

static void bench_plan(struct bench *bench, bool enable)
{
	const struct setting_environment environment = {
		.platform = bench->platform,
		.machine = bench->machine,
		.changes = &bench->plan,
	};
	_cleanup_setting_list_ struct setting_list list = { 0 };

	for (size_t i = 0; i < 2; i++)
		setting_list_add(&list, &(struct setting_request){ SETTING_BASE_FREQ,
								   .domain = bench->domains[i],
								   .value.on = enable });
	assert_int_equal(settings_plan(&list, &environment), 0);
	for (size_t i = 0; i < 2; i++)
		bench->errors[i] = list.requests[i].error;
}

/* What the plan writes to a file of a CPU; 0: nothing. */
static uint32_t find_khz(const struct bench *bench, uint32_t cpu, const char *name)
{
	const struct change *steps;
	char path[80];
	size_t count;

	steps = bench->plan.changes;
	count = bench->plan.n_changes;
	snprintf(path, sizeof(path), CPUFREQ_PATH, cpu, name);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(steps[i].target.path, path) == 0)
			return (uint32_t)strtoul(steps[i].value.text, NULL, 10);
	}
	return 0;
}

static size_t step_count(const struct bench *bench)
{
	size_t count;

	count = bench->plan.n_changes;
	return count;
}

static void assert_limits(const struct bench *bench, uint32_t cpu, uint32_t min_khz,
			  uint32_t max_khz)
{
	assert_int_equal(find_khz(bench, cpu, "scaling_min_freq"), min_khz);
	assert_int_equal(find_khz(bench, cpu, "scaling_max_freq"), max_khz);
}

/* High and low by package, in whole 100 MHz; what is neither gets the low one. */
static void enable(void **state)
{
	static const uint32_t wanted[CPUS] = { 2800000, 2300000, 2700000, 2700000,
					       2800000, 2300000, 2700000, 2100000 };
	struct bench bench;

	(void)state;
	bench_open(&bench);
	bench_plan(&bench, true);
	assert_int_equal(bench.errors[0] | bench.errors[1], 0);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		assert_limits(&bench, cpu, wanted[cpu], wanted[cpu]);
	assert_int_equal(step_count(&bench), 2 * CPUS);
	bench_close(&bench);
}

static void disable(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench);
	set_khz(&bench, 3, "scaling_max_freq", 3900000);
	bench_plan(&bench, false);
	assert_int_equal(bench.errors[0] | bench.errors[1], 0);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		assert_limits(&bench, cpu, 800000, cpu == 3 ? 0 : 3900000);
	bench_close(&bench);
}

/* CPUs between the high and the low one of a package, and ones that are offline. */
static void odd_cpus(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench);
	set_khz(&bench, 5, "base_frequency", 2500000);
	cpuset_remove(&bench.machine->topology.online, 7);
	bench_plan(&bench, true);
	assert_int_equal(bench.errors[0] | bench.errors[1], 0);
	assert_limits(&bench, 5, 2300000, 2300000);
	assert_limits(&bench, 7, 0, 0);
	assert_limits(&bench, 6, 2700000, 2700000);
	bench_close(&bench);
}

/* One unreadable file is its package's error, and no other's. */
static void unreadable(void **state)
{
	static const struct {
		const char *name;
		int error;
		bool enable;
	} rows[] = {
		{ "base_frequency", -ENOENT, true },    { "base_frequency", -EBUSY, true },
		{ "scaling_min_freq", -ENOENT, true },  { "cpuinfo_min_freq", -EIO, false },
		{ "cpuinfo_max_freq", -ENOENT, false }, { "scaling_max_freq", -EBUSY, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bench bench;
		char path[80];

		bench_open(&bench);
		snprintf(path, sizeof(path), CPUFREQ_PATH, 4U, rows[i].name);
		fake_machine_set_file(&bench.fake, path, NULL, rows[i].error);
		bench_plan(&bench, rows[i].enable);
		assert_int_equal(bench.errors[0], rows[i].error);
		assert_int_equal(bench.errors[1], 0);
		bench_close(&bench);
	}
}

/* A base frequency of 0 is none. */
static void no_base_frequency(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench);
	set_khz(&bench, 2, "base_frequency", 0);
	bench_plan(&bench, true);
	assert_int_equal(bench.errors[0], 0);
	assert_int_equal(bench.errors[1], -ENODATA);
	assert_limits(&bench, 2, 0, 0);
	assert_limits(&bench, 3, 0, 0);
	assert_null(bench.platform->ops->target);
	bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(enable),
		cmocka_unit_test(disable),
		cmocka_unit_test(odd_cpus),
		cmocka_unit_test(unreadable),
		cmocka_unit_test(no_base_frequency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
