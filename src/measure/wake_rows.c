// SPDX-License-Identifier: GPL-2.0-only
/* What the rounds of measure wake tell: a row for each state and gap, with quantiles and their
 * intervals, and what was left out (measure.md, "wake", 8 to 10). */
#include "measure/wake.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "measure/figure.h"
#include "measure/statistics.h"

#define OWN_ROW_PERCENT 1 /* of the rounds: another state has a row of its own */
#define SLOW            2 /* times the advertised latency: marked */
#define TARGET_SHARE    90 /* percent */
#define TARGET_PERMILLE 990 /* the quantile that a target is for */
#define NO_STATES       "no idle states"
#define BINS            32 /* below 1 us, 6 of each decade, 100 ms and more */

static const struct {
	unsigned int permille;
	const char *name, *low, *high; /* without an interval: NULL */
} quantiles[] = {
	{ 500, "p50-us", "p50-low-us", "p50-high-us" },
	{ 900, "p90-us", NULL, NULL },
	{ 990, "p99-us", "p99-low-us", "p99-high-us" },
	{ 999, "p99.9-us", NULL, NULL },
};

static json_t *us(uint64_t ns)
{
	return json_real((double)ns / NS_PER_US);
}

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

static void put_quantiles(json_t *row, const struct wake_samples *samples)
{
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++) {
		const struct quantile found = find_with_interval(samples, quantiles[i].permille);
		_cleanup_free_ char *reason = text_format("%s-reason", quantiles[i].name);

		json_object_set_new(row, quantiles[i].name,
				    found.is_known ? us(found.value) : json_null());
		if (!found.is_known)
			json_object_set_new(row, reason ?: "",
					    json_sprintf("%zu rounds are too few", samples->count));
		if (!quantiles[i].low)
			continue;
		json_object_set_new(row, quantiles[i].low,
				    found.has_interval ? us(found.low) : json_null());
		json_object_set_new(row, quantiles[i].high,
				    found.has_interval ? us(found.high) : json_null());
	}
	json_object_set_new(row, "max-us",
			    samples->count ? us(samples->sorted_ns[samples->count - 1])
					   : json_null());
}

