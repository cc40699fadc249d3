// SPDX-License-Identifier: GPL-2.0-only
/* Isolating CPUs in a control group as a plan, and giving them back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "fake_files.h"
#include "planned.h"
#include "base/cleanup.h"
#include "base/cpuset.h"
#include "settings/cgroup.h"

#define ROOT      "/sys/fs/cgroup"
#define CONTROL   ROOT "/cgroup.subtree_control"
#define GROUP     ROOT "/1-0-3"
#define CPUS      GROUP "/cpuset.cpus"
#define PARTITION GROUP "/cpuset.cpus.partition"
#define NONE      FILE_ANY
#define TEXT      FILE_TEXT

#define ENABLE                                                                  \
	{                                                                       \
		PLANNED_FILE, CONTROL, "+cpuset", "cpu memory pids", NONE, NULL \
	}
#define MAKE(path)                                         \
	{                                                  \
		PLANNED_MAKE, path, NULL, NULL, NONE, NULL \
	}
#define REMOVE(path)                                         \
	{                                                    \
		PLANNED_REMOVE, path, NULL, NULL, NONE, NULL \
	}

static const struct location owner = { .package = 1, .power_domain = 3 };

static int isolate_for(struct planned *planned, const struct location *whose, const char *list)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };

	assert_int_equal(cpulist_parse(list, &cpus), 0);
	return cgroup_plan_isolate(&planned->plan, &planned->machine, whose, &cpus);
}

static void isolate(struct planned *planned, const char *list)
{
	assert_int_equal(isolate_for(planned, &owner, list), 0);
}

static void release(struct planned *planned)
{
	assert_int_equal(cgroup_plan_release(&planned->plan, &planned->machine, &owner), 0);
}

static void assert_group(struct planned *planned, const char *cpus, const char *partition)
{
	const struct sysfs_step steps[] = {
		{ CPUS, NULL, 0, cpus },
		{ PARTITION, NULL, 0, partition },
	};

	sysfs_machine_run(&planned->simulated, steps, ARRAY_SIZE(steps));
}

static void assert_no_group(struct planned *planned)
{
	char **names = NULL;

	assert_int_equal(files_list(planned->host.files, GROUP, &names), -ENOENT);
}

/* A machine whose group has these CPUs, done. */
static void open_isolated(struct planned *planned, const char *list)
{
	planned_open(planned, "guide", NULL);
	isolate(planned, list);
	planned_run(planned, 0, NULL);
	planned_renew(planned);
	assert_group(planned, list, "isolated");
}

static void test_isolate(void **test)
{
	static const struct planned_step steps[] = {
		ENABLE,
		MAKE(GROUP),
		{ PLANNED_FILE, CPUS, "14-20,42", "", TEXT, NULL },
		{ PLANNED_FILE, PARTITION, "isolated", "member", TEXT, NULL },
	};
	static const struct sysfs_step after[] = {
		{ CONTROL, NULL, 0, "cpuset cpu memory pids" },
	};
	struct planned planned;

	(void)test;
	planned_open(&planned, "guide", NULL);
	isolate(&planned, "14-20,42");
	planned_assert(&planned, steps, ARRAY_SIZE(steps));
	planned_run(&planned, 0, NULL);
	assert_group(&planned, "14-20,42", "isolated");
	sysfs_machine_run(&planned.simulated, after, ARRAY_SIZE(after));
	/* and nothing is left to do */
	planned_renew(&planned);
	isolate(&planned, "14-20,42");
	planned_assert(&planned, NULL, 0);
	planned_close(&planned);
}

/* The controller is switched on once for all groups of a plan; each has a location of its own. */
static void test_two_groups(void **test)
{
	static const struct location zero = { 0 };
	static const struct planned_step steps[] = {
		ENABLE,
		MAKE(ROOT "/0-0-0"),
		{ PLANNED_FILE, ROOT "/0-0-0/cpuset.cpus", "0", "", TEXT, NULL },
		{ PLANNED_FILE, ROOT "/0-0-0/cpuset.cpus.partition", "isolated", "member", TEXT,
		  NULL },
		MAKE(GROUP),
		{ PLANNED_FILE, CPUS, "14", "", TEXT, NULL },
		{ PLANNED_FILE, PARTITION, "isolated", "member", TEXT, NULL },
	};
	const struct change *found;
	struct planned planned;

	(void)test;
	planned_open(&planned, "guide", NULL);
	assert_int_equal(isolate_for(&planned, &zero, "0"), 0);
	isolate(&planned, "14");
	planned_assert(&planned, steps, ARRAY_SIZE(steps));
	found = planned.plan.changes;
	assert_int_equal(found[0].location.package, LOCATION_NO_PACKAGE);
	assert_int_equal(found[1].location.package, 0);
	assert_int_equal(found[4].location.package, 1);
	assert_int_equal(found[4].location.cpu, LOCATION_NO_CPU);
	planned_run(&planned, 0, NULL);
	planned_close(&planned);
}

