/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes that take CPUs online and offline (hardware.md, section 5). */
#ifndef SETTINGS_HOTPLUG_H
#define SETTINGS_HOTPLUG_H

#include "host/machine.h"
#include "change/change.h"

/* Adds a change for each of cpus that is offline after the changes so far, ascending, which brings
 * it online; those that are online are only announced in their turn ("online cpu N"). Returns 0 or
 * -ENOMEM. */
int hotplug_plan_online(struct change_list *changes, const struct machine *machine,
			const struct cpuset *cpus);

/* Adds a change for each of cpus that is online after the changes so far, ascending, except those
 * that cannot go offline, which it puts into the empty ret_kept: those without an online file
 * (often cpu0), and the lowest one if no CPU of the machine would be left. To be called after
 * hotplug_plan_online(). Returns 0, -ENOMEM, or the negative errno of reading cpuN/online. */
int hotplug_plan_offline(struct change_list *changes, const struct machine *machine,
			 const struct cpuset *cpus, struct cpuset *ret_kept);

/* Has the CPU an online file? Returns 1, 0 or a negative errno of reading. */
int hotplug_has_file(const struct machine *machine, uint32_t cpu);

#endif
