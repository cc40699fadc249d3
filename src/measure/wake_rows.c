// SPDX-License-Identifier: GPL-2.0-only
/* The results of the rounds of measure wake: a row for each state and gap, with quantiles and their
 * intervals, and the excluded rounds (measure.md, "wake", 8 to 10). */
#include "measure/results.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "measure/statistics.h"

#define OWN_ROW_PERCENT 1 /* of the rounds: with more, another state has its own row */
#define SLOW            2 /* times the advertised latency: slower states are marked */
#define TARGET_SHARE    90 /* percent of the rounds must enter the state */
#define TARGET_PERMILLE 990 /* the quantile that a target is for */
#define NO_STATES       "no idle states"
#define BINS            32 /* below 1 us, 6 of each decade, 100 ms and more */

static void sort(const struct wake_samples *samples)
{
	if (samples->count)
		memcpy(samples->sorted_ns, samples->latencies_ns,
		       samples->count * sizeof(*samples->sorted_ns));
	statistics_sort(samples->sorted_ns, samples->count);
}

static struct quantile find_with_interval(const struct wake_samples *samples, unsigned int permille)
{
	const struct sample_blocks blocks = { samples->latencies_ns, samples->ends, WAKE_BLOCKS };
	struct quantile found = statistics_find(samples->sorted_ns, samples->count, permille);

	statistics_find_interval(&blocks, permille, &found);
	return found;
}

/* Sets a quantile, and the ends of its interval if low and high are not NULL. */
static void put_quantile(const struct wake_samples *samples, unsigned int permille,
			 struct texts *texts, struct figure *value, struct figure *low,
			 struct figure *high)
{
	const struct quantile found = find_with_interval(samples, permille);

	*value = found.is_known
			 ? figure_make_us(found.value)
			 : figure_make_missing(texts_take(
				   texts, text_format("%zu rounds are too few", samples->count)));
	if (!low)
		return;
	*low = found.has_interval ? figure_make_us(found.low) : figure_make_missing(NULL);
	*high = found.has_interval ? figure_make_us(found.high) : figure_make_missing(NULL);
}

static void put_quantiles(const struct wake_samples *samples, struct texts *texts,
			  struct wake_row *row)
{
	row->has_quantiles = true;
	put_quantile(samples, 500, texts, &row->p50_us, &row->p50_low_us, &row->p50_high_us);
	put_quantile(samples, 900, texts, &row->p90_us, NULL, NULL);
	put_quantile(samples, 990, texts, &row->p99_us, &row->p99_low_us, &row->p99_high_us);
	put_quantile(samples, 999, texts, &row->p999_us, NULL, NULL);
	row->max_us = samples->count ? figure_make_us(samples->sorted_ns[samples->count - 1])
				     : figure_make_missing(NULL);
}

/* Counts the excluded rounds of each kind. */
static void put_excluded(const struct wake_cell *cell, struct wake_row *row)
{
	row->has_excluded = true;
	for (enum wake_kind kind = WAKE_COUNTS + 1; kind < WAKE_KINDS; kind++)
		row->excluded[kind] = cell->kinds[kind];
}

static double share_of(const struct wake_cell *cell, uint32_t state)
{
	return cell->recorded ? 100.0 * (double)cell->by_state[state].count / (double)cell->recorded
			      : 0;
}

static const char *name_of(const struct wake_plan *plan, uint32_t state)
{
	return plan->idle.n_states ? plan->idle.states[state].name ?: "?" : NO_STATES;
}

/* Copies the name of a state for a result, which outlives the plan. */
static const char *keep_name(const struct wake_plan *plan, uint32_t state, struct texts *texts)
{
	return texts_take(texts, strdup(name_of(plan, state)));
}

/* The median of a state that was forced; its samples are sorted. */
static struct quantile find_p50(const struct wake_plan *plan, size_t gap, uint32_t state)
{
	const struct wake_samples *samples =
		&plan->cells[state * plan->n_gaps + gap].by_state[state];

	return statistics_find(samples->sorted_ns, samples->count, 500);
}

