// SPDX-License-Identifier: GPL-2.0-only
/* Control groups: files, directories and the rules of cpuset partitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "sysfs_machine.h"

#define ROOT "/sys/fs/cgroup/"
#define A    ROOT "a/"
#define B    ROOT "b/"
#define D    ROOT "d/"
#define E    ROOT "d/e/"

#define EMPTY         "isolated invalid (cpuset.cpus and cpuset.cpus.exclusive are empty)"
#define NOT_EXCLUSIVE "isolated invalid (Cpu list in cpuset.cpus not exclusive)"
#define NO_CPU_LEFT   "isolated invalid (Parent unable to distribute cpu downstream)"
#define BAD_EXCLUSIVE "isolated invalid (Invalid cpu list in cpuset.cpus.exclusive)"
#define BAD_PARENT    "isolated invalid (Parent is an invalid partition root)"

/* The guide's machine (CPUs 0-55) with cpuset enabled and groups a, b and d/e. */
static void open_groups(struct sysfs_machine *machine)
{
	static const char *const groups[] = { "a", "b", "d", "d/e" };
	static const struct sysfs_step enable = { ROOT "cgroup.subtree_control", " +cpuset", 0,
						  "cpuset cpu memory pids" };
	static const struct sysfs_step enable_below = { D "cgroup.subtree_control", "+cpuset\n", 0,
							"cpuset" };

	sysfs_machine_open(machine, "guide");
	sysfs_machine_run(machine, &enable, 1);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		_cleanup_free_ char *path = NULL;

		assert_true(asprintf(&path, ROOT "%s", groups[i]) > 0);
		assert_int_equal(files_make_directory(machine->files, path), 0);
	}
	sysfs_machine_run(machine, &enable_below, 1);
}

static void run(const struct sysfs_step *steps, size_t count)
{
	struct sysfs_machine machine;

	open_groups(&machine);
	sysfs_machine_run(&machine, steps, count);
	sysfs_machine_close(&machine);
}

/* Puts the test's own process into a group. */
static void attach(struct sysfs_machine *machine, const char *procs, int err)
{
	char pid[16];
	const struct sysfs_step step = { procs, pid, err, NULL };

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	sysfs_machine_run(machine, &step, 1);
}

static void assert_procs(struct sysfs_machine *machine, const char *procs, bool has_us)
{
	_cleanup_free_ char *text = sysfs_machine_read(machine, procs);
	char pid[16] = "";

	if (has_us)
		snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
	assert_string_equal(text, pid);
}

