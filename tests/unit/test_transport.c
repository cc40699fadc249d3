// SPDX-License-Identifier: GPL-2.0-only
/* The tracing transport in front of one that answers by script; opening the device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>

#include "base/cleanup.h"
#include "isst_abi.h"
#include "temporary.h"
#include "host/transport.h"

/* Answers every request in one way, and remembers what it was asked. */
struct scripted {
	struct transport transport;
	int result;
	const void *answer; /* copied over the argument before the result is returned */
	size_t answer_size;
	uint32_t request;
	void *argument;
	unsigned int closed;
};

static int scripted_request(struct transport *transport, uint32_t request, void *argument)
{
	struct scripted *scripted = (struct scripted *)transport;

	scripted->request = request;
	scripted->argument = argument;
	if (scripted->answer)
		memcpy(argument, scripted->answer, scripted->answer_size);
	return scripted->result;
}

static void scripted_close(struct transport *transport)
{
	((struct scripted *)transport)->closed++;
}

static const struct transport_ops scripted_ops = {
	.request = scripted_request,
	.close = scripted_close,
};

/* Room for the entries of the tables below, which are written as words. */
union batch {
	uint32_t words[32];
	struct isst_if_platform_info info;
	struct isst_if_cpu_maps ids;
	struct isst_if_msr_cmds msrs;
};

struct trace_case {
	uint32_t request;
	int result;
	union batch answer;
	const char *lines;
};

static const struct trace_case trace_cases[] = {
	{ .request = ISST_IF_GET_PLATFORM_INFO,
	  .answer.info = { .api_version = 1,
			   .driver_version = 2,
			   .max_cmds_per_ioctl = 64,
			   .mbox_supported = 1 },
	  .lines = "platform info: api_version:1 driver_version:2 max_cmds_per_ioctl:64 "
		   "mbox_supported:1 mmio_supported:0\n" },
	{ .request = ISST_IF_GET_PHY_ID,
	  .result = 2,
	  .answer.words = { 2, 0, 4, 4294967295, 0xffffffff },
	  .lines = "phys id: logical_cpu:0 physical_cpu:0x4\n"
		   "phys id: logical_cpu:4294967295 physical_cpu:0xffffffff\n" },
	{ .request = ISST_IF_GET_PHY_ID, /* stopped in the middle: only what was done shows */
	  .result = 1,
	  .answer.words = { 3, 7, 0x1e, 8, 0, 9, 0 },
	  .lines = "phys id: logical_cpu:7 physical_cpu:0x1e\n" },
	{ .request = ISST_IF_IO_CMD,
	  .result = 2,
	  .answer.words = { 2, 0, 3, 0x08, 0x00ff0a00, 1, 4, 0x24, 0x30000 },
	  .lines = "mmio read: logical_cpu:3 reg:0x8 value:0xff0a00\n"
		   "mmio write: logical_cpu:4 reg:0x24 value:0x30000\n" },
	{ .request = ISST_IF_MBOX_COMMAND,
	  .result = 1,
	  .answer.words = { 1, 5, 8, 0x102, 0x80040103, 0x0007007f, 0 },
	  .lines = "mbox: logical_cpu:5 command:0x7f sub_command:0x7 parameter:0x8 "
		   "req_data:0x102 resp_data:0x80040103\n" },
	{ .request = ISST_IF_MSR_COMMAND,
	  .result = 2,
	  .answer.words = { 2, 0, 0, 6, 0x1ad, 0, 0x1e202224, 0x1a1b1c1d, 1, 7, 0x64b, 0, 1, 0 },
	  .lines = "msr read: logical_cpu:6 msr:0x1ad data:0x1a1b1c1d1e202224\n"
		   "msr write: logical_cpu:7 msr:0x64b data:0x1\n" },
	{ .request = ISST_IF_MBOX_COMMAND,
	  .result = -EBUSY,
	  .answer.words = { 1, 5 },
	  .lines = "request 0xc008fe03: Device or resource busy\n" },
	{ .request = ISST_IF_GET_PLATFORM_INFO,
	  .result = -ENOTTY,
	  .lines = "request 0x8008fe00: Inappropriate ioctl for device\n" },
	{ .request = 0x12345678,
	  .result = -EINVAL,
	  .lines = "request 0x12345678: Invalid argument\n" },
};

static void check_trace(const struct trace_case *traced)
{
	struct scripted inner = { .transport.ops = &scripted_ops,
				  .result = traced->result,
				  .answer = &traced->answer,
				  .answer_size = sizeof(traced->answer) };
	struct transport *transport = NULL;
	_cleanup_free_ char *lines = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&lines, &length);
	union batch batch = { 0 };

	assert_non_null(to);
	assert_int_equal(transport_new_traced(&inner.transport, to, &transport), 0);
	assert_int_equal(transport_request(transport, traced->request, &batch), traced->result);
	assert_int_equal(inner.request, traced->request);
	assert_ptr_equal(inner.argument, &batch);
	assert_memory_equal(&batch, &traced->answer, sizeof(batch));
	assert_int_equal(inner.closed, 0);
	transport_close(&transport);
	assert_null(transport);
	assert_int_equal(inner.closed, 1);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(lines, traced->lines);
}

static void test_traces(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(trace_cases); i++)
		check_trace(&trace_cases[i]);
}

static void test_close_nothing(void **test)
{
	struct transport *none = NULL;

	(void)test;
	transport_close(&none);
	assert_null(none);
}

static int set_up(void **test)
{
	*test = temporary_make();
	return 0;
}

static int tear_down(void **test)
{
	temporary_remove(*test);
	return 0;
}

static void test_open_errors(void **test)
{
	_cleanup_free_ char *missing = temporary_path(*test, "missing");
	_cleanup_free_ char *file = temporary_path(*test, "file");
	_cleanup_free_ char *below = temporary_path(*test, "file/below");
	struct transport *transport = NULL;
	int back = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;

	temporary_write(file, "", 0000);
	assert_int_equal(transport_open_device(missing, &transport), -ENOENT);
	assert_int_equal(transport_open_device(below, &transport), -ENOTDIR);
	assert_int_equal(chdir(*test), 0);
	temporary_drop_rights();
	err = transport_open_device("file", &transport);
	temporary_regain_rights();
	assert_int_equal(fchdir(back), 0);
	close(back);
	assert_int_equal(err, -EACCES);
	assert_null(transport);
}

/* A file that is not a Speed Select device fails at the first request. It is opened read-only. */
static void test_requests_to_a_file(void **test)
{
	_cleanup_free_ char *path = temporary_path(*test, "file");
	struct isst_if_platform_info info = { .api_version = 9 };
	_cleanup_transport_ struct transport *transport = NULL;

	temporary_write(path, "", 0400);
	assert_int_equal(transport_open_device(path, &transport), 0);
	assert_int_equal(transport_request(transport, ISST_IF_GET_PLATFORM_INFO, &info), -ENOTTY);
	assert_int_equal(info.api_version, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_traces),
		cmocka_unit_test(test_close_nothing),
		cmocka_unit_test_setup_teardown(test_open_errors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_requests_to_a_file, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
