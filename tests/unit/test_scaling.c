// SPDX-License-Identifier: GPL-2.0-only
/* Limits of cpufreq as a plan: the order, what is left out, what cannot be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "fake_files.h"
#include "settings/scaling.h"
#include "planned.h"

#define ROOT     "/sys/devices/system/cpu/"
#define MAX      "cpu5/cpufreq/scaling_max_freq"
#define MIN      "cpu5/cpufreq/scaling_min_freq"
#define HIGHEST  "cpu5/cpufreq/cpuinfo_max_freq"
#define BASE     "cpu5/cpufreq/base_frequency"
#define NO_TURBO "intel_pstate/no_turbo"
#define NUMBER   FILE_NUMBER
#define CPU      5

enum { LIMITS = 2 };

/* The guide's machine goes from 800000 to 3200000. */
struct limits {
	const char *min;
	const char *max;
};

static void set_limits(struct planned *planned, const struct limits *limits)
{
	const struct sysfs_step steps[] = {
		{ MAX, limits->max, 0, limits->max },
		{ MIN, limits->min, 0, limits->min },
	};

	sysfs_machine_run(&planned->simulated, steps, ARRAY_SIZE(steps));
}

static void assert_limits(struct planned *planned, const char *min, const char *max)
{
	const struct sysfs_step steps[] = { { MAX, NULL, 0, max }, { MIN, NULL, 0, min } };

	sysfs_machine_run(&planned->simulated, steps, ARRAY_SIZE(steps));
}

static int plan_range(struct planned *planned, uint32_t min_khz, uint32_t max_khz)
{
	const struct khz_range wanted = { min_khz, max_khz };

	return scaling_plan_range(&planned->plan, &planned->machine, CPU, NULL, &wanted, NULL, 0);
}

static int plan_as(struct planned *planned, const char *name, const char *source)
{
	return scaling_plan_limit_as(&planned->plan, &planned->machine, CPU, name, source);
}

static void test_range(void **test)
{
	static const struct {
		struct limits old;
		uint32_t min_khz;
		uint32_t max_khz;
		struct planned_step steps[LIMITS];
	} vectors[] = {
		{ { "800000", "3200000" }, 800000, 3200000, { { 0 } } },
		/* into the middle, and out of it: maximum first */
		{ { "800000", "3200000" },
		  2000000,
		  2000000,
		  { { PLANNED_FILE, MAX, "2000000", "3200000", NUMBER, NULL },
		    { PLANNED_FILE, MIN, "2000000", "800000", NUMBER, NULL } } },
		{ { "2000000", "2000000" },
		  800000,
		  3200000,
		  { { PLANNED_FILE, MAX, "3200000", "2000000", NUMBER, NULL },
		    { PLANNED_FILE, MIN, "800000", "2000000", NUMBER, NULL } } },
		/* up */
		{ { "1000000", "1200000" },
		  2000000,
		  2600000,
		  { { PLANNED_FILE, MAX, "2600000", "1200000", NUMBER, NULL },
		    { PLANNED_FILE, MIN, "2000000", "1000000", NUMBER, NULL } } },
		/* down: the minimum first, or the maximum would push it */
		{ { "2000000", "2600000" },
		  1000000,
		  1200000,
		  { { PLANNED_FILE, MIN, "1000000", "2000000", NUMBER, NULL },
		    { PLANNED_FILE, MAX, "1200000", "2600000", NUMBER, NULL } } },
		/* one of them only */
		{ { "800000", "3200000" },
		  800000,
		  2100000,
		  { { PLANNED_FILE, MAX, "2100000", "3200000", NUMBER, NULL } } },
		{ { "1000000", "2100000" },
		  2100000,
		  2100000,
		  { { PLANNED_FILE, MIN, "2100000", "1000000", NUMBER, NULL } } },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		size_t count = 0;
		struct planned planned;
		char min[16], max[16];

		planned_open(&planned, "guide", NULL);
		set_limits(&planned, &vectors[i].old);
		assert_int_equal(plan_range(&planned, vectors[i].min_khz, vectors[i].max_khz), 0);
		while (count < LIMITS && vectors[i].steps[count].path)
			count++;
		planned_assert(&planned, vectors[i].steps, count);
		for (size_t j = 0; j < count; j++)
			assert_true(planned.plan.changes[j].tries > 1);
		planned_run(&planned, 0, NULL);
		snprintf(min, sizeof(min), "%u", vectors[i].min_khz);
		snprintf(max, sizeof(max), "%u", vectors[i].max_khz);
		assert_limits(&planned, min, max);
		planned_close(&planned);
	}
}

