/* SPDX-License-Identifier: GPL-2.0-only */
/* What this process may do: the capability decides, not the user id (commands.md, "Safety"). */
#ifndef MACHINE_CAPABILITY_H
#define MACHINE_CAPABILITY_H

/* Is CAP_SYS_ADMIN effective? Returns 1, 0, or a negative errno. */
int capability_has_sys_admin(void);

/*
 * Gives up every capability of this process, for good, but CAP_SYS_ADMIN, and, where it is not
 * root, CAP_DAC_OVERRIDE, by which such a process may write the kernel's files. Returns 0 or a
 * negative errno.
 */
int capability_drop_others(void);

#endif