/* Returns true if a lighter state wakes at least as fast with the same power of the package. */
static bool has_no_gain(const struct wake_plan *plan, const struct wake_watts *watts, size_t gap,
			uint32_t state)
{
	const struct quantile p50 = find_p50(plan, gap, state);

	for (uint32_t i = 0; i < state && p50.is_known; i++) {
		const struct wake_watts lighter =
			wake_find_watts(&plan->cells[i * plan->n_gaps + gap]);
		const struct quantile of_lighter = find_p50(plan, gap, i);

		if (plan->is_measured[i] && lighter.is_known && of_lighter.is_known &&
		    watts->low <= lighter.mean && lighter.mean <= watts->high &&
		    p50.value >= of_lighter.value)
			return true;
	}
	return false;
}

static void put_watts(const struct wake_plan *plan, size_t gap, uint32_t state,
		      struct wake_row *row)
{
	const struct wake_watts watts = wake_find_watts(&plan->cells[state * plan->n_gaps + gap]);

	if (!watts.is_known) {
		row->watts = figure_make_missing(
			"the power of the package is unknown in too many blocks");
		return;
	}
	row->watts = figure_make(watts.mean, 2, NULL);
	row->watts_low = figure_make(watts.low, 2, NULL);
	row->watts_high = figure_make(watts.high, 2, NULL);
	row->has_gain = true;
	row->has_no_gain = has_no_gain(plan, &watts, gap, state);
}

/* The rows that are being made. */
struct making {
	const struct wake_plan *plan;
	struct wake_cpu *cpu;
	struct texts *texts;
};

/* Adds a row of a cell. NULL: no memory. */
static struct wake_row *add_row(struct making *making, const struct wake_cell *cell, size_t gap,
				const char *state, size_t rounds, double share)
{
	struct wake_row *row = array_add(&making->cpu->rows, &making->cpu->n_rows, sizeof(*row));

	if (!row)
		return NULL;
	*row = (struct wake_row){
		.state = state,
		.gap_us = figure_make_count(making->plan->gaps_us[gap], NULL),
		.rounds = figure_make_count(rounds, NULL),
		.recorded = figure_make_count(cell->recorded, NULL),
		.share_percent = figure_make_exact(share),
	};
	return row;
}

/* Adds the row of an entered state. requested: the requested state, or WAKE_ANY_STATE. */
static int add_measured(struct making *making, const struct wake_cell *cell, size_t gap,
			uint32_t requested, uint32_t state)
{
	const struct wake_plan *plan = making->plan;
	const struct wake_samples *samples = &cell->by_state[state];
	const struct cpuidle_state *about = plan->idle.n_states ? &plan->idle.states[state] : NULL;
	struct wake_row *row = add_row(making, cell, gap, keep_name(plan, state, making->texts),
				       samples->count, share_of(cell, state));
	int err = 0;

	if (!row)
		return -ENOMEM;
	if (requested != WAKE_ANY_STATE && requested != state)
		row->requested = keep_name(plan, requested, making->texts);
	row->exit_latency_us =
		about ? figure_make_count(about->latency_us, NULL) : figure_make_missing(NULL);
	put_quantiles(samples, making->texts, row);
	row->is_slow = about && about->latency_us && samples->count &&
		       (double)samples->sorted_ns[(samples->count - 1) / 2] / NS_PER_US >
			       (double)(SLOW * about->latency_us);
	if (requested == state || requested == WAKE_ANY_STATE)
		put_excluded(cell, row);
	if (plan->isolated && requested == state)
		row->demoted_percent = wake_find_demoted(plan, cell);
	if (plan->isolated)
		err = wake_find_outliers(cell, samples, row);
	if (plan->of_package && requested == state)
		put_watts(plan, gap, state, row);
	return err;
}

