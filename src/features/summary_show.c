// SPDX-License-Identifier: GPL-2.0-only
/* The text of machine summary: lines and tables made of its tree. */
#include "features/summary.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/screen.h"

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static json_int_t number_of(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void put_processor(struct screen *screen, const json_t *tree)
{
	const json_t *processor = json_object_get(tree, "processor");
	const json_t *cpus = json_object_get(tree, "cpus"),
		     *driver = json_object_get(tree, "driver");
	json_int_t count = number_of(cpus, "cpus"), online = number_of(cpus, "online");
	int packages = (int)number_of(cpus, "packages");
	const char *name = text_of(processor, "name");

	screen_put_format(screen, "Processor", "%s (family %d, model %d, stepping %d)",
			  *name ? name : "unknown", (int)number_of(processor, "family"),
			  (int)number_of(processor, "model"),
			  (int)number_of(processor, "stepping"));
	if (online == count)
		screen_put_format(screen, "CPUs", "%d package%s, %d cores, %d CPUs, all online",
				  packages, packages == 1 ? "" : "s", (int)number_of(cpus, "cores"),
				  (int)count);
	else
		screen_put_format(screen, "CPUs",
				  "%d package%s, %d cores, %d of %d CPUs online; offline %s",
				  packages, packages == 1 ? "" : "s", (int)number_of(cpus, "cores"),
				  (int)online, (int)count, text_of(cpus, "offline-cpus"));
	if (text_of(driver, "interface"))
		screen_put_format(screen, "Driver",
				  "Speed Select by %s, API version %d, driver version %d",
				  text_of(driver, "interface"),
				  (int)number_of(driver, "api-version"),
				  (int)number_of(driver, "driver-version"));
	else
		screen_put_format(screen, "Driver", "none: %s", text_of(driver, "reason"));
}

/* Makes sets of the packages and the power domains of a row's places. Returns whether all of these
 * power domains of all of these packages are in the row. */
static bool read_places(const json_t *row, struct cpuset *packages, struct cpuset *domains)
{
	const json_t *places = json_object_get(row, "places"), *place;
	unsigned int package, domain;
	size_t i;

	json_array_foreach (places, i, place) {
		const char *name = json_string_value(place);
		int found = sscanf(name, "package-%u powerdomain-%u", &package, &domain);

		if (found == 1)
			found = sscanf(name, "package-%u die-%u", &package, &domain);
		if (strstr(name, "cluster"))
			return false;

		if ((found >= 1 && cpuset_add(packages, package)) ||
		    (found == 2 && cpuset_add(domains, domain)))
			return false;
	}
	return cpuset_count(packages) * (cpuset_count(domains) ?: 1) == json_array_size(places);
}

static char *format_packages(const json_t *row)
{
	_cleanup_cpuset_ struct cpuset packages = { 0 }, domains = { 0 };

	if (!read_places(row, &packages, &domains))
		return screen_format_value(json_object_get(row, "places"));
	return cpuset_format_ranges(&packages);
}

static char *format_domains(const json_t *row)
{
	_cleanup_cpuset_ struct cpuset packages = { 0 }, domains = { 0 };

	if (!read_places(row, &packages, &domains) || cpuset_is_empty(&domains))
		return NULL;
	return cpuset_format_ranges(&domains);
}

static char *format_level(const json_t *row)
{
	return text_format("%d%s", (int)number_of(row, "level"),
			   json_is_true(json_object_get(row, "now")) ? " now" : "");
}

static char *format_base_freq(const json_t *row)
{
	const json_t *base_freq = json_object_get(row, "base-freq");

	if (!json_is_object(base_freq))
		return NULL;
	return text_format("%d at %d, others %d", (int)number_of(base_freq, "high-priority-cores"),
			   (int)number_of(base_freq, "high-mhz"),
			   (int)number_of(base_freq, "low-mhz"));
}

static char *format_base_freq_short(const json_t *row)
{
	const json_t *base_freq = json_object_get(row, "base-freq");

	if (!json_is_object(base_freq))
		return NULL;
	return text_format("%d at %d", (int)number_of(base_freq, "high-priority-cores"),
			   (int)number_of(base_freq, "high-mhz"));
}

static char *format_turbo_freq(const json_t *row)
{
	const json_t *turbo_freq = json_object_get(row, "turbo-freq"), *bucket;
	const char *unit =
		json_is_true(json_object_get(turbo_freq, "counts-modules")) ? " modules" : "";
	_cleanup_buffer_ struct buffer text = { 0 };
	size_t i;

	if (!json_is_object(turbo_freq))
		return NULL;
	json_array_foreach (json_object_get(turbo_freq, "buckets"), i, bucket) {
		_cleanup_free_ char *part =
			text_format("%s%d%s at %d", i ? ", " : "", (int)number_of(bucket, "cores"),
				    unit, (int)number_of(bucket, "mhz"));

		buffer_append_string(&text, part ?: "");
	}
	if (number_of(turbo_freq, "low-priority-mhz")) {
		_cleanup_free_ char *part =
			text_format(", others %d", (int)number_of(turbo_freq, "low-priority-mhz"));

		buffer_append_string(&text, part ?: "");
	}
	return buffer_steal(&text, NULL);
}

static char *format_turbo_freq_short(const json_t *row)
{
	const json_t *turbo_freq = json_object_get(row, "turbo-freq");
	const json_t *bucket = json_array_get(json_object_get(turbo_freq, "buckets"), 0);

	if (!bucket)
		return NULL;
	return text_format("%d at %d", (int)number_of(bucket, "cores"),
			   (int)number_of(bucket, "mhz"));
}

static char *format_locked(const json_t *row)
{
	return strdup(json_is_true(json_object_get(row, "locked")) ? "yes" : "no");
}

/* With its type of priority if it is on. */
static char *format_core_power(const json_t *row)
{
	const json_t *power = json_object_get(row, "core-power");
	const json_t *clos = json_object_get(row, "clos");

	if (json_is_null(power))
		return NULL;
	if (!json_equal(power, clos))
		return text_format("%s, CLOS %s", json_is_true(power) ? "on" : "off",
				   json_is_true(clos) ? "on" : "off");
	return json_is_true(power) ? text_format("on, %s", text_of(row, "priority"))
				   : strdup("off");
}

static char *format_clos_max(const json_t *row)
{
	const json_t *max = json_object_get(row, "max-mhz");

	return json_is_null(max) ? strdup("no limit") : screen_format_value(max);
}

/* "800-3500" */
static char *format_range(const json_t *row, const char *low, const char *high)
{
	_cleanup_free_ char *min = screen_format_value(json_object_get(row, low));
	_cleanup_free_ char *max = screen_format_value(json_object_get(row, high));

	return min && max ? text_format("%s-%s", min, max) : NULL;
}

static char *format_limits(const json_t *row)
{
	return format_range(row, "min-mhz", "max-mhz");
}

static char *format_possible(const json_t *row)
{
	return format_range(row, "lowest-mhz", "highest-mhz");
}

static char *format_initial(const json_t *row)
{
	return format_range(row, "initial-min-mhz", "initial-max-mhz");
}

/* The core types of hybrid machines by their usual short names. */
static char *format_type(const json_t *row)
{
	static const struct {
		const char *name, *text;
	} types[] = {
		{ "performance", "P-core" },
		{ "efficient", "E-core" },
		{ "low-power", "LP-core" },
	};
	const char *type = text_of(row, "core-type");

	for (size_t i = 0; type && i < ARRAY_SIZE(types); i++) {
		if (strcmp(type, types[i].name) == 0)
			return strdup(types[i].text);
	}
	return NULL;
}

/* CPUs that share a frequency. */
static char *format_shared(const json_t *row)
{
	json_int_t count = number_of(row, "cpus-of-a-policy");

	return count > 1 ? text_format("by %d", (int)count) : NULL;
}

static char *format_forbidden(const json_t *row)
{
	const json_t *states = json_object_get(row, "forbidden");

	return json_array_size(states) ? screen_format_value(states) : NULL;
}

static const struct screen_column level_columns[] = {
	{ "package", .format = format_packages },
	{ "domain", .format = format_domains },
	{ "level", .format = format_level },
	{ "cores", .key = "cores" },
	{ "base", .key = "base-mhz" },
	{ "avx2", .key = "base-avx2-mhz", .rank = 7 },
	{ "avx512", .key = "base-avx512-mhz", .rank = 8 },
	{ "amx", .key = "base-amx-mhz", .rank = 9 },
	{ "turbo", .key = "turbo-mhz" },
	{ "all-core", .key = "all-core-turbo-mhz", .rank = 2 },
	{ "TDP W", .key = "tdp-w", .rank = 1 },
	{ "uncore", .key = "uncore-max-mhz", .rank = 5 },
	{ "memory", .key = "memory-mhz", .rank = 6 },
	{ "Tj C", .key = "tjunction-max-c", .rank = 10 },
	{ "SST-BF cores at MHz", .format = format_base_freq, .rank = 3 },
	{ "SST-BF", .format = format_base_freq_short, .instead_of = "SST-BF cores at MHz" },
	{ "SST-TF cores at MHz", .format = format_turbo_freq, .rank = 4 },
	{ "SST-TF", .format = format_turbo_freq_short, .instead_of = "SST-TF cores at MHz" },
};

static const struct screen_column switch_columns[] = {
	{ "package", .format = format_packages },
	{ "domain", .format = format_domains },
	{ "level", .key = "level" },
	{ "locked", .format = format_locked },
	{ "SST-BF", .key = "base-freq" },
	{ "SST-TF", .key = "turbo-freq" },
	{ "SST-CP", .format = format_core_power },
	{ "turbo ratios", .key = "turbo-ratio-limits", .rank = 2 },
};

static const struct screen_column clos_columns[] = {
	{ "package", .format = format_packages },
	{ "domain", .format = format_domains },
	{ "CLOS", .key = "clos" },
	{ "cores", .key = "cores" },
	{ "min", .key = "min-mhz" },
	{ "max", .format = format_clos_max },
	{ "weight", .key = "weight" },
	{ "EPP", .key = "epp" },
	{ "desired", .key = "desired-mhz" },
};

static const struct screen_column cpufreq_columns[] = {
	{ "count", .key = "count" },
	{ "type", .format = format_type },
	{ "up to", .key = "up-to-mhz" },
	{ "bound by", .key = "bound-by" },
	{ "base", .key = "base-mhz" },
	{ "limits", .format = format_limits },
	{ "possible", .format = format_possible, .rank = 4 },
	{ "governor", .key = "governor", .rank = 1 },
	{ "CLOS", .key = "clos" },
	{ "EPP", .key = "epp", .rank = 2 },
	{ "EPB", .key = "epb", .rank = 3 },
	{ "shared", .format = format_shared },
	{ "CPUs", .key = "cpus", .is_list = true },
};

static const struct screen_column idle_columns[] = {
	{ "count", .key = "count" },
	{ "type", .format = format_type },
	{ "deepest", .key = "deepest" },
	{ "forbidden", .format = format_forbidden },
	{ "latency limit us", .key = "qos-latency-us" },
	{ "CPUs", .key = "cpus", .is_list = true },
};

static const struct screen_column uncore_columns[] = {
	{ "package", .format = format_packages },
	{ "domain", .format = format_domains },
	{ "min", .key = "min-mhz" },
	{ "max", .key = "max-mhz" },
	{ "initial", .format = format_initial },
	{ "agents", .key = "agents", .rank = 1 },
};

static const struct screen_column power_columns[] = {
	{ "package", .format = format_packages }, { "long term", .key = "long-term-w" },
	{ "short term", .key = "short-term-w" },  { "peak", .key = "peak-w" },
	{ "enabled", .key = "enabled" },
};

/* A table of the first rows, and where to find the others. */
static void put_first(struct screen *screen, const char *label, const json_t *rows, size_t most,
		      const struct screen_column *columns, size_t n_columns, const char *command)
{
	size_t count = json_array_size(rows);
	json_t *first = json_array();

	for (size_t i = 0; i < count && i < most; i++)
		json_array_append(first, json_array_get(rows, i));
	screen_put_table(screen, label, first, columns, n_columns);
	json_decref(first);
	if (count > most)
		screen_put_format(screen, NULL, "and %zu more lines: %s shows all", count - most,
				  command);
}

#define PUT_FIRST(screen, label, rows, most, columns, command) \
	put_first(screen, label, rows, most, columns, ARRAY_SIZE(columns), command)

/* "base 2400, up to 3100 MHz" */
static char *format_speed(const json_t *group)
{
	_cleanup_free_ char *base = screen_format_value(json_object_get(group, "base-mhz"));
	_cleanup_free_ char *up_to = screen_format_value(json_object_get(group, "up-to-mhz"));

	return base ? text_format("base %s, up to %s MHz", base, up_to ?: "unknown")
		    : text_format("up to %s MHz", up_to ?: "unknown");
}

/* Which CPUs are faster than others, and by what. The groups are in order, the fastest first. */
static void put_fast(struct screen *screen, const json_t *groups)
{
	const json_t *first = json_array_get(groups, 0), *group;
	const json_t *last = json_array_get(groups, json_array_size(groups) - 1);
	_cleanup_free_ char *fastest = format_speed(first), *slowest = format_speed(last);
	const char *by = text_of(first, "fast-by");
	json_int_t count = 0;
	size_t i;

	if (!fastest || !slowest)
		return;
	json_array_foreach (groups, i, group) {
		_cleanup_free_ char *speed = format_speed(group);

		if (speed && strcmp(speed, fastest) == 0 &&
		    json_equal(json_object_get(group, "fast-by"),
			       json_object_get(first, "fast-by")))
			count += number_of(group, "count");
	}
	if (strcmp(fastest, slowest) == 0)
		screen_put_format(screen, "Fast CPUs", "none: all have %s", fastest);
	else if (by)
		screen_put_format(screen, "Fast CPUs",
				  "%d by %s (first below): %s; the slowest: %s", (int)count, by,
				  fastest, slowest);
	else
		screen_put_format(screen, "Fast CPUs",
				  "none by Speed Select, but limits differ: %s; the slowest: %s",
				  fastest, slowest);
}

static void put_cpufreq(struct screen *screen, const json_t *cpufreq, size_t most)
{
	const json_t *groups = json_object_get(cpufreq, "groups");
	const json_t *turbo = json_object_get(cpufreq, "turbo");
	_cleanup_free_ char *max = screen_format_value(json_object_get(cpufreq, "max-pct"));

	if (!json_is_object(cpufreq)) {
		screen_put(screen, "Frequency", "no cpufreq driver");
		return;
	}
	screen_put_format(screen, "Turbo", "%s%s%s%s%s",
			  json_is_null(turbo)   ? "not known"
			  : json_is_true(turbo) ? "allowed"
						: "off",
			  text_of(cpufreq, "pstate") ? "; intel_pstate " : "",
			  text_of(cpufreq, "pstate") ?: "",
			  max && strcmp(max, "100") != 0 ? "; max_perf_pct " : "",
			  max && strcmp(max, "100") != 0 ? max : "");
	put_fast(screen, groups);
	PUT_FIRST(screen, "CPUs, MHz", groups, most, cpufreq_columns, "isst cpufreq info");
}

static const char *switch_word(const json_t *value)
{
	return json_is_true(value) ? "allowed" : "off";
}

static void put_cpuidle(struct screen *screen, const json_t *cpuidle, size_t most)
{
	const json_t *groups = json_object_get(cpuidle, "groups");
	const json_t *first = json_array_get(groups, 0);
	const json_t *c02 = json_object_get(cpuidle, "c02");
	_cleanup_free_ char *states = NULL;

	if (!json_is_object(cpuidle)) {
		screen_put(screen, "Idle states", "no cpuidle driver");
		return;
	}
	states = screen_format_value(json_object_get(cpuidle, "states"));
	screen_put_format(screen, "Idle states", "%s%s%s%s%s", states ?: "",
			  json_array_size(groups) == 1 ? "; deepest on all CPUs: " : "",
			  json_array_size(groups) == 1 ? text_of(first, "deepest") ?: "none" : "",
			  json_is_null(c02) ? "" : "; C0.2 ",
			  json_is_null(c02) ? "" : switch_word(c02));
	if (json_array_size(groups) > 1 || json_array_size(json_object_get(first, "forbidden")) ||
	    !json_is_null(json_object_get(first, "qos-latency-us")))
		PUT_FIRST(screen, NULL, groups, most, idle_columns, "isst cpuidle info");
}

static void put_clos(struct screen *screen, const json_t *tree, size_t most)
{
	json_t *used = json_array(), *row;
	size_t i;

	json_array_foreach (json_object_get(tree, "clos"), i, row) {
		if (number_of(row, "cores"))
			json_array_append(used, row);
	}
	PUT_FIRST(screen, "CLOS, MHz", used, most, clos_columns, "isst core-power get-config");
	json_decref(used);
}

static void put_findings(struct screen *screen, const json_t *tree, bool has_remedies)
{
	const json_t *findings = json_object_get(tree, "stands-out"), *finding;
	bool is_complete = json_array_size(json_object_get(tree, "not-read")) == 0;
	size_t i;

	json_array_foreach (findings, i, finding) {
		const char *remedy = has_remedies ? text_of(finding, "remedy") : NULL;

		screen_put_format(screen, i ? NULL : "Stands out", "! %s%s%s",
				  text_of(finding, "message"), remedy ? ". Remedy: " : "",
				  remedy ?: "");
	}
	if (json_array_size(findings) == 0)
		screen_put(screen, "Stands out",
			   is_complete ? "nothing" : "nothing, of what could be read");
	else if (!has_remedies)
		screen_put(screen, NULL, "Remedies: isst --json machine summary");
}

/* How much of long tables and lists is shown: less and less, until the text fits a screen. */
static const struct amount {
	unsigned int list_lines; /* of a list of CPUs; 0: all */
	size_t groups; /* rows of CPUs and of CLOS */
	size_t others; /* rows of other tables */
	bool has_remedies;
} amounts[] = {
	{ 0, 8, 6, true },
	{ 2, 8, 6, true },
	{ 1, 6, 4, true },
	{ 1, 3, 2, false },
};

#define MOST_LINES 40

static char *format(const json_t *tree, unsigned int width, const struct amount *amount)
{
	_cleanup_screen_ struct screen screen = { .width = width,
						  .list_lines = amount->list_lines };
	const json_t *uncore = json_object_get(tree, "uncore");
	const json_t *power = json_object_get(tree, "power-limits"), *item;
	size_t i;

	put_processor(&screen, tree);
	PUT_FIRST(&screen, "Speed Select", json_object_get(tree, "speed-select"), amount->others,
		  switch_columns, "isst perf-profile info");
	PUT_FIRST(&screen, "Levels, MHz", json_object_get(tree, "levels"), SIZE_MAX, level_columns,
		  NULL);
	put_clos(&screen, tree, amount->groups);
	put_cpufreq(&screen, json_object_get(tree, "cpufreq"), amount->groups);
	put_cpuidle(&screen, json_object_get(tree, "cpuidle"), amount->others);
	if (json_is_array(uncore))
		PUT_FIRST(&screen, "Uncore, MHz", uncore, amount->others, uncore_columns,
			  "isst uncore info");
	if (json_is_array(power))
		PUT_FIRST(&screen, "Power, W", power, amount->others, power_columns,
			  "isst --json machine summary");
	json_array_foreach (json_object_get(tree, "not-read"), i, item)
		screen_put(&screen, i ? NULL : "Not read", json_string_value(item));
	put_findings(&screen, tree, amount->has_remedies);
	return buffer_steal(&screen.text, NULL);
}

char *summary_format(const json_t *tree, unsigned int width)
{
	char *text = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(amounts); i++) {
		size_t n_lines = 0;

		free(text);
		text = format(tree, width, &amounts[i]);
		for (const char *at = text; at && (at = strchr(at, '\n')); at++)
			n_lines++;
		if (!text || n_lines <= MOST_LINES)
			break;
	}
	return text;
}