/* Each write fails in turn: the limits are as before. */
static void test_range_undone(void **test)
{
	static const struct {
		const char *faults;
		struct limits old;
		uint32_t min_khz;
		uint32_t max_khz;
	} vectors[] = {
		{ "scaling_min_freq", { "800000", "3200000" }, 2000000, 2000000 },
		{ "scaling_max_freq", { "800000", "3200000" }, 2000000, 2000000 },
		{ "scaling_max_freq", { "2000000", "2600000" }, 1000000, 1200000 },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		_cleanup_free_ char *faults = NULL;
		struct planned planned;

		/* once, after set_limits() */
		assert_true(asprintf(&faults,
				     "{\"orders\": [{\"at\": \"write\", \"path\": \"" ROOT
				     "cpu5/cpufreq/%s\", \"error\": \"EINVAL\", \"skip\": 1, "
				     "\"times\": 1}]}",
				     vectors[i].faults) > 0);
		planned_open(&planned, "guide", faults);
		set_limits(&planned, &vectors[i].old);
		assert_int_equal(plan_range(&planned, vectors[i].min_khz, vectors[i].max_khz), 0);
		assert_int_equal(planned_count(&planned), 2);
		planned_run(&planned, -EINVAL, NULL);
		assert_limits(&planned, vectors[i].old.min, vectors[i].old.max);
		planned_close(&planned);
	}
}

static void test_clamped(void **test)
{
	struct planned planned;

	(void)test;
	planned_open(&planned, "guide", NULL);
	assert_int_equal(plan_range(&planned, 800000, 3300000), 0);
	planned_run(&planned, -EIO, "3200000");
	assert_limits(&planned, "800000", "3200000");
	planned_renew(&planned);
	assert_int_equal(plan_range(&planned, 700000, 3200000), 0);
	planned_run(&planned, -EIO, "800000");
	assert_limits(&planned, "800000", "3200000");
	planned_close(&planned);
}

static void test_single(void **test)
{
	static const struct planned_step steps[] = {
		{ PLANNED_FILE, MAX, "2600000", "3200000", NUMBER, NULL },
		{ PLANNED_FILE, MIN, "2600000", "800000", NUMBER, NULL },
	};
	struct planned planned;

	(void)test;
	planned_open(&planned, "guide", NULL);
	assert_int_equal(plan_as(&planned, SCALING_MAX, "cpuinfo_max_freq"), 0);
	assert_int_equal(plan_as(&planned, SCALING_MIN, "cpuinfo_min_freq"), 0);
	planned_assert(&planned, NULL, 0);
	assert_int_equal(plan_as(&planned, SCALING_MAX, "base_frequency"), 0);
	assert_int_equal(plan_as(&planned, SCALING_MIN, "base_frequency"), 0);
	planned_assert(&planned, steps, ARRAY_SIZE(steps));
	assert_int_equal(planned.plan.changes->location.cpu, CPU);
	assert_int_equal(planned.plan.changes->location.package, 0);
	planned_run(&planned, 0, NULL);
	assert_limits(&planned, "2600000", "2600000");
	planned_close(&planned);
}

static void test_open_max(void **test)
{
	static const struct {
		const char *max;
		const char *no_turbo;
		uint32_t base_khz;
		bool opens;
		const char *shown; /* without turbo no more than the base frequency */
		const char *after;
	} vectors[] = {
		{ "3200000", "0", 2600000, false, "3200000", "3200000" },
		{ "2600000", "0", 2600000, false, "2600000", "2600000" },
		{ "2500000", "0", 2600000, true, "2500000", "3200000" },
		{ "3200000", "1", 2600000, true, "2600000", "2600000" },
		{ "2500000", "1", 2600000, true, "2500000", "2600000" },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct sysfs_step before[] = {
			{ MAX, vectors[i].max, 0, vectors[i].max },
			{ NO_TURBO, vectors[i].no_turbo, 0, vectors[i].no_turbo },
		};
		const struct planned_step step = {
			PLANNED_FILE, MAX, "2147483647", vectors[i].shown, FILE_ANY, NULL,
		};
		struct planned planned;
		bool is_off;

		planned_open(&planned, "guide", NULL);
		sysfs_machine_run(&planned.simulated, before, ARRAY_SIZE(before));
		assert_int_equal(scaling_read_turbo(planned.host.files, &is_off), 0);
		assert_int_equal(scaling_plan_open_max(&planned.plan, &planned.machine, CPU,
						       vectors[i].base_khz, is_off),
				 0);
		planned_assert(&planned, &step, vectors[i].opens);
		planned_run(&planned, 0, NULL);
		assert_limits(&planned, "800000", vectors[i].after);
		planned_close(&planned);
	}
}

