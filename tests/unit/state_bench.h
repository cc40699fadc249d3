/* SPDX-License-Identifier: GPL-2.0-only */
/* A simulated machine whose state is read, for tests: what was asked of it is recorded. */
#ifndef UNIT_STATE_BENCH_H
#define UNIT_STATE_BENCH_H

#include <stdio.h>

#include "host/machine.h"
#include "settings/settings.h"
#include "settings/locations.h"

/* Passes reads on and writes their paths down. */
struct state_bench_files {
	struct files files;
	struct files *inner;
	FILE *log; /* or NULL */
};

struct state_bench {
	char *directory;
	struct host *host;
	struct state_bench_files recorded;
	struct machine *machine;
	struct platform *platform; /* NULL: without Speed Select */
	struct state_machine state;
	struct state_rows rows;
	FILE *trace; /* of requests */
	char *trace_text;
	size_t trace_length;
};

/* Opens the platform of that name; faults is the text of faults.json, or NULL. */
void state_bench_open(struct state_bench *bench, const char *platform, const char *faults);
void state_bench_close(struct state_bench *bench);

/* Opens machine and platform again, with what has changed in the simulated one. */
void state_bench_renew(struct state_bench *bench);

/* Writes a file; a path without a leading slash is below /sys/devices/system/cpu. */
void state_bench_write(struct state_bench *bench, const char *path, const char *text);

/* Changes settings; must succeed. */
void state_bench_set(struct state_bench *bench, const struct setting_request *requests,
		     size_t count);

/* Adds a row and asks for all its values. */
void state_bench_ask(struct state_bench *bench, enum setting_id member, uint32_t clos,
		     const char *idle_state);

/* Asks for every member, each CLOS and the idle states of the names, and reads them. */
void state_bench_read_all(struct state_bench *bench, const char *const *idle_states);

/* The values of a row must be these texts, which are of state_value_format(), "lacking" or
 * "unreadable", with a count before those that repeat: "2x800, 1x2000". */
void state_bench_assert(struct state_bench *bench, enum setting_id member, uint32_t clos,
			const char *idle_state, const char *texts);

#endif
