/* SPDX-License-Identifier: GPL-2.0-only */
/* Lets a machine read as if changes were made, so that a dry run can plan the next ones
 * (docs/spec/journal.md, "Recovery"). */
#ifndef STATE_ASSUMPTION_H
#define STATE_ASSUMPTION_H

#include "change/change.h"
#include "host/host.h"

struct state_apply;

struct assumption {
	struct host *host; /* its files read as after the changes */
	struct files *files; /* the host's real files */
	struct change_list changes; /* for struct platform_options */
};

/* Assumes that the differences of a planned comparison are removed. After this, apply may only be
 * freed. If a change has other effects that cannot be known, nothing is assumed, and *ret_unassumed
 * is its setting; otherwise it is NULL. Returns 0 or -ENOMEM. */
int assumption_make(struct state_apply *apply, struct assumption **ret_assumption,
		    const char **ret_unassumed);

/* Returns the path of the first file that was read although the changes may alter it; NULL: no such
 * file. assumption may be NULL. */
const char *assumption_find_unknown(const struct assumption *assumption);

/* Restores the host's own files, frees *assumption (may be NULL), and sets it to NULL. */
void assumption_end(struct assumption **assumption);

#endif
