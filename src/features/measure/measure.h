/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of the feature word measure: handlers and their arguments. */
#ifndef FEATURES_MEASURE_MEASURE_H
#define FEATURES_MEASURE_MEASURE_H

#include "run/context.h"

struct measure_run_arguments {
	struct option_number seconds;
	bool each;
	bool each_interval;
	struct option_number interval_s;
	struct option_texts loads; /* KIND or KIND:SET */
	const char *pipe; /* A,B */
	bool limits;
	bool clear_limits;
	const char *save;
	struct option_rest command;
};

extern const struct option measure_run_options[];

/* measure run (measure.md, "run"): a handler, as struct command has it. */
int measure_run(struct context *context);

#endif
