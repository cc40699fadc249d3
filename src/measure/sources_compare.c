// SPDX-License-Identifier: GPL-2.0-only
/* The figures between two readings of the sources (measure.md, "Sources, rights, traps"): each with
 * its source, or the reason why it is missing. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "instruments/workload.h"
#include "measure/parts.h"
#include "measure/results.h"

#define STILL_NS    UINT64_C(1000000000) /* an energy counter that is unchanged longer is stuck */
#define RESIDENCY   "-residency"
#define MAX_PERCENT 100.0

/* Two readings, and the values from which figures are computed. */
struct comparison {
	struct sources *sources;
	const struct sources_reading *before, *after;
	double seconds;
	double tsc_mhz; /* 0: unknown */
	const char *tsc_missing;
};

/* Finds what an event of a group counted. Returns true; or false with *ret_reason the reason. */
static bool find_count(const struct comparison *at, size_t group_index, size_t event,
		       double *ret_count, double *ret_seconds, const char **ret_reason)
{
	const struct group *group;
	const struct pmu *pmu;
	const struct group_reading *before, *after;
	uint64_t first, last;
	double enabled, running;
	int error;

	if (group_index == NO_GROUP) {
		if (!*ret_reason)
			*ret_reason = "no CPU counts for this place";
		return false;
	}
	group = &at->sources->groups[group_index];
	pmu = &at->sources->pmus[group->kind];
	before = &at->before->groups[group_index];
	after = &at->after->groups[group_index];
	*ret_reason = group->missing ?: pmu->reasons[event];
	if (group->missing || !pmu->has[event] || group->handles[event] < 0)
		return false;
	error = before->error ?: after->error;
	if (error) {
		*ret_reason = sources_keep(at->sources, "CPU %u: its counters cannot be read: %s",
					   group->cpu,
					   error == -EIO || error == -ENODATA
						   ? "they stopped, as when it goes offline"
						   : strerror(-error));
		return false;
	}
	*ret_reason = "the count of PMU power decreased: the kernel does not handle a counter that "
		      "starts again at 0";
	if (before->n_lost != after->n_lost)
		return false;
	first = before->counts.values[group->at[event]];
	last = after->counts.values[group->at[event]];
	enabled = (double)(after->counts.enabled_ns - before->counts.enabled_ns);
	running = (double)(after->counts.running_ns - before->counts.running_ns);
	*ret_reason = "the counters did not run";
	if (after->counts.enabled_ns <= before->counts.enabled_ns ||
	    after->counts.running_ns < before->counts.running_ns || last < first)
		return false;
	*ret_reason = "other users of the counters left no room";
	if (running <= 0)
		return false;
	*ret_count = (double)(last - first);
	if (enabled > running)
		*ret_count *= enabled / running;
	*ret_seconds = (double)(after->now_ns - before->now_ns) / NS_PER_S;
	return true;
}

/* Like find_count(), for a CPU, whose PMU may be missing. */
static bool find_cpu_count(const struct comparison *at, const struct cpu_source *cpu,
			   enum pmu_kind kind, size_t event, double *ret_count,
			   const char **ret_reason)
{
	double seconds;

	*ret_reason = at->sources->pmus[kind].missing;
	return find_count(at, cpu->groups[kind], event, ret_count, &seconds, ret_reason);
}

/* The frequency of the time stamp counter, the same on all CPUs. */
static void find_tsc(struct comparison *at)
{
	at->tsc_missing = at->sources->pmus[PMU_MSR].missing ?: "no CPU is measured";
	for (size_t i = 0; i < at->sources->n_cpus; i++) {
		double count, seconds;

		if (find_count(at, at->sources->cpus[i].groups[PMU_MSR], MSR_TSC, &count, &seconds,
			       &at->tsc_missing) &&
		    seconds > 0 && count > 0) {
			at->tsc_mhz = count / seconds / HZ_PER_MHZ;
			return;
		}
	}
}

