// SPDX-License-Identifier: GPL-2.0-only
/* Formats the results of measure run as text: a row for equal CPUs, a row for each package, and the
 * reasons why figures are missing (measure.md, "run"). */
#include "features/measure/measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/run_directory.h"
#include "measure/measured_groups.h"
#include "measure/sources.h"
#include "output/screen.h"
#include "sst/expected.h"

#define SPREAD_PERCENT 1.0 /* a row whose CPUs differ by more shows the lowest and the highest */
#define NO_VALUE       "-"
#define MOST_COLUMNS   20 /* of packages */
#define N_LAST_COLUMNS 2 /* the columns that are no figures */

static char *make_class(const struct run_cpu *cpu)
{
	return text_format("%s%s%s", cpu->class ?: "", cpu->is_isolated ? ", isolated" : "",
			   cpu->is_below_minimum ? ", minimum not held" : "");
}

static char *format_class(const void *row)
{
	return make_class(((const struct measured_group *)row)->first);
}

static char *format_mhz(const void *row)
{
	const struct measured_group *group = row;

	return group->has_mhz ? text_format("%.0f", group->mhz / group->weight) : NULL;
}

static char *format_spread(const void *row)
{
	const struct measured_group *group = row;

	if (!group->has_mhz ||
	    group->high_mhz - group->low_mhz <= group->high_mhz * SPREAD_PERCENT / 100)
		return NULL;
	return text_format("%.0f..%.0f", group->low_mhz, group->high_mhz);
}

static char *format_predicted(const void *row)
{
	const struct run_cpu *cpu = ((const struct measured_group *)row)->first;

	return figure_range(&cpu->predicted_mhz, &cpu->predicted_high_mhz);
}

/* Returns true if no column is needed: all CPUs have one package (of_package), or no class. */
static bool are_same(const struct measured_groups *groups, bool of_package)
{
	for (size_t i = 0; i < groups->count; i++) {
		const struct run_cpu *cpu = groups->list[i].first;
		_cleanup_free_ char *class = make_class(cpu);

		if (of_package ? cpu->package != groups->list[0].first->package
			       : strcmp(class ?: "", "all") != 0)
			return false;
	}
	return true;
}

/* Returns true if a CPU has figures. Without counters and loads there are only idle states. */
static bool has_figures(const struct measured_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		const struct measured_group *group = &groups->list[i];

		if (figure_is_known(&group->busy_percent) || group->has_mhz || group->load)
			return true;
	}
	return false;
}

