// SPDX-License-Identifier: GPL-2.0-only
/* The channel against scripted drivers (hardware.md, section 2; commands.md, -p and -r): which
 * batches go out for which answers, and what becomes of each command. All four kinds of requests go
 * through the same tables. Last, a driver that stops anywhere: nothing is done twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <time.h>

#include "base/cleanup.h"
#include "channel_job.h"
#include "script.h"

/* One request: commands first to first + count - 1, and what the driver answers. */
struct batch {
	size_t first;
	size_t count;
	int result;
};

#define MOST_BATCHES 8

struct vector {
	const char *name;
	unsigned int max_commands;
	unsigned int tries;
	size_t count; /* of commands */
	struct batch batches[MOST_BATCHES]; /* a count of 0 ends them */
	int errors[8]; /* of the first commands; the others are done */
};

static const struct vector vectors[] = {
	{ "nothing to send", 64, 3, 0, { { 0 } }, { 0 } },
	{ "one batch", 64, 3, 64, { { 0, 64, SCRIPT_ALL } }, { 0 } },
	{ "at most so many in a batch",
	  64,
	  3,
	  130,
	  { { 0, 64, SCRIPT_ALL }, { 64, 64, SCRIPT_ALL }, { 128, 2, SCRIPT_ALL } },
	  { 0 } },
	{ "one a batch",
	  1,
	  3,
	  3,
	  { { 0, 1, SCRIPT_ALL }, { 1, 1, SCRIPT_ALL }, { 2, 1, SCRIPT_ALL } },
	  { 0 } },
	{ "a short count is gone on with",
	  64,
	  3,
	  10,
	  { { 0, 10, 3 }, { 3, 7, 6 }, { 9, 1, SCRIPT_ALL } },
	  { 0 } },
	{ "a short count fills the next batch up",
	  4,
	  3,
	  6,
	  { { 0, 4, 1 }, { 1, 4, SCRIPT_ALL }, { 5, 1, SCRIPT_ALL } },
	  { 0 } },
	{ "why it was short is told next",
	  64,
	  3,
	  5,
	  { { 0, 5, 2 }, { 2, 3, -ENXIO }, { 3, 2, SCRIPT_ALL } },
	  { 0, 0, -ENXIO } },
	{ "busy twice, then done",
	  64,
	  3,
	  3,
	  { { 0, 3, -EBUSY }, { 0, 3, -EBUSY }, { 0, 3, SCRIPT_ALL } },
	  { 0 } },
	{ "interrupted twice, then done",
	  64,
	  3,
	  3,
	  { { 0, 3, -EINTR }, { 0, 3, -EINTR }, { 0, 3, SCRIPT_ALL } },
	  { 0 } },
	{ "busy and interrupted are tries alike",
	  64,
	  3,
	  2,
	  { { 0, 2, -EINTR }, { 0, 2, -EBUSY }, { 0, 2, -EINTR }, { 1, 1, SCRIPT_ALL } },
	  { -EINTR } },
	{ "busy for ever, one try",
	  64,
	  1,
	  2,
	  { { 0, 2, -EBUSY }, { 1, 1, -EBUSY } },
	  { -EBUSY, -EBUSY } },
	{ "busy for ever, three tries",
	  64,
	  3,
	  2,
	  { { 0, 2, -EBUSY }, { 0, 2, -EBUSY }, { 0, 2, -EBUSY }, { 1, 1, SCRIPT_ALL } },
	  { -EBUSY } },
	{ "busy in the middle: the batch was the first try",
	  64,
	  3,
	  5,
	  { { 0, 5, 2 }, { 2, 3, -EBUSY }, { 2, 3, -EBUSY }, { 3, 2, SCRIPT_ALL } },
	  { 0, 0, -EBUSY } },
	{ "busy in the middle, one try: sent again only to hear why",
	  64,
	  1,
	  4,
	  { { 0, 4, 2 }, { 2, 2, -EBUSY }, { 3, 1, SCRIPT_ALL } },
	  { 0, 0, -EBUSY } },
	{ "a refusal is final", 64, 3, 2, { { 0, 2, -ENXIO }, { 1, 1, SCRIPT_ALL } }, { -ENXIO } },
	{ "what the driver does not take is final",
	  64,
	  3,
	  2,
	  { { 0, 2, -EINVAL }, { 1, 1, -EINVAL } },
	  { -EINVAL, -EINVAL } },
	{ "what is not permitted is final",
	  64,
	  3,
	  2,
	  { { 0, 2, -EPERM }, { 1, 1, SCRIPT_ALL } },
	  { -EPERM } },
	{ "a refusal after a busy mailbox",
	  64,
	  3,
	  2,
	  { { 0, 2, -EBUSY }, { 0, 2, -ENXIO }, { 1, 1, SCRIPT_ALL } },
	  { -ENXIO } },
	{ "no back end ends all",
	  2,
	  3,
	  6,
	  { { 0, 2, SCRIPT_ALL }, { 2, 2, -ENOTTY } },
	  { 0, 0, -ENOTTY, -ENOTTY, -ENOTTY, -ENOTTY } },
	{ "no back end in the middle of a batch",
	  64,
	  3,
	  4,
	  { { 0, 4, 1 }, { 1, 3, -ENOTTY } },
	  { 0, -ENOTTY, -ENOTTY, -ENOTTY } },
	{ "a driver that answers 0", 64, 3, 3, { { 0, 3, 0 }, { 1, 2, SCRIPT_ALL } }, { -EIO } },
	{ "a driver that answers more than it was asked",
	  2,
	  3,
	  3,
	  { { 0, 2, 7 }, { 2, 1, 64 } },
	  { 0 } },
};

