// SPDX-License-Identifier: GPL-2.0-only
/* Plans the mode of intel_pstate and its limits in percent (sysfs.md, "intel_pstate"). A new mode
 * makes the kernel recreate all cpufreq policies, so undoing writes more than the mode. */
#include "settings/pstate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/cpufreq.h"
#include "settings/families.h"

#define CHECK_TRIES 50 /* as for frequency limits, which take effect some time after a write */

/* Files that the kernel resets, in an order in which they can be written again: turbo off lowers
 * min_perf_pct, and after a reset the upper limits have their highest values. */
static const struct reset_file {
	enum setting_id setting;
	const char *path;
} machine_files[] = {
	{ SETTING_TURBO, CPUFREQ_NO_TURBO },
	{ SETTING_MAX_PCT, CPUFREQ_MAX_PERF_PCT },
	{ SETTING_MIN_PCT, CPUFREQ_MIN_PERF_PCT },
	{ SETTING_HWP_BOOST, CPUFREQ_HWP_BOOST },
}, policy_files[] = {
	{ SETTING_GOVERNOR, "cpufreq/scaling_governor" },
	{ SETTING_EPP, "cpufreq/energy_performance_preference" },
	{ SETTING_CPUFREQ_MAX, "cpufreq/scaling_max_freq" },
	{ SETTING_CPUFREQ_MIN, "cpufreq/scaling_min_freq" },
};

/* Writes that restore files. The list owns their paths and texts. */
struct kept_files {
	struct change_undo *list;
	size_t count;
};

static void kept_files_done(struct kept_files *kept)
{
	for (size_t i = 0; i < kept->count; i++) {
		free((void *)(uintptr_t)kept->list[i].target.path);
		target_value_done(&kept->list[i].value);
	}
	free(kept->list);
}

static bool holds(struct files *files, const char *path, const char *wanted)
{
	_cleanup_free_ char *text = NULL;

	return !files_read_line(files, path, &text) && strcmp(text, wanted) == 0;
}

/* Returns "max" if the limit is the highest frequency, which depends on turbo and on the level.
 * While turbo is off, the kernel shows a higher limit as the base frequency. */
static const char *find_max_word(struct files *files, uint32_t cpu, const char *limit)
{
	const struct file_path highest = files_cpu_path(cpu, "cpufreq/cpuinfo_max_freq");
	const struct file_path base = files_cpu_path(cpu, "cpufreq/base_frequency");

	if (holds(files, highest.text, limit) ||
	    (holds(files, CPUFREQ_NO_TURBO, "1") && holds(files, base.text, limit)))
		return "max";
	return NULL;
}

/* A file that the present mode lacks needs no undoing. */
static int keep_file(struct kept_files *kept, struct files *files, enum setting_id setting,
		     uint32_t cpu, const char *path)
{
	_cleanup_free_ char *text = NULL, *own_path = strdup(path);
	struct change_undo *added;
	const char *word = NULL;
	int err = files_read_line(files, path, &text);

	if (err)
		return err == -ENOENT || err == -EAGAIN ? 0 : err;
	if (setting == SETTING_CPUFREQ_MAX)
		word = find_max_word(files, cpu, text);
	added = own_path ? array_add(&kept->list, &kept->count, sizeof(*added)) : NULL;
	if (!added)
		return -ENOMEM;
	*added = (struct change_undo){
		.subject = subject_of(setting),
		.cpu = cpu,
		.word = word,
		.target = file_target(steal(own_path), FILE_TEXT),
		.value = { .text = steal(text) },
		.is_checked = true,
	};
	return 0;
}

static int keep_all(struct kept_files *kept, const struct machine *machine)
{
	struct files *files = machine->host->files;
	int err = keep_file(kept, files, SETTING_PSTATE, LOCATION_NO_CPU, CPUFREQ_PSTATE_STATUS);

	for (size_t i = 0; i < ARRAY_SIZE(machine_files) && !err; i++)
		err = keep_file(kept, files, machine_files[i].setting, LOCATION_NO_CPU,
				machine_files[i].path);
	cpuset_foreach (cpu, &machine->topology.online) {
		for (size_t i = 0; i < ARRAY_SIZE(policy_files) && !err; i++) {
			if (topology_can_ask(&machine->topology, cpu))
				err = keep_file(
					kept, files, policy_files[i].setting, cpu,
					files_cpu_path(cpu, "%s", policy_files[i].path).text);
		}
	}
	return err;
}

static int plan_mode(const struct setting_environment *environment, const char *mode)
{
	const struct machine *machine = environment->machine;
	_cleanup_(kept_files_done) struct kept_files kept = { 0 };
	_cleanup_free_ char *old_mode = NULL;
	int err = files_read_line(machine->host->files, CPUFREQ_PSTATE_STATUS, &old_mode);

	if (err || strcmp(old_mode, mode) == 0)
		return err;
	err = keep_all(&kept, machine);
	if (err)
		return err;
	return change_list_add(
		environment->changes,
		&(struct change){
			.location = { .package = LOCATION_NO_PACKAGE, .cpu = LOCATION_NO_CPU },
			.what = setting_get(SETTING_PSTATE)->what,
			.subject = subject_of(SETTING_PSTATE),
			.target = file_target(CPUFREQ_PSTATE_STATUS, FILE_TEXT),
			.value = { .text = mode },
			.old_value = { .text = old_mode },
			.has_old_value = true,
			.tries = CHECK_TRIES,
			.undo = kept.list,
			.n_undo = kept.count,
		});
}

