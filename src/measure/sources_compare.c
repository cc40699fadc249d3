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
#include "measure/figure.h"
#include "measure/parts.h"

#define STILL_NS    UINT64_C(1000000000) /* a counter of energy that rests longer does not move */
#define RESIDENCY   "-residency"
#define MAX_PERCENT 100.0

/* Two readings, and what figures are computed with. */
struct comparison {
	struct sources *sources;
	const struct sources_reading *before, *after;
	double seconds;
	double tsc_mhz; /* 0: unknown */
	const char *tsc_missing;
};

/* What an event of a group counted. Returns whether it did, else *ret_reason says why not. */
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
	*ret_reason = "the count of PMU power went back: the kernel does not follow a counter that "
		      "goes on at 0";
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

/* The same of a CPU, whose PMU may be missing. */
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

static void add_msr(struct comparison *at, const struct cpu_source *cpu, json_t *object)
{
	double tsc, aperf, mperf, smi;
	const char *no_tsc, *no_aperf, *no_mperf, *no_smi;
	bool has_tsc = find_cpu_count(at, cpu, PMU_MSR, MSR_TSC, &tsc, &no_tsc);
	bool has_aperf = find_cpu_count(at, cpu, PMU_MSR, MSR_APERF, &aperf, &no_aperf);
	bool has_mperf = find_cpu_count(at, cpu, PMU_MSR, MSR_MPERF, &mperf, &no_mperf);

	if (!has_tsc || !has_mperf)
		figure_lack(object, "busy-percent", has_tsc ? no_mperf : no_tsc);
	else if (tsc <= 0)
		figure_lack(object, "busy-percent", "PMU msr: tsc does not move");
	else
		figure_set(object, "busy-percent",
			   mperf < tsc ? MAX_PERCENT * mperf / tsc : MAX_PERCENT, 2,
			   "PMU msr: mperf/tsc");
	if (!has_tsc || !has_aperf || !has_mperf)
		figure_lack(object, "mhz", !has_tsc ? no_tsc : !has_aperf ? no_aperf : no_mperf);
	else if (mperf <= 0)
		figure_lack(object, "mhz", FIGURE_IDLE);
	else if (aperf <= 0) /* of a hypervisor that answers all with 0 */
		figure_lack(object, "mhz", "PMU msr: aperf does not move");
	else if (at->tsc_mhz <= 0)
		figure_lack(object, "mhz", at->tsc_missing ?: "PMU msr: tsc does not move");
	else
		figure_set(object, "mhz", at->tsc_mhz * aperf / mperf, 1,
			   "PMU msr: tsc x aperf/mperf");
	if (find_cpu_count(at, cpu, PMU_MSR, MSR_SMI, &smi, &no_smi))
		figure_set_count(object, "smi-count", (uint64_t)smi, "PMU msr: smi");
	else
		figure_lack(object, "smi-count", no_smi);
}

/* Adds the shares of idle states that PMU cstate_* counts: "core-c6-percent". */
static void add_residency(struct comparison *at, size_t group, enum pmu_kind kind, const char *of,
			  json_t *object)
{
	const struct pmu *pmu = &at->sources->pmus[kind];
	char name[64];

	if (pmu->missing || group == NO_GROUP) {
		snprintf(name, sizeof(name), "%s-idle-percent", of);
		figure_lack(object, name, pmu->missing ?: "no counter for this place");
		return;
	}
	for (size_t i = 0; i < pmu->n_events; i++) {
		double count, seconds = 0;
		const char *reason = NULL;

		snprintf(name, sizeof(name), "%s-%.*s-percent", of,
			 (int)(strlen(pmu->names[i]) -
			       (strstr(pmu->names[i], RESIDENCY) ? strlen(RESIDENCY) : 0)),
			 pmu->names[i]);
		if (!find_count(at, group, i, &count, &seconds, &reason))
			figure_lack(object, name, reason);
		else if (at->tsc_mhz <= 0 || seconds <= 0)
			figure_lack(object, name, at->tsc_missing);
		else
			figure_set(object, name,
				   MAX_PERCENT * count / (seconds * at->tsc_mhz * HZ_PER_MHZ), 2,
				   kind == PMU_CORE     ? "PMU cstate_core"
				   : kind == PMU_MODULE ? "PMU cstate_module"
							: "PMU cstate_pkg");
	}
}

