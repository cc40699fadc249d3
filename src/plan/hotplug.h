/* SPDX-License-Identifier: GPL-2.0-only */
/* Steps that take CPUs online and offline (hardware.md, section 5). */
#ifndef PLAN_HOTPLUG_H
#define PLAN_HOTPLUG_H

#include "machine/machine.h"
#include "plan/plan.h"

/*
 * Adds a step for each of cpus, ascending: one that is offline when the plan so far is done goes
 * online; of one that is online it is only said ("online cpu N"). Returns 0 or -ENOMEM.
 */
int hotplug_plan_online(struct plan *plan, const struct machine *machine,
			const struct cpuset *cpus);

/*
 * Adds a step for each of cpus that is online when the plan so far is done, ascending, but for
 * those that hotplug_find_kept() gives. To be called after hotplug_plan_online(). Returns 0,
 * -ENOMEM, or the negative errno of looking for cpuN/online.
 */
int hotplug_plan_offline(struct plan *plan, const struct machine *machine,
			 const struct cpuset *cpus);

/*
 * Adds to the empty ret_kept those of cpus that cannot go offline after the plan so far: those
 * without an online file (cpu0, often), and the lowest where no CPU of the machine would be left.
 * Returns 0 or as hotplug_plan_offline().
 */
int hotplug_find_kept(const struct plan *plan, const struct machine *machine,
		      const struct cpuset *cpus, struct cpuset *ret_kept);

/* Has the CPU an online file, by which it can go? Returns 1, 0 or a negative errno of reading. */
int hotplug_has_file(const struct machine *machine, uint32_t cpu);

/* Why the kernel refuses a CPU with this negative errno, in words for a message (static text). */
const char *hotplug_error_text(int err);

#endif
