// SPDX-License-Identifier: GPL-2.0-only
/* The files of a measurement: idle states, throttling, power zones, temperatures, uncore
 * frequencies, stolen time, and why the hardware limits frequencies (measure.md, "Sources, rights,
 * traps"). */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "host/cpuidle.h"
#include "instruments/limit_reasons.h"
#include "instruments/powercap.h"
#include "instruments/workload.h"
#include "measure/parts.h"

#define POWERCAP "/sys/class/powercap"
#define HWMON    "/sys/class/hwmon"
#define STAT     "/proc/stat"

/* Larger values are no valid temperatures and frequencies. */
#define MOST_MILLIDEGREES 1000000
#define MOST_KHZ          100000000

const char *const sources_idle_files[IDLE_FILES] = {
	[IDLE_USAGE] = "usage", [IDLE_TIME] = "time",         [IDLE_ABOVE] = "above",
	[IDLE_BELOW] = "below", [IDLE_REJECTED] = "rejected",
};
const char *const sources_throttle_files[THROTTLE_FILES] = {
	[THROTTLE_COUNT] = "count",
	[THROTTLE_MS] = "total_time_ms",
};

/* Reads a counter or a value. A value above most is refused: no counter comes near 2^63. */
static int read_count(struct files *files, const char *path, uint64_t most, uint64_t *ret_value)
{
	uint64_t value;
	int err = files_read_number(files, path, &value);

	if (err)
		return err;
	if (value > most)
		return -ERANGE;
	*ret_value = value;
	return 0;
}

static int read_line(struct files *files, const char *directory, const char *name, char **ret_text)
{
	_cleanup_free_ char *path = text_format("%s/%s", directory, name);

	return path ? files_read_line(files, path, ret_text) : -ENOMEM;
}

/* Reads the names of the idle states. On a hybrid machine, other core types may have other names;
 * their states are identified by their numbers. */
static int find_idle(struct sources *sources)
{
	_cleanup_cpuidle_cpu_ struct cpuidle_cpu first = { 0 };
	int err;

	if (sources->n_cpus == 0)
		return 0;
	err = cpuidle_read_names(sources->files, sources->cpus[0].cpu, &first);
	if (err == -ENOMEM)
		return err;
	if (err) {
		sources->idle_missing =
			err == -ENOENT
				? sources_keep(sources, "the kernel has no idle states")
				: sources_keep_error(
					  sources,
					  files_cpu_path(sources->cpus[0].cpu, "cpuidle").text,
					  err);
		return 0;
	}
	if (first.n_states > WAKE_STATES)
		first.n_states = WAKE_STATES;
	sources->idle.names = calloc(first.n_states, sizeof(*sources->idle.names));
	if (!sources->idle.names)
		return -ENOMEM;
	for (size_t i = 0; i < first.n_states; i++) {
		sources->idle.names[i] = steal(first.states[i].name);
		printable_clean(sources->idle.names[i], strlen(sources->idle.names[i]));
	}
	sources->idle.count = first.n_states;
	sources->idle_past =
		calloc(sources->n_cpus * first.n_states + 1, sizeof(*sources->idle_past));
	return sources->idle_past ? 0 : -ENOMEM;
}

/* Adds a zone of a package to its list. Returns 0, -E2BIG or -ENOMEM. */
static int add_zone(struct sources *sources, struct energy_zone *zones, size_t *n_zones,
		    const char *name)
{
	struct energy_zone *zone = &zones[*n_zones];
	_cleanup_free_ char *range = NULL;
	int err;

	if (*n_zones == MAX_ZONES)
		return -E2BIG;
	range = power_zone_path(name, "max_energy_range_uj");
	zone->path = power_zone_path(name, "energy_uj");
	if (!range || !zone->path)
		return -ENOMEM;
	(*n_zones)++;
	err = read_count(sources->files, range, INT64_MAX, &zone->range_uj);
	if (!err && zone->range_uj == 0)
		err = -ERANGE;
	if (err == -ENOMEM)
		return err;
	if (err) {
		zone->missing = sources_keep_error(sources, range, err);
		return 0;
	}
	err = read_count(sources->files, zone->path, zone->range_uj, &zone->last_uj);
	if (err && err != -ENOMEM)
		zone->missing = sources_keep_error(sources, zone->path, err);
	return err == -ENOMEM ? err : 0;
}

