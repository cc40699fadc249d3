// SPDX-License-Identifier: GPL-2.0-only
/* Datagrams to a service manager that the test is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "temporary.h"
#include "base/cleanup.h"
#include "daemon/daemon.h"

static int listen_at(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	size_t length = strlen(name);

	assert_true(fd >= 0);
	assert_true(length < sizeof(address.sun_path));
	memcpy(address.sun_path, name, length);
	if (*name == '@')
		address.sun_path[0] = '\0';
	assert_int_equal(
		bind(fd, (struct sockaddr *)&address,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (*name == '/'))),
		0);
	return fd;
}

static void send_and_hear(const char *name)
{
	_cleanup_close_ int fd = listen_at(name);
	char heard[64] = { 0 };

	assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
	assert_int_equal(notify_send("READY=1\nSTATUS=fine"), 0);
	assert_int_equal(recv(fd, heard, sizeof(heard) - 1, 0), 19);
	assert_string_equal(heard, "READY=1\nSTATUS=fine");
}

static void test_send(void **state)
{
	char *directory = temporary_make();
	_cleanup_free_ char *path = temporary_path(directory, "socket"), *abstract = NULL;

	(void)state;
	send_and_hear(path);
	assert_true(asprintf(&abstract, "@isst-test-%d", (int)getpid()) > 0);
	send_and_hear(abstract);
	temporary_remove(directory);
}

/* A service manager that does not read does not stop the daemon. */
static void test_full(void **state)
{
	char *directory = temporary_make();
	_cleanup_free_ char *path = temporary_path(directory, "socket");
	_cleanup_close_ int fd = listen_at(path);
	int err = 0;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(setenv("NOTIFY_SOCKET", path, 1), 0);
	for (int sent = 0; !err && sent < 100000; sent++)
		err = notify_send("WATCHDOG=1");
	assert_int_equal(err, -EAGAIN);
	temporary_remove(directory);
}

/* No service manager is not a failure; an unusable socket name is. */
static void test_names(void **state)
{
	static const struct {
		const char *name;
		int err;
	} vectors[] = {
		{ NULL, 0 },
		{ "", -EINVAL },
		{ "/", -EINVAL },
		{ "relative", -EINVAL },
		{ "/nonexistent/socket", -ENOENT },
	};
	char long_name[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		if (vectors[i].name)
			assert_int_equal(setenv("NOTIFY_SOCKET", vectors[i].name, 1), 0);
		else
			assert_int_equal(unsetenv("NOTIFY_SOCKET"), 0);
		assert_int_equal(notify_send("READY=1"), vectors[i].err);
	}
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[0] = '/';
	long_name[sizeof(long_name) - 1] = '\0';
	assert_int_equal(setenv("NOTIFY_SOCKET", long_name, 1), 0);
	assert_int_equal(notify_send("READY=1"), -EINVAL);
}

static void test_watchdog(void **state)
{
	static const struct {
		const char *us;
		bool is_ours;
		uint64_t result;
	} vectors[] = {
		{ "2000000", true, 2000000 },
		{ "2000000", false, 0 },
		{ "0", true, 0 },
		{ "2s", true, 0 },
		{ "-1", true, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		char pid[16];

		snprintf(pid, sizeof(pid), "%d", (int)getpid() + !vectors[i].is_ours);
		assert_int_equal(setenv("WATCHDOG_USEC", vectors[i].us, 1), 0);
		assert_int_equal(setenv("WATCHDOG_PID", pid, 1), 0);
		assert_int_equal(notify_watchdog_us(), vectors[i].result);
	}
	unsetenv("WATCHDOG_PID");
	assert_int_equal(setenv("WATCHDOG_USEC", "5", 1), 0);
	assert_int_equal(notify_watchdog_us(), 5);
	unsetenv("WATCHDOG_USEC");
	assert_int_equal(notify_watchdog_us(), 0);
}

/* The variable is used only if it identifies stderr. */
static void test_journal(void **state)
{
	_cleanup_free_ char *right = NULL, *wrong = NULL;
	struct stat about;

	(void)state;
	assert_int_equal(fstat(STDERR_FILENO, &about), 0);
	assert_true(asprintf(&right, "%lu:%lu", about.st_dev, about.st_ino) > 0);
	assert_true(asprintf(&wrong, "%lu:%lu", about.st_dev, about.st_ino + 1) > 0);
	unsetenv("JOURNAL_STREAM");
	assert_false(notify_stderr_is_journal());
	assert_int_equal(setenv("JOURNAL_STREAM", right, 1), 0);
	assert_true(notify_stderr_is_journal());
	assert_int_equal(setenv("JOURNAL_STREAM", wrong, 1), 0);
	assert_false(notify_stderr_is_journal());
	assert_int_equal(setenv("JOURNAL_STREAM", "1", 1), 0);
	assert_false(notify_stderr_is_journal());
	unsetenv("JOURNAL_STREAM");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_send),    cmocka_unit_test(test_full),
		cmocka_unit_test(test_names),   cmocka_unit_test(test_watchdog),
		cmocka_unit_test(test_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