/* Adds a state that cannot be measured. */
static int add_limited(struct making *making, uint32_t state)
{
	const struct wake_plan *plan = making->plan;
	struct wake_row *row = array_add(&making->cpu->rows, &making->cpu->n_rows, sizeof(*row));

	if (!row)
		return -ENOMEM;
	*row = (struct wake_row){
		.state = keep_name(plan, state, making->texts),
		.is_bare = true,
		.p50_us = figure_make_missing(
			texts_take(making->texts, text_format("latency limit %" PRIu64 " us",
							      wake_find_limit(plan)))),
		.exit_latency_us = figure_make_count(plan->idle.states[state].latency_us, NULL),
	};
	return 0;
}

/* Adds a row if no round counts and no state was requested. */
static int add_empty(struct making *making, const struct wake_cell *cell, size_t gap)
{
	struct wake_row *row =
		add_row(making, cell, gap, making->plan->idle.n_states ? "any" : NO_STATES, 0, 0);

	if (!row)
		return -ENOMEM;
	row->is_bare = true;
	row->p50_us = figure_make_missing("no round counts");
	row->exit_latency_us = figure_make_missing(NULL);
	put_excluded(cell, row);
	return 0;
}

/* Adds the rows of a cell: for the requested state, and for others that were entered. */
static int add_cell(struct making *making, const struct wake_cell *cell, size_t gap,
		    uint32_t requested)
{
	const size_t before = making->cpu->n_rows;
	int err = 0;

	for (uint32_t i = 0; i < (making->plan->idle.n_states ?: 1) && !err; i++) {
		const struct wake_samples *samples = &cell->by_state[i];

		sort(samples);
		if (i == requested || (requested == WAKE_ANY_STATE && samples->count) ||
		    (samples->count && samples->count * 100 >= cell->recorded * OWN_ROW_PERCENT))
			err = add_measured(making, cell, gap, requested, i);
	}
	return err || making->cpu->n_rows != before ? err : add_empty(making, cell, gap);
}

int wake_make_rows(const struct wake_plan *plan, struct texts *texts, struct wake_cpu *cpu)
{
	struct making making = { .plan = plan, .cpu = cpu, .texts = texts };
	const uint32_t n_states = plan->forces ? (uint32_t)plan->idle.n_states : 1;
	int err = 0;

	for (uint32_t state = 0; state < n_states && !err; state++) {
		if (plan->forces && plan->is_limited[state])
			err = add_limited(&making, state);
		if (plan->forces && !plan->is_measured[state])
			continue;
		for (size_t gap = 0; gap < plan->n_gaps && !err; gap++)
			err = add_cell(&making, &plan->cells[state * plan->n_gaps + gap], gap,
				       plan->forces ? state : WAKE_ANY_STATE);
	}
	return err || texts->has_failed ? -ENOMEM : 0;
}

/* The end of a bin, in ns: 1, 1.5, 2, 3, 5, 7, 10 us and so on; UINT64_MAX for the last bin. */
static uint64_t bin_end_ns(size_t bin)
{
	static const uint64_t steps_ns[] = { 1000, 1500, 2000, 3000, 5000, 7000 };
	uint64_t decade = 1;

	if (bin + 1 >= BINS)
		return UINT64_MAX;
	for (size_t i = 0; i < bin / ARRAY_SIZE(steps_ns); i++)
		decade *= 10;
	return steps_ns[bin % ARRAY_SIZE(steps_ns)] * decade;
}

static void count_bins(const struct wake_samples *samples, size_t bins[BINS])
{
	for (size_t i = 0; i < samples->count; i++) {
		size_t bin = 0;

		while (samples->latencies_ns[i] >= bin_end_ns(bin) && bin + 1 < BINS)
			bin++;
		bins[bin]++;
	}
}