/* The package with this number, if it is measured; or NULL. */
static struct package_source *find_package(struct sources *sources, uint32_t number)
{
	for (size_t i = 0; i < sources->n_packages; i++) {
		if (sources->packages[i].package == number)
			return &sources->packages[i];
	}
	return NULL;
}

/* Removes the power of all packages: a zone has no known package, or one has too many zones. */
static void lose_zones(struct sources *sources, const char *zone, int err)
{
	_cleanup_free_ char *path = power_zone_path(zone, "name");

	for (size_t i = 0; i < sources->n_packages; i++)
		sources->packages[i].zones_missing = sources_keep_error(sources, path ?: zone, err);
}

/* Adds a zone if its package is measured. Returns 0, -E2BIG, or -ENOMEM. */
static int take_place(struct sources *sources, const struct power_zone *place)
{
	struct package_source *package =
		place->kind == POWER_PSYS ? NULL : find_package(sources, place->package);

	if (!package || !sources_may_ask(sources, package))
		return 0;
	if (place->kind == POWER_DRAM)
		return add_zone(sources, package->dram_zones, &package->n_dram_zones, place->zone);
	return add_zone(sources, package->zones, &package->n_zones, place->zone);
}

/* Finds the zones of packages of one control type. Returns 0 or a negative errno of listing. */
static int find_zones(struct sources *sources, const char *type)
{
	_cleanup_power_zones_ struct power_zones places = { 0 };
	int err = power_zones_list(sources->files, type, &places);

	if (err)
		return err;
	for (size_t i = 0; i < places.count; i++) {
		const struct power_zone *place = &places.list[i];

		/* the power of the package does not need an unknown part */
		if (place->error && place->is_part)
			continue;
		err = place->error ?: take_place(sources, place);
		if (err == -ENOMEM)
			return err;
		if (err)
			lose_zones(sources, place->zone, err);
	}
	return 0;
}

/* Finds the power zones, for machines without a PMU for power, and for kernels whose PMU loses
 * counts. Both control types count the same energy, so the second one is only a fallback. */
static int find_power(struct sources *sources)
{
	static const char *const types[] = { POWER_RAPL, POWER_RAPL_MMIO };
	size_t found = 0;
	int err = 0;

	for (size_t i = 0; i < sources->n_packages; i++) {
		size_t group = sources->packages[i].groups[PMU_POWER];

		if (group != NO_GROUP && sources->groups[group].leader >= 0)
			sources->has_pmu_power = true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(types) && !err && found == 0; i++) {
		err = find_zones(sources, types[i]);
		for (size_t j = 0; j < sources->n_packages; j++)
			found += sources->packages[j].n_zones || sources->packages[j].zones_missing;
	}
	sources->zones_missing =
		err ? sources_keep_error(sources, POWERCAP, err)
		    : sources_keep(sources, POWERCAP " has no zone of the package");
	return err == -ENOMEM ? err : 0;
}

/* Takes the temperature of the package that the label of a sensor names. */
static int take_sensor(struct sources *sources, const char *directory)
{
	_cleanup_free_ char *name = NULL, *label = NULL;
	uint64_t number;
	const char *text;
	int err = read_line(sources->files, directory, "name", &name);

	if (err || strcmp(name, "coretemp") != 0)
		return err == -ENOMEM ? err : 0;
	err = read_line(sources->files, directory, "temp1_label", &label);
	if (err || strncmp(label, "Package id ", strlen("Package id ")) != 0)
		return err == -ENOMEM ? err : 0;
	text = label + strlen("Package id ");
	if (number_parse(text, 0, UINT32_MAX, &number))
		return 0;
	for (size_t i = 0; i < sources->n_packages; i++) {
		struct package_source *package = &sources->packages[i];

		if (package->package != number || package->degrees_path)
			continue;
		package->degrees_path = text_format("%s/temp1_input", directory);
		if (!package->degrees_path)
			return -ENOMEM;
	}
	return 0;
}

