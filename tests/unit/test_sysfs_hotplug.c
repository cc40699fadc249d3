// SPDX-License-Identifier: GPL-2.0-only
/* CPU hotplug, lists of directories, wrong paths, ordered faults, large machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "simulator/sysfs/sysfs.h"
#include "sysfs_machine.h"

static const struct sysfs_step hotplug_steps[] = {
	{ "cpu3/online", NULL, 0, "1" },
	{ "cpu3/online", "1", 0, "1" },
	{ "cpu3/online", "2", -EINVAL, "1" },
	{ "cpu3/online", "-1", -EINVAL, "1" },
	{ "cpu3/online", "", 0, "1" },
	{ "cpu3/online", "0", 0, "0" },
	{ "online", NULL, 0, "0-2,4-55" },
	{ "offline", NULL, 0, "3" },
	{ "present", NULL, 0, "0-55" },
	{ "possible", NULL, 0, "0-55" },
	/* lists hold online CPUs only */
	{ "cpu31/topology/thread_siblings_list", NULL, 0, "31" },
	{ "cpu31/topology/core_cpus_list", NULL, 0, "31" },
	{ "cpu0/topology/die_cpus_list", NULL, 0, "0-2,4-13,28-41" },
	{ "cpu0/topology/package_cpus_list", NULL, 0, "0-2,4-13,28-41" },
	{ "cpu20/topology/package_cpus_list", NULL, 0, "14-27,42-55" },
	/* an offline CPU has no topology, and its policy is inactive */
	{ "cpu3/topology/core_id", NULL, -ENOENT, NULL },
	{ "cpu3/topology", NULL, -ENOENT, NULL },
	{ "cpu3/cpufreq/base_frequency", NULL, -EBUSY, NULL },
	{ "cpu3/cpufreq/scaling_max_freq", NULL, -EBUSY, NULL },
	{ "cpu3/cpufreq/scaling_driver", NULL, -EBUSY, NULL },
	{ "cpu3/cpufreq/scaling_max_freq", "2000000", -EBUSY, NULL },
	{ "cpu3/cpufreq/scaling_governor", "performance", -EBUSY, NULL },
	{ "cpu3/cpufreq/scaling_driver", "x", -EACCES, NULL },
	{ "cpu3/cpufreq/nonsense", NULL, -ENOENT, NULL },
	{ "cpu31/cpufreq/scaling_max_freq", "2000000", 0, "2000000" },
	{ "cpu3/cpuidle/state1/name", NULL, 0, "C1" },
	/* online again, all of it exists again */
	{ "cpu3/online", "1", 0, "1" },
	{ "online", NULL, 0, "0-55" },
	{ "offline", NULL, 0, "" },
	{ "cpu3/topology/core_id", NULL, 0, "3" },
	{ "cpu3/topology/core_cpus_list", NULL, 0, "3,31" },
	{ "cpu3/cpufreq/scaling_max_freq", NULL, 0, "3200000" },
	/* CPU 0 has no online file */
	{ "cpu0/online", "0", -ENOENT, NULL },
	{ "cpu56/online", "1", -ENOENT, NULL },
	/* a node and a PCI device for each package */
	{ "cpu14/online", "0", 0, "0" },
	{ "/sys/devices/system/node/node1/cpulist", NULL, 0, "15-27,42-55" },
	{ "/sys/bus/pci/devices/0000:01:00.0/local_cpulist", NULL, 0, "15-27,42-55" },
	{ "/sys/devices/system/node/node2/cpulist", NULL, -ENOENT, NULL },
	{ "/sys/bus/pci/devices/0000:01:00.1/local_cpulist", NULL, -ENOENT, NULL },
	{ "cpu14/online", "1", 0, "1" },
	{ "nohz_full", NULL, 0, "(null)" },
	{ "online", "0-3", -EACCES, NULL },
	{ "isolated", "1", -EACCES, NULL },
};

