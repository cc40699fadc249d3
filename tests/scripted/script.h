/* SPDX-License-Identifier: GPL-2.0-only */
/* A transport that expects a list of requests in order, answers them, and checks that all were
 * used. What it does not expect fails the test. */
#ifndef SCRIPTED_SCRIPT_H
#define SCRIPTED_SCRIPT_H

#include "entry.h"
#include "host/transport.h"

#define SCRIPT_ALL INT32_MAX /* every entry is done: what the driver answers then */

struct script_step {
	uint32_t request;
	/* SCRIPT_ALL, or what the driver answers: a count (the entries before that are done) or a
	 * negative errno. It may be a count that no driver answers. */
	int result;
	const struct entry *entries;
	size_t n_entries;
};

/* Elements of an array of steps; entries are written in braces (ENTRY_MAILBOX and others). */
#define SCRIPT_STEP(number, outcome, ...)                                                         \
	{                                                                                         \
		.request = (number), .result = (outcome),                                         \
		.entries = (const struct entry[]){ __VA_ARGS__ },                                 \
		.n_entries = sizeof((const struct entry[]){ __VA_ARGS__ }) / sizeof(struct entry) \
	}

/* steps stay the caller's and must outlive the transport. */
struct transport *script_open(const struct script_step *steps, size_t n_steps);

/* Closes it; fails the test where steps are left. */
void script_finish(struct transport **transport);

#endif