/* C0.1 and C0.2 are shares of the clocks in which the CPU was not in a deeper idle state. */
static void add_user_idle(struct comparison *at, const struct cpu_source *cpu, json_t *object)
{
	static const char *const names[] = { "c01-percent", "c02-percent" };
	double aperf, count;
	const char *reason;

	for (size_t i = 0; i < at->sources->pmus[PMU_USER_IDLE].n_events; i++) {
		if (!find_cpu_count(at, cpu, PMU_USER_IDLE, i, &count, &reason) ||
		    !find_cpu_count(at, cpu, PMU_MSR, MSR_APERF, &aperf, &reason))
			figure_lack(object, names[i], reason);
		else if (aperf <= 0)
			figure_lack(object, names[i], FIGURE_IDLE);
		else
			figure_set(object, names[i], MAX_PERCENT * count / aperf, 2,
				   "PMU cpu: event 0xEC / aperf");
	}
}

/* Why a number of an idle state is missing. */
static const char *explain_idle(const struct comparison *at, size_t file, int err)
{
	static const char *const names[IDLE_FILES] = {
		[IDLE_USAGE] = "usage", [IDLE_TIME] = "time",         [IDLE_ABOVE] = "above",
		[IDLE_BELOW] = "below", [IDLE_REJECTED] = "rejected",
	};
	char path[64];

	snprintf(path, sizeof(path), "cpuidle/state*/%s", names[file]);
	return sources_keep_error(at->sources, path, err);
}

static void set_idle(json_t *object, json_t *states, const char *top, const char *no_top)
{
	if (top && !no_top)
		json_object_set_new(object, "top-idle-state", json_string(top));
	else
		figure_lack(object, "top-idle-state",
			    no_top ?: "no idle state was left in this time");
	json_object_set_new(object, "idle-states", states);
	json_object_set_new(object, "idle-states-source", json_string("cpuidle"));
}

static void lack_idle(const struct comparison *at, json_t *object, json_t *states,
		      const char *no_top)
{
	const char *reason = at->sources->idle_missing ?: no_top ?: "the CPU has no idle states";

	json_decref(states);
	figure_lack(object, "top-idle-state", reason);
	figure_lack(object, "idle-states", reason);
}

/* Adds the idle states that the kernel asked for. */
static void add_idle(struct comparison *at, size_t index, json_t *object)
{
	static const char *const members[IDLE_FILES] = {
		[IDLE_USAGE] = "entered",  [IDLE_TIME] = "time-percent", [IDLE_ABOVE] = "too-short",
		[IDLE_BELOW] = "too-long", [IDLE_REJECTED] = "rejected",
	};
	const struct idle_reading *before = &at->before->idle[index * WAKE_STATES];
	const struct idle_reading *after = &at->after->idle[index * WAKE_STATES];
	json_t *states = json_array();
	const size_t n_files = at->sources->options.with_details ? IDLE_FILES : IDLE_TIME + 1;
	const char *top = NULL, *no_top = NULL;
	double most = 0;
	bool is_read = false;

	for (size_t i = 0; i < at->sources->idle.count; i++) {
		json_t *state = json_object();

		json_object_set_new(state, "name", json_string(at->sources->idle.names[i]));
		for (size_t j = 0; j < n_files; j++) {
			uint64_t count = after[i].counts[j] - before[i].counts[j];
			double share = MAX_PERCENT * (double)count / (at->seconds * US_PER_S);
			int err = before[i].errors[j] ?: after[i].errors[j];

			if (!err && after[i].counts[j] < before[i].counts[j])
				err = -EINVAL;
			if (err) {
				const char *reason = explain_idle(at, j, err);

				figure_lack(state, members[j], reason);
				if (j == IDLE_TIME)
					no_top = reason;
				continue;
			}
			is_read = true;
			if (j != IDLE_TIME) {
				figure_set_count(state, members[j], count, NULL);
				continue;
			}
			/* it is added up when the CPU wakes up */
			figure_set(state, members[j], share < MAX_PERCENT ? share : MAX_PERCENT, 2,
				   NULL);
			if (share > most) {
				most = share;
				top = at->sources->idle.names[i];
			}
		}
		json_array_append_new(states, state);
	}
	if (is_read)
		set_idle(object, states, top, no_top);
	else
		lack_idle(at, object, states, no_top);
}