static void test_hotplug(void **test)
{
	struct sysfs_machine machine;

	(void)test;
	sysfs_machine_open(&machine, "guide");
	sysfs_machine_run(&machine, hotplug_steps, ARRAY_SIZE(hotplug_steps));
	sysfs_machine_assert_list(&machine, "cpu0",
				  "acpi_cppc cpufreq cpuidle power thermal_throttle topology");
	sysfs_machine_close(&machine);
}

/* With an online file CPU 0 can go offline too, but not as the last CPU. */
static void test_last_cpu(void **test)
{
	static const struct sysfs_step last[] = {
		{ "cpu0/online", NULL, 0, "1" },     { "cpu0/online", "0", -EBUSY, "1" },
		{ "cpu0/online", "1", 0, "1" },      { "cpu9/online", "1", 0, "1" },
		{ "cpu0/online", "0", 0, "0" },      { "online", NULL, 0, "9" },
		{ "cpu9/online", "0", -EBUSY, "1" },
	};
	struct sysfs_machine machine;

	(void)test;
	sysfs_machine_load(&machine, "guide");
	machine.platform->cpu0_online_file = true;
	sysfs_machine_start(&machine, NULL);
	for (size_t cpu = 1; cpu < machine.platform->n_cpus; cpu++) {
		char path[32];
		const struct sysfs_step step = { path, "0", 0, "0" };

		snprintf(path, sizeof(path), "cpu%zu/online", cpu);
		sysfs_machine_run(&machine, &step, 1);
	}
	sysfs_machine_run(&machine, last, ARRAY_SIZE(last));
	sysfs_machine_close(&machine);
}

static void test_lists(void **test)
{
	static const struct sysfs_step offline[] = { { "cpu1/online", "0", 0, "0" } };
	struct sysfs_machine machine;

	(void)test;
	sysfs_machine_load(&machine, "clx-6230n-2s");
	sysfs_machine_start(&machine, NULL);
	sysfs_machine_assert_list(&machine, "/proc/sys/kernel/random", "boot_id");
	sysfs_machine_assert_list(
		&machine, "cpu1",
		"acpi_cppc cpufreq cpuidle online power thermal_throttle topology");
	sysfs_machine_assert_list(&machine, "cpu1/topology",
				  "core_cpus_list core_id die_cpus_list die_id package_cpus_list "
				  "physical_package_id thread_siblings_list");
	sysfs_machine_assert_list(&machine, "cpu1/cpuidle", "state0 state1 state2 state3");
	sysfs_machine_assert_list(&machine, "cpu1/cpuidle/state0",
				  "above below default_status desc disable latency name rejected "
				  "residency time usage");
	sysfs_machine_assert_list(&machine, "cpu1/power",
				  "energy_perf_bias pm_qos_resume_latency_us");
	sysfs_machine_assert_list(&machine, "cpu1/cpufreq",
				  "affected_cpus base_frequency cpuinfo_max_freq cpuinfo_min_freq "
				  "energy_performance_available_preferences "
				  "energy_performance_preference related_cpus "
				  "scaling_available_governors scaling_cur_freq scaling_driver "
				  "scaling_governor scaling_max_freq scaling_min_freq");
	sysfs_machine_assert_list(&machine, "cpuidle",
				  "available_governors current_driver current_governor "
				  "current_governor_ro");
	sysfs_machine_assert_list(&machine, "intel_uncore_frequency",
				  "package_00_die_00 package_01_die_00");
	sysfs_machine_run(&machine, offline, ARRAY_SIZE(offline));
	sysfs_machine_assert_list(&machine, "cpu1", "acpi_cppc cpufreq cpuidle online power");
	sysfs_machine_assert_list(&machine, "cpu1/power", "pm_qos_resume_latency_us");
	sysfs_machine_close(&machine);
}

