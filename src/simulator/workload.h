/* SPDX-License-Identifier: GPL-2.0-only */
/* The workload model: computes power, frequency and time of a simulated machine while its cores are
 * busy (measure.md, "The simulator moves"). Real firmware can differ. The model uses only integers,
 * so that every run gives the same figures. Ratios are MHz / 100. */
#ifndef SIMULATOR_WORKLOAD_H
#define SIMULATOR_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instruments/workload.h"

#define WORKLOAD_BUCKETS 8

/* Instruction sets whose base ratios a level reports. */
enum workload_base { WORKLOAD_SSE, WORKLOAD_AVX2, WORKLOAD_AVX512, WORKLOAD_BASES };

/* The figures of a package at its level. A figure that is not reported is 0. */
struct workload_package_fuses {
	uint32_t cores; /* enabled by the level */
	uint8_t bases[WORKLOAD_BASES]; /* ratios */
	struct {
		uint32_t cores;
		uint8_t ratio;
	} buckets[WORKLOAD_BUCKETS]; /* the turbo-ratio limits of the package for SSE */
};

/* Returns the part of the time in which a load keeps its CPU busy: 100 or 50 percent. */
unsigned int workload_busy_percent(enum load_kind kind);

/* Returns the power of a load on a core, in percent of the load with which all cores use the TDP at
 * the base frequency. LOAD_SCALAR leaves any number of cores below the TDP. */
unsigned int workload_load_percent(enum load_kind kind, const struct workload_package_fuses *fuses);

/* Returns the power of a core in the idle state of this name, in percent of LOAD_SCALAR; 0: the
 * state leaves C0. */
unsigned int workload_spin_percent(const char *idle_state);

/* How a package that reaches its power limit shares the loss between its cores. */
enum workload_sharing {
	WORKLOAD_FASTEST_LOSES, /* SST-CP is off */
	WORKLOAD_ORDERED, /* the cores in the highest CLOS lose first */
	WORKLOAD_PROPORTIONAL /* each core loses according to the weight of its CLOS */
};

/* An active core: one of its threads is busy. */
struct workload_core {
	unsigned int load_percent;
	uint8_t cap_ratio; /* at least 1 */
	uint8_t floor_ratio; /* the lowest ratio under the power limit; lowest_ratio to cap_ratio */
	uint8_t lowest_ratio; /* of the hardware, at least 1 */
	uint8_t clos; /* 0 to 3; weight: 0 to 15 */
	uint8_t weight;
	uint8_t ratio; /* the result: below cap_ratio if the power limit lowered it */
};

struct workload_package {
	uint32_t tdp_mw; /* 0: unknown; then power_mw is 0 and there is no power limit */
	uint32_t limit_mw; /* of powercap; 0: none. The lower of this and the TDP counts */
	struct workload_package_fuses fuses; /* without cores or a base for SSE: as with tdp_mw 0 */
	enum workload_sharing sharing;
	struct workload_core *cores; /* the active cores, in ascending order */
	size_t n_cores;
	uint64_t power_mw; /* the result */
};

/* Finds the ratios of the cores and the power of the package. */
void workload_settle(struct workload_package *package);

/* Returns the temperature of a package in thousandths of a degree Celsius; tdp_mw is not 0. */
uint32_t workload_temperature_mc(uint64_t power_mw, uint32_t tdp_mw);

/* Returns the time of a round trip between two CPUs, in picoseconds, rounded down. mhz, not 0, is
 * the frequency of the slower CPU. */
uint64_t workload_pipe_ps(uint32_t mhz);

/* One wake-up; latency_us is the exit latency. round counts from 0 for each state and gap. */
struct workload_wake {
	uint64_t seed;
	uint32_t cpu;
	uint32_t state;
	uint64_t gap_us;
	uint64_t round;
};

uint64_t workload_wake_ns(const struct workload_wake *wake, uint32_t latency_us);

/* Returns a x b / c, rounded down, without an overflow of a x b; c is not 0. */
uint64_t workload_scale(uint64_t a, uint64_t b, uint64_t c);

#endif