int pstate_plan_mode(const struct setting_environment *environment,
		     struct setting_request *requests, size_t count)
{
	/* the last of several requests counts */
	int err = plan_mode(environment, requests[count - 1].value.text);

	for (size_t i = 0; i < count; i++)
		requests[i].error = err;
	return err == -ENOMEM ? err : 0;
}

const struct change *pstate_find_change(const struct change_list *changes)
{
	for (size_t i = 0; i < changes->n_changes; i++) {
		const char *path = changes->changes[i].target.path;

		if (path && strcmp(path, CPUFREQ_PSTATE_STATUS) == 0)
			return &changes->changes[i];
	}
	return NULL;
}

bool pstate_is_pending(const struct machine *machine, const struct change_list *changes)
{
	const struct change *change = pstate_find_change(changes);
	_cleanup_free_ char *mode = NULL;

	return change && (files_read_line(machine->host->files, CPUFREQ_PSTATE_STATUS, &mode) ||
			  strcmp(mode, change->value.text) != 0);
}

int pstate_note_preference(const struct setting_environment *environment,
			   const struct setting_request *request)
{
	static const char performance[] = "performance";
	struct change_list *changes = environment->changes;
	struct files *files = environment->machine->host->files;
	const struct change *change = &changes->changes[changes->n_changes - 1];
	const struct file_path path =
		files_cpu_path(request->cpu, "%s", setting_get(SETTING_EPP)->file);
	const char *was = request->policy ? request->policy->epp : NULL;
	bool is_kept = strcmp(change->value.text, performance) == 0;
	_cleanup_free_ char *text = NULL;

	if (!change->has_old_value ||
	    is_kept == (strcmp(change->old_value.text, performance) == 0) ||
	    !holds(files, CPUFREQ_PSTATE_STATUS, "active"))
		return 0;
	if (!was && files_read_line(files, path.text, &text) == 0)
		was = text;
	return was ? change_list_add_reset(
			     changes, &(struct change_reset){ .subject = subject_of(SETTING_EPP),
							      .was = was,
							      .now = is_kept ? performance : NULL })
		   : 0;
}

/* Plans the limits that the requests name; others stay. The members in kHz hold percent here. */
static int plan_percents(const struct setting_environment *environment,
			 const struct setting_request *requests, size_t count)
{
	const struct file_limits limits = {
		.location = { .package = LOCATION_NO_PACKAGE, .cpu = LOCATION_NO_CPU },
		.subject = subject_of(SETTING_MIN_PCT),
		.directory = CPUFREQ_PSTATE,
		.min_name = setting_get(SETTING_MIN_PCT)->what,
		.max_name = setting_get(SETTING_MAX_PCT)->what,
		.flags = requests->always ? FILE_LIMITS_ALWAYS : 0,
	};
	bool sets_min = false, sets_max = false;
	struct khz_range old, wanted;
	uint64_t min, max;
	int err = files_read_number(environment->machine->host->files, CPUFREQ_MIN_PERF_PCT, &min);

	if (!err)
		err = files_read_number(environment->machine->host->files, CPUFREQ_MAX_PERF_PCT,
					&max);
	if (err)
		return err;
	old = wanted = (struct khz_range){ (uint32_t)min, (uint32_t)max };
	for (size_t i = 0; i < count; i++) {
		bool is_min = requests[i].setting == SETTING_MIN_PCT;

		*(is_min ? &wanted.min_khz : &wanted.max_khz) = (uint32_t)requests[i].value.number;
		*(is_min ? &sets_min : &sets_max) = true;
	}
	if (sets_min && sets_max)
		return file_change_add_range(environment->changes, &limits, &old, &wanted);
	return sets_max ? file_change_add_khz(environment->changes, &limits, limits.max_name,
					      old.max_khz, wanted.max_khz)
			: file_change_add_khz(environment->changes, &limits, limits.min_name,
					      old.min_khz, wanted.min_khz);
}

int pstate_plan_percents(const struct setting_environment *environment,
			 struct setting_request *requests, size_t count)
{
	int err = plan_percents(environment, requests, count);

	for (size_t i = 0; i < count; i++)
		requests[i].error = err;
	return err == -ENOMEM ? err : 0;
}

bool pstate_is_changed(const struct setting_view *view)
{
	const struct state_value *wanted = view_find_wanted(view, SETTING_PSTATE, 0);
	const struct state_value *is = view_find_present(view, SETTING_PSTATE, 0);

	return wanted && is && wanted->kind == STATE_WORD && is->kind == STATE_WORD &&
	       !state_value_equal(wanted, is);
}
