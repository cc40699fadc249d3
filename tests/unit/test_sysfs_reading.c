// SPDX-License-Identifier: GPL-2.0-only
/* The content of every file of four platforms in their first state. The files of a kind of
 * directory are listed once, with the content that is the same everywhere; a row has the rest in
 * that order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "sysfs_machine.h"

#define MOST_VALUES 10

/* A file of a kind of directory, and its content in all of them; NULL: it is in the row. */
struct like_file {
	const char *name;
	const char *value;
};

struct row {
	const char *directory; /* as in struct sysfs_step */
	const struct like_file *files;
	const char *values[MOST_VALUES];
};

struct reading {
	const char *platform;
	const struct row *rows;
	size_t n_rows;
	const struct sysfs_step *steps; /* single files */
	size_t n_steps;
};

static const struct like_file cpus[] = {
	{ .name = "present" },
	{ .name = "possible" },
	{ .name = "online" },
	{ "offline", "" },
	{ "isolated", "" },
	{ "nohz_full", "(null)" },
	{ 0 },
};

static const struct like_file topology[] = {
	{ .name = "physical_package_id" },
	{ .name = "die_id" },
	{ .name = "core_id" },
	{ .name = "core_cpus_list" },
	{ .name = "thread_siblings_list" },
	{ .name = "die_cpus_list" },
	{ .name = "package_cpus_list" },
	{ 0 },
};

static const struct like_file cpufreq[] = {
	{ .name = "affected_cpus" },
	{ .name = "base_frequency" },
	{ .name = "cpuinfo_max_freq" },
	{ .name = "cpuinfo_min_freq" },
	{ "energy_performance_available_preferences",
	  "default performance balance_performance balance_power power " },
	{ "energy_performance_preference", "balance_performance" },
	{ .name = "related_cpus" },
	{ "scaling_available_governors", "performance powersave" },
	{ .name = "scaling_cur_freq" },
	{ "scaling_driver", "intel_pstate" },
	{ "scaling_governor", "powersave" },
	{ .name = "scaling_max_freq" },
	{ .name = "scaling_min_freq" },
	{ 0 },
};

static const struct like_file pstate[] = {
	{ "status", "active" },    { "no_turbo", "0" },          { .name = "min_perf_pct" },
	{ "max_perf_pct", "100" }, { "hwp_dynamic_boost", "0" }, { 0 },
};

static const struct like_file idle_state[] = {
	{ .name = "name" },      { .name = "desc" },  { .name = "latency" },
	{ .name = "residency" }, { "disable", "0" },  { "default_status", "enabled" },
	{ "time", "0" },         { "usage", "0" },    { "above", "0" },
	{ "below", "0" },        { "rejected", "0" }, { 0 },
};

static const struct like_file idle[] = {
	{ "current_driver", "intel_idle" },
	{ "current_governor", "menu" },
	{ "current_governor_ro", "menu" },
	{ "available_governors", "ladder menu teo" },
	{ 0 },
};

static const struct like_file power[] = {
	{ "energy_perf_bias", "6" },
	{ "pm_qos_resume_latency_us", "0" },
	{ 0 },
};

static const struct like_file umwait[] = {
	{ "enable_c02", "1" },
	{ "max_time", "100000" },
	{ 0 },
};

static const struct like_file uncore_die[] = {
	{ .name = "min_freq_khz" },         { .name = "max_freq_khz" },
	{ .name = "initial_min_freq_khz" }, { .name = "initial_max_freq_khz" },
	{ .name = "current_freq_khz" },     { 0 },
};

static const struct like_file uncore_domain[] = {
	{ .name = "min_freq_khz" },
	{ .name = "max_freq_khz" },
	{ .name = "initial_min_freq_khz" },
	{ .name = "initial_max_freq_khz" },
	{ .name = "current_freq_khz" },
	{ .name = "domain_id" },
	{ .name = "package_id" },
	{ "fabric_cluster_id", "0" },
	{ 0 },
};

