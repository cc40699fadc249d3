/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of many steps in few words. */
#ifndef CLI_UNDONE_H
#define CLI_UNDONE_H

#include <stddef.h>

struct plan;

/*
 * A new text that names the steps undone[0..count-1], given in the order of undoing, in the order
 * of the plan: "CLOS 0 to 3 of package-0 die-0, scaling_max_freq of CPUs 0 to 7 in package-0
 * die-0". NULL where memory is short.
 */
char *undone_names(const struct plan *plan, const size_t *undone, size_t count);

#endif
