/* SPDX-License-Identifier: GPL-2.0-only */
/* The figures by which runs are compared, each one number of a whole run (docs/spec/measure.md,
 * "try"). */
#ifndef MEASURE_RUN_FIGURES_H
#define MEASURE_RUN_FIGURES_H

#include "measure/results.h"

struct run_job;

/* The name: "usecs-per-op". Static text. */
const char *run_figure_name(enum run_figure figure);

/* The figure with a name; RUN_FIGURES: none has. */
enum run_figure run_figure_find(const char *name);

/* Why a job cannot have a figure: static text; NULL: it can. */
const char *run_figure_find_lack(const struct run_job *job, enum run_figure figure);

/* A figure of a window: missing, with the reason, if it is not above 0. */
struct figure run_figure_get(const struct run_window *window, enum run_figure figure);

#endif
