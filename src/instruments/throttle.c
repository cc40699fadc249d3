// SPDX-License-Identifier: GPL-2.0-only
/* Reads the counters of thermal throttling. */
#include "instruments/throttle.h"

#include <errno.h>

const char *throttle_scope_name(enum throttle_scope scope)
{
	return scope == THROTTLE_CORE ? "core" : "package";
}

struct file_path throttle_events_path(uint32_t cpu, enum throttle_scope scope)
{
	return files_cpu_path(cpu, "thermal_throttle/%s_throttle_count",
			      throttle_scope_name(scope));
}

int throttle_read_events(struct files *files, uint32_t cpu, enum throttle_scope scope,
			 uint64_t *ret_events)
{
	return files_read_number(files, throttle_events_path(cpu, scope).text, ret_events);
}

int throttle_read(struct files *files, uint32_t cpu, enum throttle_scope scope,
		  struct throttle_counts *ret_counts)
{
	const char *name = throttle_scope_name(scope);
	struct throttle_counts counts = { .has_total_ms = false };
	int err = throttle_read_events(files, cpu, scope, &counts.events);

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
