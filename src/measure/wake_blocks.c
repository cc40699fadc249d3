// SPDX-License-Identifier: GPL-2.0-only
/* Reads what the kernel and the hardware count during each block of measure wake: times in idle
 * states, system management interrupts, stolen time, and power (measure.md, "wake", 4 and 9). */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "host/run_directory.h"
#include "measure/results.h"
#include "measure/sources.h"
#include "measure/statistics.h"
#include "measure/trial.h"

#define CORE_PREFIX    "core-c"
#define OTHER_DEPTH    6 /* the depth of states with other names */
#define MOST_DEPTHS    64
#define DEMOTED_SOURCE "cpuidle, PMU cstate_core"
#define WATTS_BLOCKS   3 /* fewer blocks give no interval */

struct wake_watch {
	struct cpuset cpus;
	struct sources *sources;
	struct sources_reading *first, *last;
};

void wake_watch_close(struct wake_watch **watch)
{
	if (!*watch)
		return;
	sources_reading_free(&(*watch)->first);
	sources_reading_free(&(*watch)->last);
	sources_close(&(*watch)->sources);
	cpuset_done(&(*watch)->cpus);
	free(*watch);
	*watch = NULL;
}

int wake_watch_open(const struct wake_plan *plan, struct wake_watch **ret_watch)
{
	struct wake_watch *watch = calloc(1, sizeof(*watch));
	int err = watch ? cpuset_add(&watch->cpus, plan->cpu) : -ENOMEM;

	if (!err) {
		const struct sources_options options = {
			.machine = plan->machine,
			.cpus = &watch->cpus,
			.isolated = plan->isolated,
			.with_stolen = true,
		};

		err = sources_open(&options, &watch->sources);
	}
	if (!err)
		err = sources_read(watch->sources, &watch->first);
	if (err)
		wake_watch_close(&watch);
	else
		*ret_watch = watch;
	return err;
}

int wake_watch_begin_block(struct wake_watch *watch)
{
	sources_reading_free(&watch->last);
	return sources_read(watch->sources, &watch->last);
}

/* The number in the name of an idle state or its counter: "C1E", "c6-percent"; 0: none. */
static uint64_t depth_of(const char *name)
{
	uint64_t number = 0;

	if (*name != 'C' && *name != 'c')
		return 0;
	name++;
	return number_parse_digits(&name, 10, &number) ? 0 : number;
}

/* Finds the counter of a state. C1 has that of C1. C2 to C6 and states with other names have that
 * of C6, or C3 if it exists. A deeper state has the deepest counter that is not deeper. POLL, C0.1
 * and C0.2 are C0, which has no counter. depths: a bit for each counter. 0: none. */
static uint64_t find_counter(const char *state, uint64_t depths)
{
	const bool is_c0 = !state || !*state || strcmp(state, "POLL") == 0 ||
			   strncmp(state, "C0", strlen("C0")) == 0;
	uint64_t asked = is_c0 ? 0 : depth_of(state) ?: OTHER_DEPTH;

	if (asked > 1 && asked < OTHER_DEPTH) {
		while (asked < OTHER_DEPTH && !(depths >> asked & 1))
			asked++;
	}
	if (asked >= MOST_DEPTHS)
		asked = MOST_DEPTHS - 1;
	while (asked > OTHER_DEPTH && !(depths >> asked & 1))
		asked--;
	return asked > 0 && depths >> asked & 1 ? asked : 0;
}

/* The share of the time in which the core was in this state or a deeper one, from the counters of
 * the hardware; below 0: not counted. */
static double find_happened(const struct run_cpu *cpu, const char *state)
{
	const size_t length = strlen(CORE_PREFIX) - 1;
	uint64_t depths = 0, from;
	double sum = 0;

	for (int pass = 0; pass < 2; pass++) {
		from = pass ? find_counter(state, depths) : 0;
		for (size_t i = 0; i < cpu->n_residencies; i++) {
			const struct named_figure *share = &cpu->residencies[i];
			const uint64_t depth = depth_of(share->name + length);

			if (strncmp(share->name, CORE_PREFIX, length + 1) != 0 ||
			    !figure_is_known(&share->figure))
				continue;
			if (!pass && depth < MOST_DEPTHS)
				depths |= UINT64_C(1) << depth;
			if (from && depth >= from)
				sum += share->figure.value;
		}
	}
	return from ? sum : -1;
}

/* A figure; -1 if it is missing. */
static double value_of(const struct figure *figure)
{
	return figure_is_known(figure) ? figure->value : -1;
}

void wake_take_block(const struct run_window *window, const struct cpuidle_state *state,
		     struct wake_block *ret_block)
{
	const struct run_cpu *cpu = window->cpus;
	const struct run_package *package = run_window_package(window, cpu);
	const bool has_share = state && state->number < cpu->n_idle;