/* Finds the sensors of the packages. Reading a sensor interrupts the first CPU of its package. */
static int find_degrees(struct sources *sources)
{
	char **names;
	int err = files_list(sources->files, HWMON, &names), list_error = err;

	for (char **name = err ? NULL : names; name && *name && !err; name++) {
		_cleanup_free_ char *directory = text_format(HWMON "/%s", *name);

		err = directory ? take_sensor(sources, directory) : -ENOMEM;
	}
	if (!list_error)
		files_free_names(&names);
	if (err == -ENOMEM)
		return err;
	for (size_t i = 0; i < sources->n_packages; i++) {
		struct package_source *package = &sources->packages[i];

		if (list_error)
			package->degrees_missing = sources_keep_error(sources, HWMON, list_error);
		else if (!package->degrees_path)
			package->degrees_missing = sources_keep(
				sources, HWMON " has no sensor coretemp of the package");
		else if (!sources_may_ask(sources, package))
			package->degrees_missing =
				sources_keep(sources,
					     "CPU %u, which is isolated, would be interrupted",
					     package->first_cpu);
	}
	return 0;
}

static int find_uncore(struct sources *sources)
{
	int err;

	for (size_t i = 0; i < sources->n_packages; i++) {
		if (sources_may_ask(sources, &sources->packages[i]))
			continue;
		sources->uncore_missing =
			sources_keep(sources, "CPU %u, which is isolated, would be interrupted",
				     sources->packages[i].first_cpu);
		return 0;
	}
	err = uncore_read_units(sources->files, false, &sources->uncore);
	if (err == -ENOMEM)
		return err;
	if (err == -ENOENT)
		sources->uncore_missing =
			sources_keep(sources, "the kernel shows no uncore frequencies");
	else if (err)
		sources->uncore_missing =
			sources_keep_error(sources, FILES_CPUS "/intel_uncore_frequency", err);
	return 0;
}

static int find_limits(struct sources *sources)
{
	int err = limit_reasons_find(sources->files, &sources->limit_paths);

	if (err && err != -ENOENT) {
		sources->limits_missing = sources_keep_error(sources, LIMIT_REASONS_DIRECTORY, err);
		return err == -ENOMEM ? err : 0;
	}
	if (err || !sources->limit_paths[0])
		sources->limits_missing = sources_keep(sources, SOURCES_NO_LIMITS
						       " (" LIMIT_REASONS_DIRECTORY "/tpmi-*/plr)");
	return 0;
}

int sources_find_files(struct sources *sources)
{
	int err = find_idle(sources);

	if (!err)
		err = find_power(sources);
	if (!err)
		err = find_degrees(sources);
	if (!err)
		err = find_uncore(sources);
	if (!err && sources->options.with_limits)
		err = find_limits(sources);
	return err;
}

void sources_free_files(struct sources *sources)
{
	for (size_t i = 0; i < sources->idle.count; i++)
		free(sources->idle.names[i]);
	free(sources->idle.names);
	free(sources->idle_past);
	for (size_t i = 0; i < sources->n_packages; i++) {
		struct package_source *package = &sources->packages[i];

		for (size_t j = 0; j < MAX_ZONES; j++) {
			free(package->zones[j].path);
			free(package->dram_zones[j].path);
		}
		free(package->degrees_path);
	}
	uncore_units_done(&sources->uncore);
	files_free_names(&sources->limit_paths);
}

/* Returns true if the time of an idle state need not be read again: the kernel adds to the time
 * only together with the count, and the count has not changed. */
static bool is_still(const struct idle_past *past, const struct idle_reading *state)
{
	return past->is_still && !state->errors[IDLE_USAGE] &&
	       state->counts[IDLE_USAGE] == past->usage;
}

static void keep_idle(struct idle_past *past, const struct idle_reading *state)
{
	const bool is_known = !state->errors[IDLE_USAGE] && !state->errors[IDLE_TIME];

	*past = (struct idle_past){
		.usage = state->counts[IDLE_USAGE],
		.time_us = state->counts[IDLE_TIME],
		.is_known = is_known,
		.is_still = is_known && past->is_known &&
			    past->usage == state->counts[IDLE_USAGE] &&
			    past->time_us == state->counts[IDLE_TIME],
	};
}

static void read_idle_state(struct sources *sources, uint32_t cpu, size_t number,
			    struct idle_past *past, struct idle_reading *state)
{
	const size_t n_files = sources->options.with_details ? IDLE_FILES : IDLE_TIME + 1;

