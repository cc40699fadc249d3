/* SPDX-License-Identifier: GPL-2.0-only */
/* The figures that are compared between runs: each is one number for a complete run
 * (docs/spec/measure.md, "try"). */
#ifndef MEASURE_RUN_FIGURES_H
#define MEASURE_RUN_FIGURES_H

#include "measure/results.h"

struct run_job;

/* The name of a figure: "usecs-per-op". Static text. */
const char *run_figure_name(enum run_figure figure);

/* The figure with this name, or RUN_FIGURES. */
enum run_figure run_figure_find(const char *name);

/* Why a job cannot have a figure (static text); or NULL if it can. */
const char *run_figure_find_lack(const struct run_job *job, enum run_figure figure);

/* A figure of a window: missing, with the reason, if it is not above 0. */
struct figure run_figure_get(const struct run_window *window, enum run_figure figure);

#endif
