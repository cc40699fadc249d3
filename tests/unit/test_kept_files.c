// SPDX-License-Identifier: GPL-2.0-only
/* Files that are read once: what is kept, and until when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "fake_files.h"
#include "host/kept_files.h"

#define CPU "/sys/devices/system/cpu/cpu2/"

static void expect(struct files *files, const char *path, int err, const char *text)
{
	_cleanup_free_ char *read = NULL;

	assert_int_equal(files_read_line(files, path, &read), err);
	if (!err)
		assert_string_equal(read, text);
}

static void test_names(void **state)
{
	static const struct {
		const char *names;
		size_t n_reads; /* of three files, each read twice */
	} rows[] = {
		{ "*", 3 },
		{ "base_frequency", 5 },
		{ "absent base_frequency", 4 },
		{ "frequency", 6 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fake_files fake;
		struct files *files;
		size_t before;

		fake_files_init(&fake);
		fake_files_set(&fake, "5\n", CPU "cpufreq/base_frequency");
		fake_files_set(&fake, "6\n", CPU "cpufreq/scaling_max_freq");
		assert_int_equal(kept_files_open(&fake.files, rows[i].names, &files), 0);
		before = fake.n_reads;
		for (int times = 0; times < 2; times++) {
			expect(files, CPU "cpufreq/base_frequency", 0, "5");
			expect(files, CPU "cpufreq/scaling_max_freq", 0, "6");
			expect(files, CPU "absent", -ENOENT, NULL);
		}
		assert_int_equal(fake.n_reads - before, rows[i].n_reads);
		kept_files_close(files);
		fake_files_done(&fake);
	}
}

/* What is written is read again, and so is what is read in part. */
static void test_forgotten(void **state)
{
	struct fake_files fake;
	struct files *files;
	size_t before;

	(void)state;
	fake_files_init(&fake);
	fake_files_set(&fake, "5\n", CPU "online");
	assert_int_equal(kept_files_open(&fake.files, "*", &files), 0);
	expect(files, CPU "online", 0, "5");
	assert_int_equal(files_write(files, CPU "online", "7"), 0);
	expect(files, CPU "online", 0, "7");
	before = fake.n_reads;
	for (int times = 0; times < 2; times++) {
		_cleanup_free_ char *text = NULL;
		size_t length;

		assert_int_equal(files->ops->read(files, CPU "online", 1, &text, &length), 0);
	}
	assert_int_equal(fake.n_reads - before, 2);
	kept_files_close(files);
	fake_files_done(&fake);
}

/* What is assumed to be written is read, and not written. What it may alter is unknown. */
static void test_assumed(void **state)
{
	struct fake_files fake;
	struct files *files;

	(void)state;
	fake_files_init(&fake);
	fake_files_set(&fake, "5\n", CPU "cpufreq/base_frequency");
	fake_files_set(&fake, "6\n", CPU "cpufreq/scaling_max_freq");
	assert_int_equal(kept_files_assume(&fake.files, &files), 0);
	assert_int_equal(files_write(files, CPU "cpufreq/scaling_max_freq", "7"), 0);
	assert_int_equal(files_write(files, CPU "cpufreq/scaling_max_freq", "8"), 0);
	expect(files, CPU "cpufreq/scaling_max_freq", 0, "8");
	expect(&fake.files, CPU "cpufreq/scaling_max_freq", 0, "6");
	assert_int_equal(files_change_directory(files, "/sys/fs/cgroup/isst", true), -ENOTSUP);
	assert_int_equal(kept_files_forget(files, "base_frequency"), 0);
	assert_int_equal(kept_files_forget(files, "scaling_max_freq"), 0);
	expect(files, CPU "cpufreq/scaling_max_freq", 0, "8");
	assert_null(kept_files_unknown(files));
	assert_int_equal(kept_files_forget(files, CPU "cpufreq/scaling_max_freq"), 0);
	expect(files, CPU "cpufreq/scaling_max_freq", 0, "6");
	assert_string_equal(kept_files_unknown(files), CPU "cpufreq/scaling_max_freq");
	expect(files, CPU "cpufreq/base_frequency", 0, "5");
	assert_string_equal(kept_files_unknown(files), CPU "cpufreq/scaling_max_freq");
	kept_files_close(files);
	assert_int_equal(kept_files_assume(&fake.files, &files), 0);
	assert_int_equal(kept_files_forget(files, "other base_frequency"), 0);
	expect(files, CPU "cpufreq/base_frequency", 0, "5");
	assert_string_equal(kept_files_unknown(files), CPU "cpufreq/base_frequency");
	kept_files_close(files);
	fake_files_done(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_forgotten),
		cmocka_unit_test(test_assumed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
