/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel tells of uncore frequencies, in both its layouts (sysfs.md, "uncore"). */
#ifndef MACHINE_UNCORE_H
#define MACHINE_UNCORE_H

#include <stdint.h>

#include "machine/files.h"

/* The files of efficiency latency control, in the order of struct uncore_unit. */
enum uncore_elc {
	UNCORE_ELC_LOW_THRESHOLD, /* percent */
	UNCORE_ELC_HIGH_THRESHOLD,
	UNCORE_ELC_HIGH_ENABLE, /* 0 or 1 */
	UNCORE_ELC_FLOOR, /* kHz */
	UNCORE_ELC_FILES
};

/* Each one's name. */
extern const char *const uncore_elc_names[UNCORE_ELC_FILES];

/* A number from a file that may be missing, or hold something else. */
struct uncore_number {
	bool is_known;
	uint32_t value;
};

/* A directory: a die, or a cluster of a power domain. What the kernel does not tell is NULL or 0.
 */
struct uncore_unit {
	char *path;
	const char *name; /* its last part */
	uint32_t package;
	bool is_cluster; /* of a power domain; else of a die */
	uint32_t die; /* of a die; of a power domain: where has_die */
	bool has_die;
	uint32_t domain;
	uint32_t cluster;
	uint32_t min_khz; /* the limits now */
	uint32_t max_khz;
	uint32_t initial_min_khz;
	uint32_t initial_max_khz;
	uint32_t current_khz;
	struct uncore_number elc[UNCORE_ELC_FILES];
	char *agent_types;
	int error; /* why the limits cannot be read, a negative errno, or 0 */
};

struct uncore_units {
	struct uncore_unit *units; /* by package, die or power domain, cluster */
	size_t count;
};

#define _cleanup_uncore_units_ __attribute__((cleanup(uncore_units_done)))

/*
 * Reads all of them. Where there are clusters, the directories of whole packages, which set them
 * all, are left out. Returns 0; -ENOENT where the machine has none; -EACCES where only root may
 * read which is which; -EINVAL for nonsense; another negative errno of reading; -ENOMEM.
 */
int uncore_read_units(struct files *files, struct uncore_units *ret_units);
/* Frees all units but the first ones. */
void uncore_units_cut(struct uncore_units *units, size_t kept);
void uncore_units_done(struct uncore_units *units);

#endif
