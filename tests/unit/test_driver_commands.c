// SPDX-License-Identifier: GPL-2.0-only
/* The driver's back ends: who may do what to which CPU, and what registers hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "simulated_device.h"

struct mailbox_case {
	uint16_t command;
	uint16_t sub_command;
	uint32_t parameter;
	uint32_t data;
	int with; /* the result with the capability, and without */
	int without;
};

#define BOTH(what)                  .with = (what), .without = (what)
#define GUARDED(what)               .with = (what), .without = -EPERM
#define ASK(number, sub, data_word) .command = (number), .sub_command = (sub), .data = (data_word)

static const struct mailbox_case mailbox_cases[] = {
	{ ASK(0x7f, 0x00, 0), BOTH(1) },
	{ ASK(0x7f, 0x01, 0), BOTH(1) },
	{ ASK(0x7f, 0x01, 7), BOTH(-ENXIO) },
	{ ASK(0x7f, 0x02, 0), GUARDED(1) },
	{ ASK(0x7f, 0x02, 0), .parameter = 1, BOTH(1) },
	{ ASK(0x7f, 0x02, 0x10000), GUARDED(-ENXIO) },
	{ ASK(0x7f, 0x07, 0), BOTH(1) },
	{ ASK(0x7f, 0x08, 0), GUARDED(1) },
	{ ASK(0x7f, 0x0c, 0), BOTH(1) },
	{ ASK(0x7f, 0x0d, 0), BOTH(-EINVAL) },
	{ ASK(0x7f, 0x0f, 0), BOTH(-EINVAL) },
	{ ASK(0x7f, 0x12, 0), BOTH(1) },
	{ ASK(0x7f, 0x13, 0), BOTH(-EINVAL) },
	{ ASK(0x7f, 0x23, 0), BOTH(1) },
	{ ASK(0x7f, 0x24, 0), BOTH(-EINVAL) },
	{ ASK(0x7f, 0x100, 0), BOTH(-EINVAL) },
	{ ASK(0x17f, 0x00, 0), BOTH(-EINVAL) },
	{ ASK(0xd0, 0x00, 0), BOTH(-ENXIO) },
	{ ASK(0xd0, 0x00, 0), .parameter = 8, GUARDED(-ENXIO) },
	{ ASK(0xd0, 0x02, 0), BOTH(1) },
	{ ASK(0xd0, 0x02, 2), .parameter = 0x100, BOTH(1) },
	{ ASK(0xd0, 0x03, 0), BOTH(-ENXIO) },
	{ ASK(0xd0, 0x04, 0), BOTH(-EINVAL) },
	{ ASK(0x94, 0x03, 0), BOTH(1) },
	{ ASK(0x94, 0x02, 0), BOTH(-EINVAL) },
	{ ASK(0x95, 0x03, 0x10000), BOTH(1) },
	{ ASK(0x95, 0x03, 0), .parameter = 3, GUARDED(1) },
	{ ASK(0x00, 0x00, 0), BOTH(-EINVAL) },
};

static void check_commands(const struct simulated_device *device, bool has_capability)
{
	for (size_t i = 0; i < ARRAY_SIZE(mailbox_cases); i++) {
		const struct mailbox_case *row = &mailbox_cases[i];
		struct isst_if_mbox_cmd command = simulated_device_command(
			0, row->command, row->sub_command, row->parameter, row->data);
		int expected = has_capability ? row->with : row->without;
		int result = simulated_device_mailbox(device, &command);

		if (result != expected || (result < 0 && command.resp_data != SIMULATED_UNTOUCHED))
			fail_msg("%#x/%#x parameter %#x: %d, not %d", row->command,
				 row->sub_command, row->parameter, result, expected);
	}
}

static void test_mailbox_with_capability(void **test)
{
	assert_int_equal(simulated_device_open(*test, NULL), 0);
	check_commands(*test, true);
}

static void test_mailbox_without_capability(void **test)
{
	assert_int_equal(simulated_device_open(*test, "{\"missing_capability\": true}"), 0);
	check_commands(*test, false);
}

static void test_domains_are_apart(void **test)
{
	struct simulated_device *device = *test;
	struct isst_if_mbox_cmd set = simulated_device_command(5, 0x7f, 0x08, 0, 1);
	struct isst_if_mbox_cmd ask = simulated_device_command(12, 0x7f, 0x00, 0, 0);
	uint64_t limit = 0;

	assert_int_equal(simulated_device_open(device, NULL), 0);
	device->state->packages[0].turbo_ratio_limit = 1;
	device->state->packages[1].turbo_ratio_limit = 1;
	assert_int_equal(simulated_device_mailbox(device, &set), 1);
	assert_int_equal(simulated_device_mailbox(device, &ask), 1);
	assert_int_equal(ask.resp_data, 0x80010101);
	ask = simulated_device_command(0, 0x7f, 0x00, 0, 0);
	assert_int_equal(simulated_device_mailbox(device, &ask), 1);
	assert_int_equal(ask.resp_data, 0x80000101);
	assert_int_equal(simulated_device_msr(device, false, 4, 0x1ad, &limit), 1);
	assert_int_equal(limit, 0x1f1f1f1f1f1f1f20);
	assert_int_equal(simulated_device_msr(device, false, 0, 0x1ad, &limit), 1);
	assert_int_equal(limit, 1);
}