/* Other CPUs: no partition in between, so that the kernel finds no fault with the change. */
static void test_change(void **test)
{
	static const struct planned_step steps[] = {
		{ PLANNED_FILE, PARTITION, "member", "isolated", TEXT, NULL },
		{ PLANNED_FILE, CPUS, "16-18", "14-15", TEXT, NULL },
		{ PLANNED_FILE, PARTITION, "isolated", "member", TEXT, NULL },
	};
	struct planned planned;

	(void)test;
	open_isolated(&planned, "14-15");
	isolate(&planned, "16-18");
	planned_assert(&planned, steps, ARRAY_SIZE(steps));
	planned_run(&planned, 0, NULL);
	assert_group(&planned, "16-18", "isolated");
	planned_close(&planned);
}

/* A partition that became invalid, and one that isolates too few CPUs. */
static void test_invalid_partition_is_set_again(void **test)
{
	static const struct {
		struct sysfs_step before[2];
		struct planned_step step;
		const char *undone; /* the word alone: the kernel takes no reason */
	} vectors[] = {
		{ { { CPUS, "0-55", 0, NULL }, { CPUS, "14-15", 0, "14-15" } },
		  { PLANNED_FILE, PARTITION, "isolated",
		    "isolated invalid (Parent unable to distribute cpu downstream)", TEXT, NULL },
		  "isolated" },
		{ { { PARTITION, "root", 0, "root" }, { CPUS, NULL, 0, "14-15" } },
		  { PLANNED_FILE, PARTITION, "isolated", "root", TEXT, NULL },
		  "root" },
		{ { { PARTITION, "member", 0, "member" }, { CPUS, NULL, 0, "14-15" } },
		  { PLANNED_FILE, PARTITION, "isolated", "member", TEXT, NULL },
		  "member" },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct change *step;
		struct planned planned;

		open_isolated(&planned, "14-15");
		sysfs_machine_run(&planned.simulated, vectors[i].before, 2);
		isolate(&planned, "14-15");
		planned_assert(&planned, &vectors[i].step, 1);
		step = planned.plan.changes;
		assert_string_equal(step->fallback_text, "root");
		assert_int_equal(step->n_undo, 1);
		assert_string_equal(step->undo[0].value.text, vectors[i].undone);
		planned_run(&planned, 0, NULL);
		assert_group(&planned, "14-15", "isolated");
		planned_close(&planned);
	}
}

static void test_release(void **test)
{
	static const struct planned_step steps[] = {
		{ PLANNED_FILE, PARTITION, "member", "isolated", TEXT, NULL },
		{ PLANNED_FILE, CPUS, "\n", "14-15", TEXT, NULL },
		REMOVE(GROUP),
	};
	struct planned planned;

	(void)test;
	planned_open(&planned, "guide", NULL);
	release(&planned);
	isolate(&planned, "");
	planned_assert(&planned, NULL, 0);
	planned_close(&planned);

	open_isolated(&planned, "14-15");
	release(&planned);
	planned_assert(&planned, steps, ARRAY_SIZE(steps));
	planned_run(&planned, 0, NULL);
	assert_no_group(&planned);
	planned_close(&planned);
}

/* No CPUs to isolate: the group goes, too. One without the controller has only its directory. */
static void test_release_other_groups(void **test)
{
	static const struct planned_step emptied[] = {
		{ PLANNED_FILE, PARTITION, "member", "isolated", TEXT, NULL },
		{ PLANNED_FILE, CPUS, "\n", "14", TEXT, NULL },
		REMOVE(GROUP),
	};
	static const struct planned_step bare[] = { REMOVE(GROUP) };
	static const struct sysfs_step disable = { CONTROL, "-cpuset", 0, "cpu memory pids" };
	struct planned planned;

	(void)test;
	open_isolated(&planned, "14");
	isolate(&planned, "");
	planned_assert(&planned, emptied, ARRAY_SIZE(emptied));
	planned_close(&planned);

	open_isolated(&planned, "14");
	sysfs_machine_run(&planned.simulated, &disable, 1);
	release(&planned);
	planned_assert(&planned, bare, ARRAY_SIZE(bare));
	planned_run(&planned, 0, NULL);
	assert_no_group(&planned);
	planned_close(&planned);
}