static void add_msr(struct comparison *at, const struct cpu_source *cpu, struct run_cpu *object)
{
	double tsc, aperf, mperf, smi;
	const char *no_tsc, *no_aperf, *no_mperf, *no_smi;
	bool has_tsc = find_cpu_count(at, cpu, PMU_MSR, MSR_TSC, &tsc, &no_tsc);
	bool has_aperf = find_cpu_count(at, cpu, PMU_MSR, MSR_APERF, &aperf, &no_aperf);
	bool has_mperf = find_cpu_count(at, cpu, PMU_MSR, MSR_MPERF, &mperf, &no_mperf);

	if (!has_tsc || !has_mperf)
		object->busy_percent = figure_make_missing(has_tsc ? no_mperf : no_tsc);
	else if (tsc <= 0)
		object->busy_percent = figure_make_missing("PMU msr: tsc does not move");
	else
		object->busy_percent =
			figure_make(mperf < tsc ? MAX_PERCENT * mperf / tsc : MAX_PERCENT, 2,
				    sources_name(at->sources, "PMU msr: mperf/tsc"));
	if (!has_tsc || !has_aperf || !has_mperf)
		object->mhz = figure_make_missing(!has_tsc     ? no_tsc
						  : !has_aperf ? no_aperf
							       : no_mperf);
	else if (mperf <= 0)
		object->mhz = figure_make_missing(FIGURE_IDLE);
	else if (aperf <= 0) /* some hypervisors always return 0 */
		object->mhz = figure_make_missing("PMU msr: aperf does not move");
	else if (at->tsc_mhz <= 0)
		object->mhz = figure_make_missing(at->tsc_missing ?: "PMU msr: tsc does not move");
	else
		object->mhz = figure_make(at->tsc_mhz * aperf / mperf, 1,
					  sources_name(at->sources, "PMU msr: tsc x aperf/mperf"));
	if (find_cpu_count(at, cpu, PMU_MSR, MSR_SMI, &smi, &no_smi))
		object->smi_count =
			figure_make_count((uint64_t)smi, sources_name(at->sources, "PMU msr: smi"));
	else
		object->smi_count = figure_make_missing(no_smi);
}

/* Adds the shares of idle states that PMU cstate_* counts: "core-c6-percent". */
static int add_residency(struct comparison *at, size_t group, enum pmu_kind kind, const char *of,
			 struct named_figure **list, size_t *n_list)
{
	const struct pmu *pmu = &at->sources->pmus[kind];
	const bool is_missing = pmu->missing || group == NO_GROUP;
	const char *source = sources_name(at->sources, kind == PMU_CORE     ? "PMU cstate_core"
						       : kind == PMU_MODULE ? "PMU cstate_module"
									    : "PMU cstate_pkg");

	for (size_t i = 0; i < (is_missing ? 1 : pmu->n_events); i++) {
		struct named_figure *to = array_add(list, n_list, sizeof(*to));
		double count, seconds = 0;
		const char *reason = NULL;

		if (!to)
			return -ENOMEM;
		if (is_missing) {
			snprintf(to->name, sizeof(to->name), "%s-idle-percent", of);
			to->figure =
				figure_make_missing(pmu->missing ?: "no counter for this place");
			continue;
		}
		snprintf(to->name, sizeof(to->name), "%s-%.*s-percent", of,
			 (int)(strlen(pmu->names[i]) -
			       (strstr(pmu->names[i], RESIDENCY) ? strlen(RESIDENCY) : 0)),
			 pmu->names[i]);
		if (!find_count(at, group, i, &count, &seconds, &reason))
			to->figure = figure_make_missing(reason);
		else if (at->tsc_mhz <= 0 || seconds <= 0)
			to->figure = figure_make_missing(at->tsc_missing);
		else
			to->figure = figure_make(
				MAX_PERCENT * count / (seconds * at->tsc_mhz * 1e6), 2, source);
	}
	return 0;
}

/* C0.1 and C0.2 are shares of the clocks in which the CPU was not in a deeper idle state. */
static void add_user_idle(struct comparison *at, const struct cpu_source *cpu, struct run_cpu *to)
{
	struct figure *const figures[] = { &to->c01_percent, &to->c02_percent };
	double aperf, count;
	const char *reason;

	for (size_t i = 0; i < at->sources->pmus[PMU_USER_IDLE].n_events; i++) {
		if (!find_cpu_count(at, cpu, PMU_USER_IDLE, i, &count, &reason) ||
		    !find_cpu_count(at, cpu, PMU_MSR, MSR_APERF, &aperf, &reason))
			*figures[i] = figure_make_missing(reason);
		else if (aperf <= 0)
			*figures[i] = figure_make_missing(FIGURE_IDLE);
		else
			*figures[i] = figure_make(MAX_PERCENT * count / aperf, 2,
						  sources_name(at->sources,
							       "PMU cpu: event 0xEC / aperf"));
	}
}