/* With stop_at_error: after a failure nothing is sent. */
static const struct vector stop_vectors[] = {
	{ "all done", 2, 3, 3, { { 0, 2, SCRIPT_ALL }, { 2, 1, SCRIPT_ALL } }, { 0 } },
	{ "the first is refused",
	  64,
	  3,
	  3,
	  { { 0, 3, -ENXIO } },
	  { -ENXIO, -ECANCELED, -ECANCELED } },
	{ "one in the middle is refused",
	  64,
	  3,
	  4,
	  { { 0, 4, 2 }, { 2, 2, -ENXIO } },
	  { 0, 0, -ENXIO, -ECANCELED } },
	{ "one in the middle is busy, then done",
	  64,
	  3,
	  3,
	  { { 0, 3, 1 }, { 1, 2, -EBUSY }, { 1, 2, SCRIPT_ALL } },
	  { 0 } },
	{ "one in the middle stays busy",
	  64,
	  3,
	  3,
	  { { 0, 3, 1 }, { 1, 2, -EBUSY }, { 1, 2, -EBUSY } },
	  { 0, -EBUSY, -ECANCELED } },
	{ "the last is refused", 64, 3, 2, { { 0, 2, 1 }, { 1, 1, -EPERM } }, { 0, -EPERM } },
	{ "no later request either",
	  1,
	  3,
	  3,
	  { { 0, 1, SCRIPT_ALL }, { 1, 1, -EINVAL } },
	  { 0, -EINVAL, -ECANCELED } },
	{ "no back end",
	  2,
	  3,
	  4,
	  { { 0, 2, -ENOTTY } },
	  { -ENOTTY, -ECANCELED, -ECANCELED, -ECANCELED } },
	{ "a driver that answers 0", 64, 3, 2, { { 0, 2, 0 } }, { -EIO, -ECANCELED } },
};

static struct entry *make_entries(uint32_t kind, size_t count)
{
	struct entry *entries = calloc(count + 1, sizeof(*entries));

	assert_non_null(entries);
	for (size_t i = 0; i < count; i++)
		entries[i] = channel_job_entry(kind, i);
	return entries;
}

