/* SPDX-License-Identifier: GPL-2.0-only */
/* A transport that passes requests on and writes down what was asked and what came of it, for
 * counting. The log outlives the transport. */
#ifndef SCRIPTED_RECORDER_H
#define SCRIPTED_RECORDER_H

#include "entry.h"
#include "host/transport.h"

struct record {
	uint32_t request;
	int result; /* of the whole request */
	size_t n_entries; /* 0: a request without entries, which has one record all the same */
	size_t index; /* of this entry in its request */
	struct entry entry;
};

struct record_log {
	struct record *records;
	size_t n_records;
	size_t size;
};

void record_log_done(struct record_log *log);

/* Wraps inner, which it then owns; log stays the caller's. */
struct transport *recorder_open(struct transport *inner, struct record_log *log);

/* Requests of that number, and entries that the driver got to: done, or failed for good. */
size_t record_log_requests(const struct record_log *log, uint32_t request);
size_t record_log_entries(const struct record_log *log, uint32_t request);

/* The most entries that one request of that number had. */
size_t record_log_largest(const struct record_log *log, uint32_t request);

/* Was an entry sent twice to one domain? domain_of returns the domain of a CPU; machine is passed
 * to it. A command that was busy or interrupted, or stopped a batch in the middle without an error,
 * may be sent again. *ret_entry is then the entry, with the domain as its CPU. */
bool record_log_find_repeat(const struct record_log *log, uint32_t request,
			    uint32_t (*domain_of)(const void *machine, uint32_t cpu),
			    const void *machine, struct entry *ret_entry);

#endif
