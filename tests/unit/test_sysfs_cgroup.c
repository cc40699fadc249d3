// SPDX-License-Identifier: GPL-2.0-only
/* Control groups: files, directories, and when a partition is valid. */
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

#define ROOT "/sys/fs/cgroup/"
#define A    ROOT "a/"
#define B    ROOT "b/"

#define EMPTY         "isolated invalid (cpuset.cpus and cpuset.cpus.exclusive are empty)"
#define NOT_EXCLUSIVE "isolated invalid (Cpu list in cpuset.cpus not exclusive)"
#define NO_CPU_LEFT   "isolated invalid (Parent unable to distribute cpu downstream)"

/* The guide's machine (CPUs 0-55) with cpuset enabled and groups a and b. */
static void open_groups(struct sysfs_machine *machine)
{
	static const struct sysfs_step enable = { ROOT "cgroup.subtree_control", "+cpuset", 0,
						  "cpuset cpu memory pids" };

	sysfs_machine_open(machine, "guide");
	sysfs_machine_run(machine, &enable, 1);
	assert_int_equal(files_change_directory(machine->files, ROOT "a", true), 0);
	assert_int_equal(files_change_directory(machine->files, ROOT "b", true), 0);
}

static void run(const struct sysfs_step *steps, size_t count)
{
	struct sysfs_machine machine;

	open_groups(&machine);
	sysfs_machine_run(&machine, steps, count);
	sysfs_machine_close(&machine);
}

static void test_directories(void **test)
{
	static const struct sysfs_step before[] = {
		{ ROOT "cgroup.subtree_control", NULL, 0, "cpu memory pids" },
		{ A "cpuset.cpus", NULL, -ENOENT, NULL },
		{ A "cpuset.cpus", "1", -ENOENT, NULL },
	};
	struct sysfs_machine machine;
	char **names = NULL;

	(void)test;
	sysfs_machine_open(&machine, "guide");
	sysfs_machine_assert_list(&machine, "/sys/fs/cgroup",
				  "cgroup.controllers cgroup.subtree_control "
				  "cpuset.cpus.isolated");
	assert_int_equal(files_change_directory(machine.files, "/sys/fs/cgroup/a", true), 0);
	assert_int_equal(files_change_directory(machine.files, "/sys/fs/cgroup/a", true), -EEXIST);
	assert_int_equal(files_change_directory(machine.files, "/sys/fs/cgroup/x/y", true),
			 -ENOENT);
	assert_int_equal(files_change_directory(machine.files, "/sys/fs/cgroup", true), -EEXIST);
	assert_int_equal(files_change_directory(machine.files, "/sys/fs/cgroup/..", true), -EEXIST);
	assert_int_equal(files_change_directory(machine.files, "/sys/fs/cgroup/../x", true),
			 -ENOENT);
	assert_int_equal(files_change_directory(machine.files, "/sys/fs/cgroup/b\nc", true),
			 -EINVAL);
	assert_int_equal(files_change_directory(machine.files,
						"/sys/fs/cgroup/cgroup.subtree_control", true),
			 -EEXIST);
	assert_int_equal(files_change_directory(machine.files, "/sys/fs/cgroups", true), -ENOENT);
	sysfs_machine_run(&machine, before, ARRAY_SIZE(before));
	sysfs_machine_assert_list(&machine, "/sys/fs/cgroup",
				  "a cgroup.controllers cgroup.subtree_control "
				  "cpuset.cpus.isolated");
	sysfs_machine_assert_list(&machine, "/sys/fs/cgroup/a", "");
	assert_int_equal(files_change_directory(machine.files, "/sys/fs/cgroup/x", false), -ENOENT);
	assert_int_equal(files_change_directory(machine.files, "/sys/fs/cgroup/cgroup.controllers",
						false),
			 -ENOTDIR);
	assert_int_equal(files_change_directory(machine.files, "/sys/fs/cgroup/..", false),
			 -ENOENT);
	assert_int_equal(files_change_directory(machine.files, "/sys/fs/cgroup/a", false), 0);
	assert_int_equal(files_list(machine.files, "/sys/fs/cgroup/a", &names), -ENOENT);
	sysfs_machine_close(&machine);
}

