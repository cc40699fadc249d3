// SPDX-License-Identifier: GPL-2.0-only
/* The real machine's files, below a directory, and the readers of usual contents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "base/cpuset.h"
#include "fake_files.h"
#include "temporary.h"

/* The real machine's files, and a directory to try them in. */
struct real {
	struct files *files;
	char *directory;
};

static int set_up(void **test)
{
	struct real *real = calloc(1, sizeof(*real));

	assert_non_null(real);
	real->directory = temporary_make();
	assert_int_equal(files_open_real(&real->files), 0);
	*test = real;
	return 0;
}

static int tear_down(void **test)
{
	struct real *real = *test;

	files_close_real(&real->files);
	assert_null(real->files);
	temporary_remove(real->directory);
	free(real);
	return 0;
}

static void test_lines(void **test)
{
	const struct real *real = *test;
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
	_cleanup_free_ char *path = temporary_path(real->directory, "file");

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *line = NULL;

		temporary_write(path, cases[i].text, 0644);
		assert_int_equal(files_read_line(real->files, path, &line), 0);
		assert_string_equal(line, cases[i].line);
		assert_int_equal(unlink(path), 0);
	}
}

static void test_numbers(void **test)
{
	const struct real *real = *test;
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
	_cleanup_free_ char *path = temporary_path(real->directory, "file");
	uint64_t value = 77;

	assert_int_equal(files_read_number(real->files, path, &value), -ENOENT);
	assert_int_equal(value, 77);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		value = 77;
		temporary_write(path, cases[i].text, 0644);
		assert_int_equal(files_read_number(real->files, path, &value), cases[i].err);
		assert_int_equal(value, cases[i].err ? 77 : cases[i].value);
		assert_int_equal(unlink(path), 0);
	}
}

static void test_cpus(void **test)
{
	const struct real *real = *test;
	_cleanup_free_ char *path = temporary_path(real->directory, "file");
	_cleanup_cpuset_ struct cpuset cpus = { 0 };

	assert_int_equal(files_read_cpus(real->files, path, &cpus), -ENOENT);
	temporary_write(path, "0-\n", 0644);
	assert_int_equal(files_read_cpus(real->files, path, &cpus), -EINVAL);
	assert_null(cpus.words);
	assert_int_equal(unlink(path), 0);
	temporary_write(path, "0-3,8\n", 0644);
	assert_int_equal(files_read_cpus(real->files, path, &cpus), 0);
	assert_int_equal(cpuset_count(&cpus), 5);
}

/* The limit goes through to the file that is read. */
static void test_limits(void **test)
{
	const struct real *real = *test;
	_cleanup_free_ char *path = temporary_path(real->directory, "file"), *text = NULL;
	struct files *files = real->files;
	size_t length;

	temporary_write(path, "0123456789", 0644);
	assert_int_equal(files->ops->read(files, path, 4, &text, &length), 0);
	assert_string_equal(text, "0123");
	assert_int_equal(length, 4);
}

static void test_writing(void **test)
{
	const struct real *real = *test;
	_cleanup_free_ char *path = temporary_path(real->directory, "file");
	_cleanup_free_ char *below = temporary_path(real->directory, "file/below");

	assert_int_equal(files_write(real->files, path, "1"), -ENOENT); /* makes no file */
	temporary_write(path, "what was there", 0644);
	assert_int_equal(files_write(real->files, path, "1"), 0);
	temporary_assert_text(path, "1");
	assert_int_equal(files_write(real->files, below, "1"), -ENOTDIR);
	assert_int_equal(files_write(real->files, real->directory, "1"), -EISDIR);
	assert_int_equal(files_write(real->files, "/dev/full", "1"), -ENOSPC);
}

/* Replaces what a file holds, by another descriptor. */
static void overwrite(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(close(fd), 0);
}

