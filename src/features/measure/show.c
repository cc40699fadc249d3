// SPDX-License-Identifier: GPL-2.0-only
/* Makes text of what measure run measured: a row for CPUs that are alike and one for each package,
 * and why figures are missing (measure.md, "run"). */
#include "features/measure/show.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/run_directory.h"
#include "measure/measured_groups.h"
#include "measure/figure.h"
#include "output/screen.h"
#include "sst/expected.h"

#define SPREAD_PERCENT 1.0 /* a row whose CPUs differ by more shows the lowest and the highest */
#define NO_VALUE       "-"

static const char *text_of(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

static uint32_t number_of(const json_t *object, const char *name)
{
	return (uint32_t)json_integer_value(json_object_get(object, name));
}

static json_t *decimal(double value, int decimals)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", decimals, value);
	return json_string(text);
}

static json_t *decimal_or_null(const json_t *object, const char *name, int decimals)
{
	double value;

	return figure_get(object, name, &value) ? json_null() : decimal(value, decimals);
}

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *range_or_null(const struct measured_group *row)
{
	_cleanup_free_ char *text = NULL;

	if (!row->has_mhz || row->high_mhz - row->low_mhz <= row->high_mhz * SPREAD_PERCENT / 100)
		return json_null();
	text = text_format("%.0f..%.0f", row->low_mhz, row->high_mhz);
	return text_or_null(text);
}

static json_t *row_to_json(const struct measured_group *row)
{
	_cleanup_free_ char *list = cpuset_format_ranges(&row->cpus);
	_cleanup_free_ char *predicted =
		figure_format_range(row->first, "predicted-mhz", "predicted-high-mhz");
	bool is_isolated = json_is_true(json_object_get(row->first, "isolated"));
	bool is_below = json_is_true(json_object_get(row->first, "minimum-not-held"));
	_cleanup_free_ char *class =
		text_format("%s%s%s", text_of(row->first, "class") ?: "",
			    is_isolated ? ", isolated" : "", is_below ? ", minimum not held" : "");

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "package",
			 json_integer(number_of(row->first, "package")), "class",
			 text_or_null(class), "load", text_or_null(text_of(row->first, "load")),
			 "busy",
			 row->n_busy ? decimal(row->busy / (double)row->n_busy, 1) : json_null(),
			 "mhz", row->has_mhz ? decimal(row->mhz / row->weight, 0) : json_null(),
			 "range", range_or_null(row), "predicted", text_or_null(predicted), "idle",
			 text_or_null(row->top), "cpus", text_or_null(list));
}

/* Groups the CPUs; each: none. */
static int make_rows(const json_t *cpus, bool each, json_t *rows)
{
	_cleanup_measured_groups_ struct measured_groups groups = { 0 };
	int err = measured_groups_make(cpus, each, &groups);

	for (size_t i = 0; i < groups.count && !err; i++)
		json_array_append_new(rows, row_to_json(&groups.list[i]));
	return err;
}

/* Can anything be told of the CPUs? Without counters and loads there is nothing but idle states. */
static bool has_figures(const json_t *rows)
{
	const json_t *row;
	size_t i;

	json_array_foreach (rows, i, row) {
		if (json_is_string(json_object_get(row, "busy")) ||
		    json_is_string(json_object_get(row, "mhz")) ||
		    json_is_string(json_object_get(row, "load")))
			return true;
	}
	return false;
}

/* Empties a member of rows that is the same in all of them: its column is left out. */
static void leave_out(json_t *rows, const char *name, const char *value)
{
	const json_t *first = json_object_get(json_array_get(rows, 0), name);
	json_t *row;
	size_t i;

	json_array_foreach (rows, i, row) {
		if (!json_equal(json_object_get(row, name), first) ||
		    (value && strcmp(json_string_value(first) ?: "", value) != 0))
			return;
	}
	json_array_foreach (rows, i, row)
		json_object_set_new(row, name, json_null());
}

/* The CPUs whose highest frequency Linux has not taken over, by what it has not. */
static int put_behind(struct screen *screen, const json_t *cpus, const struct host *host)
{
	_cleanup_cpuset_ struct cpuset behind = { 0 };
	_cleanup_free_ char *list = NULL, *remedy = NULL;
	double above = 0, highest = 0;
	const json_t *cpu;
	size_t i;

	json_array_foreach (cpus, i, cpu) {
		if (figure_get(cpu, "not-taken-over-mhz", &above) == 0 &&
		    figure_get(cpu, "predicted-mhz", &highest) == 0 &&
		    cpuset_add(&behind, number_of(cpu, "cpu")))
			return -ENOMEM;
	}
	if (cpuset_is_empty(&behind))
		return 0;
	list = cpuset_format_ranges(&behind);
	remedy = host_complete_commands(host, strdup(EXPECTED_RETAKE));
	if (!list || !remedy)
		return -ENOMEM;
	screen_put_format(screen, "predicted",
			  "highest-possible %.0f (Linux has not taken over %.0f) of CPUs %s; the "
			  "remedy " EXPECTED_RETAKE_PRICE,
			  highest, above, list);
	screen_put_command(screen, NULL, "Remedy: ", remedy);
	return 0;
}