/* How many rounds were left out, by kind; those of no kind are not there. */
static json_t *make_excluded(const struct wake_cell *cell)
{
	json_t *excluded = json_object();

	for (enum wake_kind kind = WAKE_COUNTS + 1; kind < WAKE_KINDS; kind++) {
		if (cell->kinds[kind])
			json_object_set_new(excluded, wake_kind_names[kind],
					    json_integer((json_int_t)cell->kinds[kind]));
	}
	return excluded;
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

/* The median of a state that was forced; its samples are sorted. */
static struct quantile find_p50(const struct wake_plan *plan, size_t gap, uint32_t state)
{
	const struct wake_samples *samples =
		&plan->cells[state * plan->n_gaps + gap].by_state[state];

	return statistics_find(samples->sorted_ns, samples->count, 500);
}

/* Does the package use as much power as with a lighter state that wakes no slower? */
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

static void put_watts(const struct wake_plan *plan, json_t *row, size_t gap, uint32_t state)
{
	const struct wake_watts watts = wake_find_watts(&plan->cells[state * plan->n_gaps + gap]);

	if (!watts.is_known) {
		figure_lack(row, "watts", "the power of the package is not known in enough blocks");
		return;
	}
	figure_set(row, "watts", watts.mean, 2, NULL);
	figure_set(row, "watts-low", watts.low, 2, NULL);
	figure_set(row, "watts-high", watts.high, 2, NULL);
	json_object_set_new(row, "no-gain", json_boolean(has_no_gain(plan, &watts, gap, state)));
}

/* The row of a state that was entered; asked: the one that was asked for, or WAKE_ANY_STATE. */
static json_t *make_row(const struct wake_plan *plan, const struct wake_cell *cell, size_t gap,
			uint32_t asked, uint32_t state)
{
	const struct wake_samples *samples = &cell->by_state[state];
	const struct cpuidle_state *about = plan->idle.n_states ? &plan->idle.states[state] : NULL;
	const bool is_own = asked == state || asked == WAKE_ANY_STATE;
	json_t *row = json_pack("{s:s, s:I, s:I, s:I, s:f}", "state", name_of(plan, state),
				"gap-us", (json_int_t)plan->gaps_us[gap], "rounds",
				(json_int_t)samples->count, "recorded", (json_int_t)cell->recorded,
				"share-percent", share_of(cell, state));
	bool is_slow = about && about->latency_us && samples->count &&
		       (double)samples->sorted_ns[(samples->count - 1) / 2] / NS_PER_US >
			       (double)(SLOW * about->latency_us);

	if (!row)
		return NULL;
	if (asked != WAKE_ANY_STATE && asked != state)
		json_object_set_new(row, "asked-for", json_string(name_of(plan, asked)));
	json_object_set_new(row, "exit-latency-us",
			    about ? json_integer((json_int_t)about->latency_us) : json_null());
	put_quantiles(row, samples);
	json_object_set_new(row, "slow", json_boolean(is_slow));
	if (is_own)
		json_object_set_new(row, "excluded", make_excluded(cell));
	if (plan->isolated && asked == state)
		wake_put_demoted(row, cell);
	if (plan->isolated)
		wake_put_outliers(row, cell, samples);
	if (plan->of_package && asked == state)
		put_watts(plan, row, gap, state);
	return row;
}

/* A state that cannot be measured. */
static json_t *make_limited(const struct wake_plan *plan, uint32_t state)
{
	_cleanup_free_ char *reason =
		text_format("latency limit %" PRIu64 " us", wake_find_limit(plan));

	return json_pack("{s:s, s:n, s:s, s:I}", "state", name_of(plan, state), "p50-us",
			 "p50-us-reason", reason ?: "", "exit-latency-us",
			 (json_int_t)plan->idle.states[state].latency_us);
}

/* No round counts, and no state was asked for. */
static json_t *make_empty(const struct wake_plan *plan, const struct wake_cell *cell, size_t gap)
{
	return json_pack("{s:s, s:I, s:i, s:I, s:f, s:n, s:s, s:n, s:o}", "state",
			 plan->idle.n_states ? "any" : NO_STATES, "gap-us",
			 (json_int_t)plan->gaps_us[gap], "rounds", 0, "recorded",
			 (json_int_t)cell->recorded, "share-percent", 0.0, "p50-us",
			 "p50-us-reason", "no round counts", "exit-latency-us", "excluded",
			 make_excluded(cell));
}

/* The rows of a cell: of the state that was asked for, and of others that it entered. */
static void add_rows(const struct wake_plan *plan, const struct wake_cell *cell, size_t gap,
		     uint32_t asked, json_t *rows)
{
	const size_t before = json_array_size(rows);

	for (uint32_t i = 0; i < (plan->idle.n_states ?: 1); i++) {
		const struct wake_samples *samples = &cell->by_state[i];

		sort(samples);
		if (i == asked || (asked == WAKE_ANY_STATE && samples->count) ||
		    (samples->count && samples->count * 100 >= cell->recorded * OWN_ROW_PERCENT))
			json_array_append_new(rows, make_row(plan, cell, gap, asked, i));
	}
	if (json_array_size(rows) == before)
		json_array_append_new(rows, make_empty(plan, cell, gap));
}

json_t *wake_make_rows(const struct wake_plan *plan)
{
	json_t *rows = json_array();
	const uint32_t n_states = plan->forces ? (uint32_t)plan->idle.n_states : 1;

	for (uint32_t state = 0; state < n_states; state++) {
		if (plan->forces && plan->is_limited[state])
			json_array_append_new(rows, make_limited(plan, state));
		if (plan->forces && !plan->is_measured[state])
			continue;
		for (size_t gap = 0; gap < plan->n_gaps; gap++)
			add_rows(plan, &plan->cells[state * plan->n_gaps + gap], gap,
				 plan->forces ? state : WAKE_ANY_STATE, rows);
	}
	return rows;
}

/* The end of a bin, in ns: 1, 1.5, 2, 3, 5, 7, 10 us and so on; of the last one UINT64_MAX. */
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

static json_t *make_bins(const size_t bins[BINS])
{
	json_t *list = json_array();
	size_t first = 0, end = BINS;

	while (first < BINS && bins[first] == 0)
		first++;
	while (end > first && bins[end - 1] == 0)
		end--;
	for (size_t i = first; i < end; i++)
		json_array_append_new(list,
				      json_pack("{s:o, s:o, s:I}", "from-us",
						i ? us(bin_end_ns(i - 1)) : us(0), "to-us",
						i + 1 < BINS ? us(bin_end_ns(i)) : json_null(),
						"rounds", (json_int_t)bins[i]));
	return list;
}

json_t *wake_make_histograms(const struct wake_plan *plan)
{
	json_t *list = json_array();

	for (uint32_t state = 0; state < (plan->idle.n_states ?: 1); state++) {
		size_t bins[BINS] = { 0 };
		json_t *of_state;

		for (size_t gap = 0; gap < plan->n_gaps; gap++) {
			const uint32_t asked = plan->forces ? state : 0;

			count_bins(&plan->cells[asked * plan->n_gaps + gap].by_state[state], bins);
		}
		of_state = make_bins(bins);
		if (json_array_size(of_state))
			json_array_append_new(list,
					      json_pack("{s:s, s:O}", "state", name_of(plan, state),
							"bins", of_state));
		json_decref(of_state);
	}
	return list;
}

json_t *wake_make_samples(const struct wake_plan *plan)
{
	json_t *list = json_array();
	const uint32_t n_states = plan->forces ? (uint32_t)plan->idle.n_states : 1;

	for (size_t i = 0; i < n_states * plan->n_gaps; i++) {
		const uint32_t asked = (uint32_t)(i / plan->n_gaps);

		for (uint32_t state = 0; state < WAKE_STATES; state++) {
			const struct wake_samples *samples = &plan->cells[i].by_state[state];
			json_t *ns = samples->count ? json_array() : NULL;

			for (size_t k = 0; k < samples->count; k++)
				json_array_append_new(
					ns, json_integer((json_int_t)samples->latencies_ns[k]));
			if (ns)
				json_array_append_new(
					list, json_pack("{s:I, s:s, s:s*, s:I, s:o}", "cpu",
							(json_int_t)plan->cpu, "state",
							name_of(plan, state), "asked-for",
							plan->forces ? name_of(plan, asked) : NULL,
							"gap-us",
							(json_int_t)plan->gaps_us[i % plan->n_gaps],
							"ns", ns));
		}
	}
	return list;
}

/* Does the state meet the target with all gaps? *ret_few: it could, with more rounds. */
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
