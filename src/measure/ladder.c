// SPDX-License-Identifier: GPL-2.0-only
/* Judges the steps of measure ladder: a frequency counts only if nothing but the settings can have
 * limited it (measure.md, "jitter, ladder, why"). */
#include "measure/ladder.h"

#include <string.h>

#include "base/cleanup.h"
#include "measure/figure.h"

/* Reasons of PLR that begin so are a lack of power. */
#define PLR_POWER     "POWER"
#define HALF_STEP_MHZ 50

static uint32_t number_of(const json_t *object, const char *name)
{
	return (uint32_t)json_integer_value(json_object_get(object, name));
}

/* Adds a text, which it takes, if the array does not have it. */
static void add_once(json_t *array, json_t *text)
{
	const json_t *known;
	size_t i;
	bool is_known = false;

	json_array_foreach (array, i, known)
		is_known = is_known || json_equal(known, text);
	if (is_known)
		json_decref(text);
	else
		json_array_append_new(array, text);
}

const json_t *ladder_find_package(const json_t *window, const json_t *cpu)
{
	const uint32_t number = number_of(cpu, "package");
	const json_t *package;
	size_t i;

	json_array_foreach (json_object_get(window, "packages"), i, package) {
		if (number_of(package, "package") == number)
			return package;
	}
	return NULL;
}

const struct ladder_limit *ladder_find_limit(const struct ladder_rules *rules, uint32_t package)
{
	for (size_t i = 0; i < rules->n_limits; i++) {
		if (rules->limits[i].package == package)
			return &rules->limits[i];
	}
	return NULL;
}

static bool has_power_reason(const json_t *object)
{
	const json_t *reason;
	size_t i;

	json_array_foreach (json_object_get(object, "limits"), i, reason) {
		if (strncmp(json_string_value(reason), PLR_POWER, strlen(PLR_POWER)) == 0)
			return true;
	}
	return false;
}

bool ladder_power_is_limited(const json_t *window, const json_t *cpu,
			     const struct ladder_rules *rules)
{
	const json_t *package = ladder_find_package(window, cpu);
	const struct ladder_limit *limit = ladder_find_limit(rules, number_of(cpu, "package"));
	double watts;

	if (has_power_reason(cpu) || has_power_reason(package))
		return true;
	return limit && figure_get(package, "watts", &watts) == 0 &&
	       watts * 100 >= limit->watts * LADDER_POWER_PERCENT;
}

/* Why a CPU cannot be judged, power apart: a new text, or NULL if it can be. */
static json_t *find_reason(const json_t *cpu)
{
	double value;
	bool is_known = figure_get(cpu, "busy-percent", &value) == 0 ||
			figure_get(cpu, "load-cpu-percent", &value) == 0;

	if (json_is_null(json_object_get(cpu, "predicted-mhz")))
		return json_string(figure_reason(cpu, "predicted-mhz"));
	if (json_is_null(json_object_get(cpu, "mhz")))
		return json_string(figure_reason(cpu, "mhz"));
	if (is_known && value < LADDER_BUSY_PERCENT)
		return json_sprintf("a load had less than %.0f %% of its CPU", LADDER_BUSY_PERCENT);
	if (figure_get(cpu, "stolen-percent", &value) == 0 && value > LADDER_STOLEN_PERCENT)
		return json_sprintf("a hypervisor took more than %.0f %% of a CPU",
				    LADDER_STOLEN_PERCENT);
	return NULL;
}

/* The group of the promise of a CPU; a new one if it is the first with it. */
static json_t *find_group(json_t *groups, const json_t *cpu)
{
	json_t *promised = json_object_get(cpu, "predicted-mhz"), *group;
	double mhz;
	size_t i;

	json_array_foreach (groups, i, group) {
		if (json_equal(json_object_get(group, "promised-mhz"), promised))
			return group;
	}
	group = json_object();
	if (figure_get(cpu, "predicted-mhz", &mhz) == 0)
		figure_set(group, "promised-mhz", mhz, 1,
			   json_string_value(json_object_get(cpu, "predicted-mhz-source")));
	else
		figure_lack(group, "promised-mhz", figure_reason(cpu, "predicted-mhz"));
	figure_lack(group, "measured-mhz", figure_reason(cpu, "mhz"));
	json_object_set_new(group, "cpus", json_array());
	json_array_append_new(groups, group);
	return group;
}

/* Adds a CPU to the group of its promise, which shows the slowest one. */
static void add_to_group(json_t *groups, const json_t *cpu)
{
	json_t *group = find_group(groups, cpu);
	double mhz, slowest;

	json_array_append(json_object_get(group, "cpus"), json_object_get(cpu, "cpu"));
	if (figure_get(cpu, "mhz", &mhz) ||
	    (figure_get(group, "measured-mhz", &slowest) == 0 && slowest <= mhz))
		return;
	json_object_del(group, "measured-mhz-reason");
	figure_set(group, "measured-mhz", mhz, 1,
		   json_string_value(json_object_get(cpu, "mhz-source")));
	json_object_set(group, "slowest-cpu", json_object_get(cpu, "cpu"));
}

