/* SPDX-License-Identifier: GPL-2.0-only */
/* A level of SST-PP in a platform file: what all domains share, and what each has of its own. */
#ifndef SIMULATOR_PLATFORM_FILE_LEVEL_H
#define SIMULATOR_PLATFORM_FILE_LEVEL_H

#include "simulator/member.h"
#include "simulator/platform_file.h"

/* Those domains of a machine that an `sst` or `io_sst` holds for. */
struct sim_domains {
	struct sim_platform *platform;
	bool io; /* IO domains: those without cores */
	struct sim_domain **domains;
	size_t count;
};

/* Reads 8 counts, 0 to 255 each. */
void platform_file_level_read_counts(const struct member *list, uint8_t counts[PUNIT_BUCKETS]);

/*
 * Reads a level into ret_level, except for core masks and turbo core counts, which differ between
 * domains. What is wrong stays in the member's reader, here and below.
 */
void platform_file_level_read(const struct member *object, const struct sim_domains *domains,
			      uint8_t pp_version, struct punit_level *ret_level);

/* Reads the rest of it into levels[index] of each domain's fuses. */
void platform_file_level_read_domains(const struct member *level, const struct sim_domains *domains,
				      size_t index);

#endif
