/* SPDX-License-Identifier: GPL-2.0-only */
/* Power limits of packages, of their DRAM and of the complete machine, in the kernel's powercap
 * files (docs/spec/power.md). Zones and limits are found by name, because their numbers depend on
 * the order in which drivers register them. */
#ifndef HOST_POWERCAP_H
#define HOST_POWERCAP_H

#include "base/location.h"
#include "host/files.h"

#define POWERCAP "/sys/class/powercap"

/* Control types. Zones of the first two are written. A zone of MMIO limits the same package. */
#define POWER_RAPL      "intel-rapl:"
#define POWER_RAPL_TPMI "intel-rapl-tpmi:"
#define POWER_RAPL_MMIO "intel-rapl-mmio:"

/* The kind of hardware that a zone limits. */
enum power_domain_kind { POWER_PACKAGE, POWER_DRAM, POWER_PSYS, N_POWER_DOMAINS };

#define POWER_NO_PACKAGE UINT32_MAX

/* Returns the name of a kind: "package", "dram", "psys". */
const char *power_domain_kind_name(enum power_domain_kind kind);

/* The limits; constraint_N_name has their names. */
enum power_constraint_kind { POWER_LONG_TERM, POWER_SHORT_TERM, POWER_PEAK, N_POWER_CONSTRAINTS };

/* Returns "long_term", "short_term" or "peak_power". */
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

/* A zone of a package, of its DRAM, or of the complete machine. */
struct power_zone {
	char *zone; /* the directory below POWERCAP, "intel-rapl:0:1"; constant during one boot */
	char *name; /* "package-0", "package-0-die-1", "dram", "psys"; or NULL with an error */
	bool is_part; /* of another zone, as DRAM is of its package */
	/* A negative errno if the name cannot be read or is empty; the kind is then unknown. */
	int error;
	enum power_domain_kind kind;
	uint32_t package; /* POWER_NO_PACKAGE for POWER_PSYS */
	uint32_t die; /* if has_die */
	bool has_die;
	bool is_other; /* another control type is written instead */
	/* 0: the limits are off, or BIOS has locked them; the kernel does not show which. */
	struct file_number enabled;
	int enabled_error; /* why enabled cannot be read, or 0 */
	int limits_error; /* why the name of a limit cannot be read, or 0; this limit is missing */
	struct power_constraint constraints[N_POWER_CONSTRAINTS];
};

struct power_zones {
	struct power_zone *list;
	size_t count;
	char *unread; /* the first file or directory that could not be read; or NULL */
};

#define _cleanup_power_zones_ __attribute__((cleanup(power_zones_done)))

/* Lists the zones of a control type without their limits: zones of packages, of DRAM and of the
 * complete machine (psys). They are in the order of their directories; a part follows its zone.
 * Returns 0, also if there are none; a negative errno of listing them; or -ENOMEM. */
int power_zones_list(struct files *files, const char *type, struct power_zones *ret_zones);

/* Reads the zones, sorted by kind, package and die; a zone that is written comes before others.
 * Without details, reads only the package zones that are written, with only their limits.
 * with_details: reads zones of every kind and control type. Leaves out zones with an error. Returns
 * 0; -ENOENT if the kernel has none; another negative errno of listing them or of reading a name,
 * with the zones that could be read and ret_zones->unread; -ENOMEM. */
int power_zones_read(struct files *files, bool with_details, struct power_zones *ret_zones);
void power_zones_done(struct power_zones *zones);

/* Returns the meaning of an error of power_zones_read() as a new text; NULL: no memory. */
char *power_zones_problem(const struct power_zones *zones, int err);

/* Returns the written zone of this kind in the package and die of beside (NULL: any); or NULL. */
const struct power_zone *power_zones_find(const struct power_zones *zones,
					  enum power_domain_kind kind,
					  const struct power_zone *beside);

/* Returns the long-term limit of a zone in uW; 0: it is off or unknown. */
uint64_t power_zone_long_term_uw(const struct power_zone *zone);

/* Returns true if the zone is of this package and, if it has a die, of this die. */
bool power_zone_is_of(const struct power_zone *zone, uint32_t package, uint32_t die);

/* Returns true if uw is wanted_uw, rounded to a hardware unit (1/2^n W). Both in uW. */
bool power_limit_is_rounded(uint64_t uw, uint64_t wanted_uw);

/* Returns true if us is wanted_us, rounded to (1 + f/4) * 2^y units of the hardware. Both in us. */
bool power_window_is_rounded(uint64_t us, uint64_t wanted_us);

/* Returns the path of a file of a zone: a new text; NULL: no memory. */
char *power_zone_path(const char *zone, const char *file);

/* Returns the path of a file of a limit: "constraint_0_power_limit_uw" for "power_limit_uw". */
struct file_path power_constraint_path(const struct power_zone *zone,
				       enum power_constraint_kind kind, const char *file);

/* The location of a zone of a package. */
struct location power_zone_location(const struct power_zone *zone);

/* Returns the selector of a package's zone in documents: "package-0", or "package-0 die-1". A new
 * text; NULL: no memory. */
char *power_zone_format_selector(const struct power_zone *zone);

#endif
