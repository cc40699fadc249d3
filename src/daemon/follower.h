/* SPDX-License-Identifier: GPL-2.0-only */
/* Scans the performance levels. If another party changed a level, applies it to Linux (commands.md,
 * "Daemon"). The caller decides when to scan. */
#ifndef DAEMON_FOLLOWER_H
#define DAEMON_FOLLOWER_H

#include "daemon/daemon.h"
#include "daemon/log.h"
#include "settings/record.h"

struct follower {
	struct host *host;
	const struct daemon_options *options;
	struct wait_stop stop; /* checked between two writes */
	struct log log; /* with the lines since all was done */
	struct record record;
	struct record_version version; /* of the file when it was last read or written */
	bool is_withdrawn; /* the record of fast cores was removed, and not published again */
	bool has_published; /* the record of fast cores was published or found */
	bool is_unsaved; /* the record could not be written: the file is older */
	struct machine *machine; /* as last read; NULL: not read yet */
	size_t n_mapped; /* cpu_map_count() of the map in the run directory */
	bool retries; /* during a scan: retry what was left undone */
	bool is_new_level; /* the last scan found a level that had changed */
	size_t n_unreadable; /* power domains that did not answer, as last logged */
	const struct cpuset *named; /* during a scan: CPUs whose domains are queried; NULL: all */
};

/* Reads the record of this boot. Without a valid record, the first scan treats the present levels
 * as followed. options must live as long as the follower. Returns 0 or -ENOMEM. */
int follower_init(struct follower *follower, struct host *host,
		  const struct daemon_options *options, struct wait_stop stop);
void follower_done(struct follower *follower);

/* Scans the power domains of the named CPUs, or all power domains (NULL). Follows a domain if its
 * level differs from the record or, with retries, if something was left undone. Scans again until
 * no level changes meanwhile. Returns 0, with *ret_pending true if something is left for later; or
 * a negative errno, which was logged, if the machine or its driver cannot be queried now. */
int follower_scan(struct follower *follower, const struct cpuset *named, bool retries,
		  bool *ret_pending);

/* Returns the last known level of each power domain, as a new text for users; NULL: no memory. */
char *follower_describe(const struct follower *follower);

#endif
