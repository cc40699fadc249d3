// SPDX-License-Identifier: GPL-2.0-only
/* Steps on kernel files: what is left out, what is read back, what their errors stand for. */
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

/* Adds a step for a file that holds text. Returns how many steps there are. */
static size_t plan_one(const char *text, const struct file_change *step, int expected)
{
	_cleanup_change_list_ struct change_list *plan = NULL;
	struct fake_files fake;
	size_t count;

	fake_files_init(&fake);
	if (text)
		fake_files_set(&fake, text, PATH);
	assert_int_equal(change_list_new(&plan), 0);
	assert_int_equal(file_change_add(plan, &fake.files, step), expected);
	change_list_get(plan, &count);
	fake_files_done(&fake);
	return count;
}

static void test_left_out(void **state)
{
	static const struct {
		const char *held;
		struct file_change step;
		size_t count;
	} vectors[] = {
		{ "1\n", { .path = PATH, .text = "1", .content = FILE_NUMBER }, 0 },
		{ "0x1\n", { .path = PATH, .text = "1", .content = FILE_NUMBER }, 0 },
		{ "0\n", { .path = PATH, .text = "1", .content = FILE_NUMBER }, 1 },
		{ "n/a\n", { .path = PATH, .text = "n/a", .content = FILE_NUMBER }, 0 },
		{ "power\n", { .path = PATH, .text = "power", .content = FILE_TEXT }, 0 },
		{ "power\n",
		  { .path = PATH, .text = "255", .other_text = "power", .content = FILE_TEXT },
		  0 },
		{ "normal\n",
		  { .path = PATH, .text = "255", .other_text = "power", .content = FILE_TEXT },
		  1 },
		{ "power\n",
		  { .path = PATH, .text = "power", .content = FILE_TEXT, .always = true },
		  1 },
		{ "default\n", { .path = PATH, .text = "default", .content = FILE_ANY }, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
		assert_int_equal(plan_one(vectors[i].held, &vectors[i].step, 0), vectors[i].count);
	assert_int_equal(plan_one(NULL, &vectors[0].step, -ENOENT), 0);
}

/* What the caller has just read is not read again, and is what undoing writes. */
static void test_known(void **state)
{
	const struct file_change steps[] = {
		{ .path = PATH, .text = "1", .old_text = "0", .content = FILE_NUMBER },
		{ .path = PATH, .text = "1", .old_text = "1", .content = FILE_NUMBER },
	};
	_cleanup_change_list_ struct change_list *plan = NULL;
	struct fake_files fake;
	size_t count;

	(void)state;
	fake_files_init(&fake);
	fake_files_set(&fake, "5\n", PATH);
	assert_int_equal(change_list_new(&plan), 0);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		assert_int_equal(file_change_add(plan, &fake.files, &steps[i]), 0);
	assert_int_equal(fake.n_reads, 0);
	assert_string_equal(change_list_get(plan, &count)[0].old_value.text, "0");
	assert_int_equal(count, 1);
	fake_files_done(&fake);
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
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_causes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