/* Why a file of an idle state cannot be read. */
static const char *explain_idle(const struct comparison *at, size_t file, int err)
{
	char path[64];

	snprintf(path, sizeof(path), "cpuidle/state*/%s", sources_idle_files[file]);
	return sources_keep_error(at->sources, path, err);
}

/* Compares an idle state in both readings. Returns true if a file of it could be read. *ret_share:
 * its share of the time. *ret_no_time: why this share is unknown. */
static bool compare_idle(const struct comparison *at, size_t index, size_t state,
			 struct idle_share *to, double *ret_share, const char **ret_no_time)
{
	struct figure *const figures[IDLE_FILES] = {
		[IDLE_USAGE] = &to->entered,     [IDLE_TIME] = &to->time_percent,
		[IDLE_ABOVE] = &to->too_short,   [IDLE_BELOW] = &to->too_long,
		[IDLE_REJECTED] = &to->rejected,
	};
	const struct idle_reading *before = &at->before->cpus[index].idle[state];
	const struct idle_reading *after = &at->after->cpus[index].idle[state];
	const size_t n_files = at->sources->options.with_details ? IDLE_FILES : IDLE_TIME + 1;
	bool is_read = false;

	for (size_t i = 0; i < n_files; i++) {
		uint64_t count = after->counts[i] - before->counts[i];
		double share = MAX_PERCENT * (double)count / (at->seconds * 1e6);
		int err = before->errors[i] ?: after->errors[i];

		if (!err && after->counts[i] < before->counts[i])
			err = -EINVAL;
		if (err)
			*figures[i] = figure_make_missing(explain_idle(at, i, err));
		else if (i != IDLE_TIME)
			*figures[i] = figure_make_count(count, NULL);
		else /* the kernel adds the time when the CPU wakes up */
			*figures[i] =
				figure_make(share < MAX_PERCENT ? share : MAX_PERCENT, 2, NULL);
		if (i == IDLE_TIME && err)
			*ret_no_time = figures[i]->about;
		else if (i == IDLE_TIME)
			*ret_share = share;
		is_read = is_read || !err;
	}
	return is_read;
}

/* Adds the idle states that the kernel asked for. */
static int add_idle(struct comparison *at, size_t index, struct run_cpu *to)
{
	const struct idle_names *names = &at->sources->idle;
	const char *top = NULL, *no_top = NULL;
	double most = 0;
	bool is_read = false;

	to->idle = calloc(names->count + 1, sizeof(*to->idle));
	if (!to->idle)
		return -ENOMEM;
	to->n_idle = names->count;
	for (size_t i = 0; i < names->count; i++) {
		struct idle_share *state = &to->idle[i];
		double share = 0;

		state->name = sources_keep(at->sources, "%s", names->names[i]);
		is_read = compare_idle(at, index, i, state, &share, &no_top) || is_read;
		if (share > most) {
			most = share;
			top = state->name;
		}
	}
	to->idle_source = is_read ? sources_name(at->sources, "cpuidle") : NULL;
	if (is_read && top && !no_top)
		to->top_idle = top;
	else if (is_read)
		to->top_idle_reason = no_top ?: "no idle state was left in this time";
	if (is_read)
		return 0;
	free(steal(to->idle));
	to->n_idle = 0;
	to->idle_reason = at->sources->idle_missing ?: no_top ?: "the CPU has no idle states";
	to->top_idle_reason = to->idle_reason;
	return 0;
}

static void add_throttle(struct comparison *at, uint32_t cpu, const char *of,
			 const struct count_reading *before, const struct count_reading *after,
			 struct figure *count, struct figure *ms)
{
	struct figure *const figures[THROTTLE_FILES] = {
		[THROTTLE_COUNT] = count,
		[THROTTLE_MS] = ms,
	};

	for (size_t i = 0; i < THROTTLE_FILES; i++) {
		int err = before[i].error ?: after[i].error;

		if (!err && after[i].value >= before[i].value)
			*figures[i] =
				figure_make_count(after[i].value - before[i].value,
						  sources_name(at->sources, "thermal_throttle"));
		else if (err == -ENOENT || before[0].error == -ENOENT)
			*figures[i] = figure_make_missing("the kernel has no thermal_throttle");
		else
			*figures[i] = figure_make_missing(sources_keep_error(
				at->sources,
				files_cpu_path(cpu, "thermal_throttle/%s_throttle_%s", of,
					       sources_throttle_files[i])
					.text,
				err ?: -EINVAL));
	}
}

