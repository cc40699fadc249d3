/* SPDX-License-Identifier: GPL-2.0-only */
/* What --dry-run shows: the writes of a plan, none of which is made. */
#ifndef CLI_DRY_RUN_H
#define CLI_DRY_RUN_H

#include <stddef.h>

struct output;
struct plan;

/*
 * Puts one line out for each write, in order: where it goes, what it is about, the old value and
 * the new one; in JSON a member "write-N", N from first on. Returns how many writes there are.
 */
size_t dry_run_put(struct output *output, const struct plan *plan, size_t first);

#endif