/* Adds the package of a CPU, once. */
static void add_package(json_t *packages, const json_t *window, const json_t *cpu,
			const struct ladder_rules *rules)
{
	const uint32_t number = number_of(cpu, "package");
	const struct ladder_limit *limit = ladder_find_limit(rules, number);
	const json_t *package = ladder_find_package(window, cpu);
	json_t *object;
	double watts;
	size_t i;

	json_array_foreach (packages, i, object) {
		if (number_of(object, "package") == number)
			return;
	}
	object = json_pack("{s:i}", "package", (int)number);
	if (figure_get(package, "watts", &watts) == 0)
		figure_set(object, "watts", watts, 3,
			   json_string_value(json_object_get(package, "watts-source")));
	else
		figure_lack(object, "watts", figure_reason(package, "watts") ?: "not measured");
	if (limit)
		figure_set(object, "limit-watts", limit->watts, 3, limit->source);
	else
		figure_lack(object, "limit-watts", "neither powercap nor the level has one");
	json_array_append_new(packages, object);
}

static bool passes(const json_t *cpu, const struct ladder_rules *rules)
{
	double promised, mhz;

	return figure_get(cpu, "predicted-mhz", &promised) == 0 &&
	       figure_get(cpu, "mhz", &mhz) == 0 &&
	       mhz * 100 >= promised * (100 - rules->tolerance_percent);
}

json_t *ladder_judge(const json_t *window, const struct cpuset *busy,
		     const struct ladder_rules *rules)
{
	json_t *reasons = json_array(), *groups = json_array(), *packages = json_array();
	json_t *not_judged = json_array(), *notes = json_array();
	const json_t *cpu;
	bool has_failed = false;
	int cores = 0;
	size_t i;

	json_array_foreach (json_object_get(window, "cpus"), i, cpu) {
		json_t *reason;

		if (!cpuset_has(busy, number_of(cpu, "cpu")))
			continue;
		cores++;
		add_to_group(groups, cpu);
		add_package(packages, window, cpu, rules);
		reason = find_reason(cpu);
		/* Power takes frequency: what is there all the same is proven. */
		if (!reason && ladder_power_is_limited(window, cpu, rules)) {
			reason = json_sprintf("power of package %u is at its limit",
					      number_of(cpu, "package"));
			if (passes(cpu, rules)) {
				add_once(notes, reason);
				continue;
			}
		}
		if (!reason) {
			has_failed = has_failed || !passes(cpu, rules);
			continue;
		}
		add_once(reasons, reason);
		json_array_append(not_judged, json_object_get(cpu, "cpu"));
	}
	return json_pack("{s:i, s:s, s:o, s:o, s:o, s:o, s:o}", "cores", cores, "result",
			 has_failed                     ? "fail"
			 : json_array_size(reasons) > 0 ? "not-judged"
							: "pass",
			 "reasons", reasons, "not-judged-cpus", not_judged, "notes", notes,
			 "groups", groups, "packages", packages);
}

const char *const ladder_readings[N_FREQUENCY_READINGS] = {
	[FREQUENCY_BY_DOMAIN] = "turbo counts by power domain",
	[FREQUENCY_BY_PACKAGE] = "turbo counts by package",
};

void ladder_find_counts(const json_t *window, const struct cpuset *busy,
			const struct ladder_rules *rules, size_t fits[N_FREQUENCY_READINGS])
{
	const json_t *cpu;
	size_t i;

	json_array_foreach (json_object_get(window, "cpus"), i, cpu) {
		const char *source =
			json_string_value(json_object_get(cpu, "predicted-high-mhz-source"));
		enum frequency_reading higher = FREQUENCY_BY_PACKAGE;
		json_t *reason;
		double low, mhz;

		if (!cpuset_has(busy, number_of(cpu, "cpu")) || !source ||
		    figure_get(cpu, "predicted-mhz", &low) || figure_get(cpu, "mhz", &mhz))
			continue;
		reason = find_reason(cpu);
		json_decref(reason);
		if (reason)
			continue;
		if (strcmp(source, ladder_readings[FREQUENCY_BY_DOMAIN]) == 0)
			higher = FREQUENCY_BY_DOMAIN;
		/* more than the lower one allows proves the other */
		if (mhz > low + HALF_STEP_MHZ && mhz * 100 > low * (100 + rules->tolerance_percent))
			fits[higher]++;
		else if (passes(cpu, rules) && !ladder_power_is_limited(window, cpu, rules))
			fits[N_FREQUENCY_READINGS - 1 - higher]++;
	}
}
