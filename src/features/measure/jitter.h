/* SPDX-License-Identifier: GPL-2.0-only */
/* measure jitter: how late timers wake threads, for some time (measure.md, "jitter"). */
#ifndef FEATURES_MEASURE_JITTER_H
#define FEATURES_MEASURE_JITTER_H

#include "run/context.h"

struct measure_jitter_arguments {
	struct option_number seconds;
	struct option_number interval_us;
	struct option_cpus disturb;
	struct option_number pulse_s;
	const char *save;
};

extern const struct option measure_jitter_options[];

/* A handler, as struct command has it. */
int measure_jitter(struct context *context);

#endif