static const struct sysfs_step control_steps[] = {
	{ ROOT "cgroup.subtree_control", "cpuset", -EINVAL, NULL },
	{ ROOT "cgroup.subtree_control", "+nonsense", -EINVAL, NULL },
	{ ROOT "cgroup.subtree_control", "+", -EINVAL, NULL },
	{ ROOT "cgroup.subtree_control", "", 0, "cpuset cpu memory pids" },
	{ ROOT "cgroup.controllers", NULL, 0, "cpuset cpu io memory hugetlb pids rdma misc" },
	{ ROOT "cpuset.cpus", NULL, -ENOENT, NULL },
	{ ROOT "cpuset.cpus.partition", NULL, -ENOENT, NULL },
	{ ROOT "nonsense", NULL, -ENOENT, NULL },
	{ ROOT "a", NULL, -EISDIR, NULL },
	{ ROOT "a", "x", -EISDIR, NULL },
	{ ROOT "cgroup.subtree_control", "-cpuset", 0, "cpu memory pids" },
	{ A "cpuset.cpus", NULL, -ENOENT, NULL },
	{ A "cpuset.cpus.partition", "isolated", -ENOENT, NULL },
	{ ROOT "cgroup.subtree_control", "+cpuset", 0, "cpuset cpu memory pids" },
	{ A "cpuset.cpus", NULL, 0, "" },
	{ A "cpuset.cpus.partition", NULL, 0, "member" },
};

static void test_control(void **test)
{
	(void)test;
	run(control_steps, ARRAY_SIZE(control_steps));
}

static const struct sysfs_step cpus_steps[] = {
	{ A "cpuset.cpus", NULL, 0, "" },
	{ A "cpuset.cpus", "2-3,5", 0, "2-3,5" },
	{ A "cpuset.cpus", "56", -ERANGE, "2-3,5" },
	{ A "cpuset.cpus", "1,56", -ERANGE, "2-3,5" },
	{ A "cpuset.cpus", "0-99999999", -ERANGE, "2-3,5" },
	{ A "cpuset.cpus", "abc", -EINVAL, "2-3,5" },
	{ A "cpuset.cpus", "3-2", -EINVAL, "2-3,5" },
	{ A "cpuset.cpus", "1-", -EINVAL, "2-3,5" },
	{ A "cpuset.cpus", "", 0, "2-3,5" },
	{ A "cpuset.cpus", "7", 0, "7" },
	{ A "cpuset.cpus", "\n", 0, "" },
};

static void test_cpus(void **test)
{
	(void)test;
	run(cpus_steps, ARRAY_SIZE(cpus_steps));
}

static const struct sysfs_step partition_steps[] = {
	{ A "cpuset.cpus.partition", NULL, 0, "member" },
	{ A "cpuset.cpus.partition", "Isolated", -EINVAL, "member" },
	{ A "cpuset.cpus.partition", "invalid", -EINVAL, "member" },
	{ A "cpuset.cpus.partition", "", 0, "member" },
	{ A "cpuset.cpus.partition", "isolated", 0, EMPTY },
	/* it becomes valid by itself when it gets CPUs */
	{ A "cpuset.cpus", "2-3", 0, "2-3" },
	{ A "cpuset.cpus.partition", NULL, 0, "isolated" },
	{ "isolated", NULL, 0, "" },
	{ ROOT "cpuset.cpus.isolated", NULL, 0, "2-3" },
	{ ROOT "cpuset.cpus.isolated", "2", -EACCES, NULL },
	/* clearing and restoring */
	{ A "cpuset.cpus", "\n", 0, "" },
	{ A "cpuset.cpus.partition", NULL, 0, EMPTY },
	{ A "cpuset.cpus", "2-4", 0, "2-4" },
	{ A "cpuset.cpus.partition", NULL, 0, "isolated" },
	/* growing to all CPUs makes it invalid, shrinking does not repair it, writing it does */
	{ A "cpuset.cpus", "0-55", 0, "0-55" },
	{ A "cpuset.cpus.partition", NULL, 0, NO_CPU_LEFT },
	{ A "cpuset.cpus", "2-3", 0, "2-3" },
	{ A "cpuset.cpus.partition", NULL, 0, NO_CPU_LEFT },
	{ A "cpuset.cpus.partition", "isolated", 0, "isolated" },
	{ A "cpuset.cpus.partition", "root", 0, "root" },
	{ ROOT "cpuset.cpus.isolated", NULL, 0, "" },
	{ A "cpuset.cpus.partition", "member", 0, "member" },
	/* all CPUs from the start */
	{ A "cpuset.cpus", "0-55", 0, "0-55" },
	{ A "cpuset.cpus.partition", "root", 0,
	  "root invalid (Parent unable to distribute cpu downstream)" },
};

