/* SPDX-License-Identifier: GPL-2.0-only */
/* cpufreq: the policy of a CPU, what holds for the whole machine, and the values that users give
 * for them (hardware.md, section 7; sysfs.md, "cpufreq policy", "intel_pstate", "EPB"). */
#ifndef HOST_CPUFREQ_H
#define HOST_CPUFREQ_H

#include <stdint.h>

#include "base/cpuset.h"
#include "host/files.h"

#define CPUFREQ_PSTATE        FILES_CPUS "/intel_pstate"
#define CPUFREQ_PSTATE_STATUS CPUFREQ_PSTATE "/status"
#define CPUFREQ_NO_TURBO      CPUFREQ_PSTATE "/no_turbo"
#define CPUFREQ_MIN_PERF_PCT  CPUFREQ_PSTATE "/min_perf_pct"
#define CPUFREQ_MAX_PERF_PCT  CPUFREQ_PSTATE "/max_perf_pct"
#define CPUFREQ_HWP_BOOST     CPUFREQ_PSTATE "/hwp_dynamic_boost"
#define CPUFREQ_POLICIES      FILES_CPUS "/cpufreq"
#define CPUFREQ_BOOST         CPUFREQ_POLICIES "/boost"
#define CPUFREQ_HIGHEST_PERF  "acpi_cppc/highest_perf" /* of a CPU */

/* Frequencies of a policy that words of commands and documents stand for. */
enum cpufreq_frequency {
	CPUFREQ_NO_FREQUENCY,
	CPUFREQ_LOWEST,
	CPUFREQ_HIGHEST,
	CPUFREQ_BASE,
	N_CPUFREQ_FREQUENCIES
};

/* Its file in cpuN/cpufreq; NULL for CPUFREQ_NO_FREQUENCY. */
const char *cpufreq_frequency_file(enum cpufreq_frequency which);

/* The frequency that a word stands for: min, base, max; CPUFREQ_NO_FREQUENCY: another word. */
enum cpufreq_frequency cpufreq_find_frequency(const char *word);

/* A CPU's policy. Unknown members are NULL, 0 or an empty set. */
struct cpufreq_policy {
	char *driver;
	char *governor;
	char *governors; /* available ones, blanks between */
	uint32_t min_khz; /* the limits now */
	uint32_t max_khz;
	uint32_t lowest_khz; /* the limits of the hardware */
	uint32_t highest_khz;
	uint32_t base_khz;
	uint32_t current_khz;
	char *epp;
	char *epps; /* available ones, blanks between */
	char *epb; /* a number, 0 to 15 */
	struct cpuset cpus; /* the policy's CPUs, online or not; empty if it has only one */
	struct files_unread unread; /* of cpufreq_policy_files */
};

/* What holds for the whole machine. Unknown members are NULL. */
struct cpufreq_machine {
	char *status; /* of intel_pstate */
	char *no_turbo;
	char *min_perf_pct;
	char *max_perf_pct;
	char *hwp_dynamic_boost;
	char *boost;
	struct files_unread unread; /* of cpufreq_machine_files */
	bool is_unread; /* something of it limits frequencies, and could not be read */
};

/* The files of both. */
extern const struct file_members cpufreq_policy_files, cpufreq_machine_files;

#define CPUFREQ_GOVERNORS "cpufreq/scaling_available_governors"
#define CPUFREQ_EPP       "cpufreq/energy_performance_preference"
#define CPUFREQ_EPPS      "cpufreq/energy_performance_available_preferences"
#define CPUFREQ_EPB       "power/energy_perf_bias"
#define CPUFREQ_NOMINAL   "acpi_cppc/nominal_freq"

#define _cleanup_cpufreq_policy_  __attribute__((cleanup(cpufreq_policy_done)))
#define _cleanup_cpufreq_machine_ __attribute__((cleanup(cpufreq_machine_done)))

/* Reads the base frequency of a CPU as a ratio, in units of 100 MHz. Returns 0; -EINVAL if the file
 * has no number; or the negative errno of reading it: -ENOENT if the kernel has no such file,
 * -EBUSY for an offline CPU. */
int cpufreq_read_base_ratio(struct files *files, uint32_t cpu, uint32_t *ret_ratio);