	for (size_t i = 0; i < n_files; i++) {
		int err;

		state->errors[i] = -ENOENT;
		if ((i == IDLE_REJECTED && sources->lacks_rejected) ||
		    (i > IDLE_TIME && i < IDLE_REJECTED && sources->lacks_idle_details))
			continue;
		if (i == IDLE_TIME && is_still(past, state)) {
			state->counts[i] = past->time_us;
			state->errors[i] = 0;
			continue;
		}
		err = read_count(sources->files,
				 files_cpu_path(cpu, "cpuidle/state%zu/%s", number,
						sources_idle_files[i])
					 .text,
				 INT64_MAX, &state->counts[i]);
		state->errors[i] = err;
		/* an older kernel: no CPU has this file */
		if (err == -ENOENT && i == IDLE_REJECTED)
			sources->lacks_rejected = true;
		else if (err == -ENOENT && i > IDLE_TIME)
			sources->lacks_idle_details = true;
	}
	keep_idle(past, state);
}

/* Reads how often and how long a CPU or its package was throttled. */
static void read_throttle(struct sources *sources, uint32_t cpu, const char *of,
			  struct count_reading readings[THROTTLE_FILES])
{
	for (size_t i = 0; i < THROTTLE_FILES; i++) {
		if (i > 0 && readings[0].error == -ENOENT) {
			readings[i].error = -ENOENT;
			continue;
		}
		readings[i].error =
			read_count(sources->files,
				   files_cpu_path(cpu, "thermal_throttle/%s_throttle_%s", of,
						  sources_throttle_files[i])
					   .text,
				   INT64_MAX, &readings[i].value);
	}
}

/* Adds up the energy that the zones of a package used since they were found. */
static void read_zones(struct sources *sources, struct energy_zone *zones, size_t n_zones,
		       struct count_reading *ret_total)
{
	struct count_reading total = { .error = n_zones ? 0 : -ENOENT };

	for (size_t i = 0; i < n_zones; i++) {
		struct energy_zone *zone = &zones[i];
		uint64_t now_uj;
		int err = zone->missing
				  ? -ENODATA
				  : read_count(sources->files, zone->path, zone->range_uj, &now_uj);

		if (err) {
			if (!zone->missing)
				zone->missing = sources_keep_error(sources, zone->path, err);
			total.error = err;
			continue;
		}
		zone->total_uj += power_count_uj(zone->last_uj, now_uj, zone->range_uj);
		zone->last_uj = now_uj;
		total.value += zone->total_uj;
	}
	*ret_total = total;
}

static void read_packages(struct sources *sources, struct sources_reading *reading)
{
	for (size_t i = 0; i < sources->n_packages; i++) {
		struct package_source *package = &sources->packages[i];
		struct package_reading *to = &reading->packages[i];

		read_throttle(sources, package->first_cpu, "package", to->throttle);
		to->energy.now_ns = sources->workload->ops->now_ns(sources->workload);
		read_zones(sources, package->zones, package->n_zones, &to->energy.package);
		read_zones(sources, package->dram_zones, package->n_dram_zones, &to->energy.dram);
		if (!package->degrees_missing)
			to->degrees.error = read_count(sources->files, package->degrees_path,
						       MOST_MILLIDEGREES, &to->degrees.value);
	}
}

void sources_keep_up(struct sources *sources)
{
	for (size_t i = 0; i < sources->n_packages; i++) {
		struct package_source *package = &sources->packages[i];
		struct count_reading unused;

		read_zones(sources, package->zones, package->n_zones, &unused);
		read_zones(sources, package->dram_zones, package->n_dram_zones, &unused);
	}
	sources_watch_power(sources);
}

static void read_uncore(struct sources *sources, struct count_reading *readings)
{
	for (size_t i = 0; i < sources->uncore.count; i++) {
		_cleanup_free_ char *path =
			text_format("%s/current_freq_khz", sources->uncore.units[i].path);

		readings[i].error =
			path ? read_count(sources->files, path, MOST_KHZ, &readings[i].value)
			     : -ENOMEM;
	}
}

#define STAT_FIELDS 8 /* up to steal; guest time is in user time */
#define MOST_TICKS  (INT64_MAX / STAT_FIELDS)

/* Reads the times of one CPU: "cpu3 1 2 3 4 5 6 7 8 0 0". Returns true if the line has this
 * form. */
