/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares saved measurements (docs/spec/measure.md, "try"). Files form a group if command,
 * machine, kernel, settings and work are the same. A file of measure try forms two groups. All
 * other groups are compared with the first group. */
#ifndef MEASURE_COMPARE_H
#define MEASURE_COMPARE_H

#include "measure/saved.h"

/* Compares the figures that both groups have, in runs[0..count-1]. With fewer than 3 runs of a
 * group, figures have no interval and no result. If all files form one group, the reference has the
 * spread of its figures instead of comparisons. texts keeps the names of figures. *result is empty
 * at first. Returns 0; -EINVAL with *ret_problem a new text if files cannot be compared;
 * -ENOMEM. */
int compare_runs(const struct saved_run *runs, size_t count, struct texts *texts,
		 struct compare_result *result, char **ret_problem);

#endif