/* The lower limit is raised to the upper one, which is opened first if it is too low. */
static void test_raise(void **test)
{
	static const struct {
		struct limits old;
		const char *no_turbo;
		uint32_t base_khz;
		struct planned_step steps[LIMITS];
		struct limits new;
	} vectors[] = {
		{ { "800000", "3200000" },
		  "0",
		  2600000,
		  { { PLANNED_FILE, MIN, "3200000", "800000", NUMBER, NULL } },
		  { "3200000", "3200000" } },
		{ { "800000", "2600000" },
		  "0",
		  2600000,
		  { { PLANNED_FILE, MIN, "2600000", "800000", NUMBER, NULL } },
		  { "2600000", "2600000" } },
		{ { "800000", "2500000" },
		  "0",
		  2600000,
		  { { PLANNED_FILE, MAX, "2147483647", "2500000", FILE_ANY, NULL },
		    { PLANNED_FILE, MIN, "3200000", "800000", NUMBER, NULL } },
		  { "3200000", "3200000" } },
		{ { "800000", "2700000" },
		  "1",
		  2600000,
		  { { PLANNED_FILE, MAX, "2147483647", "2600000", FILE_ANY, NULL },
		    { PLANNED_FILE, MIN, "2600000", "800000", NUMBER, NULL } },
		  { "2600000", "2600000" } },
		{ { "3200000", "3200000" }, "0", 2600000, { { 0 } }, { "3200000", "3200000" } },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct sysfs_step turbo_off = { NO_TURBO, vectors[i].no_turbo, 0,
						      vectors[i].no_turbo };
		size_t n_steps = 0;
		struct planned planned;
		bool is_off;

		planned_open(&planned, "guide", NULL);
		set_limits(&planned, &vectors[i].old);
		sysfs_machine_run(&planned.simulated, &turbo_off, 1);
		assert_int_equal(scaling_read_turbo(planned.host.files, &is_off), 0);
		assert_int_equal(scaling_plan_raise(&planned.plan, &planned.machine, CPU,
						    vectors[i].base_khz, is_off),
				 0);
		while (n_steps < LIMITS && vectors[i].steps[n_steps].path)
			n_steps++;
		planned_assert(&planned, vectors[i].steps, n_steps);
		planned_run(&planned, 0, NULL);
		assert_limits(&planned, vectors[i].new.min, vectors[i].new.max);
		planned_close(&planned);
	}
}

/* Limits that were just read are not read again; unknown ones are. */
static void test_change(void **test)
{
	static const struct {
		struct khz_range old;
		size_t n_reads;
		size_t n_steps;
	} vectors[] = {
		{ { 900000, 3200000 }, 0, 1 },  { { 1000000, 3100000 }, 0, 1 },
		{ { 1000000, 3200000 }, 0, 0 }, { { 0, 3200000 }, 2, 2 },
		{ { 900000, 0 }, 2, 2 },
	};
	static const struct khz_range wanted = { 1000000, 3200000 },
				      reversed = { 3200000, 1000000 };

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct fake_files fake;
		struct planned planned;

		fake_files_init(&fake);
		planned_open_files(&planned, &fake.files);
		fake_files_set(&fake, "800000\n", ROOT MIN);
		fake_files_set(&fake, "3000000\n", ROOT MAX);
		assert_int_equal(scaling_plan_range(&planned.plan, &planned.machine, CPU,
						    &vectors[i].old, &reversed, NULL, 0),
				 -EINVAL);
		assert_int_equal(scaling_plan_range(&planned.plan, &planned.machine, CPU,
						    &vectors[i].old, &wanted, NULL, 0),
				 0);
		assert_int_equal(fake.n_reads, vectors[i].n_reads);
		assert_int_equal(planned_count(&planned), vectors[i].n_steps);
		planned_close(&planned);
		fake_files_done(&fake);
	}
}

static int plan_all(struct planned *planned)
{
	struct machine *machine = &planned->machine;
	int err = plan_as(planned, SCALING_MAX, "cpuinfo_max_freq");

	assert_int_equal(plan_as(planned, SCALING_MIN, "cpuinfo_max_freq"), err);
	assert_int_equal(scaling_plan_open_max(&planned->plan, machine, CPU, 1, false), err);
	assert_int_equal(scaling_plan_raise(&planned->plan, machine, CPU, 1, false), err);
	assert_int_equal(plan_range(planned, 1, 2), err);
	assert_int_equal(planned_count(planned), 0);
	return err;
}