static bool parse_stat(const char *line, uint32_t *ret_cpu, uint64_t *ret_stolen, uint64_t *ret_all)
{
	uint64_t number, all = 0;

	line += strlen("cpu");
	if (number_parse_digits(&line, 10, &number) || number > CPUSET_MAX_CPU)
		return false;
	*ret_cpu = (uint32_t)number;
	for (int i = 0; i < STAT_FIELDS; i++) {
		line += strspn(line, " ");
		if (number_parse_digits(&line, 10, &number) || number > MOST_TICKS)
			return false;
		all += number;
	}
	*ret_stolen = number;
	*ret_all = all;
	return true;
}

/* Reads the time that a hypervisor took from each CPU. Returns 0 or -ENOMEM. */
static int read_stolen(struct sources *sources, struct sources_reading *reading)
{
	_cleanup_free_ char *text = NULL;
	size_t length, at = 0;
	int err = sources->files->ops->read(sources->files, STAT, 0, &text, &length);
	char *rest = text;

	for (size_t i = 0; i < sources->n_cpus; i++)
		reading->cpus[i].ticks.error = err ? err : -EINVAL;
	for (char *line; !err && (line = strsep(&rest, "\n")) && at < sources->n_cpus;) {
		uint64_t stolen, all;
		uint32_t cpu;

		if (strncmp(line, "cpu", strlen("cpu")) != 0 ||
		    !parse_stat(line, &cpu, &stolen, &all))
			continue;
		while (at < sources->n_cpus && sources->cpus[at].cpu < cpu)
			at++;
		if (at == sources->n_cpus || sources->cpus[at].cpu != cpu)
			continue;
		reading->cpus[at].ticks = (struct count_reading){ .value = all };
		reading->cpus[at].stolen_ticks = (struct count_reading){ .value = stolen };
	}
	return err == -ENOMEM ? err : 0;
}

/* The package of the CPUs of a power domain. */
static uint32_t package_of_limits(const struct sources *sources,
				  const struct limit_reasons *reasons)
{
	const struct topology *topology = &sources->options.machine->topology;
	uint32_t package = LOCATION_NO_PACKAGE;

	for (size_t i = 0; i < reasons->count; i++) {
		uint32_t cpu = reasons->list[i].cpu;

		if (cpu != CPUSET_NONE && cpuset_has(&topology->placed, cpu))
			package = topology->places[cpu].package;
	}
	return package;
}

/* Reads the reasons of one power domain. */
static int read_limits(struct sources *sources, struct sources_reading *reading, size_t file)
{
	_cleanup_limit_reasons_ struct limit_reasons reasons = { 0 };
	int err = limit_reasons_read(sources->files, sources->limit_paths[file], &reasons);
	uint32_t package = package_of_limits(sources, &reasons);

	if (err && !reading->limits_error) {
		reading->limits_error = err;
		reading->limits_file = file;
	}
	for (size_t i = 0; i < reasons.count; i++) {
		struct limit_line *line = &reasons.list[i];
		struct limit_reading *limit =
			array_add(&reading->limits, &reading->n_limits, sizeof(*limit));

		if (!limit)
			return -ENOMEM;
		*limit = (struct limit_reading){
			.file = file, .cpu = line->cpu, .package = package, .reasons = line->reasons
		};
		line->reasons = NULL;
	}
	return err == -ENOMEM ? err : 0;
}

int sources_read_files(struct sources *sources, struct sources_reading *reading)
{
	int err = 0;

	for (size_t i = 0; i < sources->n_cpus; i++) {
		const uint32_t cpu = sources->cpus[i].cpu;
		struct cpu_reading *to = &reading->cpus[i];

		for (size_t j = 0; j < sources->idle.count; j++)
			read_idle_state(sources, cpu, j,
					&sources->idle_past[i * sources->idle.count + j],
					&to->idle[j]);
		/* if the first CPU has no such files, no other CPU has them */
		if (i > 0 && reading->cpus[0].throttle[THROTTLE_COUNT].error == -ENOENT)
			memcpy(to->throttle, reading->cpus[0].throttle, sizeof(to->throttle));
		else
			read_throttle(sources, cpu, "core", to->throttle);
	}
	read_packages(sources, reading);
	read_uncore(sources, reading->uncore_khz);
	if (sources->options.with_stolen)
		err = read_stolen(sources, reading);
	reading->limits_are_clear = sources->options.limits_are_clear;
	sources->options.limits_are_clear = false; /* only for the first reading */
	if (reading->limits_are_clear)
		return err;
	for (size_t i = 0; sources->limit_paths && sources->limit_paths[i] && !err; i++)
		err = read_limits(sources, reading, i);
	return err;
}
