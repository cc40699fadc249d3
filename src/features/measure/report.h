/* SPDX-License-Identifier: GPL-2.0-only */
/* measure report: a page of what was measured (measure.md, "report"). */
#ifndef FEATURES_MEASURE_REPORT_H
#define FEATURES_MEASURE_REPORT_H

#include "run/context.h"

struct measure_report_arguments {
	struct option_texts files; /* of --save */
};

extern const struct option measure_report_options[];

/* A handler, as struct command has it. */
int measure_report(struct context *context);

#endif
