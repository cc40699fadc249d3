/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes that take CPUs online and offline (hardware.md, section 5). */
#ifndef SETTINGS_HOTPLUG_H
#define SETTINGS_HOTPLUG_H

#include "host/machine.h"
#include "change/change.h"

/* Adds a change for each CPU of cpus that is offline after the changes so far, in ascending order,
 * and brings it online. A CPU that is online is only announced ("online cpu N"). Skips threads that
 * cannot come online because SMT is off. Returns 0 or -ENOMEM. */
int hotplug_plan_online(struct change_list *changes, const struct machine *machine,
			const struct cpuset *cpus);

/* Adds a change for each CPU of cpus that is online after the changes so far, in ascending order,
 * and takes it offline. Puts CPUs that cannot go offline into the empty ret_kept instead: CPUs
 * without an online file (often cpu0), and the lowest CPU if none would stay online. Call this
 * after hotplug_plan_online(). Returns 0, -ENOMEM, or the negative errno of reading cpuN/online. */
int hotplug_plan_offline(struct change_list *changes, const struct machine *machine,
			 const struct cpuset *cpus, struct cpuset *ret_kept);

/* Returns 1 if the CPU has an online file, 0 if not, or a negative errno of reading. */
int hotplug_has_file(const struct machine *machine, uint32_t cpu);

#endif
