// SPDX-License-Identifier: GPL-2.0-only
/* The tables of fields of what was measured. */
#include "measure/results.h"

#define FIELD(type, field, text) JSON_FIELD(type, field, text), .is_optional = true
#define CPU(type, field)         JSON_FIELD(type, field, "cpu"), .max = CPUSET_MAX_CPU
#define ROWS(type, field, text, n_field, each) \
	JSON_ROWS_OF(type, field, text, n_field, each), .is_optional = true

/* A histogram, with the name of what it counts. */
#define HISTOGRAM(counted)                                                      \
	{                                                                       \
		{ FIELD(struct histogram_bin, from_us, "from-us") },            \
			{ FIELD(struct histogram_bin, to_us, "to-us") },        \
			{ FIELD(struct histogram_bin, count, counted) }, { 0 }, \
	}
static const struct json_field bins_of_cycles[] = HISTOGRAM("cycles");
static const struct json_field bins_of_rounds[] = HISTOGRAM("rounds");

static const struct json_field jitter_worst_fields[] = {
	{ FIELD(struct jitter_worst, latency_us, "latency-us") },
	{ FIELD(struct jitter_worst, at_s, "at-s") },
	{ FIELD(struct jitter_worst, coincided, "coincided") },
	{ 0 },
};
const struct json_field jitter_cpu_fields[] = {
	{ CPU(struct jitter_cpu, cpu), .label = "CPU" },
	{ FIELD(struct jitter_cpu, scheduling, "scheduling") },
	{ FIELD(struct jitter_cpu, cycles, "cycles") },
	{ FIELD(struct jitter_cpu, overruns, "overruns") },
	{ FIELD(struct jitter_cpu, gave_up, "gave-up") },
	{ FIELD(struct jitter_cpu, min_us, "min-us"), .is_compared = true, .label = "least",
	  .unit_label = "us", .decimals = 1 },
	{ FIELD(struct jitter_cpu, mean_us, "mean-us"), .is_compared = true, .label = "mean",
	  .unit_label = "us", .decimals = 1 },
	{ FIELD(struct jitter_cpu, max_us, "max-us"), .is_compared = true, .label = "worst",
	  .unit_label = "us", .decimals = 1 },
	{ ROWS(struct jitter_cpu, histogram, "histogram", n_bins, bins_of_cycles) },
	{ ROWS(struct jitter_cpu, worst, "worst", n_worst, jitter_worst_fields) },
	{ 0 },
};
const struct json_field jitter_result_fields[] = {
	{ FIELD(struct jitter_result, interval_us, "interval-us") },
	{ FIELD(struct jitter_result, seconds, "seconds") },
	{ FIELD(struct jitter_result, disturbers, "disturbed-by"), .max = CPUSET_MAX_CPU },
	{ JSON_ROWS_OF(struct jitter_result, cpus, "cpus", n_cpus, jitter_cpu_fields) },
	{ FIELD(struct jitter_result, smi_count, "smi-count") },
	{ 0 },
};

static const struct json_field wake_outlier_fields[] = {
	{ FIELD(struct wake_outlier, block, "block") },
	{ FIELD(struct wake_outlier, max_us, "max-us") },
	{ FIELD(struct wake_outlier, smi_count, "smi-count") },
	{ FIELD(struct wake_outlier, stolen_percent, "stolen-percent") },
	{ 0 },
};
#define US(field, text, quantile) \
	FIELD(struct wake_row, field, text), .label = (quantile), .unit_label = "us", .decimals = 2