/* A group with processes in it cannot be removed: its CPUs are free all the same. */
static void test_release_with_process(void **test)
{
	struct planned planned;

	(void)test;
	planned_open(&planned, "guide",
		     "{\"orders\": [{\"at\": \"write\", \"path\": \"" GROUP
		     "\", \"error\": \"EBUSY\", \"skip\": 1}]}");
	isolate(&planned, "14-15");
	planned_run(&planned, 0, NULL);
	planned_renew(&planned);
	release(&planned);
	planned_run(&planned, 0, NULL);
	assert_group(&planned, "", "member");
	planned_close(&planned);
}

/* Every CPU of the machine: the kernel accepts the text and shows why the partition is invalid. */
static void test_invalid(void **test)
{
	struct planned planned;
	static const struct sysfs_step control = { CONTROL, NULL, 0, "cpu memory pids" };

	(void)test;
	planned_open(&planned, "guide", NULL);
	isolate(&planned, "0-55");
	planned_run(&planned, -EIO, "Parent unable to distribute cpu downstream");
	assert_no_group(&planned);
	sysfs_machine_run(&planned.simulated, &control, 1);
	planned_close(&planned);
}

/* A list longer than any buffer comes whole. */
static void test_long_list(void **test)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_free_ char *wanted = NULL;
	const struct change *steps;
	struct planned planned;
	size_t count, length;
	FILE *to = open_memstream(&wanted, &length);

	(void)test;
	assert_non_null(to);
	for (uint32_t cpu = 1; cpu < 8192; cpu += 2) {
		assert_int_equal(cpuset_add(&cpus, cpu), 0);
		fprintf(to, "%s%u", cpu > 1 ? "," : "", cpu);
	}
	assert_int_equal(fclose(to), 0);
	planned_open(&planned, "guide", NULL);
	assert_int_equal(cgroup_plan_isolate(&planned.plan, &planned.machine, &owner, &cpus), 0);
	steps = planned.plan.changes;
	count = planned.plan.n_changes;
	assert_int_equal(count, 4);
	assert_true(strlen(wanted) > 16384);
	assert_string_equal(steps[2].value.text, wanted);
	planned_run(&planned, -ERANGE, NULL); /* this machine does not have that many */
	assert_no_group(&planned);
	planned_close(&planned);
}

/* A failure of the n-th write, in making a group, changing it and giving it back. */
static void fail_write(const char *before, const char *after, size_t number)
{
	_cleanup_free_ char *faults = NULL;
	size_t n_before = before ? 4 : 0;
	struct planned planned;

	assert_true(
		asprintf(&faults,
			 "{\"orders\": [{\"at\": \"write\", \"error\": \"EPERM\", \"skip\": %zu, "
			 "\"times\": 1}]}",
			 n_before + number) > 0);
	planned_open(&planned, "guide", faults);
	if (before) {
		isolate(&planned, before);
		planned_run(&planned, 0, NULL);
		planned_renew(&planned);
	}
	isolate(&planned, after);
	planned_run(&planned, -EPERM, NULL);
	if (before)
		assert_group(&planned, before, "isolated");
	else
		assert_no_group(&planned);
	planned_close(&planned);
}

static void test_undone(void **test)
{
	(void)test;
	for (size_t i = 0; i < 4; i++)
		fail_write(NULL, "14-15", i);
	for (size_t i = 0; i < 3; i++)
		fail_write("14-15", "15-18", i);
	for (size_t i = 0; i < 2; i++) /* not removing the directory: that is a note */
		fail_write("14-15", "", i);
}

/* A kernel that does not know the word. */
static void test_fallback(void **test)
{
	static const struct sysfs_step before[] = {
		{ CONTROL, "+cpuset", 0, NULL },
	};
	struct planned planned;

	(void)test;
	planned_open(&planned, "guide",
		     "{\"orders\": [{\"at\": \"write\", \"path\": \"" PARTITION
		     "\", \"error\": \"EINVAL\", \"times\": 1}]}");
	sysfs_machine_run(&planned.simulated, before, 1);
	isolate(&planned, "14-15");
	assert_int_equal(planned_count(&planned), 3);
	planned_run(&planned, 0, NULL);
	assert_group(&planned, "14-15", "root");
	planned_close(&planned);

	/* any other error is no reason for it */
	planned_open(&planned, "guide",
		     "{\"orders\": [{\"at\": \"write\", \"path\": \"" PARTITION
		     "\", \"error\": \"EBUSY\", \"times\": 1}]}");
	isolate(&planned, "14-15");
	planned_run(&planned, -EBUSY, NULL);
	assert_no_group(&planned);
	planned_close(&planned);
}

