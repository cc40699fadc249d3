/* SPDX-License-Identifier: GPL-2.0-only */
/* The results of measure jitter and measure wake. Other results are in measure/results.h. */
#ifndef MEASURE_LATENCIES_H
#define MEASURE_LATENCIES_H

#include "base/json_fields.h"
#include "measure/wake.h"

/* A range of times, and the number of times in the range. to_us is null in the last range. */
struct histogram_bin {
	struct figure from_us, to_us, count;
};

/* measure jitter: a cycle of a CPU with one of the largest latencies. */
struct jitter_worst {
	double latency_us, at_s;
	struct texts coincided; /* possible causes of the latency */
};

struct jitter_cpu {
	uint32_t cpu;
	const char *scheduling;
	struct figure cycles, overruns;
	bool gave_up;
	struct figure min_us, mean_us, p50_us, p99_us, p999_us, p9999_us, max_us;
	struct histogram_bin *histogram;
	size_t n_bins;
	struct jitter_worst *worst;
	size_t n_worst;
};

/* Latencies for a saved file, in the order measured; or their histogram. */
struct latency_samples {
	uint32_t cpu;
	const char *state, *requested; /* of measure wake; or NULL */
	struct figure gap_us;
	json_t *ns; /* an array; or NULL */
	struct histogram_bin *histogram; /* or NULL */
	size_t n_bins;
};

struct jitter_result {
	struct figure interval_us, seconds;
	struct cpuset disturbers;
	struct jitter_cpu *cpus;
	size_t n_cpus;
	struct figure smi_count;
};

/* measure wake: a block whose outliers have an explanation. */
struct wake_outlier {
	struct figure block, max_us, smi_count, stolen_percent; /* block: from 1 */
};

/* A state that was entered, after one gap. */
struct wake_row {
	const char *state;
	struct figure gap_us, rounds, recorded, share_percent;
	const char *requested; /* if another state was requested; or NULL */
	bool is_bare; /* no round counts; JSON has the exit latency after the quantiles */
	bool has_quantiles; /* JSON has the exit latency before them */
	struct figure exit_latency_us;
	struct figure p50_us, p50_low_us, p50_high_us, p90_us, p99_us, p99_low_us, p99_high_us,
		p999_us, max_us;
	bool is_slow;
	bool has_excluded;
	uint64_t excluded[WAKE_KINDS]; /* rounds that do not count, for each kind */
	struct figure demoted_percent;
	bool has_outliers; /* outliers were searched for */
	struct wake_outlier *outliers;
	size_t n_outliers;
	struct figure watts, watts_low, watts_high;
	bool has_gain, has_no_gain; /* has_gain: has_no_gain is known */
};

/* The latencies of a state after all gaps. */
struct wake_histogram {
	const char *state;
	struct histogram_bin *bins;
	size_t n_bins;
};

/* What the kernel's table of idle states should have for a state (docs/spec/power.md). */
struct wake_calibration {
	const char *state;
	struct figure exit_us, break_even_us;
	struct figure kernel_exit_us, kernel_residency_us; /* the current table */
};

struct wake_cpu {
	uint32_t cpu;
	uint32_t package;
	struct cpuset threads;
	struct figure busy_percent;
	const char *busy_reason;
	struct wake_row *rows;
	size_t n_rows;
	struct wake_histogram *histograms;
	size_t n_histograms;
	json_t *during; /* what was counted during the measurement, or NULL */
	struct figure waker_cpu;
	struct figure target_us;
	bool has_target; /* deepest and the next two are known */
	const char *deepest, *command, *deepest_reason;
	bool has_calibration;
	struct wake_calibration *calibration;
	size_t n_calibration;
	const char *idle_table, *idle_table_reason; /* the boot parameter; why it has no effect */
};

struct wake_result {
	const char *by;
	bool forced;
	const char *scheduling, *idle_driver, *idle_governor;
	struct figure samples_wanted;
	struct wake_cpu *cpus;
	size_t n_cpus;
};

extern const struct json_field latency_samples_fields[];
extern const struct json_field jitter_cpu_fields[], jitter_result_fields[];
extern const struct json_field wake_calibration_fields[], wake_row_fields[], wake_cpu_fields[],
	wake_result_fields[];

#endif