static void add_throttle(struct comparison *at, uint32_t cpu, const char *of,
			 const struct count_reading *before, const struct count_reading *after,
			 json_t *object)
{
	static const char *const names[THROTTLE_FILES] = {
		[THROTTLE_COUNT] = "throttle-count",
		[THROTTLE_MS] = "throttle-ms",
	};
	static const char *const files[THROTTLE_FILES] = {
		[THROTTLE_COUNT] = "count",
		[THROTTLE_MS] = "total_time_ms",
	};

	for (size_t i = 0; i < THROTTLE_FILES; i++) {
		int err = before[i].error ?: after[i].error;

		if (!err && after[i].value >= before[i].value)
			figure_set_count(object, names[i], after[i].value - before[i].value,
					 "thermal_throttle");
		else if (err == -ENOENT || before[0].error == -ENOENT)
			figure_lack(object, names[i], "the kernel has no thermal_throttle");
		else
			figure_lack(object, names[i],
				    sources_keep_error(
					    at->sources,
					    files_cpu_path(cpu, "thermal_throttle/%s_throttle_%s",
							   of, files[i])
						    .text,
					    err ?: -EINVAL));
	}
}

static void add_stolen(struct comparison *at, size_t index, json_t *object)
{
	int err = at->before->ticks[index].error ?: at->after->ticks[index].error;
	double all = (double)(at->after->ticks[index].value - at->before->ticks[index].value);
	double stolen = (double)(at->after->stolen_ticks[index].value -
				 at->before->stolen_ticks[index].value);

	if (!at->sources->options.with_stolen)
		return;
	if (!err && (at->after->ticks[index].value < at->before->ticks[index].value ||
		     at->after->stolen_ticks[index].value < at->before->stolen_ticks[index].value))
		err = -EINVAL;
	if (err)
		figure_lack(object, "stolen-percent",
			    sources_keep_error(at->sources, "/proc/stat", err));
	else if (all <= 0)
		figure_lack(object, "stolen-percent", "the time is too short for /proc/stat");
	else
		figure_set(object, "stolen-percent", MAX_PERCENT * stolen / all, 2, "/proc/stat");
}

/* Adds the words of a text to an array, each once, unless it has them or the other text does. */
static void add_words(json_t *array, const char *text, const char *except)
{
	while (*(text += strspn(text, " "))) {
		const size_t length = strcspn(text, " ");
		_cleanup_free_ char *word = strndup(text, length);
		json_t *item;
		size_t i;
		bool is_known = !word || (except && files_has_word(except, word));

		json_array_foreach (array, i, item)
			is_known = is_known || strcmp(json_string_value(item), word) == 0;
		if (!is_known)
			json_array_append_new(array, json_string(word));
		text += length;
	}
}

/* The reasons of the same place in the reading before, or NULL. */
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

/* Why limit reasons are not known, or NULL. A file that cannot be read may be of any package. */
static const char *find_limits_reason(const struct comparison *at)
{
	const struct sources_reading *failed = at->before->limits_error ? at->before : at->after;

	if (at->sources->limits_missing || !failed->limits_error)
		return at->sources->limits_missing;
	return sources_keep_error(at->sources, at->sources->limit_paths[failed->limits_file],
				  failed->limits_error);
}

/* Adds why the hardware limited a CPU, or (CPUSET_NONE) a package: what appeared in this time, and
 * what was set before, which stays until somebody clears it. */
static void add_limits(struct comparison *at, uint32_t cpu, uint32_t package, json_t *object)
{
	json_t *now, *earlier;
	const char *missing = find_limits_reason(at);
	const char *reason = cpu == CPUSET_NONE ? missing : NULL;
	bool is_known = false;

	if (!at->sources->options.with_limits)
		return;
	now = json_array();
	earlier = json_array();
	for (size_t i = 0; i < at->after->n_limits && !reason; i++) {
		const struct limit_reading *limit = &at->after->limits[i];
		const char *before;

		if (limit->cpu != cpu || limit->package != package)
			continue;
		before = find_before(at, limit);
		if (!before)
			reason = "limit reasons of the beginning are missing";
		is_known = true;
		add_words(now, limit->reasons, before);
		add_words(earlier, before ?: "", NULL);
	}
	if (reason || !is_known) {
		json_decref(now);
		json_decref(earlier);
		figure_lack(object, "limits",
			    reason ?: missing ?: "no line of limit reasons is about it");
		return;
	}
	json_object_set_new(object, "limits", now);
	json_object_set_new(object, "limits-earlier", earlier);
	json_object_set_new(object, "limits-source", json_string("PLR"));
}

