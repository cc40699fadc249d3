/* SPDX-License-Identifier: GPL-2.0-only */
/* cpufreq: the policy of a CPU, the settings of the complete machine, and the values that users
 * give for them (hardware.md, section 7; sysfs.md, "cpufreq policy", "intel_pstate", "EPB"). */
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

/* The frequencies of a policy that have a name in commands and documents. */
enum cpufreq_frequency {
	CPUFREQ_NO_FREQUENCY,
	CPUFREQ_LOWEST,
	CPUFREQ_HIGHEST,
	CPUFREQ_BASE,
	N_CPUFREQ_FREQUENCIES
};

/* Returns the file of the frequency in cpuN/cpufreq; NULL for CPUFREQ_NO_FREQUENCY. */
const char *cpufreq_frequency_file(enum cpufreq_frequency which);

/* Returns the frequency that a word names: min, base, max. CPUFREQ_NO_FREQUENCY: another word. */
enum cpufreq_frequency cpufreq_find_frequency(const char *word);

/* A CPU's policy. Unknown members are NULL, 0 or an empty set. */
struct cpufreq_policy {
	char *driver;
	char *governor;
	char *governors; /* the available governors, separated by blanks */
	uint32_t min_khz; /* the limits now */
	uint32_t max_khz;
	uint32_t lowest_khz; /* the limits of the hardware */
	uint32_t highest_khz;
	uint32_t base_khz;
	uint32_t current_khz;
	char *epp;
	char *epps; /* the available preferences, separated by blanks */
	char *epb; /* a number, 0 to 15 */
	struct cpuset cpus; /* the policy's CPUs, online or not; empty if it has only one */
	struct files_unread unread; /* of cpufreq_policy_files */
};

/* The settings of the complete machine. Unknown members are NULL. */
struct cpufreq_machine {
	char *status; /* of intel_pstate */
	char *no_turbo;
	char *min_perf_pct;
	char *max_perf_pct;
	char *hwp_dynamic_boost;
	char *boost;
	struct files_unread unread; /* of cpufreq_machine_files */
	bool is_unread; /* a file that limits frequencies could not be read */
};

/* The files of these two structures. */
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
	bool are_single; /* each CPU has its own policy; the policy's CPUs are not read */
	/* The policy of a CPU of the same package and core type, or NULL. The values that all these
	 * CPUs share are copied from it and not read again: the driver's name, its governors and
	 * preferences, and the lowest frequency. */
	const struct cpufreq_policy *like;
};

/* Reads a CPU's policy and its energy bias (sysfs.md, "cpufreq policy", "EPB"). The base frequency
 * is base_frequency or, on CPUs with CPPC instead, the nominal frequency. Returns 0; -ENOENT if the
 * CPU has no policy; -EBUSY if the policy is inactive (the CPU is offline); -EINVAL for invalid
 * numbers; another negative errno of reading; -ENOMEM. If a value that limits nothing cannot be
 * read, its file is marked in ret_policy->unread. After a failure, *ret_policy is empty, but unread
 * has the file that failed, if a file failed. */
int cpufreq_read_policy(struct files *files, uint32_t cpu, const struct cpufreq_reading *reading,
			struct cpufreq_policy *ret_policy);
void cpufreq_policy_done(struct cpufreq_policy *policy);

/* Reads the CPUs of a CPU's policy, online or not, into the empty set cpus. If the policy has only
 * one CPU, the set stays empty to save memory. Returns 0, also if the file is absent; -EINVAL;
 * another negative errno of reading; -ENOMEM. */
int cpufreq_read_policy_cpus(struct files *files, uint32_t cpu, struct cpuset *cpus);

/* Lists the policies: adds the number of each policy to the empty set cpus. This is the number of
 * one of the policy's CPUs, online or not. Returns 0, the negative errno of listing, or -ENOMEM. */
int cpufreq_list_policies(struct files *files, struct cpuset *cpus);

/* Finds whether each CPU of present has its own policy: a policy with the number of the CPU then
 * exists. If the policies cannot be listed, *ret_are_single is false. Returns 0 or -ENOMEM. */
int cpufreq_find_single_policies(struct files *files, const struct cpuset *present,
				 bool *ret_are_single);

/* Returns true if two struct cpufreq_policy have the same values and the same CPUs. The present
 * frequency may differ. */
bool cpufreq_policy_equal(const void *left, const void *right);

/* Reads the settings of the machine (sysfs.md, "intel_pstate") into a structure of NULLs. After a
 * failure, is_unread is set, and the rest is NULL. Returns 0, a negative errno of reading, or
 * -ENOMEM. */
int cpufreq_read_machine(struct files *files, struct cpufreq_machine *ret_machine);
void cpufreq_machine_done(struct cpufreq_machine *machine);

/* Returns true if turbo is off on the complete machine (sysfs.md, "intel_pstate"); false if this is
 * unknown. */
bool cpufreq_turbo_is_off(const struct cpufreq_machine *machine);

/* Reads a frequency of a CPU's policy, such as "cpuinfo_max_freq". Returns 0; -EBUSY if the policy
 * is inactive (the CPU is offline); -ENOENT if there is no such file; -EINVAL for an invalid
 * number, -ERANGE above 32 bits, or another negative errno of reading. */
int cpufreq_read_khz(struct files *files, uint32_t cpu, const char *name, uint32_t *ret_khz);

/* Reads a percentage of intel_pstate, 0 to 100. Returns 0 if text is NULL or no percentage. */
uint32_t cpufreq_parse_percent(const char *text);

/* Reads a frequency limit: a number of MHz, or min, base or max for a frequency of the policy.
 * Returns 0; -EINVAL for another text; -ENODATA if the policy has no such frequency; -ERANGE if the
 * number is below the policy's lowest or above its highest frequency; *ret_khz is then this
 * frequency. */
int cpufreq_parse_limit(const char *text, const struct cpufreq_policy *policy, uint32_t *ret_khz);

/* Reads an energy bias: 0 to 15, or a name of sysfs.md, "EPB". Returns 0 or -EINVAL. */
int cpufreq_parse_epb(const char *text, uint32_t *ret_epb);

/* Returns the kernel's name for a raw energy preference, "0" to "255"; NULL: it has none. */
const char *cpufreq_find_epp_name(const char *text);

#endif
