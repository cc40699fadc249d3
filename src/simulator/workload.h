/* SPDX-License-Identifier: GPL-2.0-only */
/* The workload model: what power, frequency and time come out when the cores of a simulated machine
 * are busy (measure.md, "The simulator moves"). A model, which firmware need not follow: plain
 * arithmetic of integers, so that every run gives the same figures. Ratios are MHz / 100. */
#ifndef SIMULATOR_WORKLOAD_H
#define SIMULATOR_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instruments/workload.h"

#define WORKLOAD_BUCKETS 8

/* Instruction sets whose base ratios a level reports. */
enum workload_base { WORKLOAD_SSE, WORKLOAD_AVX2, WORKLOAD_AVX512, WORKLOAD_BASES };

/* A package at its level. What is not reported is 0. */
struct workload_package_fuses {
	uint32_t cores; /* that the level enables */
	uint8_t bases[WORKLOAD_BASES]; /* ratios */
	struct {
		uint32_t cores;
		uint8_t ratio;
	} buckets[WORKLOAD_BUCKETS]; /* of the turbo-ratio limits for SSE, for the whole package */
};

/* How much of its time the CPU of a load is busy: 100 or 50 percent. */
unsigned int workload_busy_percent(enum load_kind kind);

/* The share of a load in the power of a core, in percent of what fills the TDP at the base
 * frequency. That of LOAD_SCALAR leaves any number of cores below the TDP. */
unsigned int workload_load_percent(enum load_kind kind, const struct workload_package_fuses *fuses);

/* The share of a core that an idle state of that name keeps in C0, in percent of LOAD_SCALAR; 0:
 * the state leaves C0. */
unsigned int workload_spin_percent(const char *idle_state);

/* How a package below its power limit shares the loss between its cores. */
enum workload_sharing {
	WORKLOAD_FASTEST_LOSES, /* SST-CP is off */
	WORKLOAD_ORDERED, /* the classes of the highest numbers lose first */
	WORKLOAD_PROPORTIONAL /* each class loses by its weight */
};

/* An active core: one of its threads is busy. */
struct workload_core {
	unsigned int load_percent;
	uint8_t cap_ratio; /* at least 1 */
	uint8_t floor_ratio; /* to which power takes it down; from lowest_ratio to cap_ratio */
	uint8_t lowest_ratio; /* of the hardware, at least 1 */
	uint8_t clos; /* 0 to 3, and its weight, 0 to 15 */
	uint8_t weight;
	uint8_t ratio; /* filled in: less than cap_ratio if power took some */
};

struct workload_package {
	uint32_t tdp_mw; /* 0: unknown; then there are no watts and no power limit */
	uint32_t limit_mw; /* of powercap; the lower one of the two counts. 0: none */
	struct workload_package_fuses fuses; /* no cores or no base for SSE: as with tdp_mw 0 */
	enum workload_sharing sharing;
	struct workload_core *cores; /* the active ones, in the order of their numbers */
	size_t n_cores;
	uint64_t power_mw; /* filled in */
};

/* Finds the ratios of the cores and the power of the package. */
void workload_settle(struct workload_package *package);

/* The temperature of a package, in thousandths of a degree Celsius; tdp_mw not 0. */
uint32_t workload_temperature_mc(uint64_t power_mw, uint32_t tdp_mw);

/* How long a round trip between two CPUs takes, the slower of which has that frequency (not 0), in
 * picoseconds; rounded down. */
uint64_t workload_pipe_ps(uint32_t mhz);

/* One wake-up of the state with that exit latency. round counts from 0 for each state and gap. */
struct workload_wake {
	uint64_t seed;
	uint32_t cpu;
	uint32_t state;
	uint64_t gap_us;
	uint64_t round;
};

uint64_t workload_wake_ns(const struct workload_wake *wake, uint32_t latency_us);

/* a x b / c without overflow between, rounded down; c is not 0. */
uint64_t workload_scale(uint64_t a, uint64_t b, uint64_t c);

#endif
