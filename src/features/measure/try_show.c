// SPDX-License-Identifier: GPL-2.0-only
/* Shows the result of measure try as text: a table of the figures, what a reader should know of
 * them, and the requirements. */
#include <errno.h>
#include <math.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "features/measure/try.h"
#include "output/screen.h"

#define DIGITS      4 /* of a mean that count */
#define MOST_DIGITS 12

char *measure_try_format_mean(const json_t *row, const char *key)
{
	const double value = json_number_value(json_object_get(row, key));
	const int whole = value > 0 ? (int)floor(log10(value)) + 1 : 1;

	/* far from what is measured only in a file that somebody made */
	if (whole < -MOST_DIGITS || whole > MOST_DIGITS)
		return text_format("%.*e", DIGITS - 1, value);
	return text_format("%.*f", whole < DIGITS ? DIGITS - whole : 0, value);
}

static char *format_without(const json_t *row)
{
	return measure_try_format_mean(row, "without");
}

static char *format_with(const json_t *row)
{
	return measure_try_format_mean(row, "with");
}

/* One decimal; more if there would be nothing but zeroes. */
static char *format_percent(const json_t *row, const char *key)
{
	const json_t *value = json_object_get(row, key);
	const double shown = json_number_value(value);

	if (!json_is_number(value))
		return NULL;
	return text_format(shown == 0 ? "%.1f" : fabs(shown) < 0.05 ? "%+.3f" : "%+.1f", shown);
}

char *measure_try_format_change(const json_t *row)
{
	return format_percent(row, "change-percent");
}

char *measure_try_format_interval(const json_t *row)
{
	_cleanup_free_ char *low = format_percent(row, "low-percent");
	_cleanup_free_ char *high = format_percent(row, "high-percent");

	return low && high ? text_format("%s to %s", low, high) : NULL;
}

static void put_notes(struct screen *screen, const json_t *figures)
{
	const json_t *figure;
	size_t i;

	json_array_foreach (figures, i, figure) {
		const char *name = json_string_value(json_object_get(figure, "figure"));
		const json_t *far_off = json_object_get(figure, "far-off-runs");
		_cleanup_free_ char *runs = screen_format_value(far_off);
		_cleanup_free_ char *drift = format_percent(figure, "drift-percent");

		if (json_is_true(json_object_get(figure, "drifts")))
			screen_put_format(screen, "drift",
					  "%s: %s %% from run to run, which is not in the change",
					  name, drift ?: "?");
		if (json_array_size(far_off))
			screen_put_format(screen, "far off", "%s: run %s", name, runs ?: "?");
	}
	if (json_array_size(figures) > 1)
		screen_put(screen, "note",
			   "of figures that do not change, 1 in 20 is shown as changed by chance");
}

static void put_requirements(struct screen *screen, const json_t *requirements)
{
	const json_t *one;
	size_t i;

	json_array_foreach (requirements, i, one)
		screen_put_format(screen, i ? NULL : "required", "%s: %s",
				  json_string_value(json_object_get(one, "requirement")),
				  json_is_true(json_object_get(one, "met")) ? "met" : "not met");
}

int measure_try_show(struct context *context, const json_t *document)
{
	static const struct screen_column columns[] = {
		{ .heading = "figure", .key = "figure" },
		{ .heading = "without", .format = format_without },
		{ .heading = "with", .format = format_with },
		{ .heading = "change %", .format = measure_try_format_change },
		{ .heading = "95 % interval", .format = measure_try_format_interval, .rank = 1 },
		{ .heading = "result", .key = "result" },
	};
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(context->output) };
	/* without a label there is room for all columns */
	_cleanup_screen_ struct screen table = { .width = screen.width, .is_flush = true };
	const json_t *figures = json_object_get(document, "figures");
	const json_t *missing = json_object_get(document, "missing"), *one;
	size_t i;

	screen_put(&screen, "document",
		   json_string_value(json_object_get(document, "document-file")));
	screen_put_format(&screen, "runs", "%d without it, %d with it",
			  (int)json_integer_value(json_object_get(document, "runs")),
			  (int)json_integer_value(json_object_get(document, "runs")));
	if (json_array_size(figures))
		screen_put_table(&table, NULL, figures, columns, ARRAY_SIZE(columns));
	put_notes(&screen, figures);
	json_array_foreach (missing, i, one)
		screen_put_format(&screen, i ? NULL : "missing", "%s: %s",
				  json_string_value(json_object_get(one, "figure")),
				  json_string_value(json_object_get(one, "reason")));
	put_requirements(&screen, json_object_get(document, "requirements"));
	if (screen.text.has_failed || table.text.has_failed)
		return -ENOMEM;
	output_text(context->output, buffer_text(&screen.text));
	output_text(context->output, buffer_text(&table.text));
	return 0;
}
