// SPDX-License-Identifier: GPL-2.0-only
/* A wait lasts at least as long as it should, also while signals come in; one that can be stopped
 * ends when it is, whenever that is asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/wait.h"

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void ignore(int number)
{
	(void)number;
}

static void check_waits(void)
{
	static const uint64_t waits_us[] = { 0, 1, 999, 30000, 1050000 };

	for (size_t i = 0; i < ARRAY_SIZE(waits_us); i++) {
		uint64_t begin = now_us();

		wait_us_or_stop(NULL, waits_us[i]);
		assert_true(now_us() - begin >= waits_us[i]);
	}
}

static void test_alone(void **state)
{
	(void)state;
	check_waits();
}

static void test_with_signals(void **state)
{
	const struct itimerval often = { { 0, 5000 }, { 0, 5000 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = ignore }, before;

	(void)state;
	assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
	check_waits();
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
	assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
}

#define LONG_US 60000000 /* a wait that is not stopped fails the test */

/* Somebody who asks the program to stop when asked for the n-th time. */
struct asker {
	int fd;
	unsigned int n_asked;
	unsigned int stop_at; /* 0: never */
};

static bool is_asked(void *data)
{
	struct asker *asker = data;

	return ++asker->n_asked >= asker->stop_at && asker->stop_at;
}

static bool wait_for(struct asker *asker, uint64_t us, uint64_t *ret_took_us)
{
	const struct wait_stop stop = { .fd = asker->fd, .is_asked = is_asked, .data = asker };
	uint64_t begin = now_us();
	bool stopped = wait_us_or_stop(&stop, us);

	*ret_took_us = now_us() - begin;
	return stopped;
}

/* Without a request to stop it is a plain wait, also while signals come in. */
static void test_never_stopped(void **state)
{
	static const uint64_t waits_us[] = { 0, 1, 999, 30000, 150000 };
	const struct itimerval often = { { 0, 5000 }, { 0, 5000 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = ignore }, before;

	(void)state;
	assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(waits_us); i++) {
		struct asker asker = { .fd = eventfd(0, 0) }, without = { .fd = -1 };
		uint64_t begin = now_us(), took_us;

		assert_false(wait_for(&asker, waits_us[i], &took_us));
		assert_true(took_us >= waits_us[i]);
		assert_false(wait_for(&without, waits_us[i], &took_us));
		assert_true(took_us >= waits_us[i]);
		begin = now_us();
		assert_false(wait_us_or_stop(NULL, waits_us[i]));
		assert_true(now_us() - begin >= waits_us[i]);
		close(asker.fd);
	}
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
	assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
	assert_false(wait_is_stopped(NULL));
}

/* Asked before the wait; and between its question and its sleep, which the descriptor ends. */
static void test_stopped(void **state)
{
	(void)state;
	for (unsigned int at = 1; at <= 2; at++) {
		struct asker asker = { .fd = eventfd(1, 0), .stop_at = at };
		uint64_t took_us;

		assert_true(wait_for(&asker, LONG_US, &took_us));
		assert_true(took_us < LONG_US / 2);
		close(asker.fd);
	}
}

/* Without a descriptor it asks from time to time. */
static void test_stopped_without_descriptor(void **state)
{
	struct asker asker = { .fd = -1, .stop_at = 5 };
	uint64_t took_us;

	(void)state;
	assert_true(wait_for(&asker, LONG_US, &took_us));
	assert_true(took_us < LONG_US / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_with_signals),
		cmocka_unit_test(test_never_stopped),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_stopped_without_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
