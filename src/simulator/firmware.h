/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds what the firmware of a simulated machine allows a busy core in the present state
 * (measure.md, "One predictor", "The simulator moves"). The calculation shares no code with the
 * predictor of the commands. The lock of the state is held. Ratios are MHz / 100. */
#ifndef SIMULATOR_FIRMWARE_H
#define SIMULATOR_FIRMWARE_H

#include "simulator/state.h"
#include "simulator/workload.h"

#define KHZ_PER_RATIO 100000
#define MHZ_PER_RATIO 100

#define FIRMWARE_DOMAINS    32 /* of a package, at most */
#define FIRMWARE_CORE_WORDS (PUNIT_MAX_CORES / 64)

/* The active cores of a package, counted as its tables count: PUNIT cores. On parts with modules, a
 * PUNIT core is a module. Each array has a bit for each PUNIT core, by index of the domain. */
struct firmware_counts {
	uint64_t active[FIRMWARE_DOMAINS][FIRMWARE_CORE_WORDS]; /* all */
	uint64_t high[FIRMWARE_DOMAINS][FIRMWARE_CORE_WORDS]; /* those in CLOS 0 and 1 */
	uint32_t high_cores; /* number of high-priority cores; each core of a module counts */
};

/* Counts the core of a CPU. To be called once for each active core of the package. */
void firmware_count(const struct sim_state *state, uint32_t cpu, struct firmware_counts *counts);

/* The limits of a CPU, as ratios. */
struct firmware_limits {
	uint8_t cap; /* at least 1 */
	uint8_t floor; /* the lowest ratio under the power limit: from lowest to cap */
	uint8_t lowest; /* of the hardware, at least 1 */
	bool is_turbo; /* only a turbo-ratio limit or SST-TF sets the cap */
};

/* Finds the limits of a CPU for the instructions of a turbo-ratio level (firmware_isa()). */
struct firmware_limits firmware_find(const struct sim_state *state, uint32_t cpu, unsigned int isa,
				     const struct firmware_counts *counts);

/* Returns the turbo-ratio level that limits a load on a CPU. Dense AVX-512 has its own if the
 * performance level has that table. */
unsigned int firmware_isa(const struct sim_state *state, uint32_t cpu, enum load_kind kind);

/* Returns the highest frequency of a CPU in HWP_CAPABILITIES; 0 without cpufreq. */
uint32_t firmware_highest_khz(const struct sim_state *state, uint32_t cpu);

/* Returns the CLOS of a CPU; -1 if SST-CP is off. */
int firmware_clos(const struct sim_state *state, uint32_t cpu);

/* Returns the figures of a package from which the power of its loads is computed. */
struct workload_package_fuses firmware_package_fuses(const struct sim_state *state,
						     uint32_t package);

/* Returns the frequency of the time-stamp counter in MHz: the base frequency of level 0, else of
 * cpufreq. */
uint32_t firmware_tsc_mhz(const struct sim_platform *platform);

/* Returns the present level of a power domain, or NULL. */
const struct punit_level *firmware_level(const struct sim_state *state, size_t domain);

#endif
