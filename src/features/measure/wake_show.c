// SPDX-License-Identifier: GPL-2.0-only
/* Shows the document of measure wake as text: a table for each CPU, what did not count, what
 * explains outliers, and the state for a target. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "features/measure/common.h"
#include "features/measure/wake.h"
#include "output/screen.h"
#include "run/context.h"

#define SHOWN_DEMOTED 1 /* percent */

/* A figure in us with as many digits as it deserves; NULL: unknown. */
static char *format_us(const json_t *row, const char *key)
{
	const json_t *value = json_object_get(row, key);
	double us = json_number_value(value);

	if (!json_is_number(value))
		return NULL;
	return text_format(us < 10 ? "%.2f" : us < 100 ? "%.1f" : "%.0f", us);
}

/* With its interval: "1.52 (1.50-1.55)". */
static char *format_interval(const json_t *row, const char *key, const char *low, const char *high)
{
	_cleanup_free_ char *value = format_us(row, key), *from = format_us(row, low);
	_cleanup_free_ char *to = format_us(row, high);

	if (!value || !from || !to)
		return steal(value);
	return text_format("%s (%s-%s)", value, from, to);
}

static char *format_p50(const json_t *row)
{
	return format_interval(row, "p50-us", "p50-low-us", "p50-high-us");
}

static char *format_p99(const json_t *row)
{
	return format_interval(row, "p99-us", "p99-low-us", "p99-high-us");
}

#define US_COLUMN(function, key)                 \
	static char *function(const json_t *row) \
	{                                        \
		return format_us(row, key);      \
	}

US_COLUMN(format_short_p50, "p50-us")
US_COLUMN(format_p90, "p90-us")
US_COLUMN(format_short_p99, "p99-us")
US_COLUMN(format_p999, "p99.9-us")
US_COLUMN(format_max, "max-us")

static char *format_share(const json_t *row)
{
	const json_t *value = json_object_get(row, "share-percent");

	return value ? text_format("%.0f %%", json_number_value(value)) : NULL;
}

