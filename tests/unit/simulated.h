/* SPDX-License-Identifier: GPL-2.0-only */
/* A small simulated machine for tests, made by hand: no platform file is read. */
#ifndef UNIT_SIMULATED_H
#define UNIT_SIMULATED_H

#include "simulator/platform_file.h"

/* Fuses of one domain of the platforms of these names. */
extern const struct punit_fuses simulated_guide_fuses;
extern const struct punit_fuses simulated_emr_fuses;
extern const struct punit_fuses simulated_cpx_fuses;
extern const struct punit_fuses simulated_spr_fuses;

/* A machine of the guide's kind: 2 packages of one domain with SST, cores 0 to 3, two threads,
 * siblings last (CPUs 0-3, 4-7 and their siblings 8-11, 12-15). Change what a test is about before
 * it is opened. To be freed with simulated_free(). */
struct sim_platform *simulated_new(void);
void simulated_free(struct sim_platform *platform);

/* Makes a new directory for a test's files and returns its name, which the caller frees. */
char *simulated_make_directory(void);

/* Removes the directory with all in it, and frees the name. */
void simulated_remove_directory(char *directory);

/* Writes text to DIRECTORY/NAME. */
void simulated_write(const char *directory, const char *name, const char *text);

#endif
