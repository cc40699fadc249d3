/* SPDX-License-Identifier: GPL-2.0-only */
/* The PUNIT of one power domain as TPMI shows it: a block of 64-bit registers, addressed by
 * quadword (hardware.md, section 4, "The registers behind these ioctls"). */
#ifndef LAB_REGISTERS_H
#define LAB_REGISTERS_H

#include "simulator/punit.h"

/* Where the parts of the block are, in quadwords; a driver finds them by the headers. */
#define REGISTERS_CP         1
#define REGISTERS_PP         12
#define REGISTERS_LEVEL_0    5 /* from the start of the PP block */
#define REGISTERS_LEVEL_SIZE 24
#define REGISTERS_PP_PART    0 /* from the start of a level */
#define REGISTERS_BF_PART    13
#define REGISTERS_TF_PART    15
#define REGISTERS_COUNT      (REGISTERS_PP + REGISTERS_LEVEL_0 + PUNIT_MAX_LEVELS * REGISTERS_LEVEL_SIZE)

struct registers {
	struct punit punit;
	uint8_t *level_error; /* of the last level that was written, as the status shows it */
};

/* Reads a register; an unknown one is 0. Reading a status that lags counts, so that state
 * changes. */
uint64_t registers_read(struct registers *registers, uint32_t quadword);

/* Writes one. Firmware acts on the control registers, and shows the result in the status: a level
 * that is locked, unknown or not allowed stays as it was, with an error; a feature that the level
 * lacks stays off. */
void registers_write(struct registers *registers, const struct punit_response *response,
		     uint32_t quadword, uint64_t value);

#endif
