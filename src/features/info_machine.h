/* SPDX-License-Identifier: GPL-2.0-only */
/* --info on a machine without Speed Select. */
#ifndef FEATURES_INFO_MACHINE_H
#define FEATURES_INFO_MACHINE_H

#include "cli/context.h"

/*
 * Puts out why there is no Speed Select and what of cpufreq, cpuidle and uncore there is. A device
 * that may not be opened, or that answers nonsense, is an error. Returns 0 or -ENOMEM.
 */
int info_machine_put(struct context *context);

#endif
