// SPDX-License-Identifier: GPL-2.0-only
/* The parent of a process in the background ends when that is ready, or as that ends before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "daemon/daemon.h"

enum way { READY, FAILS, IS_KILLED };

/* In a process of its own: goes into the background, and then that way. Does not return. */
static void go(enum way way, int done)
{
	int fd, status = 96, err = background_start(&fd, &status);

	if (err)
		_exit(err > 0 ? status : 99);
	switch (way) {
	case READY:
		usleep(100000);
		background_ready(fd);
		_exit(write(done, "", 1) == 1 && getppid() != getsid(0) ? 0 : 98);
	case FAILS:
		_exit(3);
	case IS_KILLED:
		kill(getpid(), SIGKILL);
	}
	_exit(97);
}

static void test_parent_status(void **state)
{
	static const int wanted[] = { [READY] = 0, [FAILS] = 3, [IS_KILLED] = 1 };

	(void)state;
	for (int way = READY; way <= IS_KILLED; way++) {
		int done[2], status;
		char byte;
		pid_t parent;

		assert_int_equal(pipe(done), 0);
		parent = fork();
		assert_true(parent >= 0);
		if (parent == 0)
			go((enum way)way, done[1]);
		close(done[1]);
		assert_int_equal(waitpid(parent, &status, 0), parent);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), wanted[way]);
		assert_int_equal(read(done[0], &byte, 1), way == READY);
		close(done[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_parent_status) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