static void test_unreadable(void **test)
{
	static const struct sysfs_step offline = { "cpu5/online", "0", 0, "0" };
	static const char *const nonsense[] = { "x\n", "<unknown>", "", "1 2" };
	struct fake_files fake;
	struct planned planned;

	(void)test;
	planned_open(&planned, "guide", NULL);
	sysfs_machine_run(&planned.simulated, &offline, 1);
	assert_int_equal(plan_all(&planned), -EBUSY);
	planned_close(&planned);

	fake_files_init(&fake);
	planned_open_files(&planned, &fake.files);
	assert_int_equal(cpuset_add(&planned.machine.topology.online, CPU), 0);
	assert_int_equal(plan_all(&planned), -ENOENT);
	for (size_t i = 0; i < ARRAY_SIZE(nonsense); i++) {
		fake_files_set(&fake, "3200000\n", ROOT HIGHEST);
		fake_files_set(&fake, nonsense[i], ROOT MAX);
		fake_files_set(&fake, nonsense[i], ROOT MIN);
		assert_int_equal(plan_all(&planned), -EINVAL);
	}
	fake_files_set(&fake, "4294967296\n", ROOT MAX);
	fake_files_set(&fake, "4294967296\n", ROOT MIN);
	assert_int_equal(plan_all(&planned), -ERANGE);
	planned_close(&planned);
	fake_files_done(&fake);
}

/* One CPU with a limit is enough, and one whose limit cannot be read has it. */
static void test_availability(void **test)
{
	struct fake_files fake;
	struct planned planned;

	(void)test;
	fake_files_init(&fake);
	planned_open_files(&planned, &fake.files);
	assert_int_equal(cpuset_add(&planned.machine.topology.online, 0), 0);
	assert_int_equal(cpuset_add(&planned.machine.topology.online, CPU), 0);
	assert_false(scaling_is_available(&planned.machine));
	fake_files_set(&fake, "3200000\n", ROOT MAX);
	assert_true(scaling_is_available(&planned.machine));
	fake_files_fail(&fake, ROOT MAX, -EIO);
	assert_true(scaling_is_available(&planned.machine));
	planned_close(&planned);
	fake_files_done(&fake);
}

/* One limit can be read and the other cannot, or not what the kernel lowers limits to while turbo
 * is off: no half of a range is planned. */
static void test_half(void **test)
{
	struct fake_files fake;
	struct planned planned;

	(void)test;
	fake_files_init(&fake);
	planned_open_files(&planned, &fake.files);
	assert_int_equal(cpuset_add(&planned.machine.topology.online, CPU), 0);
	fake_files_set(&fake, "800000\n", ROOT MIN);
	assert_int_equal(plan_range(&planned, 1, 2), -ENOENT);
	assert_int_equal(plan_range(&planned, 2, 1), -EINVAL);
	fake_files_set(&fake, "3200000\n", ROOT MAX);
	fake_files_set(&fake, "3200000\n", ROOT HIGHEST);
	fake_files_fail(&fake, ROOT BASE, -EIO);
	assert_int_equal(scaling_plan_open_max(&planned.plan, &planned.machine, CPU, 1, true),
			 -EIO);
	assert_int_equal(scaling_plan_raise(&planned.plan, &planned.machine, CPU, 1, true), -EIO);
	assert_int_equal(planned_count(&planned), 0);
	planned_close(&planned);
	fake_files_done(&fake);
}

static void test_no_turbo(void **test)
{
	static const struct {
		const char *text;
		int err;
		bool no_turbo;
	} vectors[] = {
		{ NULL, 0, false },
		{ "0\n", 0, false },
		{ "1\n", 0, true },
		{ "x\n", -EINVAL, false },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		bool is_off = false;
		struct fake_files fake;

		fake_files_init(&fake);
		if (vectors[i].text)
			fake_files_set(&fake, vectors[i].text, ROOT NO_TURBO);
		assert_int_equal(scaling_read_turbo(&fake.files, &is_off), vectors[i].err);
		assert_int_equal(is_off, vectors[i].no_turbo);
		fake_files_done(&fake);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_range),        cmocka_unit_test(test_range_undone),
		cmocka_unit_test(test_clamped),      cmocka_unit_test(test_single),
		cmocka_unit_test(test_open_max),     cmocka_unit_test(test_raise),
		cmocka_unit_test(test_change),       cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_half),         cmocka_unit_test(test_no_turbo),
		cmocka_unit_test(test_availability),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