static void add_stolen(struct comparison *at, size_t index, struct run_cpu *object)
{
	const struct cpu_reading *before = &at->before->cpus[index];
	const struct cpu_reading *after = &at->after->cpus[index];
	int err = before->ticks.error ?: after->ticks.error;
	double all = (double)(after->ticks.value - before->ticks.value);
	double stolen = (double)(after->stolen_ticks.value - before->stolen_ticks.value);

	if (!at->sources->options.with_stolen)
		return;
	if (!err && (after->ticks.value < before->ticks.value ||
		     after->stolen_ticks.value < before->stolen_ticks.value))
		err = -EINVAL;
	if (err)
		object->stolen_percent =
			figure_make_missing(sources_keep_error(at->sources, "/proc/stat", err));
	else if (all <= 0)
		object->stolen_percent =
			figure_make_missing("the time is too short for /proc/stat");
	else
		object->stolen_percent = figure_make(MAX_PERCENT * stolen / all, 2,
						     sources_name(at->sources, "/proc/stat"));
}

/* Adds the words of a text, unless the other text has them. */
static void add_words(struct texts *to, const char *text, const char *except)
{
	while (*(text += strspn(text, " "))) {
		const size_t length = strcspn(text, " ");
		char *word = strndup(text, length);

		if (word && except && files_has_word(except, word))
			free(word);
		else
			texts_take(to, word);
		text += length;
	}
}

/* The reasons of the same file and CPU in the reading before, or NULL. */
static const char *find_before(const struct comparison *at, const struct limit_reading *limit)
{
	if (at->before->limits_are_clear)
		return "";
	for (size_t i = 0; i < at->before->n_limits; i++) {
		const struct limit_reading *before = &at->before->limits[i];

		if (before->file == limit->file && before->cpu == limit->cpu)
			return before->reasons;
	}
	return NULL;
}

/* Why limit reasons are unknown, or NULL. A file that cannot be read may be of any package. */
static const char *find_limits_reason(const struct comparison *at)
{
	const struct sources_reading *failed = at->before->limits_error ? at->before : at->after;

	if (at->sources->limits_missing || !failed->limits_error)
		return at->sources->limits_missing;
	return sources_keep_error(at->sources, at->sources->limit_paths[failed->limits_file],
				  failed->limits_error);
}

/* Adds why the hardware limited a CPU, or a package if cpu is CPUSET_NONE: new reasons, and those
 * that were set before. A reason stays set until somebody clears it. */
static void add_limits(struct comparison *at, uint32_t cpu, uint32_t package,
		       struct limit_words *to)
{
	const char *missing = find_limits_reason(at);
	const char *reason = cpu == CPUSET_NONE ? missing : NULL;
	bool is_known = false;

	to->is_read = at->sources->options.with_limits;
	if (!to->is_read)
		return;
	for (size_t i = 0; i < at->after->n_limits && !reason; i++) {
		const struct limit_reading *limit = &at->after->limits[i];
		const char *before;

		if (limit->cpu != cpu || limit->package != package)
			continue;
		before = find_before(at, limit);
		if (!before)
			reason = "limit reasons of the beginning are missing";
		is_known = true;
		add_words(&to->now, limit->reasons, before);
		add_words(&to->earlier, before ?: "", NULL);
	}
	to->is_known = is_known && !reason;
	if (to->is_known) {
		to->source = sources_name(at->sources, "PLR");
		return;
	}
	texts_done(&to->now);
	texts_done(&to->earlier);
	to->now.is_null = true;
	to->reason = reason ?: missing ?: "no line of limit reasons is about it";
}

static int make_cpu(struct comparison *at, size_t index, struct run_cpu *to)
{
	const struct cpu_source *cpu = &at->sources->cpus[index];
	int err;

	*to = (struct run_cpu){ .cpu = cpu->cpu,
				.package = cpu->package,
				.is_isolated = cpu->is_pinned };
	add_msr(at, cpu, to);
	err = add_idle(at, index, to);
	if (!err)
		err = add_residency(at, cpu->groups[PMU_CORE], PMU_CORE, "core", &to->residencies,
				    &to->n_residencies);
	if (!err && !at->sources->pmus[PMU_MODULE].missing)
		err = add_residency(at, cpu->groups[PMU_MODULE], PMU_MODULE, "module",
				    &to->residencies, &to->n_residencies);
	add_user_idle(at, cpu, to);
	add_throttle(at, cpu->cpu, "core", at->before->cpus[index].throttle,
		     at->after->cpus[index].throttle, &to->throttle_count, &to->throttle_ms);
	add_stolen(at, index, to);
	add_limits(at, cpu->cpu, cpu->package, &to->limits);
	return err;
}