static void test_lists_of_tpmi(void **test)
{
	struct sysfs_machine machine;

	(void)test;
	sysfs_machine_open(&machine, "gnr-6980p-2s");
	sysfs_machine_assert_list(&machine, "intel_uncore_frequency",
				  "package_00_die_00 package_01_die_00 uncore00 uncore01 uncore02 "
				  "uncore03 uncore04 uncore05 uncore06 uncore07 uncore08 uncore09");
	sysfs_machine_assert_list(&machine, "intel_uncore_frequency/package_00_die_00",
				  "initial_max_freq_khz initial_min_freq_khz max_freq_khz "
				  "min_freq_khz");
	sysfs_machine_assert_list(&machine, "intel_uncore_frequency/uncore03",
				  "current_freq_khz domain_id elc_floor_freq_khz "
				  "elc_high_threshold_enable elc_high_threshold_percent "
				  "elc_low_threshold_percent fabric_cluster_id "
				  "initial_max_freq_khz initial_min_freq_khz max_freq_khz "
				  "min_freq_khz package_id");
	sysfs_machine_close(&machine);
}

/* While SMT is off, second threads do not come online; other CPUs do. */
static void test_smt(void **test)
{
	struct sysfs_machine machine;

	static const struct sysfs_step on[] = {
		{ "smt/control", "off", -EACCES, NULL },
		{ "cpu28/online", "0", 0, "0" },
		{ "cpu28/online", "1", 0, "1" },
	};
	static const struct sysfs_step off[] = {
		{ "cpu28/online", "1", -EPERM, "0" },
		{ "cpu28/online", "0", 0, "0" },
		{ "cpu3/online", "0", 0, "0" },
		{ "cpu3/online", "1", 0, "1" },
	};
	(void)test;
	sysfs_machine_play("guide", on, ARRAY_SIZE(on));
	sysfs_machine_load(&machine, "guide");
	machine.platform->smt = SIM_SMT_FORCEOFF;
	for (uint32_t cpu = 28; cpu < 56; cpu++)
		assert_int_equal(cpuset_add(&machine.platform->offline, cpu), 0);
	sysfs_machine_start(&machine, NULL);
	sysfs_machine_run(&machine, off, ARRAY_SIZE(off));
	sysfs_machine_close(&machine);
}

/* Every CPU and every other directory is listed once. */
static void test_list_of_cpus(void **test)
{
	static const char *const wanted[] = { "cpu0",     "cpu55",    "cpufreq",
					      "cpuidle",  "isolated", "intel_uncore_frequency",
					      "online",   "present",  "intel_pstate",
					      "possible", "offline",  "umwait_control",
					      "smt",      "nohz_full" };
	struct sysfs_machine machine;
	char **names = NULL;
	size_t count = 0;

	(void)test;
	sysfs_machine_open(&machine, "guide");
	assert_int_equal(files_list(machine.files, "/sys/devices/system/cpu", &names), 0);
	for (; names[count]; count++)
		assert_true(count == 0 || strcmp(names[count - 1], names[count]) < 0);
	assert_int_equal(count, 56 + 12);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		size_t found = 0;

		while (names[found] && strcmp(names[found], wanted[i]) != 0)
			found++;
		assert_non_null(names[found]);
	}
	files_free_names(&names);
	sysfs_machine_close(&machine);
}

static const struct sysfs_step wrong_paths[] = {
	{ "cpu0", NULL, -EISDIR, NULL },
	{ "cpu0", "1", -EISDIR, NULL },
	{ "cpu00/online", NULL, -ENOENT, NULL },
	{ "cpu1x/online", NULL, -ENOENT, NULL },
	{ "cpu/online", NULL, -ENOENT, NULL },
	{ "cpu99/online", NULL, -ENOENT, NULL },
	{ "cpu1/online/x", NULL, -ENOTDIR, NULL },
	{ "cpu1/../online", NULL, -ENOENT, NULL },
	{ "cpu56/cpufreq/scaling_driver", NULL, -ENOENT, NULL },
	{ "nonsense", "1", -ENOENT, NULL },
	{ "/etc/passwd", NULL, -ENOENT, NULL },
	{ "/proc/cpuinfo", "x", -EACCES, NULL },
	{ "cpu0/topology/core_id", "0", -EACCES, NULL },
};