static void check_job(const char *name, const struct channel_job *job, const int *errors,
		      size_t n_errors)
{
	for (size_t i = 0; i < job->count; i++) {
		int wanted = i < n_errors ? errors[i] : 0;
		uint64_t answer = wanted ? 0 : 0x1000 + i;

		if (job->errors[i] != wanted || job->answers[i] != answer)
			fail_msg("%s, request 0x%x: command %zu: error %d and answer 0x%llx; "
				 "expected %d and 0x%llx",
				 name, job->kind, i, job->errors[i],
				 (unsigned long long)job->answers[i], wanted,
				 (unsigned long long)answer);
	}
}

static void run_vector(const struct vector *vector, uint32_t kind, bool stop_at_error, void *buffer)
{
	_cleanup_free_ struct entry *entries = make_entries(kind, vector->count);
	_cleanup_channel_job_ struct channel_job job = channel_job_new(kind, vector->count);
	struct script_step steps[MOST_BATCHES];
	struct channel channel = {
		.max_commands = vector->max_commands,
		.tries = vector->tries,
		.stop_at_error = stop_at_error,
		.buffer = buffer,
	};
	size_t n_steps = 0;

	for (; n_steps < MOST_BATCHES && vector->batches[n_steps].count; n_steps++) {
		const struct batch *batch = &vector->batches[n_steps];

		steps[n_steps] = (struct script_step){
			.request = kind,
			.result = batch->result,
			.entries = entries + batch->first,
			.n_entries = batch->count,
		};
	}
	channel.transport = script_open(steps, n_steps);
	channel_job_send(&channel, &job);
	script_finish(&channel.transport);
	check_job(vector->name, &job, vector->errors, ARRAY_SIZE(vector->errors));
}

static void batches(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		for (size_t kind = 0; kind < CHANNEL_JOB_KINDS; kind++)
			run_vector(&vectors[i], channel_job_kinds[kind], false, NULL);
	}
}

/* A buffer of exactly the size that is asked for is enough. */
static void stops_at_error(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(stop_vectors); i++) {
		const struct vector *vector = &stop_vectors[i];
		_cleanup_free_ void *buffer = malloc(channel_buffer_size(vector->max_commands));

		assert_non_null(buffer);
		for (size_t kind = 0; kind < CHANNEL_JOB_KINDS; kind++) {
			run_vector(vector, channel_job_kinds[kind], true, buffer);
			run_vector(vector, channel_job_kinds[kind], true, NULL);
		}
	}
}

