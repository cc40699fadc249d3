/* SPDX-License-Identifier: GPL-2.0-only */
/* Power limits of packages, by the kernel's powercap files (sysfs.md, "powercap"). */
#ifndef HOST_POWERCAP_H
#define HOST_POWERCAP_H

#include "host/files.h"

/* A zone of a package; its number is not that of the package. Limits that the kernel does not show
 * are not known. */
struct power_zone {
	char *name; /* "package-0", "package-0-die-1" */
	struct file_number enabled;
	uint64_t long_term_uw; /* 0: not known */
	uint64_t short_term_uw;
	uint64_t peak_uw;
};

struct power_zones {
	struct power_zone *list; /* by name */
	size_t count;
};

#define _cleanup_power_zones_ __attribute__((cleanup(power_zones_done)))

/* Reads the zones of packages. Returns 0; -ENOENT if the kernel has none; another negative errno of
 * listing them or of reading a name; -ENOMEM. */
int power_zones_read(struct files *files, struct power_zones *ret_zones);
void power_zones_done(struct power_zones *zones);

#endif
