/* SPDX-License-Identifier: GPL-2.0-only */
/* The member `topology` of a platform file: packages, power domains and logical CPUs. */
#ifndef SIMULATOR_PLATFORM_FILE_TOPOLOGY_H
#define SIMULATOR_PLATFORM_FILE_TOPOLOGY_H

#include "simulator/member.h"
#include "simulator/platform_file.h"

/*
 * Reads the topology into platform, whose interface is known by then, and numbers the CPUs. What is
 * wrong stays in the member's reader.
 */
void platform_file_topology_read(const struct member *topology, struct sim_platform *platform);

/* A domain's place within its package, from 0, as the file lists it. */
size_t platform_file_topology_index(const struct sim_platform *platform,
				    const struct sim_domain *domain);

#endif
