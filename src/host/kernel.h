/* SPDX-License-Identifier: GPL-2.0-only */
/* Releases of the kernel and their defects, which decide what this program asks and writes. */
#ifndef HOST_KERNEL_H
#define HOST_KERNEL_H

#include "host/files.h"

#define KERNEL_RELEASE "/proc/sys/kernel/osrelease"

enum kernel_defect_id {
	/* Turbo-ratio limits that were written through the device are written again whenever a CPU
	 * comes online (hardware.md, section 3). */
	KERNEL_REPLAYS_LIMITS,
	/* To count the power domains of a package without a bound TPMI device kills the program,
	 * and hangs all later ones until reboot (vm-lab.md, "Other kernels"). */
	KERNEL_DIES_OF_UNBOUND_TPMI,
	/* intel_idle takes no table of idle states (docs/spec/power.md). */
	KERNEL_LACKS_IDLE_TABLE
};

struct kernel_defect {
	const char *first, *repaired; /* releases; first NULL: all older ones have it */
	const char *releases; /* for messages */
};

/* By enum kernel_defect_id. */
extern const struct kernel_defect kernel_defects[];

/* Could a kernel of this release have the defect? One that is NULL or cannot be parsed could. */
bool kernel_has_defect(const char *release, enum kernel_defect_id id);

#endif
