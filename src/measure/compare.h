/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares saved measurements (docs/spec/measure.md, "try"). Files of the same command that were
 * measured on like machines, with the same kernel, settings and work, are the runs of one group; a
 * file of measure try is two groups. The first group is the reference of all others. */
#ifndef MEASURE_COMPARE_H
#define MEASURE_COMPARE_H

#include "measure/saved.h"

/* Compares runs[0..count-1]. Figures are those that both groups have; with fewer than 3 runs of a
 * group they have no interval and no result. If all files are of one group there is no comparison,
 * and the reference has the spread of its figures. texts keeps their names; *result is empty at
 * first. Returns 0; -EINVAL with *ret_problem a new text if files cannot be compared; -ENOMEM. */
int compare_runs(const struct saved_run *runs, size_t count, struct texts *texts,
		 struct compare_result *result, char **ret_problem);

#endif
