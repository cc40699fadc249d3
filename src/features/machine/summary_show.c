// SPDX-License-Identifier: GPL-2.0-only
/* Writes the text of machine summary: lines and tables made of its tree. */
#include "features/machine/summary.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "host/run_directory.h"
#include "output/screen.h"
#include "sst/level_fields.h"

static json_int_t number_of(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

/* The number of cores is left out if it is unknown. */
static void put_cpus(struct screen *screen, const json_t *cpus)
{
	int packages = (int)number_of(cpus, "packages"), cores = (int)number_of(cpus, "cores");
	int count = (int)number_of(cpus, "cpus"), online = (int)number_of(cpus, "online");
	char cores_text[32] = "";

	if (cores)
		snprintf(cores_text, sizeof(cores_text), "%d cores, ", cores);
	if (online == count)
		screen_put_format(screen, "CPUs", "%d package%s, %s%d CPUs, all online", packages,
				  packages == 1 ? "" : "s", cores_text, count);
	else
		screen_put_format(screen, "CPUs",
				  "%d package%s, %s%d of %d CPUs online; offline %s", packages,
				  packages == 1 ? "" : "s", cores_text, online, count,
				  json_get_text(cpus, "offline-cpus"));
}

static void put_processor(struct screen *screen, const json_t *tree)
{
	const json_t *processor = json_object_get(tree, "processor");
	const json_t *driver = json_object_get(tree, "driver");
	const char *name = json_get_text(processor, "name");

	screen_put_format(screen, "Processor", "%s (family %d, model %d, stepping %d)",
			  *name ? name : "unknown", (int)number_of(processor, "family"),
			  (int)number_of(processor, "model"),
			  (int)number_of(processor, "stepping"));
	if (json_get_text(tree, "estimates"))
		screen_put(screen, "Estimates", json_get_text(tree, "estimates"));
	put_cpus(screen, json_object_get(tree, "cpus"));
	if (json_get_text(driver, "interface"))
		screen_put_format(screen, "Driver",
				  "Speed Select by %s, API version %d, driver version %d",
				  json_get_text(driver, "interface"),
				  (int)number_of(driver, "api-version"),
				  (int)number_of(driver, "driver-version"));
	else
		screen_put_format(screen, "Driver", "none: %s", json_get_text(driver, "reason"));
}

static char *format_level(const json_t *row)
{
	return text_format("%d%s", (int)number_of(row, "level"),
			   json_is_true(json_object_get(row, "now")) ? " now" : "");
}

static char *format_base_freq_short(const json_t *row)
{
	const json_t *base_freq = json_object_get(row, "base-freq");

	if (!json_is_object(base_freq))
		return NULL;
	return text_format("%d at %d", (int)number_of(base_freq, "high-priority-cores"),
			   (int)number_of(base_freq, LEVEL_KEY_HIGH));
}

static char *format_base_freq(const json_t *row)
{
	const json_t *base_freq = json_object_get(row, "base-freq");
	_cleanup_free_ char *high = format_base_freq_short(row);

	return high ? text_format("%s, others %d", high, (int)number_of(base_freq, LEVEL_KEY_LOW))
		    : NULL;
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

/* Includes the type of priority if SST-CP is on. */
static char *format_core_power(const json_t *row)
{
	const json_t *power = json_object_get(row, "core-power");
	const json_t *clos = json_object_get(row, "clos");

	if (json_is_null(power))
		return NULL;
	if (!json_equal(power, clos))
		return text_format("%s, CLOS %s", json_is_true(power) ? "on" : "off",
				   json_is_true(clos) ? "on" : "off");
	return json_is_true(power) ? text_format("on, %s", json_get_text(row, "priority"))
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

/* "3200", or "3200-3900" if the readings of the turbo-ratio limits differ; NULL: unknown. */
static char *format_readings(const json_t *row, const char *low, const char *high)
{
	if (json_is_number(json_object_get(row, high)))
		return format_range(row, low, high);
	return json_is_number(json_object_get(row, low))
		       ? screen_format_value(json_object_get(row, low))
		       : NULL;
}

static char *format_up_to(const json_t *row)
{
	return format_readings(row, "up-to-mhz", "up-to-high-mhz");
}

static char *format_all_core(const json_t *row)
{
	return format_readings(row, "all-core-turbo-mhz", "all-core-turbo-high-mhz");
}

/* Includes the frequency that Linux has not taken over. */
static char *format_bound(const json_t *row)
{
	const json_t *bound = json_object_get(row, FREQUENCY_KEY_BOUND_BY);

	if (!json_is_string(bound))
		return NULL;
	return json_is_number(json_object_get(row, FREQUENCY_KEY_ABOVE))
		       ? text_format("%s (Linux has not taken over %d)", json_string_value(bound),
				     (int)number_of(row, FREQUENCY_KEY_ABOVE))
		       : strdup(json_string_value(bound));
}

static char *format_possible(const json_t *row)
{
	return format_range(row, "lowest-mhz", "highest-mhz");
}

static char *format_initial(const json_t *row)
{
	return format_range(row, "initial-min-mhz", "initial-max-mhz");
}

/* Returns the usual short names of the core types of hybrid machines. */
static char *format_type(const json_t *row)
{
	static const struct {
		const char *name, *text;
	} types[] = {
		{ "performance", "P-core" },
		{ "efficient", "E-core" },
		{ "low-power", "LP-core" },
	};
	const char *type = json_get_text(row, "core-type");

	for (size_t i = 0; type && i < ARRAY_SIZE(types); i++) {
		if (strcmp(type, types[i].name) == 0)
			return strdup(types[i].text);
	}
	return NULL;
}

/* Returns the number of CPUs that share a frequency. */
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

static const struct screen_column switch_columns[] = {
	{ "package", .key = "package" },
	{ "domain", .key = "domain" },
	{ "level", .key = "level", .rank = 1 },
	{ "locked", .format = format_locked, .rank = 2 },
	{ "SST-BF", .key = "base-freq" },
	{ "SST-TF", .key = "turbo-freq" },
	{ "SST-CP", .format = format_core_power, .rank = 3 },
	{ "CP", .key = "core-power", .instead_of = "SST-CP" },
	{ "turbo ratios", .key = "turbo-ratio-limits", .rank = 4 },
};

static const struct screen_column clos_columns[] = {
	{ "package", .key = "package" },
	{ "domain", .key = "domain" },
	{ "CLOS", .key = "clos" },
	{ "cores", .key = "cores", .rank = 1 },
	{ "min", .key = "min-mhz", .rank = 2 },
	{ "max", .format = format_clos_max },
	{ "weight", .key = "weight", .rank = 3 },
	{ "EPP", .key = "epp", .rank = 4 },
	{ "desired", .key = "desired-mhz", .rank = 5 },
};

static const struct screen_column cpufreq_columns[] = {
	{ "count", .key = "count" },
	{ "type", .format = format_type },
	{ "up to", .format = format_up_to },
	{ "bound by", .format = format_bound, .rank = 2 },
	{ "base", .key = FREQUENCY_KEY_BASE, .rank = 4 },
	{ "limits", .format = format_limits, .rank = 3 },
	{ "possible", .format = format_possible, .rank = 9 },
	{ "governor", .key = "governor", .rank = 6 },
	{ "CLOS", .key = "clos", .rank = 1 },
	{ "EPP", .key = "epp", .rank = 7 },
	{ "EPB", .key = "epb", .rank = 8 },
	{ "shared", .format = format_shared, .rank = 5 },
	{ "CPUs", .key = "cpus", .is_list = true },
};

static const struct screen_column idle_columns[] = {
	{ "count", .key = "count" },
	{ "type", .format = format_type },
	{ "deepest", .key = "deepest" },
	{ "forbidden", .format = format_forbidden, .rank = 2 },
	{ "latency limit us", .key = "qos-latency-us", .rank = 1 },
	{ "CPUs", .key = "cpus", .is_list = true },
};

static const struct screen_column uncore_columns[] = {
	{ "package", .key = "package" },
	{ "domain", .key = "domain" },
	{ "min", .key = "min-mhz" },
	{ "max", .key = "max-mhz" },
	{ "initial", .format = format_initial, .rank = 1 },
	{ "agents", .key = "agents", .rank = 2 },
};

static const struct screen_column power_columns[] = {
	{ "package", .key = "package" },
	{ "long term", .key = "long-term-w" },
	{ "short term", .key = "short-term-w" },
	{ "peak", .key = "peak-w", .rank = 2 },
	{ "enabled", .key = "enabled", .rank = 1 },
};

/* Adds a place, "package-0 powerdomain-1", to an object that has for each package a list of
 * domains, such as "1" and "1 cluster-2". */
static void add_domain(json_t *packages, const char *place)
{
	const char *number = place + strcspn(place, "0123456789");
	const char *domain = number + strspn(number, "0123456789");
	_cleanup_free_ char *package = strndup(number, (size_t)(domain - number));
	json_t *domains = package ? json_object_get(packages, package) : NULL;

	if (package && !domains) {
		domains = json_array();
		json_object_set_new(packages, package, domains);
	}
	domain += strcspn(domain, "0123456789");
	if (*domain)
		json_array_append_new(domains, json_string(domain));
}

/* Returns "0-2, 3 cluster-1"; NULL for an empty list, which means a complete package. */
static json_t *format_numbers(const json_t *list)
{
	_cleanup_cpuset_ struct cpuset numbers = { 0 };
	json_t *others = json_array(), *item, *text;
	_cleanup_free_ char *formatted = NULL, *ranges = NULL;
	uint64_t number;
	size_t i;

	json_array_foreach (list, i, item) {
		if (number_parse(json_string_value(item), 0, CPUSET_MAX_CPU, &number))
			json_array_append(others, item);
		else
			cpuset_add(&numbers, (uint32_t)number);
	}
	ranges = cpuset_format_ranges(&numbers);
	if (!cpuset_is_empty(&numbers))
		json_array_insert_new(others, 0, json_string(ranges ?: ""));
	formatted = screen_format_value(others);
	text = json_array_size(others) ? json_string(formatted ?: "") : json_null();
	json_decref(others);
	return text;
}

/* Adds a row about places to the rows that a table shows. Packages in which the row has the same
 * domains share a row, with domains and packages as texts. */
static void add_split(json_t *rows, const json_t *row)
{
	_cleanup_json_ json_t *packages = json_object(), *shown = json_object();
	const char *package, *domain;
	json_t *item, *domains;
	size_t i;

	json_array_foreach (json_object_get(row, "places"), i, item)
		add_domain(packages, json_string_value(item));
	json_object_foreach (packages, package, domains) {
		_cleanup_json_ json_t *text = format_numbers(domains);
		json_t *list;

		domain = json_string_value(text) ?: "";
		list = json_object_get(shown, domain);
		if (!list) {
			list = json_array();
			json_object_set_new(shown, domain, list);
		}
		json_array_append_new(list, json_string(package));
	}
	json_object_foreach (shown, domain, item) {
		json_t *copy = json_copy((json_t *)(uintptr_t)row);

		json_object_set_new(copy, "package", format_numbers(item));
		json_object_set_new(copy, "domain", *domain ? json_string(domain) : json_null());
		json_array_append_new(rows, copy);
	}
}

/* Puts a table of the first rows, and the command that shows the others. */
static void put_first(struct screen *screen, const char *label, const json_t *rows, size_t most,
		      const struct screen_column *columns, size_t n_columns,
		      const struct host *host, const char *command)
{
	_cleanup_json_ json_t *shown = json_array();
	json_t *row;
	size_t i, count;

	json_array_foreach (rows, i, row) {
		if (json_object_get(row, "places"))
			add_split(shown, row);
		else
			json_array_append(shown, row);
	}
	count = json_array_size(shown);
	while (json_array_size(shown) > most)
		json_array_remove(shown, json_array_size(shown) - 1);
	screen_put_table(screen, label, shown, columns, n_columns);
	if (count > most) {
		_cleanup_free_ char *all = host_complete_commands(host, strdup(command));
		char heading[48];

		snprintf(heading, sizeof(heading), "and %zu more line%s: ", count - most,
			 count - most == 1 ? "" : "s");
		screen_put_command(screen, NULL, heading, all ?: command);
	}
}

#define PUT_FIRST(screen, label, rows, most, columns, host, command) \
	put_first(screen, label, rows, most, columns, ARRAY_SIZE(columns), host, command)

/* At 40 columns the columns without a rank fit, and perhaps others. */
static void put_levels(struct screen *screen, const json_t *levels)
{
	static const struct {
		unsigned int fields; /* columns of these field groups; 0: the column below */
		struct screen_column column;
	} parts[] = {
		{ .column = { "package", .key = "package" } },
		{ .column = { "domain", .key = "domain" } },
		{ .column = { "level", .format = format_level } },
		{ .column = { "cores", .key = "cores" } },
		{ .fields = LEVEL_FREQUENCY },
		{ .column = { "turbo", .key = "turbo-mhz", .rank = 1 } },
		{ .column = { "all-core", .format = format_all_core, .rank = 5 } },
		{ .fields = LEVEL_POWER | LEVEL_FABRIC | LEVEL_MEMORY },
		{ .fields = LEVEL_TEMPERATURE },
		{ .column = { "SST-BF cores at MHz", .format = format_base_freq, .rank = 6 } },
		{ .column = { "SST-BF", .format = format_base_freq_short, .rank = 3,
			      .instead_of = "SST-BF cores at MHz" } },
		{ .column = { "SST-TF cores at MHz", .format = format_turbo_freq, .rank = 7 } },
		{ .column = { "SST-TF", .format = format_turbo_freq_short, .rank = 2,
			      .instead_of = "SST-TF cores at MHz" } },
	};
	struct screen_column columns[ARRAY_SIZE(parts) + LEVEL_MOST_FIELDS];
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i].fields)
			columns[count++] = parts[i].column;
		level_fields_foreach (field, parts[i].fields) {
			if (field->column)
				columns[count++] = (struct screen_column){
					field->column,
					.key = field->summary_key ?: field->key,
					.rank = field->rank,
				};
		}
	}
	put_first(screen, "Levels, MHz", levels, SIZE_MAX, columns, count, NULL, NULL);
	if (json_array_size(levels))
		screen_put(screen, NULL, "cores, SST-BF and SST-TF are counted per package");
}

