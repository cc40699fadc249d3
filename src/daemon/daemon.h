/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Follows performance levels that a management controller changes (commands.md, "Daemon"): the loop
 * around the follower. Asleep when nothing happens.
 */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include "daemon/follower.h"

struct daemon_options {
	struct platform_options platform;
	bool cgroup;
	bool cpu0_workaround;
	uint32_t interval_s; /* between two scans; 0: at each event */
	/* Told when all is open and the first scan is over. */
	void (*ready)(void *data);
	void (*say)(void *data, enum follower_weight weight, const char *text);
	void *data;
};

/*
 * Runs until SIGTERM or SIGINT; SIGHUP lets it scan at once. Returns 0; or, before it was ready, a
 * negative errno that was told: the machine cannot be opened, -ENOTSUP where nothing can be
 * followed on it, or where it sends no events, or no descriptor can be had.
 */
int daemon_run(struct host *host, const struct daemon_options *options);

#endif
