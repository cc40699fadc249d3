/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the TPMI driver may be asked which power domains a package has (hardware.md, section 4).
 */
#ifndef PLATFORM_TPMI_DEVICES_H
#define PLATFORM_TPMI_DEVICES_H

#include "machine/machine.h"

/*
 * Checks that each of the packages has a device bound to the driver, on kernels where
 * COUNT_TPMI_INSTANCES is fatal without one. Returns 0: ask. -EIO: do not ask any package;
 * *ret_message is then a new sentence that names the packages (NULL when memory is short).
 * -ENOMEM.
 */
int tpmi_devices_check(const struct machine *machine, const struct cpuset *packages,
		       char **ret_message);

#endif
