// SPDX-License-Identifier: GPL-2.0-only
/* Whole recordings of simulated machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>

#include "fake_files.h"
#include "base/cleanup.h"
#include "base/fileio.h"
#include "host/run_directory.h"
#include "record/parts.h"
#include "record/record.h"
#include "simulator/platform_file.h"
#include "simulator/simulator.h"
#include "temporary.h"

#define LEVEL_OPEN   "\"locked\": false"
#define LEVEL_LOCKED "\"locked\": true "
#define BOOT_ID      "/proc/sys/kernel/random/boot_id"

/* Makes a platform file below directory: the guide's, with a locked level. Returns its path. */
static char *make_platform(const char *directory)
{
	_cleanup_free_ char *from = text_format("%s/guide.json", getenv("PLATFORM_FILES"));
	_cleanup_free_ char *text = NULL;
	char *path = temporary_path(directory, "platform.json"), *at;
	size_t length;

	assert_int_equal(fileio_read(from, 0, &text, &length), 0);
	at = strstr(text, LEVEL_OPEN);
	assert_non_null(at);
	memcpy(at, LEVEL_LOCKED, strlen(LEVEL_LOCKED));
	temporary_write(path, text, 0644);
	return path;
}

/* The lock of a level is kept, and the boot of the map of offline CPUs is not. */
static void test_kept(void **state)
{
	char *directory = temporary_make();
	_cleanup_free_ char *platform = make_platform(directory);
	_cleanup_free_ char *state_directory = temporary_path(directory, "state");
	_cleanup_free_ char *run = temporary_path(state_directory, "run");
	_cleanup_free_ char *map = temporary_path(run, "cpu-map.json");
	_cleanup_free_ char *message = NULL, *text = NULL, *boot_id = NULL, *map_text = NULL;
	_cleanup_host_ struct host *host = NULL;
	_cleanup_json_ json_t *recording = NULL;
	struct record_remarks remarks;
	struct sim_platform *replayed;
	const json_t *member;

	(void)state;
	assert_int_equal(mkdir(state_directory, 0700), 0);
	assert_int_equal(simulator_open(platform, state_directory, false, &host, &message), 0);
	assert_int_equal(mkdir(run, 0700), 0);
	assert_int_equal(files_read_line(host->files, BOOT_ID, &boot_id), 0);
	map_text = text_format("{\"boot\": \"%s\"}", boot_id);
	temporary_write(map, map_text, 0644);
	assert_int_equal(
		record_make(host, &(struct record_options){ 0 }, &text, &remarks, &message), 0);
	assert_null(strstr(text, boot_id));
	recording = json_loads(text, 0, NULL);
	assert_non_null(recording);
	member = json_object_get(json_object_get(recording, "recorded"), "cpu_map");
	assert_non_null(strstr(json_string_value(member), "00000000-0000"));
	assert_int_equal(platform_file_parse("x", text, strlen(text), &replayed, &message), 0);
	assert_true(replayed->domains[1].fuses.locked);
	platform_file_free(replayed);
	record_remarks_done(&remarks);
	temporary_remove(directory);
}

/* Machines that are recorded as they start. */
static const char *const recorded_platforms[] = {
	"guide",        "cpx-5318h-2s",     "emr-8592-2s",  "icx-8360y-2s", "spr-6438n-2s",
	"gnr-6980p-2s", "gnr-6776p-pct-2s", "srf-6746e-2s", "clx-6230n-2s", "arl-285k-1s",
};

static void compare_level(const struct punit_level *expected, const struct punit_level *level)
{
	assert_int_equal(level->level, expected->level);
	assert_int_equal(level->core_mask, expected->core_mask);
	assert_int_equal(level->tdp_w, expected->tdp_w);
	assert_int_equal(level->tdp_ratio, expected->tdp_ratio);
	assert_int_equal(level->base_ratio_sse, expected->base_ratio_sse);
	assert_int_equal(level->base_ratio_avx2, expected->base_ratio_avx2);
	assert_int_equal(level->base_ratio_avx512, expected->base_ratio_avx512);
	assert_int_equal(level->base_ratio_amx, expected->base_ratio_amx);
	assert_int_equal(level->tjunction_max_c, expected->tjunction_max_c);
	assert_int_equal(level->memory, expected->memory);
	assert_memory_equal(level->uncore, expected->uncore, sizeof(level->uncore));
	assert_memory_equal(level->turbo_core_counts, expected->turbo_core_counts,
			    sizeof(level->turbo_core_counts));
	assert_memory_equal(level->turbo_ratios, expected->turbo_ratios,
			    sizeof(level->turbo_ratios));
	assert_int_equal(level->has_base_freq, expected->has_base_freq);
	assert_int_equal(level->base_freq.core_mask, expected->base_freq.core_mask);
	assert_int_equal(level->base_freq.high_ratio, expected->base_freq.high_ratio);
	assert_int_equal(level->base_freq.low_ratio, expected->base_freq.low_ratio);
	assert_int_equal(level->base_freq.tdp_w, expected->base_freq.tdp_w);
	assert_int_equal(level->has_turbo_freq, expected->has_turbo_freq);
	assert_memory_equal(level->turbo_freq.core_counts, expected->turbo_freq.core_counts,
			    sizeof(level->turbo_freq.core_counts));
	assert_memory_equal(level->turbo_freq.ratios, expected->turbo_freq.ratios,
			    sizeof(level->turbo_freq.ratios));
	/* mailbox parts report no others */
	assert_memory_equal(level->turbo_freq.clip_ratios, expected->turbo_freq.clip_ratios, 3);
}

