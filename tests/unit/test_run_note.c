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

#include "fake_files.h"
#include "temporary.h"
#include "base/cleanup.h"
#include "host/run_directory.h"

static struct fake_files kernel;

static void set_boot(const char *boot)
{
	fake_files_set(&kernel, boot, "/proc/sys/kernel/random/boot_id");
}

static int read_note(const char *directory, bool has_lock, char **ret_text)
{
	return run_note_read(&kernel.files, directory, has_lock, ret_text);
}

/* Fails unless both ways of reading give that text (NULL: none). */
static void assert_left(const char *directory, const char *wanted)
{
	_cleanup_free_ char *read = NULL, *found = NULL;

	assert_int_equal(read_note(directory, true, &read), 0);
	assert_int_equal(read_note(directory, false, &found), 0);
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

		if (lock_take(directory, LOCK_WAIT_MS, NULL, &lock, &holder) == 0 &&
		    run_note_write(&kernel.files, directory, command) == 0)
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
	assert_int_equal(run_note_remove(directory), 0);
	assert_left(directory, NULL);
	assert_int_equal(run_note_remove(directory), 0);
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
	assert_int_equal(lock_take(directory, LOCK_WAIT_MS, NULL, &lock, &holder), 0);
	assert_int_equal(run_note_write(&kernel.files, directory, "short"), 0);
	assert_int_equal(read_note(directory, false, &found), 0);
	assert_null(found);
	assert_int_equal(read_note(directory, true, &read), 0);
	assert_non_null(strstr(read, ", short"));
	assert_null(strstr(read, "long"));
	assert_int_equal(run_note_remove(directory), 0);
	lock_release(&lock);
	temporary_remove(directory);
}

/* An ordinary user may not open the lock, but reads the note: it counts unless its process is
 * there. */
static void test_other_user(void **state)
{
	char *directory = temporary_make();
	_cleanup_free_ char *holder = NULL, *left = NULL, *written = NULL;
	struct lock *lock = NULL;
	int err;

	(void)state;
	die_writing(directory, "turbo-freq enable");
	temporary_drop_rights();
	err = read_note(directory, false, &left);
	temporary_regain_rights();
	assert_int_equal(err, 0);
	assert_non_null(left);
	assert_non_null(strstr(left, ", turbo-freq enable"));
	assert_int_equal(lock_take(directory, LOCK_WAIT_MS, NULL, &lock, &holder), 0);
	assert_int_equal(run_note_write(&kernel.files, directory, "short"), 0);
	temporary_drop_rights();
	err = read_note(directory, false, &written);
	temporary_regain_rights();
	assert_int_equal(err, 0);
	assert_null(written);
	lock_release(&lock);
	temporary_remove(directory);
}

/* A note of an earlier boot is ignored. */
static void test_other_boot(void **state)
{
	char *directory = temporary_make();

	(void)state;
	die_writing(directory, "turbo-freq enable");
	set_boot("boot-2\n");
	assert_left(directory, NULL);
	set_boot("boot-1\n");
	temporary_remove(directory);
}

#define HEAD                                                                       \
	"{\"format\": \"intel-speed-select unfinished command\", \"version\": 1, " \
	"\"boot\": \"boot-1\", "

/* Only printable characters of a note are shown, up to a limit; a damaged note still shows that a
 * command was interrupted. */
static void test_strange_text(void **state)
{
	static const struct {
		const char *text;
		const char *shown;
	} vectors[] = {
		{ HEAD "\"program\": \"isst\", \"process\": 7, \"command\": \"x\\u001b[2J\"}",
		  "isst, process 7, x" },
		{ HEAD "\"program\": \"isst\", \"process\": 7}", "another process" },
		{ "somebody", "another process" },
		{ "", "another process" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		char *directory = temporary_make();
		_cleanup_free_ char *path = temporary_path(directory, "unfinished"), *text = NULL;

		print_message("%s\n", vectors[i].text);
		temporary_write(path, vectors[i].text, 0644);
		assert_int_equal(read_note(directory, true, &text), 0);
		assert_string_equal(text, vectors[i].shown);
		temporary_remove(directory);
	}
}

static void test_long_text(void **state)
{
	char *directory = temporary_make();
	_cleanup_free_ char *command = NULL, *shown = NULL;

	(void)state;
	assert_true(asprintf(&command, "%0500d", 0) > 0);
	assert_int_equal(run_note_write(&kernel.files, directory, command), 0);
	assert_int_equal(read_note(directory, true, &shown), 0);
	assert_int_equal(strlen(shown), 128);
	temporary_remove(directory);
}

static void test_no_directory(void **state)
{
	char *directory = temporary_make();
	_cleanup_free_ char *below = temporary_path(directory, "none");

	(void)state;
	assert_left(below, NULL);
	assert_int_equal(run_note_remove(below), 0);
	assert_int_equal(access(below, F_OK), -1);
	temporary_remove(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_killed),       cmocka_unit_test(test_writing),
		cmocka_unit_test(test_other_user),   cmocka_unit_test(test_other_boot),
		cmocka_unit_test(test_strange_text), cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_no_directory),
	};

	int failed;

	fake_files_init(&kernel);
	set_boot("boot-1\n");
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	fake_files_done(&kernel);
	return failed;
}
