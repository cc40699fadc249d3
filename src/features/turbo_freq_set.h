/* SPDX-License-Identifier: GPL-2.0-only */
/* turbo-freq enable and disable: handlers and their arguments, for the table. */
#ifndef FEATURES_TURBO_FREQ_SET_H
#define FEATURES_TURBO_FREQ_SET_H

#include <stdbool.h>

#include "cli/context.h"
#include "cli/option.h"

struct turbo_freq_set_arguments {
	bool automatic;
	struct option_number trl;
};

/* Handlers, as struct command describes them. */
int turbo_freq_set_enable(struct context *context, const void *arguments);
int turbo_freq_set_disable(struct context *context, const void *arguments);

#endif
