/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looks at the performance levels and lets Linux follow those that somebody else changed
 * (commands.md, "Daemon"). When to scan is the caller's affair.
 */
#ifndef DAEMON_FOLLOWER_H
#define DAEMON_FOLLOWER_H

#include "daemon/record.h"
#include "daemon/repeats.h"
#include "platform/platform.h"

/* What is told as it happens. */
enum follower_weight { FOLLOWER_ERROR, FOLLOWER_WARNING, FOLLOWER_INFO };

struct follower_options {
	struct platform_options platform;
	bool cgroup; /* isolate CPUs instead of taking them offline */
	bool cpu0_workaround;
	void (*say)(void *data, enum follower_weight weight, const char *text);
	bool (*is_stopping)(void *data); /* asked between two writes */
	void *data;
	struct repeats *repeats; /* set by follower_init(): a line that repeats is left out */
};

struct follower {
	struct host *host;
	struct follower_options options;
	struct record record;
	struct machine *machine; /* as last read; NULL: not read yet */
	size_t n_mapped; /* of the map in the run directory, as count_mapped() counts */
	struct repeats repeats; /* lines since all was done */
	bool retries; /* during a scan: try again what was left */
	bool is_new_level; /* the last scan found a level that had changed */
	size_t n_unreadable; /* power domains that did not answer, as last told */
	const struct cpuset *named; /* during a scan: the CPUs whose domains are asked, or NULL */
};

/*
 * follower is not to be moved afterwards. Takes up the record of this boot, if there is a valid
 * one; else the present levels are taken as known at the first scan. Returns 0 or -ENOMEM.
 */
int follower_init(struct follower *follower, struct host *host,
		  const struct follower_options *options);
void follower_done(struct follower *follower);

/*
 * Scans the power domains of the named CPUs, or all of them (NULL), and follows those whose level
 * is not that of the record, and, with retries, those of which something was left to do; scans
 * again until nothing has changed meanwhile. Returns 0, with *ret_pending if something is left for
 * later; or a negative errno, reported, if the machine or its driver cannot be asked now.
 */
int follower_scan(struct follower *follower, const struct cpuset *named, bool retries,
		  bool *ret_pending);

/* The level of each power domain, as last seen, as a new text for people; NULL: no memory. */
char *follower_describe(const struct follower *follower);

#endif
