// SPDX-License-Identifier: GPL-2.0-only
/* A channel that keeps answers: what was asked before is not sent again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/target.h"
#include "sst/limits.h"

/* A driver whose answer to an MSR is its number plus what it was asked so far; it counts commands.
 */
struct driver {
	struct transport transport;
	size_t n_commands;
	int error; /* of the first command of each request, if not 0 */
};

static int driver_request(struct transport *transport, uint32_t request, void *argument)
{
	struct driver *driver = (struct driver *)transport;
	struct isst_if_msr_cmds *commands = argument;
	struct isst_if_msr_cmd *entries =
		(void *)((char *)argument + offsetof(struct isst_if_msr_cmds, entries));
	struct isst_perf_level_info *levels = argument;

	if (driver->error) {
		driver->n_commands++;
		return driver->error;
	}
	if (request == ISST_IF_PERF_LEVELS) {
		levels->current_level = (uint8_t)++driver->n_commands;
		return 0;
	}
	for (uint32_t i = 0; i < commands->cmd_count; i++)
		entries[i].data = entries[i].msr + ++driver->n_commands;
	return (int)commands->cmd_count;
}

static const struct transport_ops driver_ops = { .request = driver_request };

/* A driver and a channel to it. */
struct bench {
	struct driver driver;
	struct channel channel;
};

static void bench_open(struct bench *bench)
{
	*bench = (struct bench){
		.driver.transport.ops = &driver_ops,
		.channel = { .max_commands = 64, .tries = 1, .answers = answers_new() },
	};
	bench->channel.transport = &bench->driver.transport;
	assert_non_null(bench->channel.answers);
}

static int ask_levels(struct bench *bench, uint8_t domain, uint8_t *ret_level)
{
	struct isst_perf_level_info levels = { .power_domain_id = domain };
	int err = channel_request(&bench->channel, ISST_IF_PERF_LEVELS, &levels, sizeof(levels));

	*ret_level = levels.current_level;
	return err;
}

/* Asks for MSRs of CPU 0: their answers, and the errors. */
static void ask_msrs(struct bench *bench, const uint64_t *msrs, size_t count, uint64_t *answers,
		     int *errors)
{
	struct isst_if_msr_cmd commands[4] = { 0 };

	assert_true(count <= ARRAY_SIZE(commands));
	for (size_t i = 0; i < count; i++)
		commands[i].msr = msrs[i];
	assert_int_equal(
		channel_send(&bench->channel, ISST_IF_MSR_COMMAND, commands, errors, count), 0);
	for (size_t i = 0; i < count; i++)
		answers[i] = commands[i].data;
}

static void structure_is_asked_once(void **state)
{
	struct bench bench;
	uint8_t level;

	(void)state;
	bench_open(&bench);
	assert_int_equal(ask_levels(&bench, 0, &level), 0);
	assert_int_equal(level, 1);
	assert_int_equal(ask_levels(&bench, 1, &level), 0);
	assert_int_equal(level, 2);
	assert_int_equal(ask_levels(&bench, 0, &level), 0);
	assert_int_equal(level, 1);
	assert_int_equal(bench.driver.n_commands, 2);
	answers_free(&bench.channel.answers);
	assert_int_equal(ask_levels(&bench, 0, &level), 0);
	assert_int_equal(level, 3);
}

/* Of a batch only the commands that are new are sent, and all answers are in their places. */
static void batch_sends_what_is_new(void **state)
{
	uint64_t answers[3];
	int errors[3];
	struct bench bench;

	(void)state;
	bench_open(&bench);
	ask_msrs(&bench, (const uint64_t[]){ 100, 200 }, 2, answers, errors);
	assert_int_equal(answers[1], 202);
	ask_msrs(&bench, (const uint64_t[]){ 300, 200, 100 }, 3, answers, errors);
	assert_int_equal(answers[0], 303);
	assert_int_equal(answers[1], 202);
	assert_int_equal(answers[2], 101);
	assert_int_equal(errors[0] | errors[1] | errors[2], 0);
	assert_int_equal(bench.driver.n_commands, 3);
	answers_free(&bench.channel.answers);
}

/* A refusal is kept; what may be tried again is not. */
static void errors(void **state)
{
	struct {
		int error;
		size_t n_commands; /* after asking twice */
	} rows[] = { { -ENXIO, 1 }, { -ENOTTY, 1 }, { -EBUSY, 2 }, { -EINTR, 2 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bench bench;
		uint64_t answer;
		int error;

		bench_open(&bench);
		bench.driver.error = rows[i].error;
		for (size_t times = 0; times < 2; times++) {
			ask_msrs(&bench, (const uint64_t[]){ 7 }, 1, &answer, &error);
			assert_int_equal(error, rows[i].error);
		}
		assert_int_equal(bench.driver.n_commands, rows[i].n_commands);
		answers_free(&bench.channel.answers);
	}
}

/* After a write everything is asked again. */
static void write_drops_answers(void **state)
{
	struct write_target target = limits_target(0, 0);
	struct target_value value = { .number = 5 };
	struct target_io io;
	struct bench bench;
	uint64_t answer;
	int error;

	(void)state;
	bench_open(&bench);
	ask_msrs(&bench, (const uint64_t[]){ 7 }, 1, &answer, &error);
	assert_int_equal(target_io_init(&io, &bench.channel, NULL, 1), 0);
	assert_int_equal(target_write(&io, &target, &value), 0);
	assert_int_equal(target_read(&io, &target, &value), 0);
	assert_int_equal(target_read(&io, &target, &value), 0);
	assert_int_equal(bench.driver.n_commands, 4);
	ask_msrs(&bench, (const uint64_t[]){ 7 }, 1, &answer, &error);
	assert_int_equal(answer, 12);
	target_io_done(&io);
	answers_free(&bench.channel.answers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(structure_is_asked_once),
		cmocka_unit_test(batch_sends_what_is_new),
		cmocka_unit_test(errors),
		cmocka_unit_test(write_drops_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
