/* SPDX-License-Identifier: GPL-2.0-only */
/* Scans the performance levels and applies to Linux those that another party changed (commands.md,
 * "Daemon"). The caller decides when to scan. */
#ifndef DAEMON_FOLLOWER_H
#define DAEMON_FOLLOWER_H

#include "daemon/daemon.h"
#include "daemon/log.h"
#include "settings/record.h"

struct follower {
	struct host *host;
	const struct daemon_options *options;
	struct wait_stop stop; /* asked between two writes */
	struct log log; /* with the lines since all was done */
	struct record record;
	struct record_version version; /* of the file, when it was read or written last */
	bool is_withdrawn; /* the record of fast cores was removed, and none was published since */
	bool has_published; /* it was published, or found */
	bool is_unsaved; /* the record could not be written: the file is older */
	struct machine *machine; /* as last read; NULL: not read yet */
	size_t n_mapped; /* of the map in the run directory, as cpu_map_count() */
	bool retries; /* during a scan: try again what was left */
	bool is_new_level; /* the last scan found a level that had changed */
	size_t n_unreadable; /* power domains that did not answer, as last logged */
	const struct cpuset *named; /* during a scan: the CPUs whose domains are asked, or NULL */
};

/* Reads the record of this boot, if there is a valid one; else the present levels count as followed
 * at the first scan. The options are the caller's. Returns 0 or -ENOMEM. */
int follower_init(struct follower *follower, struct host *host,
		  const struct daemon_options *options, struct wait_stop stop);
void follower_done(struct follower *follower);

/* Scans the power domains of the named CPUs, or all of them (NULL), and follows those whose level
 * is not that of the record, and, with retries, those of which something was left to do; scans
 * again until nothing has changed meanwhile. Returns 0, with *ret_pending if something is left for
 * later; or a negative errno, logged, if the machine or its driver cannot be queried now. */
int follower_scan(struct follower *follower, const struct cpuset *named, bool retries,
		  bool *ret_pending);

/* The level of each power domain, as last seen, as a new text for people; NULL: no memory. */
char *follower_describe(const struct follower *follower);

#endif