/* What is read back is what the file holds then, not what was written. */
static void test_read_back(void **test)
{
	const struct real *real = *test;
	_cleanup_free_ char *path = temporary_path(real->directory, "file");
	_cleanup_free_ char *other = temporary_path(real->directory, "other");
	static const char *const texts[] = { "800000", "3200000", "", "1\n" };

	temporary_write(path, "old", 0644);
	temporary_write(other, "another file\n", 0644);
	assert_int_equal(files_write(real->files, path, "1000000"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_free_ char *text = NULL, *wanted = strdup(texts[i]);

		overwrite(path, texts[i]);
		assert_int_equal(files_read_line(real->files, path, &text), 0);
		wanted[strcspn(wanted, "\n")] = '\0';
		assert_string_equal(text, wanted);
	}
	for (size_t i = 0; i < 2; i++) {
		_cleanup_free_ char *text = NULL;

		assert_int_equal(files_read_line(real->files, other, &text), 0);
		assert_string_equal(text, "another file");
	}
}

/* A write that failed is read back as well: what did it leave? */
static void test_read_back_failed(void **test)
{
	const struct real *real = *test;
	_cleanup_free_ char *missing = temporary_path(real->directory, "missing"), *text = NULL;

	assert_int_equal(files_write(real->files, missing, "1"), -ENOENT);
	assert_int_equal(files_read_line(real->files, missing, &text), -ENOENT);
	assert_null(text);
	assert_int_equal(files_write(real->files, "/dev/full", "1"), -ENOSPC);
	assert_int_equal(files_read_line(real->files, missing, &text), -ENOENT);
}

/* A file that may only be written is written, and only reading it back fails. */
static void test_write_only(void **test)
{
	const struct real *real = *test;
	_cleanup_free_ char *path = temporary_path(real->directory, "file"), *text = NULL;
	bool is_root = geteuid() == 0;

	temporary_write(path, "old", 0644);
	assert_int_equal(chmod(real->directory, 0755), 0);
	if (is_root) {
		assert_int_equal(chown(path, 65534, 65534), 0);
		assert_int_equal(seteuid(65534), 0);
	}
	assert_int_equal(chmod(path, 0200), 0);
	assert_int_equal(files_write(real->files, path, "1"), 0);
	assert_int_equal(files_read_line(real->files, path, &text), -EACCES);
	assert_null(text);
	assert_int_equal(chmod(path, 0444), 0);
	assert_int_equal(files_write(real->files, path, "2"), -EACCES);
	assert_int_equal(files_read_line(real->files, path, &text), 0);
	assert_string_equal(text, "1");
	if (is_root)
		assert_int_equal(seteuid(0), 0);
}

static size_t count_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	size_t count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

/* Reads and writes, with other descriptors opened and closed on the way. */
static void use_many(const struct real *real, const char *path)
{
	for (unsigned int i = 0; i < 500; i++) {
		_cleanup_free_ char *text = NULL, *read_back = NULL;
		FILE *other = i % 7 == 3 ? fopen(path, "r") : NULL;

		assert_int_equal(files_read_line(real->files, path, &text), 0);
		if (i % 3 == 0)
			assert_int_equal(files_write(real->files, path, "1"), 0);
		assert_int_equal(files_read_line(real->files, path, &read_back), 0);
		assert_string_equal(read_back, "1");
		if (other)
			assert_int_equal(fclose(other), 0);
	}
}

/* Descriptors are closed together, but soon, and at once when no more can be opened. */
static void test_descriptors(void **test)
{
	const struct real *real = *test;
	_cleanup_free_ char *path = temporary_path(real->directory, "file");
	size_t before = count_descriptors();
	struct files *files;
	struct real other;
	struct rlimit old, few;

	temporary_write(path, "1", 0644);
	use_many(real, path);
	assert_in_range(count_descriptors(), before, before + 40);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = (struct rlimit){ .rlim_cur = before + 8, .rlim_max = old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	use_many(real, path);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);

	before = count_descriptors();
	assert_int_equal(files_open_real(&files), 0);
	other = (struct real){ .files = files, .directory = real->directory };
	use_many(&other, path);
	files_close_real(&other.files);
	assert_int_equal(count_descriptors(), before);
}

/* An attribute that stays open is opened once, and read anew each time. */
static void test_keep_open(void **test)
{
	static const char changing[] = "/proc/sys/kernel/random/uuid";
	const struct real *real = *test;
	_cleanup_free_ char *path = temporary_path(real->directory, "file");
	struct rlimit old, few;
	struct files *files;
	size_t before, one;

	assert_int_equal(files_open_real(&files), 0);
	before = count_descriptors();
	files_keep_open(files, true);
	for (int i = 0; i < 3; i++) {
		_cleanup_free_ char *first = NULL, *second = NULL, *other = NULL;

		assert_int_equal(files_read_line(files, changing, &first), 0);
		assert_int_equal(files_read_line(files, changing, &second), 0);
		assert_int_equal(strlen(first), strlen(second));
		assert_string_not_equal(first, second);
		assert_int_equal(files_read_line(files, "/proc/sys/kernel/none", &other), -ENOENT);
	}
	one = count_descriptors();
	assert_int_equal(one, before + 1);
	/* other files are opened each time */
	temporary_write(path, "1", 0644);
	use_many(&(struct real){ .files = files, .directory = real->directory }, path);
	files_rest(files);
	assert_int_equal(count_descriptors(), one);
	files_keep_open(files, false);
	assert_int_equal(count_descriptors(), before);
	/* without descriptors to spare none stays open, and all is read */
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = (struct rlimit){ .rlim_cur = 1, .rlim_max = old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	files_keep_open(files, true);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	for (int i = 0; i < 2; i++) {
		_cleanup_free_ char *text = NULL;

		assert_int_equal(files_read_line(files, changing, &text), 0);
	}
	files_rest(files);
	assert_int_equal(count_descriptors(), before);
	files_close_real(&files);
}

/* A sysfs that has no place in the tree, for a root in which none is mounted. */
static int open_sysfs(void)
{
	_cleanup_close_ int context = (int)syscall(SYS_fsopen, "sysfs", FSOPEN_CLOEXEC);

	assert_true(context >= 0);
	assert_int_equal(syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0), 0);
	return (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY);
}

/* A file of sysfs is read whole too: this one is as long as the machine has CPUs. */
static void test_sysfs(void **test)
{
	static const char online[] = "/sys/devices/system/cpu/online";
	const struct real *real = *test;
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_close_ int sysfs = -1;
	_cleanup_free_ char *path = NULL;
	long n_online = sysconf(_SC_NPROCESSORS_ONLN);

	if (access(online, F_OK) == 0) {
		path = strdup(online);
	} else {
		sysfs = open_sysfs();
		assert_true(sysfs >= 0);
		assert_true(asprintf(&path, "/proc/self/fd/%d/devices/system/cpu/online", sysfs) >
			    0);
	}
	assert_non_null(path);
	assert_int_equal(files_read_cpus(real->files, path, &cpus), 0);
	assert_int_equal(cpuset_count(&cpus), n_online);
}

static void test_directories(void **test)
{
	const struct real *real = *test;
	static const char *const wanted[] = { "B", "a", "cpu0", "cpu1", "cpu10", "cpu2" };
	_cleanup_free_ char *missing = temporary_path(real->directory, "missing");
	char **names = NULL;

	assert_int_equal(files_list(real->files, missing, &names), -ENOENT);
	assert_int_equal(files_change_directory(real->files, missing, false), -ENOENT);
	assert_null(names);
	for (size_t i = ARRAY_SIZE(wanted); i > 0; i--) {
		_cleanup_free_ char *path = temporary_path(real->directory, wanted[i - 1]);

		assert_int_equal(files_change_directory(real->files, path, true), 0);
		assert_int_equal(files_change_directory(real->files, path, true), -EEXIST);
	}
	assert_int_equal(files_list(real->files, real->directory, &names), 0);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		_cleanup_free_ char *path = temporary_path(real->directory, wanted[i]);

		assert_string_equal(names[i], wanted[i]);
		assert_int_equal(files_change_directory(real->files, path, false), 0);
	}
	assert_null(names[ARRAY_SIZE(wanted)]);
	files_free_names(&names);
	assert_null(names);
	assert_int_equal(files_list(real->files, real->directory, &names), 0);
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
		cmocka_unit_test_setup_teardown(test_read_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_read_back_failed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_write_only, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_descriptors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_keep_open, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_sysfs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_directories, set_up, tear_down),
		cmocka_unit_test(test_other_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
