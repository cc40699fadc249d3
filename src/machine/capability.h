/* SPDX-License-Identifier: GPL-2.0-only */
/* What this process may do: the capability decides, not the user id (commands.md, "Safety"). */
#ifndef MACHINE_CAPABILITY_H
#define MACHINE_CAPABILITY_H

#include <stdbool.h>

/* Is CAP_SYS_ADMIN effective? Returns 1, 0, or a negative errno. */
int capability_has_sys_admin(void);

/*
 * Gives up every capability of this process, for good, but CAP_SYS_ADMIN. Keeps CAP_DAC_OVERRIDE
 * too, if the process is not root, to write the kernel's files; or with keeps_files, to make and
 * remove control groups: /sys/fs/cgroup has mode 0555, so root needs the capability for that as
 * well. Returns 0 or a negative errno.
 */
int capability_drop_others(bool keeps_files);

#endif