/* "base 2400, up to 3100 MHz" */
static char *format_speed(const json_t *group)
{
	_cleanup_free_ char *base = screen_format_value(json_object_get(group, FREQUENCY_KEY_BASE));
	_cleanup_free_ char *up_to = format_up_to(group);

	return base ? text_format("base %s, up to %s MHz", base, up_to ?: "unknown")
		    : text_format("up to %s MHz", up_to ?: "unknown");
}

/* Puts the CPUs that are faster than others, and the reason. The fastest group comes first. */
static void put_fast(struct screen *screen, const json_t *groups)
{
	const json_t *first = json_array_get(groups, 0), *group;
	const json_t *last = json_array_get(groups, json_array_size(groups) - 1);
	_cleanup_free_ char *fastest = format_speed(first), *slowest = format_speed(last);
	const char *by = json_get_text(first, "fast-by");
	bool is_of_all_cores = false; /* limits by a number of cores assume all cores busy */
	json_int_t count = 0;
	const char *busy;
	size_t i;

	if (!fastest || !slowest)
		return;
	if (json_is_null(json_object_get(first, "up-to-mhz")) &&
	    json_is_null(json_object_get(last, "up-to-mhz"))) {
		screen_put(screen, "Fast CPUs",
			   "unknown: no source reports how fast they can be; cpufreq explain shows "
			   "why");
		return;
	}
	json_array_foreach (groups, i, group) {
		_cleanup_free_ char *speed = format_speed(group);

		if (speed && strcmp(speed, fastest) == 0 &&
		    json_equal(json_object_get(group, "fast-by"),
			       json_object_get(first, "fast-by")))
			count += number_of(group, "count");
		is_of_all_cores |= strcmp(json_get_text(group, FREQUENCY_KEY_BOUND_BY) ?: "",
					  "turbo-ratio-limit") == 0;
	}
	busy = is_of_all_cores ? " (all cores busy)" : "";
	if (strcmp(fastest, slowest) == 0)
		screen_put_format(screen, "Fast CPUs", "none: all have %s%s", fastest, busy);
	else if (by)
		screen_put_format(screen, "Fast CPUs",
				  "%d by %s (first below): %s; the slowest: %s%s", (int)count, by,
				  fastest, slowest, busy);
	else
		screen_put_format(screen, "Fast CPUs",
				  "none by Speed Select, but limits differ: %s; the slowest: %s%s",
				  fastest, slowest, busy);
}

