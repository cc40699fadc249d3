/* SPDX-License-Identifier: GPL-2.0-only */
/* Cascade Lake-N: no driver, all set in BIOS, cpufreq shows the result (hardware.md, section 7). */
#ifndef PLATFORM_BIOS_FIXED_H
#define PLATFORM_BIOS_FIXED_H

#include "platform/platform.h"

extern const struct platform_ops bios_fixed_ops;

/* The TDP ratio out of a model name: "@ 2.30GHz" is 23. 0 where the name tells none. */
uint32_t bios_fixed_parse_ratio(const char *model_name);

/* The operation plan_fixed_base_freq of struct platform_ops. */
int bios_fixed_plan_base_freq(struct platform *platform, struct plan *plan,
			      const struct power_domain *const *domains, size_t count, bool enable,
			      int *errors);

#endif
