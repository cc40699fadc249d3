/* SPDX-License-Identifier: GPL-2.0-only */
/* The TPMI back end of the driver (hardware.md, section 4). */
#ifndef SIMULATOR_DRIVER_TPMI_H
#define SIMULATOR_DRIVER_TPMI_H

#include "simulator/driver_commands.h"
#include "simulator/punit_tpmi.h"

/* One power domain's registers, as a request finds them by its package and power-domain id. */
struct tpmi_block {
	struct punit punit;
	struct punit_fuses fuses; /* with what the faults change */
	struct punit_tpmi_manner manner;
	uint32_t cp; /* where the blocks begin, in quadwords */
	uint32_t pp;
};

/* Is the request one of this back end, on this machine? */
bool driver_tpmi_answers(const struct sim_platform *platform, uint32_t number);

/*
 * Carries a request out, on argument as the ABI has it. Returns 0; or -ENOTTY, whatever the reason:
 * the common driver makes that of every error of this back end.
 */
int driver_tpmi_request(struct driver *driver, uint32_t number, void *argument);

/* A field of a register: size bits from the lowest on. */
static inline uint32_t driver_tpmi_field(uint64_t word, unsigned int lowest, unsigned int size)
{
	return (uint32_t)(word >> lowest & ((UINT64_C(1) << size) - 1));
}

/* Reads a register of the PP block, or of the CP block. */
uint64_t driver_tpmi_read_pp(struct tpmi_block *block, uint32_t word);
uint64_t driver_tpmi_read_cp(struct tpmi_block *block, uint32_t word);
void driver_tpmi_write_pp(struct tpmi_block *block, uint32_t word, uint64_t value);
void driver_tpmi_write_cp(struct tpmi_block *block, uint32_t word, uint64_t value);

/* The parts of a level, in the order of the register that has their offsets. */
enum tpmi_part { TPMI_PART_PP, TPMI_PART_BF, TPMI_PART_TF };

/* Reads a word of a part of a level; level must be below 8. */
uint64_t driver_tpmi_read_level(struct tpmi_block *block, uint32_t level, enum tpmi_part part,
				uint32_t word);

/* Is the level in the mask of those that are there? */
bool driver_tpmi_has_level(struct tpmi_block *block, uint32_t level);

/*
 * Requests about levels (driver_tpmi_levels.c) on the block that they name; api is the driver's
 * API version. Return 0 or a negative errno as the back end's own.
 */
int driver_tpmi_perf_levels(struct tpmi_block *block, uint16_t api, void *argument);
int driver_tpmi_level_info(struct tpmi_block *block, uint16_t api, void *argument);
int driver_tpmi_level_cpu_mask(struct tpmi_block *block, uint16_t api, void *argument);
int driver_tpmi_base_freq_info(struct tpmi_block *block, uint16_t api, void *argument);
int driver_tpmi_base_freq_cpu_mask(struct tpmi_block *block, uint16_t api, void *argument);
int driver_tpmi_turbo_freq_info(struct tpmi_block *block, uint16_t api, void *argument);
int driver_tpmi_fabric_info(struct tpmi_block *block, uint16_t api, void *argument);

#endif
