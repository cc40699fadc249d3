// SPDX-License-Identifier: GPL-2.0-only
/* Makes figures of measurements, and keeps texts that figures point to. */
#include "base/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/units.h"

struct figure figure_make_missing(const char *reason)
{
	return (struct figure){ .state = FIGURE_MISSING, .about = reason };
}

struct figure figure_make_exact(double value)
{
	if (!isfinite(value))
		return figure_make_missing("the counters give no number");
	/* not -0, which would be shown with its sign */
	return (struct figure){ .state = FIGURE_KNOWN, .value = value == 0 ? 0 : value };
}

struct figure figure_make(double value, int decimals, const char *source)
{
	double unit = 1;
	struct figure figure;

	for (int i = 0; i < decimals; i++)
		unit *= 10;
	figure = figure_make_exact(round(value * unit) / unit);
	if (figure_is_known(&figure))
		figure.about = source;
	return figure;
}

struct figure figure_make_us(uint64_t ns)
{
	return figure_make_exact((double)ns / NS_PER_US);
}

struct figure figure_make_count(uint64_t count, const char *source)
{
	return (struct figure){
		.state = FIGURE_KNOWN, .is_count = true, .value = (double)count, .about = source
	};
}

char *figure_format(const struct figure *figure, int decimals)
{
	return figure_is_known(figure) ? text_format("%.*f", decimals, figure->value) : NULL;
}

char *figure_range(const struct figure *low, const struct figure *high)
{
	if (!figure_is_known(low))
		return NULL;
	return figure_is_known(high) ? text_format("%.0f-%.0f", low->value, high->value)
				     : text_format("%.0f", low->value);
}

void texts_done(struct texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(texts->list[i]);
	free(texts->list);
	*texts = (struct texts){ 0 };
}

const char *texts_take(struct texts *texts, char *text)
{
	_cleanup_free_ char *owned = text;
	char **to;

	for (size_t i = 0; i < texts->count && text; i++) {
		if (strcmp(texts->list[i], text) == 0)
			return texts->list[i];
	}
	to = text ? array_add(&texts->list, &texts->count, sizeof(*to)) : NULL;
	if (!to) {
		texts->has_failed = true;
		return NULL;
	}
	*to = steal(owned);
	return *to;
}

bool texts_has(const struct texts *texts, const char *text)
{
	for (size_t i = 0; i < texts->count; i++) {
		if (strcmp(texts->list[i], text) == 0)
			return true;
	}
	return false;
}

bool texts_are_equal(const struct texts *left, const struct texts *right)
{
	for (size_t i = 0; i < left->count && i < right->count; i++) {
		if (strcmp(left->list[i], right->list[i]) != 0)
			return false;
	}
	return left->count == right->count;
}

char *texts_join(const struct texts *texts, const char *separator)
{
	struct buffer text = { 0 };

	buffer_append_string(&text, "");
	for (size_t i = 0; i < texts->count; i++) {
		buffer_append_string(&text, i ? separator : "");
		buffer_append_string(&text, texts->list[i]);
	}
	return buffer_steal(&text, NULL);
}
