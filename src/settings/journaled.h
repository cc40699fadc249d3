/* SPDX-License-Identifier: GPL-2.0-only */
/* Records the changes of a transaction in the change journal, each as a setting, its location, and
 * its values before and after (docs/spec/journal.md, "Format"). Parts of a setting that are written
 * one by one have names of their own: "core-power.enabled.pm-config". */
#ifndef SETTINGS_JOURNALED_H
#define SETTINGS_JOURNALED_H

#include "change/journal.h"
#include "change/transaction.h"
#include "settings/entries.h"
#include "settings/request.h"

struct host;
struct topology;

/* A transaction and its lines. The caller sets the first members, and the rest to zero bytes. */
struct journaled {
	struct host *host;
	const struct topology *topology; /* before the first change */
	struct journal_transaction transaction;

	struct journal *journal; /* NULL until the first line is written */
	struct journal_entries *stages; /* the changes of each begin line */
	size_t n_stages;
};

/* Closes the journal, and forgets the lines. */
void journaled_done(struct journaled *journaled);

/* For struct transaction_environment: appends the begin line of a stage. data: struct journaled.
 * Returns 0; or a negative errno with *ret_reason a new text for the user, or NULL. */
transaction_record_function journaled_record;

/* Appends the end line of the transaction, if there is a begin line. recovered: another process
 * began the transaction. Returns 0; or a negative errno with *ret_reason a new text, or NULL. */
int journaled_end(struct journaled *journaled, const struct change_list *list,
		  const struct transaction_outcome *outcome, bool recovered, char **ret_reason);

/* A setting that the journal names: its path in documents, and its part ("pm-config") or NULL. */
struct journaled_name {
	char path[64];
	const char *part;
};

/* Splits a name of the journal. Returns false if it is too long or the setting lacks the part. */
bool journaled_split(const char *name, struct journaled_name *ret_name);

/* Returns true if name is the setting or a part of it; with part not NULL, only for that part. */
bool journaled_is(const char *name, enum setting_id id, const char *part);

#endif
