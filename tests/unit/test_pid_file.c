// SPDX-License-Identifier: GPL-2.0-only
/* The daemon's process file, between two processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "temporary.h"
#include "base/cleanup.h"
#include "host/run_directory.h"

static void test_alone(void **state)
{
	char *directory = temporary_make();
	_cleanup_free_ char *below = temporary_path(directory, "run");
	_cleanup_free_ char *path = temporary_path(below, "oob.pid"), *text = NULL;
	struct lock *lock = NULL;
	pid_t pid = -1;

	(void)state;
	assert_true(asprintf(&text, "%d\n", (int)getpid()) > 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(lock_take_pid_file(below, "oob", &lock, &pid), 0);
		temporary_assert_text(path, text);
		lock_release(&lock);
		assert_null(lock);
		assert_int_equal(access(path, F_OK), -1);
	}
	lock_release(&lock);
	temporary_remove(directory);
}

/* Another process that holds the file; when it is killed, the file remains without a holder. */
static void test_second(void **state)
{
	char *directory = temporary_make();
	struct lock *lock = NULL;
	int ready[2];
	pid_t other, pid = 0;
	char byte;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	other = fork();
	assert_true(other >= 0);
	if (other == 0) {
		if (lock_take_pid_file(directory, "oob", &lock, &pid) == 0 &&
		    write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(lock_take_pid_file(directory, "oob", &lock, &pid), -EBUSY);
	assert_int_equal(pid, other);
	assert_int_equal(kill(other, SIGKILL), 0);
	assert_int_equal(waitpid(other, NULL, 0), other);
	assert_int_equal(lock_take_pid_file(directory, "oob", &lock, &pid), 0);
	lock_release(&lock);
	close(ready[0]);
	close(ready[1]);
	temporary_remove(directory);
}

static void test_untrusted(void **state)
{
	char *directory = temporary_make();
	_cleanup_free_ char *path = temporary_path(directory, "oob.lock");
	_cleanup_free_ char *target = temporary_path(directory, "target");
	struct lock *lock = NULL;
	pid_t pid;

	(void)state;
	temporary_write(path, "1\n", 0666);
	assert_int_equal(lock_take_pid_file(directory, "oob", &lock, &pid), -EPERM);
	assert_int_equal(unlink(path), 0);
	temporary_write(target, "precious", 0644);
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(lock_take_pid_file(directory, "oob", &lock, &pid), -ELOOP);
	temporary_assert_text(target, "precious");
	temporary_remove(directory);
}

/* The process file itself is not locked, and what is in its place is replaced. */
static void test_replaced(void **state)
{
	char *directory = temporary_make();
	_cleanup_free_ char *path = temporary_path(directory, "oob.pid"), *text = NULL;
	_cleanup_free_ char *target = temporary_path(directory, "target");
	_cleanup_close_ int fd = -1;
	struct lock *lock = NULL;
	pid_t pid;

	(void)state;
	assert_true(asprintf(&text, "%d\n", (int)getpid()) > 0);
	temporary_write(path, "1\n", 0644);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(lock_take_pid_file(directory, "oob", &lock, &pid), 0);
	temporary_assert_text(path, text);
	lock_release(&lock);
	temporary_write(target, "precious", 0644);
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(lock_take_pid_file(directory, "oob", &lock, &pid), 0);
	temporary_assert_text(target, "precious");
	temporary_assert_text(path, text);
	lock_release(&lock);
	temporary_remove(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_second),
		cmocka_unit_test(test_untrusted),
		cmocka_unit_test(test_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
