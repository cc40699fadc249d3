/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's files of a simulated machine, with the kernel's behaviour (sysfs.md). */
#ifndef SIMULATOR_SYSFS_H
#define SIMULATOR_SYSFS_H

#include "host/files.h"
#include "simulator/faults.h"

/* Makes the files. state and faults stay the caller's and must outlive them. 0 or -ENOMEM. */
int sysfs_open(struct sim_state *state, struct sim_faults *faults, struct files **ret_files);

/* Frees the files; NULL is fine. */
void sysfs_close(struct files *files);

#endif