static void put_cpufreq(struct screen *screen, const json_t *cpufreq, size_t most,
			const struct host *host)
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
			  json_get_text(cpufreq, "pstate") ? "; intel_pstate " : "",
			  json_get_text(cpufreq, "pstate") ?: "",
			  max && strcmp(max, "100") != 0 ? "; max_perf_pct " : "",
			  max && strcmp(max, "100") != 0 ? max : "");
	put_fast(screen, groups);
	PUT_FIRST(screen, "CPUs, MHz", groups, most, cpufreq_columns, host, "isst cpufreq info");
}

static const char *switch_word(const json_t *value)
{
	return json_is_true(value) ? "allowed" : "off";
}

static void put_cpuidle(struct screen *screen, const json_t *cpuidle, size_t most,
			const struct host *host)
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
	screen_put_format(
		screen, "Idle states", "%s%s%s%s%s", states ?: "",
		json_array_size(groups) == 1 ? "; deepest on all CPUs: " : "",
		json_array_size(groups) == 1 ? json_get_text(first, "deepest") ?: "none" : "",
		json_is_null(c02) ? "" : "; C0.2 ", json_is_null(c02) ? "" : switch_word(c02));
	if (json_array_size(groups) > 1 || json_array_size(json_object_get(first, "forbidden")) ||
	    !json_is_null(json_object_get(first, "qos-latency-us")))
		PUT_FIRST(screen, NULL, groups, most, idle_columns, host, "isst cpuidle info");
}

