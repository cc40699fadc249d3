/* SPDX-License-Identifier: GPL-2.0-only */
/* A machine that reads as after changes that are not made, from which a dry run plans
 * (docs/spec/journal.md, "Recovery"). */
#ifndef STATE_ASSUMPTION_H
#define STATE_ASSUMPTION_H

#include "change/change.h"
#include "host/host.h"

struct state_apply;

struct assumption {
	struct host *host; /* its files read so */
	struct files *files; /* its own ones */
	struct change_list changes; /* for struct platform_options */
};

/* Assumes what a comparison that is planned asks for; apply may only be freed after it. If the
 * state after it cannot be known nothing is assumed, and *ret_unassumed is the setting whose change
 * has other effects, too; else NULL. Returns 0 or -ENOMEM. */
int assumption_make(struct state_apply *apply, struct assumption **ret_assumption,
		    const char **ret_unassumed);

/* The path of the first file that was read and that the changes may alter; NULL: none was. Also of
 * NULL. */
const char *assumption_find_unknown(const struct assumption *assumption);

/* Gives the host its own files again, frees *assumption, which may be NULL, and leaves NULL. */
void assumption_end(struct assumption **assumption);

#endif
