/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands of the feature word state share: applying a document over several stages. */
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
	const char *to; /* of restore */
	struct option_number wait_s;
	struct option_number level;
	struct option_number last; /* of history */
	struct option_number id;
};

/* What lives over the attempts of a command. */
struct state_job {
	struct document document; /* made at the first one */
	bool has_changes; /* of the first stage, as what follows */
	struct cpuset before; /* online before the first change */
	struct cpuset unread; /* packages that cannot be queried before the first stage */
	struct power_zones *zones; /* with details, if they were read before the state; or NULL */
	json_t *changes;
	struct buffer lines;
};

/* Applies the document that make puts into the job of the command, or shows how. Problems, also of
 * make, are reported; what is changed then is undone with the command. Returns 0, -ENOMEM, or
 * another negative errno of reading the machine again. */
int state_apply_document(struct context *context,
			 int (*make)(struct context *context, struct state_job *job));

/* Why Speed Select that the machine has cannot be queried (docs/spec/state.md), or NULL. */
const char *state_find_missing_sst(const struct context *context);

/* Reports why there is no Speed Select: the machine has none, or it cannot be queried. A wait for
 * it that was in vain has a status of its own. */
void state_report_no_platform(struct context *context, const char *what);

/* Puts what this boot's changes altered, as it was before the first of them, before the document of
 * the job, whose entries override it: of one feature, or all (NULL). A problem is reported. Returns
 * 0 or -ENOMEM. */
int state_prepend_past(struct context *context, struct state_job *job, const char *feature);

/* Handlers. */
int state_restore(struct context *context);
int state_history(struct context *context);

#endif
