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

/* Texts of a figure that was compared, for tables: a mean with as many decimals as it deserves; its
 * change-percent; low-percent and high-percent. New ones; NULL: none, or no memory. */
char *measure_try_format_mean(const json_t *row, const char *key);
char *measure_try_format_change(const json_t *row);
char *measure_try_format_interval(const json_t *row);

/* Shows the document that it makes, as text. Returns 0 or -ENOMEM. */
int measure_try_show(struct context *context, const json_t *document);

#endif
