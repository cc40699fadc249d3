// SPDX-License-Identifier: GPL-2.0-only
/* Reads power limits from /sys/class/powercap. */
#include "host/powercap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"

#define CONSTRAINTS 3
#define PACKAGE     "package-"
#define DIE         "-die-"

/* Control types. All but the first are written. */
static const char *const all_types[] = { POWER_RAPL_MMIO, POWER_RAPL_TPMI, POWER_RAPL, NULL };
static const char *const *const written_types = &all_types[1];

const char *power_domain_kind_name(enum power_domain_kind kind)
{
	static const char *const names[] = { "package", "dram", "psys" };

	return names[kind];
}

const char *power_constraint_name(enum power_constraint_kind kind)
{
	static const char *const names[] = { "long_term", "short_term", "peak_power" };

	return names[kind];
}

static void zone_done(struct power_zone *zone)
{
	free(zone->zone);
	free(zone->name);
}

void power_zones_done(struct power_zones *zones)
{
	for (size_t i = 0; i < zones->count; i++)
		zone_done(&zones->list[i]);
	free(zones->list);
	free(zones->unread);
	*zones = (struct power_zones){ 0 };
}

char *power_zones_problem(const struct power_zones *zones, int err)
{
	return zones->unread ? text_format("power limits: %s: %s", zones->unread, strerror(-err))
			     : strdup("this machine has no power limits: " POWERCAP
				      " has no zone of RAPL (intel_rapl_msr or intel_rapl_tpmi)");
}

char *power_zone_path(const char *zone, const char *file)
{
	return text_format(POWERCAP "/%s/%s", zone, file);
}

struct file_path power_constraint_path(const struct power_zone *zone,
				       enum power_constraint_kind kind, const char *file)
{
	struct file_path path;

	snprintf(path.text, sizeof(path.text), POWERCAP "/%s/constraint_%" PRIu32 "_%s", zone->zone,
		 zone->constraints[kind].number, file);
	return path;
}

struct location power_zone_location(const struct power_zone *zone)
{
	return (struct location){
		.package = zone->package,
		.die = zone->die,
		.die_is_unknown = !zone->has_die,
		.cpu = LOCATION_NO_CPU,
	};
}

char *power_zone_format_selector(const struct power_zone *zone)
{
	return zone->has_die ? text_format("package-%u die-%u", zone->package, zone->die)
			     : text_format("package-%u", zone->package);
}

uint64_t power_zone_long_term_uw(const struct power_zone *zone)
{
	return zone->enabled.is_known && !zone->enabled.value
		       ? 0
		       : zone->constraints[POWER_LONG_TERM].limit_uw;
}

bool power_zone_is_of(const struct power_zone *zone, uint32_t package, uint32_t die)
{
	return zone->package == package && (!zone->has_die || zone->die == die);
}

bool power_limit_is_rounded(uint64_t uw, uint64_t wanted_uw)
{
	uint64_t distance = uw > wanted_uw ? uw - wanted_uw : wanted_uw - uw, unit = UW_PER_W;

	for (; unit % 2 == 0; unit /= 2) {
		if (uw % unit == 0 && distance < unit)
			return true;
	}
	return distance < unit;
}

bool power_window_is_rounded(uint64_t us, uint64_t wanted_us)
{
	/* at most 1/5 below (the widest step is 1 to 1.25), or half of the next step, 1/6, above */
	return us <= wanted_us ? us >= wanted_us / 5 * 4 : us - wanted_us <= wanted_us / 6;
}

static int read_line(struct files *files, const char *zone, const char *name, char **ret_text)
{
	_cleanup_free_ char *path = power_zone_path(zone, name);

	return path ? files_read_line(files, path, ret_text) : -ENOMEM;
}

/* Returns the zone that contains a part: "intel-rapl:0" contains "intel-rapl:0:1". */
static const struct power_zone *find_parent(const struct power_zones *zones, const char *zone)
{
	size_t length = (size_t)(strrchr(zone, ':') - zone);

	for (size_t i = 0; i < zones->count; i++) {
		const char *parent = zones->list[i].zone;

		if (strlen(parent) == length && strncmp(parent, zone, length) == 0)
			return &zones->list[i];
	}
	return NULL;
}

/* Reads the package and, if present, the die from a zone's name, "package-1" or "package-1-die-0".
 * Returns true if the zone is of a package. */
static bool parse_package(const char *name, struct power_zone *zone)
{
	uint64_t package, die = 0;
	bool has_die;

	if (strncmp(name, PACKAGE, strlen(PACKAGE)) != 0)
		return false;
	name += strlen(PACKAGE);
	if (number_parse_digits(&name, 10, &package) || package >= POWER_NO_PACKAGE)
		return false;
	has_die = strncmp(name, DIE, strlen(DIE)) == 0;
	if (has_die)
		name += strlen(DIE);
	if (has_die && (number_parse_digits(&name, 10, &die) || die > UINT32_MAX))
		return false;
	if (*name)
		return false;
	zone->package = (uint32_t)package;
	zone->has_die = has_die;
	zone->die = (uint32_t)die;
	return true;
}

