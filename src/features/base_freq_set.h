/* SPDX-License-Identifier: GPL-2.0-only */
/* base-freq enable and disable: handlers and their arguments, for the table. */
#ifndef FEATURES_BASE_FREQ_SET_H
#define FEATURES_BASE_FREQ_SET_H

#include <stdbool.h>

#include "cli/context.h"

struct base_freq_set_arguments {
	bool automatic;
};

/* Handlers, as struct command describes them. */
int base_freq_set_enable(struct context *context, const void *arguments);
int base_freq_set_disable(struct context *context, const void *arguments);

#endif
