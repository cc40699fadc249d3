/* SPDX-License-Identifier: GPL-2.0-only */
/* Structures for the results of the measure commands (measure.md). Each structure has a table of
 * fields, which writes its JSON, reads a saved file, and gives the headings of columns. JSON has
 * the members in the order of the table. The structures do not own their texts. */
#ifndef MEASURE_RESULTS_H
#define MEASURE_RESULTS_H

#include "measure/described.h"
#include "measure/latencies.h"

/* A mark of a field: if the figure is missing, the text of measure run shows the reason. */
#define RESULT_EXPLAINED 1

/* Members of a saved file that are too long to be shown. */
#define RESULT_SAMPLES   "samples"
#define RESULT_INTERVALS "intervals"

/* measure run: an idle state that the kernel asked for. */
struct idle_share {
	const char *name;
	struct figure entered, time_percent, too_short, too_long, rejected;
};

/* Why the hardware limited a CPU or a package: new reasons, and reasons from before. */
struct limit_words {
	bool is_read; /* false: JSON does not have the reasons */
	struct texts now, earlier; /* now.is_null: unknown, with a reason */
	bool is_known;
	const char *source, *reason;
};

struct run_cpu {
	uint32_t cpu, package;
	bool is_isolated;
	struct figure busy_percent, mhz, smi_count;
	const char *top_idle, *top_idle_reason; /* exactly one is set */
	struct idle_share *idle; /* NULL: see idle_reason */
	size_t n_idle;
	const char *idle_reason, *idle_source;
	struct named_figure *residencies; /* of the core, then of the module */
	size_t n_residencies;
	struct figure c01_percent, c02_percent, throttle_count, throttle_ms, stolen_percent;
	struct limit_words limits;
	const char *load; /* or NULL */
	struct figure load_cpu_percent, loop_mhz;
	const char *mhz_source; /* if a load measured mhz */
	bool knows_minimum, is_below_minimum; /* the minimum of its CLOS */
	const char *class;
	struct figure predicted_mhz, not_taken_over_mhz, predicted_high_mhz;
};

struct run_uncore {
	const char *name;
	struct figure power_domain, mhz;
};

struct run_package {
	uint32_t package;
	struct figure watts, joules, dram_watts, dram_joules, degrees_celsius;
	struct figure throttle_count, throttle_ms;
	struct named_figure *residencies;
	size_t n_residencies;
	struct run_uncore *uncore; /* NULL: see uncore_reason */
	size_t n_uncore;
	const char *uncore_reason;
	struct limit_words limits;
};

struct run_pipe {
	json_t *cpus; /* the two CPUs */
	struct figure operations, usecs_per_op, ops_per_second;
};

struct run_process {
	struct figure exit, user_seconds, system_seconds, max_rss_kib, mhz, seconds;
};

/* A window of time: a complete run, or an interval of a run. */
struct run_window {
	struct figure seconds, tsc_mhz;
	struct run_cpu *cpus; /* ascending */
	size_t n_cpus;
	struct run_package *packages;
	size_t n_packages;
	bool has_pipe;
	struct run_pipe pipe;
	struct run_window *intervals;
	size_t n_intervals;
	bool has_process;
	struct run_process process;
	struct texts texts; /* of its figures */
};

/* measure ladder: CPUs of a step with the same prediction. */
struct ladder_group {
	struct figure promised_mhz;
	struct figure measured_mhz; /* of the slowest CPU */
	struct cpuset cpus;
	const char *measured_source;
	struct figure slowest_cpu;
	struct figure promised_high_mhz; /* for machine verify */
};

struct ladder_package {
	uint32_t package;
	struct figure watts, limit_watts;
};

struct ladder_step {
	struct figure cores;
	const char *result; /* "pass", "fail", "not-checked" */
	struct texts reasons; /* why CPUs are not checked */
	struct cpuset not_checked;
	struct texts notes; /* limits that applied to CPUs that passed */
	struct ladder_group *groups;
	size_t n_groups;
	struct ladder_package *packages; /* packages with a busy CPU */
	size_t n_packages;
	struct figure cpu; /* the CPU that this step adds */
};

struct ladder_result {
	const char *load;
	struct figure seconds_of_a_step, tolerance_percent, cores;
	struct ladder_step *steps;
	size_t n_steps;
	struct figure passed, failed, not_checked;
	const char *turbo_counts; /* or NULL */
	struct texts texts;
};

/* measure try: a figure of both sides, and how it changed. */
struct trial_figure {
	const char *figure;
	struct figure without, with, change_percent, low_percent, high_percent;
	const char *result;
	bool drifts;
	struct figure drift_percent, deviation_percent;
	struct cpuset far_off; /* numbers of runs, from 1 */
};

/* measure compare: a figure of the runs of one group. */
struct spread_figure {
	const char *figure;
	struct figure mean, lowest, highest;
};

/* Saved measurements of the same settings and work. */
struct compare_group {
	json_t *files; /* an array of names */
	const char *side; /* of measure try; or NULL */
	struct figure runs; /* the largest number of values of a figure */
	bool is_alone; /* the only group: it has spread */
	struct spread_figure *spread;
	size_t n_spread;
	struct trial_figure *figures; /* if this is not the reference: compared with it */
	size_t n_figures;
	struct texts warnings;
	json_t *settings; /* settings that differ, with their names */
	const char *note; /* or NULL */
};

struct compare_result {
	struct compare_group reference;
	struct compare_group *comparisons;
	size_t n_comparisons;
};

/* A figure that is compared between runs: one number for a complete run. */
enum run_figure {
	RUN_SECONDS, /* of a command */
	RUN_USECS_PER_OP, /* of a pipe */
	RUN_OPS_PER_SECOND,
	RUN_MHZ, /* mean of the measured CPUs, weighted with the busy time; or of a command */
	RUN_WATTS, /* from here on: sums over all measured packages */
	RUN_JOULES,
	RUN_FIGURES
};

/* A run of a trial. */
struct trial_sample {
	uint32_t run; /* from 1 */
	bool is_with; /* with the document */
	struct figure figures[RUN_FIGURES];
};

struct trial_lack {
	const char *figure, *reason;
};

struct trial_requirement {
	const char *requirement;
	bool is_met;
};

struct trial_result {
	struct figure runs; /* of each side */
	const char *document_file;
	struct texts work;
	struct trial_figure *figures;
	size_t n_figures;
	struct trial_lack *missing;
	size_t n_missing;
	struct trial_requirement *requirements;
	size_t n_requirements;
	struct trial_sample *samples; /* for a saved file */
	size_t n_samples;
};

extern const struct json_field spread_figure_fields[], compared_figure_fields[],
	compare_result_fields[];
extern const struct json_field trial_sample_fields[], trial_requirement_fields[],
	trial_result_fields[];
extern const struct json_field run_cpu_fields[], run_package_fields[], run_window_fields[];
extern const struct json_field run_process_fields[];
extern const struct json_field ladder_group_fields[], ladder_step_fields[], ladder_result_fields[];
extern const struct json_field trial_figure_fields[];

/* Frees a window, and empties it. */
void run_window_done(struct run_window *window);
#define _cleanup_run_window_ __attribute__((cleanup(run_window_done)))

void ladder_result_done(struct ladder_result *result);
#define _cleanup_ladder_result_ __attribute__((cleanup(ladder_result_done)))

/* The package of a CPU of a window, or NULL. */
const struct run_package *run_window_package(const struct run_window *window,
					     const struct run_cpu *cpu);

#endif