/* Finds the kind and the package of a zone. Returns false if the program does not use this kind. */
static bool find_kind(const struct power_zones *zones, struct power_zone *zone)
{
	const struct power_zone *parent;

	zone->package = POWER_NO_PACKAGE;
	zone->kind = POWER_PSYS;
	if (strcmp(zone->name, "psys") == 0)
		return true;
	zone->kind = POWER_PACKAGE;
	if (parse_package(zone->name, zone))
		return true;
	parent = find_parent(zones, zone->zone);
	if (strcmp(zone->name, "dram") != 0 || !parent || parent->error ||
	    parent->kind != POWER_PACKAGE)
		return false;
	zone->kind = POWER_DRAM;
	zone->package = parent->package;
	zone->has_die = parent->has_die;
	zone->die = parent->die;
	return true;
}

static int add_zone(struct files *files, const char *directory, bool is_part,
		    struct power_zones *zones)
{
	_cleanup_(zone_done) struct power_zone found = {
		.zone = strdup(directory),
		.is_part = is_part,
	};
	struct power_zone *zone;

	found.error = found.zone ? read_line(files, directory, "name", &found.name) : -ENOMEM;
	if (found.error == -ENOMEM)
		return -ENOMEM;
	if (!found.error && !*found.name)
		found.error = -EINVAL;
	if (!found.error && !find_kind(zones, &found))
		return 0;
	zone = array_add(&zones->list, &zones->count, sizeof(*zone));
	if (!zone)
		return -ENOMEM;
	*zone = steal(found);
	return 0;
}

/* Returns true if name is the directory of a zone of the type. Parts count only if with_parts. */
static bool is_zone(const char *name, const char *type, bool with_parts)
{
	size_t length = strlen(type);

	return strncmp(name, type, length) == 0 && (with_parts || !strchr(name + length, ':'));
}

/* Finds the zones of the control types, an array that ends with NULL. */
static int find_zones(struct files *files, const char *const *types, bool with_parts,
		      struct power_zones *ret_zones)
{
	_cleanup_power_zones_ struct power_zones zones = { 0 };
	char **names;
	int err = files_list(files, POWERCAP, &names);

	if (err)
		return err;
	/* a zone is listed before its parts */
	for (char **name = names; *name; name++) {
		for (const char *const *type = types; *type && !err; type++) {
			if (is_zone(*name, *type, with_parts))
				err = add_zone(files, *name, !is_zone(*name, *type, false), &zones);
		}
	}
	files_free_names(&names);
	if (!err)
		*ret_zones = steal(zones);
	return err;
}

int power_zones_list(struct files *files, const char *type, struct power_zones *ret_zones)
{
	const char *const types[] = { type, NULL };

	return find_zones(files, types, true, ret_zones);
}

/* Does the error of reading mean that the kernel does not have the value? */
static bool is_absent(int err)
{
	return err == -ENOENT || err == -ENODATA;
}

/* Reads an optional number of a limit. *ret_error: why it cannot be read; may be NULL. */
static int read_detail(struct files *files, const struct power_zone *zone,
		       enum power_constraint_kind kind, const char *file, uint64_t *ret_number,
		       int *ret_error)
{
	const struct file_path path = power_constraint_path(zone, kind, file);
	int err = files_read_number(files, path.text, ret_number);

	if (ret_error)
		*ret_error = is_absent(err) ? 0 : err;
	return err == -ENOMEM ? err : 0;
}

static int read_details(struct files *files, struct power_zone *zone,
			enum power_constraint_kind kind)
{
	struct power_constraint *constraint = &zone->constraints[kind];
	int err = read_detail(files, zone, kind, "time_window_us", &constraint->window_us,
			      &constraint->window_error);

	if (!err)
		err = read_detail(files, zone, kind, "max_power_uw", &constraint->max_uw, NULL);
	return err ?: read_detail(files, zone, kind, "min_power_uw", &constraint->min_uw, NULL);
}

/* Reads the limit with this number, and the limit's name. */
static int read_constraint(struct files *files, struct power_zone *zone, uint32_t number,
			   bool with_details)
{
	_cleanup_free_ char *file = text_format("constraint_%" PRIu32 "_name", number);
	_cleanup_free_ char *found = NULL;
	int err = file ? read_line(files, zone->zone, file, &found) : -ENOMEM;
	enum power_constraint_kind kind = 0;
	struct power_constraint *constraint;

	while (!err && kind < N_POWER_CONSTRAINTS &&
	       strcmp(found, power_constraint_name(kind)) != 0)
		kind++;
	if (err && !is_absent(err) && !zone->limits_error)
		zone->limits_error = err;
	if (err || kind == N_POWER_CONSTRAINTS)
		return err == -ENOMEM ? err : 0;
	constraint = &zone->constraints[kind];
	constraint->exists = true;
	constraint->number = number;
	constraint->error =
		files_read_number(files, power_constraint_path(zone, kind, "power_limit_uw").text,
				  &constraint->limit_uw);
	if (constraint->error == -ENOMEM)
		return -ENOMEM;
	return with_details ? read_details(files, zone, kind) : 0;
}