/* As many tries as -r may ask for, and not one more; the last of them may be the one that works. */
static void hundred_tries(void **state)
{
	_cleanup_free_ struct entry *entries = make_entries(ISST_IF_MBOX_COMMAND, 1);
	struct script_step steps[100];
	struct channel channel = { .max_commands = 64, .tries = 100 };

	(void)state;
	for (int last = 0; last < 2; last++) {
		_cleanup_channel_job_ struct channel_job job =
			channel_job_new(ISST_IF_MBOX_COMMAND, 1);
		int error = last ? 0 : -EBUSY;

		for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
			steps[i] = (struct script_step){ .request = ISST_IF_MBOX_COMMAND,
							 .result = -EBUSY,
							 .entries = entries,
							 .n_entries = 1 };
		if (last)
			steps[99].result = SCRIPT_ALL;
		channel.transport = script_open(steps, ARRAY_SIZE(steps));
		channel_job_send(&channel, &job);
		script_finish(&channel.transport);
		check_job("a hundred tries", &job, &error, 1);
	}
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* With a pause, mailbox commands go one by one and wait; other requests do neither. */
static void pauses(void **state)
{
	(void)state;
	for (size_t kind = 0; kind < CHANNEL_JOB_KINDS; kind++) {
		bool one_by_one = channel_job_kinds[kind] == ISST_IF_MBOX_COMMAND;
		_cleanup_free_ struct entry *entries = make_entries(channel_job_kinds[kind], 3);
		_cleanup_channel_job_ struct channel_job job =
			channel_job_new(channel_job_kinds[kind], 3);
		struct script_step steps[3];
		size_t n_steps = one_by_one ? 3 : 1;
		struct channel channel = { .max_commands = 64, .tries = 3, .pause_ms = 40 };
		double begin = now_ms();

		for (size_t i = 0; i < n_steps; i++)
			steps[i] = (struct script_step){ .request = channel_job_kinds[kind],
							 .result = SCRIPT_ALL,
							 .entries = entries + i,
							 .n_entries = one_by_one ? 1 : 3 };
		channel.transport = script_open(steps, n_steps);
		channel_job_send(&channel, &job);
		script_finish(&channel.transport);
		check_job("with a pause", &job, NULL, 0);
		if (one_by_one)
			assert_true(now_ms() - begin >= 2 * 40);
	}
}

/* A pause is between two commands: one alone waits for nothing, however long pauses are. */
static void pauses_for_no_single_command(void **state)
{
	_cleanup_free_ struct entry *entries = make_entries(ISST_IF_MBOX_COMMAND, 1);
	_cleanup_channel_job_ struct channel_job job = channel_job_new(ISST_IF_MBOX_COMMAND, 1);
	const struct script_step step = { .request = ISST_IF_MBOX_COMMAND,
					  .result = SCRIPT_ALL,
					  .entries = entries,
					  .n_entries = 1 };
	struct channel channel = { .max_commands = 64, .tries = 3, .pause_ms = 10000 };
	double begin = now_ms();

	(void)state;
	channel.transport = script_open(&step, 1);
	channel_job_send(&channel, &job);
	script_finish(&channel.transport);
	assert_true(now_ms() - begin < 9000);
}

/* Asks to stop from the n-th question on. */
struct asker {
	unsigned int n_asked;
	unsigned int stop_at;
};

static bool is_asked(void *data)
{
	struct asker *asker = data;

	return ++asker->n_asked >= asker->stop_at;
}

/* Asked to stop before the first request, in the pause after it (where it asks twice: before the
 * wait and in it), or between two tries: nothing more is sent, and what was done counts as done. */
static void stops(void **state)
{
	static const struct {
		unsigned int stop_at;
		int result; /* of the only request */
		int errors[3];
		int errors_of_writes[3];
	} cases[] = {
		{ 1, 0, { -EINTR, -EINTR, -EINTR }, { -EINTR, -ECANCELED, -ECANCELED } },
		{ 2, SCRIPT_ALL, { 0, -EINTR, -EINTR }, { 0, -EINTR, -ECANCELED } },
		{ 3, SCRIPT_ALL, { 0, -EINTR, -EINTR }, { 0, -EINTR, -ECANCELED } },
		{ 2, -EINTR, { -EINTR, -EINTR, -EINTR }, { -EINTR, -ECANCELED, -ECANCELED } },
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		bool writes = i % 2;
		size_t n = i / 2;
		_cleanup_free_ struct entry *entries = make_entries(ISST_IF_MBOX_COMMAND, 3);
		_cleanup_channel_job_ struct channel_job job =
			channel_job_new(ISST_IF_MBOX_COMMAND, 3);
		const struct script_step step = { .request = ISST_IF_MBOX_COMMAND,
						  .result = cases[n].result,
						  .entries = entries,
						  .n_entries = 1 };
		struct asker asker = { .stop_at = cases[n].stop_at };
		const struct wait_stop stop = { .fd = -1, .is_asked = is_asked, .data = &asker };
		struct channel channel = { .max_commands = 64,
					   .tries = 3,
					   .pause_ms = 60000,
					   .stop_at_error = writes,
					   .stop = &stop };
		double begin = now_ms();

		channel.transport = script_open(&step, cases[n].stop_at > 1);
		channel_job_send(&channel, &job);
		script_finish(&channel.transport);
		assert_memory_equal(job.errors,
				    writes ? cases[n].errors_of_writes : cases[n].errors,
				    sizeof(cases[n].errors));
		assert_true(now_ms() - begin < 30000);
	}
}

/* A request of its own: asked to stop, nothing is sent. */
static void request_stops(void **state)
{
	struct asker asker = { .stop_at = 1 };
	const struct wait_stop stop = { .fd = -1, .is_asked = is_asked, .data = &asker };
	struct channel channel = { .transport = script_open(NULL, 0), .stop = &stop };
	struct isst_perf_level_info levels = { 0 };

	(void)state;
	assert_int_equal(channel_request(&channel, ISST_IF_PERF_LEVELS, &levels, sizeof(levels)),
			 -EINTR);
	assert_int_equal(asker.n_asked, 1);
	script_finish(&channel.transport);
}

/* A driver that does what it gets and stops where chance has it. */
struct moody {
	struct transport transport;
	uint32_t seed;
	uint32_t last_cpu; /* of the last command that was done */
	unsigned int *done; /* how often, by CPU */
	bool *refuses; /* by CPU: always ENXIO */
};

static uint32_t draw(struct moody *moody, uint32_t below)
{
	moody->seed = moody->seed * 1664525 + 1013904223;
	return (moody->seed >> 16) % below;
}

static int moody_request(struct transport *transport, uint32_t request, void *argument)
{
	static const int moods[] = { -EBUSY, -EINTR };
	struct moody *moody = (struct moody *)transport;
	size_t count = entry_count(request, argument), i;
	int err = 0;

	for (i = 0; i < count && !err; i++) {
		struct entry entry = entry_read(request, argument, i);

		if (moody->refuses[entry.cpu])
			err = -ENXIO;
		else if (draw(moody, 4) == 0)
			err = moods[draw(moody, 2)];
		if (err)
			break;
		assert_true(entry.cpu >= moody->last_cpu);
		moody->last_cpu = entry.cpu;
		moody->done[entry.cpu]++;
		entry_answer(request, argument, i, 0x1000 + entry.cpu);
	}
	return i ? (int)i : err;
}

/* Whatever happens on the way: in order, done at most once, and said so exactly if it was done. */
static void no_command_is_sent_twice(void **state)
{
	static const struct transport_ops ops = { .request = moody_request };
	enum { COUNT = 40 };

	(void)state;
	for (uint32_t seed = 0; seed < 400; seed++) {
		unsigned int done[COUNT] = { 0 };
		bool refuses[COUNT] = { 0 };
		struct moody moody = {
			.transport.ops = &ops, .seed = seed, .done = done, .refuses = refuses
		};
		_cleanup_channel_job_ struct channel_job job =
			channel_job_new(channel_job_kinds[seed % CHANNEL_JOB_KINDS], COUNT);
		struct channel channel = { .transport = &moody.transport,
					   .max_commands = 1 + draw(&moody, 16),
					   .tries = 1 + draw(&moody, 4) };

		for (size_t i = 0; i < COUNT; i++)
			refuses[i] = draw(&moody, 8) == 0;
		job.write = seed & 4;
		channel_job_send(&channel, &job);
		for (size_t i = 0; i < COUNT; i++) {
			assert_int_equal(done[i], job.errors[i] ? 0 : 1);
			if (refuses[i])
				assert_int_equal(job.errors[i], -ENXIO);
			else if (job.errors[i])
				assert_true(job.errors[i] == -EBUSY || job.errors[i] == -EINTR);
		}
	}
}

/* Each cause has words of its own, and the errno's name for those who search for it. */
static void error_texts(void **state)
{
	static const struct {
		int err;
		const char *name;
	} rows[] = {
		{ -ENXIO, "ENXIO" }, { -EINVAL, "EINVAL" }, { -EBUSY, "EBUSY" },
		{ -EINTR, "EINTR" }, { -EPERM, "EPERM" },   { -ENOTTY, "ENOTTY" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_non_null(strstr(channel_error_text(rows[i].err), rows[i].name));
	assert_string_equal(channel_error_text(-EIO), strerror(EIO));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches),
		cmocka_unit_test(stops_at_error),
		cmocka_unit_test(hundred_tries),
		cmocka_unit_test(pauses),
		cmocka_unit_test(pauses_for_no_single_command),
		cmocka_unit_test(stops),
		cmocka_unit_test(request_stops),
		cmocka_unit_test(no_command_is_sent_twice),
		cmocka_unit_test(error_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
