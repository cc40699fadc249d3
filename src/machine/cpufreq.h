/* SPDX-License-Identifier: GPL-2.0-only */
/* What cpufreq tells of a CPU and of the machine (hardware.md, section 7; sysfs.md). */
#ifndef MACHINE_CPUFREQ_H
#define MACHINE_CPUFREQ_H

#include <stdint.h>

#include "base/cpuset.h"
#include "machine/files.h"

/* A CPU's policy. What the kernel does not tell is NULL, 0 or an empty set. */
struct cpufreq_policy {
	char *driver;
	char *governor;
	char *governors; /* those there are, blanks between */
	uint32_t min_khz; /* the limits now */
	uint32_t max_khz;
	uint32_t lowest_khz; /* the limits that are possible */
	uint32_t highest_khz;
	uint32_t base_khz;
	uint32_t current_khz;
	char *epp;
	char *epps;
	char *epb; /* a number, 0 to 15 */
	/* Those that the policy is of, online or not; empty too if it is of one CPU alone. */
	struct cpuset cpus;
};

/* What holds for the whole machine. What the kernel does not tell is NULL. */
struct cpufreq_machine {
	char *status; /* of intel_pstate */
	char *no_turbo;
	char *min_perf_pct;
	char *max_perf_pct;
	char *hwp_dynamic_boost;
	char *boost;
};

#define _cleanup_cpufreq_policy_  __attribute__((cleanup(cpufreq_policy_done)))
#define _cleanup_cpufreq_machine_ __attribute__((cleanup(cpufreq_machine_done)))

/*
 * Reads the base frequency of a CPU as a ratio, in units of 100 MHz. Returns 0; -EINVAL for a file
 * with nonsense; or the negative errno of reading it: -ENOENT where the kernel tells none, -EBUSY
 * for an offline CPU.
 */
int cpufreq_read_base_ratio(struct files *files, uint32_t cpu, uint32_t *ret_ratio);

/*
 * Reads a CPU's policy and its energy bias (sysfs.md, "cpufreq policy", "EPB"). The base frequency
 * is base_frequency or, on parts that have CPPC instead, its nominal frequency. Returns 0; -ENOENT
 * where the CPU has no policy; -EBUSY where it is inactive (the CPU is offline); -EINVAL for
 * nonsense in a file; another negative errno of reading; -ENOMEM.
 */
int cpufreq_read_policy(struct files *files, uint32_t cpu, struct cpufreq_policy *ret_policy);
void cpufreq_policy_done(struct cpufreq_policy *policy);

/* Do two policies show the same? The CPUs that they are of and the present frequency do not count.
 */
bool cpufreq_policy_equal(const struct cpufreq_policy *left, const struct cpufreq_policy *right);

/*
 * Reads what holds for the machine (sysfs.md, "intel_pstate"). Returns 0, a negative errno of
 * reading, or -ENOMEM.
 */
int cpufreq_read_machine(struct files *files, struct cpufreq_machine *ret_machine);
void cpufreq_machine_done(struct cpufreq_machine *machine);

#endif