/* Adds the histogram of a state, unless it is empty. */
static int add_histogram(const size_t counts[BINS], const char *state, struct wake_cpu *cpu)
{
	size_t first = 0, end = BINS;
	struct wake_histogram *to;

	while (first < BINS && counts[first] == 0)
		first++;
	while (end > first && counts[end - 1] == 0)
		end--;
	if (first == end)
		return 0;
	to = array_add(&cpu->histograms, &cpu->n_histograms, sizeof(*to));
	if (!to)
		return -ENOMEM;
	*to = (struct wake_histogram){ .state = state, .bins = calloc(BINS, sizeof(*to->bins)) };
	if (!to->bins)
		return -ENOMEM;
	for (size_t i = first; i < end; i++)
		to->bins[to->n_bins++] = (struct histogram_bin){
			.from_us = figure_make_us(i ? bin_end_ns(i - 1) : 0),
			.to_us = i + 1 < BINS ? figure_make_us(bin_end_ns(i))
					      : figure_make_missing(NULL),
			.count = figure_make_count(counts[i], NULL),
		};
	return 0;
}

int wake_make_histograms(const struct wake_plan *plan, struct texts *texts, struct wake_cpu *cpu)
{
	for (uint32_t state = 0; state < (plan->idle.n_states ?: 1); state++) {
		size_t bins[BINS] = { 0 };
		int err;

		for (size_t gap = 0; gap < plan->n_gaps; gap++) {
			const uint32_t requested = plan->forces ? state : 0;

			count_bins(&plan->cells[requested * plan->n_gaps + gap].by_state[state],
				   bins);
		}
		err = add_histogram(bins, keep_name(plan, state, texts), cpu);
		if (err)
			return err;
	}
	return 0;
}

json_t *wake_make_samples(const struct wake_plan *plan)
{
	json_t *list = json_array();
	const uint32_t n_states = plan->forces ? (uint32_t)plan->idle.n_states : 1;

	for (size_t i = 0; i < n_states * plan->n_gaps; i++) {
		const uint32_t requested = (uint32_t)(i / plan->n_gaps);

		for (uint32_t state = 0; state < WAKE_STATES; state++) {
			const struct wake_samples *samples = &plan->cells[i].by_state[state];
			struct latency_samples to = {
				.cpu = plan->cpu,
				.state = samples->count ? name_of(plan, state) : NULL,
				.requested = plan->forces ? name_of(plan, requested) : NULL,
				.gap_us = figure_make_count(plan->gaps_us[i % plan->n_gaps], NULL),
				.ns = json_array(),
			};

			for (size_t k = 0; k < samples->count; k++)
				json_array_append_new(
					to.ns, json_integer((json_int_t)samples->latencies_ns[k]));
			if (samples->count)
				json_array_append_new(
					list, json_write_fields(latency_samples_fields, &to));
			json_decref(to.ns);
		}
	}
	return list;
}

/* Returns true if the state meets the target with all gaps. *ret_few: more rounds may show this. */
static bool meets(const struct wake_plan *plan, uint32_t state, uint64_t target_us, bool *ret_few)
{
	bool is_known = true;

	*ret_few = false;
	for (size_t gap = 0; gap < plan->n_gaps; gap++) {
		const struct wake_cell *cell = &plan->cells[state * plan->n_gaps + gap];
		const struct wake_samples *samples = &cell->by_state[state];
		struct quantile p50, p99;

		sort(samples);
		p50 = statistics_find(samples->sorted_ns, samples->count, 500);
		p99 = find_with_interval(samples, TARGET_PERMILLE);
		if (share_of(cell, state) < TARGET_SHARE ||
		    (p50.is_known && (double)p50.value / NS_PER_US > (double)target_us) ||
		    (p99.has_interval && (double)p99.high / NS_PER_US > (double)target_us))
			return false;
		is_known = is_known && p99.has_interval;
	}
	*ret_few = !is_known;
	return is_known;
}

const struct cpuidle_state *wake_find_deepest(const struct wake_plan *plan, uint64_t target_us,
					      size_t *ret_needed)
{
	*ret_needed = 0;
	for (size_t i = plan->forces ? plan->idle.n_states : 0; i > 0; i--) {
		bool is_short_of_rounds = false;

		if (!plan->is_measured[i - 1])
			continue;
		if (meets(plan, (uint32_t)(i - 1), target_us, &is_short_of_rounds))
			return &plan->idle.states[i - 1];
		if (is_short_of_rounds)
			*ret_needed = statistics_count_needed(TARGET_PERMILLE);
	}
	return NULL;
}
