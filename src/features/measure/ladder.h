/* SPDX-License-Identifier: GPL-2.0-only */
/* measure ladder: are the promised frequencies reached (measure.md, "jitter, ladder, why")? */
#ifndef FEATURES_MEASURE_LADDER_H
#define FEATURES_MEASURE_LADDER_H

#include <jansson.h>

#include "run/context.h"

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

/* For machine verify: a few steps with the scalar load. *ret_document is as measure ladder has it
 * ("steps", "turbo-counts"), and groups of CPUs whose prediction is a range have
 * "promised-high-mhz"; it stays as it is after a problem, which is reported. Returns 0 or
 * -ENOMEM. */
int measure_ladder_short(struct context *context, json_t **ret_document);

#endif
