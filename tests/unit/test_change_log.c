// SPDX-License-Identifier: GPL-2.0-only
/* Who changes settings: the line for syslog, and what the change journal has of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <unistd.h>

#include "fake_files.h"
#include "base/cleanup.h"
#include "host/change_log.h"
#include "host/host.h"
#include "host/run_directory.h"

static struct fake_files kernel;
static char program[] = "isst";
static char last_line[8192];

static void keep_line(struct host *host, const char *line)
{
	(void)host;
	snprintf(last_line, sizeof(last_line), "%s", line);
}

static const struct host_ops logging = { .log_change = keep_line };
static const struct host_ops silent = { 0 };

/* Sends the line of a command. */
static void send(const struct host_ops *ops, char *const *argv)
{
	struct host host = { .ops = ops, .files = &kernel.files };
	int argc = 0;

	while (argv[argc])
		argc++;
	last_line[0] = '\0';
	change_log_send(&host, argc, argv, "status %d, %d writes", 1, 7);
}

static void test_line(void **state)
{
	char option[] = "-o", file[] = "a b\n\xff", *argv[] = { program, option, file, NULL };
	_cleanup_free_ char *line = NULL;
	char now[CHANGE_LOG_TIME_SIZE];

	(void)state;
	fake_files_set(&kernel, "1000\n", "/proc/self/loginuid");
	send(&logging, argv);
	assert_true(asprintf(&line, "status 1, 7 writes, uid %u, login-uid 1000: isst -o a b??",
			     getuid()) > 0);
	assert_string_equal(last_line, line);
	send(&silent, argv);
	assert_string_equal(last_line, "");
	change_log_format_now(now);
	assert_int_equal(strlen(now), strlen("2026-01-02T03:04:05Z"));
	assert_int_equal(now[19], 'Z');
}

static void test_login(void **state)
{
	static const char *const texts[] = { NULL, "4294967295\n", "none\n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_json_ json_t *login = NULL;

		fake_files_remove(&kernel, "/proc/self/loginuid");
		if (texts[i])
			fake_files_set(&kernel, texts[i], "/proc/self/loginuid");
		login = change_log_read_login_user(&kernel.files);
		assert_true(json_is_null(login));
	}
}

/* No time is before one that another program has seen, as a coarse clock's is for some milliseconds
 * after each second. */
static void test_time(void **state)
{
	char text[CHANGE_LOG_TIME_SIZE], wanted[CHANGE_LOG_TIME_SIZE];
	struct timespec begin, now;
	struct tm fields;

	(void)state;
	clock_gettime(CLOCK_REALTIME, &begin);
	do {
		clock_gettime(CLOCK_REALTIME, &now);
		change_log_format_now(text);
	} while (now.tv_sec == begin.tv_sec);
	assert_non_null(gmtime_r(&now.tv_sec, &fields));
	assert_true(strftime(wanted, sizeof(wanted), "%Y-%m-%dT%H:%M:%SZ", &fields) > 0);
	assert_string_equal(text, wanted);
}

/* A command of any length makes a list of bounded length. */
static void test_long_command(void **state)
{
	char lengthy[5000], option[] = "-c", feature[] = "cpufreq";
	char *argv[] = { program, option, lengthy, feature, NULL };
	_cleanup_json_ json_t *words = NULL;

	(void)state;
	memset(lengthy, '1', sizeof(lengthy) - 1);
	lengthy[sizeof(lengthy) - 1] = '\0';
	words = change_log_pack_command(4, argv);
	assert_int_equal(json_array_size(words), 3);
	assert_string_equal(json_string_value(json_array_get(words, 2)), "...");
}

static int set_up(void **state)
{
	(void)state;
	fake_files_init(&kernel);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fake_files_done(&kernel);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_line, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_login, set_up, tear_down),
		cmocka_unit_test(test_time),
		cmocka_unit_test_setup_teardown(test_long_command, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
