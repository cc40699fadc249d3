/* SPDX-License-Identifier: GPL-2.0-only */
/* The members of a platform file that kernel files are made of: cpufreq, cpuidle, umwait, uncore.
 */
#ifndef SIMULATOR_PLATFORM_FILE_SYSFS_H
#define SIMULATOR_PLATFORM_FILE_SYSFS_H

#include "simulator/member.h"
#include "simulator/platform_file.h"

/*
 * Reads `cpufreq`, `cpuidle`, `umwait` and `uncore` of the outermost object into platform, whose
 * topology is known by then. What is wrong stays in the member's reader.
 */
void platform_file_sysfs_read(const struct member *root, struct sim_platform *platform);

/* Frees what that read. */
void platform_file_sysfs_free(struct sim_platform *platform);

#endif