	*ret_block = (struct wake_block){
		.was_run = true,
		.asked_percent = has_share ? value_of(&cpu->idle[state->number].time_percent) : -1,
		.happened_percent = state ? find_happened(cpu, state->name) : -1,
		.seconds = value_of(&window->seconds),
		.smis = value_of(&cpu->smi_count),
		.stolen_percent = value_of(&cpu->stolen_percent),
		.watts = package ? value_of(&package->watts) : -1,
	};
}

int wake_watch_end_block(struct wake_watch *watch, const struct cpuidle_state *state,
			 struct wake_block *ret_block)
{
	struct sources_reading *now = NULL;
	_cleanup_run_window_ struct run_window window = { 0 };
	int err = sources_read(watch->sources, &now);

	if (err)
		return err;
	err = sources_compare(watch->sources, watch->last, now, &window);
	sources_reading_free(&watch->last);
	watch->last = now;
	if (!err)
		wake_take_block(&window, state, ret_block);
	return err;
}

json_t *wake_watch_during(struct wake_watch *watch)
{
	_cleanup_run_window_ struct run_window window = { 0 };

	if (!watch->last || sources_compare(watch->sources, watch->first, watch->last, &window))
		return NULL;
	return json_write_fields(run_cpu_fields, window.cpus);
}

struct figure wake_find_demoted(const struct wake_plan *plan, const struct wake_cell *cell)
{
	double asked = 0, happened = 0;

	for (size_t i = 0; i < WAKE_BLOCKS; i++) {
		const struct wake_block *block = &cell->blocks[i];

		if (!block->was_run || block->asked_percent < 0 || block->happened_percent < 0)
			continue;
		asked += block->seconds * block->asked_percent;
		happened += block->seconds * block->happened_percent;
	}
	if (asked <= 0)
		return figure_make_missing("the core does not count this state");
	return figure_make(happened < asked ? 100 * (1 - happened / asked) : 0, 1,
			   plan->machine && plan->machine->host->model.name
				   ? FIGURE_MODEL DEMOTED_SOURCE
				   : DEMOTED_SOURCE);
}

/* The mean power of the package in the blocks, with its interval (Student's distribution). */
struct wake_watts wake_find_watts(const struct wake_cell *cell)
{
	struct wake_watts watts = { .is_known = false };
	double sum = 0, squares = 0, half, n = 0;

	for (size_t i = 0; i < WAKE_BLOCKS; i++) {
		const struct wake_block *block = &cell->blocks[i];

		if (!block->was_run || block->watts < 0)
			continue;
		n++;
		sum += block->watts;
	}
	if (n < WATTS_BLOCKS)
		return watts;
	for (size_t i = 0; i < WAKE_BLOCKS; i++) {
		const struct wake_block *block = &cell->blocks[i];
		const double off = block->watts - sum / n;

		if (block->was_run && block->watts >= 0)
			squares += off * off;
	}
	half = trial_student_limit(n - 1) * sqrt(squares / (n - 1) / n);
	return (struct wake_watts){ true, sum / n, sum / n - half, sum / n + half };
}

/* The largest latency of a block; 0: it has none. */
static uint64_t find_most(const struct wake_samples *samples, size_t block)
{
	const size_t begin = block ? samples->ends[block - 1] : 0;
	uint64_t most = 0;

	for (size_t i = begin; i < samples->ends[block]; i++) {
		if (samples->latencies_ns[i] > most)
			most = samples->latencies_ns[i];
	}
	return most;
}

/* A figure; missing if the value is below 0. */
static struct figure figure_if_known(double value, bool is_count)
{
	if (value < 0)
		return figure_make_missing(NULL);
	return is_count ? figure_make_count((uint64_t)value, NULL) : figure_make_exact(value);
}

int wake_find_outliers(const struct wake_cell *cell, const struct wake_samples *samples,
		       struct wake_row *row)
{
	const struct quantile p50 = statistics_find(samples->sorted_ns, samples->count, 500);

	row->outliers = calloc(WAKE_BLOCKS, sizeof(*row->outliers));
	if (!row->outliers)
		return -ENOMEM;
	row->has_outliers = true;
	for (size_t i = 0; i < WAKE_BLOCKS && p50.is_known; i++) {
		const struct wake_block *block = &cell->blocks[i];
		const uint64_t most_ns = find_most(samples, i);

		if (!block->was_run || most_ns <= WAKE_OUTLIER * p50.value ||
		    (block->smis <= 0 && block->stolen_percent <= 0))
			continue;
		row->outliers[row->n_outliers++] = (struct wake_outlier){
			.block = figure_make_count(i + 1, NULL),
			.max_us = figure_make_exact((double)most_ns / NS_PER_US),
			.smi_count = figure_if_known(block->smis, true),
			.stolen_percent = figure_if_known(block->stolen_percent, false),
		};
	}
	return 0;
}