static json_t *make_cpu(struct comparison *at, size_t index)
{
	const struct cpu_source *cpu = &at->sources->cpus[index];
	json_t *object = json_object();

	json_object_set_new(object, "cpu", json_integer(cpu->cpu));
	json_object_set_new(object, "package", json_integer(cpu->package));
	if (cpu->is_pinned)
		json_object_set_new(object, "isolated", json_true());
	add_msr(at, cpu, object);
	add_idle(at, index, object);
	add_residency(at, cpu->groups[PMU_CORE], PMU_CORE, "core", object);
	if (!at->sources->pmus[PMU_MODULE].missing)
		add_residency(at, cpu->groups[PMU_MODULE], PMU_MODULE, "module", object);
	add_user_idle(at, cpu, object);
	add_throttle(at, cpu->cpu, "core", at->before->core_throttle[index],
		     at->after->core_throttle[index], object);
	add_stolen(at, index, object);
	add_limits(at, cpu->cpu, cpu->package, object);
	return object;
}

/* Adds energy in joules and power in watts, or why there are none. */
static void add_energy(struct comparison *at, const char *prefix, double joules, double seconds,
		       const char *source, const char *reason, json_t *object)
{
	char watts_name[32], joules_name[32];
	const uint64_t ns = (uint64_t)(seconds * NS_PER_S);

	snprintf(watts_name, sizeof(watts_name), "%swatts", prefix);
	snprintf(joules_name, sizeof(joules_name), "%sjoules", prefix);
	if (!reason && joules <= 0)
		reason = ns >= STILL_NS ? "counter does not move"
					: sources_keep(at->sources,
						       "counter did not move in %.3f s", seconds);
	if (!reason && seconds <= 0)
		reason = "no time has passed";
	if (reason) {
		figure_lack(object, watts_name, reason);
		figure_lack(object, joules_name, reason);
		return;
	}
	figure_set(object, watts_name, joules / seconds, 3, source);
	figure_set(object, joules_name, joules, 3, source);
}

/* Why the zones of a package tell no energy, or NULL. */
static const char *find_zone_reason(const struct comparison *at, const struct energy_zone *zones,
				    size_t n_zones)
{
	for (size_t i = 0; i < n_zones; i++) {
		if (zones[i].missing)
			return zones[i].missing;
	}
	return n_zones ? NULL : at->sources->zones_missing ?: "powercap has no such zone";
}

static void add_power_of_zones(struct comparison *at, size_t index, json_t *object)
{
	const struct package_source *package = &at->sources->packages[index];
	const size_t group = package->groups[PMU_POWER];
	const char *reason = find_zone_reason(at, package->zones, package->n_zones);
	double uj = (double)(at->after->energy[index].value - at->before->energy[index].value);
	double dram_uj = (double)(at->after->dram_energy[index].value -
				  at->before->dram_energy[index].value);

	if (package->zones_missing)
		reason = package->zones_missing;
	if (!sources_may_ask(at->sources, package))
		reason = sources_keep(at->sources, "CPU %u, which is isolated, would be asked",
				      package->first_cpu);
	/* the PMU would have been the first choice: with a right to either there is a figure */
	if (reason && group != NO_GROUP && at->sources->groups[group].missing)
		reason = sources_keep(at->sources, "%s; %s", at->sources->groups[group].missing,
				      reason);
	add_energy(at, "", uj / UJ_PER_J, at->seconds, "powercap", reason, object);
	if (package->n_dram_zones)
		add_energy(at, "dram-", dram_uj / UJ_PER_J, at->seconds, "powercap",
			   find_zone_reason(at, package->dram_zones, package->n_dram_zones),
			   object);
}

/* Is powercap the source of the power of a package? */
static bool is_of_zones(const struct comparison *at, const struct package_source *package)
{
	const size_t group = package->groups[PMU_POWER];

	if (!at->sources->has_pmu_power || group == NO_GROUP)
		return !at->sources->has_pmu_power;
	return at->before->groups[group].n_lost != at->after->groups[group].n_lost &&
	       !find_zone_reason(at, package->zones, package->n_zones);
}

