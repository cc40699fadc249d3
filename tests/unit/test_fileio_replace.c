// SPDX-License-Identifier: GPL-2.0-only
/* Files replaced whole or not at all: mode and owner, links, leftovers, a full disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "temporary.h"

#define OTHER_OWNER 4321

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

/* length letters, the same ones for the same length. */
static char *make_data(size_t length)
{
	char *data = malloc(length + 1);

	assert_non_null(data);
	for (size_t i = 0; i < length; i++)
		data[i] = (char)('a' + i % 23);
	data[length] = '\0';
	return data;
}

static int open_directory(const char *path)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void test_replace_new(void **test)
{
	static const struct {
		mode_t mask, exact, result; /* exact 0: according to the umask */
	} cases[] = {
		{ .mask = 022, .exact = 0, .result = 0644 },
		{ .mask = 077, .exact = 0, .result = 0600 },
		{ .mask = 002, .exact = 0, .result = 0664 },
		{ .mask = 0, .exact = 0, .result = 0664 },
		{ .mask = 077, .exact = 0644, .result = 0644 },
		{ .mask = 0, .exact = 0640, .result = 0640 },
	};
	_cleanup_free_ char *path = temporary_path(*test, "new");
	_cleanup_close_ int fd = open_directory(*test);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		mode_t exact = cases[i].exact, old = umask(cases[i].mask);
		int err = exact ? fileio_replace(path, exact, "text", 4)
				: fileio_replace_at(fd, "new", 0, "text", 4);

		umask(old);
		assert_int_equal(err, 0);
		temporary_assert_text(path, "text");
		assert_int_equal(temporary_mode(path), cases[i].result);
		assert_int_equal(temporary_count(*test), 1);
		assert_int_equal(unlink(path), 0);
	}
}

/* An old file keeps its mode; a process that has it open continues to read the old content. */
static void test_replace_old(void **test)
{
	static const mode_t modes[] = { 0644, 0600, 0640, 0664, 0400, 0755 };
	_cleanup_free_ char *path = temporary_path(*test, "old");
	_cleanup_close_ int directory = open_directory(*test);
	_cleanup_free_ char *data = make_data(100000);

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		_cleanup_free_ char *before = NULL;
		size_t length;
		int fd;

		temporary_write(path, "what was there", modes[i] | 0400);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		assert_true(fd >= 0);
		assert_int_equal(fileio_replace_at(directory, "old", 0, data, 100000), 0);
		temporary_assert_text(path, data);
		assert_int_equal(temporary_mode(path), modes[i]);
		assert_int_equal(temporary_count(*test), 1);
		assert_int_equal(fileio_read_fd(fd, 0, &before, &length), 0);
		assert_string_equal(before, "what was there");
		close(fd);
		assert_int_equal(unlink(path), 0);
	}
}

/* A mode that is given is the mode, whatever the old file has and whatever the umask is. */
static void test_replace_exact_mode(void **test)
{
	static const mode_t old_modes[] = { 0600, 0644, 0666, 0400, 04755 };
	_cleanup_free_ char *path = temporary_path(*test, "old");
	mode_t mask = umask(077);

	for (size_t i = 0; i < ARRAY_SIZE(old_modes); i++) {
		temporary_write(path, "old", old_modes[i]);
		assert_int_equal(fileio_replace(path, 0644, "new", 3), 0);
		assert_int_equal(temporary_mode(path), 0644);
		assert_int_equal(fileio_replace(path, 0600, "new", 3), 0);
		assert_int_equal(temporary_mode(path), 0600);
		assert_int_equal(unlink(path), 0);
	}
	umask(mask);
}

static void test_replace_keeps_owner(void **test)
{
	_cleanup_free_ char *path = temporary_path(*test, "owned");
	struct stat about;

	temporary_write(path, "old", 0640);
	if (chown(path, OTHER_OWNER, OTHER_OWNER) < 0)
		return; /* only root may give files away */
	assert_int_equal(fileio_replace(path, 0640, "new", 3), 0);
	assert_int_equal(stat(path, &about), 0);
	assert_int_equal(about.st_uid, OTHER_OWNER);
	assert_int_equal(about.st_gid, OTHER_OWNER);
	assert_int_equal(about.st_mode & 07777, 0640);
}

/* A link is replaced itself; its target's text and mode are not our business. */
static void test_replace_link(void **test)
{
	_cleanup_free_ char *path = temporary_path(*test, "link");
	_cleanup_free_ char *target = temporary_path(*test, "target");
	mode_t old = umask(022);
	int err;

	temporary_write(target, "target", 0666);
	assert_int_equal(symlink("target", path), 0);
	err = fileio_replace(path, 0644, "new", 3);
	umask(old);
	assert_int_equal(err, 0);
	temporary_assert_text(path, "new");
	temporary_assert_text(target, "target");
	assert_int_equal(temporary_mode(path), 0644);
}

