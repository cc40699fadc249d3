/* SPDX-License-Identifier: GPL-2.0-only */
/* cpuidle set: handler and its arguments, for the table. */
#ifndef FEATURES_CPUIDLE_SET_H
#define FEATURES_CPUIDLE_SET_H

#include "cli/context.h"
#include "cli/option.h"

struct cpuidle_set_arguments {
	const char *enable; /* names, comma between */
	const char *disable;
	const char *deepest;
	struct option_number max_latency_us;
	const char *qos_latency; /* us, none or 0 */
	const char *governor;
	struct option_word c02;
	struct option_number umwait_max_time;
};

/* Handler, as struct command describes it. */
int cpuidle_set(struct context *context, const void *arguments);

#endif
