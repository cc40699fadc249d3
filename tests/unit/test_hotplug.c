// SPDX-License-Identifier: GPL-2.0-only
/* CPUs that go online and offline as a plan, and the ones that stay. */
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
#include "settings/hotplug.h"

#define NUMBER FILE_NUMBER

static void plan_online(struct planned *planned, const char *list)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };

	assert_int_equal(cpulist_parse(list, &cpus), 0);
	assert_int_equal(hotplug_plan_online(&planned->plan, &planned->machine, &cpus), 0);
}

static void plan_offline(struct planned *planned, const char *list, int err)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 }, kept = { 0 };

	assert_int_equal(cpulist_parse(list, &cpus), 0);
	assert_int_equal(hotplug_plan_offline(&planned->plan, &planned->machine, &cpus, &kept),
			 err);
}

static void assert_kept(struct planned *planned, const char *list, const char *wanted)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 }, kept = { 0 }, expected = { 0 };

	assert_int_equal(cpulist_parse(list, &cpus), 0);
	assert_int_equal(cpulist_parse(wanted, &expected), 0);
	assert_int_equal(hotplug_plan_offline(&planned->plan, &planned->machine, &cpus, &kept), 0);
	assert_true(cpuset_equal(&kept, &expected));
}

static void assert_online(struct planned *planned, const char *list)
{
	_cleanup_free_ char *text = sysfs_machine_read(&planned->simulated, "online");

	text[strcspn(text, "\n")] = '\0';
	assert_string_equal(text, list);
}

static void set_offline(struct planned *planned, const char *list)
{
	plan_offline(planned, list, 0);
	planned_run(planned, 0, NULL);
	planned_renew(planned);
}

/* Those that are online already are only announced, and cpu0 has nothing to be written to. */
static void test_both_ways(void **test)
{
	static const struct planned_step steps[] = {
		{ PLANNED_FILE, "cpu3/online", "1", "0", NUMBER, "online cpu 3" },
		{ PLANNED_FILE, "cpu40/online", "1", "0", NUMBER, "online cpu 40" },
		{ PLANNED_FILE, "cpu1/online", "0", "1", NUMBER, "offline cpu 1" },
		{ PLANNED_FILE, "cpu41/online", "0", "1", NUMBER, "offline cpu 41" },
	};
	const struct change_announcement *announcements;
	struct planned planned;
	size_t count;

	(void)test;
	planned_open(&planned, "guide", NULL);
	set_offline(&planned, "3,4,40");
	assert_online(&planned, "0-2,5-39,41-55");
	plan_online(&planned, "0,3,5,40");
	plan_offline(&planned, "0-1,4,41", 0);
	planned_assert(&planned, steps, ARRAY_SIZE(steps));
	announcements = planned.plan.announcements;
	count = planned.plan.n_announcements;
	assert_int_equal(count, 2);
	assert_string_equal(announcements[0].text, "online cpu 0");
	assert_int_equal(announcements[0].n_before, 0);
	assert_string_equal(announcements[1].text, "online cpu 5");
	assert_int_equal(announcements[1].n_before, 1);
	planned_run(&planned, 0, NULL);
	assert_online(&planned, "0,2-3,5-40,42-55");
	planned_close(&planned);
}

static void test_subject(void **test)
{
	const struct change *steps;
	struct planned planned;
	size_t count;

	(void)test;
	planned_open(&planned, "guide", NULL);
	set_offline(&planned, "15");
	plan_online(&planned, "15");
	plan_offline(&planned, "14", 0);
	steps = planned.plan.changes;
	count = planned.plan.n_changes;
	assert_int_equal(count, 2);
	assert_int_equal(steps[0].location.cpu, 15);
	assert_int_equal(steps[0].location.package,
			 LOCATION_NO_PACKAGE); /* its package is not known any more */
	assert_int_equal(steps[1].location.cpu, 14);
	assert_int_equal(steps[1].location.package, 1);
	assert_int_equal(steps[1].location.die, 0);
	planned_close(&planned);
}