/* Adds energy in joules and power in watts, or why there are none. */
static void add_energy(struct comparison *at, double joules, double seconds, const char *source,
		       const char *reason, struct figure *ret_watts, struct figure *ret_joules)
{
	const uint64_t ns = (uint64_t)(seconds * NS_PER_S);

	if (!reason && joules <= 0)
		reason = ns >= STILL_NS ? "counter does not move"
					: sources_keep(at->sources,
						       "counter did not move in %.3f s", seconds);
	if (!reason && seconds <= 0)
		reason = "no time has passed";
	*ret_watts = reason ? figure_make_missing(reason)
			    : figure_make(joules / seconds, 3, sources_name(at->sources, source));
	*ret_joules = reason ? figure_make_missing(reason)
			     : figure_make(joules, 3, sources_name(at->sources, source));
}

/* Why the zones of a package report no energy, or NULL. */
static const char *find_zone_reason(const struct comparison *at, const struct energy_zone *zones,
				    size_t n_zones)
{
	for (size_t i = 0; i < n_zones; i++) {
		if (zones[i].missing)
			return zones[i].missing;
	}
	return n_zones ? NULL : at->sources->zones_missing ?: "powercap has no such zone";
}

static void add_power_of_zones(struct comparison *at, size_t index, struct run_package *to)
{
	const struct package_source *package = &at->sources->packages[index];
	const size_t group = package->groups[PMU_POWER];
	const char *reason = find_zone_reason(at, package->zones, package->n_zones);
	const struct energy_reading *before = &at->before->packages[index].energy;
	const struct energy_reading *after = &at->after->packages[index].energy;
	double uj = (double)(after->package.value - before->package.value);
	double dram_uj = (double)(after->dram.value - before->dram.value);
	double seconds = (double)(after->now_ns - before->now_ns) / NS_PER_S;

	if (package->zones_missing)
		reason = package->zones_missing;
	if (!sources_may_ask(at->sources, package))
		reason =
			sources_keep(at->sources, "CPU %u, which is isolated, would be interrupted",
				     package->first_cpu);
	/* the PMU is the first choice, and access to either source is enough: show both reasons */
	if (reason && group != NO_GROUP && at->sources->groups[group].missing)
		reason = sources_keep(at->sources, "%s; %s", at->sources->groups[group].missing,
				      reason);
	add_energy(at, uj / UJ_PER_J, seconds, "powercap", reason, &to->watts, &to->joules);
	if (package->n_dram_zones)
		add_energy(at, dram_uj / UJ_PER_J, seconds, "powercap",
			   find_zone_reason(at, package->dram_zones, package->n_dram_zones),
			   &to->dram_watts, &to->dram_joules);
}

/* Returns true if powercap is the source of the power of a package. */
static bool is_of_zones(const struct comparison *at, const struct package_source *package)
{
	const size_t group = package->groups[PMU_POWER];

	if (!at->sources->has_pmu_power || group == NO_GROUP)
		return !at->sources->has_pmu_power;
	return at->before->groups[group].n_lost != at->after->groups[group].n_lost &&
	       !find_zone_reason(at, package->zones, package->n_zones);
}

static void add_power(struct comparison *at, size_t index, struct run_package *to)
{
	struct figure *const watts[] = { &to->watts, &to->dram_watts };
	struct figure *const joules[] = { &to->joules, &to->dram_joules };
	const struct package_source *package = &at->sources->packages[index];
	const struct pmu *pmu = &at->sources->pmus[PMU_POWER];

	if (is_of_zones(at, package)) {
		add_power_of_zones(at, index, to);
		return;
	}
	for (size_t i = 0; i < pmu->n_events; i++) {
		double count = 0, seconds = 0;
		const char *reason = pmu->missing;
		bool has = find_count(at, package->groups[PMU_POWER], i, &count, &seconds, &reason);

		/* most machines have no memory power: this is no failure */
		if (!has && i > 0)
			continue;
		if (!has && !reason)
			reason = pmu->reasons[i];
		if (has && pmu->events[i].scale <= 0)
			reason = "PMU power has no scale";
		else if (has)
			reason = NULL;
		add_energy(at, count * pmu->events[i].scale, seconds, "PMU power", reason, watts[i],
			   joules[i]);
	}
}

