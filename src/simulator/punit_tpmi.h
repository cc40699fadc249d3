/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PUNIT of one power domain as TPMI shows it: a block of 64-bit registers, addressed by
 * quadword (hardware.md, section 4, "The registers behind these ioctls"). Freestanding, like
 * punit.h.
 */
#ifndef SIMULATOR_PUNIT_TPMI_H
#define SIMULATOR_PUNIT_TPMI_H

#include "simulator/punit.h"

/* Where the parts of the block are, in quadwords; a driver finds them by the headers. */
#define PUNIT_TPMI_CP         1
#define PUNIT_TPMI_PP         12
#define PUNIT_TPMI_LEVEL_0    5 /* from the start of the PP block */
#define PUNIT_TPMI_LEVEL_SIZE 22
#define PUNIT_TPMI_PP_PART    0 /* from the start of a level */
#define PUNIT_TPMI_BF_PART    12
#define PUNIT_TPMI_TF_PART    14
#define PUNIT_TPMI_QUADWORDS \
	(PUNIT_TPMI_PP + PUNIT_TPMI_LEVEL_0 + PUNIT_MAX_LEVELS * PUNIT_TPMI_LEVEL_SIZE)

#define PUNIT_TPMI_CORES 64 /* that the registers can tell of */

/* How a status register lags behind its control register, and whether firmware listens at all. */
struct punit_tpmi_manner {
	uint8_t slow_reads; /* so many reads of a status show what was before */
	bool is_deaf; /* writes change nothing */
};

/*
 * Reads a register; one that is not there is 0. Reading a status that lags counts, so that state
 * changes.
 */
uint64_t punit_tpmi_read(struct punit *punit, uint32_t quadword);

/*
 * Writes one. Firmware acts on the control registers, and shows in the status what came of it: a
 * level that is locked, not there or not allowed stays as it was, with an error; a feature that the
 * level lacks stays off.
 */
void punit_tpmi_write(struct punit *punit, const struct punit_tpmi_manner *manner,
		      uint32_t quadword, uint64_t value);

#endif
