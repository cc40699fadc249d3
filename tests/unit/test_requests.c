// SPDX-License-Identifier: GPL-2.0-only
/* The driver's requests as lines: made, read again, and what each of them asks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "host/requests.h"
#include "isst_abi.h"

static const struct {
	const char *line;
	uint32_t request;
	int error;
} lines[] = {
	{ "platform info: api_version:1 driver_version:1 max_cmds_per_ioctl:64 mbox_supported:1 "
	  "mmio_supported:1",
	  ISST_IF_GET_PLATFORM_INFO, 0 },
	{ "phys id: logical_cpu:3 physical_cpu:0x206", ISST_IF_GET_PHY_ID, 0 },
	{ "mmio read: logical_cpu:0 reg:0x24 value:0x30000", ISST_IF_IO_CMD, 0 },
	{ "mbox: logical_cpu:0 command:0x7f sub_command:0x3 parameter:0x0 req_data:0x1 "
	  "resp_data:0x1a00cd",
	  ISST_IF_MBOX_COMMAND, 0 },
	{ "mbox: logical_cpu:0 command:0x7f sub_command:0x20 parameter:0x0 req_data:0x1 "
	  "resp_data:0x0 error:ENXIO",
	  ISST_IF_MBOX_COMMAND, -ENXIO },
	{ "msr read: logical_cpu:0 msr:0x1ad data:0x1f1f1f1f1f1f1f20", ISST_IF_MSR_COMMAND, 0 },
	{ "msr read: logical_cpu:0 msr:0x1ad data:0x0 error:1000", ISST_IF_MSR_COMMAND, -1000 },
	{ "tpmi instances: socket_id:1 count:5 valid_mask:27", ISST_IF_COUNT_TPMI_INSTANCES, 0 },
	{ "tpmi assoc: socket_id:0 power_domain_id:1 core:63 clos:3", ISST_IF_CLOS_ASSOC, 0 },
	{ "tpmi level cores: socket_id:0 power_domain_id:0 level:1 mask:18446744073709551615",
	  ISST_IF_GET_PERF_LEVEL_CPU_MASK, 0 },
	{ "tpmi fabrics: socket_id:0 power_domain_id:0 level:0 max_fabrics:2 "
	  "p0_fabric_freq_mhz:2500,2400,0,0,0,0,0,0 p1_fabric_freq_mhz:1,2,3,4,5,6,7,8 "
	  "pm_fabric_freq_mhz:800,400,0,0,0,0,0,65535",
	  ISST_IF_GET_PERF_LEVEL_FABRIC_INFO, 0 },
};

static void test_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		_cleanup_buffer_ struct buffer made = { 0 };
		struct request_item item;

		if (requests_parse(lines[i].line, &item) || item.request != lines[i].request ||
		    item.error != lines[i].error)
			fail_msg("%s", lines[i].line);
		requests_append_item(&made, &item);
		assert_string_equal(buffer_text(&made), lines[i].line);
	}
}

static void test_wrong_lines(void **state)
{
	static const char *const wrong[] = {
		"",
		"mbox",
		"mbox:",
		"nothing: a:1",
		"phys id: logical_cpu:3",
		"phys id: logical_cpu:3 physical_cpu:",
		"phys id: logical_cpu:3 physical_cpu:0xg",
		"phys id: logical_cpu:3 physical_cpu:0x1 ",
		"phys id: logical_cpu:3 physical_cpu:0x1 more:1",
		"phys id: logical_cpu:4294967296 physical_cpu:0x1",
		"phys id: physical_cpu:0x1 logical_cpu:3",
		"phys id: logical_cpu:3 physical_cpu:0x1 error:",
		"phys id: logical_cpu:3 physical_cpu:0x1 error:ENOTHING",
		"phys id: logical_cpu:3 physical_cpu:0x1 error:0",
		"msr write: logical_cpu:0 msr:0x1ad data:0x0",
		"tpmi instances: socket_id:256 count:5 valid_mask:27",
		"tpmi set level: socket_id:0 power_domain_id:0 level:1",
		"tpmi fabrics: socket_id:0 power_domain_id:0 level:0 max_fabrics:2 "
		"p0_fabric_freq_mhz:1,2 p1_fabric_freq_mhz:1,2,3,4,5,6,7,8 "
		"pm_fabric_freq_mhz:1,2,3,4,5,6,7,8",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct request_item item;

		if (requests_parse(wrong[i], &item) != -EINVAL)
			fail_msg("%s", wrong[i]);
	}
}

static bool sets_mailbox(uint16_t command, uint16_t sub_command, uint32_t parameter)
{
	const struct isst_if_mbox_cmds batch = {
		.cmd_count = 1,
		.entries = { { .command = command,
			       .sub_command = sub_command,
			       .parameter = parameter } },
	};

	return requests_sets(ISST_IF_MBOX_COMMAND, &batch, 0);
}

static void test_what_sets(void **state)
{
	const struct isst_if_msr_cmds msrs = { .cmd_count = 1, .entries = { { .read_write = 1 } } };
	const struct isst_if_io_regs read = { .req_count = 1 };
	const struct isst_core_power power = { .get_set = 1 };
	const struct isst_if_clos_assoc_cmds assoc = { .cmd_count = 1, .get_set = 1 };
	const struct isst_perf_level_control level = { 0 };
	const struct isst_perf_level_info info = { .socket_id = 1 };

	(void)state;
	assert_false(sets_mailbox(0x7f, 0x00, 0));
	assert_false(sets_mailbox(0x7f, 0x23, 0));
	assert_true(sets_mailbox(0x7f, 0x02, 0));
	assert_true(sets_mailbox(0x7f, 0x08, 0));
	assert_false(sets_mailbox(0xd0, 0x01, 3));
	assert_true(sets_mailbox(0xd0, 0x01, 0x103));
	assert_false(sets_mailbox(0x94, 0x03, 0));
	assert_true(sets_mailbox(0x95, 0x03, 0));
	assert_true(sets_mailbox(0x12, 0x34, 0));
	assert_true(requests_sets(ISST_IF_MSR_COMMAND, &msrs, 0));
	assert_false(requests_sets(ISST_IF_IO_CMD, &read, 0));
	assert_true(requests_sets(ISST_IF_CORE_POWER_STATE, &power, 0));
	assert_true(requests_sets(ISST_IF_CLOS_ASSOC, &assoc, 0));
	assert_true(requests_sets(ISST_IF_PERF_SET_LEVEL, &level, 0));
	assert_false(requests_sets(ISST_IF_PERF_LEVELS, &info, 0));
	assert_true(requests_sets(0x12345678, &info, 0));
}

static void test_key(void **state)
{
	uint8_t left_key[REQUESTS_MAX_SIZE], right_key[REQUESTS_MAX_SIZE];
	struct request_item left, right;
	uint32_t cpu;

	(void)state;
	assert_int_equal(requests_parse("mbox: logical_cpu:0 command:0x7f sub_command:0x3 "
					"parameter:0x0 req_data:0x1 resp_data:0x5",
					&left),
			 0);
	assert_int_equal(requests_parse("mbox: logical_cpu:9 command:0x7f sub_command:0x3 "
					"parameter:0x0 req_data:0x1 resp_data:0x6",
					&right),
			 0);
	requests_key(&left, true, left_key, &cpu);
	assert_int_equal(cpu, 0);
	requests_key(&right, true, right_key, &cpu);
	assert_int_equal(cpu, 9);
	assert_memory_equal(left_key, right_key, sizeof(left_key));
	requests_key(&right, false, right_key, &cpu);
	assert_memory_not_equal(left_key, right_key, sizeof(left_key));
	requests_take_answer(&left, &right);
	assert_int_equal(requests_member(&left, "resp_data"), 6);
	assert_int_equal(requests_member(&left, "logical_cpu"), 0);
	assert_int_equal(requests_member(&left, "nothing"), 0);
	assert_int_equal(requests_parse("tpmi instances: socket_id:1 count:5 valid_mask:27", &left),
			 0);
	requests_key(&left, true, left_key, &cpu);
	assert_int_equal(cpu, UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_wrong_lines),
		cmocka_unit_test(test_what_sets),
		cmocka_unit_test(test_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