static void test_directories(void **test)
{
	static const struct sysfs_step before[] = {
		{ ROOT "cgroup.subtree_control", NULL, 0, "cpu memory pids" },
		{ A "cgroup.controllers", NULL, 0, "cpu memory pids" },
		{ A "cgroup.subtree_control", NULL, 0, "" },
		{ A "cpuset.cpus", NULL, -ENOENT, NULL },
		{ A "cpuset.cpus", "1", -ENOENT, NULL },
	};
	struct sysfs_machine machine;
	char **names = NULL;

	(void)test;
	sysfs_machine_open(&machine, "guide");
	assert_int_equal(files_make_directory(machine.files, "/sys/fs/cgroup/a"), 0);
	assert_int_equal(files_make_directory(machine.files, "/sys/fs/cgroup/a"), -EEXIST);
	assert_int_equal(files_make_directory(machine.files, "/sys/fs/cgroup/a/b/"), 0);
	assert_int_equal(files_make_directory(machine.files, "/sys/fs/cgroup/x/y"), -ENOENT);
	assert_int_equal(files_make_directory(machine.files, "/sys/fs/cgroup"), -EEXIST);
	assert_int_equal(files_make_directory(machine.files, "/sys/fs/cgroup/.."), -EEXIST);
	assert_int_equal(files_make_directory(machine.files, "/sys/fs/cgroup/../x"), -ENOENT);
	assert_int_equal(files_make_directory(machine.files, "/sys/fs/cgroup/a\nb"), -EINVAL);
	assert_int_equal(files_make_directory(machine.files, "/sys/fs/cgroup/a/cgroup.procs"),
			 -EEXIST);
	assert_int_equal(files_make_directory(machine.files, "/sys/fs/cgroups"), -EPERM);
	sysfs_machine_run(&machine, before, ARRAY_SIZE(before));
	sysfs_machine_assert_list(&machine, "/sys/fs/cgroup",
				  "a cgroup.controllers cgroup.procs cgroup.subtree_control "
				  "cpuset.cpus.effective cpuset.cpus.isolated");
	sysfs_machine_assert_list(&machine, "/sys/fs/cgroup/a",
				  "b cgroup.controllers cgroup.procs cgroup.subtree_control");
	assert_int_equal(files_remove_directory(machine.files, "/sys/fs/cgroup/a"), -EBUSY);
	assert_int_equal(files_remove_directory(machine.files, "/sys/fs/cgroup"), -EBUSY);
	assert_int_equal(files_remove_directory(machine.files, "/sys/fs/cgroup/x"), -ENOENT);
	assert_int_equal(files_remove_directory(machine.files, "/sys/fs/cgroup/cgroup.procs"),
			 -ENOTDIR);
	assert_int_equal(files_remove_directory(machine.files, "/sys/fs/cgroup/a/b"), 0);
	assert_int_equal(files_remove_directory(machine.files, "/sys/fs/cgroup/a"), 0);
	assert_int_equal(files_list(machine.files, "/sys/fs/cgroup/a", &names), -ENOENT);
	sysfs_machine_close(&machine);
}