/* A replaced file loses set-id bits: results are not a program. */
static void test_replace_drops_set_id(void **test)
{
	static const mode_t modes[] = { 04755, 02755, 01644, 06711 };
	_cleanup_free_ char *path = temporary_path(*test, "program");
	_cleanup_close_ int directory = open_directory(*test);

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		temporary_write(path, "program", modes[i]);
		assert_int_equal(fileio_replace_at(directory, "program", 0, "results", 7), 0);
		assert_int_equal(temporary_mode(path), modes[i] & 0777);
		assert_int_equal(unlink(path), 0);
	}
}

/* Left-over temporary files do not matter, and names can have any length. */
static void test_replace_names(void **test)
{
	char name[256];
	_cleanup_free_ char *beside = temporary_path(*test, "file.new"), *path = NULL;

	memset(name, 'n', 255);
	name[255] = '\0';
	path = temporary_path(*test, name);
	temporary_write(beside, "left over", 0600);
	assert_int_equal(fileio_replace(path, 0644, "first", 5), 0);
	assert_int_equal(fileio_replace(path, 0644, "second", 6), 0);
	temporary_assert_text(path, "second");
	temporary_assert_text(beside, "left over");
	assert_int_equal(temporary_count(*test), 2);
}

static void test_replace_errors(void **test)
{
	_cleanup_free_ char *directory = temporary_path(*test, "directory");
	_cleanup_free_ char *below = temporary_path(*test, "missing/file");
	_cleanup_free_ char *file = temporary_path(*test, "file");
	_cleanup_free_ char *under_file = temporary_path(*test, "file/below");

	assert_int_equal(mkdir(directory, 0755), 0);
	temporary_write(file, "old", 0644);
	assert_int_equal(fileio_replace(directory, 0644, "text", 4), -EISDIR);
	assert_int_equal(fileio_replace(below, 0644, "text", 4), -ENOENT);
	assert_int_equal(fileio_replace(under_file, 0644, "text", 4), -ENOTDIR);
	assert_int_equal(temporary_count(*test), 2);
	assert_int_equal(temporary_mode(directory), 0755);
	temporary_assert_text(file, "old");
}

/* A disk that takes the beginning only. */
static void test_replace_disk_full(void **test)
{
	_cleanup_free_ char *path = temporary_path(*test, "file"), *data = make_data(60000);
	_cleanup_free_ char *other = temporary_path(*test, "other");
	struct rlimit old, small;
	int err, err_new;

	temporary_write(path, "old", 0644);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = (struct rlimit){ .rlim_cur = 20000, .rlim_max = old.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	err = fileio_replace(path, 0644, data, 60000);
	err_new = fileio_replace(other, 0644, data, 60000);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(err, -EFBIG);
	assert_int_equal(err_new, -EFBIG);
	temporary_assert_text(path, "old");
	assert_int_equal(temporary_count(*test), 1);
}

/* Only files of ours with such a name that are old. */
static void test_remove_unfinished(void **test)
{
	static const struct {
		const char *name;
		int age_s;
		bool is_removed;
	} cases[] = {
		{ .name = ".isst-0123456789abcdef", .age_s = 11, .is_removed = true },
		{ .name = ".isst-1123456789abcdef", .age_s = 0, .is_removed = false },
		{ .name = ".isst-2123456789abcdef", .age_s = -60, .is_removed = false },
		{ .name = ".isst-0123456789abcde", .age_s = 60, .is_removed = false },
		{ .name = ".isst-0123456789abcdef0", .age_s = 60, .is_removed = false },
		{ .name = ".isst-0123456789abcdeF", .age_s = 60, .is_removed = false },
		{ .name = "isst-0123456789abcdef", .age_s = 60, .is_removed = false },
		{ .name = "isst.prom", .age_s = 60, .is_removed = false },
	};
	_cleanup_free_ char *target = temporary_path(*test, "isst.prom");
	_cleanup_free_ char *link = temporary_path(*test, ".isst-3123456789abcdef");
	_cleanup_free_ char *missing = temporary_path(*test, "missing/isst.prom");

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *path = temporary_path(*test, cases[i].name);
		const time_t then = time(NULL) - cases[i].age_s;
		const struct timespec times[] = { { .tv_sec = then }, { .tv_sec = then } };

		assert_int_equal(fileio_replace(path, 0644, "text", 4), 0);
		assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	}
	assert_int_equal(symlink("isst.prom", link), 0);
	fileio_remove_unfinished(missing);
	fileio_remove_unfinished(target);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *path = temporary_path(*test, cases[i].name);

		assert_int_equal(access(path, F_OK) < 0, cases[i].is_removed);
	}
	assert_int_equal(temporary_count(*test), ARRAY_SIZE(cases));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_replace_new, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_replace_old, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_replace_exact_mode, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_replace_keeps_owner, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_replace_link, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_replace_names, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_replace_drops_set_id, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_replace_errors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_replace_disk_full, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_remove_unfinished, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
