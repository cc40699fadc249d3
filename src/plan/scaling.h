/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Steps on the frequency limits of a CPU's cpufreq policy (sysfs.md, "cpufreq policy"), in kHz.
 *
 * The planning functions read what is there and add a step for each limit that changes, none where
 * nothing does. They return 0; -EBUSY where the policy is inactive (the CPU is offline, also where
 * an earlier step is to bring it online); -ENOENT where the machine has no such files; -EINVAL for
 * nonsense in them; another negative errno of reading; -ENOMEM. With all but -ENOMEM no step was
 * added.
 */
#ifndef PLAN_SCALING_H
#define PLAN_SCALING_H

#include "machine/machine.h"
#include "plan/plan.h"

/*
 * Both limits, in the order that keeps the lower one at or below the upper one: the upper one first
 * unless the whole range goes down. min_khz above max_khz is -EINVAL.
 */
int scaling_plan_range(struct plan *plan, const struct machine *machine, uint32_t cpu,
		       uint32_t min_khz, uint32_t max_khz);

struct scaling_range {
	uint32_t min_khz;
	uint32_t max_khz;
};

/* The same where the limits were just read: the old ones. Unknown ones (0) are read. */
int scaling_plan_change(struct plan *plan, const struct machine *machine, uint32_t cpu,
			const struct scaling_range *old, const struct scaling_range *wanted);

/* Whether turbo is off, for the whole machine: read once before the steps of CPUs are planned. */
struct scaling_turbo {
	int error; /* 0, -EINVAL or a negative errno of reading; planning then fails */
	bool is_off;
};

/* Reads intel_pstate/no_turbo. Without the file turbo is on. */
struct scaling_turbo scaling_read_turbo(struct files *files);

/*
 * Sets one limit alone to the value of another file of the CPU, such as "cpuinfo_max_freq". For a
 * CPU that is still to come online (topology.coming) adds a step that can only be shown. The kernel
 * keeps a lower limit at or below the upper one, and then reading back fails: steps that raise the
 * upper one belong before it.
 */
int scaling_plan_max_as(struct plan *plan, const struct machine *machine, uint32_t cpu,
			const char *source);
int scaling_plan_min_as(struct plan *plan, const struct machine *machine, uint32_t cpu,
			const char *source);

/*
 * Takes the upper limit away if it is below base_khz, or turbo is off: writes 2147483647, which
 * the kernel shows as the highest frequency, so it is not read back.
 */
int scaling_plan_open_max(struct plan *plan, const struct machine *machine, uint32_t cpu,
			  uint32_t base_khz, const struct scaling_turbo *turbo);

/*
 * The same for a CPU that earlier steps bring online (or topology.coming has): its limit is read
 * when they are done.
 */
int scaling_plan_open_max_later(struct plan *plan, const struct machine *machine, uint32_t cpu,
				uint32_t base_khz, const struct scaling_turbo *turbo);

/*
 * Raises the lower limit to the upper one, or to the highest frequency if that is lower or the
 * upper limit is taken away first, as by scaling_plan_open_max().
 */
int scaling_plan_raise(struct plan *plan, const struct machine *machine, uint32_t cpu,
		       uint32_t base_khz, const struct scaling_turbo *turbo);

/*
 * Reads a file of cpuN/cpufreq, "cpuinfo_max_freq" for one. Returns 0, -EBUSY or -ENOENT as above,
 * -EINVAL, -ERANGE or another negative errno of reading.
 */
int scaling_read_khz(struct files *files, uint32_t cpu, const char *name, uint32_t *ret_khz);

/*
 * Has any online CPU frequency limits? If none has, the machine runs without cpufreq and -ENOENT is
 * no failure; else a CPU without its files is one. Reads until a CPU has them.
 */
bool scaling_is_available(const struct machine *machine);

#endif
