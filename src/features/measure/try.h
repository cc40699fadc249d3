/* SPDX-License-Identifier: GPL-2.0-only */
/* measure try: what a state document changes, by runs without and with it. */
#ifndef FEATURES_MEASURE_TRY_H
#define FEATURES_MEASURE_TRY_H

#include "run/context.h"

struct measure_try_arguments {
	const char *state; /* a file */
	struct option_number runs; /* of each side */
	struct option_number seconds;
	struct option_texts loads;
	const char *pipe;
	bool allow_offline;
	struct option_texts requires; /* "usecs-per-op<-5%" */
	const char *save;
	struct option_rest command;
};

extern const struct option measure_try_options[];

/* measure try (measure.md, "try"): a handler, as struct command has it. */
int measure_try(struct context *context);

struct trial_result;

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

#endif