static int put_cpus(struct screen *screen, const json_t *window, bool each, const struct host *host)
{
	static const struct screen_column columns[] = {
		{ .heading = "package", .key = "package", .rank = 3 },
		{ .heading = "class", .key = "class" },
		{ .heading = "load", .key = "load", .rank = 2 },
		{ .heading = "busy %", .key = "busy" },
		{ .heading = "MHz", .key = "mhz" },
		{ .heading = "from..to", .key = "range", .rank = 4 },
		{ .heading = "predicted", .key = "predicted" },
		{ .heading = "top idle", .key = "idle", .rank = 1 },
		{ .heading = "CPUs", .key = "cpus", .is_list = true },
	};
	_cleanup_json_ json_t *rows = json_array();
	int err = make_rows(json_object_get(window, "cpus"), each, rows);

	if (err)
		return err;
	leave_out(rows, "package", NULL);
	leave_out(rows, "class", "all");
	if (has_figures(rows))
		screen_put_table(screen, "CPUs", rows, columns, ARRAY_SIZE(columns));
	return put_behind(screen, json_object_get(window, "cpus"), host);
}

/* The uncore frequencies of a package, "2400 MHz" or "1800..2400 MHz". */
static json_t *uncore_to_json(const json_t *units)
{
	double low = 0, high = 0;
	_cleanup_free_ char *text = NULL;
	const json_t *unit;
	size_t i;

	json_array_foreach (units, i, unit) {
		double mhz;

		if (figure_get(unit, "mhz", &mhz))
			continue;
		low = low > 0 && low < mhz ? low : mhz;
		high = high > mhz ? high : mhz;
	}
	if (high <= 0)
		return json_null();
	text = low < high ? text_format("%.0f..%.0f MHz", low, high)
			  : text_format("%.0f MHz", high);
	return text_or_null(text);
}

static bool has_item(const json_t *array, const json_t *wanted)
{
	const json_t *item;
	size_t i;

	json_array_foreach (array, i, item) {
		if (json_equal(item, wanted))
			return true;
	}
	return false;
}

static void add_items(json_t *to, const json_t *array, const json_t *except)
{
	json_t *item;
	size_t i;

	json_array_foreach (array, i, item) {
		if (!has_item(to, item) && !has_item(except, item))
			json_array_append(to, item);
	}
}

/* Lists the reasons of a package and of its CPUs, each once. */
static void add_reasons(const json_t *window, const json_t *package, const char *name,
			const json_t *except, json_t *to)
{
	const json_t *cpu;
	size_t i;

	add_items(to, json_object_get(package, name), except);
	json_array_foreach (json_object_get(window, "cpus"), i, cpu) {
		if (number_of(cpu, "package") == number_of(package, "package"))
			add_items(to, json_object_get(cpu, name), except);
	}
}

/* The reasons that appeared, and after them those that were set before: "POWER; earlier: THERMAL".
 */
static json_t *limits_to_json(const json_t *window, const json_t *package)
{
	_cleanup_json_ json_t *now = json_array(), *before = json_array();
	_cleanup_free_ char *text = NULL, *earlier = NULL;

	add_reasons(window, package, "limits", NULL, now);
	add_reasons(window, package, "limits-earlier", now, before);
	text = screen_format_value(now);
	earlier = screen_format_value(before);
	if (json_array_size(before))
		return json_sprintf("%s%searlier: %s", text ?: "", json_array_size(now) ? "; " : "",
				    earlier ?: "");
	if (json_array_size(now))
		return text_or_null(text);
	return json_is_array(json_object_get(package, "limits")) ? json_string("none")
								 : json_null();
}

static void put_packages(struct screen *screen, const json_t *window)
{
	static const struct screen_column columns[] = {
		{ .heading = "package", .key = "package" },
		{ .heading = "watts", .key = "watts" },
		{ .heading = "DRAM watts", .key = "dram", .rank = 3 },
		{ .heading = "C at end", .key = "degrees", .rank = 1 },
		{ .heading = "throttle ms", .key = "throttle", .rank = 2 },
		{ .heading = "uncore at end", .key = "uncore", .rank = 4 },
		{ .heading = "limits", .key = "limits", .is_list = true },
	};
	static const char *const shown[] = { "watts",    "dram",   "degrees",
					     "throttle", "uncore", "limits" };
	_cleanup_json_ json_t *rows = json_array();
	bool has_any = false;
	const json_t *package;
	size_t i;

	json_array_foreach (json_object_get(window, "packages"), i, package) {
		json_t *row = json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "package",
					(int)number_of(package, "package"), "watts",
					decimal_or_null(package, "watts", 1), "dram",
					decimal_or_null(package, "dram-watts", 1), "degrees",
					decimal_or_null(package, "degrees-celsius", 0), "throttle",
					decimal_or_null(package, "throttle-ms", 0), "uncore",
					uncore_to_json(json_object_get(package, "uncore")),
					"limits", limits_to_json(window, package));

		for (size_t j = 0; j < ARRAY_SIZE(shown); j++)
			has_any = has_any || !json_is_null(json_object_get(row, shown[j]));
		json_array_append_new(rows, row);
	}
	if (has_any)
		screen_put_table(screen, "packages", rows, columns, ARRAY_SIZE(columns));
}

