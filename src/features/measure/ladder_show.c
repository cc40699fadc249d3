// SPDX-License-Identifier: GPL-2.0-only
/* Shows the steps of measure ladder as text: a table with a row for equal steps, and a picture of
 * it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "features/measure/measure.h"
#include "measure/results.h"
#include "output/screen.h"

/* Equal steps in one row. */
struct row {
	size_t first, last; /* numbers of busy cores */
	const struct ladder_step *step; /* the last one */
	char *promised, *measured;
};

struct rows {
	struct row *list;
	size_t count;
};

static void rows_done(struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		free(rows->list[i].promised);
		free(rows->list[i].measured);
	}
	free(rows->list);
}

static void append_mhz(struct buffer *buffer, const struct figure *mhz)
{
	if (figure_is_known(mhz))
		buffer_add_item(buffer, "/", "%.0f", mhz->value);
}

/* The figures of the groups of a step with a slash between them: "3200/2600". */
static void format_groups(const struct ladder_step *step, char **ret_promised, char **ret_measured)
{
	_cleanup_buffer_ struct buffer promised = { 0 }, measured = { 0 };

	for (size_t i = 0; i < step->n_groups; i++) {
		append_mhz(&promised, &step->groups[i].promised_mhz);
		append_mhz(&measured, &step->groups[i].measured_mhz);
	}
	*ret_promised = strdup(promised.length ? buffer_text(&promised) : "-");
	*ret_measured = strdup(measured.length ? buffer_text(&measured) : "-");
}

static char *format_cores(const void *row)
{
	const struct row *of = row;

	return of->first == of->last ? text_format("%zu", of->first)
				     : text_format("%zu-%zu", of->first, of->last);
}

static char *format_promised(const void *row)
{
	return strdup(((const struct row *)row)->promised);
}

static char *format_measured(const void *row)
{
	return strdup(((const struct row *)row)->measured);
}

/* The power of all packages of a step. */
static char *format_watts(const void *row)
{
	const struct ladder_step *step = ((const struct row *)row)->step;
	double sum = 0;

	for (size_t i = 0; i < step->n_packages; i++) {
		if (!figure_is_known(&step->packages[i].watts))
			return NULL;
		sum += step->packages[i].watts.value;
	}
	return text_format("%.1f", sum);
}

/* The result of a step in words: "not checked". */
static char *format_result(const void *row)
{
	const char *result = ((const struct row *)row)->step->result;

	return strdup(strcmp(result, "not-checked") == 0 ? "not checked" : result);
}

/* Makes rows of equal steps. */
static int make_rows(const struct ladder_result *result, struct rows *rows)
{
	for (size_t i = 0; i < result->n_steps; i++) {
		const struct ladder_step *step = &result->steps[i];
		struct row *row = rows->count ? &rows->list[rows->count - 1] : NULL;
		_cleanup_free_ char *promised = NULL, *measured = NULL;

		format_groups(step, &promised, &measured);
		if (!promised || !measured)
			return -ENOMEM;
		if (!row || strcmp(row->promised, promised) != 0 ||
		    strcmp(row->measured, measured) != 0 ||
		    strcmp(row->step->result, step->result) != 0) {
			row = array_add(&rows->list, &rows->count, sizeof(*row));
			if (!row)
				return -ENOMEM;
			*row = (struct row){ .first = i + 1,
					     .promised = steal(promised),
					     .measured = steal(measured) };
		}
		row->last = i + 1;
		row->step = step;
	}
	return 0;
}

/* Adds a bar for each prediction of a row. All steps of a row have the same predictions. */
static int add_bars(const struct row *row, struct screen_bar **bars, size_t *n_bars)
{
	_cleanup_free_ char *cores = format_cores(row);

	for (size_t i = 0; i < row->step->n_groups; i++) {
		const struct ladder_group *group = &row->step->groups[i];
		struct screen_bar *bar = array_add(bars, n_bars, sizeof(*bar));

		if (!bar)
			return -ENOMEM;
		*bar = (struct screen_bar){
			.value = group->measured_mhz.value,
			.has_mark = figure_is_known(&group->promised_mhz),
			.mark = group->promised_mhz.value,
		};
		snprintf(bar->label, sizeof(bar->label), "%.20s", cores ?: "");
		if (figure_is_known(&group->measured_mhz))
			snprintf(bar->text, sizeof(bar->text), "%.0f", bar->value);
	}
	return 0;
}