static const struct like_file uncore_package[] = {
	{ .name = "min_freq_khz" },
	{ .name = "max_freq_khz" },
	{ .name = "initial_min_freq_khz" },
	{ .name = "initial_max_freq_khz" },
	{ 0 },
};

static const struct like_file cgroup[] = {
	{ "cgroup.controllers", "cpuset cpu io memory hugetlb pids rdma misc" },
	{ "cgroup.subtree_control", "cpu memory pids" },
	{ 0 },
};

static const struct row guide_rows[] = {
	{ "/sys/devices/system/cpu", cpus, { "0-55", "0-55", "0-55" } },
	{ "cpu0/topology",
	  topology,
	  { "0", "0", "0", "0,28", "0,28", "0-13,28-41", "0-13,28-41" } },
	{ "cpu55/topology",
	  topology,
	  { "1", "0", "13", "27,55", "27,55", "14-27,42-55", "14-27,42-55" } },
	{ "cpu5/cpufreq",
	  cpufreq,
	  { "5", "2600000", "3200000", "800000", "5", "2600000", "3200000", "800000" } },
	{ "cpu55/cpufreq",
	  cpufreq,
	  { "55", "2600000", "3200000", "800000", "55", "2600000", "3200000", "800000" } },
	{ "intel_pstate", pstate, { "25" } },
	{ "cpu0/cpuidle/state0", idle_state, { "POLL", "CPUIDLE CORE POLL IDLE", "0", "0" } },
	{ "cpu55/cpuidle/state3", idle_state, { "C6", "MWAIT 0x20", "170", "600" } },
	{ "cpuidle", idle, { NULL } },
	{ "cpu0/power", power, { NULL } },
	{ "umwait_control", umwait, { NULL } },
	{ "intel_uncore_frequency/package_00_die_00",
	  uncore_die,
	  { "800000", "2400000", "800000", "2400000", "2400000" } },
	{ "intel_uncore_frequency/package_01_die_00",
	  uncore_die,
	  { "800000", "2400000", "800000", "2400000", "2400000" } },
	{ "/sys/fs/cgroup", cgroup, { NULL } },
};

static const struct sysfs_step guide_steps[] = {
	{ "cpu0/online", NULL, -ENOENT, NULL },
	{ "cpu1/online", NULL, 0, "1" },
	{ "cpufreq/boost", NULL, -ENOENT, NULL },
};

static const struct row clx_rows[] = {
	{ "/sys/devices/system/cpu", cpus, { "0-79", "0-79", "0-79" } },
	{ "cpu33/topology",
	  topology,
	  { "1", "0", "13", "33,73", "33,73", "20-39,60-79", "20-39,60-79" } },
	{ "cpu0/cpufreq",
	  cpufreq,
	  { "0", "2100000", "3500000", "1000000", "0", "2100000", "3500000", "1000000" } },
	{ "cpu6/cpufreq",
	  cpufreq,
	  { "6", "2700000", "3500000", "1000000", "6", "2700000", "3500000", "1000000" } },
	{ "intel_pstate", pstate, { "28" } },
	{ "cpu3/cpuidle/state2", idle_state, { "C1E", "MWAIT 0x01", "10", "20" } },
	{ "cpuidle", idle, { NULL } },
	{ "cpu0/power", power, { NULL } },
	{ "intel_uncore_frequency/package_01_die_00",
	  uncore_die,
	  { "1200000", "2400000", "1200000", "2400000", "2400000" } },
	{ "/sys/fs/cgroup", cgroup, { NULL } },
};

static const struct sysfs_step clx_steps[] = {
	{ "cpu5/cpufreq/base_frequency", NULL, 0, "2100000" },
	{ "cpu7/cpufreq/base_frequency", NULL, 0, "2700000" },
	{ "cpu8/cpufreq/base_frequency", NULL, 0, "2100000" },
	{ "cpu11/cpufreq/base_frequency", NULL, 0, "2700000" },
	{ "cpu26/cpufreq/base_frequency", NULL, 0, "2700000" },
	{ "cpu28/cpufreq/base_frequency", NULL, 0, "2100000" },
	{ "cpu46/cpufreq/base_frequency", NULL, 0, "2700000" },
	{ "cpu75/cpufreq/base_frequency", NULL, 0, "2700000" },
	{ "cpu79/cpufreq/base_frequency", NULL, 0, "2100000" },
	{ "umwait_control/max_time", NULL, -ENOENT, NULL },
};

