/* SPDX-License-Identifier: GPL-2.0-only */
/* The text result of a setting command of isst: what was set, a line for each value (output.md,
 * "Terse results"). */
#ifndef RUN_RESULT_H
#define RUN_RESULT_H

struct context;

/* Puts the changes that the command recorded in the change journal, or that nothing had to be
 * changed. Changes of a setting with the same old and new value share a line. CPUs that leave CLOS
 * 0 or 1 for a lower priority have the first line. Returns 0, or -ENOMEM. */
int result_put(struct context *context);

#endif
