// SPDX-License-Identifier: GPL-2.0-only
/* Reads the CPUs of each core type. On a hybrid machine, the kernel has an event source for each
 * type; on other machines, it has none of these. */
#include "host/core_types.h"

#include <errno.h>

static const struct {
	const char *path;
	const char *name;
} types_table[N_CORE_TYPES] = {
	[CORE_PERFORMANCE] = { "/sys/devices/cpu_core/cpus", "performance" },
	[CORE_EFFICIENT] = { "/sys/devices/cpu_atom/cpus", "efficient" },
	[CORE_LOW_POWER] = { "/sys/devices/cpu_lowpower/cpus", "low-power" },
};

int core_types_read(struct files *files, struct core_types *types)
{
	for (size_t i = 0; i < N_CORE_TYPES; i++) {
		int err = files_read_cpus(files, types_table[i].path, &types->cpus[i]);

		if (err && err != -ENOENT)
			return err;
	}
	return 0;
}

void core_types_done(struct core_types *types)
{
	for (size_t i = 0; i < N_CORE_TYPES; i++)
		cpuset_done(&types->cpus[i]);
}

const char *core_types_name(const struct core_types *types, uint32_t cpu)
{
	for (size_t i = 0; i < N_CORE_TYPES; i++) {
		if (cpuset_has(&types->cpus[i], cpu))
			return types_table[i].name;
	}
	return NULL;
}