/* How to read a policy. */
struct cpufreq_reading {
	bool with_current; /* also the present frequency */
	bool are_single; /* each CPU has a policy of its own: which CPUs it has is not read */
	/* The policy of a CPU of the same package and kind of core, or NULL. What the driver has
	 * for all of these is taken from it and not read again: its name, the governors and the
	 * preferences that it offers, and the lowest frequency. */
	const struct cpufreq_policy *like;
};

/* Reads a CPU's policy and its energy bias (sysfs.md, "cpufreq policy", "EPB"). The base frequency
 * is base_frequency or, on parts that have CPPC instead, its nominal frequency. Returns 0; -ENOENT
 * if the CPU has no policy; -EBUSY if the policy is inactive (the CPU is offline); -EINVAL for
 * invalid numbers; another negative errno of reading; -ENOMEM. A value that cannot be read and
 * limits nothing is unread. After a failure *ret_policy has nothing but the unread file that
 * failed, if it was one. */
int cpufreq_read_policy(struct files *files, uint32_t cpu, const struct cpufreq_reading *reading,
			struct cpufreq_policy *ret_policy);
void cpufreq_policy_done(struct cpufreq_policy *policy);

/* Reads the CPUs of a CPU's policy, online or not, into the empty cpus, which stays empty for one
 * CPU alone: a set for each of many CPUs would take much memory. Returns 0, also if the file is
 * absent; -EINVAL; another negative errno of reading; -ENOMEM. */
int cpufreq_read_policy_cpus(struct files *files, uint32_t cpu, struct cpuset *cpus);

/* Lists the policies: adds to the empty cpus the number of each, which is that of one of its CPUs,
 * online or not. Returns 0, the negative errno of listing, or -ENOMEM. */
int cpufreq_list_policies(struct files *files, struct cpuset *cpus);

/* Has each CPU of present a policy of its own? There is one for each then. No, if the policies
 * cannot be listed. Returns 0 or -ENOMEM. */
int cpufreq_find_single_policies(struct files *files, const struct cpuset *present,
				 bool *ret_are_single);

/* Do two struct cpufreq_policy have the same values, and the same CPUs if they have several? The
 * present frequency may differ. */
bool cpufreq_policy_equal(const void *left, const void *right);

/* Reads what holds for the machine (sysfs.md, "intel_pstate") into a structure of NULLs. On failure
 * they stay so, and is_unread is set. Returns 0, a negative errno of reading, or -ENOMEM. */
int cpufreq_read_machine(struct files *files, struct cpufreq_machine *ret_machine);
void cpufreq_machine_done(struct cpufreq_machine *machine);

/* Has the whole machine turbo switched off (sysfs.md, "intel_pstate")? No, if it is unknown. */
bool cpufreq_turbo_is_off(const struct cpufreq_machine *machine);

/* Reads a frequency of a CPU's policy, such as "cpuinfo_max_freq". Returns 0; -EBUSY if the policy
 * is inactive (the CPU is offline); -ENOENT if there is no such file; -EINVAL for an invalid
 * number, -ERANGE above 32 bits, or another negative errno of reading. */
int cpufreq_read_khz(struct files *files, uint32_t cpu, const char *name, uint32_t *ret_khz);

/* Reads a percentage of intel_pstate, 0 to 100; 0 if text is NULL or something else. */
uint32_t cpufreq_parse_percent(const char *text);

/* Reads a frequency limit: MHz, or min, base or max, which are frequencies of the policy. Returns
 * 0; -EINVAL for anything else; -ENODATA if the policy has no such frequency; -ERANGE for MHz below
 * its lowest or above its highest frequency, which *ret_khz then is. */
int cpufreq_parse_limit(const char *text, const struct cpufreq_policy *policy, uint32_t *ret_khz);

/* Reads an energy bias: 0 to 15, or a name of sysfs.md, "EPB". Returns 0 or -EINVAL. */
int cpufreq_parse_epb(const char *text, uint32_t *ret_epb);

/* The name that the kernel shows for a raw energy preference, "0" to "255"; or NULL. */
const char *cpufreq_find_epp_name(const char *text);

#endif
