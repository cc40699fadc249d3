/* SPDX-License-Identifier: GPL-2.0-only */
/* Energy performance preferences: names and raw values, as sim_cpu_state.epp holds them. */
#ifndef SIMULATOR_SYSFS_EPP_H
#define SIMULATOR_SYSFS_EPP_H

#include "simulator/state.h"

/*
 * Reads a name of the platform's list ("default" is what was set at boot) or a number, 0 to 255.
 * Returns 0 or -EINVAL.
 */
int sysfs_epp_parse(const struct sim_cpufreq *cpufreq, const char *text, uint16_t *ret_epp);

/* Writes the name, also of a raw value that has one; else the number. */
void sysfs_epp_write(const struct sim_cpufreq *cpufreq, uint16_t epp, FILE *to);

/* Is it the preference that the performance governor holds to? */
bool sysfs_epp_is_performance(const struct sim_cpufreq *cpufreq, uint16_t epp);

#endif
