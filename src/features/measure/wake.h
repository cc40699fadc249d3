/* SPDX-License-Identifier: GPL-2.0-only */
/* measure wake: how long a CPU takes to wake up (measure.md, "wake"). */
#ifndef FEATURES_MEASURE_WAKE_H
#define FEATURES_MEASURE_WAKE_H

#include <jansson.h>

#include "run/context.h"

struct measure_wake_arguments {
	struct option_number by; /* timer or futex */
	const char *states; /* names, comma between, or all */
	const char *gap; /* us, comma between */
	struct option_number samples;
	struct option_number target_us;
	bool no_force;
	bool allow_all;
	struct option_number from; /* a CPU */
	const char *save;
};

extern const struct option measure_wake_options[];

struct measured_machine;
struct wake_result;

/* Shows the result of the command as text. Returns 0 or
 * -ENOMEM. */
int measure_wake_show(struct context *context, const struct wake_result *result,
		      const struct measured_machine *machine);

/* A handler, as struct command has it. */
int measure_wake(struct context *context);

#endif
