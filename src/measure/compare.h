/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares saved measurements (docs/spec/measure.md, "try"). Files of the same command that were
 * measured on like machines, with the same kernel, settings and work, are the runs of one group; a
 * file of measure try is two groups. The first group is the reference of all others. */
#ifndef MEASURE_COMPARE_H
#define MEASURE_COMPARE_H

#include "measure/saved.h"

/* Makes an object of the comparison of runs[0..count-1]: "reference" and "comparisons", each with
 * "files", "side" ("without" or "with" of measure try, else null) and "runs"; a comparison has
 * "figures" (what both groups have: "figure", "reference", "value", "change-percent",
 * "low-percent", "high-percent" and "result", null with fewer than 3 runs of a group), "warnings"
 * (texts: other machines, kernels, work, lengths of run), "settings", by member what differs:
 * "reference" and "value", objects by selector, and, if a result is of different sessions, "note",
 * what that means. If all files are of one group there is no comparison, and the reference has
 * "figures": "figure", "mean", "lowest" and "highest". Returns 0; -EINVAL with *ret_problem a new
 * text if files cannot be compared; -ENOMEM. */
int compare_runs(const struct saved_run *runs, size_t count, json_t **ret_object,
		 char **ret_problem);

#endif
