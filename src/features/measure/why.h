/* SPDX-License-Identifier: GPL-2.0-only */
/* measure why: what keeps CPUs from a higher frequency (measure.md, "jitter, ladder, why")? */
#ifndef FEATURES_MEASURE_WHY_H
#define FEATURES_MEASURE_WHY_H

#include "run/context.h"

struct measure_why_arguments {
	struct option_number seconds;
	struct option_number load; /* one of the words of the option */
	bool clear_limits;
};

extern const struct option measure_why_options[];

/* A handler, as struct command has it. */
int measure_why(struct context *context);

#endif
