/* SPDX-License-Identifier: GPL-2.0-only */
/* What cpuidle tells of a CPU and of the machine (sysfs.md, "cpuidle", "umwait", "PM QoS"). */
#ifndef MACHINE_CPUIDLE_H
#define MACHINE_CPUIDLE_H

#include <stdint.h>

#include "machine/files.h"

struct cpuidle_state {
	uint32_t number; /* the M of stateM */
	char *name;
	char *desc;
	char *default_status; /* NULL on kernels before 5.6 */
	uint64_t latency_us;
	uint64_t residency_us;
	uint64_t usage; /* 0 unless it was read */
	uint64_t time_us; /* the same */
	uint64_t disabled; /* by the user; the driver may have disabled it besides */
};

/* A CPU's states, lightest first as the kernel numbers them. */
struct cpuidle_cpu {
	struct cpuidle_state *states;
	size_t n_states;
	char *resume_latency; /* "0": no limit, "n/a": none allowed, or us; NULL: no such file */
};

/* What the kernel does not tell is NULL. */
struct cpuidle_machine {
	char *driver;
	char *governor;
	char *governors; /* blanks between */
	char *enable_c02;
	char *max_time;
};

#define _cleanup_cpuidle_cpu_     __attribute__((cleanup(cpuidle_cpu_done)))
#define _cleanup_cpuidle_machine_ __attribute__((cleanup(cpuidle_machine_done)))

/*
 * Reads a CPU's idle states, with_usage how they were used too, and its limit of wake-up latency.
 * Returns 0; -ENOENT if it has no states; -EINVAL for nonsense in a file; another negative errno of
 * reading; -ENOMEM.
 */
int cpuidle_read_cpu(struct files *files, uint32_t cpu, bool with_usage,
		     struct cpuidle_cpu *ret_cpu);
void cpuidle_cpu_done(struct cpuidle_cpu *cpu);

/* Do two CPUs show the same, counts left out or (with_usage) also in these? */
bool cpuidle_cpu_equal(const struct cpuidle_cpu *left, const struct cpuidle_cpu *right,
		       bool with_usage);

/* Takes the counts of before from those of cpu, where both have the same states. */
void cpuidle_subtract(struct cpuidle_cpu *cpu, const struct cpuidle_cpu *before);

/* Reads what holds for the machine. Returns 0, a negative errno of reading, or -ENOMEM. */
int cpuidle_read_machine(struct files *files, struct cpuidle_machine *ret_machine);
void cpuidle_machine_done(struct cpuidle_machine *machine);

/* Reads the time since boot. Returns 0, -EINVAL, or a negative errno of reading. */
int cpuidle_read_uptime(struct files *files, uint64_t *ret_us);

#endif