/* Shows the CPUs whose highest frequency Linux has not taken over, and the remedy. */
static int put_behind(struct screen *screen, const struct run_window *window,
		      const struct host *host)
{
	_cleanup_cpuset_ struct cpuset behind = { 0 };
	_cleanup_free_ char *list = NULL, *remedy = NULL;
	double above = 0, highest = 0;

	for (size_t i = 0; i < window->n_cpus; i++) {
		const struct run_cpu *cpu = &window->cpus[i];

		if (!figure_is_known(&cpu->not_taken_over_mhz) ||
		    !figure_is_known(&cpu->predicted_mhz))
			continue;
		above = cpu->not_taken_over_mhz.value;
		highest = cpu->predicted_mhz.value;
		if (cpuset_add(&behind, cpu->cpu))
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

static int put_cpus(struct screen *screen, const struct run_window *window,
		    const struct run_request *request)
{
	static const struct screen_column columns[] = {
		{ SCREEN_MEMBER(struct measured_group, package), .rank = 3 },
		{ .heading = "class", .format_row = format_class },
		{ SCREEN_MEMBER(struct measured_group, load), .rank = 2 },
		{ SCREEN_MEMBER(struct measured_group, busy_percent) },
		{ .heading = "MHz", .format_row = format_mhz },
		{ .heading = "from..to", .format_row = format_spread, .rank = 4 },
		{ .heading = "predicted", .format_row = format_predicted },
		{ SCREEN_MEMBER(struct measured_group, top), .rank = 1 },
		{ SCREEN_MEMBER(struct measured_group, cpus), .is_list = true },
	};
	struct screen_column shown[ARRAY_SIZE(columns)];
	_cleanup_measured_groups_ struct measured_groups groups = { 0 };
	struct json_rows rows;
	size_t n_shown = 0;

	if (measured_groups_make(window, request->globals->each, &groups))
		return -ENOMEM;
	rows = (struct json_rows){ groups.list, groups.count, sizeof(*groups.list),
				   measured_group_fields };
	if (!are_same(&groups, true))
		shown[n_shown++] = columns[0];
	if (!are_same(&groups, false))
		shown[n_shown++] = columns[1];
	for (size_t i = 2; i < ARRAY_SIZE(columns); i++)
		shown[n_shown++] = columns[i];
	if (has_figures(&groups))
		screen_put_rows(screen, "CPUs", &rows, shown, n_shown);
	return put_behind(screen, window, request->host);
}

/* The row of a package. */
struct package_row {
	struct run_package package; /* a copy, whose lists belong to the window */
	const struct run_window *window;
};

/* The uncore frequencies of a package, "2400 MHz" or "1800..2400 MHz". */
static char *format_uncore(const void *row)
{
	const struct run_package *package = row;
	double low = 0, high = 0;

	for (size_t i = 0; i < package->n_uncore; i++) {
		const double mhz = package->uncore[i].mhz.value;

		if (!figure_is_known(&package->uncore[i].mhz))
			continue;
		low = low > 0 && low < mhz ? low : mhz;
		high = high > mhz ? high : mhz;
	}
	if (high <= 0)
		return NULL;
	return low < high ? text_format("%.0f..%.0f MHz", low, high)
			  : text_format("%.0f MHz", high);
}

static void add_texts(struct texts *to, const struct texts *texts, const struct texts *except)
{
	for (size_t i = 0; i < texts->count; i++) {
		if (!except || !texts_has(except, texts->list[i]))
			texts_take(to, strdup(texts->list[i]));
	}
}

/* The new limit reasons of a package and its CPUs, and then the earlier ones: "POWER; earlier:
 * THERMAL". */
static char *format_limits(const void *row)
{
	const struct package_row *of = row;
	const struct limit_words *limits = &of->package.limits;
	_cleanup_texts_ struct texts now = { 0 }, before = { 0 };
	_cleanup_free_ char *text = NULL, *earlier = NULL;

	add_texts(&now, &limits->now, NULL);
	for (size_t i = 0; i < of->window->n_cpus; i++) {
		if (of->window->cpus[i].package == of->package.package)
			add_texts(&now, &of->window->cpus[i].limits.now, NULL);
	}
	add_texts(&before, &limits->earlier, &now);
	for (size_t i = 0; i < of->window->n_cpus; i++) {
		if (of->window->cpus[i].package == of->package.package)
			add_texts(&before, &of->window->cpus[i].limits.earlier, &now);
	}
	text = texts_join(&now, ", ");
	earlier = texts_join(&before, ", ");
	if (before.count)
		return text_format("%s%searlier: %s", text ?: "", now.count ? "; " : "",
				   earlier ?: "");
	if (now.count)
		return steal(text);
	return limits->is_known ? strdup("none") : NULL;
}

/* Adds the columns for figures of a package, in the order of the fields. Returns the number of
 * columns. */
static size_t add_figure_columns(struct screen_column *columns, size_t n_columns)
{
	for (const struct json_field *field = run_package_fields; field->name; field++) {
		if (field->column && n_columns < MOST_COLUMNS - N_LAST_COLUMNS)
			columns[n_columns++] = (struct screen_column){ .heading = field->column,
								       .is_member = true,
								       .offset = field->offset,
								       .rank = field->rank };
	}
	return n_columns;
}

/* Returns true if any figure of a package is known. columns: all except its number. */
static bool has_package_figure(const struct package_row *row, const struct screen_column *columns,
			       size_t n_columns)
{
	_cleanup_free_ char *uncore = format_uncore(row), *limits = format_limits(row);
	bool has_any = uncore || limits;

	for (size_t i = 0; i < n_columns; i++) {
		const struct figure *figure = (const void *)((const char *)row + columns[i].offset);

		has_any = has_any || (columns[i].is_member && figure_is_known(figure));
	}
	return has_any;
}

static int put_packages(struct screen *screen, const struct run_window *window)
{
	struct screen_column columns[MOST_COLUMNS] = {
		{ .heading = "package", SCREEN_MEMBER(struct run_package, package) },
	};
	size_t n_columns = add_figure_columns(columns, 1);
	_cleanup_free_ struct package_row *list = calloc(window->n_packages + 1, sizeof(*list));
	const struct json_rows rows = { list, window->n_packages, sizeof(*list),
					run_package_fields };
	bool has_any = false;

	if (!list)
		return -ENOMEM;
	columns[n_columns++] = (struct screen_column){ .heading = "uncore at end",
						       .format_row = format_uncore,
						       .rank = 4 };
	columns[n_columns++] = (struct screen_column){ .heading = "limits",
						       .format_row = format_limits,
						       .is_list = true };
	for (size_t i = 0; i < window->n_packages; i++) {
		list[i] = (struct package_row){ window->packages[i], window };
		has_any = has_any || has_package_figure(&list[i], columns + 1, n_columns - 1);
	}
	if (has_any)
		screen_put_rows(screen, "packages", &rows, columns, n_columns);
	return 0;
}

/* A reason, and the figures that it explains. */
struct missing {
	const char *reason;
	struct buffer names;
};

struct missing_list {
	struct missing *list;
	size_t count;
};

static void take_missing(struct missing_list *missing, const char *name, const char *reason)
{
	struct missing *to;
	size_t i = 0;

	if (!reason || strcmp(reason, FIGURE_IDLE) == 0)
		return;
	while (i < missing->count && strcmp(missing->list[i].reason, reason) != 0)
		i++;
	if (i == missing->count &&
	    !array_add(&missing->list, &missing->count, sizeof(*missing->list)))
		return;
	to = &missing->list[i];
	to->reason = reason;
	if (strstr(buffer_text(&to->names), name))
		return;
	buffer_add_item(&to->names, ", ", "%s", name);
}

/* Adds the missing figures of a structure, if their fields are marked. */
static void take_figures(struct missing_list *missing, const struct json_field *fields,
			 const void *structure)
{
	for (const struct json_field *field = fields; field->name; field++) {
		const struct figure *figure =
			(const void *)((const char *)structure + field->offset);

		if (field->marks & RESULT_EXPLAINED)
			take_missing(missing, field->name, figure_why(figure));
	}
}

/* Shows why figures of the tables are missing, each reason once. */
static void put_missing(struct screen *screen, const struct run_window *window)
{
	struct missing_list missing = { 0 };

	for (size_t i = 0; i < window->n_cpus; i++) {
		take_figures(&missing, run_cpu_fields, &window->cpus[i]);
		take_missing(&missing, "idle-states", window->cpus[i].idle_reason);
	}
	for (size_t i = 0; i < window->n_packages; i++) {
		take_figures(&missing, run_package_fields, &window->packages[i]);
		take_missing(&missing, "uncore", window->packages[i].uncore_reason);
		take_missing(&missing, "limits", window->packages[i].limits.reason);
	}
	take_figures(&missing, run_process_fields, &window->process);
	for (size_t i = 0; i < missing.count; i++) {
		struct missing *one = &missing.list[i];

		screen_put_format(screen, i ? NULL : "missing", "%s: %s", buffer_text(&one->names),
				  one->reason);
		screen->text.has_failed = screen->text.has_failed || one->names.has_failed;
		buffer_done(&one->names);
	}
	free(missing.list);
}

static void put_pipe(struct screen *screen, const struct run_pipe *pipe)
{
	if (!figure_is_known(&pipe->usecs_per_op) || !figure_is_known(&pipe->ops_per_second))
		screen_put(screen, "pipe", figure_why(&pipe->usecs_per_op) ?: NO_VALUE);
	else
		screen_put_format(screen, "pipe",
				  "%.2f us per operation, %.0f operations per second",
				  pipe->usecs_per_op.value, pipe->ops_per_second.value);
}

static void put_process(struct screen *screen, const struct run_process *process)
{
	screen_put_format(screen, "command", "exit %.0f, %.3f s user, %.3f s system",
			  process->exit.value, process->user_seconds.value,
			  process->system_seconds.value);
	if (figure_is_known(&process->mhz))
		screen_put_format(screen, NULL, "%.0f MHz", process->mhz.value);
}

static int put_window(struct screen *screen, const struct run_window *window,
		      const struct run_request *request)
{
	int err;

	screen_put_format(screen, "time", "%.3f s", window->seconds.value);
	err = put_cpus(screen, window, request);
	if (!err)
		err = put_packages(screen, window);
	if (!err && window->has_pipe)
		put_pipe(screen, &window->pipe);
	if (!err && window->has_process)
		put_process(screen, &window->process);
	return err;
}

int measure_show_window(struct context *context, const struct run_window *window)
{
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(context->output) };
	int err = put_window(&screen, window, context->request);

	if (!err)
		err = screen_output(&screen, context->output);
	if (!err)
		output_flush(context->output);
	return err;
}

int measure_run_show(const struct measurement *measurement, const void *window)
{
	struct context *context = measurement->context;
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(context->output) };
	int err = put_window(&screen, window, context->request);

	if (err)
		return err;
	put_missing(&screen, window);
	return screen_output(&screen, context->output);
}