static void compare_domain(const struct sim_domain *expected, const struct sim_domain *domain)
{
	assert_int_equal(domain->package, expected->package);
	assert_int_equal(domain->punit, expected->punit);
	assert_true(cpuset_equal(&domain->cpus, &expected->cpus));
	assert_int_equal(domain->has_sst, expected->has_sst);
	if (!expected->has_sst)
		return;
	assert_int_equal(domain->fuses.pp_enabled, expected->fuses.pp_enabled);
	assert_int_equal(domain->fuses.pp_version, expected->fuses.pp_version);
	assert_int_equal(domain->fuses.locked, expected->fuses.locked);
	assert_int_equal(domain->fuses.cp_supported, expected->fuses.cp_supported);
	assert_int_equal(domain->fuses.clos_by_mailbox, expected->fuses.clos_by_mailbox);
	assert_int_equal(domain->fuses.n_levels, expected->fuses.n_levels);
	/* without SST-PP commands ask for nothing else */
	for (uint8_t i = 0; i < expected->fuses.n_levels && expected->fuses.pp_enabled; i++)
		compare_level(&expected->fuses.levels[i], &domain->fuses.levels[i]);
	assert_memory_equal(&domain->initial, &expected->initial, sizeof(domain->initial));
}

static void compare_files(const struct sim_platform *expected, const struct sim_platform *platform)
{
	const struct sim_cpufreq *cpufreq = &platform->cpufreq;

	assert_int_equal(platform->has_cpufreq, expected->has_cpufreq);
	assert_string_equal(cpufreq->driver, expected->cpufreq.driver);
	assert_int_equal(cpufreq->min_khz, expected->cpufreq.min_khz);
	assert_int_equal(cpufreq->max_khz, expected->cpufreq.max_khz);
	assert_string_equal(cpufreq->governors[cpufreq->governor],
			    expected->cpufreq.governors[expected->cpufreq.governor]);
	assert_int_equal(platform->has_high_priority, expected->has_high_priority);
	assert_true(
		cpuset_equal(&cpufreq->high_priority_cpus, &expected->cpufreq.high_priority_cpus));
	assert_int_equal(platform->is_hybrid, expected->is_hybrid);
	assert_true(cpuset_equal(&platform->efficient, &expected->efficient));
	assert_int_equal(platform->efficient_max_khz, expected->efficient_max_khz);
	assert_int_equal(platform->n_idle_states, expected->n_idle_states);
	for (size_t i = 0; i < expected->n_idle_states; i++) {
		assert_string_equal(platform->idle_states[i].name, expected->idle_states[i].name);
		assert_int_equal(platform->idle_states[i].latency_us,
				 expected->idle_states[i].latency_us);
		assert_int_equal(platform->idle_states[i].disabled,
				 expected->idle_states[i].disabled);
	}
	assert_int_equal(platform->umwait_max_time, expected->umwait_max_time);
	assert_int_equal(platform->uncore, expected->uncore);
	assert_int_equal(platform->uncore_min_khz, expected->uncore_min_khz);
	/* one for all, the highest */
	assert_int_equal(platform->uncore_max_khz,
			 expected->uncore_io_max_khz ?: expected->uncore_max_khz);
}

