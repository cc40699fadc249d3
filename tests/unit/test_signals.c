// SPDX-License-Identifier: GPL-2.0-only
/* Signals that are noted, what was there before, and calls that they end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "run/signals.h"

static void set_action(int number, void (*handler)(int))
{
	const struct sigaction action = { .sa_handler = handler };

	assert_int_equal(sigaction(number, &action, NULL), 0);
}

static void (*handler_of(int number))(int)
{
	struct sigaction action;

	assert_int_equal(sigaction(number, NULL, &action), 0);
	return action.sa_handler;
}

static bool is_asked(void)
{
	struct wait_stop source = signals_source();

	return wait_is_stopped(&source);
}

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

static void test_noted(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		set_action(signals[i], SIG_DFL);
		assert_int_equal(signals_install(), 0);
		assert_false(is_asked());
		assert_int_equal(raise(signals[i]), 0);
		assert_true(is_asked());
		assert_int_equal(raise(signals[i]), 0);
		assert_true(is_asked());
		signals_settle();
		assert_true(is_asked()); /* the exit status comes later */
	}
}

static void test_forgotten(void **test)
{
	(void)test;
	assert_int_equal(signals_install(), 0);
	assert_int_equal(raise(SIGINT), 0);
	assert_int_equal(signals_install(), 0);
	assert_false(is_asked());
}

/* Results are still shown; who asks again need not wait for them. */
static void test_settled(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		set_action(signals[i], SIG_DFL);
		assert_int_equal(signals_install(), 0);
		signals_settle();
		assert_int_equal(raise(signals[i]), 0);
		assert_false(is_asked());
		assert_true(handler_of(signals[i]) == SIG_DFL);
	}
}

/* As a shell starts what it puts into the background. */
static void test_ignored(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		set_action(signals[i], SIG_IGN);
		assert_int_equal(signals_install(), 0);
		assert_int_equal(raise(signals[i]), 0);
		assert_false(is_asked());
		signals_settle();
		assert_true(handler_of(signals[i]) == SIG_IGN);
		set_action(signals[i], SIG_DFL);
	}
}

/* A closed pipe does not count as a request to stop. */
static void test_closed_pipe(void **test)
{
	(void)test;
	set_action(SIGPIPE, SIG_DFL);
	assert_int_equal(signals_install(), 0);
	assert_int_equal(raise(SIGPIPE), 0);
	assert_false(is_asked());
	signals_settle();
	assert_int_equal(raise(SIGPIPE), 0);
}

/* A write that meets a limit on file sizes fails instead. */
static void test_limit(void **test)
{
	(void)test;
	set_action(SIGXFSZ, SIG_DFL);
	assert_int_equal(signals_install(), 0);
	assert_int_equal(raise(SIGXFSZ), 0);
	assert_false(is_asked());
	signals_settle();
	assert_int_equal(raise(SIGXFSZ), 0);
}

static bool is_asked_again(void)
{
	struct wait_stop source = signals_source();

	return source.is_asked_again(source.data);
}

/* Two signals at once, as timeout(1) sends them, are one request: what is undone then is undone to
 * the end. One that comes later, but not SIGHUP, ends that, too. */
static void test_again(void **test)
{
	uint64_t begin_us;

	(void)test;
	do { /* unless this process did not run between the two */
		begin_us = wait_now_us();
		assert_int_equal(signals_install(), 0);
		assert_int_equal(raise(SIGTERM), 0);
		wait_us_or_stop(NULL, 1000);
		assert_int_equal(raise(SIGINT), 0);
	} while (wait_now_us() - begin_us > 90000);
	assert_true(is_asked());
	assert_false(is_asked_again());
	wait_us_or_stop(NULL, 110000);
	assert_int_equal(raise(SIGHUP), 0);
	assert_false(is_asked_again());
	assert_int_equal(raise(SIGINT), 0);
	assert_true(is_asked_again());
}

static bool is_readable(void)
{
	struct pollfd end = { .fd = signals_source().fd, .events = POLLIN };

	return poll(&end, 1, 0) == 1;
}

/* What waits for the descriptor is woken, also when the signal came before the wait. */
static void test_source(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		struct wait_stop source;

		assert_int_equal(signals_install(), 0);
		source = signals_source();
		assert_false(is_readable());
		assert_false(wait_is_stopped(&source));
		assert_int_equal(raise(signals[i]), 0);
		assert_true(is_readable());
		assert_true(is_readable());
		assert_true(wait_is_stopped(&source));
		assert_true(wait_us_or_stop(&source, 60000000));
	}
}

/* What the process waits in ends with EINTR instead of being started again. */
static void test_ends_calls(void **test)
{
	const struct itimerspec soon = { .it_value.tv_nsec = 50000000,
					 .it_interval.tv_nsec = 50000000 };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTERM };
	timer_t timer;
	int ends[2];
	char byte;

	(void)test;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(signals_install(), 0);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	assert_int_equal(timer_settime(timer, 0, &soon, NULL), 0);
	assert_int_equal(read(ends[0], &byte, 1), -1);
	assert_int_equal(errno, EINTR);
	assert_true(is_asked());
	assert_int_equal(timer_delete(timer), 0);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_noted),       cmocka_unit_test(test_forgotten),
		cmocka_unit_test(test_settled),     cmocka_unit_test(test_ignored),
		cmocka_unit_test(test_closed_pipe), cmocka_unit_test(test_limit),
		cmocka_unit_test(test_source),      cmocka_unit_test(test_ends_calls),
		cmocka_unit_test(test_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
