/* SPDX-License-Identifier: GPL-2.0-only */
/* Steps and their failures in words, for messages. */
#ifndef PLATFORM_DESCRIBE_H
#define PLATFORM_DESCRIBE_H

#include "plan/run.h"
#include "platform/platform.h"

/* "package-0 die-0 cpu-5: scaling_max_freq", of what applies, as a new text; NULL: no memory. */
char *describe_step(const struct plan_step *step);

/*
 * Why it failed: what was found, or what its errno means, or else what is likely. The text is never
 * NULL, and valid as long as the failure. platform may be NULL where no step is of the device.
 */
struct platform_cause describe_cause(struct platform *platform, const struct plan_step *step,
				     const struct run_failure *failure);

#endif
