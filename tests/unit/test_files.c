// SPDX-License-Identifier: GPL-2.0-only
/* The real machine's files, below a directory, and the readers of usual contents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "base/cpuset.h"
#include "fake_files.h"
#include "temporary.h"

static int set_up(void **test)
{
	*test = temporary_make();
	return 0;
}

static int tear_down(void **test)
{
	temporary_remove(*test);
	return 0;
}

static void test_lines(void **test)
{
	static const struct {
		const char *text, *line;
	} cases[] = {
		{ .text = "", .line = "" },
		{ .text = "\n", .line = "" },
		{ .text = "powersave\n", .line = "powersave" },
		{ .text = "default performance \n", .line = "default performance" },
		{ .text = " +cpuset\n", .line = " +cpuset" },
		{ .text = "two\nlines\n\n", .line = "two\nlines" },
		{ .text = "\t \n", .line = "" },
	};
	_cleanup_free_ char *path = temporary_path(*test, "file");

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *line = NULL;

		temporary_write(path, cases[i].text, 0644);
		assert_int_equal(files_read_line(files_real(), path, &line), 0);
		assert_string_equal(line, cases[i].line);
		assert_int_equal(unlink(path), 0);
	}
}

static void test_numbers(void **test)
{
	static const struct {
		const char *text;
		int err;
		uint64_t value;
	} cases[] = {
		{ .text = "3500000\n", .value = 3500000 },
		{ .text = "0x1a\n", .value = 0x1a },
		{ .text = "n/a\n", .err = -EINVAL },
		{ .text = "\n", .err = -EINVAL },
		{ .text = "18446744073709551616\n", .err = -ERANGE },
	};
	_cleanup_free_ char *path = temporary_path(*test, "file");
	uint64_t value = 77;

	assert_int_equal(files_read_number(files_real(), path, &value), -ENOENT);
	assert_int_equal(value, 77);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		value = 77;
		temporary_write(path, cases[i].text, 0644);
		assert_int_equal(files_read_number(files_real(), path, &value), cases[i].err);
		assert_int_equal(value, cases[i].err ? 77 : cases[i].value);
		assert_int_equal(unlink(path), 0);
	}
}

static void test_cpus(void **test)
{
	_cleanup_free_ char *path = temporary_path(*test, "file");
	_cleanup_cpuset_ struct cpuset cpus = { 0 };

	assert_int_equal(files_read_cpus(files_real(), path, &cpus), -ENOENT);
	temporary_write(path, "0-\n", 0644);
	assert_int_equal(files_read_cpus(files_real(), path, &cpus), -EINVAL);
	assert_null(cpus.words);
	assert_int_equal(unlink(path), 0);
	temporary_write(path, "0-3,8\n", 0644);
	assert_int_equal(files_read_cpus(files_real(), path, &cpus), 0);
	assert_int_equal(cpuset_count(&cpus), 5);
}

/* The limit goes through to the file that is read. */
static void test_limits(void **test)
{
	_cleanup_free_ char *path = temporary_path(*test, "file"), *text = NULL;
	struct files *files = files_real();
	size_t length;

	temporary_write(path, "0123456789", 0644);
	assert_int_equal(files->ops->read(files, path, 4, &text, &length), 0);
	assert_string_equal(text, "0123");
	assert_int_equal(length, 4);
}

static void test_writing(void **test)
{
	_cleanup_free_ char *path = temporary_path(*test, "file");
	_cleanup_free_ char *below = temporary_path(*test, "file/below");

	assert_int_equal(files_write(files_real(), path, "1"), -ENOENT); /* makes no file */
	temporary_write(path, "what was there", 0644);
	assert_int_equal(files_write(files_real(), path, "1"), 0);
	temporary_assert_text(path, "1");
	assert_int_equal(files_write(files_real(), below, "1"), -ENOTDIR);
	assert_int_equal(files_write(files_real(), *test, "1"), -EISDIR);
	assert_int_equal(files_write(files_real(), "/dev/full", "1"), -ENOSPC);
}

static void test_directories(void **test)
{
	static const char *const wanted[] = { "B", "a", "cpu0", "cpu1", "cpu10", "cpu2" };
	_cleanup_free_ char *missing = temporary_path(*test, "missing");
	char **names = NULL;

	assert_int_equal(files_list(files_real(), missing, &names), -ENOENT);
	assert_int_equal(files_remove_directory(files_real(), missing), -ENOENT);
	assert_null(names);
	for (size_t i = ARRAY_SIZE(wanted); i > 0; i--) {
		_cleanup_free_ char *path = temporary_path(*test, wanted[i - 1]);

		assert_int_equal(files_make_directory(files_real(), path), 0);
		assert_int_equal(files_make_directory(files_real(), path), -EEXIST);
	}
	assert_int_equal(files_list(files_real(), *test, &names), 0);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		_cleanup_free_ char *path = temporary_path(*test, wanted[i]);

		assert_string_equal(names[i], wanted[i]);
		assert_int_equal(files_remove_directory(files_real(), path), 0);
	}
	assert_null(names[ARRAY_SIZE(wanted)]);
	files_free_names(&names);
	assert_null(names);
	assert_int_equal(files_list(files_real(), *test, &names), 0);
	assert_null(names[0]);
	files_free_names(&names);
}

/* The same readers serve every other kind of files. */
static void test_other_files(void **test)
{
	struct fake_files fake;
	uint64_t value;

	(void)test;
	fake_files_init(&fake);
	fake_files_set(&fake, "12 \n", "/sys/number");
	assert_int_equal(files_read_number(&fake.files, "/sys/number", &value), 0);
	assert_int_equal(value, 12);
	assert_int_equal(files_write(&fake.files, "/sys/number", "13"), 0);
	assert_string_equal(fake_files_text(&fake, "/sys/number"), "13");
	fake_files_fail(&fake, "/sys/number", -EBUSY);
	assert_int_equal(files_write(&fake.files, "/sys/number", "14"), -EBUSY);
	assert_int_equal(files_read_number(&fake.files, "/sys/number", &value), -EBUSY);
	assert_int_equal(fake.n_reads, 2);
	fake_files_done(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_numbers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_cpus, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_limits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_writing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_directories, set_up, tear_down),
		cmocka_unit_test(test_other_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
