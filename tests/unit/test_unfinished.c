// SPDX-License-Identifier: GPL-2.0-only
/* The note of a writer, in a temporary run directory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "machine/lock.h"
#include "machine/unfinished.h"
#include "temporary.h"

/* Fails unless both ways of reading tell that text (NULL: none). */
static void assert_left(const char *directory, const char *wanted)
{
	_cleanup_free_ char *read = NULL, *found = NULL;

	assert_int_equal(unfinished_read(directory, &read), 0);
	assert_int_equal(unfinished_find(directory, &found), 0);
	if (wanted) {
		assert_string_equal(read, wanted);
		assert_string_equal(found, wanted);
	} else {
		assert_null(read);
		assert_null(found);
	}
}

/* Takes the lock, notes and dies. Returns its process id. */
static pid_t die_writing(const char *directory, const char *command)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		struct lock *lock = NULL;
		char *holder = NULL;

		if (lock_take(directory, NULL, &lock, &holder) == 0 &&
		    unfinished_begin(directory, command) == 0)
			kill(getpid(), SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	return pid;
}

static void test_killed(void **state)
{
	char *directory = temporary_make();
	_cleanup_free_ char *wanted = NULL;
	pid_t pid;

	(void)state;
	assert_left(directory, NULL);
	pid = die_writing(directory, "turbo-freq enable");
	assert_true(asprintf(&wanted, "%.32s, process %d, turbo-freq enable",
			     program_invocation_short_name, (int)pid) > 0);
	assert_left(directory, wanted);
	assert_int_equal(unfinished_end(directory), 0);
	assert_left(directory, NULL);
	assert_int_equal(unfinished_end(directory), 0);
	temporary_remove(directory);
}

/* Somebody who is writing has left nothing yet; what an earlier one left is replaced. */
static void test_writing(void **state)
{
	char *directory = temporary_make();
	_cleanup_free_ char *holder = NULL, *found = NULL, *read = NULL;
	struct lock *lock = NULL;

	(void)state;
	die_writing(directory, "a command with a long name");
	assert_int_equal(lock_take(directory, NULL, &lock, &holder), 0);
	assert_int_equal(unfinished_begin(directory, "short"), 0);
	assert_int_equal(unfinished_find(directory, &found), 0);
	assert_null(found);
	assert_int_equal(unfinished_read(directory, &read), 0);
	assert_non_null(strstr(read, ", short"));
	assert_null(strstr(read, "long"));
	assert_int_equal(unfinished_end(directory), 0);
	lock_release(&lock);
	temporary_remove(directory);
}

/* What stands in the file is shown only as far as it can be printed, and not without end. */
static void test_strange_text(void **state)
{
	char *directory = temporary_make();
	_cleanup_free_ char *path = temporary_path(directory, "unfinished");
	_cleanup_free_ char *text = NULL, *long_text = NULL, *shown = NULL;

	(void)state;
	temporary_write(path, "somebody\033[2J", 0644);
	assert_int_equal(unfinished_read(directory, &text), 0);
	assert_string_equal(text, "somebody");
	assert_true(asprintf(&long_text, "%0500d", 0) > 0);
	assert_int_equal(unlink(path), 0);
	temporary_write(path, long_text, 0644);
	assert_int_equal(unfinished_read(directory, &shown), 0);
	assert_int_equal(strlen(shown), 128);
	temporary_remove(directory);
}

static void test_no_directory(void **state)
{
	char *directory = temporary_make();
	_cleanup_free_ char *below = temporary_path(directory, "none");

	(void)state;
	assert_left(below, NULL);
	assert_int_equal(unfinished_begin(below, "x"), -ENOENT);
	assert_int_equal(unfinished_end(below), 0);
	assert_int_equal(access(below, F_OK), -1);
	temporary_remove(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_writing),
		cmocka_unit_test(test_strange_text),
		cmocka_unit_test(test_no_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
