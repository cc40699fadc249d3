/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of the PMUs of a simulated machine, as perf_event_open(2) has them. Their files are in
 * sysfs/pmu.c. */
#ifndef SIMULATOR_PMU_H
#define SIMULATOR_PMU_H

#include "instruments/perf.h"
#include "simulator/faults.h"

/* What PMU/type reads. */
enum sim_pmu {
	SIM_PMU_CPU = 4,
	SIM_PMU_MSR = 9,
	SIM_PMU_CSTATE_CORE = 15,
	SIM_PMU_CSTATE_PKG = 16,
	SIM_PMU_POWER = 20
};

/* Configs of the events of these PMUs. */
#define SIM_EVENT_TSC        0 /* msr */
#define SIM_EVENT_APERF      1
#define SIM_EVENT_MPERF      2
#define SIM_EVENT_SMI        4
#define SIM_EVENT_CORE_C1    0 /* cstate_core */
#define SIM_EVENT_C6         2 /* cstate_core, cstate_pkg */
#define SIM_EVENT_ENERGY_PKG 2 /* power */
#define SIM_EVENT_C01        0x10ec /* cpu */
#define SIM_EVENT_C02        0x20ec

/* Makes the events. state and faults stay the caller's and must outlive them. 0 or -ENOMEM. */
int pmu_open(struct sim_state *state, struct sim_faults *faults, struct perf **ret_perf);

/* Closes all events; NULL is fine. */
void pmu_close(struct perf *perf);

/* Has the machine this PMU? */
bool pmu_exists(const struct sim_platform *platform, enum sim_pmu pmu);

/* Does the PMU count on this CPU: the first online one of its package or core? The lock of the
 * state is held. */
bool pmu_counts_on(const struct sim_state *state, enum sim_pmu pmu, uint32_t cpu);

#endif
