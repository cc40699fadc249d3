/* SPDX-License-Identifier: GPL-2.0-only */
/* What was measured, as text: tables of CPUs and packages, and what could not be measured. */
#ifndef FEATURES_MEASURE_SHOW_H
#define FEATURES_MEASURE_SHOW_H

#include "measure/results.h"
#include "run/context.h"

/* Puts the text of an interval, and writes it if it goes to a standard stream; each: as below.
 * Returns 0 or -ENOMEM. */
int measure_show_window(struct context *context, const struct run_window *window, bool each);

/* Puts the text of measure run without that of its intervals; each: a row for each CPU, else for
 * CPUs that are alike. Returns 0 or -ENOMEM. */
int measure_show_run(struct context *context, const struct run_window *window, bool each);

#endif