static void add_degrees(struct comparison *at, size_t index, struct run_package *object)
{
	const struct package_source *package = &at->sources->packages[index];
	const struct count_reading *reading = &at->after->packages[index].degrees;

	if (package->degrees_missing)
		object->degrees_celsius = figure_make_missing(package->degrees_missing);
	else if (reading->error)
		object->degrees_celsius = figure_make_missing(
			sources_keep_error(at->sources, package->degrees_path, reading->error));
	else
		object->degrees_celsius =
			figure_make((double)reading->value / MILLIDEGREES_PER_DEGREE, 1,
				    sources_name(at->sources, "hwmon coretemp, at end"));
}

static int add_uncore(struct comparison *at, struct run_package *to)
{
	const struct uncore_units *units = &at->sources->uncore;

	to->uncore_reason = at->sources->uncore_missing;
	for (size_t i = 0; i < units->count && !to->uncore_reason; i++) {
		const struct uncore_unit *unit = &units->units[i];
		const struct count_reading *reading = &at->after->uncore_khz[i];
		struct run_uncore *item;

		if (unit->package != to->package)
			continue;
		item = array_add(&to->uncore, &to->n_uncore, sizeof(*item));
		if (!item)
			return -ENOMEM;
		*item = (struct run_uncore){ .name = sources_keep(at->sources, "%s", unit->name) };
		if (unit->is_cluster)
			item->power_domain = figure_make_count(unit->domain, NULL);
		if (reading->error)
			item->mhz = figure_make_missing(sources_keep_error(
				at->sources, "intel_uncore_frequency/*/current_freq_khz",
				reading->error));
		else if (reading->value == 0)
			item->mhz = figure_make_missing("current_freq_khz is 0");
		else
			item->mhz =
				figure_make((double)reading->value / KHZ_PER_MHZ, 1,
					    sources_name(at->sources, "current_freq_khz, at end"));
	}
	if (!to->uncore && !to->uncore_reason)
		to->uncore_reason = "the kernel shows no uncore of the package";
	return 0;
}

static int make_package(struct comparison *at, size_t index, struct run_package *to)
{
	const struct package_source *package = &at->sources->packages[index];
	int err;

	*to = (struct run_package){ .package = package->package };
	add_power(at, index, to);
	add_degrees(at, index, to);
	add_throttle(at, package->first_cpu, "package", at->before->packages[index].throttle,
		     at->after->packages[index].throttle, &to->throttle_count, &to->throttle_ms);
	err = add_residency(at, package->groups[PMU_PACKAGE], PMU_PACKAGE, "package",
			    &to->residencies, &to->n_residencies);
	if (!err)
		err = add_uncore(at, to);
	add_limits(at, CPUSET_NONE, package->package, &to->limits);
	return err;
}

int sources_compare(struct sources *sources, const struct sources_reading *before,
		    const struct sources_reading *after, struct run_window *ret_window)
{
	struct comparison at = {
		.sources = sources,
		.before = before,
		.after = after,
		.seconds = (double)(after->now_ns - before->now_ns) / NS_PER_S,
	};
	_cleanup_run_window_ struct run_window window = {
		.seconds = figure_make(at.seconds, 6, NULL),
		.cpus = calloc(sources->n_cpus + 1, sizeof(*window.cpus)),
		.packages = calloc(sources->n_packages + 1, sizeof(*window.packages)),
	};
	int err = window.cpus && window.packages ? 0 : -ENOMEM;

	find_tsc(&at);
	window.tsc_mhz = at.tsc_mhz > 0
				 ? figure_make(at.tsc_mhz, 3, sources_name(sources, "PMU msr: tsc"))
				 : figure_make_missing(at.tsc_missing);
	for (; window.n_cpus < sources->n_cpus && !err; window.n_cpus++)
		err = make_cpu(&at, window.n_cpus, &window.cpus[window.n_cpus]);
	for (; window.n_packages < sources->n_packages && !err; window.n_packages++)
		err = make_package(&at, window.n_packages, &window.packages[window.n_packages]);
	if (err || sources->texts.has_failed)
		return -ENOMEM;
	*ret_window = steal(window);
	return 0;
}
