/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes of the frequency limits of a CPU's cpufreq policy (sysfs.md, "cpufreq policy"), in kHz.
 *
 * The planning functions read the present limits and add a change for each limit that differs. They
 * return 0; -EBUSY if the policy is inactive (the CPU is offline, even if an earlier change is to
 * bring it online); -ENOENT if the machine has no such files; -EINVAL for invalid numbers; another
 * negative errno of reading; -ENOMEM. After an error other than -ENOMEM no change was added. */
#ifndef SETTINGS_SCALING_H
#define SETTINGS_SCALING_H

#include "settings/file_change.h"
#include "settings/settings.h"

#define SCALING_MIN "scaling_min_freq"
#define SCALING_MAX "scaling_max_freq"

/* Sets both limits. old: the present limits if they were just read, or NULL; unknown ones (0) are
 * read. ends: the lowest and the highest possible frequency, or NULL: unknown. flags: enum
 * file_limit_flag. A lower limit above the upper one is -EINVAL; a lower limit of LIMIT_NONE_KHZ is
 * set to the upper limit. */
int scaling_plan_range(struct change_list *changes, const struct machine *machine, uint32_t cpu,
		       const struct khz_range *old, const struct khz_range *wanted,
		       const struct khz_range *ends, unsigned int flags);

/* Reads intel_pstate/no_turbo: is turbo off for the complete machine? Without the file turbo is on.
 * Returns 0, -EINVAL or another negative errno of reading. */
int scaling_read_turbo(struct files *files, bool *ret_is_off);

/* Sets the limit name, SCALING_MIN or SCALING_MAX, to the value of another file of the CPU, such as
 * "cpuinfo_max_freq". For a CPU that is about to come online (topology.pending) the change can only
 * be shown. The kernel reduces a lower limit that is above the upper one, and reading back fails:
 * plan a raise of the upper limit first. */
int scaling_plan_limit_as(struct change_list *changes, const struct machine *machine, uint32_t cpu,
			  const char *name, const char *source);

/* Removes the upper limit if it is below base_khz, or turbo is off: writes 2147483647. This is not
 * read back, because the kernel shows the highest frequency or the base frequency. If earlier
 * changes bring the CPU online, or it is in topology.pending, the limit is read when the change is
 * made. */
int scaling_plan_open_max(struct change_list *changes, const struct machine *machine, uint32_t cpu,
			  uint32_t base_khz, bool is_turbo_off);

/* Raises the lower limit to the upper one. First removes the upper limit if scaling_plan_open_max()
 * would. If it was removed, or is above the highest frequency (base_khz while turbo is off), raises
 * the lower limit to that. */
int scaling_plan_raise(struct change_list *changes, const struct machine *machine, uint32_t cpu,
		       uint32_t base_khz, bool is_turbo_off);

/* Plans requests for the limits of CPUs (value.range), as .plan of struct setting. A CPU that is
 * about to come online gets its files then. If no CPU has the files of cpufreq, there is nothing to
 * set; if only some CPUs lack them, this is an error. If it is unknown whether turbo is off,
 * nothing is planned, and the first request has the error. */
int scaling_plan_requests(const struct setting_environment *environment,
			  struct setting_request *requests, size_t count);

/* Plans a request for SST-BF on machines that implement it with limits (hardware.md, section 7).
 * On: CPUs with the highest base frequency of the domain are held at it, all others at the lowest
 * one. Off: opens the complete range of each CPU. Error -ENODATA: a base frequency is 0. On an
 * error, changes of some CPUs may have been added. */
int scaling_plan_fixed_base_freq(const struct setting_environment *environment,
				 struct setting_request *request);

/* Returns true if an online CPU has frequency limits: then a CPU without the files is a failure.
 * Else the machine has no cpufreq, and -ENOENT is no failure. Reads until a CPU has limits. */
bool scaling_is_available(const struct machine *machine);

#endif
