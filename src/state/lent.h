/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings that a document changes for a while, written down so that another process can put them
 * back (docs/spec/measure.md, "Borrowed settings"): two documents with the same settings, one with
 * the values that were found, one with those that are set. */
#ifndef STATE_LENT_H
#define STATE_LENT_H

#include "host/host.h"
#include "state/compare.h"

/* Of all zero bytes: nothing. */
struct lent {
	json_t *found, *set; /* documents */
	json_t *known; /* what they have, by place and setting */
};

#define _cleanup_lent_ __attribute__((cleanup(lent_done)))

void lent_done(struct lent *lent);

/* Adds what a planned comparison will change, as it is now, unless it has it: also settings of
 * cpufreq that are changed with others. Returns 0; -EINVAL with *ret_problem a new text if a
 * value is none that a document can have; -ENOMEM. */
int lent_add(struct lent *lent, const struct comparison *comparison, char **ret_problem);

/* What became of them: lists with ", " between, or NULL. */
struct lent_outcome {
	char *put_back; /* "package-0 base-freq.enabled: true -> false" */
	char *changed; /* neither as found nor as set: left, "PLACE SETTING" */
	char *failed; /* why it could not be put back */
};

#define _cleanup_lent_outcome_ __attribute__((cleanup(lent_outcome_done)))

void lent_outcome_done(struct lent_outcome *outcome);

/* Are both such documents? They may be of a file that somebody else has written. */
bool lent_is_sound(const json_t *found, const json_t *set);

/* Puts back what is as set, as one transaction, uninterrupted. Needs the lock. Returns 0; -EBADMSG
 * if found or set is no such document; -EIO with outcome.failed; -ENOMEM. */
int lent_put_back(struct host *host, const json_t *found, const json_t *set,
		  struct lent_outcome *ret_outcome);

#endif
