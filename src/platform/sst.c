// SPDX-License-Identifier: GPL-2.0-only
/* What the records of sst.h own. */
#include "platform/sst.h"

void sst_level_done(struct sst_level *level)
{
	cpuset_done(&level->enabled_cpus);
	cpuset_done(&level->base_freq.high_cpus);
}
