// SPDX-License-Identifier: GPL-2.0-only
/* Shows the result of measure try as text: a table of the figures, notes about them, and the
 * requirements. */
#include <math.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "features/measure/measure.h"
#include "measure/results.h"
#include "output/screen.h"

#define DIGITS      4 /* significant digits of a mean */
#define MOST_DIGITS 12

char *measure_try_format_mean(const struct figure *figure)
{
	const double mean = figure->value;
	const int whole = mean > 0 ? (int)floor(log10(mean)) + 1 : 1;

	/* only a file that somebody made has such values */
	if (whole < -MOST_DIGITS || whole > MOST_DIGITS)
		return text_format("%.*e", DIGITS - 1, mean);
	return text_format("%.*f", whole < DIGITS ? DIGITS - whole : 0, mean);
}

/* One decimal; more if one decimal would show only zeroes. */
static char *format_percent(const struct figure *figure)
{
	const double shown = figure->value;

	if (!figure_is_known(figure))
		return NULL;
	return text_format(shown == 0 ? "%.1f" : fabs(shown) < 0.05 ? "%+.3f" : "%+.1f", shown);
}

static char *format_interval(const void *row)
{
	const struct trial_figure *figure = row;
	_cleanup_free_ char *low = format_percent(&figure->low_percent);
	_cleanup_free_ char *high = format_percent(&figure->high_percent);

	return low && high ? text_format("%s to %s", low, high) : NULL;
}

void measure_try_put_figures(struct screen *screen, const struct trial_figure *figures,
			     size_t count, const struct json_field *fields)
{
	static const struct screen_column columns[] = {
		{ SCREEN_MEMBER(struct trial_figure, figure) },
		{ SCREEN_MEMBER(struct trial_figure, without),
		  .format_figure = measure_try_format_mean },
		{ SCREEN_MEMBER(struct trial_figure, with),
		  .format_figure = measure_try_format_mean },
		{ SCREEN_MEMBER(struct trial_figure, change_percent),
		  .format_figure = format_percent },
		{ .heading = "95 % interval", .format_row = format_interval, .rank = 1 },
		{ SCREEN_MEMBER(struct trial_figure, result) },
	};
	const struct json_rows rows = { figures, count, sizeof(*figures), fields };

	screen->is_flush = true; /* without a label there is room for all columns */
	screen_put_rows(screen, NULL, &rows, columns, ARRAY_SIZE(columns));
	screen->is_flush = false;
}

static void put_notes(struct screen *screen, const struct trial_result *result)
{
	for (size_t i = 0; i < result->n_figures; i++) {
		const struct trial_figure *figure = &result->figures[i];
		_cleanup_buffer_ struct buffer runs = { 0 };
		_cleanup_free_ char *drift = format_percent(&figure->drift_percent);

		cpuset_foreach (run, &figure->far_off)
			buffer_add_item(&runs, ", ", "%u", run);
		if (figure->drifts)
			screen_put_format(screen, "drift",
					  "%s: %s %% from run to run, which is not in the change",
					  figure->figure, drift ?: "?");
		if (runs.length)
			screen_put_format(screen, "far off", "%s: run %s", figure->figure,
					  buffer_text(&runs));
	}
	if (result->n_figures > 1)
		screen_put(screen, "note",
			   "of figures that do not change, 1 in 20 is shown as changed by chance");
}

int measure_try_show(const struct measurement *measurement, const void *made)
{
	const struct trial_result *result = made;
	struct output *output = measurement->context->output;
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(output) };

	screen_put(&screen, "document", result->document_file);
	screen_put_format(&screen, "runs", "%.0f without it, %.0f with it", result->runs.value,
			  result->runs.value);
	put_notes(&screen, result);
	for (size_t i = 0; i < result->n_missing; i++)
		screen_put_format(&screen, i ? NULL : "missing", "%s: %s",
				  result->missing[i].figure, result->missing[i].reason);
	for (size_t i = 0; i < result->n_requirements; i++)
		screen_put_format(&screen, i ? NULL : "required", "%s: %s",
				  result->requirements[i].requirement,
				  result->requirements[i].is_met ? "met" : "not met");
	measure_try_put_figures(&screen, result->figures, result->n_figures, trial_figure_fields);
	return screen_output(&screen, output);
}
