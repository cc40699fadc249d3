/* SPDX-License-Identifier: GPL-2.0-only */
/* What a setting changed, out of runs without and with it, and how sure that is (measure.md,
 * "try"). A figure is a positive number; all arithmetic is on its logarithm, so that a change is a
 * ratio. */
#ifndef MEASURE_TRIAL_H
#define MEASURE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/figure.h"

/* The fewest runs of a side that trial_of_runs() takes. */
#define TRIAL_MIN_RUNS 4
/* The fewest runs of a side that give trial_of_files() an interval. */
#define TRIAL_MIN_SAVED 3

enum trial_verdict { TRIAL_NO_DIFFERENCE, TRIAL_LESS, TRIAL_MORE };

struct trial {
	double without, with; /* geometric means */
	double change; /* with / without - 1 */
	bool has_interval;
	double low, high; /* of the change: it is between them with a probability of 95 % */
	enum trial_verdict verdict; /* without an interval: TRIAL_NO_DIFFERENCE */
	bool drifts; /* the figure rises or falls from run to run, whatever the setting */
	double drift; /* the ratio of one run to the one before it, - 1 */
	double deviation; /* the standard deviation of a run, as a logarithm */
};

/* Is the run (0 to 2 x runs - 1) of an alternation with the setting? The order is without, with,
 * with, without, and so on. */
bool trial_is_with(size_t run);

/* Estimates the change out of 2 x runs figures in the order in which they were measured; runs is
 * even and at least TRIAL_MIN_RUNS. A drift that is linear in time does not change the result.
 * residuals (as many, or NULL) becomes what each run deviates from the estimate, in standard
 * deviations. Returns 0; -EINVAL for another number of runs; -EDOM if a figure is not positive and
 * finite. */
int trial_of_runs(const double *figures, size_t runs, double *residuals, struct trial *ret_trial);

/* Compares runs that were measured at different times (Welch's test). Returns 0; -EINVAL if a side
 * has none; -EDOM if a figure is not positive and finite. */
int trial_of_files(const double *without, size_t n_without, const double *with, size_t n_with,
		   struct trial *ret_trial);

/* A ratio as percent with four decimals; missing unless it is known and finite. */
struct figure trial_percent(bool is_known, double ratio);

/* The verdict in words: "no difference". Static text. */
const char *trial_word(enum trial_verdict verdict);

/* The value that a variable with Student's distribution of v > 0 degrees of freedom (any number)
 * exceeds in absolute value with a probability of 5 %. */
double trial_student_limit(double v);

#endif