static void test_partition(void **test)
{
	(void)test;
	run(partition_steps, ARRAY_SIZE(partition_steps));
}

static const struct sysfs_step sibling_steps[] = {
	{ A "cpuset.cpus", "2-5", 0, "2-5" },
	{ B "cpuset.cpus", "5-6", 0, "5-6" },
	{ A "cpuset.cpus.partition", "isolated", 0, NOT_EXCLUSIVE },
	{ B "cpuset.cpus", "6-7", 0, "6-7" },
	{ A "cpuset.cpus.partition", NULL, 0, NOT_EXCLUSIVE },
	{ A "cpuset.cpus.partition", "isolated", 0, "isolated" },
	{ B "cpuset.cpus.partition", "isolated", 0, "isolated" },
	/* one that grows into the other's CPUs becomes invalid */
	{ B "cpuset.cpus", "5-7", 0, "5-7" },
	{ B "cpuset.cpus.partition", NULL, 0, NOT_EXCLUSIVE },
	/* both together must leave a CPU to the root */
	{ B "cpuset.cpus", "\n", 0, "" },
	{ B "cpuset.cpus.partition", "member", 0, "member" },
	{ A "cpuset.cpus.partition", "member", 0, "member" },
	{ A "cpuset.cpus", "0-27", 0, "0-27" },
	{ B "cpuset.cpus", "28-55", 0, "28-55" },
	{ A "cpuset.cpus.partition", "isolated", 0, "isolated" },
	{ B "cpuset.cpus.partition", "isolated", 0, NO_CPU_LEFT },
	{ A "cpuset.cpus.partition", NULL, 0, "isolated" },
};

static void test_siblings(void **test)
{
	(void)test;
	run(sibling_steps, ARRAY_SIZE(sibling_steps));
}

/* A partition without processes stays valid while its CPUs are offline. */
static const struct sysfs_step hotplug_steps[] = {
	{ A "cpuset.cpus", "2-3", 0, "2-3" },
	{ A "cpuset.cpus.partition", "isolated", 0, "isolated" },
	{ "cpu2/online", "0", 0, "0" },
	{ A "cpuset.cpus.partition", NULL, 0, "isolated" },
	{ "cpu3/online", "0", 0, "0" },
	{ A "cpuset.cpus.partition", NULL, 0, "isolated" },
	{ "cpu2/online", "1", 0, "1" },
	{ A "cpuset.cpus.partition", NULL, 0, "isolated" },
	{ A "cpuset.cpus", NULL, 0, "2-3" },
};

static void test_hotplug(void **test)
{
	(void)test;
	run(hotplug_steps, ARRAY_SIZE(hotplug_steps));
}

/* rmdir of a partition gives its CPUs back. */
static void test_removed_partition(void **test)
{
	static const struct sysfs_step isolate[] = {
		{ A "cpuset.cpus", "2-3", 0, "2-3" },
		{ A "cpuset.cpus.partition", "isolated", 0, "isolated" },
	};
	static const struct sysfs_step remade[] = {
		{ A "cpuset.cpus", NULL, 0, "" },
		{ A "cpuset.cpus.partition", NULL, 0, "member" },
	};
	struct sysfs_machine machine;

	(void)test;
	open_groups(&machine);
	sysfs_machine_run(&machine, isolate, ARRAY_SIZE(isolate));
	assert_int_equal(files_change_directory(machine.files, ROOT "a", false), 0);
	assert_int_equal(files_change_directory(machine.files, ROOT "a", true), 0);
	sysfs_machine_run(&machine, remade, ARRAY_SIZE(remade));
	sysfs_machine_close(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_directories),
		cmocka_unit_test(test_control),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_partition),
		cmocka_unit_test(test_siblings),
		cmocka_unit_test(test_hotplug),
		cmocka_unit_test(test_removed_partition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
