/* SPDX-License-Identifier: GPL-2.0-only */
/* cpufreq set: handler and its arguments, for the table. */
#ifndef FEATURES_CPUFREQ_SET_H
#define FEATURES_CPUFREQ_SET_H

#include "cli/context.h"
#include "cli/option.h"

struct cpufreq_set_arguments {
	const char *min; /* MHz, or a word */
	const char *max;
	const char *lock;
	const char *governor;
	const char *epp;
	const char *epb;
	struct option_word turbo;
};

/* on and off, in this order: what struct option_word of a switch counts. */
extern const char *const cpufreq_set_switch_words[];

/* Handler, as struct command describes it. */
int cpufreq_set(struct context *context, const void *arguments);

#endif