/* Reads the limits of a zone, any of which may be missing. */
static int read_limits(struct files *files, struct power_zone *zone, bool with_details)
{
	_cleanup_free_ char *path = power_zone_path(zone->zone, "enabled");
	uint64_t enabled;
	int err = path ? files_read_number(files, path, &enabled) : -ENOMEM;

	if (err == -ENOMEM)
		return err;
	if (!err)
		zone->enabled = (struct file_number){ true, enabled != 0 };
	zone->enabled_error = is_absent(err) ? 0 : err;
	for (uint32_t i = 0; i < CONSTRAINTS && err != -ENOMEM; i++)
		err = read_constraint(files, zone, i, with_details);
	return err == -ENOMEM ? err : 0;
}

static bool are_beside(const struct power_zone *left, const struct power_zone *right)
{
	return left->package == right->package && left->has_die == right->has_die &&
	       left->die == right->die;
}

/* If both drivers have a zone, the TPMI zone is written, and the MSR zone is marked as other. */
static void mark_others(struct power_zones *zones)
{
	for (size_t i = 0; i < zones->count; i++) {
		struct power_zone *zone = &zones->list[i];

		for (size_t j = 0; j < zones->count && !zone->is_other; j++) {
			const struct power_zone *better = &zones->list[j];

			zone->is_other = is_zone(zone->zone, POWER_RAPL, true) &&
					 is_zone(better->zone, POWER_RAPL_TPMI, true) &&
					 better->kind == zone->kind && are_beside(zone, better);
		}
	}
}

static int compare_zones(const void *left_pointer, const void *right_pointer)
{
	const struct power_zone *left = left_pointer, *right = right_pointer;

	return number_compare(left->kind, right->kind)
		       ?: number_compare(left->package, right->package)
		       ?: number_compare(left->die, right->die)
		       ?: left->is_other - right->is_other;
}

/* Drops the zones whose names cannot be read. Without details, also drops zones that are not of
 * packages or are not written. */
static void drop_zones(struct power_zones *zones, bool with_details)
{
	size_t kept = 0;

	for (size_t i = 0; i < zones->count; i++) {
		struct power_zone *zone = &zones->list[i];

		if (zone->error ||
		    (!with_details && (zone->kind != POWER_PACKAGE || zone->is_other)))
			zone_done(zone);
		else
			zones->list[kept++] = *zone;
	}
	zones->count = kept;
}

/* Stores the first zone whose name cannot be read, and its error. Returns 0 or -ENOMEM. */
static int note_unread(struct power_zones *zones, int *ret_error)
{
	size_t i = 0;

	while (i < zones->count && !zones->list[i].error)
		i++;
	if (i == zones->count)
		return 0;
	*ret_error = zones->list[i].error;
	zones->unread = power_zone_path(zones->list[i].zone, "name");
	return zones->unread ? 0 : -ENOMEM;
}

int power_zones_read(struct files *files, bool with_details, struct power_zones *ret_zones)
{
	_cleanup_power_zones_ struct power_zones zones = { 0 };
	int error = 0;
	int err = find_zones(files, with_details ? all_types : written_types, with_details, &zones);

	if (err && err != -ENOENT && err != -ENOMEM) {
		ret_zones->unread = strdup(POWERCAP);
		return ret_zones->unread ? err : -ENOMEM;
	}
	if (!err)
		err = note_unread(&zones, &error);
	drop_zones(&zones, with_details);
	for (size_t i = 0; i < zones.count && !err; i++) {
		zones.list[i].is_other = is_zone(zones.list[i].zone, POWER_RAPL_MMIO, true);
		err = read_limits(files, &zones.list[i], with_details);
	}
	if (err)
		return err;
	mark_others(&zones);
	drop_zones(&zones, with_details);
	if (zones.count) {
		qsort(zones.list, zones.count, sizeof(*zones.list), compare_zones);
	} else {
		free(steal(zones.list));
		error = error ?: -ENOENT;
	}
	*ret_zones = steal(zones);
	return error;
}

const struct power_zone *power_zones_find(const struct power_zones *zones,
					  enum power_domain_kind kind,
					  const struct power_zone *beside)
{
	for (size_t i = 0; i < zones->count; i++) {
		const struct power_zone *zone = &zones->list[i];

		if (zone->kind == kind && !zone->is_other && (!beside || are_beside(zone, beside)))
			return zone;
	}
	return NULL;
}
