/* SPDX-License-Identifier: GPL-2.0-only */
/* What the firmware of a simulated machine allows a busy core in the present state: its own
 * calculation (measure.md, "One predictor", "The simulator moves"), which shares no code with the
 * predictor of the commands. The lock of the state is held. Ratios are MHz / 100. */
#ifndef SIMULATOR_FIRMWARE_H
#define SIMULATOR_FIRMWARE_H

#include "simulator/state.h"
#include "simulator/workload.h"

#define KHZ_PER_RATIO 100000
#define MHZ_PER_RATIO 100

#define FIRMWARE_DOMAINS    32 /* of a package, at most */
#define FIRMWARE_CORE_WORDS (PUNIT_MAX_CORES / 64)

/* The active cores of a package, in the units of its tables: PUNIT cores, which are modules on
 * parts that have them. */
struct firmware_counts {
	uint64_t active[FIRMWARE_DOMAINS][FIRMWARE_CORE_WORDS]; /* bit per PUNIT core, by place of
								 * the domain in the package */
	uint64_t high[FIRMWARE_DOMAINS][FIRMWARE_CORE_WORDS]; /* those in CLOS 0 and 1 */
	uint32_t high_cores; /* cores, of modules too */
};

/* Counts the core of a CPU; once for each active core of the package. */
void firmware_count(const struct sim_state *state, uint32_t cpu, struct firmware_counts *counts);

/* What a CPU may have. */
struct firmware_limits {
	uint8_t cap; /* at least 1 */
	uint8_t floor; /* to which power takes it down: from lowest to cap */
	uint8_t lowest; /* of the hardware, at least 1 */
	bool is_turbo; /* a turbo-ratio limit or SST-TF is the cap, and nothing else */
};

/* Finds them for the instructions of a turbo-ratio level (firmware_isa()). */
struct firmware_limits firmware_find(const struct sim_state *state, uint32_t cpu, unsigned int isa,
				     const struct firmware_counts *counts);

/* The turbo-ratio level by which a load is limited on a CPU: dense AVX-512 has one of its own where
 * the level has that table. */
unsigned int firmware_isa(const struct sim_state *state, uint32_t cpu, enum load_kind kind);

/* The highest frequency of a CPU by HWP_CAPABILITIES; 0 without cpufreq. */
uint32_t firmware_highest_khz(const struct sim_state *state, uint32_t cpu);

/* The CLOS that a CPU is in; -1 if SST-CP is off. */
int firmware_clos(const struct sim_state *state, uint32_t cpu);

/* What the shares of loads in the power of a package are made of. */
struct workload_package_fuses firmware_package_fuses(const struct sim_state *state,
						     uint32_t package);

/* The frequency of the time-stamp counter, in MHz: the base frequency of level 0. */
uint32_t firmware_tsc_mhz(const struct sim_platform *platform);

/* The present level of a power domain, or NULL. */
const struct punit_level *firmware_level(const struct sim_state *state, size_t domain);

#endif
