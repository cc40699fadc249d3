// SPDX-License-Identifier: GPL-2.0-only
/* Plans the differences, and lets the files of the host read as if the changes were made. The plan
 * also decides how Speed Select reads (sst/platform.h). Side effects of changes are unknown. */
#include "state/assumption.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/cpufreq.h"
#include "host/kept_files.h"
#include "settings/scaling.h"
#include "state/apply.h"

/* Returns the first setting that is a level, the mode of intel_pstate or online CPUs; or NULL. A
 * change of these has many side effects. */
static const char *find_unassumed(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->count; i++) {
		const enum setting_id id =
			comparison_row(comparison, &comparison->list[i])->setting;

		if (setting_get(id)->rank <= SETTING_RANK_PSTATE)
			return setting_get(id)->path;
	}
	return NULL;
}

static bool differs(const struct comparison *comparison, enum setting_id id)
{
	for (size_t i = 0; i < comparison->count; i++) {
		if (comparison_row(comparison, &comparison->list[i])->setting == id)
			return true;
	}
	return false;
}

/* Forgets the files that the kernel or the firmware alters with a setting. SST-BF moves limits only
 * while turbo is off, and nothing if cpufreq limits implement it. */
static int forget_moved(struct files *files, const struct comparison *comparison)
{
	static const char *const base[] = { "base_frequency", NULL };
	static const char *const limits[] = { "cpuinfo_max_freq", "scaling_max_freq",
					      "scaling_min_freq", "max_perf_pct",
					      "min_perf_pct",     NULL };
	static const struct {
		const char *setting;
		const char *const *names;
		bool is_of_base_freq, is_without_turbo;
	} rows[] = {
		{ "base-freq.enabled", base, true, false },
		{ "base-freq.enabled", limits, true, true },
		{ "turbo-freq.enabled", limits, false, false },
		{ "turbo-mode.trl", limits, false, false },
		{ "cpufreq.turbo", limits, false, false },
	};
	const struct platform *platform = comparison->wanted->state->platform;
	bool is_off;
	int err = 0;

	if (scaling_read_turbo(files, &is_off))
		is_off = true; /* assumed if unknown */
	for (size_t i = 0; i < ARRAY_SIZE(rows) && !err; i++) {
		if ((rows[i].is_of_base_freq && platform && platform->base_freq_by_cpufreq) ||
		    (rows[i].is_without_turbo && !is_off))
			continue;
		if (!differs(comparison, setting_find(rows[i].setting)))
			continue;
		for (const char *const *name = rows[i].names; *name && !err; name++)
			err = kept_files_forget(files, *name);
	}
	return err;
}

/* Returns true if a file reads as it is written. Without turbo the kernel lowers limits. */
static bool reads_as_written(const struct change *change)
{
	const char *text = change->value.text;

	return text && !change->target.is_not_read_back && !change->is_read_first &&
	       (!change->lowered || strtoul(text, NULL, 10) <= change->lowered);
}

static int assume_file(struct files *files, const struct change *change, const char *path)
{
	return reads_as_written(change) ? files_write(files, path, change->value.text)
					: kept_files_forget(files, path);
}

/* The kernel shows a lower limit that is above the upper one as the upper one. If the upper one
 * changes, the lower one is then unknown. */
static int forget_hidden_limit(struct files *files, uint32_t cpu)
{
	uint64_t min_khz, max_khz;

	if (files_read_number(files, files_cpu_path(cpu, "cpufreq/scaling_max_freq").text,
			      &max_khz) ||
	    files_read_number(files, files_cpu_path(cpu, "cpufreq/scaling_min_freq").text,
			      &min_khz))
		return 0;
	return min_khz < max_khz
		       ? 0
		       : kept_files_forget(files,
					   files_cpu_path(cpu, "cpufreq/scaling_min_freq").text);
}

/* In active mode the kernel sets EPP with the governor. A CPU without EPP needs nothing. */
static int forget_preference(struct files *files, uint32_t cpu)
{
	const struct file_path path = files_cpu_path(cpu, "cpufreq/energy_performance_preference");
	_cleanup_free_ char *text = NULL;
	int err = files_read_line(files, path.text, &text);

	return err == -ENOENT ? 0 : err == -ENOMEM ? err : kept_files_forget(files, path.text);
}

/* The CPUs of a policy share its files. */
static int assume_policy(struct files *files, const struct change *change)
{
	const uint32_t first = change->location.cpu;
	const char *name = strrchr(change->target.path, '/') + 1;
	const bool is_governor = strcmp(name, "scaling_governor") == 0;
	const bool is_max = strcmp(name, "scaling_max_freq") == 0;
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	int err = cpufreq_read_policy_cpus(files, first, &cpus);

	if (!err)
		err = cpuset_add(&cpus, first);
	cpuset_foreach (cpu, &cpus) {
		if (!err && is_max)
			err = forget_hidden_limit(files, cpu);
		if (!err)
			err = assume_file(files, change,
					  files_cpu_path(cpu, "cpufreq/%s", name).text);
		if (!err && is_governor)
			err = forget_preference(files, cpu);
	}
	return err;
}

/* Lets the files read as after these changes, where the result is known. */
static int assume_files(struct files *files, const struct change_list *changes)
{
	int err = 0;

	for (size_t i = 0; i < changes->n_changes && !err; i++) {
		const struct change *change = &changes->changes[i];
		const char *path = change->target.path;

		if (path && change->location.cpu != LOCATION_NO_CPU && strstr(path, "/cpufreq/"))
			err = assume_policy(files, change);
		else if (path)
			err = assume_file(files, change, path);
	}
	return err;
}

int assumption_make(struct state_apply *apply, struct assumption **ret_assumption,
		    const char **ret_unassumed)
{
	struct comparison *comparison = &apply->comparing.comparison;
	_cleanup_free_ struct assumption *made = calloc(1, sizeof(*made));
	struct files *files;
	int err;

	*ret_unassumed = find_unassumed(comparison);
	if (*ret_unassumed)
		return 0;
	err = made ? kept_files_assume(apply->host->files, &files) : -ENOMEM;
	if (err)
		return err;
	err = forget_moved(files, comparison);
	if (!err)
		err = comparison_plan(comparison, STAGE_ALL, apply->plan);
	if (!err)
		err = assume_files(files, apply->plan);
	if (err) {
		kept_files_close(files);
		return err;
	}
	*made = (struct assumption){
		.host = apply->host,
		.files = apply->host->files,
		.changes = steal(*apply->plan),
	};
	apply->host->files = files;
	*ret_assumption = steal(made);
	return 0;
}

const char *assumption_find_unknown(const struct assumption *assumption)
{
	return assumption ? kept_files_unknown(assumption->host->files) : NULL;
}

void assumption_end(struct assumption **assumption)
{
	if (*assumption) {
		kept_files_close((*assumption)->host->files);
		(*assumption)->host->files = (*assumption)->files;
		change_list_done(&(*assumption)->changes);
	}
	free(*assumption);
	*assumption = NULL;
}
