/* SPDX-License-Identifier: GPL-2.0-only */
/* cpuidle: the idle states of a CPU, the choice of states to disable, and the settings of the
 * complete machine (sysfs.md, "cpuidle", "umwait", "PM QoS"). */
#ifndef HOST_CPUIDLE_H
#define HOST_CPUIDLE_H

#include <stdint.h>

#include "host/files.h"

#define CPUIDLE_GOVERNOR        FILES_CPUS "/cpuidle/current_governor"
#define CPUIDLE_C1_DEMOTION     FILES_CPUS "/cpuidle/intel_c1_demotion"
#define CPUIDLE_ENABLE_C02      FILES_CPUS "/umwait_control/enable_c02"
#define CPUIDLE_UMWAIT_MAX_TIME FILES_CPUS "/umwait_control/max_time"
#define CPUIDLE_RESUME_LATENCY  "power/pm_qos_resume_latency_us" /* of a CPU */

struct cpuidle_state {
	uint32_t number; /* the M of stateM */
	char *name;
	char *desc;
	char *default_status; /* NULL on kernels before 5.6 */
	uint64_t latency_us;
	uint64_t residency_us;
	uint64_t usage; /* 0 unless it was read */
	uint64_t time_us; /* 0 unless it was read */
	uint64_t disabled; /* by the user; the driver may have disabled it as well */
};

/* A CPU's states, lightest first as the kernel numbers them. */
struct cpuidle_cpu {
	struct cpuidle_state *states;
	size_t n_states;
	char *resume_latency; /* us; "0": no limit, "n/a": 0 us; NULL: no such file */
};

/* Unknown members are NULL. */
struct cpuidle_machine {
	char *driver;
	char *governor;
	char *governors; /* the available governors, separated by blanks */
	char *c1_demotion; /* "0" or "1"; NULL on kernels before 6.16 and on CPUs without it */
	char *enable_c02;
	char *max_time;
};

#define _cleanup_cpuidle_cpu_     __attribute__((cleanup(cpuidle_cpu_done)))
#define _cleanup_cpuidle_machine_ __attribute__((cleanup(cpuidle_machine_done)))

/* Reads a CPU's idle states and its limit of wake-up latency; with_usage: also how often and how
 * long each state was used. Returns 0; -ENOENT if the CPU has no states; -EINVAL for invalid
 * numbers; another negative errno of reading; -ENOMEM. */
int cpuidle_read_cpu(struct files *files, uint32_t cpu, bool with_usage,
		     struct cpuidle_cpu *ret_cpu);
void cpuidle_cpu_done(struct cpuidle_cpu *cpu);

/* The idle states to enable and disable. Lists have the kernel's names, separated by commas; NULL
 * or false: not given. */
struct cpuidle_choice {
	const char *enable;
	const char *disable;
	const char *deepest; /* one name: enables it and lighter states, disables deeper states */
	bool has_max_latency;
	uint64_t max_latency_us; /* enables the states with at most this latency, disables others */
};

/* What cpuidle_read_like() reads. */
struct cpuidle_reading {
	bool with_usage;
	/* Reads only the `disable` files of the states that the choice can change. NULL: reads all
	 * states and the limit of wake-up latency. */
	const struct cpuidle_choice *choice;
};

/* Works as cpuidle_read_cpu() for a CPU of the same core type as `like`, which was read before.
 * Names, latencies and the status at boot are copied from `like` and not read again. If files are
 * absent, everything is read. */
int cpuidle_read_like(struct files *files, uint32_t cpu, const struct cpuidle_cpu *like,
		      const struct cpuidle_reading *reading, struct cpuidle_cpu *ret_cpu);

/* Reads only the numbers and names of a CPU's idle states. Returns as cpuidle_read_cpu(); or
 * -EINVAL if the state after the last one with a name has a directory. */
int cpuidle_read_names(struct files *files, uint32_t cpu, struct cpuidle_cpu *ret_cpu);

/* Reads whether the user has disabled an idle state. Returns 0; -ENOENT if the CPU has no such
 * state; -EINVAL; another negative errno of reading. */
int cpuidle_read_disabled(struct files *files, uint32_t cpu, uint32_t number, bool *ret_disabled);

/* Returns true if two CPUs have the same values. Usage is compared only if with_usage. */
bool cpuidle_cpu_equal(const struct cpuidle_cpu *left, const struct cpuidle_cpu *right,
		       bool with_usage);

/* Subtracts the usage in before from the usage in cpu, for the states that both have. */
void cpuidle_subtract(struct cpuidle_cpu *cpu, const struct cpuidle_cpu *before);

/* Reads the settings of the machine into a structure of NULLs, which stays unchanged on failure.
 * Returns 0, a negative errno of reading, or -ENOMEM. */
int cpuidle_read_machine(struct files *files, struct cpuidle_machine *ret_machine);
void cpuidle_machine_done(struct cpuidle_machine *machine);

/* Reads the present limit of the wake-up latency of all CPUs, in us: programs set it while they
 * keep /dev/cpu_dma_latency open. Returns 0; -ENODATA if no program sets a limit; -EINVAL; -EACCES
 * if the file may not be read; another negative errno; -ENOMEM. */
int cpuidle_read_held_latency(struct files *files, uint32_t *ret_us);

/* Reads the time since boot. Returns 0, -EINVAL, or a negative errno of reading. */
int cpuidle_read_uptime(struct files *files, uint64_t *ret_us);

/* Sets disabled[i] for each of the CPU's states; a state that the choice does not name keeps its
 * value. enable and disable take precedence over deepest and max_latency. Returns 0; -ENOMEM; or
 * -ENOENT if no state has a given name: *ret_option is then the option with this name ("--enable",
 * "--disable", "--deepest"), and *ret_wrong is the name as a new text. */
int cpuidle_choose(const struct cpuidle_choice *choice, const struct cpuidle_cpu *cpu,
		   bool *disabled, const char **ret_option, char **ret_wrong);

/* Returns a name that is in both enable and disable, as a new text; NULL: none, or no memory. */
char *cpuidle_find_conflict(const struct cpuidle_choice *choice);

/* Returns the names of a CPU's states, separated by commas, as a new text; NULL: no memory. */
char *cpuidle_format_names(const struct cpuidle_cpu *cpu);

/* Returns a wake-up latency limit of the kernel in the form that users write: "none" for the
 * kernel's "0", "0" for "n/a", else the number. */
const char *cpuidle_latency_word(const char *text);

#endif
