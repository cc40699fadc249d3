/* SPDX-License-Identifier: GPL-2.0-only */
/* measure ladder: are the promised frequencies reached (measure.md, "jitter, ladder, why")? */
#ifndef FEATURES_MEASURE_LADDER_H
#define FEATURES_MEASURE_LADDER_H

#include "run/context.h"

struct ladder_result;

struct measure_ladder_arguments {
	bool all;
	struct option_number isa; /* one of levels_trl_words; not given: SSE */
	struct option_number seconds;
	struct option_number tolerance_percent;
	bool clear_limits;
	const char *save;
};

extern const struct option measure_ladder_options[];

/* A handler, as struct command has it. */
int measure_ladder(struct context *context);

/* For machine verify: a few steps with the scalar load; groups of CPUs whose prediction is a range
 * have the higher end, too. *ret_result stays as it is after a problem, which is reported. Returns
 * 0 or -ENOMEM. */
int measure_ladder_short(struct context *context, struct ladder_result *ret_result);

/* Shows the steps as text. Returns 0 or -ENOMEM. */
int measure_ladder_show(struct context *context, const struct ladder_result *result);

#endif