static const struct row emr_rows[] = {
	{ "/sys/devices/system/cpu", cpus, { "0-255", "0-255", "0-255" } },
	{ "cpu0/topology",
	  topology,
	  { "0", "0", "0", "0,128", "0,128", "0-63,128-191", "0-63,128-191" } },
	{ "cpu127/topology",
	  topology,
	  { "1", "1", "63", "127,255", "127,255", "64-127,192-255", "64-127,192-255" } },
	{ "cpu127/cpufreq",
	  cpufreq,
	  { "127", "1900000", "3900000", "800000", "127", "1900000", "3900000", "800000" } },
	{ "intel_pstate", pstate, { "20" } },
	{ "umwait_control", umwait, { NULL } },
	{ "intel_uncore_frequency/package_00_die_00",
	  uncore_die,
	  { "800000", "2400000", "800000", "2400000", "2400000" } },
	{ "intel_uncore_frequency/package_01_die_01",
	  uncore_die,
	  { "800000", "2400000", "800000", "2400000", "2400000" } },
	{ "/sys/fs/cgroup", cgroup, { NULL } },
};

static const struct sysfs_step emr_steps[] = {
	{ "intel_uncore_frequency/package_01_die_00/max_freq_khz", NULL, -ENOENT, NULL },
	{ "intel_uncore_frequency/uncore00/max_freq_khz", NULL, -ENOENT, NULL },
};

static const struct row gnr_rows[] = {
	{ "/sys/devices/system/cpu", cpus, { "0-511", "0-511", "0-511" } },
	{ "cpu0/topology",
	  topology,
	  { "0", "0", "0", "0,256", "0,256", "0-127,256-383", "0-127,256-383" } },
	{ "cpu43/topology",
	  topology,
	  { "0", "0", "64", "43,299", "43,299", "0-127,256-383", "0-127,256-383" } },
	{ "cpu511/topology",
	  topology,
	  { "1", "1", "169", "255,511", "255,511", "128-255,384-511", "128-255,384-511" } },
	{ "cpu511/cpufreq",
	  cpufreq,
	  { "511", "2000000", "3900000", "800000", "511", "2000000", "3900000", "800000" } },
	{ "intel_pstate", pstate, { "20" } },
	{ "intel_uncore_frequency/uncore00",
	  uncore_domain,
	  { "800000", "2200000", "800000", "2200000", "2200000", "0", "0" } },
	{ "intel_uncore_frequency/uncore04",
	  uncore_domain,
	  { "800000", "2500000", "800000", "2500000", "2500000", "4", "0" } },
	{ "intel_uncore_frequency/uncore05",
	  uncore_domain,
	  { "800000", "2200000", "800000", "2200000", "2200000", "0", "1" } },
	{ "intel_uncore_frequency/uncore09",
	  uncore_domain,
	  { "800000", "2500000", "800000", "2500000", "2500000", "4", "1" } },
	{ "intel_uncore_frequency/package_01_die_00",
	  uncore_package,
	  { "800000", "2500000", "800000", "2500000" } },
	{ "/sys/fs/cgroup", cgroup, { NULL } },
};

static const struct sysfs_step gnr_steps[] = {
	{ "intel_uncore_frequency/package_01_die_00/current_freq_khz", NULL, -ENOENT, NULL },
	{ "intel_uncore_frequency/package_01_die_01/max_freq_khz", NULL, -ENOENT, NULL },
	{ "intel_uncore_frequency/uncore10/max_freq_khz", NULL, -ENOENT, NULL },
};

