/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes of the frequency limits of a CPU's cpufreq policy (sysfs.md, "cpufreq policy"), in kHz.
 *
 * The planning functions read the present limits and add a change for each limit that differs. They
 * return 0; -EBUSY if the policy is inactive (the CPU is offline, even if an earlier change is to
 * bring it online); -ENOENT if the machine has no such files; -EINVAL for invalid numbers; another
 * negative errno of reading; -ENOMEM. With all but -ENOMEM no change was added. */
#ifndef SETTINGS_SCALING_H
#define SETTINGS_SCALING_H

#include "settings/file_change.h"
#include "settings/settings.h"

#define SCALING_MIN "scaling_min_freq"
#define SCALING_MAX "scaling_max_freq"

/* Sets both limits. old: the present ones if they were just read, or NULL; unknown ones (0) are
 * read. ends: those of the range, or NULL: unknown. flags: enum file_limit_flag. A lower limit
 * above the upper one is -EINVAL, but LIMIT_NONE_KHZ: the upper one. */
int scaling_plan_range(struct change_list *changes, const struct machine *machine, uint32_t cpu,
		       const struct khz_range *old, const struct khz_range *wanted,
		       const struct khz_range *ends, unsigned int flags);

/* Is turbo off, for the whole machine? Reads intel_pstate/no_turbo; without the file turbo is on.
 * Returns 0, -EINVAL or another negative errno of reading. */
int scaling_read_turbo(struct files *files, bool *ret_is_off);

/* Sets the limit name, SCALING_MIN or SCALING_MAX, to the value of another file of the CPU, such as
 * "cpuinfo_max_freq". For a CPU that is about to come online (topology.pending) the change can only
 * be shown. The kernel keeps a lower limit at or below the upper one, and then reading back fails:
 * plan changes that raise the upper one first. */
int scaling_plan_limit_as(struct change_list *changes, const struct machine *machine, uint32_t cpu,
			  const char *name, const char *source);

/* Removes the upper limit if it is below base_khz, or turbo is off: writes 2147483647, which the
 * kernel shows as the highest frequency, or the base frequency, so it is not read back. The limit
 * of a CPU that earlier changes bring online, or of topology.pending, is read when they are made.
 */
int scaling_plan_open_max(struct change_list *changes, const struct machine *machine, uint32_t cpu,
			  uint32_t base_khz, bool is_turbo_off);

/* Raises the lower limit to the upper one; or to the highest frequency (base_khz while turbo is
 * off), if that is lower or the upper limit is removed first, as by scaling_plan_open_max(). */
int scaling_plan_raise(struct change_list *changes, const struct machine *machine, uint32_t cpu,
		       uint32_t base_khz, bool is_turbo_off);

/* Plans requests for the limits of CPUs (value.range), as struct setting has it. A CPU that is
 * about to come online gets its files then. Without cpufreq there is nothing to set; a CPU without
 * the files that others have is an error. If it is unknown whether turbo is off, nothing is
 * planned, and the first request has the error. */
int scaling_plan_requests(const struct setting_environment *environment,
			  struct setting_request *requests, size_t count);

/* Plans a request for SST-BF that is made of limits (hardware.md, section 7). On holds each CPU of
 * the domain at its own base frequency; CPUs with the highest one have that, all others the lowest.
 * Off opens the whole range of each. Error -ENODATA: a base frequency is 0; the changes of other
 * CPUs may have been added. */
int scaling_plan_fixed_base_freq(const struct setting_environment *environment,
				 struct setting_request *request);

/* Has any online CPU frequency limits? If none has, the machine runs without cpufreq and -ENOENT is
 * no failure; else a CPU without its files is one. Reads until a CPU has them. */
bool scaling_is_available(const struct machine *machine);

#endif
