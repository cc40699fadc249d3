/* SPDX-License-Identifier: GPL-2.0-only */
/* Releases of the kernel and their defects, which decide what this program requests and writes. */
#ifndef HOST_KERNEL_H
#define HOST_KERNEL_H

#include "host/files.h"

#define KERNEL_RELEASE "/proc/sys/kernel/osrelease"

enum kernel_defect_id {
	/* Turbo-ratio limits that were written through the device are written again whenever a CPU
	 * comes online (hardware.md, section 3). */
	KERNEL_REPLAYS_LIMITS,
	/* If a package has no bound TPMI device, counting its power domains kills the program and
	 * hangs all later ones until reboot (vm-lab.md, "Other kernels"). */
	KERNEL_DIES_OF_UNBOUND_TPMI,
	/* intel_idle accepts no table of idle states (docs/spec/power.md). */
	KERNEL_LACKS_IDLE_TABLE
};

struct kernel_defect {
	const char *first, *repaired; /* releases; first NULL: all older releases have the defect */
	const char *releases; /* for messages */
};

/* Indexed by enum kernel_defect_id. */
extern const struct kernel_defect kernel_defects[];

/* Returns true if a kernel of this release can have the defect, or if release is NULL or cannot be
 * parsed. */
bool kernel_has_defect(const char *release, enum kernel_defect_id id);

#endif