/* The model of a recording is what the platform file of the machine says. */
static void test_model(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(recorded_platforms); i++) {
		char *directory = temporary_make();
		_cleanup_free_ char *path =
			text_format("%s/%s.json", getenv("PLATFORM_FILES"), recorded_platforms[i]);
		_cleanup_free_ char *message = NULL, *text = NULL, *recording = NULL;
		_cleanup_host_ struct host *host = NULL;
		struct sim_platform *expected, *platform;
		struct record_remarks remarks;
		size_t length;

		print_message("%s\n", recorded_platforms[i]);
		assert_int_equal(fileio_read(path, 0, &text, &length), 0);
		assert_int_equal(platform_file_parse("", text, length, &expected, &message), 0);
		assert_int_equal(simulator_open(path, directory, false, &host, &message), 0);
		assert_int_equal(record_make(host, &(struct record_options){ 0 }, &recording,
					     &remarks, &message),
				 0);
		record_remarks_done(&remarks);
		assert_int_equal(platform_file_parse("", recording, strlen(recording), &platform,
						     &message),
				 0);
		assert_int_equal(platform->interface, expected->interface);
		assert_int_equal(platform->cpu.model, expected->cpu.model);
		assert_string_equal(platform->cpu.model_name, expected->cpu.model_name);
		assert_int_equal(platform->threads_per_core, expected->threads_per_core);
		assert_int_equal(platform->cores_per_module, expected->cores_per_module);
		assert_int_equal(platform->n_cpus, expected->n_cpus);
		assert_memory_equal(platform->cpus, expected->cpus,
				    expected->n_cpus * sizeof(*expected->cpus));
		assert_int_equal(platform->n_domains, expected->n_domains);
		for (size_t j = 0; j < expected->n_domains; j++)
			compare_domain(&expected->domains[j], &platform->domains[j]);
		for (size_t j = 0; j < expected->n_packages && expected->has_sst; j++)
			assert_memory_equal(&platform->msrs[j], &expected->msrs[j],
					    sizeof(struct punit_package));
		compare_files(expected, platform);
		platform_file_free(platform);
		platform_file_free(expected);
		temporary_remove(directory);
	}
}

#define MAC_NAME "enx0a1b2c3d4e5f"

/* Files of a machine that say whose it is, each with what the recording must not hold, and what it
 * holds in its place. */
static const struct {
	const char *path;
	const char *text;
	const char *secret;
	const char *kept; /* NULL: nothing */
} planted[] = {
	{ "/proc/irq/24/" MAC_NAME "/x", "", MAC_NAME, "handler-1" },
	{ "/proc/irq/25/eth-tenant-TxRx-0/x", "", "tenant", "handler-1" },
	{ "/proc/irq/26/nvme0q3/x", "", NULL, "nvme0q3" },
	{ "/proc/irq/27/nvme-acme0q3/x", "", "acme", "handler-1" },
	{ "/proc/irq/28/mlx5_comp7@pci:0000:3b:00.0/x", "", "3b", "mlx5_comp7@pci:0000:00:00.0" },
	{ "/proc/irq/29/ens1f0-Tx-0/x", "", "ens1f0", "handler-1" },
	{ "/sys/fs/cgroup/tenant-b/cpuset.cpus", "0\n", "tenant", "group-" },
	{ "/sys/fs/cgroup/io.acme.slice/cpuset.cpus", "0\n", "acme", NULL },
	{ "/sys/fs/cgroup/0-0-0/acme-child/cpuset.cpus", "0\n", "acme", NULL },
	{ "/sys/fs/cgroup/0-0-0/cpuset.cpus", "0\n", NULL, "cpuset.cpus" },
	{ "/sys/class/hwmon/hwmon0/name", "coretemp\n", NULL, "coretemp" },
	{ "/sys/class/hwmon/hwmon0/temp1_label", "Package id 0\n", NULL, "Package id 0" },
	{ "/sys/class/hwmon/hwmon1/name", "enp2s0_phy\n", "enp2s0", "other" },
	{ "/sys/class/hwmon/hwmon1/temp1_label", "drive S3R1AL4711\n", "S3R1AL", NULL },
	{ "/proc/cpuinfo", "processor\t: 0\n\nserial\t: 4711-0815\n", "4711-0815", "processor" },
	{ "/proc/cmdline", "root=UUID=b0071d ro isolcpus=2 ip=192.0.2.7:node17 -- acme\n", "node17",
	  "isolcpus=2" },
	{ "/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC alice@node17 Mon Jan 1\n", "alice",
	  "PREEMPT_DYNAMIC" },
};

static void test_planted(void **state)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_free_ char *text = NULL;
	const struct record_options options = { 0 };
	struct fake_files kernel;
	struct kernel_files found;

	(void)state;
	fake_files_init(&kernel);
	for (size_t i = 0; i < ARRAY_SIZE(planted); i++)
		fake_files_set(&kernel, planted[i].text, "%s", planted[i].path);
	assert_int_equal(cpuset_add(&cpus, 0), 0);
	assert_int_equal(kernel_files_read(&kernel.files, &cpus, &cpus, &options, &found), 0);
	text = json_dumps(found.object, 0);
	assert_non_null(text);
	for (size_t i = 0; i < ARRAY_SIZE(planted); i++) {
		if (planted[i].secret && strstr(text, planted[i].secret))
			fail_msg("%s: %s is in %s", planted[i].path, planted[i].secret, text);
		if (planted[i].kept && !strstr(text, planted[i].kept))
			fail_msg("%s: %s is not in %s", planted[i].path, planted[i].kept, text);
	}
	kernel_files_done(&found);
	fake_files_done(&kernel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_planted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
