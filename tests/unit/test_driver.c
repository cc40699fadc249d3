// SPDX-License-Identifier: GPL-2.0-only
/* The driver in front of the PUNITs: which requests it knows, their entries, ordered faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "simulated_device.h"

#define MAX_ENTRIES 65

static void test_platform_info(void **test)
{
	struct simulated_device *device = *test;
	struct isst_if_platform_info info = { 0 };

	device->platform->max_cmds_per_ioctl = 12;
	assert_int_equal(simulated_device_open(device, NULL), 0);
	assert_int_equal(transport_request(device->transport, ISST_IF_GET_PLATFORM_INFO, &info), 0);
	assert_int_equal(info.api_version, 1);
	assert_int_equal(info.driver_version, 1);
	assert_int_equal(info.max_cmds_per_ioctl, 12);
	assert_int_equal(info.mbox_supported, 1);
	assert_int_equal(info.mmio_supported, 1);
}

/* A batch with room for as many entries as the driver takes, and one more. */
union phy_batch {
	struct isst_if_cpu_maps ids;
	uint32_t words[1 + 2 * MAX_ENTRIES];
};

static void test_phy_ids(void **test)
{
	struct simulated_device *device = *test;
	union phy_batch batch = { .words = { 4, 0, SIMULATED_UNTOUCHED, 13, SIMULATED_UNTOUCHED, 16,
					     SIMULATED_UNTOUCHED, 1, SIMULATED_UNTOUCHED } };

	assert_int_equal(simulated_device_open(device, NULL), 0);
	assert_int_equal(transport_request(device->transport, ISST_IF_GET_PHY_ID, &batch), 2);
	assert_int_equal(batch.words[2], 0);
	assert_int_equal(batch.words[4], 1 << 1 | 1);
	assert_int_equal(batch.words[6], SIMULATED_UNTOUCHED);
	assert_int_equal(batch.words[8], SIMULATED_UNTOUCHED);
}

