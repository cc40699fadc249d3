// SPDX-License-Identifier: GPL-2.0-only
/* Thermal netlink messages, sound and not (hardware.md, section 8). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/thermal.h>
#include <netlink/genl/genl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "capture.h"
#include "daemon/events.h"
#include "temporary.h"

#define FAMILY       30 /* any */
#define OPEN_EVENTS  "--open-events" /* what a copy of the test is to do */
#define OPEN_NOTHING "--open-nothing"

static struct nl_msg *make_message(uint8_t command)
{
	struct nl_msg *message = nlmsg_alloc();

	assert_non_null(message);
	assert_non_null(genlmsg_put(message, 0, 0, FAMILY, 0, 0, command, 1));
	return message;
}

static void put_cpu(struct nl_msg *message, uint32_t cpu)
{
	assert_int_equal(nla_put_u32(message, THERMAL_GENL_ATTR_CPU_CAPABILITY_ID, cpu), 0);
	assert_int_equal(nla_put_u32(message, THERMAL_GENL_ATTR_CPU_CAPABILITY_PERFORMANCE, 900),
			 0);
	assert_int_equal(nla_put_u32(message, THERMAL_GENL_ATTR_CPU_CAPABILITY_EFFICIENCY, 800), 0);
}

/* A list of the CPUs first, first + step... */
static struct nl_msg *make_list(uint32_t first, uint32_t step, uint32_t count)
{
	struct nl_msg *message = make_message(THERMAL_GENL_EVENT_CPU_CAPABILITY_CHANGE);
	struct nlattr *list = nla_nest_start(message, THERMAL_GENL_ATTR_CPU_CAPABILITY);

	assert_non_null(list);
	for (uint32_t i = 0; i < count; i++)
		put_cpu(message, first + i * step);
	assert_int_equal(nla_nest_end(message, list), 0);
	return message;
}

static void test_lists(void **state)
{
	static const struct {
		uint32_t first;
		uint32_t step;
		uint32_t count;
	} vectors[] = { { 0, 1, 1 }, { 3, 2, 16 }, { 1000, 1, 64 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		_cleanup_cpuset_ struct cpuset cpus = { 0 };
		struct nl_msg *message =
			make_list(vectors[i].first, vectors[i].step, vectors[i].count);

		assert_int_equal(events_decode(nlmsg_hdr(message), &cpus), 0);
		assert_int_equal(cpuset_count(&cpus), vectors[i].count);
		for (uint32_t cpu = 0; cpu < vectors[i].count; cpu++)
			assert_true(cpuset_has(&cpus, vectors[i].first + cpu * vectors[i].step));
		nlmsg_free(message);
	}
}

/* Events of other kinds are none of ours. */
static void test_others(void **state)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	struct nl_msg *message = make_message(THERMAL_GENL_EVENT_TZ_TRIP_UP);

	(void)state;
	assert_int_equal(nla_put_u32(message, THERMAL_GENL_ATTR_TZ_ID, 3), 0);
	assert_int_equal(events_decode(nlmsg_hdr(message), &cpus), 0);
	assert_true(cpuset_is_empty(&cpus));
	nlmsg_free(message);
}

static void test_nonsense(void **state)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	struct nl_msg *message = make_message(THERMAL_GENL_EVENT_CPU_CAPABILITY_CHANGE);
	struct nlattr *list;

	(void)state;
	assert_int_equal(events_decode(nlmsg_hdr(message), &cpus), -EBADMSG);
	list = nla_nest_start(message, THERMAL_GENL_ATTR_CPU_CAPABILITY);
	put_cpu(message, 7);
	assert_int_equal(nla_put_u16(message, THERMAL_GENL_ATTR_CPU_CAPABILITY_ID, 1), 0);
	nla_nest_end(message, list);
	assert_int_equal(events_decode(nlmsg_hdr(message), &cpus), -EBADMSG);
	nlmsg_free(message);
	message = make_list(UINT32_MAX, 1, 1);
	assert_int_equal(events_decode(nlmsg_hdr(message), &cpus), -EBADMSG);
	nlmsg_free(message);
	assert_true(cpuset_is_empty(&cpus));
}

