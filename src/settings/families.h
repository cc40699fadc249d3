/* SPDX-License-Identifier: GPL-2.0-only */
/* The families of the table of settings: each has its rows and their operations in a file. */
#ifndef SETTINGS_FAMILIES_H
#define SETTINGS_FAMILIES_H

#include "settings/file_change.h"
#include "settings/view.h"

/* In the order of enum setting_id. */
extern const struct setting online_settings[];
extern const struct setting cpufreq_settings[];
extern const struct setting cpuidle_settings[];
extern const struct setting uncore_settings[];

/* Adds the write of a file. After a change of the mode of intel_pstate it is undone when the mode
 * is the old one again, and a file that only the new mode has needs nothing else. */
int setting_add_file(const struct setting_environment *environment,
		     const struct setting_request *request, struct change change);

/* Plans a setting that is the value of one file. known: what is known of the change, such as its
 * old value. Returns as plan_one of a row. */
int setting_plan_file(const struct setting_environment *environment,
		      const struct setting_request *request, enum file_content content,
		      const struct change *known);

/* Rows without values, which name the settings "online" and "offline-by". */
extern const struct state_row online_row, offline_by_row;

/* Finds the CPUs that are online after apply, and those of them that are offline now; and CPUs that
 * go offline by a control group, which stay online for the kernel. The sets are empty. Returns 0 or
 * -ENOMEM. */
int online_find(const struct state_machine *state, const struct state_rows *wanted,
		struct cpuset *online, struct cpuset *coming, struct cpuset *isolated);

/* A limit of the policy of a CPU, out of what was read if it was. */
struct state_value cpufreq_read_limit(const struct state_machine *state,
				      const struct state_rows *rows, enum setting_id id,
				      uint32_t cpu);

/* Finds out what becomes of turbo, and of limits that the kernel lowers while it is off. A reset
 * whose writes are done leaves turbo off if BIOS does not let the kernel switch it on: the
 * transaction has read back all other writes (docs/spec/state.md, "Clean"). */
void cpufreq_predict_turbo(struct setting_view *view);

/* Does the document change the mode of intel_pstate? */
bool pstate_is_changed(const struct setting_view *view);

/* The limits of the uncore of a place as they are wanted; one that is not a frequency is 0. */
struct khz_range uncore_wanted_range(const struct state_rows *wanted, size_t place);

#endif