static void test_wrong_paths(void **test)
{
	struct sysfs_machine machine;
	char **names = NULL;

	(void)test;
	sysfs_machine_open(&machine, "guide");
	sysfs_machine_run(&machine, wrong_paths, ARRAY_SIZE(wrong_paths));
	assert_int_equal(files_list(machine.files, "/sys/nonsense", &names), -ENOENT);
	assert_int_equal(files_list(machine.files, "/proc/cpuinfo", &names), -ENOTDIR);
	assert_int_equal(files_list(machine.files, "proc", &names), -ENOENT);
	assert_null(names);
	assert_int_equal(files_change_directory(machine.files, "/sys/devices/system/cpu/x", true),
			 -EPERM);
	assert_int_equal(files_change_directory(machine.files, "/sys/devices/system/cpu", true),
			 -EEXIST);
	assert_int_equal(files_change_directory(machine.files, "/sys/devices/system/cpu", false),
			 -EPERM);
	assert_int_equal(files_change_directory(machine.files, "/sys/nonsense", false), -ENOENT);
	sysfs_machine_close(&machine);
}

static const char faults[] =
	"{ \"orders\": ["
	"{ \"at\": \"write\", \"path\": \"/sys/devices/system/cpu/cpu2/online\","
	"  \"error\": \"EBUSY\", \"times\": 1 },"
	"{ \"at\": \"read\", \"path\": \"/sys/devices/system/cpu/cpu4/topology/*\","
	"  \"error\": \"EIO\" },"
	"{ \"at\": \"read\", \"path\": \"/sys/devices/system/cpu\", \"error\": \"ENOMEM\" },"
	"{ \"at\": \"write\", \"path\": \"/sys/fs/cgroup/x\", \"error\": \"ENOSPC\" },"
	"{ \"at\": \"write\", \"path\": \"/sys/devices/system/cpu/cpu3/cpufreq/*\","
	"  \"ignored\": true, \"times\": 1 },"
	"{ \"at\": \"write\", \"path\": \"/sys/devices/system/cpu/cpu5/cpufreq/*\","
	"  \"flip\": \"0x10000\" },"
	"{ \"at\": \"read\", \"path\": \"/proc/cpuinfo\", \"delay_us\": 20000 } ],"
	"\"missing_capability\": true }";

static const struct sysfs_step fault_steps[] = {
	{ "cpu2/online", "0", -EBUSY, "1" },
	{ "cpu2/online", "0", 0, "0" },
	{ "cpu4/topology/core_id", NULL, -EIO, NULL },
	{ "cpu5/topology/core_id", NULL, 0, "5" },
	{ "cpu0/cpuidle/state1/disable", "1", -EPERM, "0" },
	{ "cpu3/cpufreq/scaling_max_freq", "2000000", 0, "3200000" },
	{ "cpu3/cpufreq/scaling_max_freq", "2000000", 0, "2000000" },
	{ "cpu5/cpufreq/scaling_max_freq", "2000000", 0, "2065536" },
	{ "cpu5/cpufreq/scaling_governor", "performance", 0, "powersave" },
};

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void test_faults(void **test)
{
	_cleanup_free_ char *text = NULL;
	struct sysfs_machine machine;
	char **names = NULL;
	uint64_t start_us;

	(void)test;
	sysfs_machine_load(&machine, "guide");
	sysfs_machine_start(&machine, faults);
	sysfs_machine_run(&machine, fault_steps, ARRAY_SIZE(fault_steps));
	assert_int_equal(files_list(machine.files, "/sys/devices/system/cpu", &names), -ENOMEM);
	assert_int_equal(files_change_directory(machine.files, "/sys/fs/cgroup/x", true), -ENOSPC);
	assert_int_equal(files_change_directory(machine.files, "/sys/fs/cgroup/x", false), -ENOSPC);
	start_us = now_us();
	text = sysfs_machine_read(&machine, "/proc/cpuinfo");
	assert_true(now_us() - start_us >= 20000);
	sysfs_machine_close(&machine);
}