static void check_row(struct sysfs_machine *machine, const struct row *row)
{
	size_t used = 0;

	for (const struct like_file *file = row->files; file->name; file++) {
		struct sysfs_step step = { .read = file->value ?: row->values[used++] };
		_cleanup_free_ char *path = NULL;

		assert_non_null(step.read);
		assert_true(asprintf(&path, "%s/%s", row->directory, file->name) >= 0);
		step.path = path;
		sysfs_machine_run(machine, &step, 1);
	}
	assert_true(used == MOST_VALUES || !row->values[used]);
}

static void check_reading(const struct reading *reading)
{
	struct sysfs_machine machine;

	sysfs_machine_open(&machine, reading->platform);
	for (size_t i = 0; i < reading->n_rows; i++)
		check_row(&machine, &reading->rows[i]);
	sysfs_machine_run(&machine, reading->steps, reading->n_steps);
	sysfs_machine_close(&machine);
}

#define READING(name, part)                                                                 \
	{                                                                                   \
		.platform = (name), .rows = part##_rows, .n_rows = ARRAY_SIZE(part##_rows), \
		.steps = part##_steps, .n_steps = ARRAY_SIZE(part##_steps),                 \
	}

static void test_guide(void **test)
{
	static const struct reading reading = READING("guide", guide);

	(void)test;
	check_reading(&reading);
}

static void test_clx(void **test)
{
	static const struct reading reading = READING("clx-6230n-2s", clx);

	(void)test;
	check_reading(&reading);
}

static void test_emr(void **test)
{
	static const struct reading reading = READING("emr-8592-2s", emr);

	(void)test;
	check_reading(&reading);
}

static void test_gnr(void **test)
{
	static const struct reading reading = READING("gnr-6980p-2s", gnr);

	(void)test;
	check_reading(&reading);
}

/* What the kernel's release decides, and a package of two TPMI devices. */
static void test_kernels(void **test)
{
	static const struct sysfs_step old[] = {
		{ "/proc/sys/kernel/osrelease", NULL, 0, "6.12" },
		{ "intel_uncore_frequency/uncore00/agent_types", NULL, -ENOENT, NULL },
		{ "intel_uncore_frequency/uncore00/instance_id", NULL, -ENOENT, NULL },
	};
	static const struct sysfs_step middle[] = {
		{ "/proc/sys/kernel/osrelease", NULL, 0, "7.0" },
		{ "intel_uncore_frequency/uncore02/agent_types", NULL, 0, "core cache memory" },
		{ "intel_uncore_frequency/uncore03/agent_types", NULL, 0, "io" },
		{ "intel_uncore_frequency/uncore03/max_freq_khz", NULL, 0, "2400000" },
		{ "intel_uncore_frequency/uncore03/initial_max_freq_khz", NULL, 0, "2400000" },
		{ "intel_uncore_frequency/uncore02/max_freq_khz", NULL, 0, "2200000" },
		{ "intel_uncore_frequency/package_00_die_00/max_freq_khz", NULL, 0, "2400000" },
		{ "intel_uncore_frequency/uncore03/instance_id", NULL, -ENOENT, NULL },
		{ "intel_uncore_frequency/uncore00/die_id", NULL, -ENOENT, NULL },
		{ "intel_uncore_frequency/package_00_die_00/agent_types", NULL, -ENOENT, NULL },
	};
	static const struct sysfs_step newest[] = {
		{ "/proc/sys/kernel/osrelease", NULL, 0, "7.2" },
		{ "intel_uncore_frequency/uncore00/agent_types", NULL, 0, "core cache memory" },
		{ "intel_uncore_frequency/uncore00/instance_id", NULL, 0, "0" },
		{ "intel_uncore_frequency/uncore01/instance_id", NULL, 0, "1" },
		{ "intel_uncore_frequency/uncore02/instance_id", NULL, 0, "0" },
		{ "intel_uncore_frequency/uncore07/instance_id", NULL, 0, "1" },
		{ "intel_uncore_frequency/uncore00/die_id", NULL, 0, "0" },
		{ "intel_uncore_frequency/uncore01/die_id", NULL, -ENOENT, NULL },
		{ "intel_uncore_frequency/uncore02/die_id", NULL, 0, "1" },
	};
	(void)test;
	sysfs_machine_play("gnr-6776p-2s", old, ARRAY_SIZE(old));
	sysfs_machine_play("cwf-6990e-2s", middle, ARRAY_SIZE(middle));
	sysfs_machine_play("gnr-split-2s", newest, ARRAY_SIZE(newest));
}

