/* SPDX-License-Identifier: GPL-2.0-only */
/* One entry of a request to the driver, whatever kind of request it is part of. */
#ifndef SCRIPTED_ENTRY_H
#define SCRIPTED_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isst_abi.h"

struct entry {
	uint32_t cpu;
	uint16_t command; /* of the mailbox */
	uint16_t sub_command; /* of the mailbox */
	uint32_t place; /* mailbox parameter, register, MSR */
	bool write; /* register, MSR */
	uint64_t data; /* of a mailbox request; what is written */
	uint64_t answer;
};

#define ENTRY_MAILBOX(on_cpu, with_command, with_sub, with_data, answered)             \
	{                                                                              \
		.cpu = (on_cpu), .command = (with_command), .sub_command = (with_sub), \
		.data = (with_data), .answer = (answered)                              \
	}
#define ENTRY_CLOS(on_cpu, with_sub, parameter, answered)                                          \
	{                                                                                          \
		.cpu = (on_cpu), .command = 0xd0, .sub_command = (with_sub), .place = (parameter), \
		.answer = (answered)                                                               \
	}
#define ENTRY_READ(on_cpu, from, answered)                             \
	{                                                              \
		.cpu = (on_cpu), .place = (from), .answer = (answered) \
	}

/* How many entries a request brings; 0 for one that has none. */
size_t entry_count(uint32_t request, const void *argument);

/* Entry number index of a request; what it asks for, and what is in the answer's place. */
struct entry entry_read(uint32_t request, const void *argument, size_t index);

/* Puts an answer in. A write has none: there this does nothing. */
void entry_answer(uint32_t request, void *argument, size_t index, uint64_t answer);

/* Do both ask the same? Answers are not compared. */
bool entry_equal(const struct entry *left, const struct entry *right);

#endif
