/* SPDX-License-Identifier: GPL-2.0-only */
/* What this process may do: the capability decides, not the user id (commands.md, "Safety"). */
#ifndef MACHINE_CAPABILITY_H
#define MACHINE_CAPABILITY_H

#include <stdbool.h>

/* Is CAP_SYS_ADMIN effective? Returns 1, 0, or a negative errno. */
int capability_has_sys_admin(void);

/*
 * Gives up every capability of this process, for good, but CAP_SYS_ADMIN, and CAP_DAC_OVERRIDE
 * where it is not root, so that it may write the kernel's files, or where keeps_files: the kernel
 * makes /sys/fs/cgroup with mode 0555, in which root, too, makes and removes groups by that
 * capability alone. Returns 0 or a negative errno.
 */
int capability_drop_others(bool keeps_files);

#endif