static void test_cpus_without_punit(void **test)
{
	struct simulated_device *device = *test;
	struct isst_if_mbox_cmd unknown = simulated_device_command(16, 0x7f, 0, 0, 0);
	struct isst_if_mbox_cmd without = simulated_device_command(4, 0x7f, 0, 0, 0);
	uint32_t value = 0;
	uint64_t data = 0;

	device->platform->domains[1].has_sst = false;
	assert_int_equal(simulated_device_open(device, NULL), 0);
	assert_int_equal(simulated_device_mailbox(device, &unknown), -EINVAL);
	assert_int_equal(simulated_device_mailbox(device, &without), -EINVAL);
	assert_int_equal(simulated_device_mmio(device, false, 16, 0x04, &value), -EINVAL);
	assert_int_equal(simulated_device_mmio(device, false, 4, 0x04, &value), -EINVAL);
	assert_int_equal(simulated_device_msr(device, false, 16, 0x1ad, &data), -EINVAL);
	assert_int_equal(simulated_device_msr(device, false, 4, 0x1ad, &data), 1);
}

static void test_offline_cpu(void **test)
{
	struct simulated_device *device = *test;
	struct isst_if_mbox_cmd command = simulated_device_command(3, 0x7f, 0, 0, 0);
	uint32_t value = 0;
	uint64_t data = 0;

	assert_int_equal(simulated_device_open(device, NULL), 0);
	device->state->cpus[3].online = 0;
	assert_int_equal(simulated_device_mailbox(device, &command), 1);
	assert_int_equal(simulated_device_mmio(device, false, 3, 0x04, &value), 1);
	assert_int_equal(simulated_device_msr(device, false, 3, 0x1ad, &data), -ENXIO);
	assert_int_equal(simulated_device_msr(device, true, 3, 0x1ad, &data), -ENXIO);
}

static void test_msr_mailbox(void **test)
{
	struct simulated_device *device = *test;
	struct isst_if_mbox_cmd command = simulated_device_command(3, 0xd0, 0x00, 0x108, 0x20000);
	struct isst_if_mbox_cmd online = simulated_device_command(2, 0xd0, 0x00, 8, 0);

	device->platform->cpu.model = 0x55;
	device->platform->mmio = false;
	device->platform->domains[0].fuses = simulated_cpx_fuses;
	assert_int_equal(simulated_device_open(device, NULL), 0);
	device->state->cpus[3].online = 0;
	assert_int_equal(simulated_device_mailbox(device, &command), -ENXIO);
	device->state->cpus[3].online = 1;
	assert_int_equal(simulated_device_mailbox(device, &command), 1);
	assert_int_equal(simulated_device_mailbox(device, &online), 1);
	assert_int_equal(online.resp_data, 0x20000);
}

struct register_case {
	uint32_t model;
	uint32_t reg;
	int result;
};

