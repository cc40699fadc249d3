// SPDX-License-Identifier: GPL-2.0-only
/* A wait lasts at least as long as it is told, also while signals come in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/time.h>
#include <time.h>

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

		wait_us(waits_us[i]);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_with_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
