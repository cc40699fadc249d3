// SPDX-License-Identifier: GPL-2.0-only
/* Paths walked to their ends; what other users planted is in tests/cli/rights, for root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "temporary.h"
#include "base/cleanup.h"
#include "base/fileio.h"

/* Makes a/b, a file, links, and a directory for everybody. */
static int set_up(void **test)
{
	char *directory = temporary_make();
	_cleanup_free_ char *a = temporary_path(directory, "a"), *b = temporary_path(a, "b"),
			    *file = temporary_path(directory, "file"),
			    *open = temporary_path(directory, "open");
	static const struct {
		const char *name, *target;
	} links[] = {
		{ "to-file", "file" },  { "to-b", "a/b" },      { "a/up", "../to-b" },
		{ "to-slash", "a/b/" }, { "loop", "loop" },     { "dangling", "a/none" },
		{ "to-root", "/" },     { "into-none", "x/y" }, { "self", "/proc/self" },
	};

	assert_int_equal(mkdir(a, 0755), 0);
	assert_int_equal(mkdir(b, 0755), 0);
	assert_int_equal(mkdir(open, 0755), 0);
	assert_int_equal(chmod(open, 0777), 0);
	temporary_write(file, "text", 0644);
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		_cleanup_free_ char *path = temporary_path(directory, links[i].name);

		assert_int_equal(symlink(links[i].target, path), 0);
	}
	*test = directory;
	return 0;
}

static int tear_down(void **test)
{
	temporary_remove(*test);
	return 0;
}

/* Is the directory that was reached the one of this path? */
static bool is_same(int fd, const char *path)
{
	struct stat ours, theirs;

	assert_int_equal(fstat(fd, &ours), 0);
	assert_int_equal(stat(path, &theirs), 0);
	return ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev;
}

