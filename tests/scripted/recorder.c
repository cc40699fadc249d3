// SPDX-License-Identifier: GPL-2.0-only
/* The recording transport and what can be read out of its log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "recorder.h"

struct recorder {
	struct transport transport;
	struct transport *inner;
	struct record_log *log;
};

static void add_record(struct record_log *log, struct record record)
{
	if (log->n_records == log->size) {
		log->size = log->size ? log->size * 2 : 256;
		log->records = realloc(log->records, log->size * sizeof(*log->records));
		assert_non_null(log->records);
	}
	log->records[log->n_records++] = record;
}

static int recorder_request(struct transport *transport, uint32_t request, void *argument)
{
	struct recorder *recorder = (struct recorder *)transport;
	size_t count = entry_count(request, argument), first = recorder->log->n_records;
	int result;

	for (size_t i = 0; i < count; i++)
		add_record(recorder->log, (struct record){
						  .request = request,
						  .n_entries = count,
						  .index = i,
						  .entry = entry_read(request, argument, i),
					  });
	if (count == 0)
		add_record(recorder->log, (struct record){ .request = request });
	result = transport_request(recorder->inner, request, argument);
	for (size_t i = first; i < recorder->log->n_records; i++)
		recorder->log->records[i].result = result;
	return result;
}

static void recorder_close(struct transport *transport)
{
	struct recorder *recorder = (struct recorder *)transport;

	transport_close(&recorder->inner);
	free(recorder);
}

static const struct transport_ops recorder_ops = {
	.request = recorder_request,
	.close = recorder_close,
};

struct transport *recorder_open(struct transport *inner, struct record_log *log)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));

	assert_non_null(recorder);
	*recorder = (struct recorder){
		.transport.ops = &recorder_ops,
		.inner = inner,
		.log = log,
	};
	return &recorder->transport;
}

void record_log_done(struct record_log *log)
{
	free(log->records);
	*log = (struct record_log){ 0 };
}

size_t record_log_requests(const struct record_log *log, uint32_t request)
{
	size_t count = 0;

	for (size_t i = 0; i < log->n_records; i++)
		count += log->records[i].request == request && log->records[i].index == 0;
	return count;
}

/* Is what became of this entry known, and not worth asking again? */
static bool is_settled(const struct record *record)
{
	if (record->result > 0)
		return record->index < (size_t)record->result;
	return record->index == 0 && record->result != -EBUSY && record->result != -EINTR;
}

size_t record_log_entries(const struct record_log *log, uint32_t request)
{
	size_t count = 0;

	for (size_t i = 0; i < log->n_records; i++)
		count += log->records[i].request == request && is_settled(&log->records[i]);
	return count;
}

size_t record_log_largest(const struct record_log *log, uint32_t request)
{
	size_t largest = 0;

	for (size_t i = 0; i < log->n_records; i++) {
		const struct record *record = &log->records[i];

		if (record->request == request && record->n_entries > largest)
			largest = record->n_entries;
	}
	return largest;
}

static int compare(uint64_t left, uint64_t right)
{
	return (left > right) - (left < right);
}

/* By what is asked of which domain: that is in place of the CPU. */
static int compare_entries(const void *left_pointer, const void *right_pointer)
{
	const struct entry *left = left_pointer, *right = right_pointer;

	return compare(left->cpu, right->cpu) ?: compare(left->command, right->command) ?:
	       compare(left->sub_command, right->sub_command) ?:
	       compare(left->place, right->place) ?: compare(left->write, right->write) ?:
	       compare(left->data, right->data);
}

bool record_log_find_repeat(const struct record_log *log, uint32_t request,
			    uint32_t (*domain_of)(const void *machine, uint32_t cpu),
			    const void *machine, struct entry *ret_entry)
{
	_cleanup_free_ struct entry *sent = calloc(log->n_records ?: 1, sizeof(*sent));
	size_t n_sent = 0;

	assert_non_null(sent);
	for (size_t i = 0; i < log->n_records; i++) {
		const struct record *record = &log->records[i];

		if (record->request != request || !is_settled(record))
			continue;
		sent[n_sent] = record->entry;
		sent[n_sent++].cpu = domain_of(machine, record->entry.cpu);
	}
	qsort(sent, n_sent, sizeof(*sent), compare_entries);
	for (size_t i = 1; i < n_sent; i++) {
		if (compare_entries(&sent[i - 1], &sent[i]) != 0)
			continue;
		*ret_entry = sent[i];
		return true;
	}
	return false;
}
