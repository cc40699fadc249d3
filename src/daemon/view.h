/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine as it is at one scan, and the levels of its power domains (commands.md, "Daemon"). */
#ifndef DAEMON_VIEW_H
#define DAEMON_VIEW_H

#include "daemon/record.h"
#include "platform/platform.h"

struct view {
	struct platform *platform;
	struct platform_pp_query *pp; /* of the domains that were asked */
	size_t n_domains;
};

#define _cleanup_view_ __attribute__((cleanup(view_done)))

/* Frees what a view holds and leaves it empty. */
void view_done(struct view *view);

/*
 * Opens the device of a machine and asks the power domains for their levels: all of them where
 * named is NULL, or names a CPU that is in none of them; else those that have a named CPU, that are
 * not in the record, or of which something is left to do. Returns 0; or a negative errno, with
 * *ret_message a new line about it or NULL: the driver cannot be opened or asked, -ENOTSUP where no
 * level can change, -ENOMEM.
 */
int view_open(struct machine *machine, const struct platform_options *options,
	      const struct record *record, const struct cpuset *named, struct view *view,
	      char **ret_message);

/* Asks the same power domains again. Returns 0 or -ENOMEM. */
int view_ask_again(struct view *view);

/* Has the domain CPUs to move, and somebody to ask about its level? */
bool view_can_follow(const struct platform_pp_query *query);

#endif