static void test_ends(void **test)
{
	static const struct {
		const char *path, *directory, *name;
	} cases[] = {
		{ "file", ".", "file" },
		{ "none", ".", "none" },
		{ "a/b", "a", "b" },
		{ "a//b///none", "a/b", "none" },
		{ "a/b/", "a/b", "." },
		{ "a/./b/../none", "a", "none" },
		{ "to-file", ".", "file" },
		{ "to-b/none", "a/b", "none" },
		{ "to-b", "a", "b" },
		{ "to-b/", "a/b", "." },
		{ "a/up/none", "a/b", "none" },
		{ "to-slash", "a/b", "." },
		{ "to-slash/none", "a/b", "none" },
		{ "dangling", "a", "none" },
		{ "to-root/none", "/", "none" },
		{ "to-root", "/", "." },
		{ "open/none", "open", "none" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *path = temporary_path(*test, cases[i].path);
		_cleanup_free_ char *directory = temporary_path(*test, cases[i].directory);
		_cleanup_walk_end_ struct walk_end end = WALK_END_NONE;

		print_message("%s\n", cases[i].path);
		assert_int_equal(walk_path(path, 0, &end), 0);
		assert_string_equal(end.name, cases[i].name);
		assert_true(
			is_same(end.directory_fd, *cases[i].directory == '/' ? "/" : directory));
		assert_false(end.is_magic);
	}
}

static void test_relative(void **test)
{
	_cleanup_close_ int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_walk_end_ struct walk_end end = WALK_END_NONE, below = WALK_END_NONE;
	int err, err_below;

	assert_int_equal(chdir(*test), 0);
	err = walk_path("none", 0, &end);
	err_below = walk_path("a/up/none", 0, &below);
	assert_int_equal(fchdir(here), 0);
	assert_int_equal(err, 0);
	assert_int_equal(err_below, 0);
	assert_true(is_same(end.directory_fd, *test));
	assert_string_equal(below.name, "none");
}

/* A path that cannot be followed leaves the end as it was. */
static void test_errors(void **test)
{
	static const struct {
		const char *path;
		unsigned int flags;
		int err;
	} cases[] = {
		{ "none/file", 0, -ENOENT },
		{ "file/below", 0, -ENOTDIR },
		{ "file/", 0, -ENOTDIR },
		{ "loop", 0, -ELOOP },
		{ "loop/below", 0, -ELOOP },
		{ "into-none", 0, -ENOENT },
		{ "to-file", WALK_REFUSE_LAST_LINK, -ELOOP },
		{ "dangling", WALK_REFUSE_LAST_LINK, -ELOOP },
		{ "self", WALK_REFUSE_LAST_LINK, -ELOOP },
	};
	_cleanup_free_ char *long_name = NULL, *path = NULL;
	struct walk_end end = { .directory_fd = 42 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *way = temporary_path(*test, cases[i].path);
		int err = walk_path(way, cases[i].flags, &end);

		if (err != cases[i].err)
			fail_msg("%s: %d, not %d", cases[i].path, err, cases[i].err);
	}
	assert_int_equal(walk_path("", 0, &end), -ENOENT);
	assert_true(asprintf(&long_name, "%0*d", NAME_MAX + 1, 0) > 0);
	assert_int_equal(walk_path(long_name, 0, &end), -ENAMETOOLONG);
	assert_true(asprintf(&path, "%*s/x", PATH_MAX, "/") > 0);
	assert_int_equal(walk_path(path, 0, &end), -ENAMETOOLONG);
	assert_int_equal(end.directory_fd, 42);
}

/* The kernel determines the target of links of procfs. */
static void test_magic(void **test)
{
	_cleanup_free_ char *file = temporary_path(*test, "file"), *path = NULL, *below = NULL;
	_cleanup_close_ int fd = open(file, O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int directory = open(*test, O_PATH | O_CLOEXEC);
	_cleanup_walk_end_ struct walk_end end = WALK_END_NONE, inside = WALK_END_NONE;

	assert_true(asprintf(&path, "/proc/self/fd/%d", fd) > 0);
	assert_int_equal(walk_path(path, 0, &end), 0);
	assert_true(end.is_magic);
	assert_true(asprintf(&below, "/proc/self/fd/%d/none", directory) > 0);
	assert_int_equal(walk_path(below, 0, &inside), 0);
	assert_false(inside.is_magic);
	assert_true(is_same(inside.directory_fd, *test));
}

static void test_make(void **test)
{
	_cleanup_free_ char *made = temporary_path(*test, "new"),
			    *path = temporary_path(*test, "new/below/name"),
			    *through = temporary_path(*test, "to-b/more/name"),
			    *more = temporary_path(*test, "a/b/more");
	_cleanup_walk_end_ struct walk_end end = WALK_END_NONE, other = WALK_END_NONE;

	assert_int_equal(walk_path(path, WALK_MAKE, &end), 0);
	assert_int_equal(temporary_mode(made), 0700);
	assert_int_equal(temporary_count(made), 1);
	assert_string_equal(end.name, "name");
	assert_int_equal(walk_path(through, WALK_MAKE, &other), 0);
	assert_int_equal(temporary_mode(more), 0700);
}

/* In a world-writable directory nothing is trusted; in a sticky one, our own entries are. */
static void test_world_writable_directories(void **test)
{
	_cleanup_free_ char *open = temporary_path(*test, "open"),
			    *ours = temporary_path(open, "ours"),
			    *path = temporary_path(ours, "name");
	_cleanup_walk_end_ struct walk_end end = WALK_END_NONE;

	/* The first time like the second: nothing is made there either. */
	assert_int_equal(walk_path(ours, WALK_REFUSE_PLANTED, &end), -EPERM);
	assert_int_equal(walk_path(path, WALK_REFUSE_PLANTED | WALK_MAKE, &end), -EPERM);
	assert_int_equal(temporary_count(open), 0);
	assert_int_equal(mkdir(ours, 0755), 0);
	assert_int_equal(walk_path(path, WALK_REFUSE_PLANTED, &end), -EPERM);
	assert_int_equal(walk_path(ours, WALK_REFUSE_PLANTED, &end), -EPERM);
	assert_int_equal(chmod(open, 01777), 0);
	assert_int_equal(walk_path(path, WALK_REFUSE_PLANTED, &end), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_ends, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_relative, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_errors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_magic, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_make, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_world_writable_directories, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
