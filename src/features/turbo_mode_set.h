/* SPDX-License-Identifier: GPL-2.0-only */
/* turbo-mode enable, disable and set-trl: handlers and their arguments, for the table. */
#ifndef FEATURES_TURBO_MODE_SET_H
#define FEATURES_TURBO_MODE_SET_H

#include "cli/context.h"
#include "cli/option.h"

struct turbo_mode_trl_arguments {
	struct option_number trl;
};

/* Handlers, as struct command describes them. */
int turbo_mode_set_enable(struct context *context, const void *arguments);
int turbo_mode_set_disable(struct context *context, const void *arguments);
int turbo_mode_set_trl(struct context *context, const void *arguments);

#endif
