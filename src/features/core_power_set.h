/* SPDX-License-Identifier: GPL-2.0-only */
/* The setting commands of core-power: handlers and their arguments, for the table. */
#ifndef FEATURES_CORE_POWER_SET_H
#define FEATURES_CORE_POWER_SET_H

#include "cli/context.h"
#include "cli/option.h"

struct core_power_switch_arguments {
	struct option_number priority; /* 0 proportional, 1 ordered */
};

struct core_power_config_arguments {
	struct option_number clos;
	struct option_number epp;
	struct option_number weight;
	struct option_number min_mhz;
	struct option_number max_mhz;
	struct option_number desired_mhz;
};

struct core_power_assoc_arguments {
	struct option_number clos;
};

/* Handlers, as struct command describes them. */
int core_power_set_enable(struct context *context, const void *arguments);
int core_power_set_disable(struct context *context, const void *arguments);
int core_power_set_config(struct context *context, const void *arguments);
int core_power_set_assoc(struct context *context, const void *arguments);

#endif