static const struct sysfs_step control_steps[] = {
	{ ROOT "cgroup.subtree_control", "+cpuset +io", 0, "cpuset cpu io memory pids" },
	{ ROOT "cgroup.subtree_control", "-io", 0, "cpuset cpu memory pids" },
	{ ROOT "cgroup.subtree_control", "cpuset", -EINVAL, NULL },
	{ ROOT "cgroup.subtree_control", "+nonsense", -EINVAL, NULL },
	{ ROOT "cgroup.subtree_control", "+", -EINVAL, NULL },
	{ ROOT "cgroup.subtree_control", "", 0, "cpuset cpu memory pids" },
	{ ROOT "cgroup.controllers", "cpuset", -EINVAL, NULL },
	{ ROOT "cpuset.cpus", NULL, -ENOENT, NULL },
	{ ROOT "cpuset.cpus.partition", NULL, -ENOENT, NULL },
	{ ROOT "nonsense", NULL, -ENOENT, NULL },
	{ ROOT "a", NULL, -EISDIR, NULL },
	{ ROOT "a", "x", -EISDIR, NULL },
	{ ROOT "cpuset.cpus.isolated", "1", -EINVAL, "" },
	{ ROOT "cpuset.cpus.effective", "1", -EINVAL, "0-55" },
	{ A "cgroup.controllers", NULL, 0, "cpuset cpu memory pids" },
	{ A "cgroup.subtree_control", "+io", -ENOENT, "" },
	{ A "cgroup.subtree_control", "+memory", 0, "memory" },
	{ A "cpuset.cpus.isolated", NULL, -ENOENT, NULL },
	/* what a child uses cannot be taken away */
	{ ROOT "cgroup.subtree_control", "-memory", -EBUSY, NULL },
	{ ROOT "cgroup.subtree_control", "-cpuset", -EBUSY, "cpuset cpu memory pids" },
	/* settings go with the controller */
	{ A "cpuset.cpus", "2-3", 0, "2-3" },
	{ A "cpuset.cpus.partition", "isolated", 0, "isolated" },
	{ D "cgroup.subtree_control", "-cpuset", 0, "" },
	{ ROOT "cgroup.subtree_control", "-cpuset", 0, "cpu memory pids" },
	{ A "cpuset.cpus", NULL, -ENOENT, NULL },
	{ ROOT "cpuset.cpus.effective", NULL, 0, "0-55" },
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
	{ A "cpuset.cpus.effective", NULL, 0, "0-55" },
	{ A "cpuset.cpus", "2-3,5\n", 0, "2-3,5" },
	{ A "cpuset.cpus.effective", NULL, 0, "2-3,5" },
	{ A "cpuset.cpus", "56", -ERANGE, "2-3,5" },
	{ A "cpuset.cpus", "1,56", -ERANGE, "2-3,5" },
	{ A "cpuset.cpus", "0-99999999", -ERANGE, "2-3,5" },
	{ A "cpuset.cpus", "abc", -EINVAL, "2-3,5" },
	{ A "cpuset.cpus", "3-2", -EINVAL, "2-3,5" },
	{ A "cpuset.cpus", "1-", -EINVAL, "2-3,5" },
	{ A "cpuset.cpus", "", 0, "2-3,5" },
	{ A "cpuset.cpus", " 7 \n", 0, "7" },
	{ A "cpuset.cpus", "\n", 0, "" },
	{ A "cpuset.cpus.effective", "1", -EINVAL, "0-55" },
	/* a group without CPUs online has its parent's */
	{ D "cpuset.cpus", "10-13", 0, "10-13" },
	{ E "cpuset.cpus", "12-15", 0, "12-15" },
	{ E "cpuset.cpus.effective", NULL, 0, "12-13" },
	{ "cpu12/online", "0", 0, "0" },
	{ "cpu13/online", "0", 0, "0" },
	{ D "cpuset.cpus.effective", NULL, 0, "10-11" },
	{ E "cpuset.cpus.effective", NULL, 0, "10-11" },
	{ ROOT "cpuset.cpus.effective", NULL, 0, "0-11,14-55" },
	{ E "cpuset.cpus", NULL, 0, "12-15" },
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
	/* it holds by itself once there are CPUs */
	{ A "cpuset.cpus", "2-3", 0, "2-3" },
	{ A "cpuset.cpus.partition", NULL, 0, "isolated" },
	{ A "cpuset.cpus.effective", NULL, 0, "2-3" },
	{ A "cpuset.cpus.exclusive.effective", NULL, 0, "2-3" },
	{ ROOT "cpuset.cpus.effective", NULL, 0, "0-1,4-55" },
	{ ROOT "cpuset.cpus.isolated", NULL, 0, "2-3" },
	{ "isolated", NULL, 0, "" },
	/* clearing and restoring */
	{ A "cpuset.cpus", "\n", 0, "" },
	{ A "cpuset.cpus.partition", NULL, 0, EMPTY },
	{ ROOT "cpuset.cpus.isolated", NULL, 0, "" },
	{ A "cpuset.cpus", "2-4", 0, "2-4" },
	{ A "cpuset.cpus.partition", NULL, 0, "isolated" },
	/* growing to all breaks it, shrinking does not mend it, rewriting does */
	{ A "cpuset.cpus", "0-55", 0, "0-55" },
	{ A "cpuset.cpus.partition", NULL, 0, NO_CPU_LEFT },
	{ ROOT "cpuset.cpus.effective", NULL, 0, "0-55" },
	{ A "cpuset.cpus", "2-3", 0, "2-3" },
	{ A "cpuset.cpus.partition", NULL, 0, NO_CPU_LEFT },
	{ A "cpuset.cpus.partition", " isolated \n", 0, "isolated" },
	{ A "cpuset.cpus.partition", "root", 0, "root" },
	{ ROOT "cpuset.cpus.isolated", NULL, 0, "" },
	{ ROOT "cpuset.cpus.effective", NULL, 0, "0-1,4-55" },
	{ A "cpuset.cpus.partition", "member", 0, "member" },
	{ ROOT "cpuset.cpus.effective", NULL, 0, "0-55" },
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
	{ ROOT "cpuset.cpus.isolated", NULL, 0, "2-7" },
	{ ROOT "cpuset.cpus.effective", NULL, 0, "0-1,8-55" },
	/* one that grows into the other's CPUs breaks both */
	{ B "cpuset.cpus", "5-7", 0, "5-7" },
	{ A "cpuset.cpus.partition", NULL, 0, NOT_EXCLUSIVE },
	{ B "cpuset.cpus.partition", NULL, 0, NOT_EXCLUSIVE },
	{ ROOT "cpuset.cpus.isolated", NULL, 0, "" },
	/* exclusive CPUs belong to one sibling */
	{ B "cpuset.cpus", "\n", 0, "" },
	{ B "cpuset.cpus.partition", "member", 0, "member" },
	{ A "cpuset.cpus.exclusive", "2-3", 0, "2-3" },
	{ B "cpuset.cpus.exclusive", "3-4", -EINVAL, "" },
	{ B "cpuset.cpus.exclusive", "2-5", -EINVAL, "" },
	{ B "cpuset.cpus.exclusive", "56", -ERANGE, "" },
	{ B "cpuset.cpus.exclusive", "x", -EINVAL, "" },
	{ B "cpuset.cpus.exclusive", "8-9", 0, "8-9" },
	{ A "cpuset.cpus.exclusive", "\n", 0, "" },
	{ B "cpuset.cpus.exclusive", "2-5", -EINVAL, "8-9" },
	/* both together may not leave the root without */
	{ A "cpuset.cpus.partition", "member", 0, "member" },
	{ B "cpuset.cpus.exclusive", "\n", 0, "" },
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

static const struct sysfs_step remote_steps[] = {
	{ E "cpuset.cpus", "2-3", 0, "2-3" },
	{ E "cpuset.cpus.partition", "isolated", 0, BAD_EXCLUSIVE },
	{ E "cpuset.cpus.exclusive", "2-3", 0, "2-3" },
	{ E "cpuset.cpus.partition", "isolated", 0, BAD_EXCLUSIVE },
	{ D "cpuset.cpus.exclusive", "2-5", 0, "2-5" },
	{ E "cpuset.cpus.partition", "isolated", 0, "isolated" },
	{ ROOT "cpuset.cpus.isolated", NULL, 0, "2-3" },
	{ ROOT "cpuset.cpus.effective", NULL, 0, "0-1,4-55" },
	{ E "cpuset.cpus.effective", NULL, 0, "2-3" },
	{ D "cpuset.cpus.effective", NULL, 0, "0-1,4-55" },
	/* an ancestor that gives them up takes them away */
	{ D "cpuset.cpus.exclusive", "6-7", 0, "6-7" },
	{ E "cpuset.cpus.partition", NULL, 0, BAD_PARENT },
	{ ROOT "cpuset.cpus.isolated", NULL, 0, "" },
	/* all CPUs cannot go that way either */
	{ D "cpuset.cpus.exclusive", "0-55", 0, "0-55" },
	{ E "cpuset.cpus.exclusive", "0-55", 0, "0-55" },
	{ E "cpuset.cpus.partition", "isolated", 0, BAD_EXCLUSIVE },
};

static void test_remote(void **test)
{
	(void)test;
	run(remote_steps, ARRAY_SIZE(remote_steps));
}

static const struct sysfs_step nested_steps[] = {
	{ D "cpuset.cpus", "2-5", 0, "2-5" },
	{ D "cpuset.cpus.partition", "root", 0, "root" },
	{ E "cpuset.cpus", "4-7", 0, "4-7" },
	{ E "cpuset.cpus.partition", "isolated", 0, "isolated" },
	{ E "cpuset.cpus.effective", NULL, 0, "4-5" },
	{ D "cpuset.cpus.effective", NULL, 0, "2-3" },
	{ ROOT "cpuset.cpus.effective", NULL, 0, "0-1,6-55" },
	{ ROOT "cpuset.cpus.isolated", NULL, 0, "4-5" },
	/* a parent without processes may give all */
	{ E "cpuset.cpus", "2-5", 0, "2-5" },
	{ E "cpuset.cpus.partition", NULL, 0, "isolated" },
	{ D "cpuset.cpus.effective", NULL, 0, "" },
	{ D "cgroup.procs", "0", -ENOSPC, NULL },
	/* without its parent it does not hold, and with it again it does */
	{ D "cpuset.cpus.partition", "member", 0, "member" },
	{ E "cpuset.cpus.partition", NULL, 0, BAD_PARENT },
	{ E "cpuset.cpus.effective", NULL, 0, "2-5" },
	{ ROOT "cpuset.cpus.effective", NULL, 0, "0-55" },
	{ D "cpuset.cpus.partition", "isolated", 0, "isolated" },
	{ E "cpuset.cpus.partition", NULL, 0, "isolated" },
	{ ROOT "cpuset.cpus.isolated", NULL, 0, "2-5" },
	/* none of its CPUs are its parent's */
	{ E "cpuset.cpus", "8", 0, "8" },
	{ E "cpuset.cpus.partition", NULL, 0, BAD_EXCLUSIVE },
};

static void test_nested(void **test)
{
	(void)test;
	run(nested_steps, ARRAY_SIZE(nested_steps));
}

static const struct sysfs_step isolate_steps[] = {
	{ A "cpuset.cpus", "2-3", 0, "2-3" },
	{ A "cpuset.cpus.partition", "isolated", 0, "isolated" },
};

static const struct sysfs_step partly_offline_steps[] = {
	{ "cpu2/online", "0", 0, "0" },
	{ A "cpuset.cpus.partition", NULL, 0, "isolated" },
	{ A "cpuset.cpus.effective", NULL, 0, "3" },
	{ ROOT "cpuset.cpus.isolated", NULL, 0, "2-3" },
	{ "cpu3/online", "0", 0, "0" },
	{ ROOT "cpuset.cpus.effective", NULL, 0, "0-1,4-55" },
};

static const struct sysfs_step empty_steps[] = {
	{ A "cpuset.cpus.partition", NULL, 0, "isolated" },
	{ A "cpuset.cpus.effective", NULL, 0, "" },
};

static const struct sysfs_step full_steps[] = {
	{ A "cpuset.cpus.partition", NULL, 0, "isolated invalid" },
	{ A "cpuset.cpus.effective", NULL, 0, "0-1,4-55" },
};

static const struct sysfs_step recovered_steps[] = {
	{ "cpu2/online", "1", 0, "1" },
	{ "cpu3/online", "1", 0, "1" },
	{ A "cpuset.cpus.partition", NULL, 0, "isolated" },
	{ A "cpuset.cpus.effective", NULL, 0, "2-3" },
};

static void test_hotplug(void **test)
{
	struct sysfs_machine machine;

	(void)test;
	open_groups(&machine);
	sysfs_machine_run(&machine, isolate_steps, ARRAY_SIZE(isolate_steps));
	sysfs_machine_run(&machine, partly_offline_steps, ARRAY_SIZE(partly_offline_steps));
	sysfs_machine_run(&machine, empty_steps, ARRAY_SIZE(empty_steps));
	attach(&machine, A "cgroup.procs", -ENOSPC);
	sysfs_machine_run(&machine, recovered_steps, ARRAY_SIZE(recovered_steps));
	attach(&machine, A "cgroup.procs", 0);
	sysfs_machine_run(&machine, partly_offline_steps, ARRAY_SIZE(partly_offline_steps));
	sysfs_machine_run(&machine, full_steps, ARRAY_SIZE(full_steps));
	sysfs_machine_run(&machine, recovered_steps, ARRAY_SIZE(recovered_steps));
	sysfs_machine_close(&machine);
}

/* A process that has ended: the number of a child that was waited for. */
static void write_ended_pid(char *text, size_t size)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	assert_true(child > 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	snprintf(text, size, "%d", (int)child);
}

static void test_processes(void **test)
{
	char ended[16];
	const struct sysfs_step steps[] = {
		{ A "cgroup.procs", "x", -EINVAL, NULL }, { A "cgroup.procs", "-1", -EINVAL, NULL },
		{ A "cgroup.procs", " ", -EINVAL, NULL }, { A "cgroup.procs", ended, -ESRCH, NULL },
		{ A "cgroup.procs", "", 0, NULL },
	};
	struct sysfs_machine machine;

	(void)test;
	write_ended_pid(ended, sizeof(ended));
	open_groups(&machine);
	sysfs_machine_run(&machine, steps, ARRAY_SIZE(steps));
	assert_procs(&machine, A "cgroup.procs", false);
	attach(&machine, A "cgroup.procs", 0);
	attach(&machine, A "cgroup.procs", 0);
	assert_procs(&machine, A "cgroup.procs", true);
	attach(&machine, E "cgroup.procs", 0);
	assert_procs(&machine, A "cgroup.procs", false);
	assert_procs(&machine, E "cgroup.procs", true);
	assert_int_equal(files_remove_directory(machine.files, ROOT "a"), 0);
	assert_int_equal(files_remove_directory(machine.files, ROOT "d/e"), -EBUSY);
	attach(&machine, ROOT "cgroup.procs", 0);
	assert_procs(&machine, E "cgroup.procs", false);
	assert_int_equal(files_remove_directory(machine.files, ROOT "d/e"), 0);
	sysfs_machine_close(&machine);
}

/* A process that ends is in no group any more. */
static void test_ended_process(void **test)
{
	struct sysfs_machine machine;
	char pid[16];
	const struct sysfs_step step = { A "cgroup.procs", pid, 0, pid };
	pid_t child;

	(void)test;
	open_groups(&machine);
	child = fork();
	if (child == 0) {
		alarm(20); /* it ends too where the test fails before it is told to */
		pause();
		_exit(0);
	}
	assert_true(child > 0);
	snprintf(pid, sizeof(pid), "%d", (int)child);
	sysfs_machine_run(&machine, &step, 1);
	assert_int_equal(files_remove_directory(machine.files, ROOT "a"), -EBUSY);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_procs(&machine, A "cgroup.procs", false);
	assert_int_equal(files_remove_directory(machine.files, ROOT "a"), 0);
	sysfs_machine_close(&machine);
}

/* rmdir of a partition gives its CPUs back. */
static void test_removed_partition(void **test)
{
	static const struct sysfs_step after[] = {
		{ ROOT "cpuset.cpus.isolated", NULL, 0, "" },
		{ ROOT "cpuset.cpus.effective", NULL, 0, "0-55" },
	};
	static const struct sysfs_step anew[] = {
		{ A "cpuset.cpus", NULL, 0, "" },
		{ A "cpuset.cpus.partition", NULL, 0, "member" },
	};
	struct sysfs_machine machine;

	(void)test;
	open_groups(&machine);
	sysfs_machine_run(&machine, isolate_steps, ARRAY_SIZE(isolate_steps));
	assert_int_equal(files_remove_directory(machine.files, ROOT "a"), 0);
	sysfs_machine_run(&machine, after, ARRAY_SIZE(after));
	assert_int_equal(files_make_directory(machine.files, ROOT "a"), 0);
	sysfs_machine_run(&machine, anew, ARRAY_SIZE(anew));
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
		cmocka_unit_test(test_remote),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_hotplug),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_ended_process),
		cmocka_unit_test(test_removed_partition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
