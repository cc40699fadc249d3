/* SPDX-License-Identifier: GPL-2.0-only */
/* perf-profile set-config-level: handler and arguments, for the table. */
#ifndef FEATURES_LEVEL_SET_H
#define FEATURES_LEVEL_SET_H

#include <stdbool.h>

#include "cli/context.h"
#include "cli/option.h"

struct level_set_arguments {
	struct option_number level;
	bool online;
};

/* The handler, as struct command describes it. */
int level_set_run(struct context *context, const void *arguments);

#endif
