// SPDX-License-Identifier: GPL-2.0-only
/* Computes what the kernel's table of idle states should have, from measured rounds: the exit
 * latency of each state, and the shortest sleep that saves power (docs/spec/power.md). */
#include "measure/results.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "host/kernel.h"
#include "measure/statistics.h"

#define EXIT_PERMILLE 990
#define TABLE_DRIVER  "intel_idle"
#define TABLE_SINCE   "7.0"

/* The latencies of a forced state, of all gaps, ascending: a new array. NULL: no memory. */
static uint64_t *gather(const struct wake_plan *plan, uint32_t state, size_t *ret_count)
{
	size_t count = 0, at = 0;
	uint64_t *all;

	for (size_t i = 0; i < plan->n_gaps; i++)
		count += plan->cells[state * plan->n_gaps + i].by_state[state].count;
	all = calloc(count + 1, sizeof(*all));
	for (size_t i = 0; i < plan->n_gaps && all; i++) {
		const struct wake_samples *samples =
			&plan->cells[state * plan->n_gaps + i].by_state[state];

		memcpy(all + at, samples->latencies_ns, samples->count * sizeof(*all));
		at += samples->count;
	}
	if (all)
		statistics_sort(all, count);
	*ret_count = count;
	return all;
}

/* p99 over all gaps, rounded up to microseconds. */
static int find_exit(const struct wake_plan *plan, uint32_t state, struct texts *texts,
		     struct figure *ret_exit)
{
	size_t count;
	_cleanup_free_ uint64_t *all = gather(plan, state, &count);
	struct quantile found;

	if (!all)
		return -ENOMEM;
	found = statistics_find(all, count, EXIT_PERMILLE);
	*ret_exit = found.is_known
			    ? figure_make_count((found.value + NS_PER_US - 1) / NS_PER_US, NULL)
			    : figure_make_missing(texts_take(
				      texts, text_format("%zu rounds are too few", count)));
	return 0;
}

/* The deepest measured state that is shallower than this one; state itself if there is none. */
static uint32_t find_shallower(const struct wake_plan *plan, uint32_t state)
{
	for (uint32_t i = state; i > 0; i--) {
		if (plan->is_measured[i - 1])
			return i - 1;
	}
	return state;
}

/* The shortest gap for which the power is certainly lower than in the shallower state. */
static struct figure find_break_even(const struct wake_plan *plan, uint32_t state)
{
	const uint32_t shallower = find_shallower(plan, state);
	uint32_t least_us = UINT32_MAX;
	bool is_known = false;

	if (!plan->of_package)
		return figure_make_missing("only --allow-all measures the power of a state");
	if (shallower == state)
		return figure_make_missing("no shallower state was measured");
	for (size_t i = 0; i < plan->n_gaps; i++) {
		const struct wake_watts of =
			wake_find_watts(&plan->cells[state * plan->n_gaps + i]);
		const struct wake_watts before =
			wake_find_watts(&plan->cells[shallower * plan->n_gaps + i]);

		is_known = is_known || (of.is_known && before.is_known);
		if (of.is_known && before.is_known && of.high < before.low &&
		    plan->gaps_us[i] < least_us)
			least_us = plan->gaps_us[i];
	}
	if (!is_known)
		return figure_make_missing("the power of the package is unknown");
	return least_us < UINT32_MAX
		       ? figure_make_count(least_us, NULL)
		       : figure_make_missing(
				 "with no gap it uses less power than the shallower one");
}

/* Appends "C6:255:600" for a state. A sleep that is shorter than the exit latency saves nothing. */
static void append_state(const struct wake_calibration *of, struct buffer *table)
{
	const struct figure *residency =
		figure_is_known(&of->break_even_us) ? &of->break_even_us : &of->kernel_residency_us;

	buffer_add_item(table, ",", "%s%s:%.0f:%.0f",
			table->length ? "" : TABLE_DRIVER ".table=", of->state, of->exit_us.value,
			fmax(residency->value, of->exit_us.value));
}

const char *wake_find_table_reason(const char *driver, const char *kernel)
{
	if (!driver || strcmp(driver, TABLE_DRIVER) != 0)
		return "only the idle driver intel_idle accepts a table";
	return kernel_has_defect(kernel, KERNEL_LACKS_IDLE_TABLE) ? "Linux " TABLE_SINCE
								    " and later accept it"
								  : NULL;
}

int wake_calibrate(const struct wake_plan *plan, struct texts *texts, struct wake_cpu *cpu)
{
	_cleanup_buffer_ struct buffer table = { 0 };
	int err = 0;

	/* the first state is POLL, which is not in the table of the driver */
	for (uint32_t i = 1; i < plan->idle.n_states && !err; i++) {
		const struct cpuidle_state *state = &plan->idle.states[i];
		struct wake_calibration *of;

		if (!plan->is_measured[i] || !state->name)
			continue;
		of = array_add(&cpu->calibration, &cpu->n_calibration, sizeof(*of));
		if (!of)
			return -ENOMEM;
		of->state = texts_take(texts, strdup(state->name));
		of->kernel_exit_us = figure_make_count(state->latency_us, NULL);
		of->kernel_residency_us = figure_make_count(state->residency_us, NULL);
		of->break_even_us = find_break_even(plan, i);
		err = find_exit(plan, i, texts, &of->exit_us);
		if (!err && figure_is_known(&of->exit_us))
			append_state(of, &table);
	}
	if (err || table.has_failed)
		return -ENOMEM;
	cpu->has_calibration = true;
	cpu->idle_table = table.length ? texts_take(texts, strdup(buffer_text(&table))) : NULL;
	return texts->has_failed ? -ENOMEM : 0;
}
