// SPDX-License-Identifier: GPL-2.0-only
/* Steps on kernel files: what is left out, what is read back, what their errors mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "fake_files.h"
#include "settings/file_change.h"

#define PATH "/sys/file"

#define STEP(value_text, content) \
	.target = file_target(PATH, content), .value = { .text = (value_text) }

/* Adds a step for a file that holds text. Returns how many steps there are. */
static size_t plan_one(const char *text, struct change step, int expected)
{
	_cleanup_change_list_ struct change_list plan = { 0 };
	struct fake_files fake;
	size_t count;

	fake_files_init(&fake);
	if (text)
		fake_files_set(&fake, text, PATH);
	step.what = "file";
	assert_int_equal(file_change_add(&plan, &fake.files, step, false), expected);
	count = plan.n_changes;
	fake_files_done(&fake);
	return count;
}

static void test_left_out(void **state)
{
	const struct {
		const char *held;
		struct change step;
		size_t count;
	} vectors[] = {
		{ "1\n", { STEP("1", FILE_NUMBER) }, 0 },
		{ "0x1\n", { STEP("1", FILE_NUMBER) }, 0 },
		{ "0\n", { STEP("1", FILE_NUMBER) }, 1 },
		{ "n/a\n", { STEP("n/a", FILE_NUMBER) }, 0 },
		{ "power\n", { STEP("power", FILE_TEXT) }, 0 },
		{ "power\n", { STEP("255", FILE_TEXT), .other_text = "power" }, 0 },
		{ "normal\n", { STEP("255", FILE_TEXT), .other_text = "power" }, 1 },
		{ "default\n", { STEP("default", FILE_ANY) }, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
		assert_int_equal(plan_one(vectors[i].held, vectors[i].step, 0), vectors[i].count);
	assert_int_equal(plan_one(NULL, vectors[0].step, -ENOENT), 0);
}

/* What the caller has just read is not read again, and is what undoing writes. */
static void test_known(void **state)
{
	const struct change steps[] = {
		{ STEP("1", FILE_NUMBER), .what = "file", .old_value = { .text = "0" },
		  .has_old_value = true },
		{ STEP("1", FILE_NUMBER), .what = "file", .old_value = { .text = "1" },
		  .has_old_value = true },
	};
	_cleanup_change_list_ struct change_list plan = { 0 };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	fake_files_set(&fake, "5\n", PATH);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		assert_int_equal(file_change_add(&plan, &fake.files, steps[i], false), 0);
	assert_int_equal(fake.n_reads, 0);
	assert_string_equal(plan.changes[0].old_value.text, "0");
	assert_int_equal(plan.n_changes, 1);
	fake_files_done(&fake);
}

/* Also what the file has: an earlier change may alter it. */
static void test_always(void **state)
{
	const struct file_limits limits = {
		.directory = "/sys",
		.min_name = "min",
		.max_name = "max",
		.flags = FILE_LIMITS_ALWAYS,
	};
	const struct khz_range range = { 800, 3200 };
	_cleanup_change_list_ struct change_list plan = { 0 };
	struct change step = { STEP("1", FILE_NUMBER), .what = "file" };
	struct fake_files fake;

	(void)state;
	fake_files_init(&fake);
	fake_files_set(&fake, "1\n", "%s", step.target.path);
	assert_int_equal(file_change_add(&plan, &fake.files, step, false), 0);
	assert_int_equal(plan.n_changes, 0);
	assert_int_equal(file_change_add(&plan, &fake.files, step, true), 0);
	assert_int_equal(plan.n_changes, 1);
	assert_string_equal(plan.changes[0].old_value.text, "1");
	assert_int_equal(file_change_add_range(&plan, &limits, &range, &range), 0);
	assert_int_equal(plan.n_changes, 3);
	assert_string_equal(plan.changes[1].what, "max");
	assert_string_equal(plan.changes[2].what, "min");
	fake_files_done(&fake);
}

/* Limits that were just read: the upper one first, unless the whole range goes down; none that does
 * not differ. */
static void test_limits(void **state)
{
	static const struct {
		struct khz_range old, wanted;
		const char *first, *second; /* NULL: no such step */
	} vectors[] = {
		{ { 800, 3200 }, { 800, 3200 }, NULL, NULL },
		{ { 800, 3200 }, { 2000, 2000 }, "max", "min" },
		{ { 800, 1000 }, { 2000, 2600 }, "max", "min" },
		{ { 2000, 2600 }, { 800, 1200 }, "min", "max" },
		{ { 800, 3200 }, { 1000, 3200 }, "min", NULL },
	};
	static const struct file_limits limits = {
		.directory = "/sys",
		.min_name = "min",
		.max_name = "max",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		_cleanup_change_list_ struct change_list plan = { 0 };
		const struct change *steps;
		size_t count;

		assert_int_equal(file_change_add_range(&plan, &limits, &vectors[i].old,
						       &vectors[i].wanted),
				 0);
		steps = plan.changes;
		count = plan.n_changes;
		assert_int_equal(count, !!vectors[i].first + !!vectors[i].second);
		if (vectors[i].first)
			assert_string_equal(steps[0].what, vectors[i].first);
		if (vectors[i].second)
			assert_string_equal(steps[1].what, vectors[i].second);
	}
}

static void test_causes(void **state)
{
#define ROOT "/sys/devices/system/cpu/"
	static const struct {
		const char *path;
		int error;
		int cause;
		const char *words; /* NULL: none */
	} vectors[] = {
		{ ROOT "cpu1/cpufreq/energy_performance_preference", -EBUSY, -EBUSY,
		  "performance governor" },
		{ ROOT "cpu1/cpufreq/scaling_max_freq", -EBUSY, -EBUSY, "inactive" },
		{ ROOT "cpu1/cpufreq/scaling_max_freq", -ENOENT, -ENODEV, "any more" },
		{ ROOT "cpu1/cpufreq/scaling_max_freq", -EIO, -EIO, NULL },
		{ ROOT "intel_pstate/no_turbo", -EPERM, -EROFS, "BIOS" },
		{ ROOT "intel_pstate/no_turbo", -EAGAIN, -EAGAIN, "off" },
		{ ROOT "intel_pstate/max_perf_pct", -EPERM, -EPERM, NULL },
		{ ROOT "intel_uncore_frequency/uncore00/max_freq_khz", -EPERM, -EROFS, "firmware" },
		{ ROOT "intel_uncore_frequency/package_00_die_00/max_freq_khz", -ENXIO, -ENXIO,
		  "no CPU" },
		{ ROOT "umwait_control/max_time", -EINVAL, -EINVAL, "multiples of 4" },
		{ ROOT "umwait_control/enable_c02", -EINVAL, -EINVAL, NULL },
		{ ROOT "cpu1/online", -EBUSY, -EBUSY, "interrupt" },
		{ ROOT "cpu1/online", -EPERM, -EPERM, "permit" },
		{ ROOT "cpu1/online", -EINVAL, -EINVAL, "refuses" },
		{ ROOT "cpu1/online", -ENOENT, -ENOENT, "no file" },
		{ ROOT "cpu1/online", -EIO, -EIO, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct target_cause cause = file_target_cause(vectors[i].path, vectors[i].error);

		assert_int_equal(cause.error, vectors[i].cause);
		assert_int_equal(!cause.text, !vectors[i].words);
		if (cause.text)
			assert_non_null(strstr(cause.text, vectors[i].words));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_left_out), cmocka_unit_test(test_known),
		cmocka_unit_test(test_always),   cmocka_unit_test(test_limits),
		cmocka_unit_test(test_causes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
