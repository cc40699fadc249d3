/* SPDX-License-Identifier: GPL-2.0-only */
/* Which packages the TPMI driver may be asked about (hardware.md, section 4). */
#ifndef PLATFORM_TPMI_DEVICES_H
#define PLATFORM_TPMI_DEVICES_H

#include "machine/machine.h"

/*
 * Checks that each of the packages has a device bound to the driver, on kernels where
 * COUNT_TPMI_INSTANCES is fatal without one. Returns 0 if the driver may be asked; -EIO if it must
 * not, for any package, with *ret_message a new sentence that names the packages (NULL if memory is
 * short); or -ENOMEM.
 */
int tpmi_devices_check(const struct machine *machine, const struct cpuset *packages,
		       char **ret_message);

#endif