/* Shows the steps as a picture of the measured and the predicted frequencies. */
static int put_stairs(struct screen *screen, const struct rows *rows)
{
	_cleanup_free_ struct screen_bar *bars = NULL;
	size_t n_bars = 0;

	for (size_t i = 0; i < rows->count; i++) {
		int err = add_bars(&rows->list[i], &bars, &n_bars);

		if (err)
			return err;
	}
	screen_put(screen, "stairs", "measured MHz #, predicted |");
	screen_put_bars(screen, NULL, bars, n_bars);
	return 0;
}

/* Shows each reason or note of the steps once, with the steps that have it. */
static int put_reasons(struct screen *screen, const char *label, const struct ladder_result *result,
		       bool of_notes)
{
	_cleanup_texts_ struct texts all = { 0 };

	for (size_t i = 0; i < result->n_steps; i++) {
		const struct ladder_step *step = &result->steps[i];
		const struct texts *texts = of_notes ? &step->notes : &step->reasons;

		for (size_t j = 0; j < texts->count; j++)
			texts_take(&all, strdup(texts->list[j]));
	}
	for (size_t i = 0; i < all.count; i++) {
		_cleanup_cpuset_ struct cpuset set = { 0 };
		_cleanup_free_ char *list = NULL;

		for (size_t j = 0; j < result->n_steps; j++) {
			const struct ladder_step *step = &result->steps[j];

			if (texts_has(of_notes ? &step->notes : &step->reasons, all.list[i]) &&
			    cpuset_add(&set, (uint32_t)j + 1))
				return -ENOMEM;
		}
		list = cpuset_format_ranges(&set);
		screen_put_format(screen, i ? NULL : label, "%s: %s busy cores", all.list[i],
				  list ?: "");
	}
	return all.has_failed ? -ENOMEM : 0;
}

int measure_ladder_show(const struct measurement *measurement, const void *made)
{
	const struct ladder_result *result = made;
	static const struct screen_column columns[] = {
		{ .heading = "busy cores", .format_row = format_cores, .rank = 3 },
		{ .heading = "cores", .format_row = format_cores, .instead_of = "busy cores" },
		{ .heading = "predicted MHz", .format_row = format_promised, .rank = 5 },
		{ .heading = "predicted",
		  .format_row = format_promised,
		  .instead_of = "predicted MHz" },
		{ .heading = "measured MHz", .format_row = format_measured, .rank = 4 },
		{ .heading = "measured",
		  .format_row = format_measured,
		  .instead_of = "measured MHz" },
		{ .heading = "watts", .format_row = format_watts, .rank = 2 },
		{ .heading = "result", .format_row = format_result, .rank = 1 },
		{ .heading = "checked",
		  .format_row = format_result,
		  .instead_of = "result",
		  .is_list = true },
	};
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(
							  measurement->context->output) };
	_cleanup_(rows_done) struct rows list = { 0 };
	struct json_rows rows;
	int err = make_rows(result, &list);

	if (err)
		return err;
	rows = (struct json_rows){ list.list, list.count, sizeof(*list.list), NULL };
	screen_put_format(&screen, "load", "%s, %.0f cores", result->load, result->cores.value);
	screen_put_rows(&screen, "ladder", &rows, columns, ARRAY_SIZE(columns));
	err = put_stairs(&screen, &list);
	if (result->turbo_counts)
		screen_put(&screen, "turbo counts", result->turbo_counts);
	if (!err)
		err = put_reasons(&screen, "not checked", result, false);
	if (!err)
		err = put_reasons(&screen, "passed while", result, true);
	return err ? err : screen_output(&screen, measurement->context->output);
}
