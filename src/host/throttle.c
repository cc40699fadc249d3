// SPDX-License-Identifier: GPL-2.0-only
/* Reads the counters of thermal throttling. */
#include "host/throttle.h"

#include <errno.h>

const char *throttle_scope_name(enum throttle_scope scope)
{
	return scope == THROTTLE_CORE ? "core" : "package";
}

int throttle_read(struct files *files, uint32_t cpu, enum throttle_scope scope,
		  struct throttle_counts *ret_counts)
{
	const char *name = throttle_scope_name(scope);
	struct throttle_counts counts = { .has_total_ms = false };
	int err = files_read_number(
		files, files_cpu_path(cpu, "thermal_throttle/%s_throttle_count", name).text,
		&counts.events);

	if (err)
		return err;
	err = files_read_number(
		files, files_cpu_path(cpu, "thermal_throttle/%s_throttle_total_time_ms", name).text,
		&counts.total_ms);
	if (err && err != -ENOENT)
		return err;
	counts.has_total_ms = !err;
	*ret_counts = counts;
	return 0;
}
