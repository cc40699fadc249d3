// SPDX-License-Identifier: GPL-2.0-only
/* Draws pictures as inline SVG, and chooses their scales (measure.md, "report"). */
#include "report/svg.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/html.h"

#define MARK_SIZE    4 /* from the middle of a mark */
#define CHAR_WIDTH   6.7 /* approximate, in a legend */
#define LEGEND_SPACE 26

double scale_at(const struct scale *scale, double value)
{
	double from = scale->from, to = scale->to, share;

	value = value > from ? value : from;
	value = value < to ? value : to;
	if (scale->is_log) {
		from = log10(from);
		to = log10(to);
		value = log10(value);
	}
	share = to > from ? (value - from) / (to - from) : 0;
	return scale->start + share * (scale->end - scale->start);
}

/* The lowest 1, 2 or 5 times a power of ten that is at least value. */
static double round_up(double value)
{
	double power = pow(10, floor(log10(value)));

	for (int i = 0; i < 3; i++) {
		static const double steps[] = { 1, 2, 5 };

		if (steps[i] * power >= value * (1 - 1e-9))
			return steps[i] * power;
	}
	return 10 * power;
}

static struct scale_ticks choose_log(double low, double high, unsigned int most)
{
	struct scale_ticks ticks = { 0 };
	double first = floor(log10(low) + 1e-9), last = ceil(log10(high) - 1e-9);
	double each;

	last = last > first ? last : first + 1;
	each = ceil((last - first) / (most - 1));
	for (double at = first; ticks.count < SCALE_TICKS && at < last + each; at += each)
		ticks.list[ticks.count++] = pow(10, at);
	ticks.decimals = first < 0 ? (int)-first : 0;
	return ticks;
}

struct scale_ticks scale_choose_ticks(double low, double high, unsigned int most, bool is_log)
{
	struct scale_ticks ticks = { 0 };
	double step, first;

	if (is_log)
		return choose_log(low, high, most);
	if (high <= low)
		high = low + (fabs(low) > 0 ? fabs(low) / 10 : 1);
	step = round_up((high - low) / (most - 1));
	first = floor(low / step + 1e-9) * step;
	for (size_t i = 0; i < SCALE_TICKS; i++) {
		const double value = first + (double)i * step;

		ticks.list[ticks.count++] = fabs(value) < step / 2 ? 0 : value; /* not -0 */
		if (ticks.list[i] >= high - step * 1e-9)
			break;
	}
	ticks.decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
	return ticks;
}

struct svg svg_begin(struct buffer *to, unsigned int id, double height, const char *title,
		     const char *description)
{
	html_put(to,
		 "<svg viewBox=\"0 0 %d %.0f\" role=\"img\" aria-labelledby=\"t%u d%u\">\n"
		 "<title id=\"t%u\">%s</title><desc id=\"d%u\">%s</desc>\n",
		 PICTURE_WIDTH, height, id, id, id, title, id, description);
	return (struct svg){ .to = to };
}

void svg_end(struct svg *svg)
{
	buffer_append_string(svg->to, "</svg>\n");
}

void svg_line(struct svg *svg, const char *class, double x1, double y1, double x2, double y2)
{
	html_put(svg->to, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", class, x1, y1, x2,
		 y2);
}

void svg_box(struct svg *svg, const char *class, double x, double y, double width, double height)
{
	html_put(svg->to,
		 "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
		 class, x, y, width, height);
}

void svg_mark(struct svg *svg, const char *class, enum svg_mark mark, double x, double y)
{
	static const char *const paths[] = {
		[SVG_DOT] = "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
		[SVG_RING] = "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
		[SVG_CROSS] = "M-4-4L4 4M-4 4L4-4",
		[SVG_TRIANGLE] = "M0-5L5 4H-5z",
		[SVG_DIAMOND] = "M0-5L5 0L0 5L-5 0z",
		[SVG_BAR] = "M0-7V7",
		[SVG_BOX] = "M-5-4H5V4H-5z",
		[SVG_DASH] = "M-7 0H7",
	};
	static const char *const kinds[] = {
		[SVG_DOT] = "filled",    [SVG_RING] = "open",    [SVG_CROSS] = "stroke",
		[SVG_TRIANGLE] = "open", [SVG_DIAMOND] = "open", [SVG_BAR] = "stroke",
		[SVG_BOX] = "filled",    [SVG_DASH] = "stroke",
	};

	html_put(svg->to,
		 "<path class=\"mark %s %s\" transform=\"translate(%.1f %.1f)\" d=\"%s\"/>\n",
		 kinds[mark], class, x, y, paths[mark]);
}

void svg_text(struct svg *svg, const char *class, const char *anchor, double x, double y,
	      const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, format);
	text = text_format_list(format, args);
	va_end(args);
	svg->to->has_failed |= !text;
	html_put(svg->to, "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
		 class, anchor, x, y, text);
}

void svg_axis(struct svg *svg, const struct scale *scale, const struct scale_ticks *ticks,
	      double top, double y, const char *unit)
{
	for (size_t i = 0; i < ticks->count; i++) {
		double x = scale_at(scale, ticks->list[i]);
		bool is_last = i + 1 == ticks->count;

		svg_line(svg, "grid", x, top, x, y);
		svg_text(svg, "tick",
			 i == 0    ? "start"
			 : is_last ? "end"
				   : "middle",
			 x, y + 12, "%.*f", ticks->decimals, ticks->list[i]);
	}
	svg_line(svg, "axis", scale->start, y, scale->end, y);
	svg_text(svg, "tick", "middle", (scale->start + scale->end) / 2, y + 25, "%s", unit);
}

void svg_put_legend(struct svg *svg, double y, const struct svg_legend *legend)
{
	double x = PICTURE_EDGE;

	for (; legend->text; legend++) {
		svg_mark(svg, legend->class, legend->mark, x + MARK_SIZE, y - MARK_SIZE);
		svg_text(svg, "note", "start", x + 4 * MARK_SIZE, y, "%s", legend->text);
		x += CHAR_WIDTH * (double)strlen(legend->text) + LEGEND_SPACE;
	}
}
