/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines that tell what the follower does and cannot do. */
#ifndef DAEMON_TALK_H
#define DAEMON_TALK_H

#include "daemon/follower.h"
#include "daemon/view.h"
#include "plan/run.h"

/* One line, through options->say, unless it repeats (repeats.h). */
void talk(const struct follower_options *options, enum follower_weight weight, const char *format,
	  ...) __attribute__((format(printf, 3, 4)));

/* The same, of a power domain, which is named in front. */
void talk_of(const struct follower_options *options, enum follower_weight weight,
	     const struct power_domain *domain, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Which CPUs of the domain came and went for a level: what was online before, and is after. */
void talk_of_moved(const struct follower_options *options, const struct power_domain *domain,
		   uint32_t level, const struct cpuset *before, const struct cpuset *after);

/* The steps of a plan that failed alone. */
void talk_of_notes(const struct follower_options *options, struct platform *platform,
		   const struct plan *plan, const struct run_outcome *outcome);

/* The power domains of a view that did not answer. */
void talk_of_unreadable(const struct follower_options *options, const struct view *view);

#endif
