/* SPDX-License-Identifier: GPL-2.0-only */
/* Cascade Lake-N: no driver, BIOS sets everything, cpufreq shows it (hardware.md, section 7). */
#ifndef SST_CLX_N_CLX_N_H
#define SST_CLX_N_CLX_N_H

#include "sst/platform.h"

extern const struct platform_ops clx_n_ops;

/* The TDP ratio in a model name: "@ 2.30GHz" is 23; 0 if the name has none. */
uint32_t clx_n_parse_ratio(const char *model_name);

#endif
