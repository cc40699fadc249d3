// SPDX-License-Identifier: GPL-2.0-only
/* Directories of a test's own, made where the tests are built or in $TMPDIR. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "temporary.h"

#define NOBODY 65534

char *temporary_make(void)
{
	const char *parent = getenv("TMPDIR");
	_cleanup_free_ char *made = NULL;
	char *whole;

	assert_true(asprintf(&made, "%s/isst-unit-XXXXXX", parent && *parent ? parent : ".") > 0);
	assert_non_null(mkdtemp(made));
	assert_int_equal(chmod(made, 0755), 0);
	whole = realpath(made, NULL);
	assert_non_null(whole);
	return whole;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where)
{
	(void)about;
	(void)kind;
	(void)where;
	return remove(path);
}

void temporary_remove(char *directory)
{
	assert_int_equal(nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
	free(directory);
}

char *temporary_path(const char *directory, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", directory, name) > 0);
	return path;
}

void temporary_write(const char *path, const char *text, mode_t mode)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
}

void temporary_assert_text(const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t length = strlen(text);
	_cleanup_free_ char *found = calloc(1, length + 2);
	size_t got = 0;
	ssize_t step = 1;

	assert_true(fd >= 0);
	assert_non_null(found);
	while (step > 0 && got < length + 1) {
		step = read(fd, found + got, length + 1 - got);
		assert_true(step >= 0);
		got += (size_t)step;
	}
	assert_string_equal(found, text);
	assert_int_equal(got, length);
}

size_t temporary_count(const char *directory)
{
	DIR *open_directory = opendir(directory);
	size_t count = 0;

	assert_non_null(open_directory);
	while (readdir(open_directory))
		count++;
	closedir(open_directory);
	return count - 2; /* "." and ".." */
}

mode_t temporary_mode(const char *path)
{
	struct stat about;

	assert_int_equal(lstat(path, &about), 0);
	return about.st_mode & 07777;
}

void temporary_drop_rights(void)
{
	if (getuid() == 0)
		assert_int_equal(seteuid(NOBODY), 0);
}

void temporary_regain_rights(void)
{
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
}
