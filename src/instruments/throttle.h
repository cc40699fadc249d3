/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads how often and how long a CPU was throttled because of heat: cpuN/thermal_throttle
 * (measure.md, "Sources, rights, traps"). The counters begin at boot and are never reset. */
#ifndef INSTRUMENTS_THROTTLE_H
#define INSTRUMENTS_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "host/files.h"

/* All CPUs of a core have the same core counters; CPUs of a package, the same package counters. */
enum throttle_scope { THROTTLE_CORE, THROTTLE_PACKAGE, THROTTLE_SCOPES };

struct throttle_counts {
	uint64_t events;
	uint64_t total_ms;
	bool has_total_ms; /* Linux before 5.6 does not count the time */
};

/* Returns the name of a scope in file names: "core", "package". */
const char *throttle_scope_name(enum throttle_scope scope);

/* Returns the file that counts how often a CPU was throttled. */
struct file_path throttle_events_path(uint32_t cpu, enum throttle_scope scope);

/* Reads only the number of events. Returns as throttle_read(). */
int throttle_read_events(struct files *files, uint32_t cpu, enum throttle_scope scope,
			 uint64_t *ret_events);

/* Reads the counters of an online CPU. Returns 0; -ENOENT if the kernel has none; -EINVAL if a file
 * has no number; another negative errno of reading; -ENOMEM. */
int throttle_read(struct files *files, uint32_t cpu, enum throttle_scope scope,
		  struct throttle_counts *ret_counts);

#endif