/* Every byte of a message changed in turn, and every length: nothing outside it is read. */
static void test_damaged(void **state)
{
	struct nl_msg *message = make_list(0, 1, 4);
	size_t length = nlmsg_hdr(message)->nlmsg_len;

	(void)state;
	for (size_t i = 0; i < length; i++) {
		for (unsigned int value = 0; value < 256; value += 51) {
			_cleanup_cpuset_ struct cpuset cpus = { 0 };
			_cleanup_free_ unsigned char *copy = malloc(length);
			struct nlmsghdr *header = (struct nlmsghdr *)(void *)copy;
			int err;

			assert_non_null(copy);
			memcpy(copy, nlmsg_hdr(message), length);
			copy[i] = (unsigned char)value;
			if (header->nlmsg_len > length) /* what is longer is never received */
				header->nlmsg_len = (uint32_t)length;
			err = events_decode(header, &cpus);
			assert_true(err == 0 || err == -EBADMSG);
		}
	}
	nlmsg_free(message);
}

/* Ten thousand messages with several bytes changed: none does harm, and each is understood or
 * not. */
static void test_malformed(void **state)
{
	struct nl_msg *message = make_list(0, 1, 16);
	size_t length = nlmsg_hdr(message)->nlmsg_len, understood = 0, refused = 0;
	uint32_t seed = 1;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		_cleanup_cpuset_ struct cpuset cpus = { 0 };
		_cleanup_free_ unsigned char *copy = malloc(length);
		struct nlmsghdr *header = (struct nlmsghdr *)(void *)copy;
		int err;

		assert_non_null(copy);
		memcpy(copy, nlmsg_hdr(message), length);
		for (int changes = 1 + i % 8; changes > 0; changes--) {
			seed = seed * 1103515245 + 12345;
			copy[(seed >> 8) % length] = (unsigned char)(seed >> 24);
		}
		if (header->nlmsg_len > length)
			header->nlmsg_len = (uint32_t)length;
		err = events_decode(header, &cpus);
		understood += err == 0;
		refused += err == -EBADMSG;
	}
	assert_int_equal(understood + refused, 10000);
	assert_true(understood > 1000 && refused > 1000);
	nlmsg_free(message);
}

static int open_and_close(void)
{
	struct events *events = NULL;

	events_open(&events); /* whether there is a family "thermal" or not */
	events_close(&events);
	return 0;
}

/* libnl's message at the end is not ours. Naming the variable of the shared library here would make
 * another one. */
static int open_nothing(void)
{
#ifdef IS_STATIC
	nl_debug = 0;
#else
	int *debug = dlsym(RTLD_DEFAULT, "nl_debug");

	*debug = 0;
#endif
	return 0;
}

/* Runs a copy of the test with variables that libnl reads when it is loaded; its stderr to path. */
static void run_copy(const char *argument, const char *path)
{
	char program[PATH_MAX] = "";
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		/* in valgrind only this names the test */
		if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
			_exit(1);
		capture_start(STDERR_FILENO, path);
		setenv("NLCB", "debug", 1);
		setenv("NLDBG", "4", 1);
		execl(program, "test_events", argument, NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* The program cannot suppress what libnl prints when it is loaded; libnl does not print our
 * messages. */
static void test_environment(void **state)
{
	char *directory = temporary_make();
	_cleanup_free_ char *path = temporary_path(directory, "opened"), *said = NULL,
			    *loaded = temporary_path(directory, "loaded");
	size_t length;

	(void)state;
	run_copy(OPEN_NOTHING, loaded);
	run_copy(OPEN_EVENTS, path);
	assert_int_equal(fileio_read(loaded, 0, &said, &length), 0);
	temporary_assert_text(path, said);
	temporary_remove(directory);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),     cmocka_unit_test(test_others),
		cmocka_unit_test(test_nonsense),  cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_malformed), cmocka_unit_test(test_environment),
	};

	if (argc > 1 && strcmp(argv[1], OPEN_EVENTS) == 0)
		return open_and_close();
	if (argc > 1 && strcmp(argv[1], OPEN_NOTHING) == 0)
		return open_nothing();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