static void add_power(struct comparison *at, size_t index, json_t *object)
{
	static const char *const prefixes[] = { "", "dram-" };
	const struct package_source *package = &at->sources->packages[index];
	const struct pmu *pmu = &at->sources->pmus[PMU_POWER];

	if (is_of_zones(at, package)) {
		add_power_of_zones(at, index, object);
		return;
	}
	for (size_t i = 0; i < pmu->n_events; i++) {
		double count = 0, seconds = 0;
		const char *reason = pmu->missing;
		bool has = find_count(at, package->groups[PMU_POWER], i, &count, &seconds, &reason);

		/* a machine without memory power is the rule, not a failure */
		if (!has && i > 0)
			continue;
		if (!has && !reason)
			reason = pmu->reasons[i];
		if (has && pmu->events[i].scale <= 0)
			reason = "PMU power tells no scale";
		else if (has)
			reason = NULL;
		add_energy(at, prefixes[i], count * pmu->events[i].scale, seconds, "PMU power",
			   reason, object);
	}
}

static void add_degrees(struct comparison *at, size_t index, json_t *object)
{
	const struct package_source *package = &at->sources->packages[index];
	const struct count_reading *reading = &at->after->degrees[index];

	if (package->degrees_missing)
		figure_lack(object, "degrees-celsius", package->degrees_missing);
	else if (reading->error)
		figure_lack(object, "degrees-celsius",
			    sources_keep_error(at->sources, package->degrees_path, reading->error));
	else
		figure_set(object, "degrees-celsius",
			   (double)reading->value / MILLIDEGREES_PER_DEGREE, 1,
			   "hwmon coretemp, at end");
}

static void add_uncore(struct comparison *at, uint32_t package, json_t *object)
{
	const struct uncore_units *units = &at->sources->uncore;
	json_t *list;

	if (at->sources->uncore_missing) {
		figure_lack(object, "uncore", at->sources->uncore_missing);
		return;
	}
	list = json_array();
	for (size_t i = 0; i < units->count; i++) {
		const struct uncore_unit *unit = &units->units[i];
		const struct count_reading *reading = &at->after->uncore_khz[i];
		json_t *item;

		if (unit->package != package)
			continue;
		item = json_pack("{s:s}", "name", unit->name);
		if (unit->is_cluster)
			json_object_set_new(item, "power-domain", json_integer(unit->domain));
		if (reading->error)
			figure_lack(item, "mhz",
				    sources_keep_error(at->sources,
						       "intel_uncore_frequency/*/current_freq_khz",
						       reading->error));
		else if (reading->value == 0)
			figure_lack(item, "mhz", "current_freq_khz is 0");
		else
			figure_set(item, "mhz", (double)reading->value / KHZ_PER_MHZ, 1,
				   "current_freq_khz, at end");
		json_array_append_new(list, item);
	}
	if (json_array_size(list) == 0) {
		json_decref(list);
		figure_lack(object, "uncore", "the kernel shows no uncore of the package");
		return;
	}
	json_object_set_new(object, "uncore", list);
}

static json_t *make_package(struct comparison *at, size_t index)
{
	const struct package_source *package = &at->sources->packages[index];
	json_t *object = json_object();

	json_object_set_new(object, "package", json_integer(package->package));
	add_power(at, index, object);
	add_degrees(at, index, object);
	add_throttle(at, package->first_cpu, "package", at->before->package_throttle[index],
		     at->after->package_throttle[index], object);
	add_residency(at, package->groups[PMU_PACKAGE], PMU_PACKAGE, "package", object);
	add_uncore(at, package->package, object);
	add_limits(at, CPUSET_NONE, package->package, object);
	return object;
}

json_t *sources_compare(struct sources *sources, const struct sources_reading *before,
			const struct sources_reading *after)
{
	struct comparison at = {
		.sources = sources,
		.before = before,
		.after = after,
		.seconds = (double)(after->now_ns - before->now_ns) / NS_PER_S,
	};
	json_t *cpus = json_array(), *packages = json_array(), *window = json_object();

	find_tsc(&at);
	figure_set(window, "seconds", at.seconds, 6, NULL);
	if (at.tsc_mhz > 0)
		figure_set(window, "tsc-mhz", at.tsc_mhz, 3, "PMU msr: tsc");
	else
		figure_lack(window, "tsc-mhz", at.tsc_missing);
	for (size_t i = 0; i < sources->n_cpus; i++)
		json_array_append_new(cpus, make_cpu(&at, i));
	for (size_t i = 0; i < sources->n_packages; i++)
		json_array_append_new(packages, make_package(&at, i));
	json_object_set_new(window, "cpus", cpus);
	json_object_set_new(window, "packages", packages);
	if (sources->is_short_of_memory) {
		json_decref(window);
		return NULL;
	}
	return window;
}
