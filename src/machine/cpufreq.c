// SPDX-License-Identifier: GPL-2.0-only
/* The files of cpuN/cpufreq, all in kHz (hardware.md, section 7). */
#include "machine/cpufreq.h"

#include <stdio.h>

#define KHZ_PER_RATIO 100000

int cpufreq_read_base_ratio(struct files *files, uint32_t cpu, uint32_t *ret_ratio)
{
	char path[80];
	uint64_t khz;
	int err;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpufreq/base_frequency", cpu);
	err = files_read_number(files, path, &khz);
	if (!err)
		*ret_ratio = (uint32_t)(khz / KHZ_PER_RATIO);
	return err;
}
