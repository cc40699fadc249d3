/* SPDX-License-Identifier: GPL-2.0-only */
/* Pictures as inline SVG, PICTURE_WIDTH units wide: a unit is about a pixel on a small screen, and
 * more on a large one. The style of the page sets colours and line widths for classes. */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

#define PICTURE_WIDTH 400
#define PICTURE_EDGE  10 /* space left and right of the drawing */

/* Maps values of a chart to its units; from < to. */
struct scale {
	double from, to; /* values; above 0 if is_log */
	double start, end; /* units */
	bool is_log;
};

/* The position of a value. A value outside of the scale has the position of the nearer end. */
double scale_at(const struct scale *scale, double value);

#define SCALE_TICKS 12

struct scale_ticks {
	double list[SCALE_TICKS]; /* ascending */
	size_t count; /* at least 2 */
	int decimals; /* decimals of their labels */
};

/* Chooses about most (3 to 10) round values: the first is at most low, the last at least high. low
 * and high are finite. If is_log, low > 0, and the values are powers of ten, or also twice and five
 * times these. */
struct scale_ticks scale_choose_ticks(double low, double high, unsigned int most, bool is_log);

/* A picture that is being made. */
struct svg {
	struct buffer *to;
};

/* Begins a picture. Its title and its description in words are for readers who cannot see it. id is
 * unique in the page. */
struct svg svg_begin(struct buffer *to, unsigned int id, double height, const char *title,
		     const char *description);
void svg_end(struct svg *svg);

/* Shapes of a class; positions and sizes are in units. */
void svg_line(struct svg *svg, const char *class, double x1, double y1, double x2, double y2);
void svg_box(struct svg *svg, const char *class, double x, double y, double width, double height);

/* Marks, which differ in shape. */
enum svg_mark {
	SVG_DOT,
	SVG_RING,
	SVG_CROSS,
	SVG_TRIANGLE,
	SVG_DIAMOND,
	SVG_BAR,
	SVG_BOX,
	SVG_DASH
};
void svg_mark(struct svg *svg, const char *class, enum svg_mark mark, double x, double y);

/* A text in printf form, as html_put(); anchor: "start", "middle" or "end". */
void svg_text(struct svg *svg, const char *class, const char *anchor, double x, double y,
	      const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The ticks of a horizontal axis at the bottom y, with lines up to top, and the unit at its end. */
void svg_axis(struct svg *svg, const struct scale *scale, const struct scale_ticks *ticks,
	      double top, double y, const char *unit);

/* A row of marks and their meanings, at the baseline y. Ends with an entry without text. */
struct svg_legend {
	enum svg_mark mark;
	const char *class;
	const char *text;
};
void svg_put_legend(struct svg *svg, double y, const struct svg_legend *legend);

#endif