/* Without partitions the instances of a package have holes, as its domains have; old kernels use
 * their numbers for the domains of partitioned packages. */
static void test_instances(void **test)
{
	static const struct sysfs_step steps[] = {
		{ "intel_uncore_frequency/uncore01/instance_id", NULL, 0, "1" },
		{ "intel_uncore_frequency/uncore02/instance_id", NULL, 0, "3" },
	};
	static const struct sysfs_step domains[] = {
		{ "intel_uncore_frequency/uncore01/domain_id", NULL, 0, "1" },
		{ "intel_uncore_frequency/uncore02/domain_id", NULL, 0, "0" },
	};
	struct sysfs_machine machine;

	(void)test;
	sysfs_machine_load(&machine, "gnr-6776p-2s");
	machine.platform->kernel = "7.10";
	sysfs_machine_start(&machine, NULL);
	sysfs_machine_run(&machine, steps, ARRAY_SIZE(steps));
	sysfs_machine_close(&machine);
	sysfs_machine_load(&machine, "gnr-split-2s");
	machine.platform->kernel = "6.12";
	sysfs_machine_start(&machine, NULL);
	sysfs_machine_run(&machine, domains, ARRAY_SIZE(domains));
	sysfs_machine_close(&machine);
}

static void test_tpmi_devices(void **test)
{
	static const struct sysfs_step steps[] = {
		{ "/sys/bus/auxiliary/devices/intel_vsec.tpmi-sst.1/../../local_cpulist", NULL, 0,
		  "0-15,32-47" },
		{ "/sys/bus/auxiliary/devices/intel_vsec.tpmi-sst.2/../../local_cpulist", NULL, 0,
		  "16-31,48-63" },
		{ "/sys/bus/auxiliary/devices/intel_vsec.tpmi-sst.4/../../local_cpulist", NULL,
		  -ENOENT, NULL },
	};
	struct sysfs_machine machine;

	(void)test;
	sysfs_machine_open(&machine, "gnr-split-2s");
	sysfs_machine_assert_list(&machine, "/sys/bus/auxiliary/devices",
				  "intel_vsec.tpmi-sst.0 intel_vsec.tpmi-sst.1 "
				  "intel_vsec.tpmi-sst.2 intel_vsec.tpmi-sst.3");
	sysfs_machine_assert_list(&machine, "/sys/bus/auxiliary/devices/intel_vsec.tpmi-sst.0",
				  "driver");
	sysfs_machine_run(&machine, steps, ARRAY_SIZE(steps));
	sysfs_machine_close(&machine);
	sysfs_machine_open(&machine, "gnr-6776p-2s");
	sysfs_machine_assert_list(&machine, "/sys/bus/auxiliary/devices",
				  "intel_vsec.tpmi-sst.0 intel_vsec.tpmi-sst.1");
	sysfs_machine_close(&machine);
}

/* A module of four cores with one thread each. */
static void test_modules(void **test)
{
	static const struct sysfs_step steps[] = {
		{ "cpu5/topology/core_id", NULL, 0, "5" },
		{ "cpu5/topology/core_cpus_list", NULL, 0, "5" },
	};
	(void)test;
	sysfs_machine_play("srf-6746e-2s", steps, ARRAY_SIZE(steps));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_guide),   cmocka_unit_test(test_clx),
		cmocka_unit_test(test_emr),     cmocka_unit_test(test_gnr),
		cmocka_unit_test(test_kernels), cmocka_unit_test(test_instances),
		cmocka_unit_test(test_modules), cmocka_unit_test(test_tpmi_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
