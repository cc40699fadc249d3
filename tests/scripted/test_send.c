// SPDX-License-Identifier: GPL-2.0-only
/* Requests to targets: which calls to the driver they become, and what fails with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "sst/limits.h"
#include "sst/mailbox/mailbox.h"
#include "sst/mailbox/words.h"
#include "sst/tpmi/tpmi.h"

#define MOST_CALLS 8

/* A driver that does all, but for one call; it keeps what the calls were. */
struct driver {
	struct transport transport;
	size_t n_calls;
	size_t failing; /* counted from 1; 0: none */
	uint32_t requests[MOST_CALLS];
	uint8_t heads[MOST_CALLS][3]; /* the first bytes of each; the smallest has no more */
};

static int driver_request(struct transport *transport, uint32_t request, void *argument)
{
	struct driver *driver = (struct driver *)transport;
	uint8_t *head = driver->heads[driver->n_calls];

	assert_true(driver->n_calls < MOST_CALLS);
	driver->requests[driver->n_calls] = request;
	memcpy(head, argument, sizeof(driver->heads[0]));
	if (++driver->n_calls == driver->failing)
		return -ENOTTY;
	return request == ISST_IF_PERF_SET_LEVEL || request == ISST_IF_PERF_SET_FEATURE ? 0
											: head[0];
}

static const struct transport_ops driver_ops = { .request = driver_request };

/* Writes all requests, and fills in what came of them. */
static void write_all(struct driver *driver, struct target_request *requests, size_t count)
{
	const struct channel channel = {
		.transport = &driver->transport,
		.max_commands = 64,
		.tries = 1,
	};
	struct target_io io;

	driver->transport.ops = &driver_ops;
	assert_int_equal(target_io_init(&io, &channel, NULL, count), 0);
	target_run(&io, requests, count, true);
	target_io_done(&io);
}

/* Each change of kind begins a call of its own, upwards and downwards. */
static void splits_by_kind(void **state)
{
	const struct write_target mailbox = mailbox_target(false, PLATFORM_TARGET_LEVEL, 0, 0);
	const struct write_target other_mailbox =
		mailbox_target(false, PLATFORM_TARGET_CORE_POWER, 0, 0);
	const struct write_target mmio = mailbox_target(false, PLATFORM_TARGET_CLOS, 0, 0);
	const struct write_target msr = limits_target(0, 0);
	struct target_request words[] = { { .target = &mailbox }, { .target = &other_mailbox },
					  { .target = &mmio },    { .target = &msr },
					  { .target = &msr },     { .target = &mmio } };
	static const uint32_t requests[] = { ISST_IF_MBOX_COMMAND, ISST_IF_IO_CMD,
					     ISST_IF_MSR_COMMAND, ISST_IF_IO_CMD };
	static const uint8_t counts[] = { 2, 1, 2, 1 };
	struct driver driver = { 0 };

	(void)state;
	write_all(&driver, words, ARRAY_SIZE(words));
	assert_int_equal(driver.n_calls, ARRAY_SIZE(requests));
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		assert_int_equal(driver.requests[i], requests[i]);
		assert_int_equal(driver.heads[i][0], counts[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_int_equal(words[i].error, 0);
}

/* Every level goes out as it is, and every feature state; package and power domain too. */
static void sends_tpmi_levels(void **state)
{
	const struct power_domain domain = { .package = 1, .id = 4 };

	(void)state;
	for (uint8_t level = 0; level <= 7; level++) {
		const struct write_target set =
			tpmi_target(NULL, PLATFORM_TARGET_LEVEL, &domain, 0);
		const struct write_target feature =
			tpmi_target(NULL, PLATFORM_TARGET_FEATURES, &domain, 0);
		struct target_request words[] = {
			{ .target = &set, .value = { .number = level } },
			{ .target = &feature, .value = value_of_features(level & 1, level & 2) },
		};
		struct driver driver = { 0 };

		write_all(&driver, words, ARRAY_SIZE(words));
		assert_int_equal(driver.requests[0], ISST_IF_PERF_SET_LEVEL);
		assert_int_equal(driver.requests[1], ISST_IF_PERF_SET_FEATURE);
		for (size_t i = 0; i < ARRAY_SIZE(words); i++)
			assert_memory_equal(driver.heads[i],
					    ((uint8_t[]){ 1, 4, i ? level & 3 : level }), 3);
	}
}

/* Behind a word that failed nothing is sent, and what was not sent does not count as done. */
static void stops_at_a_tpmi_error(void **state)
{
	const struct power_domain domain = { 0 };
	const struct write_target set = tpmi_target(NULL, PLATFORM_TARGET_LEVEL, &domain, 0);
	struct target_request words[] = {
		{ .target = &set }, { .target = &set }, { .target = &set }, { .target = &set }
	};
	struct driver driver = { .failing = 2 };

	(void)state;
	write_all(&driver, words, ARRAY_SIZE(words));
	assert_int_equal(driver.n_calls, 2);
	assert_int_equal(words[0].error, 0);
	assert_int_equal(words[1].error, -ENOTTY);
	assert_int_equal(words[2].error, -ECANCELED);
	assert_int_equal(words[3].error, -ECANCELED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_by_kind),
		cmocka_unit_test(sends_tpmi_levels),
		cmocka_unit_test(stops_at_a_tpmi_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
