/* SPDX-License-Identifier: GPL-2.0-only */
/* The families of the table of settings. The file of a family has its rows and operations. */
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

/* The last change sets the level of a power domain. Adds a note to it that firmware may also move
 * the long-term and short-term power limits of its package. Skips limits that cannot be read.
 * Returns 0 or -ENOMEM. */
int power_note_level(const struct setting_environment *environment,
		     const struct power_domain *domain, const struct power_zones *zones);

/* Adds a change that writes a file. If only the new mode of intel_pstate has the file, restoring
 * the old mode undoes the change. Returns as file_change_add(). */
int setting_add_file(const struct setting_environment *environment,
		     const struct setting_request *request, struct change change);

/* Plans a setting that is the value of one file. known: the known members of the change, such as
 * its old value. Returns as plan_one of a row. */
int setting_plan_file(const struct setting_environment *environment,
		      const struct setting_request *request, enum file_content content,
		      const struct change *known);

/* A .plan of rows: plans requests one by one. */
int settings_plan_each(const struct setting_environment *environment,
		       struct setting_request *requests, size_t count);

/* Rows without values, which name the settings "perf-profile.level", "online" and "offline-by". */
extern const struct state_row level_row, online_row, offline_by_row;

/* Reads the values of Speed Select that are STATE_ASKED. Returns 0 or -ENOMEM. */
int sst_read(struct state_machine *state, struct state_rows *rows);

/* Marks SST-TF to be read in each domain for which the document names SST-CP, which SST-TF needs.
 * Marks it in all domains if the document names associations and limits of cpufreq: with SST-TF,
 * associations move the highest frequencies. Returns 0 or -ENOMEM. */
int sst_ask_turbo_freq(struct setting_view *view);

/* Reads the turbo-ratio limits of a package's level after apply. Returns 0 or a negative errno. */
int sst_read_ratios(const struct setting_view *view, const struct place *package,
		    uint64_t *ret_ratios);

/* A change of SST-TF opens the turbo-ratio limits, or restores those of the level. Adds these
 * limits, unless the document names them. Returns 0 or -ENOMEM. */
int sst_imply_limits(struct setting_view *view);

/* Does the document change highest frequencies? SST-TF moves them for cores of high priority. */
bool sst_moves_highest(const struct setting_view *view);

/* Returns one parameter from the value with all parameters of a CLOS. */
struct state_value sst_value_of_clos(enum setting_id id, const struct target_value *value);

/* Returns the word for a limit of a CLOS at an end of its range, or NULL. */
const char *sst_find_clos_word(enum setting_id id, const struct state_value *value);

/* Reads parts of the current levels. Returns 0, or -ENOMEM. */
int sst_export_levels(struct setting_export *export, unsigned int parts);

/* Finds the CPUs that are online after apply; of these, pending CPUs that are offline now; and CPUs
 * that a control group isolates, which stay online for the kernel. The sets must be empty. Returns
 * 0 or -ENOMEM. */
int online_find(const struct state_machine *state, const struct state_rows *wanted,
		struct cpuset *online, struct cpuset *pending, struct cpuset *isolated);

/* Is this the upper limit of a policy, which the kernel lowers to the highest frequency? */
bool cpufreq_is_upper_limit(enum setting_id id);

/* Returns a limit of the policy of a CPU: as it was read, or else from its file. */
struct state_value cpufreq_read_limit(const struct state_machine *state,
				      const struct state_rows *rows, enum setting_id id,
				      uint32_t cpu);

/* Predicts turbo after apply, and the limits that the kernel lowers while turbo is off. If BIOS
 * does not let the kernel switch turbo on, a reset leaves it off; this is accepted, as the
 * transaction has read back all other writes (docs/spec/state.md, "Clean"). */
void cpufreq_predict_turbo(struct setting_view *view);

/* Does the document change the mode of intel_pstate? */
bool pstate_is_changed(const struct setting_view *view);

/* Returns the wanted limits of an uncore, by its index; a limit that is not a frequency is 0. */
struct khz_range uncore_wanted_range(const struct state_rows *wanted, size_t place);

#endif
