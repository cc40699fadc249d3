/* SPDX-License-Identifier: GPL-2.0-only */
/* Estimates what a setting changed, and how certain this is, from runs without and with the setting
 * (measure.md, "try"). A figure is a positive number. All arithmetic uses its logarithm, so that a
 * change is a ratio. */
#ifndef MEASURE_TRIAL_H
#define MEASURE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/figure.h"

/* The fewest runs of a side that trial_of_runs() takes. */
#define TRIAL_MIN_RUNS 4
/* The fewest runs of a side for which trial_of_files() gives an interval. */
#define TRIAL_MIN_SAVED 3

enum trial_verdict { TRIAL_NO_DIFFERENCE, TRIAL_LESS, TRIAL_MORE };

struct trial {
	double without, with; /* geometric means */
	double change; /* with / without - 1 */
	bool has_interval;
	double low, high; /* the 95 % confidence interval of the change */
	enum trial_verdict verdict; /* without an interval: TRIAL_NO_DIFFERENCE */
	bool drifts; /* the figure rises or falls from run to run, with either setting */
	double drift; /* the ratio of a run to the run before it, - 1 */
	double deviation; /* the standard deviation of a run, as a logarithm */
};

/* Returns true if a run (0 to 2 x runs - 1) of an alternation has the setting. The order is
 * without, with, with, without, and so on. */
bool trial_is_with(size_t run);

/* Estimates the change from 2 x runs figures in the order of measurement; runs is even and at least
 * TRIAL_MIN_RUNS. A drift that is linear in time does not change the result. residuals (2 x runs,
 * or NULL) is set to the deviations of the runs from the estimate, in standard deviations. Returns
 * 0; -EINVAL for another number of runs; -EDOM if a figure is not positive and finite. */
int trial_of_runs(const double *figures, size_t runs, double *residuals, struct trial *ret_trial);

/* Compares runs that were measured at different times (Welch's test). Returns 0; -EINVAL if a side
 * has no run; -EDOM if a figure is not positive and finite. */
int trial_of_files(const double *without, size_t n_without, const double *with, size_t n_with,
		   struct trial *ret_trial);

/* A ratio as percent with four decimals; missing if the ratio is unknown or not finite. */
struct figure trial_percent(bool is_known, double ratio);

/* The verdict in words: "no difference". Static text. */
const char *trial_word(enum trial_verdict verdict);

/* The two-sided 5 % limit of Student's distribution with v > 0 degrees of freedom (any number): the
 * absolute value of a variable exceeds the limit with a probability of 5 %. */
double trial_student_limit(double v);

#endif
