/* SPDX-License-Identifier: GPL-2.0-only */
/* What the state commands share: applying a document in several stages. */
#ifndef FEATURES_STATE_JOB_H
#define FEATURES_STATE_JOB_H

#include "host/powercap.h"
#include "run/context.h"
#include "state/document.h"

#define STATE_NOTHING_CHANGED "nothing was changed in this boot: it has no change journal"

struct state_arguments {
	const char *file;
	const char *only;
	bool portable;
	bool exact;
	const char *to; /* for restore */
	struct option_number wait_s;
	struct option_number level;
	struct option_number last; /* for history */
	struct option_number id;
};

/* Data that is kept from one attempt of a command to the next. */
struct state_job {
	struct document document; /* made at the first attempt */
	bool has_changes; /* set before the first stage, as the members below */
	struct cpuset before; /* online before the first change */
	struct cpuset unread; /* packages that cannot be queried before the first stage */
	struct power_zones *zones; /* read before the state, with details; or NULL */
	json_t *changes;
	struct buffer lines;
};

/* Calls make to put a document into the job of the command, and applies it; a dry run shows the
 * changes. Reports problems, also of make; the command then undoes its changes. Returns 0, -ENOMEM,
 * or another negative errno of reading the machine again. */
int state_apply_document(struct context *context,
			 int (*make)(struct context *context, struct state_job *job));

/* Returns why Speed Select of this machine cannot be queried (docs/spec/state.md), or NULL. */
const char *state_find_missing_sst(const struct context *context);

/* Reports why there is no Speed Select: the machine has none, or it cannot be queried. A command
 * that waited for it in vain has an exit status of its own. */
void state_report_no_platform(struct context *context, const char *what);

/* Adds the values that settings had before the first change of this boot, in front of the entries
 * of the job's document, which override them. feature: only its settings; NULL: all. A problem is
 * reported. Returns 0 or -ENOMEM. */
int state_prepend_past(struct context *context, struct state_job *job, const char *feature);

/* Handlers. */
int state_restore(struct context *context);
int state_history(struct context *context);

#endif