static double real(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static char *format_watts(const json_t *row)
{
	if (!json_is_number(json_object_get(row, "watts")))
		return NULL;
	return text_format("%.1f (%.1f-%.1f)", real(row, "watts"), real(row, "watts-low"),
			   real(row, "watts-high"));
}

static char *format_short_watts(const json_t *row)
{
	return json_is_number(json_object_get(row, "watts"))
		       ? text_format("%.1f", real(row, "watts"))
		       : NULL;
}

/* Adds a remark to those before it, in printf form. */
static void add_remark(struct buffer *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add_remark(struct buffer *text, const char *format, ...)
{
	va_list args;

	buffer_append_string(text, text->length ? ", " : "");
	va_start(args, format);
	buffer_append_format(text, format, args);
	va_end(args);
}

static char *format_remark(const json_t *row)
{
	const char *asked = json_string_value(json_object_get(row, "asked-for"));
	const char *reason = json_string_value(json_object_get(row, "p50-us-reason"));
	struct buffer text = { 0 };

	if (!json_object_get(row, "share-percent"))
		return text_format("n/a: %s", reason ?: "");
	if (asked)
		add_remark(&text, "instead of %s", asked);
	if (json_is_true(json_object_get(row, "slow")))
		add_remark(&text, "slow");
	if (real(row, "demoted-percent") >= SHOWN_DEMOTED)
		add_remark(&text, "%.0f %% demoted", real(row, "demoted-percent"));
	if (json_is_true(json_object_get(row, "no-gain")))
		add_remark(&text, "no gain");
	return text.length ? buffer_steal(&text, NULL) : NULL;
}

static const struct screen_column columns[] = {
	{ .heading = "state", .key = "state" },
	{ .heading = "gap", .key = "gap-us" },
	{ .heading = "n", .key = "rounds", .rank = 2 },
	{ .heading = "p50 (95 %)", .format = format_p50, .rank = 7 },
	{ .heading = "p50", .format = format_short_p50, .instead_of = "p50 (95 %)" },
	{ .heading = "p90", .format = format_p90, .rank = 8 },
	{ .heading = "p99 (95 %)", .format = format_p99, .rank = 6 },
	{ .heading = "p99", .format = format_short_p99, .instead_of = "p99 (95 %)" },
	{ .heading = "p99.9", .format = format_p999, .rank = 4 },
	{ .heading = "max", .format = format_max },
	{ .heading = "exit", .key = "exit-latency-us", .rank = 3 },
	{ .heading = "share", .format = format_share, .rank = 5 },
	{ .heading = "watts (95 %)", .format = format_watts, .rank = 9 },
	{ .heading = "watts", .format = format_short_watts, .instead_of = "watts (95 %)" },
	{ .heading = "remark", .format = format_remark, .rank = 1 },
	{ .heading = "remarks", .format = format_remark, .instead_of = "remark", .is_list = true },
};

/* What did not count: "C6 100 us: not-idle 3, several 1". */
static void show_excluded(struct screen *screen, const json_t *rows)
{
	const json_t *row, *count;
	const char *kind;
	size_t i;

	json_array_foreach (rows, i, row) {
		json_t *excluded = json_object_get(row, "excluded");
		_cleanup_buffer_ struct buffer text = { 0 };

		json_object_foreach (excluded, kind, count) {
			_cleanup_free_ char *number = screen_format_value(count);

			buffer_append_string(&text, text.length ? ", " : "");
			buffer_append_string(&text, kind);
			buffer_append_char(&text, ' ');
			buffer_append_string(&text, number ?: "");
		}
		if (text.length)
			screen_put_format(screen, "Not counted", "%s after %d us: %s",
					  json_string_value(json_object_get(row, "state")) ?: "-",
					  (int)json_integer_value(json_object_get(row, "gap-us")),
					  buffer_text(&text));
	}
}

/* The blocks of a row with outliers that something explains: "C6 after 100 us, block 3: 1 system
 * management interrupt, up to 0.4 % stolen by a hypervisor; up to 1115 us". */
static int show_outliers_of(struct screen *screen, const char *label, const json_t *row)
{
	const json_t *outliers = json_object_get(row, "outliers"), *block;
	_cleanup_buffer_ struct buffer causes = { 0 };
	_cleanup_cpuset_ struct cpuset numbers = { 0 };
	_cleanup_free_ char *list = NULL;
	double smis = 0, stolen = 0, most = 0;
	size_t i;

	json_array_foreach (outliers, i, block) {
		smis += real(block, "smi-count");
		stolen = fmax(stolen, real(block, "stolen-percent"));
		most = fmax(most, real(block, "max-us"));
		if (cpuset_add(&numbers, (uint32_t)real(block, "block")))
			return -ENOMEM;
	}
	if (smis > 0)
		add_remark(&causes, "%.0f system management interrupt%s", smis,
			   smis > 1 ? "s" : "");
	if (stolen > 0)
		add_remark(&causes, "up to %.2g %% stolen by a hypervisor", stolen);
	list = cpuset_format_ranges(&numbers);
	screen_put_format(screen, label, "%s after %.0f us, block%s %s of 10: up to %.0f us; %s",
			  json_string_value(json_object_get(row, "state")) ?: "-",
			  real(row, "gap-us"), json_array_size(outliers) > 1 ? "s" : "", list ?: "",
			  most, buffer_text(&causes));
	return 0;
}

static int show_outliers(struct screen *screen, const json_t *rows)
{
	bool is_first = true;
	const json_t *row;
	size_t i;

	json_array_foreach (rows, i, row) {
		int err;

		if (json_array_size(json_object_get(row, "outliers")) == 0)
			continue;
		err = show_outliers_of(screen, is_first ? "Outliers" : NULL, row);
		if (err)
			return err;
		is_first = false;
	}
	return 0;
}

/* How often which latency was measured, of each state: "C6 us". */
static int show_histograms(struct screen *screen, const json_t *histograms)
{
	const json_t *histogram;
	size_t i;

	json_array_foreach (histograms, i, histogram) {
		_cleanup_free_ char *label = text_format(
			"%s us", json_string_value(json_object_get(histogram, "state")) ?: "-");
		int err = label ? measurement_put_histogram(screen, label,
							    json_object_get(histogram, "bins"),
							    "rounds")
				: -ENOMEM;

		if (err)
			return err;
	}
	return 0;
}

static int show_cpu(struct screen *screen, const json_t *cpu)
{
	const json_t *rows = json_object_get(cpu, "rows");
	const json_t *waker = json_object_get(cpu, "waker-cpu");
	const char *command = json_string_value(json_object_get(cpu, "command"));
	const char *reason = json_string_value(json_object_get(cpu, "deepest-reason"));
	char target[32];
	int err;

	screen_put_format(screen, "CPU", "%d of package %d, core of CPUs %s",
			  (int)json_integer_value(json_object_get(cpu, "cpu")),
			  (int)json_integer_value(json_object_get(cpu, "package")),
			  json_string_value(json_object_get(cpu, "threads")) ?: "");
	if (waker)
		screen_put_format(screen, "Woken by", "CPU %d", (int)json_integer_value(waker));
	screen_put_table(screen, "us", rows, columns, ARRAY_SIZE(columns));
	err = show_histograms(screen, json_object_get(cpu, "histograms"));
	if (err)
		return err;
	show_excluded(screen, rows);
	err = show_outliers(screen, rows);
	if (err)
		return err;
	snprintf(target, sizeof(target),
		 "%d us: ", (int)json_integer_value(json_object_get(cpu, "target-us")));
	if (command)
		screen_put_command(screen, "Target", target, command);
	if (reason)
		screen_put_format(screen, command ? NULL : "Target", "%s%s", target, reason);
	return 0;
}

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key)) ?: "unknown";
}

int measure_wake_show(struct context *context, const json_t *document)
{
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(context->output) };
	const json_t *demotion = json_object_get(document, "c1-demotion");
	const json_t *cpu;
	char *rest;
	size_t i;

	screen_put_format(&screen, "Woken", "by %s, %s, %s", text_of(document, "by"),
			  text_of(document, "scheduling"),
			  json_is_true(json_object_get(document, "forced"))
				  ? "each idle state forced in turn"
				  : "idle states as the kernel chooses them");
	screen_put_format(&screen, "Kernel", "%s, idle driver %s, governor %s, C1 demotion %s",
			  text_of(document, "kernel"), text_of(document, "idle-driver"),
			  text_of(document, "idle-governor"),
			  json_is_null(demotion)   ? "unknown"
			  : json_is_true(demotion) ? "on"
						   : "off");
	json_array_foreach (json_object_get(document, "cpus"), i, cpu) {
		int err = show_cpu(&screen, cpu);

		if (err)
			return err;
	}
	if (screen.text.has_failed)
		return -ENOMEM;
	for (char *line = strtok_r(screen.text.data, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		output_sentence(context->output, "%s", line);
	return 0;
}
