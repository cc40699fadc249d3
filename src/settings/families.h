/* SPDX-License-Identifier: GPL-2.0-only */
/* The families of the table of settings: each has its rows and their operations in a file. */
#ifndef SETTINGS_FAMILIES_H
#define SETTINGS_FAMILIES_H

#include "settings/file_change.h"
#include "settings/view.h"

struct power_zones;

/* In the order of enum setting_id. */
extern const struct setting sst_settings[];
extern const struct setting online_settings[];
extern const struct setting cpufreq_settings[];
extern const struct setting cpuidle_settings[];
extern const struct setting uncore_settings[];
extern const struct setting power_settings[];

/* Notes that the last change, of the level of a power domain, may move the long-term and short-term
 * power limits of its package: firmware can. Limits that cannot be read are passed over. Returns 0
 * or -ENOMEM. */
int power_note_level(const struct setting_environment *environment,
		     const struct power_domain *domain, const struct power_zones *zones);

/* Adds the write of a file. After a change of the mode of intel_pstate it is undone when the mode
 * is the old one again, and a file that only the new mode has needs nothing else. */
int setting_add_file(const struct setting_environment *environment,
		     const struct setting_request *request, struct change change);

/* Plans a setting that is the value of one file. known: what is known of the change, such as its
 * old value. Returns as plan_one of a row. */
int setting_plan_file(const struct setting_environment *environment,
		      const struct setting_request *request, enum file_content content,
		      const struct change *known);

/* Plans requests one by one, as .plan of a row. */
int settings_plan_each(const struct setting_environment *environment,
		       struct setting_request *requests, size_t count);

/* Rows without values, which name the settings "perf-profile.level", "online" and "offline-by". */
extern const struct state_row level_row, online_row, offline_by_row;

/* Reads the values of Speed Select that are STATE_ASKED. Returns 0 or -ENOMEM. */
int sst_read(struct state_machine *state, struct state_rows *rows);

/* SST-TF depends on SST-CP: marks it to be read where that is named, in each domain; and what
 * associations do to the highest frequencies depends on SST-TF. Returns 0 or -ENOMEM. */
int sst_ask_turbo_freq(struct setting_view *view);

/* The turbo-ratio limits that the level of a package has after apply. Returns 0, or the negative
 * errno of reading them. */
int sst_read_ratios(const struct setting_view *view, const struct place *package,
		    uint64_t *ret_ratios);

/* SST-TF opens the turbo-ratio limits, and closes them, unless the document says otherwise. Returns
 * 0 or -ENOMEM. */
int sst_imply_limits(struct setting_view *view);

/* Does the document change highest frequencies? SST-TF gives cores of high priority another one. */
bool sst_moves_highest(const struct setting_view *view);

/* A parameter of a CLOS out of all of them. */
struct state_value sst_value_of_clos(enum setting_id id, const struct target_value *value);

/* The word for an end of the range of a limit of a CLOS; NULL: it has none. */
const char *sst_find_clos_word(enum setting_id id, const struct state_value *value);

/* Reads parts of the current levels. Returns 0, or -ENOMEM. */
int sst_export_levels(struct setting_export *export, unsigned int parts);

/* Finds the CPUs that are online after apply, and those of them that are offline now; and CPUs that
 * go offline by a control group, which stay online for the kernel. The sets are empty. Returns 0 or
 * -ENOMEM. */
int online_find(const struct state_machine *state, const struct state_rows *wanted,
		struct cpuset *online, struct cpuset *pending, struct cpuset *isolated);

/* Is it the upper limit of a policy, which the kernel lowers to the highest frequency? */
bool cpufreq_is_upper_limit(enum setting_id id);

/* A limit of the policy of a CPU, from the values that were read, if any. */
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
