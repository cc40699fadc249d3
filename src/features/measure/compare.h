/* SPDX-License-Identifier: GPL-2.0-only */
/* measure compare: how saved measurements differ. */
#ifndef FEATURES_MEASURE_COMPARE_H
#define FEATURES_MEASURE_COMPARE_H

#include "run/context.h"

struct measure_compare_arguments {
	struct option_texts files;
};

extern const struct option measure_compare_options[];

/* measure compare (measure.md, "try"): a handler, as struct command has it. */
int measure_compare(struct context *context);

#endif