static void test_mmio_limits(void **test)
{
	static const struct register_case cases[] = {
		{ .model = 0x6a, .reg = 0x00, .result = -EINVAL },
		{ .model = 0x6a, .reg = 0x04, .result = 1 },
		{ .model = 0x6a, .reg = 0x06, .result = -EINVAL },
		{ .model = 0x6a, .reg = 0xd0, .result = 1 },
		{ .model = 0x6a, .reg = 0xd4, .result = -EINVAL },
		{ .model = 0x6c, .reg = 0xd4, .result = -EINVAL },
		{ .model = 0x8f, .reg = 0xd4, .result = 1 },
		{ .model = 0x8f, .reg = 0x11c, .result = 1 },
		{ .model = 0xcf, .reg = 0x120, .result = -EINVAL },
	};
	struct simulated_device *device = *test;

	assert_int_equal(simulated_device_open(device, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t value = 0;

		device->platform->cpu.model = cases[i].model;
		assert_int_equal(simulated_device_mmio(device, false, 0, cases[i].reg, &value),
				 cases[i].result);
		assert_int_equal(simulated_device_mmio(device, true, 0, cases[i].reg, &value),
				 cases[i].result);
	}
}

static void test_mmio_values(void **test)
{
	struct simulated_device *device = *test;
	uint32_t value = 0;

	assert_int_equal(simulated_device_open(device, NULL), 0);
	assert_int_equal(simulated_device_mmio(device, false, 0, 0x08, &value), 1);
	assert_int_equal(value, 0x00ff0000);
	value = 0x00010000;
	assert_int_equal(simulated_device_mmio(device, true, 0, 0x20 + 4 * 2, &value), 1);
	value = SIMULATED_UNTOUCHED;
	assert_int_equal(simulated_device_mmio(device, false, 8, 0x28, &value), 1);
	assert_int_equal(value, 0x00010000);
	assert_int_equal(simulated_device_mmio(device, false, 4, 0x28, &value), 1);
	assert_int_equal(value, 0);
}

/* Another process, which opens the same state directory, has what was written. */
static void test_written_values_are_shared(void **test)
{
	struct simulated_device *device = *test;
	struct sim_state *other = NULL;
	char *message = NULL;
	uint32_t value = 0x00010000;

	assert_int_equal(simulated_device_open(device, NULL), 0);
	assert_int_equal(simulated_device_mmio(device, true, 0, 0x28, &value), 1);
	assert_int_equal(state_open(device->platform, device->directory, false, &other, &message),
			 0);
	assert_memory_equal(other->data, device->state->data, other->size);
	state_close(other);
}

static void test_registers_without_capability(void **test)
{
	struct simulated_device *device = *test;
	uint32_t value = 0;
	uint64_t data = 0;

	assert_int_equal(simulated_device_open(device, "{\"missing_capability\": true}"), 0);
	assert_int_equal(simulated_device_mmio(device, true, 0, 0x08, &value), -EPERM);
	assert_int_equal(simulated_device_mmio(device, false, 0, 0x08, &value), 1);
	assert_int_equal(value, 0x00ff0000);
	assert_int_equal(simulated_device_msr(device, true, 0, 0x1ad, &data), -EPERM);
	assert_int_equal(simulated_device_msr(device, false, 0, 0x1ad, &data), 1);
	assert_int_equal(data, 0x1f1f1f1f1f1f1f20);
}

struct msr_case {
	uint64_t msr;
	int read;
	uint64_t value;
	int write;
	uint64_t value_after;
};

static void test_msrs(void **test)
{
	static const struct msr_case cases[] = {
		{ .msr = 0x1ad,
		  .read = 1,
		  .value = 0x1f1f1f1f1f1f1f20,
		  .write = 1,
		  .value_after = UINT64_MAX },
		{ .msr = 0x1ae,
		  .read = 1,
		  .value = 0x100e0c0a08060402,
		  .write = 1,
		  .value_after = UINT64_MAX },
		{ .msr = 0x1af,
		  .read = -EIO,
		  .value = SIMULATED_UNTOUCHED,
		  .write = -EIO,
		  .value_after = SIMULATED_UNTOUCHED },
		{ .msr = 0x54,
		  .read = 1,
		  .value = 2 << 1 | 1,
		  .write = -EIO,
		  .value_after = 2 << 1 | 1 },
		{ .msr = 0x64b,
		  .read = 1,
		  .value = 1U << 31,
		  .write = -EIO,
		  .value_after = 1U << 31 },
		{ .msr = 0x770,
		  .read = -EINVAL,
		  .value = SIMULATED_UNTOUCHED,
		  .write = -EINVAL,
		  .value_after = SIMULATED_UNTOUCHED },
		{ .msr = 0x1000001adULL,
		  .read = -EINVAL,
		  .value = SIMULATED_UNTOUCHED,
		  .write = -EINVAL,
		  .value_after = SIMULATED_UNTOUCHED },
	};
	struct simulated_device *device = *test;

	device->platform->domains[0].fuses.locked = true;
	assert_int_equal(simulated_device_open(device, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t data = SIMULATED_UNTOUCHED, written = UINT64_MAX;

		assert_int_equal(simulated_device_msr(device, false, 10, cases[i].msr, &data),
				 cases[i].read);
		assert_int_equal(data, cases[i].value);
		assert_int_equal(simulated_device_msr(device, true, 10, cases[i].msr, &written),
				 cases[i].write);
		assert_int_equal(simulated_device_msr(device, false, 10, cases[i].msr, &data),
				 cases[i].read);
		assert_int_equal(data, cases[i].value_after);
	}
}

static void test_unlocked_part_and_no_msrs(void **test)
{
	struct simulated_device *device = *test;
	uint64_t data = SIMULATED_UNTOUCHED;

	device->platform->has_msrs = false;
	assert_int_equal(simulated_device_open(device, NULL), 0);
	assert_int_equal(simulated_device_msr(device, false, 0, 0x64b, &data), 1);
	assert_int_equal(data, 0);
	assert_int_equal(simulated_device_msr(device, false, 0, 0x1ad, &data), -EIO);
	assert_int_equal(simulated_device_msr(device, true, 0, 0x1ae, &data), -EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SIMULATED_DEVICE_TEST(test_mailbox_with_capability),
		SIMULATED_DEVICE_TEST(test_mailbox_without_capability),
		SIMULATED_DEVICE_TEST(test_domains_are_apart),
		SIMULATED_DEVICE_TEST(test_cpus_without_punit),
		SIMULATED_DEVICE_TEST(test_offline_cpu),
		SIMULATED_DEVICE_TEST(test_msr_mailbox),
		SIMULATED_DEVICE_TEST(test_mmio_limits),
		SIMULATED_DEVICE_TEST(test_mmio_values),
		SIMULATED_DEVICE_TEST(test_written_values_are_shared),
		SIMULATED_DEVICE_TEST(test_registers_without_capability),
		SIMULATED_DEVICE_TEST(test_msrs),
		SIMULATED_DEVICE_TEST(test_unlocked_part_and_no_msrs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