/* A reason, and the figures that it explains. */
struct missing {
	const char *reason;
	struct buffer names;
};

static void take_missing(struct missing **list, size_t *count, const json_t *object,
			 const char *name)
{
	const char *reason = figure_reason(object, name);
	size_t i = 0;

	if (!reason || !json_is_null(json_object_get(object, name)) ||
	    strcmp(reason, FIGURE_IDLE) == 0)
		return;
	while (i < *count && strcmp((*list)[i].reason, reason) != 0)
		i++;
	if (i == *count && !array_add(list, count, sizeof(**list)))
		return;
	(*list)[i].reason = reason;
	if (strstr(buffer_text(&(*list)[i].names), name))
		return;
	buffer_append_string(&(*list)[i].names, (*list)[i].names.length ? ", " : "");
	buffer_append_string(&(*list)[i].names, name);
}

/* Why figures of the tables are missing: each reason once. */
static void put_missing(struct screen *screen, const json_t *window)
{
	static const char *const of_cpus[] = { "busy-percent", "mhz", "loop-mhz", "idle-states" };
	static const char *const of_packages[] = { "watts", "degrees-celsius", "throttle-ms",
						   "uncore", "limits" };
	struct missing *list = NULL;
	const json_t *object;
	size_t count = 0, i;

	json_array_foreach (json_object_get(window, "cpus"), i, object) {
		for (size_t j = 0; j < ARRAY_SIZE(of_cpus); j++)
			take_missing(&list, &count, object, of_cpus[j]);
	}
	json_array_foreach (json_object_get(window, "packages"), i, object) {
		for (size_t j = 0; j < ARRAY_SIZE(of_packages); j++)
			take_missing(&list, &count, object, of_packages[j]);
	}
	take_missing(&list, &count, json_object_get(window, "process"), "mhz");
	for (i = 0; i < count; i++) {
		screen_put_format(screen, i ? NULL : "missing", "%s: %s",
				  buffer_text(&list[i].names), list[i].reason);
		screen->text.has_failed = screen->text.has_failed || list[i].names.has_failed;
		buffer_done(&list[i].names);
	}
	free(list);
}

static void put_pipe(struct screen *screen, const json_t *pipe)
{
	double microseconds, per_second;

	if (!pipe)
		return;
	if (figure_get(pipe, "usecs-per-op", &microseconds) ||
	    figure_get(pipe, "ops-per-second", &per_second))
		screen_put(screen, "pipe", figure_reason(pipe, "usecs-per-op") ?: NO_VALUE);
	else
		screen_put_format(screen, "pipe",
				  "%.2f us per operation, %.0f operations per second", microseconds,
				  per_second);
}

static void put_command(struct screen *screen, const json_t *command)
{
	double user, system, mhz;

	if (!command)
		return;
	if (figure_get(command, "user-seconds", &user) ||
	    figure_get(command, "system-seconds", &system))
		user = system = 0;
	screen_put_format(screen, "command", "exit %u, %.3f s user, %.3f s system%s",
			  number_of(command, "command-exit"), user, system, "");
	if (figure_get(command, "mhz", &mhz) == 0)
		screen_put_format(screen, NULL, "%.0f MHz", mhz);
}

static int put_window(struct screen *screen, const json_t *window, bool each,
		      const struct host *host)
{
	double seconds = 0;
	int err;

	figure_get(window, "seconds", &seconds);
	screen_put_format(screen, "time", "%.3f s", seconds);
	err = put_cpus(screen, window, each, host);
	if (err)
		return err;
	put_packages(screen, window);
	put_pipe(screen, json_object_get(window, "pipe"));
	put_command(screen, json_object_get(window, "process"));
	return 0;
}

int measure_show_window(struct context *context, const json_t *window, bool each)
{
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(context->output) };
	int err = put_window(&screen, window, each, context->request->host);

	if (err || screen.text.has_failed)
		return -ENOMEM;
	output_text(context->output, buffer_text(&screen.text));
	output_flush(context->output);
	return 0;
}

int measure_show_run(struct context *context, const json_t *document, bool each)
{
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(context->output) };
	int err = put_window(&screen, document, each, context->request->host);

	if (err)
		return err;
	put_missing(&screen, document);
	if (screen.text.has_failed)
		return -ENOMEM;
	output_text(context->output, buffer_text(&screen.text));
	return 0;
}
