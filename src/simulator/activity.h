/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the frequency of each busy CPU and the power of each package of a simulated machine in its
 * present state. The limits of the firmware are the input of the workload model. */
#ifndef SIMULATOR_ACTIVITY_H
#define SIMULATOR_ACTIVITY_H

#include "simulator/state.h"
#include "simulator/workload.h"

#define NS_PER_US      1000
#define USUAL_SLEEP_NS 4000000 /* of a CPU on which nothing runs */

/* The load that this process runs on a CPU. */
struct sim_load {
	bool is_busy;
	uint32_t peer; /* LOAD_PIPE: the other CPU */
	struct load_figures figures;
	/* the sums from which figures is computed */
	uint64_t busy; /* nanoseconds x percent */
	uint64_t cycles; /* nanoseconds x percent x ratio */
	uint64_t operations; /* LOAD_PIPE: in millionths */
};

struct sim_cpu_activity {
	uint8_t ratio; /* 0: the CPU is offline, or idles in C1 or deeper */
	uint8_t busy_percent; /* the part of the time in which mperf counts */
	bool is_idle; /* idles in C0 and has no load */
	uint8_t limits; /* SIM_LIMITED_BY_* */
};

struct sim_package_activity {
	uint32_t tdp_mw; /* 0: unknown */
	uint64_t power_mw; /* 0: unknown */
};

struct sim_activity {
	struct sim_cpu_activity *cpus; /* by logical CPU */
	struct sim_package_activity *packages; /* by package */
};

#define _cleanup_activity_ __attribute__((cleanup(activity_done)))

/* Finds the frequencies and the power for the loads of this process. The lock of the state is held.
 * Returns 0 or -ENOMEM; free with activity_done(). */
int activity_find(const struct sim_state *state, struct sim_activity *ret_activity);
void activity_done(struct sim_activity *activity);

/* Returns the TDP of a package at its present level, in mW: the largest TDP of its power domains;
 * 0: unknown. The lock of the state is held. */
uint32_t activity_tdp_mw(const struct sim_state *state, uint32_t package);

#define ACTIVITY_NO_STATE UINT32_MAX

/* Returns the idle state that an online CPU enters for a sleep of this length, among the enabled
 * states within its wake-up latency limit: the deepest whose target residency is no longer than the
 * sleep, else the lightest. ACTIVITY_NO_STATE: no such state. The lock of the state is held. */
uint32_t activity_idle_state(const struct sim_state *state, uint32_t cpu, uint64_t sleep_ns);

#endif
