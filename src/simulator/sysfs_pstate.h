/* SPDX-License-Identifier: GPL-2.0-only */
/* What the cpufreq files ask about intel_pstate. Inside the simulator only. */
#ifndef SIMULATOR_SYSFS_PSTATE_H
#define SIMULATOR_SYSFS_PSTATE_H

#include "simulator/state.h"

/* Kept in sim_machine_state.pstate_mode. */
enum sysfs_pstate_mode {
	SYSFS_PSTATE_NONE, /* another driver; kept: the mode that the platform's driver is in */
	SYSFS_PSTATE_ACTIVE,
	SYSFS_PSTATE_PASSIVE,
	SYSFS_PSTATE_OFF
};

/* The mode that the driver is in now. */
enum sysfs_pstate_mode sysfs_pstate_mode(const struct sim_state *state);

/* Does the driver set frequencies by hardware (HWP)? */
bool sysfs_pstate_has_hwp(const struct sim_state *state);

/* The scaling driver's name as the policies show it. */
const char *sysfs_pstate_driver(const struct sim_state *state);

/* The name of the index-th governor that the policies offer now, or NULL behind the last. */
const char *sysfs_pstate_governor(const struct sim_state *state, size_t index);

/* The index of a CPU's governor among those. */
size_t sysfs_pstate_get_governor(const struct sim_state *state, uint32_t cpu);

/* Gives a CPU the index-th of those. */
void sysfs_pstate_set_governor(struct sim_state *state, uint32_t cpu, size_t index);

#endif