static void test_entry_counts(void **test)
{
	static const struct {
		uint32_t count;
		int result;
	} cases[] = {
		{ .count = 0, .result = -EINVAL },
		{ .count = 1, .result = 1 },
		{ .count = 64, .result = 64 },
		{ .count = 65, .result = -EINVAL },
		{ .count = UINT32_MAX, .result = -EINVAL },
	};
	struct simulated_device *device = *test;
	union phy_batch batch = { 0 };

	assert_int_equal(simulated_device_open(device, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		batch.words[0] = cases[i].count;
		assert_int_equal(transport_request(device->transport, ISST_IF_GET_PHY_ID, &batch),
				 cases[i].result);
	}
}

static void test_unknown_requests(void **test)
{
	static const uint32_t numbers[] = { 0, 0x8004fe00, ISST_IF_COUNT_TPMI_INSTANCES,
					    ISST_IF_PERF_LEVELS, 0xc008fe12 };
	struct simulated_device *device = *test;
	uint32_t words[64] = { 1 };

	assert_int_equal(simulated_device_open(device, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		assert_int_equal(transport_request(device->transport, numbers[i], words), -ENOTTY);
}

/* Which requests are known depends on the machine's back ends. */
static void test_back_ends(void **test)
{
	struct simulated_device *device = *test;
	uint32_t words[64] = { 1 };

	device->platform->mbox = false;
	device->platform->mmio = false;
	assert_int_equal(simulated_device_open(device, NULL), 0);
	assert_int_equal(transport_request(device->transport, ISST_IF_MBOX_COMMAND, words),
			 -ENOTTY);
	assert_int_equal(transport_request(device->transport, ISST_IF_IO_CMD, words), -ENOTTY);
	assert_int_equal(transport_request(device->transport, ISST_IF_MSR_COMMAND, words), -EINVAL);
	assert_int_equal(transport_request(device->transport, ISST_IF_GET_PHY_ID, words), 1);
}

static void test_tpmi_machine(void **test)
{
	static const uint32_t numbers[] = { ISST_IF_MBOX_COMMAND, ISST_IF_IO_CMD };
	struct simulated_device *device = *test;
	struct isst_if_platform_info info = { 0 };
	struct isst_tpmi_instance_count instances = { 0 };
	uint32_t words[64] = { 1 };

	device->platform->interface = SIM_INTERFACE_TPMI;
	device->platform->api_version = 3;
	assert_int_equal(simulated_device_open(device, NULL), 0);
	assert_int_equal(transport_request(device->transport, ISST_IF_GET_PLATFORM_INFO, &info), 0);
	assert_int_equal(info.api_version, 3);
	assert_int_equal(transport_request(device->transport, ISST_IF_GET_PHY_ID, words), 1);
	assert_int_equal(
		transport_request(device->transport, ISST_IF_COUNT_TPMI_INSTANCES, &instances), 0);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		assert_int_equal(transport_request(device->transport, numbers[i], words), -ENOTTY);
}

static void test_no_driver(void **test)
{
	struct simulated_device *device = *test;

	device->platform->interface = SIM_INTERFACE_NONE;
	assert_int_equal(simulated_device_open(device, NULL), -ENOENT);
	assert_null(device->transport);
}

/* A batch of mailbox commands, the third of which fails. */
static void test_short_count(void **test)
{
	struct simulated_device *device = *test;
	struct {
		uint32_t count;
		struct isst_if_mbox_cmd entries[4];
	} batch = { .count = 4,
		    .entries = { simulated_device_command(0, 0xd0, 0x02, 0x100, 2),
				 simulated_device_command(0, 0x7f, 0x02, 0, 0x10000),
				 simulated_device_command(0, 0x7f, 0x08, 0, 9),
				 simulated_device_command(0, 0x95, 0x03, 0, 0x10000) } };

	assert_int_equal(simulated_device_open(device, NULL), 0);
	assert_int_equal(transport_request(device->transport, ISST_IF_MBOX_COMMAND, &batch), 2);
	assert_int_equal(batch.entries[0].resp_data, 2);
	assert_int_equal(batch.entries[1].resp_data, 0);
	assert_int_equal(batch.entries[2].resp_data, SIMULATED_UNTOUCHED);
	assert_int_equal(device->state->punits[0].turbo_freq_on, 1);
	assert_int_equal(device->state->punits[0].cp_enabled, 0);
}

static const char busy_twice[] =
	"{\"orders\": [{\"at\": \"mailbox\", \"command\": \"0x7f/0x03\", \"times\": 2,"
	"\"error\": \"EBUSY\"},"
	"{\"at\": \"mailbox\", \"command\": \"0x7f/0x05\", \"code\": 22},"
	"{\"at\": \"msr\", \"msr\": \"0x1ad\", \"access\": \"write\", \"error\": \"EIO\"},"
	"{\"at\": \"mmio\", \"register\": \"0x08\", \"skip\": 1, \"error\": \"EINTR\"},"
	"{\"at\": \"phy_id\", \"cpu\": 1, \"error\": \"ENXIO\"},"
	"{\"at\": \"request\", \"request\": \"GET_PLATFORM_INFO\", \"error\": \"ENOTTY\"}]}";

static void test_ordered_faults(void **test)
{
	static const int results[] = { -EBUSY, -EBUSY, 1, 1 };
	struct simulated_device *device = *test;
	struct isst_if_mbox_cmd tdp = simulated_device_command(0, 0x7f, 0x03, 0, 0);
	struct isst_if_mbox_cmd tjunction = simulated_device_command(0, 0x7f, 0x05, 0, 0);
	union phy_batch ids = { .words = { 3, 0, 0, 1, SIMULATED_UNTOUCHED, 2,
					   SIMULATED_UNTOUCHED } };
	struct isst_if_platform_info info;
	uint32_t value = 0;
	uint64_t data = 0;

	assert_int_equal(simulated_device_open(device, busy_twice), 0);
	for (size_t i = 0; i < ARRAY_SIZE(results); i++)
		assert_int_equal(simulated_device_mailbox(device, &tdp), results[i]);
	assert_int_equal(simulated_device_mailbox(device, &tjunction), -ENXIO);
	assert_int_equal(tjunction.resp_data, SIMULATED_UNTOUCHED);
	assert_int_equal(simulated_device_msr(device, true, 0, 0x1ad, &data), -EIO);
	assert_int_equal(simulated_device_msr(device, false, 0, 0x1ad, &data), 1);
	assert_int_equal(data, 0x1f1f1f1f1f1f1f20);
	assert_int_equal(simulated_device_mmio(device, false, 0, 0x08, &value), 1);
	assert_int_equal(simulated_device_mmio(device, false, 0, 0x08, &value), -EINTR);
	assert_int_equal(transport_request(device->transport, ISST_IF_GET_PHY_ID, &ids), 1);
	assert_int_equal(ids.words[4], SIMULATED_UNTOUCHED);
	assert_int_equal(transport_request(device->transport, ISST_IF_GET_PLATFORM_INFO, &info),
			 -ENOTTY);
}

static const char lost_and_altered[] =
	"{\"orders\": ["
	"{\"at\": \"mailbox\", \"command\": \"0x95/0x03\", \"ignored\": true, \"times\": 1},"
	"{\"at\": \"mailbox\", \"command\": \"0xd0/0x02\", \"flip\": \"0x4\"},"
	"{\"at\": \"mmio\", \"access\": \"write\", \"register\": 8, \"ignored\": true},"
	"{\"at\": \"mmio\", \"access\": \"write\", \"register\": 12, \"flip\": \"0xf0\"},"
	"{\"at\": \"msr\", \"msr\": \"0x1ad\", \"access\": \"write\", \"times\": 1,"
	"\"ignored\": true},"
	"{\"at\": \"msr\", \"msr\": \"0x1ad\", \"access\": \"write\", \"skip\": 1,"
	"\"flip\": \"0xff00000000000001\"}]}";

/* Success is reported, and the value stays as it is or becomes another one. */
static void test_lost_and_altered_commands(void **test)
{
	struct simulated_device *device = *test;
	struct isst_if_mbox_cmd on = simulated_device_command(0, 0x95, 0x03, 0, 0x10000);
	struct isst_if_mbox_cmd clos = simulated_device_command(0, 0xd0, 0x02, 0x100, 2);

	assert_int_equal(simulated_device_open(device, lost_and_altered), 0);
	assert_int_equal(simulated_device_mailbox(device, &on), 1);
	assert_int_equal(on.resp_data, 0);
	assert_int_equal(device->state->punits[0].cp_enabled, 0);
	assert_int_equal(simulated_device_mailbox(device, &on), 1);
	assert_int_equal(device->state->punits[0].cp_enabled, 1);
	assert_int_equal(simulated_device_mailbox(device, &clos), 1);
	assert_int_equal(clos.req_data, 2);
	assert_int_equal(device->state->punits[0].clos_ordered, 1);
}

static void test_lost_and_altered_registers(void **test)
{
	struct simulated_device *device = *test;
	uint64_t limits = UINT64_MAX, found = 0;
	uint32_t before = 0, value = 0x55;

	assert_int_equal(simulated_device_open(device, lost_and_altered), 0);
	before = device->state->punits[0].clos[0];
	assert_int_equal(simulated_device_mmio(device, true, 0, 0x08, &value), 1);
	assert_int_equal(device->state->punits[0].clos[0], before);
	value = 0x55;
	assert_int_equal(simulated_device_mmio(device, true, 0, 0x0c, &value), 1);
	assert_int_equal(device->state->punits[0].clos[1], 0xa5);
	assert_int_equal(simulated_device_msr(device, true, 0, 0x1ad, &limits), 1);
	assert_int_equal(simulated_device_msr(device, false, 0, 0x1ad, &found), 1);
	assert_int_equal(found, 0x1f1f1f1f1f1f1f20);
	limits = UINT64_MAX;
	assert_int_equal(simulated_device_msr(device, true, 0, 0x1ad, &limits), 1);
	assert_int_equal(simulated_device_msr(device, false, 0, 0x1ad, &found), 1);
	assert_int_equal(found, 0x00fffffffffffffe);
}

/* The turbo-ratio limits go no higher than the level's, and lower as before. */
static void test_clamped_limits(void **test)
{
	static const struct {
		uint64_t written;
		uint64_t found;
	} rows[] = {
		{ UINT64_MAX, 0x1f1f1f1f1f1f1f20 },
		{ 0x1e1f201e1f201e21, 0x1e1f1f1e1f1f1e20 },
		{ 0x0101010101010101, 0x0101010101010101 },
	};
	struct simulated_device *device = *test;

	assert_int_equal(simulated_device_open(device, "{\"clamped_limits\": true}"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t written = rows[i].written, found = 0;

		assert_int_equal(simulated_device_msr(device, true, 0, 0x1ad, &written), 1);
		assert_int_equal(simulated_device_msr(device, false, 0, 0x1ad, &found), 1);
		assert_int_equal(found, rows[i].found);
	}
}

/* What the driver refuses by itself is not an event. */
static void test_refused_commands_are_not_counted(void **test)
{
	struct simulated_device *device = *test;
	struct isst_if_mbox_cmd unlisted = simulated_device_command(0, 0x7f, 0x30, 0, 0);
	struct isst_if_mbox_cmd no_cpu = simulated_device_command(99, 0x7f, 0x00, 0, 0);
	struct isst_if_mbox_cmd good = simulated_device_command(0, 0x7f, 0x00, 0, 0);

	assert_int_equal(simulated_device_open(device,
					       "{\"orders\": [{\"at\": \"mailbox\", \"times\": 1,"
					       "\"error\": \"EBUSY\"}]}"),
			 0);
	assert_int_equal(simulated_device_mailbox(device, &unlisted), -EINVAL);
	assert_int_equal(simulated_device_mailbox(device, &no_cpu), -EINVAL);
	assert_int_equal(simulated_device_mailbox(device, &good), -EBUSY);
	assert_int_equal(simulated_device_mailbox(device, &good), 1);
}

static void test_fault_at_open(void **test)
{
	struct simulated_device *device = *test;

	assert_int_equal(simulated_device_open(device,
					       "{\"orders\": [{\"at\": \"open\", \"times\": 1,"
					       "\"error\": \"EACCES\"}]}"),
			 -EACCES);
	assert_null(device->transport);
	assert_int_equal(driver_open(device->state, device->faults, &device->transport), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SIMULATED_DEVICE_TEST(test_platform_info),
		SIMULATED_DEVICE_TEST(test_phy_ids),
		SIMULATED_DEVICE_TEST(test_entry_counts),
		SIMULATED_DEVICE_TEST(test_unknown_requests),
		SIMULATED_DEVICE_TEST(test_back_ends),
		SIMULATED_DEVICE_TEST(test_tpmi_machine),
		SIMULATED_DEVICE_TEST(test_no_driver),
		SIMULATED_DEVICE_TEST(test_short_count),
		SIMULATED_DEVICE_TEST(test_ordered_faults),
		SIMULATED_DEVICE_TEST(test_lost_and_altered_commands),
		SIMULATED_DEVICE_TEST(test_lost_and_altered_registers),
		SIMULATED_DEVICE_TEST(test_clamped_limits),
		SIMULATED_DEVICE_TEST(test_refused_commands_are_not_counted),
		SIMULATED_DEVICE_TEST(test_fault_at_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
