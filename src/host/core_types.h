/* SPDX-License-Identifier: GPL-2.0-only */
/* The core types of a hybrid machine (sysfs.md, "Core types"). */
#ifndef HOST_CORE_TYPES_H
#define HOST_CORE_TYPES_H

#include "base/cpuset.h"
#include "host/files.h"

enum core_type { CORE_PERFORMANCE, CORE_EFFICIENT, CORE_LOW_POWER, N_CORE_TYPES };

/* The online CPUs of each type; all empty on a machine that is not hybrid. */
struct core_types {
	struct cpuset cpus[N_CORE_TYPES];
};

#define _cleanup_core_types_ __attribute__((cleanup(core_types_done)))

/* Reads the types into a structure of empty sets. Returns 0, also if the machine is not hybrid;
 * -EINVAL or -ERANGE for an invalid list; another negative errno of reading; -ENOMEM. */
int core_types_read(struct files *files, struct core_types *types);
void core_types_done(struct core_types *types);

/* Returns the name of a CPU's type: "performance", "efficient", "low-power"; NULL: it has none. */
const char *core_types_name(const struct core_types *types, uint32_t cpu);

#endif
