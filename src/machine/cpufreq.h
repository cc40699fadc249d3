/* SPDX-License-Identifier: GPL-2.0-only */
/* What cpufreq tells of a CPU (hardware.md, section 7). */
#ifndef MACHINE_CPUFREQ_H
#define MACHINE_CPUFREQ_H

#include <stdint.h>

#include "machine/files.h"

/*
 * Reads the base frequency of a CPU as a ratio, in units of 100 MHz. Returns 0; -EINVAL for a file
 * with nonsense; or the negative errno of reading it: -ENOENT where the kernel tells none, -EBUSY
 * for an offline CPU.
 */
int cpufreq_read_base_ratio(struct files *files, uint32_t cpu, uint32_t *ret_ratio);

#endif
