// SPDX-License-Identifier: GPL-2.0-only
/* Shows the document of measure wake as text: a table for each CPU, rounds that did not count,
 * causes of outliers, and the state for a target. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "features/measure/measure.h"
#include "measure/results.h"
#include "output/screen.h"
#include "run/context.h"

#define SHOWN_DEMOTED 1 /* percent */

/* A figure in us with at least three digits; NULL: unknown. */
static char *format_us(const struct figure *figure)
{
	const double us = figure->value;

	if (!figure_is_known(figure))
		return NULL;
	return text_format(us < 10 ? "%.2f" : us < 100 ? "%.1f" : "%.0f", us);
}

/* A figure with its interval: "1.52 (1.50-1.55)". */
static char *format_interval(const struct figure *of, const struct figure *low,
			     const struct figure *high)
{
	_cleanup_free_ char *value = format_us(of), *from = format_us(low), *to = format_us(high);

	if (!value || !from || !to)
		return steal(value);
	return text_format("%s (%s-%s)", value, from, to);
}

static char *format_p50(const void *row)
{
	const struct wake_row *of = row;

	return format_interval(&of->p50_us, &of->p50_low_us, &of->p50_high_us);
}

static char *format_p99(const void *row)
{
	const struct wake_row *of = row;

	return format_interval(&of->p99_us, &of->p99_low_us, &of->p99_high_us);
}

static char *format_share(const struct figure *share)
{
	return figure_is_known(share) ? text_format("%.0f %%", share->value) : NULL;
}

static char *format_watts(const void *row)
{
	const struct wake_row *of = row;

	if (!figure_is_known(&of->watts))
		return NULL;
	return text_format("%.1f (%.1f-%.1f)", of->watts.value, of->watts_low.value,
			   of->watts_high.value);
}

static char *format_remark(const void *row)
{
	const struct wake_row *of = row;
	struct buffer text = { 0 };

	if (!figure_is_known(&of->share_percent))
		return text_format("n/a: %s", figure_why(&of->p50_us) ?: "");
	if (of->requested)
		buffer_add_item(&text, ", ", "instead of %s", of->requested);
	if (of->is_slow)
		buffer_add_item(&text, ", ", "slow");
	if (of->demoted_percent.value >= SHOWN_DEMOTED)
		buffer_add_item(&text, ", ", "%.0f %% demoted", of->demoted_percent.value);
	if (of->has_no_gain)
		buffer_add_item(&text, ", ", "no gain");
	return text.length ? buffer_steal(&text, NULL) : NULL;
}

#define US(member) SCREEN_MEMBER(struct wake_row, member), .format_figure = format_us
static const struct screen_column columns[] = {
	{ .heading = "state", SCREEN_MEMBER(struct wake_row, state) },
	{ .heading = "gap", SCREEN_MEMBER(struct wake_row, gap_us) },
	{ .heading = "n", SCREEN_MEMBER(struct wake_row, rounds), .rank = 2 },
	{ .heading = "p50 (95 %)", .format_row = format_p50, .rank = 7 },
	{ US(p50_us), .instead_of = "p50 (95 %)" },
	{ US(p90_us), .rank = 8 },
	{ .heading = "p99 (95 %)", .format_row = format_p99, .rank = 6 },
	{ US(p99_us), .instead_of = "p99 (95 %)" },
	{ US(p999_us), .rank = 4 },
	{ .heading = "max", US(max_us) },
	{ .heading = "exit", SCREEN_MEMBER(struct wake_row, exit_latency_us), .rank = 3 },
	{ .heading = "share",
	  SCREEN_MEMBER(struct wake_row, share_percent),
	  .format_figure = format_share,
	  .rank = 5 },
	{ .heading = "watts (95 %)", .format_row = format_watts, .rank = 9 },
	{ SCREEN_MEMBER(struct wake_row, watts), .instead_of = "watts (95 %)" },
	{ .heading = "remark", .format_row = format_remark, .rank = 1 },
	{ .heading = "remarks",
	  .format_row = format_remark,
	  .instead_of = "remark",
	  .is_list = true },
};

/* Shows the rounds that did not count: "C6 100 us: not-idle 3, several 1". */
static void show_excluded(struct screen *screen, const struct wake_cpu *cpu)
{
	for (size_t i = 0; i < cpu->n_rows; i++) {
		const struct wake_row *row = &cpu->rows[i];
		_cleanup_buffer_ struct buffer text = { 0 };

		for (enum wake_kind kind = 0; kind < WAKE_KINDS; kind++) {
			if (row->excluded[kind])
				buffer_add_item(&text, ", ", "%s %" PRIu64, wake_kind_names[kind],
						row->excluded[kind]);
		}
		if (text.length)
			screen_put_format(screen, "Not counted", "%s after %.0f us: %s", row->state,
					  row->gap_us.value, buffer_text(&text));
	}
}

/* Shows the blocks of a row whose outliers have an explanation: "C6 after 100 us, block 3: 1 system
 * management interrupt, up to 0.4 % stolen by a hypervisor; up to 1115 us". */
