// SPDX-License-Identifier: GPL-2.0-only
/* Draws charts of horizontal strips, one below the other, on one scale. A strip has its label
 * above it, so that it can be long on a small screen. */
#include "report/parts.h"

#define LEGEND_HEIGHT  24
#define HEADING_HEIGHT 20
#define STRIP_HEIGHT   34
#define AXIS_HEIGHT    32
#define LABEL_TO_TRACK 13
#define MOST_TICKS     6

void range_add(double *low, double *high, double value)
{
	if (value <= 0)
		return;
	*low = *low > 0 && *low < value ? *low : value;
	*high = *high > value ? *high : value;
}

/* Keeps the lowest value off the edge, except for zero and on logarithmic scales. */
static struct scale_ticks choose_ticks(const struct strips_about *about)
{
	const double space = about->is_log || about->low <= 0 ? 0 : (about->high - about->low) / 20;

	return scale_choose_ticks(about->low - space, about->high, MOST_TICKS, about->is_log);
}

struct strips strips_begin(struct page *page, const struct strips_about *about)
{
	const struct scale_ticks ticks = choose_ticks(about);
	const double top = about->legend ? LEGEND_HEIGHT : 4;
	const double bottom = top + STRIP_HEIGHT * (double)about->n_strips +
			      HEADING_HEIGHT * (double)about->n_headings;
	struct strips strips = {
		.svg = svg_begin(&page->text, page->n_pictures++, bottom + AXIS_HEIGHT,
				 about->title, about->description),
		.scale = { .from = ticks.list[0],
			   .to = ticks.list[ticks.count - 1],
			   .start = PICTURE_EDGE,
			   .end = PICTURE_WIDTH - PICTURE_EDGE,
			   .is_log = about->is_log },
		.y = top,
	};

	svg_axis(&strips.svg, &strips.scale, &ticks, top, bottom, about->unit);
	if (about->legend)
		svg_put_legend(&strips.svg, 12, about->legend);
	/* now y is that of a strip before the first one */
	strips.y -= STRIP_HEIGHT - LABEL_TO_TRACK - 11;
	return strips;
}

void strips_put_heading(struct strips *strips, const char *text)
{
	strips->y += HEADING_HEIGHT;
	svg_text(&strips->svg, "head", "start", PICTURE_EDGE, strips->y + 6, "%s", text);
}

void strips_next(struct strips *strips, const char *label, const char *right)
{
	strips->y += STRIP_HEIGHT;
	svg_text(&strips->svg, "label", "start", PICTURE_EDGE, strips->y - LABEL_TO_TRACK, "%s",
		 label);
	svg_text(&strips->svg, "label", "end", PICTURE_WIDTH - PICTURE_EDGE,
		 strips->y - LABEL_TO_TRACK, "%s", right);
	svg_line(&strips->svg, "grid", strips->scale.start, strips->y, strips->scale.end,
		 strips->y);
}

void strips_put_mark(struct strips *strips, const char *class, enum svg_mark mark, double value)
{
	svg_mark(&strips->svg, class, mark, scale_at(&strips->scale, value), strips->y);
}

void strips_put_range(struct strips *strips, const char *class, double low, double high,
		      double thickness)
{
	const double from = scale_at(&strips->scale, low), to = scale_at(&strips->scale, high);

	svg_box(&strips->svg, class, from, strips->y - thickness / 2, to > from ? to - from : 0.5,
		thickness);
}

void strips_end(struct strips *strips)
{
	svg_end(&strips->svg);
}
