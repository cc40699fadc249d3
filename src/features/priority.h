/* SPDX-License-Identifier: GPL-2.0-only */
/* Declares what the commands of the feature word priority share. */
#ifndef FEATURES_PRIORITY_H
#define FEATURES_PRIORITY_H

#include "choose/priority.h"
#include "run/context.h"

/* Reads the record, and compares it with the present base frequencies. Reports a problem. Returns 0
 * or -ENOMEM. */
int priority_read_present(struct context *context, struct priority *ret_priority);

/* Finds the CPUs close to a PCI device (--near). Reports a problem. Returns 0 or -ENOMEM. */
int priority_read_near(struct context *context, const char *near, struct cpuset *cpus);

struct priority_check_arguments {
	const char *work; /* a process or a control group */
	struct option_number seconds;
	struct option_number require_percent;
	const char *near;
};

extern const struct option priority_check_options[];

/* Handler, as struct command describes it. */
int priority_check(struct context *context);

#endif