static void put_clos(struct screen *screen, const json_t *tree, size_t most,
		     const struct host *host)
{
	json_t *used = json_array(), *row;
	size_t i;

	json_array_foreach (json_object_get(tree, "clos"), i, row) {
		if (number_of(row, "cores"))
			json_array_append(used, row);
	}
	PUT_FIRST(screen, "CLOS, MHz", used, most, clos_columns, host,
		  "isst core-power get-config");
	json_decref(used);
}

static void put_findings(struct screen *screen, const json_t *tree, bool has_remedies,
			 const struct host *host)
{
	const json_t *findings = json_object_get(tree, "findings"), *finding;
	bool is_complete = json_array_size(json_object_get(tree, "not-read")) == 0;
	_cleanup_free_ char *remedies =
		host_complete_commands(host, strdup("isst --json machine summary"));
	size_t i;

	json_array_foreach (findings, i, finding) {
		const char *remedy = has_remedies ? json_get_text(finding, "remedy") : NULL;

		screen_put_format(screen, i ? NULL : "Findings", "! %s",
				  json_get_text(finding, "message"));
		if (remedy)
			screen_put_command(screen, NULL, "Remedy: ", remedy);
	}
	if (json_array_size(findings) == 0)
		screen_put(screen, "Findings",
			   is_complete ? "nothing" : "nothing, of what could be read");
	else if (!has_remedies)
		screen_put_command(screen, NULL, "Remedies: ", remedies ?: "");
}

