/* SPDX-License-Identifier: GPL-2.0-only */
/* The map of CPUs: the place of each when it was last online, so that an offline CPU, which has no
 * topology directory, can be counted and brought back (hardware.md, section 5). A small versioned
 * file in the run directory, valid for one boot, written before a CPU is taken offline. */
#ifndef HOST_CPU_MAP_H
#define HOST_CPU_MAP_H

#include "host/topology.h"

/* Writes the places of all placed CPUs, atomically, making the run directory as needed.
 * Returns 0 or a negative errno of the file system, or -ENOMEM. */
int cpu_map_write(struct files *files, const char *run_directory, const struct topology *topology);

/* Reads the map and gives offline CPUs their places. Returns 0; or, with topology unchanged:
 * -ENOENT (there is none), -ESTALE (of another boot, or it contradicts what is online or itself),
 * -EBADMSG (not a map of ours, or of another version), -EPERM (others may write it), another
 * negative errno. */
int cpu_map_apply(struct files *files, const char *run_directory, struct topology *topology);

#endif
