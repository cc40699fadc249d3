/* SPDX-License-Identifier: GPL-2.0-only */
/* What --dry-run shows: the writes of a plan, none of which is made. */
#ifndef CLI_DRY_RUN_H
#define CLI_DRY_RUN_H

#include <stdbool.h>
#include <stddef.h>

struct output;
struct plan;

/*
 * Puts the writes out in order, each with where it goes, what it is about, the old value and the
 * new one. In JSON each is a member "write-N", N from 0 on. In text each is a line; unless each is
 * true, like writes with the same values share one, in the place of the first of them. Returns how
 * many writes there are.
 */
size_t dry_run_put(struct output *output, const struct plan *plan, bool each);

#endif
