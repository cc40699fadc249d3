/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of the feature word measure: their arguments, their handlers, and what shows their
 * results (measure.md). */
#ifndef FEATURES_MEASURE_MEASURE_H
#define FEATURES_MEASURE_MEASURE_H

#include "features/measure/common.h"
#include "run/context.h"

struct ladder_result;
struct measured_machine;
struct run_window;
struct trial_result;
struct wake_result;

/* In place of --cpu. */
#define MEASURE_ALL(type)                                                    \
	{                                                                    \
		0, "all", NULL, "All CPUs that are online and not isolated", \
			OPTION_FLAG(struct type, all)                        \
	}

/* What must come out, of the figures of these tables. */
#define MEASURE_REQUIRE(type, tables)                                                           \
	{                                                                                       \
		0, "require", "FIGURE<NUMBER",                                                  \
			"End with 6 unless the figure is below, or above (>), that everywhere", \
			OPTION_TEXTS(struct type, requires), .figures = (tables)                \
	}

struct measure_run_arguments {
	bool all;
	struct option_number seconds;
	bool each;
	bool each_interval;
	struct option_number interval_s;
	struct option_texts loads; /* KIND or KIND:SET */
	const char *pipe; /* A,B */
	bool limits;
	bool clear_limits;
	struct option_texts requires;
	const char *save;
	struct option_rest command;
};

struct measure_wake_arguments {
	bool all;
	struct option_number by; /* timer or futex */
	const char *states; /* names, comma between, or all */
	const char *gap; /* us, comma between */
	struct option_number samples;
	struct option_number target_us;
	bool no_force;
	bool allow_all;
	bool calibrate;
	struct option_number from; /* a CPU */
	struct option_texts requires;
	const char *save;
};

struct measure_jitter_arguments {
	bool all;
	struct option_number seconds;
	struct option_number interval_us;
	struct option_cpus disturb;
	struct option_number pulse_s;
	struct option_texts requires;
	const char *save;
};

struct measure_ladder_arguments {
	bool all;
	struct option_number isa; /* one of levels_trl_words; not given: SSE */
	struct option_number seconds;
	struct option_number tolerance_percent;
	bool clear_limits;
	struct option_texts requires;
	const char *save;
};

struct measure_try_arguments {
	const char *file; /* the document */
	bool all;
	struct option_number runs; /* of each side */
	struct option_number seconds;
	struct option_texts loads;
	const char *pipe;
	bool allow_offline;
	struct option_texts requires; /* "usecs-per-op<-5%" */
	const char *save;
	struct option_rest command;
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

/* Handlers, as struct command has them. */
int measure_run(struct context *context);
int measure_wake(struct context *context);
int measure_jitter(struct context *context);
int measure_ladder(struct context *context);
int measure_try(struct context *context);
int measure_compare(struct context *context);
int measure_report(struct context *context);

/* For machine verify: a few steps with the scalar load; groups of CPUs whose prediction is a range
 * have the higher end, too. *ret_result stays as it is after a problem, which is reported. Returns
 * 0 or -ENOMEM. */
int measure_ladder_short(struct context *context, struct ladder_result *ret_result);

/* Shows the steps as text. Returns 0 or -ENOMEM. */
int measure_ladder_show(struct context *context, const struct ladder_result *result);

/* Shows the result of the command as text. Returns 0 or
 * -ENOMEM. */
int measure_wake_show(struct context *context, const struct wake_result *result,
		      const struct measured_machine *machine);

/* Texts of a figure that was compared (a struct trial_figure), for tables: its means with as many
 * decimals as they deserve; its change; the interval of that. New ones; NULL: none, or no memory.
 */
char *measure_try_format_mean(double mean);
char *measure_try_format_without(const void *row);
char *measure_try_format_with(const void *row);
char *measure_try_format_change(const void *row);
char *measure_try_format_interval(const void *row);

/* Shows the result as text. Returns 0 or -ENOMEM. */
int measure_try_show(struct context *context, const struct trial_result *result);

/* Puts the text of an interval, and writes it if it goes to a standard stream; each: as below.
 * Returns 0 or -ENOMEM. */
int measure_show_window(struct context *context, const struct run_window *window, bool each);

/* Puts the text of measure run without that of its intervals; each: a row for each CPU, else for
 * CPUs that are equal. Returns 0 or -ENOMEM. */
int measure_show_run(struct context *context, const struct run_window *window, bool each);

/* Adds "machine" (each online CPU: its place, CLOS, class and priority), "levels" (as perf-profile
 * compare has them; none without Speed Select) and "limits" (of one CPU of each class that is
 * measured, in each package: what cpufreq explain says, for SSE) to a document. Isolated CPUs are
 * asked nothing. Returns 0 or -ENOMEM. */
int measurement_describe(const struct measurement *measurement, json_t *document);

#endif
