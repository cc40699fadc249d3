/* SPDX-License-Identifier: GPL-2.0-only */
/* The figures by which runs are compared, each one number of a whole run (docs/spec/measure.md,
 * "try"). */
#ifndef MEASURE_RUN_FIGURES_H
#define MEASURE_RUN_FIGURES_H

#include <jansson.h>

enum run_figure {
	RUN_SECONDS, /* of a command */
	RUN_USECS_PER_OP, /* of a pipe */
	RUN_OPS_PER_SECOND,
	RUN_MHZ, /* mean of the measured CPUs, by the time for which each was busy; or of a command
		  */
	RUN_WATTS, /* of all measured packages */
	RUN_JOULES,
	RUN_FIGURES
};

/* The name: "usecs-per-op". Static text. */
const char *run_figure_name(enum run_figure figure);

/* The value of a figure to *ret_value, out of a document of run_measure(). Returns 0; or -ENODATA
 * with *ret_reason, a text of the document or a static one, if it was not measured or is not above
 * 0. */
int run_figure_get(const json_t *document, enum run_figure figure, double *ret_value,
		   const char **ret_reason);

#endif
