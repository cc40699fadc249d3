/* SPDX-License-Identifier: GPL-2.0-only */
/* Power limits of packages, of their DRAM and of the whole machine, as the kernel's powercap files
 * show them (docs/spec/power.md). Zones and limits are found by their names: their numbers count in
 * the order in which drivers registered them. */
#ifndef HOST_POWERCAP_H
#define HOST_POWERCAP_H

#include "base/location.h"
#include "host/files.h"

#define POWERCAP "/sys/class/powercap"

/* Control types. Zones of the first ones are written; one of another type, such as MMIO, limits the
 * same package. */
#define POWER_RAPL      "intel-rapl:"
#define POWER_RAPL_TPMI "intel-rapl-tpmi:"
#define POWER_RAPL_MMIO "intel-rapl-mmio:"

/* What a zone is of. */
enum power_domain_kind { POWER_PACKAGE, POWER_DRAM, POWER_PSYS, N_POWER_DOMAINS };

#define POWER_NO_PACKAGE UINT32_MAX

/* The word of a kind: "package", "dram", "psys". */
const char *power_domain_kind_name(enum power_domain_kind kind);

/* Limits by their names in constraint_N_name. */
enum power_constraint_kind { POWER_LONG_TERM, POWER_SHORT_TERM, POWER_PEAK, N_POWER_CONSTRAINTS };

/* "long_term", "short_term", "peak_power". */
const char *power_constraint_name(enum power_constraint_kind kind);

/* A limit of a zone. */
struct power_constraint {
	bool exists;
	uint32_t number; /* in the names of its files */
	int error; /* why the limit cannot be read: a negative errno, or 0 */
	uint64_t limit_uw; /* 0: unknown */
	/* Details, if they were read; 0: unknown. */
	uint64_t window_us;
	int window_error; /* why the window cannot be read, or 0 */
	uint64_t max_uw;
	uint64_t min_uw;
};

/* A zone, and what it is of. */
struct power_zone {
	char *zone; /* the directory below POWERCAP, "intel-rapl:0:1": the same for one boot */
	char *name; /* "package-0", "package-0-die-1", "dram", "psys"; or NULL with an error */
	bool is_part; /* of another zone, as DRAM is of its package */
	/* A negative errno: its name cannot be read, or is empty; what it is of is not known. */
	int error;
	enum power_domain_kind kind;
	uint32_t package; /* POWER_NO_PACKAGE: of POWER_PSYS */
	uint32_t die; /* if has_die */
	bool has_die;
	bool is_other; /* of another control type than the one that is written */
	/* 0: its limits are off, or BIOS has locked them: the kernel does not show which. */
	struct file_number enabled;
	int enabled_error; /* why it cannot be read, or 0 */
	int limits_error; /* why limits are missing whose names cannot be read, or 0 */
	struct power_constraint constraints[N_POWER_CONSTRAINTS];
};

struct power_zones {
	struct power_zone *list;
	size_t count;
	char *unread; /* the first file or directory that could not be read; or NULL */
};

#define _cleanup_power_zones_ __attribute__((cleanup(power_zones_done)))

/* Lists the zones of a control type that are of packages, of their DRAM, or of the whole machine
 * (psys), without their limits: by zone, each after the one that it is a part of. Returns 0, also
 * if there are none; a negative errno of listing them; or -ENOMEM. */
int power_zones_list(struct files *files, const char *type, struct power_zones *ret_zones);

/* Reads the zones by kind, package and die, the zone that is written first: only those of packages
 * that are written, with the limits alone; or with_details all of them, of every kind and control
 * type, but those with an error. Returns 0; -ENOENT if the kernel has none; another negative errno
 * of listing them or of reading a name, with those that could be read and ret_zones->unread;
 * -ENOMEM. */
int power_zones_read(struct files *files, bool with_details, struct power_zones *ret_zones);
void power_zones_done(struct power_zones *zones);

/* What an error of power_zones_read means: a new text; NULL: no memory. */
char *power_zones_problem(const struct power_zones *zones, int err);

/* The zone of that kind that is written, of a package and die of another zone (NULL: any), or NULL.
 */
const struct power_zone *power_zones_find(const struct power_zones *zones,
					  enum power_domain_kind kind,
					  const struct power_zone *beside);

/* The long-term limit of a zone in uW; 0: it is off, or not known. */
uint64_t power_zone_long_term_uw(const struct power_zone *zone);

/* Is the zone of that package and, if it is of a die, of that die? */
bool power_zone_is_of(const struct power_zone *zone, uint32_t package, uint32_t die);

/* Is it the requested limit, rounded to some hardware unit (1/2^n W)? Both in uW. */
bool power_limit_is_rounded(uint64_t uw, uint64_t wanted_uw);

/* The same of a window, which hardware keeps as (1 + f/4) * 2^y units. Both in us. */
bool power_window_is_rounded(uint64_t us, uint64_t wanted_us);

/* The path of a file of a zone: a new text; NULL: no memory. */
char *power_zone_path(const char *zone, const char *file);

/* The path of a file of a limit, "constraint_0_power_limit_uw" for "power_limit_uw". */
struct file_path power_constraint_path(const struct power_zone *zone,
				       enum power_constraint_kind kind, const char *file);

/* The location of a zone of a package. */
struct location power_zone_location(const struct power_zone *zone);

/* The selector of a package's zone in documents: "package-0", or "package-0 die-1". A new text;
 * NULL: no memory. */
char *power_zone_format_selector(const struct power_zone *zone);

#endif
