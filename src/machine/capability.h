/* SPDX-License-Identifier: GPL-2.0-only */
/* What this process may do: the capability decides, not the user id (commands.md, "Safety"). */
#ifndef MACHINE_CAPABILITY_H
#define MACHINE_CAPABILITY_H

/* Is CAP_SYS_ADMIN effective? Returns 1, 0, or a negative errno. */
int capability_has_sys_admin(void);

#endif
