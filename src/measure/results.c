// SPDX-License-Identifier: GPL-2.0-only
/* The tables of fields of the results. */
#include "measure/results.h"

#include "measure/why.h"

#define FIELD(type, field, text) JSON_FIELD(type, field, text), .is_optional = true
#define FIELD_AS(type, field, text, what) \
	JSON_FIELD_AS(type, field, text, what), .is_optional = true
#define FIELD_PART(type, field, text, has_field) \
	FIELD_AS(type, field, text, JSON_PART), .has = offsetof(type, has_field)
#define CPU(type, field) JSON_FIELD(type, field, "cpu"), .max = CPUSET_MAX_CPU
#define ROWS(type, field, text, n_field, each) \
	JSON_ROWS_OF(type, field, text, n_field, each), .is_optional = true

/* The fields of a histogram; counted: the name of the counts. */
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
#define JITTER(field, text, quantile)                                                   \
	FIELD(struct jitter_cpu, field, text), .label = (quantile), .unit_label = "us", \
					       .decimals = 1
const struct json_field jitter_cpu_fields[] = {
	{ CPU(struct jitter_cpu, cpu), .label = "CPU" },
	{ FIELD(struct jitter_cpu, scheduling, "scheduling") },
	{ FIELD(struct jitter_cpu, cycles, "cycles") },
	{ FIELD(struct jitter_cpu, overruns, "overruns") },
	{ FIELD(struct jitter_cpu, gave_up, "gave-up") },
	{ JITTER(min_us, "min-us", "least"), .is_compared = true },
	{ JITTER(mean_us, "mean-us", "mean"), .is_compared = true },
	{ JITTER(p50_us, "p50-us", "p50") },
	{ JITTER(p99_us, "p99-us", "p99") },
	{ JITTER(p999_us, "p99.9-us", "p99.9") },
	{ JITTER(p9999_us, "p99.99-us", "p99.99") },
	{ JITTER(max_us, "max-us", "worst"), .is_compared = true },
	{ ROWS(struct jitter_cpu, histogram, "histogram", n_bins, bins_of_cycles) },
	{ ROWS(struct jitter_cpu, worst, "worst", n_worst, jitter_worst_fields) },
	{ 0 },
};
const struct json_field latency_samples_fields[] = {
	{ CPU(struct latency_samples, cpu) },
	{ FIELD(struct latency_samples, state, "state") },
	{ FIELD(struct latency_samples, requested, "requested") },
	{ FIELD(struct latency_samples, gap_us, "gap-us") },
	{ FIELD(struct latency_samples, ns, "ns") },
	{ ROWS(struct latency_samples, histogram, "histogram", n_bins, bins_of_cycles), .min = 1 },
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
	{ FIELD(struct wake_row, requested, "requested") },
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
	{ FIELD_AS(struct wake_row, excluded, "excluded", JSON_COUNTS),
	  .has = offsetof(struct wake_row, has_excluded), .words = wake_kind_names,
	  .max = WAKE_KINDS },
	{ FIELD(struct wake_row, demoted_percent, "demoted-percent") },
	{ ROWS(struct wake_row, outliers, "outliers", n_outliers, wake_outlier_fields),
	  .has = offsetof(struct wake_row, has_outliers) },
	{ FIELD(struct wake_row, watts, "watts"), .decimals = 1 },
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
const struct json_field wake_calibration_fields[] = {
	{ FIELD(struct wake_calibration, state, "state") },
	{ FIELD(struct wake_calibration, exit_us, "exit-us") },
	{ FIELD(struct wake_calibration, kernel_exit_us, "kernel-exit-us") },
	{ FIELD(struct wake_calibration, break_even_us, "break-even-us") },
	{ FIELD(struct wake_calibration, kernel_residency_us, "kernel-residency-us") },
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
	{ ROWS(struct wake_cpu, calibration, "calibration", n_calibration, wake_calibration_fields),
	  .has = offsetof(struct wake_cpu, has_calibration) },
	{ FIELD(struct wake_cpu, idle_table, "idle-table") },
	{ FIELD(struct wake_cpu, idle_table_reason, "idle-table-reason") },
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

static const struct json_field idle_share_fields[] = {
	{ FIELD(struct idle_share, name, "name") },
	{ FIELD(struct idle_share, entered, "entered") },
	{ FIELD(struct idle_share, time_percent, "time-percent") },
	{ FIELD(struct idle_share, too_short, "too-short") },
	{ FIELD(struct idle_share, too_long, "too-long") },
	{ FIELD(struct idle_share, rejected, "rejected") },
	{ 0 },
};
#define LIMITS(type)                                              \
	{ FIELD(type, limits.now, "limits"), .is_nullable = true, \
	  .has = offsetof(type, limits.is_read) },                \
		{ FIELD(type, limits.reason, "limits-reason") },  \
		{ FIELD(type, limits.earlier, "limits-earlier"),  \
		  .has = offsetof(type, limits.is_known) },       \
	{                                                         \
		FIELD(type, limits.source, "limits-source")       \
	}
const struct json_field run_cpu_fields[] = {
	{ FIELD(struct run_cpu, cpu, "cpu"), .max = CPUSET_MAX_CPU },
	{ FIELD(struct run_cpu, package, "package"), .max = UINT32_MAX },
	{ FIELD(struct run_cpu, is_isolated, "isolated"),
	  .has = offsetof(struct run_cpu, is_isolated) },
	{ FIELD(struct run_cpu, busy_percent, "busy-percent"), .decimals = 1,
	  .marks = RESULT_EXPLAINED },
	{ FIELD(struct run_cpu, mhz, "mhz"), .marks = RESULT_EXPLAINED },
	{ FIELD(struct run_cpu, smi_count, "smi-count") },
	{ FIELD(struct run_cpu, top_idle, "top-idle-state"), .is_nullable = true },
	{ FIELD(struct run_cpu, top_idle_reason, "top-idle-state-reason") },
	{ ROWS(struct run_cpu, idle, "idle-states", n_idle, idle_share_fields),
	  .is_nullable = true },
	{ FIELD(struct run_cpu, idle_reason, "idle-states-reason") },
	{ FIELD(struct run_cpu, idle_source, "idle-states-source") },
	{ JSON_NAMED_OF(struct run_cpu, residencies, "core-", n_residencies) },
	{ FIELD(struct run_cpu, c01_percent, "c01-percent") },
	{ FIELD(struct run_cpu, c02_percent, "c02-percent") },
	{ FIELD(struct run_cpu, throttle_count, "throttle-count") },
	{ FIELD(struct run_cpu, throttle_ms, "throttle-ms") },
	{ FIELD(struct run_cpu, stolen_percent, "stolen-percent") },
	LIMITS(struct run_cpu),
	{ FIELD(struct run_cpu, load, "load") },
	{ FIELD(struct run_cpu, load_cpu_percent, "load-cpu-percent") },
	{ FIELD(struct run_cpu, loop_mhz, "loop-mhz"), .marks = RESULT_EXPLAINED },
	{ FIELD(struct run_cpu, mhz_source, "mhz-source") },
	{ FIELD(struct run_cpu, is_below_minimum, "minimum-not-held"),
	  .has = offsetof(struct run_cpu, knows_minimum) },
	{ FIELD(struct run_cpu, class, "class") },
	{ FIELD(struct run_cpu, predicted_mhz, "predicted-mhz") },
	{ FIELD(struct run_cpu, not_taken_over_mhz, FREQUENCY_KEY_ABOVE) },
	{ FIELD(struct run_cpu, predicted_high_mhz, "predicted-high-mhz") },
	{ 0 },
};
static const struct json_field run_uncore_fields[] = {
	{ FIELD(struct run_uncore, name, "name") },
	{ FIELD(struct run_uncore, power_domain, "power-domain") },
	{ FIELD(struct run_uncore, mhz, "mhz") },
	{ 0 },
};
const struct json_field run_package_fields[] = {
	{ FIELD(struct run_package, package, "package"), .max = UINT32_MAX },
	{ FIELD(struct run_package, watts, "watts"), .decimals = 1, .column = "watts",
	  .marks = RESULT_EXPLAINED },
	{ FIELD(struct run_package, joules, "joules") },
	{ FIELD(struct run_package, dram_watts, "dram-watts"), .label = "memory watts",
	  .decimals = 1, .column = "DRAM watts", .rank = 3 },
	{ FIELD(struct run_package, dram_joules, "dram-joules") },
	{ FIELD(struct run_package, degrees_celsius, "degrees-celsius"),
	  .label = "degrees C at end", .column = "C at end", .rank = 1, .marks = RESULT_EXPLAINED },
	{ FIELD(struct run_package, throttle_count, "throttle-count") },
	{ FIELD(struct run_package, throttle_ms, "throttle-ms"), .label = "throttled ms",
	  .column = "throttle ms", .rank = 2, .marks = RESULT_EXPLAINED },
	{ JSON_NAMED_OF(struct run_package, residencies, "package-", n_residencies) },
	{ ROWS(struct run_package, uncore, "uncore", n_uncore, run_uncore_fields),
	  .is_nullable = true },
	{ FIELD(struct run_package, uncore_reason, "uncore-reason") },
	LIMITS(struct run_package),
	{ 0 },
};
static const struct json_field run_pipe_fields[] = {
	{ FIELD(struct run_pipe, cpus, "cpus") },
	{ FIELD(struct run_pipe, operations, "operations") },
	{ FIELD(struct run_pipe, usecs_per_op, "usecs-per-op") },
	{ FIELD(struct run_pipe, ops_per_second, "ops-per-second") },
	{ 0 },
};
const struct json_field run_process_fields[] = {
	{ FIELD(struct run_process, exit, "command-exit") },
	{ FIELD(struct run_process, user_seconds, "user-seconds") },
	{ FIELD(struct run_process, system_seconds, "system-seconds") },
	{ FIELD(struct run_process, max_rss_kib, "max-rss-kib") },
	{ FIELD(struct run_process, mhz, "mhz"), .marks = RESULT_EXPLAINED },
	{ FIELD(struct run_process, seconds, "seconds") },
	{ 0 },
};
const struct json_field run_window_fields[] = {
	{ FIELD(struct run_window, seconds, "seconds") },
	{ FIELD(struct run_window, tsc_mhz, "tsc-mhz") },
	{ ROWS(struct run_window, cpus, "cpus", n_cpus, run_cpu_fields) },
	{ ROWS(struct run_window, packages, "packages", n_packages, run_package_fields) },
	{ FIELD_PART(struct run_window, pipe, "pipe", has_pipe), .fields = run_pipe_fields },
	{ ROWS(struct run_window, intervals, RESULT_INTERVALS, n_intervals, run_window_fields),
	  .min = 1 },
	{ FIELD_PART(struct run_window, process, "process", has_process),
	  .fields = run_process_fields },
	{ 0 },
};

const struct json_field ladder_group_fields[] = {
	{ FIELD(struct ladder_group, promised_mhz, "promised-mhz") },
	{ FIELD(struct ladder_group, measured_mhz, "measured-mhz") },
	{ FIELD_AS(struct ladder_group, cpus, "cpus", JSON_NUMBERS) },
	{ FIELD(struct ladder_group, measured_source, "measured-mhz-source") },
	{ FIELD(struct ladder_group, slowest_cpu, "slowest-cpu") },
	{ FIELD(struct ladder_group, promised_high_mhz, "promised-high-mhz") },
	{ 0 },
};
static const struct json_field ladder_package_fields[] = {
	{ FIELD(struct ladder_package, package, "package"), .max = UINT32_MAX },
	{ FIELD(struct ladder_package, watts, "watts") },
	{ FIELD(struct ladder_package, limit_watts, "limit-watts") },
	{ 0 },
};
const struct json_field ladder_step_fields[] = {
	{ FIELD(struct ladder_step, cores, "cores") },
	{ FIELD(struct ladder_step, result, "result") },
	{ FIELD(struct ladder_step, reasons, "reasons") },
	{ FIELD_AS(struct ladder_step, not_checked, "not-checked-cpus", JSON_NUMBERS) },
	{ FIELD(struct ladder_step, notes, "notes") },
	{ JSON_ROWS_OF(struct ladder_step, groups, "groups", n_groups, ladder_group_fields) },
	{ ROWS(struct ladder_step, packages, "packages", n_packages, ladder_package_fields) },
	{ FIELD(struct ladder_step, cpu, "cpu") },
	{ 0 },
};
const struct json_field ladder_result_fields[] = {
	{ FIELD(struct ladder_result, load, "load") },
	{ FIELD(struct ladder_result, seconds_of_a_step, "seconds-of-a-step") },
	{ FIELD(struct ladder_result, tolerance_percent, "tolerance-percent") },
	{ FIELD(struct ladder_result, cores, "cores") },
	{ JSON_ROWS_OF(struct ladder_result, steps, "steps", n_steps, ladder_step_fields) },
	{ FIELD(struct ladder_result, passed, "passed") },
	{ FIELD(struct ladder_result, failed, "failed") },
	{ FIELD(struct ladder_result, not_checked, "not-checked") },
	{ FIELD(struct ladder_result, turbo_counts, "turbo-counts") },
	{ 0 },
};

const struct json_field why_measured_fields[] = {
	{ FIELD(struct run_cpu, cpu, "cpu") },
	{ FIELD(struct run_cpu, package, "package") },
	{ FIELD(struct run_cpu, class, "class") },
	{ FIELD(struct run_cpu, load, "load") },
	{ FIELD(struct run_cpu, busy_percent, "busy-percent") },
	{ FIELD(struct run_cpu, mhz, "mhz") },
	{ FIELD(struct run_cpu, mhz_source, "mhz-source") },
	{ FIELD(struct run_cpu, predicted_mhz, "predicted-mhz") },
	{ FIELD(struct run_cpu, predicted_high_mhz, "predicted-high-mhz") },
	{ FIELD(struct run_cpu, not_taken_over_mhz, FREQUENCY_KEY_ABOVE) },
	{ FIELD(struct run_cpu, is_below_minimum, "minimum-not-held"),
	  .has = offsetof(struct run_cpu, knows_minimum) },
	{ FIELD(struct run_cpu, limits.now, "limits"), .is_nullable = true,
	  .has = offsetof(struct run_cpu, limits.is_read) },
	{ FIELD(struct run_cpu, limits.source, "limits-source") },
	{ FIELD(struct run_cpu, limits.reason, "limits-reason") },
	{ FIELD(struct run_cpu, limits.earlier, "limits-earlier"),
	  .has = offsetof(struct run_cpu, limits.is_known) },
	{ FIELD(struct run_cpu, smi_count, "smi-count") },
	{ FIELD(struct run_cpu, stolen_percent, "stolen-percent") },
	{ 0 },
};
static const struct json_field why_upper_fields[] = {
	{ JSON_NAMED_OF(struct why_cpu, upper, "", n_upper) },
	{ 0 },
};
static const struct json_field why_price_fields[] = {
	{ FIELD(struct why_cpu, lowered, "cpus") },
	{ FIELD(struct why_cpu, at_most_mhz, "at-most-mhz") },
	{ FIELD(struct why_cpu, now_mhz, "now-mhz") },
	{ 0 },
};
const struct json_field why_cpu_fields[] = {
	{ FIELD(struct why_cpu, gap_percent, "gap-percent"), .is_signed = true },
	{ .name = "upper-limits", .kind = JSON_PART, .fields = why_upper_fields },
	{ FIELD(struct why_cpu, evidence, "evidence") },
	{ FIELD(struct why_cpu, limited_by, "limited-by") },
	{ FIELD(struct why_cpu, conclusion, "conclusion") },
	{ FIELD(struct why_cpu, setting, "setting"), .is_nullable = true },
	{ FIELD(struct why_cpu, setting_reason, "setting-reason") },
	{ .name = "setting-price",
	  .kind = JSON_PART,
	  .fields = why_price_fields,
	  .has = offsetof(struct why_cpu, has_price) },
	{ 0 },
};

const struct json_field why_result_fields[] = {
	{ FIELD(struct why_result, seconds, "seconds") },
	{ FIELD(struct why_result, cpus, "cpus") },
	{ ROWS(struct why_result, packages, "packages", n_packages, run_package_fields) },
	{ 0 },
};

#define PERCENT(field, text) \
	FIELD(struct trial_figure, field, text), .is_signed = true, .decimals = 2
const struct json_field trial_figure_fields[] = {
	{ FIELD(struct trial_figure, figure, "figure") },
	{ FIELD(struct trial_figure, without, "without") },
	{ FIELD(struct trial_figure, with, "with") },
	{ PERCENT(change_percent, "change-percent"), .label = "change %" },
	{ PERCENT(low_percent, "low-percent") },
	{ PERCENT(high_percent, "high-percent") },
	{ FIELD(struct trial_figure, result, "result") },
	{ FIELD(struct trial_figure, drifts, "drifts"), .label = "drift" },
	{ PERCENT(drift_percent, "drift-percent") },
	{ PERCENT(deviation_percent, "deviation-percent") },
	{ FIELD_AS(struct trial_figure, far_off, "far-off-runs", JSON_NUMBERS) },
	{ 0 },
};

#define COMPARED(figure, text, heading, digits)            \
	FIELD(struct trial_sample, figures[figure], text), \
		.is_compared = true, .label = (heading), .decimals = (digits)
const struct json_field trial_sample_fields[] = {
	{ FIELD(struct trial_sample, run, "run"), .max = UINT32_MAX },
	{ JSON_FIELD(struct trial_sample, is_with, "with") },
	{ COMPARED(RUN_SECONDS, "seconds", "seconds of the command", 3) },
	{ COMPARED(RUN_USECS_PER_OP, "usecs-per-op", "us per operation", 2) },
	{ COMPARED(RUN_OPS_PER_SECOND, "ops-per-second", "operations per s", 0) },
	{ COMPARED(RUN_MHZ, "mhz", "MHz, mean", 0) },
	{ COMPARED(RUN_WATTS, "watts", "W, all packages", 1) },
	{ COMPARED(RUN_JOULES, "joules", "J", 1) },
	{ 0 },
};
static const struct json_field trial_lack_fields[] = {
	{ FIELD(struct trial_lack, figure, "figure") },
	{ FIELD(struct trial_lack, reason, "reason") },
	{ 0 },
};
const struct json_field trial_requirement_fields[] = {
	{ FIELD(struct trial_requirement, requirement, "requirement") },
	{ FIELD(struct trial_requirement, is_met, "met") },
	{ 0 },
};
const struct json_field trial_result_fields[] = {
	{ FIELD(struct trial_result, runs, "runs") },
	{ FIELD(struct trial_result, document_file, "document-file") },
	{ FIELD(struct trial_result, work, "work") },
	{ ROWS(struct trial_result, figures, "figures", n_figures, trial_figure_fields) },
	{ ROWS(struct trial_result, missing, "missing", n_missing, trial_lack_fields) },
	{ ROWS(struct trial_result, requirements, "requirements", n_requirements,
	       trial_requirement_fields) },
	{ ROWS(struct trial_result, samples, RESULT_SAMPLES, n_samples, trial_sample_fields),
	  .min = 1 },
	{ 0 },
};

const struct json_field measured_machine_fields[] = {
	{ FIELD(struct measured_machine, c1_demotion, "c1-demotion") },
	{ FIELD(struct measured_machine, c1_reason, "c1-demotion-reason") },
	{ FIELD(struct measured_machine, kernel, "kernel"), .is_nullable = true },
	{ FIELD(struct measured_machine, kernel_reason, "kernel-reason") },
	{ JSON_FIELD(struct measured_machine, program, "program") },
	{ FIELD(struct measured_machine, processor, "processor"), .is_nullable = true },
	{ 0 },
};
static const struct json_field described_cpu_fields[] = {
	{ CPU(struct described_cpu, cpu) },
	{ FIELD(struct described_cpu, package, "package"), .max = UINT32_MAX },
	{ FIELD(struct described_cpu, die, "die"), .max = UINT32_MAX },
	{ FIELD(struct described_cpu, power_domain, "power-domain") },
	{ FIELD(struct described_cpu, core, "core") },
	{ FIELD(struct described_cpu, class, "class") },
	{ FIELD(struct described_cpu, clos, "clos") },
	{ FIELD(struct described_cpu, priority, "priority") },
	{ 0 },
};
static const struct json_field described_limit_fields[] = {
	{ FIELD(struct described_limit, limit, "limit") },
	{ FIELD(struct described_limit, mhz, "mhz") },
	{ FIELD(struct described_limit, high_mhz, FREQUENCY_KEY_HIGH) },
	{ 0 },
};
const struct json_field described_limits_fields[] = {
	{ CPU(struct described_limits, cpu) },
	{ FIELD(struct described_limits, package, "package"), .max = UINT32_MAX },
	{ FIELD(struct described_limits, class, "class") },
	{ FIELD(struct described_limits, mhz, "mhz") },
	{ FIELD(struct described_limits, bound_by, FREQUENCY_KEY_BOUND_BY) },
	{ ROWS(struct described_limits, steps, "steps", n_steps, described_limit_fields) },
	{ ROWS(struct described_limits, guaranteed, "guaranteed", n_guaranteed,
	       described_limit_fields) },
	{ FIELD(struct described_limits, high_mhz, FREQUENCY_KEY_HIGH) },
	{ FIELD(struct described_limits, active_cores_at_most, "active-cores-at-most") },
	{ 0 },
};
static const struct json_field described_cpus_fields[] = {
	{ ROWS(struct described_machine, cpus, "cpus", n_cpus, described_cpu_fields) },
	{ 0 },
};
const struct json_field described_machine_fields[] = {
	{ FIELD(struct described_machine, levels, "levels") },
	{ ROWS(struct described_machine, limits, "limits", n_limits, described_limits_fields) },
	{ .name = "machine",
	  .kind = JSON_PART,
	  .fields = described_cpus_fields,
	  .is_optional = true },
	{ 0 },
};

const struct json_field spread_figure_fields[] = {
	{ FIELD(struct spread_figure, figure, "figure") },
	{ FIELD(struct spread_figure, mean, "mean") },
	{ FIELD(struct spread_figure, lowest, "lowest") },
	{ FIELD(struct spread_figure, highest, "highest") },
	{ 0 },
};
const struct json_field compared_figure_fields[] = {
	{ FIELD(struct trial_figure, figure, "figure") },
	{ FIELD(struct trial_figure, without, "reference") },
	{ FIELD(struct trial_figure, with, "value") },
	{ PERCENT(change_percent, "change-percent"), .label = "change %" },
	{ PERCENT(low_percent, "low-percent") },
	{ PERCENT(high_percent, "high-percent") },
	{ FIELD(struct trial_figure, result, "result"), .is_nullable = true },
	{ 0 },
};
#define GROUP                                                                       \
	{ FIELD(struct compare_group, files, "files") },                            \
		{ FIELD(struct compare_group, side, "side"), .is_nullable = true }, \
	{                                                                           \
		FIELD(struct compare_group, runs, "runs")                           \
	}
static const struct json_field reference_fields[] = {
	GROUP,
	{ ROWS(struct compare_group, spread, "figures", n_spread, spread_figure_fields),
	  .has = offsetof(struct compare_group, is_alone) },
	{ 0 },
};
static const struct json_field comparison_fields[] = {
	GROUP,
	{ JSON_ROWS_OF(struct compare_group, figures, "figures", n_figures,
		       compared_figure_fields) },
	{ FIELD(struct compare_group, warnings, "warnings") },
	{ FIELD(struct compare_group, settings, "settings") },
	{ FIELD(struct compare_group, note, "note") },
	{ 0 },
};
const struct json_field compare_result_fields[] = {
	{ FIELD_AS(struct compare_result, reference, "reference", JSON_PART),
	  .fields = reference_fields },
	{ JSON_ROWS_OF(struct compare_result, comparisons, "comparisons", n_comparisons,
		       comparison_fields) },
	{ 0 },
};

void run_window_done(struct run_window *window)
{
	for (size_t i = 0; i < window->n_intervals; i++)
		texts_done(&window->intervals[i].texts);
	json_free_fields(run_window_fields, window);
	texts_done(&window->texts);
	*window = (struct run_window){ 0 };
}

void ladder_result_done(struct ladder_result *result)
{
	json_free_fields(ladder_result_fields, result);
	texts_done(&result->texts);
}

const struct run_package *run_window_package(const struct run_window *window,
					     const struct run_cpu *cpu)
{
	for (size_t i = 0; i < window->n_packages; i++) {
		if (window->packages[i].package == cpu->package)
			return &window->packages[i];
	}
	return NULL;
}
