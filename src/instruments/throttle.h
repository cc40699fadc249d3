/* SPDX-License-Identifier: GPL-2.0-only */
/* How often, and how long, a CPU was throttled for heat: cpuN/thermal_throttle (measure.md,
 * "Sources, rights, traps"). The counters begin at boot and are never reset. */
#ifndef INSTRUMENTS_THROTTLE_H
#define INSTRUMENTS_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "host/files.h"

/* Whose counters: those of a core are the same on all its CPUs, and so are those of a package. */
enum throttle_scope { THROTTLE_CORE, THROTTLE_PACKAGE, THROTTLE_SCOPES };

struct throttle_counts {
	uint64_t events;
	uint64_t total_ms;
	bool has_total_ms; /* Linux before 5.6 does not count the time */
};

/* The word of a scope in names of files: "core", "package". */
const char *throttle_scope_name(enum throttle_scope scope);

/* The file that counts how often a CPU was throttled. */
struct file_path throttle_events_path(uint32_t cpu, enum throttle_scope scope);

/* Reads only how often. Returns as throttle_read(). */
int throttle_read_events(struct files *files, uint32_t cpu, enum throttle_scope scope,
			 uint64_t *ret_events);

/* Reads the counters of an online CPU. Returns 0; -ENOENT if the kernel has none; -EINVAL if a file
 * has no number; another negative errno of reading; -ENOMEM. */
int throttle_read(struct files *files, uint32_t cpu, enum throttle_scope scope,
		  struct throttle_counts *ret_counts);

#endif
