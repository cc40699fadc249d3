// SPDX-License-Identifier: GPL-2.0-only
/* Borrowed settings: processes that are killed after each of their writes, and files of the run
 * directory that nothing may trust. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "temporary.h"
#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/fileio.h"
#include "host/run_directory.h"
#include "measure/borrowed.h"

#define STATE "/sys/devices/system/cpu/cpu3/cpuidle/state%d/disable"

/* Files of a directory, so that several processes see them; one may be killed by its writes. */
struct shared_files {
	struct files files;
	char *directory;
	int writes_left; /* before the process kills itself; -1: it does not */
};

static struct shared_files disk;
static struct host host;

/* As temporary_write(), of a file that may exist. */
static void put_text(const char *path, const char *text, mode_t mode)
{
	unlink(path);
	temporary_write(path, text, mode);
}

static char *disk_path(const char *path)
{
	char *mapped = temporary_path(disk.directory, path + 1);

	for (char *at = mapped + strlen(disk.directory) + 1; *at; at++)
		*at = *at == '/' ? '_' : *at;
	return mapped;
}

static int disk_read(struct files *files, const char *path, size_t limit, char **ret_text,
		     size_t *ret_length)
{
	_cleanup_free_ char *mapped = disk_path(path);

	(void)files;
	return fileio_read(mapped, limit, ret_text, ret_length);
}

static int disk_write(struct files *files, const char *path, const char *text)
{
	_cleanup_free_ char *mapped = disk_path(path);

	(void)files;
	if (disk.writes_left == 0)
		kill(getpid(), SIGKILL);
	disk.writes_left -= disk.writes_left > 0;
	if (access(mapped, F_OK))
		return -ENOENT;
	if (access(mapped, W_OK) || temporary_mode(mapped) == 0444)
		return -EPERM;
	put_text(mapped, text, 0644);
	return 0;
}

static const struct files_ops disk_ops = { .read = disk_read, .write = disk_write };

static void set_file(const char *path, const char *text)
{
	_cleanup_free_ char *mapped = disk_path(path);

	put_text(mapped, text, 0644);
}

static void set_state(int state, const char *text)
{
	char path[sizeof(STATE) + 12];

	snprintf(path, sizeof(path), STATE, state);
	set_file(path, text);
}

static void assert_state(int state, const char *text)
{
	char path[sizeof(STATE) + 12];
	_cleanup_free_ char *mapped = NULL;

	snprintf(path, sizeof(path), STATE, state);
	mapped = disk_path(path);
	temporary_assert_text(mapped, text);
}

/* States 0 to 2 are enabled, and state 3 is not. */
static int begin(void **test_state)
{
	(void)test_state;
	disk = (struct shared_files){
		.files.ops = &disk_ops,
		.directory = temporary_make(),
		.writes_left = -1,
	};
	host = (struct host){ .files = &disk.files, .run_directory = temporary_make() };
	set_file("/proc/sys/kernel/random/boot_id", "boot-1\n");
	for (int i = 0; i < 4; i++)
		set_state(i, i == 3 ? "1" : "0");
	return 0;
}

static int end(void **test_state)
{
	(void)test_state;
	temporary_remove((char *)(uintptr_t)host.run_directory);
	temporary_remove(disk.directory);
	return 0;
}

static void borrow(struct borrowed *borrowed)
{
	static const char *const set[] = { "0", "1", NULL };

	for (int i = 0; i < 4; i++) {
		char path[sizeof(STATE) + 12];

		snprintf(path, sizeof(path), STATE, i);
		assert_int_equal(borrowed_add(borrowed, path, i == 3 ? "1" : "0", set), 0);
	}
	assert_int_equal(borrowed_count(borrowed), 4);
	assert_int_equal(borrowed_begin(&host, borrowed, "measure wake", 60), 0);
}

/* Forces each state in turn, as measure wake does, and puts back. */
static void measure(void)
{
	_cleanup_borrowed_outcome_ struct borrowed_outcome outcome = { 0 };
	_cleanup_borrowed_ struct borrowed borrowed = { 0 };

	borrow(&borrowed);
	for (int forced = 0; forced < 4; forced++) {
		for (int i = 0; i < 4; i++) {
			char path[sizeof(STATE) + 12];

			snprintf(path, sizeof(path), STATE, i);
			files_write(host.files, path, i == forced ? "0" : "1");
		}
	}
	borrowed_end(&host, &borrowed, &outcome);
}

/* Runs the function in a process that is killed after that many writes; returns whether it was. */
static bool run_killed(void (*function)(void), int writes)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		disk.writes_left = writes;
		function();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status);
}

static void mend(void)
{
	_cleanup_borrowed_outcome_ struct borrowed_outcome outcome = { 0 };

	assert_int_equal(borrowed_mend(&host, &outcome), 0);
}

static void assert_found(void)
{
	for (int i = 0; i < 4; i++)
		assert_state(i, i == 3 ? "1" : "0");
	assert_int_equal(temporary_count(host.run_directory), 0);
}

