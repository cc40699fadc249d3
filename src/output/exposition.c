// SPDX-License-Identifier: GPL-2.0-only
/* Writes metrics in the format that Prometheus and node_exporter read (fleet.md, "Metrics"). */
#include "output/exposition.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int exposition_init(struct exposition *exposition, const struct exposition_family *families,
		    size_t n_families)
{
	*exposition = (struct exposition){
		.families = families,
		.n_families = n_families,
		.samples = calloc(n_families, sizeof(*exposition->samples)),
	};
	return exposition->samples ? 0 : -ENOMEM;
}

void exposition_done(struct exposition *exposition)
{
	for (size_t i = 0; exposition->samples && i < exposition->n_families; i++)
		buffer_done(&exposition->samples[i]);
	free(exposition->samples);
	*exposition = (struct exposition){ 0 };
}

struct exposition_number exposition_number(uint64_t number)
{
	struct exposition_number text;

	snprintf(text.text, sizeof(text.text), "%" PRIu64, number);
	return text;
}

/* Appends a text with the escapes of the format. Only labels escape quotes. */
static void append_escaped(struct buffer *to, const char *text, bool is_label)
{
	for (; *text; text++) {
		if (*text == '\n') {
			buffer_append_string(to, "\\n");
			continue;
		}
		if (*text == '\\' || (is_label && *text == '"'))
			buffer_append_char(to, '\\');
		buffer_append_char(to, *text);
	}
}

/* Appends a sample: name{label="text",...} value. */
static void append_sample(struct exposition *exposition, size_t family, const char *value,
			  va_list labels)
{
	struct buffer *to = &exposition->samples[family];
	const char *name, *text, *before = "{";

	buffer_append_string(to, exposition->families[family].name);
	while ((name = va_arg(labels, const char *))) {
		text = va_arg(labels, const char *);
		if (!text)
			continue;
		buffer_append_string(to, before);
		buffer_append_string(to, name);
		buffer_append_string(to, "=\"");
		append_escaped(to, text, true);
		buffer_append_char(to, '"');
		before = ",";
	}
	buffer_append_string(to, *before == ',' ? "} " : " ");
	buffer_append_string(to, value);
	buffer_append_char(to, '\n');
}

void exposition_add(struct exposition *exposition, size_t family, double value, ...)
{
	char text[40];
	va_list labels;

	/* the shortest form that is the same number */
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	va_start(labels, value);
	append_sample(exposition, family, text, labels);
	va_end(labels);
}

void exposition_add_parts(struct exposition *exposition, size_t family, uint64_t number,
			  uint64_t units_per_one, ...)
{
	uint64_t whole = number / units_per_one, part = number % units_per_one;
	char text[48];
	va_list labels;
	int length = snprintf(text, sizeof(text), "%" PRIu64, whole);

	if (part) {
		text[length++] = '.';
		for (; part; part %= units_per_one) {
			units_per_one /= 10;
			text[length++] = (char)('0' + part / units_per_one);
		}
		text[length] = '\0';
	}
	va_start(labels, units_per_one);
	append_sample(exposition, family, text, labels);
	va_end(labels);
}

int exposition_write(const struct exposition *exposition, struct buffer *to)
{
	bool has_failed = false;

	for (size_t i = 0; i < exposition->n_families; i++) {
		const struct exposition_family *family = &exposition->families[i];
		const struct buffer *samples = &exposition->samples[i];

		has_failed = has_failed || samples->has_failed;
		if (samples->length == 0)
			continue;
		buffer_append_string(to, "# HELP ");
		buffer_append_string(to, family->name);
		buffer_append_char(to, ' ');
		append_escaped(to, family->help, false);
		buffer_append_string(to, "\n# TYPE ");
		buffer_append_string(to, family->name);
		buffer_append_string(to, family->is_counter ? " counter\n" : " gauge\n");
		buffer_append_string(to, buffer_text(samples));
	}
	buffer_append_string(to, "# EOF\n");
	return has_failed || to->has_failed ? -ENOMEM : 0;
}