static void test_unreadable(void **test)
{
	static const char *const paths[] = { CONTROL, GROUP, CPUS, PARTITION };

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		_cleanup_free_ char *faults = NULL;
		struct planned planned;

		/* CONTROL and GROUP are read once before, by the first plan */
		assert_true(asprintf(&faults,
				     "{\"orders\": [{\"at\": \"read\", \"path\": \"%s\", "
				     "\"error\": \"EIO\", \"skip\": 1}]}",
				     paths[i]) > 0);
		planned_open(&planned, "guide", faults);
		isolate(&planned, "14");
		planned_run(&planned, 0, NULL);
		planned_renew(&planned);
		assert_int_equal(isolate_for(&planned, &owner, "15"), -EIO);
		planned_assert(&planned, NULL, 0);
		planned_close(&planned);
	}
}

static void test_check(void **test)
{
	static const struct {
		const char *controllers;
		const char *hierarchies;
		const char *problem; /* NULL: there is none */
	} vectors[] = {
		{ "cpuset cpu io memory pids\n", NULL, NULL },
		{ "cpu cpuset\n", "#subsys_name\thierarchy\ncpuset\t0\t9\t1\n", NULL },
		{ "cpuset\n", NULL, NULL },
		{ "cpu io memory\n", "#subsys_name\thierarchy\ncpuset\t3\t9\t1\n",
		  "the cpuset controller belongs to cgroup version 1" },
		{ NULL, "#subsys_name\thierarchy\ncpu\t2\t1\t1\ncpuset\t12\t9\t1\n", "version 1" },
		{ "cpu io memory\n", "#subsys_name\thierarchy\ncpuset\t0\t1\t0\n",
		  "has no cpuset" },
		{ "cpu cpusets xcpuset\n", NULL, "has no cpuset" },
		{ "\n", NULL, "has no cpuset" },
		{ NULL, NULL, "not mounted" },
		{ NULL, "#subsys_name\thierarchy\ncpuacct\t2\t1\t1\n", "not mounted" },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const char *problem = NULL;
		struct fake_files fake;
		int err;

		fake_files_init(&fake);
		if (vectors[i].controllers)
			fake_files_set(&fake, vectors[i].controllers, ROOT "/cgroup.controllers");
		if (vectors[i].hierarchies)
			fake_files_set(&fake, vectors[i].hierarchies, "/proc/cgroups");
		err = cgroup_check(&fake.files, &problem);
		assert_int_equal(err, vectors[i].problem ? -ENOTSUP : 0);
		if (vectors[i].problem)
			assert_non_null(strstr(problem, vectors[i].problem));
		else
			assert_null(problem);
		fake_files_done(&fake);
	}
}

static void test_check_unreadable(void **test)
{
	const char *problem = NULL;
	struct fake_files fake;
	struct planned planned;

	(void)test;
	fake_files_init(&fake);
	fake_files_fail(&fake, "/proc/cgroups", -EIO);
	assert_int_equal(cgroup_check(&fake.files, &problem), -EIO);
	fake_files_fail(&fake, ROOT "/cgroup.controllers", -EACCES);
	assert_int_equal(cgroup_check(&fake.files, &problem), -EACCES);
	assert_null(problem);
	fake_files_done(&fake);
	planned_open(&planned, "guide", NULL);
	assert_int_equal(cgroup_check(planned.host.files, &problem), 0);
	planned_close(&planned);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_isolate),
		cmocka_unit_test(test_two_groups),
		cmocka_unit_test(test_change),
		cmocka_unit_test(test_invalid_partition_is_set_again),
		cmocka_unit_test(test_release),
		cmocka_unit_test(test_release_other_groups),
		cmocka_unit_test(test_release_with_process),
		cmocka_unit_test(test_invalid),
		cmocka_unit_test(test_long_list),
		cmocka_unit_test(test_undone),
		cmocka_unit_test(test_fallback),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_check_unreadable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
