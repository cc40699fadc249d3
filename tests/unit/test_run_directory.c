// SPDX-License-Identifier: GPL-2.0-only
/* The run directory: created, and refused if other users can change it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "host/run_directory.h"
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

static void test_made(void **test)
{
	static const mode_t masks[] = { 0, 022, 077 };

	for (size_t i = 0; i < ARRAY_SIZE(masks); i++) {
		_cleanup_free_ char *path = NULL;
		mode_t old;
		int err, err_again;

		assert_true(asprintf(&path, "%s/run-%zu", (char *)*test, i) > 0);
		old = umask(masks[i]);
		err = run_directory_make(path);
		err_again = run_directory_make(path);
		umask(old);
		assert_int_equal(err, 0);
		assert_int_equal(err_again, 0);
		assert_int_equal(temporary_mode(path), 0755);
	}
}

static void test_refused(void **test)
{
	static const struct {
		const char *name;
		int err;
	} cases[] = {
		{ "link", -ELOOP },      { "dangling", -ELOOP }, { "file", -ENOTDIR },
		{ "for-group", -EPERM }, { "for-all", -EPERM },  { "file/below", -ENOTDIR },
	};
	_cleanup_free_ char *directory = temporary_path(*test, "directory"),
			    *link = temporary_path(*test, "link"),
			    *dangling = temporary_path(*test, "dangling"),
			    *file = temporary_path(*test, "file"),
			    *group = temporary_path(*test, "for-group"),
			    *all = temporary_path(*test, "for-all");

	assert_int_equal(mkdir(directory, 0755), 0);
	assert_int_equal(symlink("directory", link), 0);
	assert_int_equal(symlink("none", dangling), 0);
	temporary_write(file, "", 0644);
	assert_int_equal(mkdir(group, 0700) | chmod(group, 0770), 0);
	assert_int_equal(mkdir(all, 0700) | chmod(all, 01777), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *path = temporary_path(*test, cases[i].name);
		int err = run_directory_make(path);

		if (err != cases[i].err)
			fail_msg("%s: %d, not %d", cases[i].name, err, cases[i].err);
	}
	assert_int_equal(temporary_count(*test), 6);
}

static void test_foreign(void **test)
{
	_cleanup_free_ char *path = temporary_path(*test, "foreign");

	assert_int_equal(mkdir(path, 0755), 0);
	if (chown(path, 4321, 4321) < 0)
		return; /* only root may give things away; test_trust has the rule */
	assert_int_equal(run_directory_make(path), -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_made, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_foreign, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
