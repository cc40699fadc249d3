/* SPDX-License-Identifier: GPL-2.0-only */
/* Uncore frequencies as the kernel shows them, in both layouts of directories (sysfs.md,
 * "uncore"). */
#ifndef HOST_UNCORE_H
#define HOST_UNCORE_H

#include <stdint.h>

#include "host/machine.h"

#define UNCORE_MIN "min_freq_khz"
#define UNCORE_MAX "max_freq_khz"

#define UNCORE_CURRENT     "current_freq_khz"
#define UNCORE_INITIAL_MIN "initial_min_freq_khz"
#define UNCORE_INITIAL_MAX "initial_max_freq_khz"

/* The files of efficiency latency control. */
#define UNCORE_ELC_LOW_THRESHOLD  "elc_low_threshold_percent"
#define UNCORE_ELC_HIGH_THRESHOLD "elc_high_threshold_percent"
#define UNCORE_ELC_HIGH_ENABLE    "elc_high_threshold_enable"
#define UNCORE_ELC_FLOOR          "elc_floor_freq_khz"

/* A directory: a die, or a cluster of a power domain. Unknown members are NULL or 0. */
struct uncore_unit {
	char *path;
	const char *name; /* the last part of path */
	uint32_t number; /* the number in the name of a cluster */
	uint32_t package;
	bool is_cluster; /* a cluster of a power domain; else a die */
	uint32_t die; /* if has_die */
	bool has_die;
	uint32_t domain;
	/* Another unit of the package has the same power domain and cluster: Linux before 6.18
	 * counts the domains within each TPMI device of a package (vm-lab.md). */
	bool domain_is_ambiguous;
	uint32_t cluster;
	uint32_t min_khz; /* the limits now */
	uint32_t max_khz;
	int error; /* why the limits cannot be read, a negative errno, or 0 */
	/* Details, if they were read. */
	struct file_number initial_min_khz;
	struct file_number initial_max_khz;
	struct file_number current_khz;
	struct file_number elc_low_percent;
	struct file_number elc_high_percent;
	struct file_number elc_high_enabled;
	struct file_number elc_floor_khz;
	char *agent_types;
	struct file_number instance_id; /* of its registers in their TPMI device */
	struct files_unread unread; /* of uncore_detail_files */
};

struct uncore_units {
	struct uncore_unit *units; /* sorted by package, die or power domain, and cluster */
	size_t count;
};

/* The files of the details. */
extern const struct file_members uncore_detail_files;

#define _cleanup_uncore_units_ __attribute__((cleanup(uncore_units_done)))

/* Reads all units, without or with details. If there are clusters, leaves out the directories of
 * complete packages, which set all clusters. Returns 0; -ENOENT if the machine has no units;
 * -EACCES if only root may read the ids of a unit; -EINVAL for invalid numbers; another negative
 * errno of reading; -ENOMEM. */
int uncore_read_units(struct files *files, bool with_details, struct uncore_units *ret_units);
/* Keeps the first `kept` units and frees the others. */
void uncore_units_cut(struct uncore_units *units, size_t kept);
void uncore_units_done(void *data);

/* Returns true if the unit is a cluster of this power domain; false if domain_is_ambiguous. */
bool uncore_is_of_domain(const struct uncore_unit *unit, uint32_t domain);

/* Returns the location of a unit. */
struct location uncore_location(const struct uncore_unit *unit);

/* Returns the unit's selector in documents, "package-0 powerdomain-1 cluster-0", "package-0
 * uncore-2" if the power domain is ambiguous, or "package-0 die-0": a new text; NULL: no memory. */
char *uncore_format_selector(const struct uncore_unit *unit);

#endif
