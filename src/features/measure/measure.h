/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of the feature word measure: their arguments, their handlers, and what shows their
 * results (measure.md). */
#ifndef FEATURES_MEASURE_MEASURE_H
#define FEATURES_MEASURE_MEASURE_H

#include "features/measure/common.h"
#include "run/context.h"

struct run_window;
struct trial_figure;

/* Options of all commands: --all, --require and --save. */
#define MEASURE_ALL                                                          \
	{                                                                    \
		0, "all", NULL, "All CPUs that are online and not isolated", \
			OPTION_FLAG(struct measure_arguments, all)           \
	}
#define MEASURE_REQUIRE(form, text)                                                         \
	{                                                                                   \
		0, "require", form, text, OPTION_TEXTS(struct measure_arguments, requires), \
			.figures = kind.tables                                              \
	}
#define MEASURE_REQUIRE_NUMBER   \
	MEASURE_REQUIRE(         \
		"FIGURE<NUMBER", \
		"Exit status 6 unless each value of the figure is below (with >: above) NUMBER")
#define MEASURE_SAVE(what)                                                                       \
	{                                                                                        \
		0, "save", "FILE", "Save " what ", and the state of the machine, for comparing", \
			OPTION_TEXT(struct measure_arguments, save), .path = OPTION_PATH_FILE    \
	}

/* Options for the work that runs. */
#define MEASURE_LOADS                                                                              \
	{ 0,                                                                                       \
	  "load",                                                                                  \
	  "KIND[:SET]",                                                                            \
	  "Keep the measured CPUs, or those of SET, busy: scalar, avx2, avx512 or tdp",            \
	  OPTION_TEXTS(struct measure_work_arguments, loads),                                      \
	  .words = load_kind_words },                                                              \
	{                                                                                          \
		0, "pipe", "A,B", "Let two processes on these CPUs wake each other through pipes", \
			OPTION_TEXT(struct measure_work_arguments, pipe)                           \
	}
#define MEASURE_COMMAND(text)                                                \
	{                                                                    \
		0, "command", "-- COMMAND...", text,                         \
			OPTION_REST(struct measure_work_arguments, command), \
			.path = OPTION_PATH_FILE                             \
	}

struct measure_run_arguments {
	struct measure_work_arguments work;
	struct option_number seconds;
	bool each_interval;
	struct option_number interval_s;
	bool limits;
	bool clear_limits;
};

struct measure_wake_arguments {
	struct measure_arguments common;
	struct option_number by; /* timer or futex */
	const char *states; /* names separated by commas, or all */
	const char *gap; /* us, separated by commas */
	struct option_number samples;
	struct option_number target_us;
	bool no_force;
	bool allow_all;
	bool calibrate;
	struct option_number from; /* a CPU */
};

struct measure_jitter_arguments {
	struct measure_arguments common;
	struct option_number seconds;
	struct option_number interval_us;
	struct option_cpus disturb;
	struct option_number pulse_s;
};

struct measure_ladder_arguments {
	struct measure_arguments common;
	struct option_number isa; /* one of levels_trl_words; not given: SSE */
	struct option_number seconds;
	struct option_number tolerance_percent;
	bool clear_limits;
};

struct measure_try_arguments {
	struct measure_work_arguments work; /* requirements: "usecs-per-op<-5%" */
	const char *file; /* the document */
	struct option_number runs; /* of each side */
	struct option_number seconds;
	bool allow_offline;
};

struct measure_compare_arguments {
	struct option_texts files;
};

struct measure_report_arguments {
	struct option_texts files; /* of --save */
};

extern const struct option measure_run_options[], measure_wake_options[], measure_jitter_options[],
	measure_ladder_options[], measure_try_options[], measure_compare_options[],
	measure_report_options[];

/* Handlers for struct command. */
int measure_run(struct context *context);
int measure_wake(struct context *context);
int measure_jitter(struct context *context);
int measure_ladder(struct context *context);
int measure_try(struct context *context);
int measure_compare(struct context *context);
int measure_report(struct context *context);

/* Functions for struct measure_kind, which show a result as text: a struct ladder_result,
 * wake_result, trial_result, or run_window without its intervals. measure run shows a row for each
 * CPU with --each, else for each group of equal CPUs. */
int measure_ladder_show(const struct measurement *measurement, const void *made);
int measure_wake_show(const struct measurement *measurement, const void *made);
int measure_try_show(const struct measurement *measurement, const void *made);
int measure_run_show(const struct measurement *measurement, const void *window);

/* Appends the table of figures that were compared; fields has their means and changes. */
void measure_try_put_figures(struct screen *screen, const struct trial_figure *figures,
			     size_t count, const struct json_field *fields);

/* A mean with its significant decimals: a new text; NULL: no memory. */
char *measure_try_format_mean(const struct figure *mean);

/* Shows the text of an interval, and flushes the output if it is a standard stream. Returns 0 or
 * -ENOMEM. */
int measure_show_window(struct context *context, const struct run_window *window);

/* Adds "machine" (location, CLOS, class and priority of each online CPU), "levels" (like
 * perf-profile compare; none without Speed Select) and "limits" (those that cpufreq explain shows
 * for SSE, for one CPU of each measured class in each package) to a document. Isolated CPUs are not
 * interrupted. Returns 0 or -ENOMEM. */
int measurement_describe(const struct measurement *measurement, json_t *document);

#endif