const struct json_field wake_row_fields[] = {
	{ JSON_FIELD(struct wake_row, state, "state") },
	{ FIELD(struct wake_row, gap_us, "gap-us"), .label = "gap", .unit_label = "us" },
	{ FIELD(struct wake_row, rounds, "rounds") },
	{ FIELD(struct wake_row, recorded, "recorded") },
	{ FIELD(struct wake_row, share_percent, "share-percent") },
	{ FIELD(struct wake_row, requested, "asked-for") },
	{ FIELD(struct wake_row, exit_latency_us, "exit-latency-us"),
	  .has = offsetof(struct wake_row, has_quantiles), .label = "exit", .unit_label = "us" },
	{ US(p50_us, "p50-us", "p50"), .is_compared = true },
	{ US(p50_low_us, "p50-low-us", "p50") },
	{ US(p50_high_us, "p50-high-us", "p50") },
	{ US(p90_us, "p90-us", "p90"), .is_compared = true },
	{ US(p99_us, "p99-us", "p99"), .is_compared = true },
	{ US(p99_low_us, "p99-low-us", "p99") },
	{ US(p99_high_us, "p99-high-us", "p99") },
	{ US(p999_us, "p99.9-us", "p99.9"), .is_compared = true },
	{ US(max_us, "max-us", "worst"), .is_compared = true },
	{ FIELD(struct wake_row, exit_latency_us, "exit-latency-us"),
	  .has = offsetof(struct wake_row, is_bare) },
	{ FIELD(struct wake_row, is_slow, "slow"),
	  .has = offsetof(struct wake_row, has_quantiles) },
	{ JSON_FIELD_AS(struct wake_row, excluded, "excluded", JSON_COUNTS), .is_optional = true,
	  .has = offsetof(struct wake_row, has_excluded), .words = wake_kind_names,
	  .max = WAKE_KINDS },
	{ FIELD(struct wake_row, demoted_percent, "demoted-percent") },
	{ ROWS(struct wake_row, outliers, "outliers", n_outliers, wake_outlier_fields) },
	{ FIELD(struct wake_row, watts, "watts") },
	{ FIELD(struct wake_row, watts_low, "watts-low") },
	{ FIELD(struct wake_row, watts_high, "watts-high") },
	{ FIELD(struct wake_row, has_no_gain, "no-gain"),
	  .has = offsetof(struct wake_row, has_gain) },
	{ 0 },
};

static const struct json_field wake_histogram_fields[] = {
	{ FIELD(struct wake_histogram, state, "state") },
	{ ROWS(struct wake_histogram, bins, "bins", n_bins, bins_of_rounds) },
	{ 0 },
};
const struct json_field wake_cpu_fields[] = {
	{ CPU(struct wake_cpu, cpu) },
	{ FIELD(struct wake_cpu, package, "package"), .max = UINT32_MAX },
	{ FIELD(struct wake_cpu, threads, "threads"), .max = CPUSET_MAX_CPU },
	{ FIELD(struct wake_cpu, busy_percent, "busy-percent") },
	{ JSON_ROWS_OF(struct wake_cpu, rows, "rows", n_rows, wake_row_fields) },
	{ ROWS(struct wake_cpu, histograms, "histograms", n_histograms, wake_histogram_fields) },
	{ FIELD(struct wake_cpu, busy_reason, "busy-percent-reason") },
	{ FIELD(struct wake_cpu, during, "during"), .is_nullable = true },
	{ FIELD(struct wake_cpu, waker_cpu, "waker-cpu") },
	{ FIELD(struct wake_cpu, target_us, "target-us") },
	{ FIELD(struct wake_cpu, deepest, "deepest"), .is_nullable = true,
	  .has = offsetof(struct wake_cpu, has_target) },
	{ FIELD(struct wake_cpu, command, "command") },
	{ FIELD(struct wake_cpu, deepest_reason, "deepest-reason") },
	{ 0 },
};
const struct json_field wake_result_fields[] = {
	{ FIELD(struct wake_result, by, "by") },
	{ FIELD(struct wake_result, forced, "forced") },
	{ FIELD(struct wake_result, scheduling, "scheduling") },
	{ FIELD(struct wake_result, idle_driver, "idle-driver"), .is_nullable = true },
	{ FIELD(struct wake_result, idle_governor, "idle-governor"), .is_nullable = true },
	{ FIELD(struct wake_result, samples_wanted, "samples-wanted") },
	{ JSON_ROWS_OF(struct wake_result, cpus, "cpus", n_cpus, wake_cpu_fields) },
	{ 0 },
};
