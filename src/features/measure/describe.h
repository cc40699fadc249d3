/* SPDX-License-Identifier: GPL-2.0-only */
/* What --save keeps of the machine beside its settings, so that measure report can show it on
 * another machine (measure.md, "report"). */
#ifndef FEATURES_MEASURE_DESCRIBE_H
#define FEATURES_MEASURE_DESCRIBE_H

#include <jansson.h>

#include "features/measure/common.h"

/* Adds "machine" (each online CPU: its place, CLOS, class and priority), "levels" (as perf-profile
 * compare has them; none without Speed Select) and "limits" (of one CPU of each class that is
 * measured, in each package: what cpufreq explain says, for SSE) to a document. Isolated CPUs are
 * asked nothing. Returns 0 or -ENOMEM. */
int measurement_describe(const struct measurement *measurement, json_t *document);

#endif
