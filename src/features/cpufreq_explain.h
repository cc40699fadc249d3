/* SPDX-License-Identifier: GPL-2.0-only */
/* cpufreq explain, for the table. */
#ifndef FEATURES_CPUFREQ_EXPLAIN_H
#define FEATURES_CPUFREQ_EXPLAIN_H

#include "cli/context.h"

/* Handler, as struct command describes it. */
int cpufreq_explain(struct context *context, const void *arguments);

#endif