static int show_outliers_of(struct screen *screen, const char *label, const struct wake_row *row)
{
	_cleanup_buffer_ struct buffer causes = { 0 };
	_cleanup_cpuset_ struct cpuset numbers = { 0 };
	_cleanup_free_ char *list = NULL;
	double smis = 0, stolen = 0, most = 0;

	for (size_t i = 0; i < row->n_outliers; i++) {
		const struct wake_outlier *block = &row->outliers[i];

		smis += block->smi_count.value;
		stolen = fmax(stolen, block->stolen_percent.value);
		most = fmax(most, block->max_us.value);
		if (cpuset_add(&numbers, (uint32_t)block->block.value))
			return -ENOMEM;
	}
	if (smis > 0)
		buffer_add_item(&causes, ", ", "%.0f system management interrupt%s", smis,
				smis > 1 ? "s" : "");
	if (stolen > 0)
		buffer_add_item(&causes, ", ", "up to %.2g %% stolen by a hypervisor", stolen);
	list = cpuset_format_ranges(&numbers);
	screen_put_format(screen, label, "%s after %.0f us, block%s %s of 10: up to %.0f us; %s",
			  row->state, row->gap_us.value, row->n_outliers > 1 ? "s" : "", list ?: "",
			  most, buffer_text(&causes));
	return 0;
}

static int show_outliers(struct screen *screen, const struct wake_cpu *cpu)
{
	bool is_first = true;

	for (size_t i = 0; i < cpu->n_rows; i++) {
		int err;

		if (cpu->rows[i].n_outliers == 0)
			continue;
		err = show_outliers_of(screen, is_first ? "Outliers" : NULL, &cpu->rows[i]);
		if (err)
			return err;
		is_first = false;
	}
	return 0;
}

/* Shows the histogram of the latencies of each state: "C6 us". */
static int show_histograms(struct screen *screen, const struct wake_cpu *cpu)
{
	for (size_t i = 0; i < cpu->n_histograms; i++) {
		const struct wake_histogram *histogram = &cpu->histograms[i];
		_cleanup_free_ char *label = text_format("%s us", histogram->state);
		int err = label ? measurement_put_histogram(screen, label, histogram->bins,
							    histogram->n_bins)
				: -ENOMEM;

		if (err)
			return err;
	}
	return 0;
}

/* Shows the values that the kernel's table should have, and the current values. */
static void show_calibration(struct screen *screen, const struct wake_cpu *cpu)
{
	static const struct screen_column of_states[] = {
		{ .heading = "state", SCREEN_MEMBER(struct wake_calibration, state) },
		{ .heading = "exit", SCREEN_MEMBER(struct wake_calibration, exit_us) },
		{ .heading = "kernel", SCREEN_MEMBER(struct wake_calibration, kernel_exit_us) },
		{ .heading = "break-even", SCREEN_MEMBER(struct wake_calibration, break_even_us) },
		{ .heading = "residency",
		  SCREEN_MEMBER(struct wake_calibration, kernel_residency_us) },
	};
	const struct json_rows rows = { cpu->calibration, cpu->n_calibration,
					sizeof(*cpu->calibration), wake_calibration_fields };

	if (cpu->n_calibration == 0)
		return;
	screen_put_rows(screen, "Table, us", &rows, of_states, ARRAY_SIZE(of_states));
	for (size_t i = 0; i < cpu->n_calibration; i++) {
		const char *why = figure_why(&cpu->calibration[i].break_even_us);

		if (why)
			screen_put_format(screen, NULL, "break-even of %s: %s",
					  cpu->calibration[i].state, why);
	}
	if (cpu->idle_table)
		screen_put_command(screen, "Boot", "", cpu->idle_table);
	if (cpu->idle_table && cpu->idle_table_reason)
		screen_put(screen, NULL, cpu->idle_table_reason);
}

static int show_cpu(struct screen *screen, const struct wake_cpu *cpu)
{
	const struct json_rows rows = { cpu->rows, cpu->n_rows, sizeof(*cpu->rows),
					wake_row_fields };
	_cleanup_free_ char *threads = cpuset_format_ranges(&cpu->threads);
	char target[32];
	int err;

	screen_put_format(screen, "CPU", "%u of package %u, core of CPUs %s", cpu->cpu,
			  cpu->package, threads ?: "");
	if (figure_is_known(&cpu->waker_cpu))
		screen_put_format(screen, "Woken by", "CPU %.0f", cpu->waker_cpu.value);
	screen_put_rows(screen, "us", &rows, columns, ARRAY_SIZE(columns));
	err = show_histograms(screen, cpu);
	if (err)
		return err;
	show_excluded(screen, cpu);
	err = show_outliers(screen, cpu);
	if (err)
		return err;
	snprintf(target, sizeof(target), "%.0f us: ", cpu->target_us.value);
	if (cpu->command)
		screen_put_command(screen, "Target", target, cpu->command);
	if (cpu->deepest_reason)
		screen_put_format(screen, cpu->command ? NULL : "Target", "%s%s", target,
				  cpu->deepest_reason);
	show_calibration(screen, cpu);
	return 0;
}

int measure_wake_show(const struct measurement *measurement, const void *made)
{
	const struct wake_result *result = made;
	const struct measured_machine *machine = &measurement->machine;
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(
							  measurement->context->output) };
	const json_t *demotion = machine->c1_demotion;

	screen_put_format(&screen, "Woken", "by %s, %s, %s", result->by, result->scheduling,
			  result->forced ? "each idle state forced in turn"
					 : "idle states as the kernel chooses them");
	screen_put_format(&screen, "Kernel", "%s, idle driver %s, governor %s, C1 demotion %s",
			  machine->kernel ?: "unknown", result->idle_driver ?: "unknown",
			  result->idle_governor ?: "unknown",
			  json_is_null(demotion)   ? "unknown"
			  : json_is_true(demotion) ? "on"
						   : "off");
	for (size_t i = 0; i < result->n_cpus; i++) {
		int err = show_cpu(&screen, &result->cpus[i]);

		if (err)
			return err;
	}
	return measurement_put_screen(measurement->context, &screen);
}
