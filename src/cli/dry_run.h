/* SPDX-License-Identifier: GPL-2.0-only */
/* What --dry-run shows: the writes of a plan, none of which is made. */
#ifndef CLI_DRY_RUN_H
#define CLI_DRY_RUN_H

struct output;
struct plan;

/*
 * Puts one line out for each write, in order: where it goes, what it is about, the old value and
 * the new one; in JSON a member "write-N". A plan that writes nothing becomes a note.
 */
void dry_run_put(struct output *output, const struct plan *plan);

#endif