/* Whatever the write that a process does not survive, and that its mender does not survive either:
 * the next one puts everything back. */
static void test_killed(void **state)
{
	int writes = 0;

	(void)state;
	while (run_killed(measure, writes)) {
		for (int mending = 0; run_killed(mend, mending); mending++)
			assert_int_equal(temporary_count(host.run_directory), 1);
		assert_found();
		writes++;
	}
	assert_true(writes > 16);
	assert_found();
}

/* Between two CPUs the values are put back, and all of it stays borrowed. */
static void test_between(void **state)
{
	_cleanup_borrowed_outcome_ struct borrowed_outcome outcome = { 0 };
	_cleanup_borrowed_ struct borrowed borrowed = { 0 };
	_cleanup_free_ char *text = NULL;

	(void)state;
	borrow(&borrowed);
	set_state(0, "1");
	set_state(3, "0");
	assert_int_equal(borrowed_put_back(&host, &borrowed), 0);
	assert_state(0, "0");
	assert_state(3, "1");
	text = borrowed_describe(&host);
	assert_non_null(text);
	assert_non_null(strstr(text, "4 settings"));
	set_state(1, "1");
	assert_int_equal(borrowed_end(&host, &borrowed, &outcome), 0);
	assert_string_equal(outcome.put_back, "cpu3/cpuidle/state1/disable");
	assert_found();
}

static void test_texts(void **state)
{
	_cleanup_borrowed_outcome_ struct borrowed_outcome outcome = { 0 }, none = { 0 };
	_cleanup_borrowed_ struct borrowed borrowed = { 0 };
	_cleanup_free_ char *owner = text_format("measure wake, process %d", (int)getpid());
	_cleanup_free_ char *holder = text_format("isst, process %d", (int)getpid());
	_cleanup_free_ char *left = NULL, *other = NULL, *reading = NULL;

	(void)state;
	borrow(&borrowed);
	left = borrowed_describe_holder(&host, holder);
	assert_true(!strcmp(left, "measure wake, 60 s left") ||
		    !strcmp(left, "measure wake, 59 s left"));
	other = borrowed_describe_holder(&host, "isst, process 1");
	assert_null(other);
	reading = borrowed_describe(&host);
	assert_non_null(
		strstr(reading, "ended before it put back what it had changed (4 settings"));
	set_state(1, "1");
	set_state(2, "7\n");
	assert_int_equal(borrowed_mend(&host, &outcome), 0);
	assert_string_equal(outcome.owner, owner);
	assert_string_equal(outcome.put_back, "cpu3/cpuidle/state1/disable");
	assert_string_equal(outcome.changed, "cpu3/cpuidle/state2/disable (now 7)");
	assert_null(outcome.failed);
	assert_null(outcome.gone);
	assert_state(1, "0");
	assert_state(2, "7\n");
	assert_int_equal(borrowed_mend(&host, &none), 0);
	assert_null(none.owner);
	assert_null(borrowed_describe(&host));
}

/* The owner is still there, and holds the lock. */
static void test_running(void **state)
{
	_cleanup_borrowed_ struct borrowed borrowed = { 0 };
	_cleanup_lock_ struct lock *lock = NULL;
	_cleanup_free_ char *holder = NULL, *text = NULL;

	(void)state;
	assert_int_equal(lock_take(host.run_directory, 0, NULL, &lock, &holder), 0);
	borrow(&borrowed);
	text = borrowed_describe(&host);
	assert_non_null(strstr(text, "has changed 4 settings for a while, "));
}

/* A file that cannot be written keeps its entry, and no other. */
static void test_failed(void **state)
{
	_cleanup_borrowed_outcome_ struct borrowed_outcome outcome = { 0 }, later = { 0 };
	_cleanup_borrowed_ struct borrowed borrowed = { 0 };
	_cleanup_free_ char *path =
		disk_path("/sys/devices/system/cpu/cpu3/cpuidle/state1/disable");
	_cleanup_free_ char *gone =
		disk_path("/sys/devices/system/cpu/cpu3/cpuidle/state0/disable");

	(void)state;
	borrow(&borrowed);
	set_state(1, "1");
	set_state(2, "1");
	assert_int_equal(chmod(path, 0444), 0);
	assert_int_equal(unlink(gone), 0);
	assert_int_equal(borrowed_end(&host, &borrowed, &outcome), -EPERM);
	assert_string_equal(outcome.put_back, "cpu3/cpuidle/state2/disable");
	assert_string_equal(outcome.gone, "cpu3/cpuidle/state0/disable");
	assert_string_equal(outcome.failed,
			    "cpu3/cpuidle/state1/disable (Operation not permitted)");
	assert_int_equal(temporary_count(host.run_directory), 1);
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(borrowed_mend(&host, &later), 0);
	assert_string_equal(later.put_back, "cpu3/cpuidle/state1/disable");
	assert_null(later.gone);
	assert_int_equal(temporary_count(host.run_directory), 0);
}

