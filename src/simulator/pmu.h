/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of the PMUs of a simulated machine, in place of perf_event_open(2). sysfs/pmu.c has the
 * files of the PMUs. */
#ifndef SIMULATOR_PMU_H
#define SIMULATOR_PMU_H

#include "instruments/perf.h"
#include "simulator/faults.h"

/* The types of the PMUs, as in the files PMU/type. */
enum sim_pmu {
	SIM_PMU_CPU = 4,
	SIM_PMU_MSR = 9,
	SIM_PMU_CSTATE_CORE = 15,
	SIM_PMU_CSTATE_PKG = 16,
	SIM_PMU_POWER = 20
};

/* The values of config for the events of these PMUs. */
#define SIM_EVENT_TSC        0 /* msr */
#define SIM_EVENT_APERF      1
#define SIM_EVENT_MPERF      2
#define SIM_EVENT_SMI        4
#define SIM_EVENT_CORE_C1    0 /* cstate_core */
#define SIM_EVENT_C6         2 /* cstate_core, cstate_pkg */
#define SIM_EVENT_ENERGY_PKG 2 /* power */
#define SIM_EVENT_C01        0x10ec /* cpu */
#define SIM_EVENT_C02        0x20ec

/* Makes *ret_perf. state and faults stay the caller's and must outlive it. Returns 0 or -ENOMEM. */
int pmu_open(struct sim_state *state, struct sim_faults *faults, struct perf **ret_perf);

/* Closes all events; NULL is fine. */
void pmu_close(struct perf *perf);

/* Returns true if the machine has this PMU. */
bool pmu_exists(const struct sim_platform *platform, enum sim_pmu pmu);

/* Returns true if the PMU counts on this CPU: the first online CPU of its package, or of its core
 * (SIM_PMU_CSTATE_CORE). The lock of the state is held. */
bool pmu_counts_on(const struct sim_state *state, enum sim_pmu pmu, uint32_t cpu);

#endif
