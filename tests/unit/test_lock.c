// SPDX-License-Identifier: GPL-2.0-only
/* The lock between two processes, in a temporary run directory. */
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
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "temporary.h"
#include "base/cleanup.h"
#include "host/run_directory.h"

#define FAR_AWAY_S 60

/* Another process that holds the lock until it is asked to release it. */
struct other {
	pid_t pid;
	int to_it; /* closing it lets go */
};

static void hold(const char *directory, int ready, int wait)
{
	struct lock *lock = NULL;
	char *holder = NULL, byte = 0;

	alarm(FAR_AWAY_S);
	if (lock_take(directory, LOCK_WAIT_MS, NULL, &lock, &holder) == 0 &&
	    write(ready, &byte, 1) == 1 && read(wait, &byte, 1) == 0) {
		lock_release(&lock);
		_exit(0);
	}
	_exit(1);
}

static struct other start_other(const char *directory)
{
	int ready[2], wait[2];
	struct other other;
	char byte;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(wait), 0);
	other.pid = fork();
	assert_true(other.pid >= 0);
	if (other.pid == 0) {
		signal(SIGHUP, SIG_DFL); /* ignored where this runs below nohup */
		close(wait[1]);
		hold(directory, ready[1], wait[0]);
	}
	close(ready[1]);
	close(wait[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	other.to_it = wait[1];
	return other;
}

static void end_other(const struct other *other, int signal)
{
	int status;

	if (signal)
		assert_int_equal(kill(other->pid, signal), 0);
	close(other->to_it);
	assert_int_equal(waitpid(other->pid, &status, 0), other->pid);
	if (signal)
		assert_true(WIFSIGNALED(status));
	else
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void take_and_release(const char *directory)
{
	_cleanup_free_ char *holder = NULL;
	struct lock *lock = NULL;

	assert_int_equal(lock_take(directory, LOCK_WAIT_MS, NULL, &lock, &holder), 0);
	assert_non_null(lock);
	assert_null(holder);
	lock_release(&lock);
	assert_null(lock);
	lock_release(&lock);
}

static void test_alone(void **test)
{
	char *directory = temporary_make();
	_cleanup_free_ char *below = temporary_path(directory, "run/deep");
	_cleanup_free_ char *path = temporary_path(below, "lock"), *text = NULL, *holder = NULL;
	struct lock *lock = NULL;

	(void)test;
	assert_int_equal(lock_take(below, LOCK_WAIT_MS, NULL, &lock, &holder), 0);
	assert_true(asprintf(&text, "%.32s, process %d\n", program_invocation_short_name,
			     (int)getpid()) > 0);
	temporary_assert_text(path, text);
	assert_int_equal(temporary_mode(path), 0600);
	lock_release(&lock);
	take_and_release(below);
	temporary_remove(directory);
}

static void test_held(void **test)
{
	char *directory = temporary_make();
	struct other other = start_other(directory);
	_cleanup_free_ char *holder = NULL, *wanted = NULL, *seen = NULL;
	struct lock *lock = NULL;
	double start = now_s();

	(void)test;
	assert_int_equal(lock_take(directory, LOCK_WAIT_MS, NULL, &lock, &holder), -EBUSY);
	assert_true(now_s() - start >= 1.9);
	assert_true(now_s() - start < 10); /* on a loaded machine */
	assert_null(lock);
	assert_true(asprintf(&wanted, "%.32s, process %d", program_invocation_short_name,
			     (int)other.pid) > 0);
	assert_string_equal(holder, wanted);
	assert_int_equal(lock_is_held(directory, &seen), 1);
	assert_string_equal(seen, wanted);
	end_other(&other, 0);
	free(seen);
	assert_int_equal(lock_is_held(directory, &seen), 0);
	assert_null(seen);
	take_and_release(directory);
	temporary_remove(directory);
}

/* The caller waits for the lock and gets it as soon as it is free. */
static void test_wait(void **test)
{
	char *directory = temporary_make();
	struct other other = start_other(directory);
	pid_t helper = fork();

	(void)test;
	assert_true(helper >= 0);
	if (helper == 0) {
		nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
		kill(other.pid, SIGKILL);
		_exit(0);
	}
	take_and_release(directory);
	end_other(&other, SIGKILL);
	assert_int_equal(waitpid(helper, NULL, 0), helper);
	temporary_remove(directory);
}

static void test_killed(void **test)
{
	static const int signals[] = { SIGKILL, SIGTERM, SIGHUP };
	char *directory = temporary_make();

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		struct other other = start_other(directory);

		end_other(&other, signals[i]);
		take_and_release(directory);
	}
	temporary_remove(directory);
}

/* Removing the file removes the lock; a process must not hold a lock that others cannot see. */
static void test_removed(void **test)
{
	char *directory = temporary_make();
	_cleanup_free_ char *path = temporary_path(directory, "lock");
	struct other other = start_other(directory);

	(void)test;
	assert_int_equal(unlink(path), 0);
	take_and_release(directory);
	end_other(&other, 0);
	temporary_remove(directory);
}

static volatile sig_atomic_t n_signals;

static void handle(int number)
{
	(void)number;
	n_signals++;
}

static bool is_stopped(void *data)
{
	return n_signals >= *(const int *)data;
}

/* Signals that do not ask the program to stop do not end a wait; the others do. */
static void test_interrupted(void **test)
{
	const struct itimerval often = { .it_interval.tv_usec = 7000, .it_value.tv_usec = 7000 };
	const struct sigaction action = { .sa_handler = handle };
	int enough = 30;
	const struct wait_stop stop = { .fd = -1, .is_asked = is_stopped, .data = &enough };
	char *directory = temporary_make();
	struct other other = start_other(directory);
	_cleanup_free_ char *holder = NULL;
	struct lock *lock = NULL;
	struct sigaction old;

	(void)test;
	assert_int_equal(sigaction(SIGALRM, &action, &old), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
	assert_int_equal(lock_take(directory, LOCK_WAIT_MS, &stop, &lock, &holder), -EINTR);
	assert_true(n_signals >= enough);
	assert_null(holder);
	assert_int_equal(setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL), 0);
	assert_int_equal(sigaction(SIGALRM, &old, NULL), 0);
	end_other(&other, 0);
	temporary_remove(directory);
}

/* Other things in place of the lock file, and the results. */
static void make_link(const char *path, const char *target)
{
	assert_int_equal(symlink(target, path), 0);
}

static void make_hard_link(const char *path, const char *target)
{
	assert_int_equal(link(target, path), 0);
}

static void make_directory(const char *path, const char *target)
{
	(void)target;
	assert_int_equal(mkdir(path, 0755), 0);
}

static void make_pipe(const char *path, const char *target)
{
	(void)target;
	assert_int_equal(mkfifo(path, 0600), 0);
}

static void make_socket(const char *path, const char *target)
{
	(void)target;
	assert_int_equal(mknod(path, S_IFSOCK | 0600, 0), 0);
}

static void make_public(const char *path, const char *target)
{
	(void)target;
	temporary_write(path, "", 0666);
}

static void make_foreign(const char *path, const char *target)
{
	(void)target;
	temporary_write(path, "", 0644);
	if (getuid() == 0)
		assert_int_equal(chown(path, 4321, 4321), 0);
	else
		assert_int_equal(chmod(path, 0646), 0); /* the best that we can do */
}

static void test_refused(void **test)
{
	static const struct {
		void (*make)(const char *path, const char *target);
		int err;
		const char *problem; /* a part of it */
	} vectors[] = {
		{ make_link, -ELOOP, "it is a link" },
		{ make_hard_link, -EPERM, "another user's" },
		{ make_directory, -EISDIR, "the file lock in it is a directory" },
		{ make_pipe, -EINVAL,
		  "the file lock in it is a FIFO and should be a regular file; remove" },
		{ make_socket, -ENXIO, "the file lock in it is a socket" },
		{ make_public, -EPERM, "others may write" },
		{ make_foreign, -EPERM, "another user's" },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		char *directory = temporary_make();
		_cleanup_free_ char *path = temporary_path(directory, "lock");
		_cleanup_free_ char *target = temporary_path(directory, "target");
		_cleanup_free_ char *holder = NULL, *problem = NULL;
		struct lock *lock = NULL;

		temporary_write(target, "precious", 0644);
		vectors[i].make(path, target);
		assert_int_equal(lock_take(directory, LOCK_WAIT_MS, NULL, &lock, &holder),
				 vectors[i].err);
		problem = lock_problem(directory, vectors[i].err);
		assert_non_null(problem);
		assert_non_null(strstr(problem, vectors[i].problem));
		assert_null(lock);
		assert_null(holder);
		temporary_assert_text(target, "precious");
		temporary_remove(directory);
	}
}

/* A link to nowhere does not let us make a file there. */
static void test_dangling_link(void **test)
{
	char *directory = temporary_make();
	_cleanup_free_ char *path = temporary_path(directory, "lock");
	_cleanup_free_ char *target = temporary_path(directory, "target");
	_cleanup_free_ char *holder = NULL;
	struct lock *lock = NULL;

	(void)test;
	make_link(path, target);
	assert_int_equal(lock_take(directory, LOCK_WAIT_MS, NULL, &lock, &holder), -ELOOP);
	assert_int_equal(access(target, F_OK), -1);
	temporary_remove(directory);
}

/* Of the text in a holder's file only printable characters are shown. */
static void test_strange_text(void **test)
{
	static const struct {
		const char *text;
		const char *holder;
	} vectors[] = {
		{ "\033[2Jbad", "another process" },
		{ "name\tmore\n", "name" },
		{ "0123456789012345678901234567890123456789012345678901234567890123456789",
		  "0123456789012345678901234567890123456789012345678901234567890123" },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		char *directory = temporary_make();
		_cleanup_free_ char *path = temporary_path(directory, "lock");
		_cleanup_free_ char *holder = NULL;
		struct other other = start_other(directory);
		struct lock *lock = NULL;
		FILE *file = fopen(path, "w");

		assert_non_null(file);
		fputs(vectors[i].text, file);
		assert_int_equal(fclose(file), 0);
		assert_int_equal(lock_take(directory, LOCK_WAIT_MS, NULL, &lock, &holder), -EBUSY);
		assert_string_equal(holder, vectors[i].holder);
		end_other(&other, 0);
		temporary_remove(directory);
	}
}

static void test_forbidden(void **test)
{
	char *directory = temporary_make();
	_cleanup_free_ char *below = temporary_path(directory, "run");
	_cleanup_free_ char *holder = NULL;
	struct lock *lock = NULL;

	(void)test;
	assert_int_equal(chmod(directory, 0555), 0);
	temporary_drop_rights();
	assert_int_equal(lock_take(below, LOCK_WAIT_MS, NULL, &lock, &holder), -EACCES);
	assert_int_equal(lock_take(directory, LOCK_WAIT_MS, NULL, &lock, &holder), -EACCES);
	temporary_regain_rights();
	assert_int_equal(chmod(directory, 0755), 0);
	temporary_remove(directory);
}

/* The run directory is none. */
static void test_not_a_directory(void **test)
{
	char *directory = temporary_make();
	_cleanup_free_ char *below = temporary_path(directory, "file");
	_cleanup_free_ char *holder = NULL;
	struct lock *lock = NULL;

	(void)test;
	temporary_write(below, "", 0644);
	assert_int_equal(lock_take(below, LOCK_WAIT_MS, NULL, &lock, &holder), -ENOTDIR);
	temporary_remove(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_wait),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_removed),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_dangling_link),
		cmocka_unit_test(test_strange_text),
		cmocka_unit_test(test_forbidden),
		cmocka_unit_test(test_not_a_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