/* How much of long tables and lists is shown: the first amount that fits on a screen. */
static const struct amount {
	unsigned int list_lines; /* lines of a list of CPUs; 0: all */
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

static char *format(const json_t *tree, unsigned int width, const struct amount *amount,
		    const struct host *host)
{
	_cleanup_screen_ struct screen screen = { .width = width,
						  .list_lines = amount->list_lines };
	const json_t *uncore = json_object_get(tree, "uncore");
	const json_t *power = json_object_get(tree, "power-limits"), *item;
	size_t i;

	put_processor(&screen, tree);
	PUT_FIRST(&screen, "Speed Select", json_object_get(tree, "speed-select"), amount->others,
		  switch_columns, host, "isst perf-profile info");
	put_levels(&screen, json_object_get(tree, "levels"));
	put_clos(&screen, tree, amount->groups, host);
	put_cpufreq(&screen, json_object_get(tree, "cpufreq"), amount->groups, host);
	put_cpuidle(&screen, json_object_get(tree, "cpuidle"), amount->others, host);
	if (json_is_array(uncore))
		PUT_FIRST(&screen, "Uncore, MHz", uncore, amount->others, uncore_columns, host,
			  "isst uncore info");
	if (json_is_array(power))
		PUT_FIRST(&screen, "Power, W", power, amount->others, power_columns, host,
			  "isst --json machine summary");
	json_array_foreach (json_object_get(tree, "not-read"), i, item)
		screen_put(&screen, i ? NULL : "Not read", json_string_value(item));
	put_findings(&screen, tree, amount->has_remedies, host);
	return buffer_steal(&screen.text, NULL);
}

char *summary_format(const json_t *tree, unsigned int width, const struct host *host)
{
	char *text = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(amounts); i++) {
		size_t n_lines = host->model.name ? 1 : 0;

		free(text);
		text = format(tree, width, &amounts[i], host);
		for (const char *at = text; at && (at = strchr(at, '\n')); at++)
			n_lines++;
		if (!text || n_lines <= MOST_LINES)
			break;
	}
	return text;
}
