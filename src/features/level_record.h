/* SPDX-License-Identifier: GPL-2.0-only */
/* perf-profile-level-N, the longest node of all (output.md). */
#ifndef FEATURES_LEVEL_RECORD_H
#define FEATURES_LEVEL_RECORD_H

#include "output/output.h"
#include "platform/platform.h"

/* Puts a level that was read with all parts, SST-BF and SST-TF included where supported. */
void level_record_put(struct output *output, const struct platform *platform,
		      const struct platform_level_query *query,
		      const struct sst_core_power *core_power);

#endif