/* The guide's file with 64 packages of 64 cores: 8192 CPUs. */
static void load_large(struct sysfs_machine *machine)
{
	_cleanup_free_ char *path = sysfs_machine_platform_path("guide");
	_cleanup_free_ char *text = NULL, *large = NULL, *message = NULL;
	const char *packages, *rest;
	size_t length;
	FILE *to = open_memstream(&large, &length);

	assert_non_null(to);
	*machine = (struct sysfs_machine){ 0 };
	assert_int_equal(fileio_read(path, 0, &text, &length), 0);
	packages = strstr(text, "\"packages\": [");
	assert_non_null(packages);
	rest = strstr(packages, "\n  ],");
	assert_non_null(rest);
	fprintf(to, "%.*s\"packages\": [", (int)(packages - text), text);
	for (unsigned int i = 0; i < 64; i++)
		fprintf(to,
			"%s{ \"domains\": [{ \"die\": 0, \"punit\": 0, \"cores\": \"0-63\" }] }",
			i ? "," : "");
	fputs(rest, to);
	assert_int_equal(fclose(to), 0);
	if (platform_file_parse(path, large, length, &machine->platform, &message) < 0)
		fail_msg("%s", message);
	sysfs_machine_start(machine, NULL);
}

static const struct sysfs_step large_steps[] = {
	{ "present", NULL, 0, "0-8191" },
	{ "cpu8191/topology/physical_package_id", NULL, 0, "63" },
	{ "cpu8191/topology/die_id", NULL, 0, "0" },
	{ "cpu8191/topology/thread_siblings_list", NULL, 0, "4095,8191" },
	{ "cpu8191/topology/die_cpus_list", NULL, 0, "4032-4095,8128-8191" },
	{ "cpu8191/topology/package_cpus_list", NULL, 0, "4032-4095,8128-8191" },
	{ "cpu8191/online", "0", 0, "0" },
	{ "online", NULL, 0, "0-8190" },
	{ "cpu4095/topology/thread_siblings_list", NULL, 0, "4095" },
	{ "cpu8190/cpufreq/scaling_max_freq", "1000000", 0, "1000000" },
	{ "intel_uncore_frequency/package_63_die_00/max_freq_khz", NULL, 0, "2400000" },
};

static void test_large_machine(void **test)
{
	struct sysfs_machine machine;
	char *text = NULL;
	size_t length = 0;

	(void)test;
	load_large(&machine);
	sysfs_machine_run(&machine, large_steps, ARRAY_SIZE(large_steps));
	for (unsigned int cpu = 0; cpu < 4000; cpu++) {
		char path[64], siblings[32];
		const struct sysfs_step step = { path, NULL, 0, siblings };

		snprintf(path, sizeof(path), "cpu%u/topology/core_cpus_list", cpu);
		snprintf(siblings, sizeof(siblings), "%u,%u", cpu, cpu + 4096);
		sysfs_machine_run(&machine, &step, 1);
	}
	assert_int_equal(
		machine.files->ops->read(machine.files, "/proc/cpuinfo", 100, &text, &length), 0);
	assert_int_equal(length, 100);
	free(text);
	sysfs_machine_close(&machine);
}

/* Two processes that open the same directory see the same machine. */
static void test_shared(void **test)
{
	static const struct sysfs_step offline[] = { { "cpu7/online", "0", 0, "0" } };
	static const struct sysfs_step seen[] = { { "offline", NULL, 0, "7" } };
	struct sysfs_machine machine, second;
	char *message = NULL;

	(void)test;
	sysfs_machine_open(&machine, "guide");
	second = machine;
	assert_int_equal(
		state_open(machine.platform, machine.directory, false, &second.state, &message), 0);
	assert_int_equal(sysfs_open(second.state, machine.faults, &second.files), 0);
	sysfs_machine_run(&machine, offline, ARRAY_SIZE(offline));
	sysfs_machine_run(&second, seen, ARRAY_SIZE(seen));
	sysfs_close(second.files);
	state_close(second.state);
	sysfs_machine_close(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hotplug),       cmocka_unit_test(test_last_cpu),
		cmocka_unit_test(test_lists),         cmocka_unit_test(test_lists_of_tpmi),
		cmocka_unit_test(test_smt),           cmocka_unit_test(test_list_of_cpus),
		cmocka_unit_test(test_wrong_paths),   cmocka_unit_test(test_faults),
		cmocka_unit_test(test_large_machine), cmocka_unit_test(test_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