/* The owner knows what it borrowed, whatever became of the file. */
static void test_file_is_gone(void **state)
{
	_cleanup_borrowed_outcome_ struct borrowed_outcome outcome = { 0 };
	_cleanup_borrowed_ struct borrowed borrowed = { 0 };

	(void)state;
	borrow(&borrowed);
	set_state(0, "1");
	assert_int_equal(borrowed_forget(&host), 0);
	assert_int_equal(borrowed_end(&host, &borrowed, &outcome), 0);
	assert_string_equal(outcome.put_back, "cpu3/cpuidle/state0/disable");
	assert_state(0, "0");
}

static void test_other_boot(void **state)
{
	_cleanup_borrowed_outcome_ struct borrowed_outcome outcome = { 0 };
	_cleanup_borrowed_ struct borrowed borrowed = { 0 };

	(void)state;
	borrow(&borrowed);
	set_state(0, "1");
	set_file("/proc/sys/kernel/random/boot_id", "boot-2\n");
	assert_null(borrowed_describe(&host));
	assert_int_equal(borrowed_mend(&host, &outcome), 0);
	assert_null(outcome.put_back);
	assert_state(0, "1");
}

#define HEAD                                                                                           \
	"{\"format\": \"intel-speed-select borrowed settings\", \"version\": 1, \"boot\": \"boot-1\"," \
	" \"command\": \"measure wake\", \"process\": 1, \"until-s\": 1, \"settings\": "
#define FILE_OF(path) HEAD "[{\"file\": \"" path "\", \"found\": \"0\", \"set\": [\"1\"]}]}"

/* Nothing is written for a file that is none of ours, or names what we never borrow. */
static void test_damaged(void **state)
{
	static const char *const texts[] = {
		"",
		"somebody",
		"[]",
		"{}",
		HEAD "7}",
		HEAD "[7]}",
		HEAD "[{\"file\": \"/sys/a\", \"found\": 0, \"set\": [\"1\"]}]}",
		HEAD "[{\"file\": \"/sys/a\", \"found\": \"0\", \"set\": \"1\"}]}",
		HEAD "[{\"file\": \"/sys/a\", \"found\": \"0\", \"set\": [1]}]}",
		HEAD "[{\"file\": \"/sys/a\", \"found\": \"0\"}]}",
		HEAD "[{\"file\": \"/sys/a\", \"found\": \"0\", \"set\": [], \"more\": 1}]}",
		HEAD "[{\"file\": \"/sys/a\", \"found\": \"\\u001b\", \"set\": []}]}",
		FILE_OF("/etc/passwd"),
		FILE_OF("sys/a"),
		FILE_OF("/sys/../etc/passwd"),
		FILE_OF("/sys/\\n"),
	};
	_cleanup_free_ char *path = temporary_path(host.run_directory, "borrowed.json");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_borrowed_outcome_ struct borrowed_outcome outcome = { 0 };
		_cleanup_free_ char *text = NULL;

		print_message("%s\n", texts[i]);
		put_text(path, texts[i], 0644);
		assert_int_equal(borrowed_mend(&host, &outcome), -EBADMSG);
		text = borrowed_describe(&host);
		assert_non_null(strstr(text, "borrowed.json cannot be used (it is damaged"));
		assert_null(borrowed_describe_holder(&host, "isst, process 1"));
	}
	temporary_assert_text(path, texts[ARRAY_SIZE(texts) - 1]);
}

/* Others could have written it, or it is a link: it is not followed. */
static void test_hostile(void **state)
{
	_cleanup_free_ char *path = temporary_path(host.run_directory, "borrowed.json");
	_cleanup_free_ char *elsewhere = temporary_path(disk.directory, "elsewhere");
	static const char text[] = FILE_OF("/sys/devices/system/cpu/cpu3/cpuidle/state0/disable");
	_cleanup_borrowed_outcome_ struct borrowed_outcome outcome = { 0 };

	(void)state;
	set_state(0, "1");
	put_text(path, text, 0666);
	assert_int_equal(borrowed_mend(&host, &outcome), -EPERM);
	put_text(path, text, 0664);
	assert_int_equal(borrowed_mend(&host, &outcome), -EPERM);
	if (geteuid() == 0) {
		put_text(path, text, 0644);
		assert_int_equal(chown(path, 12345, 0), 0);
		assert_int_equal(borrowed_mend(&host, &outcome), -EPERM);
	}
	assert_int_equal(unlink(path), 0);
	put_text(elsewhere, text, 0644);
	assert_int_equal(symlink(elsewhere, path), 0);
	assert_int_equal(borrowed_mend(&host, &outcome), -ELOOP);
	assert_state(0, "1");
	assert_int_equal(unlink(path), 0);
	put_text(path, text, 0644);
	assert_int_equal(borrowed_mend(&host, &outcome), 0);
	assert_state(0, "0");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_killed),     TEST(test_between), TEST(test_texts),
		TEST(test_running),    TEST(test_failed),  TEST(test_file_is_gone),
		TEST(test_other_boot), TEST(test_damaged), TEST(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