/* What the plan does before counts: a CPU that it brings can go, one that it took is gone. */
static void test_after_other_steps(void **test)
{
	static const struct planned_step steps[] = {
		{ PLANNED_FILE, "cpu1/online", "0", "1", NUMBER, "offline cpu 1" },
		{ PLANNED_FILE, "cpu1/online", "1", "0", NUMBER, "online cpu 1" },
		{ PLANNED_FILE, "cpu1/online", "0", "1", NUMBER, "offline cpu 1" },
	};
	struct planned planned;

	(void)test;
	planned_open(&planned, "guide", NULL);
	plan_offline(&planned, "1", 0);
	plan_offline(&planned, "1", 0);
	plan_online(&planned, "1");
	plan_offline(&planned, "1", 0);
	planned_assert(&planned, steps, ARRAY_SIZE(steps));
	planned_close(&planned);
}

/* A machine of four CPUs. A CPU of with_files has an online file. */
static void make_machine(struct fake_files *fake, struct planned *planned, const char *with_files)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };

	fake_files_init(fake);
	planned_open_files(planned, &fake->files);
	assert_int_equal(cpulist_parse("0-3", &planned->machine.topology.online), 0);
	assert_int_equal(cpulist_parse(with_files, &cpus), 0);
	cpuset_foreach (cpu, &cpus)
		fake_files_set(fake, "1\n", "/sys/devices/system/cpu/cpu%u/online", cpu);
}

static void test_kept(void **test)
{
	static const struct {
		const char *with_files;
		const char *cpus;
		const char *kept;
		size_t n_steps;
	} vectors[] = {
		{ "1-3", "0-3", "0", 3 }, /* cpu0 always is online */
		{ "1-3", "1-3", "", 3 },
		{ "1-3", "0", "0", 0 },
		{ "0-3", "0-3", "0", 3 }, /* the last one stays */
		{ "0-3", "0-2", "", 3 },
		{ "0,3", "0-3", "1-2", 2 },
		{ "0-3", "", "", 0 },
		{ "0-3", "4-9", "", 0 }, /* offline, or it does not exist */
		{ "", "0-3", "0-3", 0 },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct fake_files fake;
		struct planned planned;

		make_machine(&fake, &planned, vectors[i].with_files);
		assert_kept(&planned, vectors[i].cpus, vectors[i].kept);
		assert_int_equal(planned_count(&planned), vectors[i].n_steps);
		planned_close(&planned);
		fake_files_done(&fake);
	}
}

/* Domain by domain: the last CPU is the machine's, not the domain's. */
static void test_last_of_several_calls(void **test)
{
	struct fake_files fake;
	struct planned planned;

	(void)test;
	make_machine(&fake, &planned, "0-3");
	plan_offline(&planned, "0-1", 0);
	assert_kept(&planned, "2-3", "2");
	plan_offline(&planned, "2", 0);
	assert_int_equal(planned_count(&planned), 3);
	planned_close(&planned);
	fake_files_done(&fake);
}

static void test_unreadable(void **test)
{
	struct fake_files fake;
	struct planned planned;

	(void)test;
	make_machine(&fake, &planned, "0-3");
	fake_files_fail(&fake, "/sys/devices/system/cpu/cpu2/online", -EIO);
	plan_offline(&planned, "1-3", -EIO);
	assert_int_equal(planned_count(&planned), 0);
	plan_online(&planned, "2,8"); /* needs no reading */
	assert_int_equal(planned_count(&planned), 1);
	planned_close(&planned);
	fake_files_done(&fake);
}

static void test_refusal(void **test)
{
	struct planned planned;

	(void)test;
	planned_open(&planned, "guide",
		     "{\"orders\": [{\"at\": \"write\", \"path\": "
		     "\"/sys/devices/system/cpu/cpu7/online\", \"error\": \"EBUSY\"}]}");
	plan_offline(&planned, "5-9", 0);
	planned_run(&planned, -EBUSY, NULL);
	assert_online(&planned, "0-55");
	planned_close(&planned);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_subject),
		cmocka_unit_test(test_after_other_steps),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_last_of_several_calls),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_refusal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
