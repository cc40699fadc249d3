// SPDX-License-Identifier: GPL-2.0-only
/* Reads the power limits of packages from /sys/class/powercap. Zones are found by their names:
 * their numbers count platforms and packages in the order in which drivers registered them. */
#include "instruments/powercap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"

#define POWERCAP    "/sys/class/powercap"
#define CONSTRAINTS 3
#define PACKAGE     "package-"
#define DIE         "-die-"

void power_zones_done(struct power_zones *zones)
{
	for (size_t i = 0; i < zones->count; i++)
		free(zones->list[i].name);
	free(zones->list);
	*zones = (struct power_zones){ 0 };
}

static int read_line(struct files *files, const char *zone, const char *name, char **ret_text)
{
	_cleanup_free_ char *path = text_format(POWERCAP "/%s/%s", zone, name);

	return path ? files_read_line(files, path, ret_text) : -ENOMEM;
}

static int read_number(struct files *files, const char *zone, const char *name, uint64_t *ret_value)
{
	_cleanup_free_ char *path = text_format(POWERCAP "/%s/%s", zone, name);

	return path ? files_read_number(files, path, ret_value) : -ENOMEM;
}

/* Reads the limits of a zone: constraints have names, too, and any may be missing. */
static int read_limits(struct files *files, const char *number, struct power_zone *zone)
{
	const struct {
		const char *name;
		uint64_t *uw;
	} known[] = {
		{ "long_term", &zone->long_term_uw },
		{ "short_term", &zone->short_term_uw },
		{ "peak_power", &zone->peak_uw },
	};
	uint64_t enabled;
	int err = read_number(files, number, "enabled", &enabled);

	if (!err)
		zone->enabled = (struct file_number){ true, enabled != 0 };
	for (unsigned int i = 0; i < CONSTRAINTS && err != -ENOMEM; i++) {
		_cleanup_free_ char *name = text_format("constraint_%u_name", i), *found = NULL;
		_cleanup_free_ char *limit = text_format("constraint_%u_power_limit_uw", i);

		if (!name || !limit)
			return -ENOMEM;
		err = read_line(files, number, name, &found);
		for (size_t j = 0; j < ARRAY_SIZE(known) && !err; j++) {
			if (strcmp(found, known[j].name) == 0)
				err = read_number(files, number, limit, known[j].uw);
		}
	}
	return err == -ENOMEM ? err : 0;
}

static int read_zone(struct files *files, const char *number, struct power_zones *zones)
{
	_cleanup_free_ char *name = NULL;
	struct power_zone *zone;
	int err = read_line(files, number, "name", &name);

	if (err || strncmp(name, PACKAGE, strlen(PACKAGE)) != 0)
		return err;
	zone = array_add(&zones->list, &zones->count, sizeof(*zone));
	if (!zone)
		return -ENOMEM;
	zone->name = steal(name);
	return read_limits(files, number, zone);
}

static int compare_zones(const void *left, const void *right)
{
	return strverscmp(((const struct power_zone *)left)->name,
			  ((const struct power_zone *)right)->name);
}

int power_zones_read(struct files *files, struct power_zones *ret_zones)
{
	_cleanup_power_zones_ struct power_zones zones = { 0 };
	char **names;
	int err = files_list(files, POWERCAP, &names);

	if (err)
		return err;
	for (char **name = names; *name && !err; name++) {
		const char *number = *name + strlen(POWER_RAPL);

		/* not a part of a zone, intel-rapl:0:0; nor MMIO, which shows the same limits again
		 */
		if (strncmp(*name, POWER_RAPL, strlen(POWER_RAPL)) == 0 && !strchr(number, ':'))
			err = read_zone(files, *name, &zones);
	}
	files_free_names(&names);
	if (err)
		return err;
	if (zones.count == 0)
		return -ENOENT;
	qsort(zones.list, zones.count, sizeof(*zones.list), compare_zones);
	*ret_zones = steal(zones);
	return 0;
}

const char *power_domain_kind_name(enum power_domain_kind kind)
{
	static const char *const names[] = { "package", "dram", "psys" };

	return names[kind];
}

void power_places_done(struct power_places *places)
{
	for (size_t i = 0; i < places->count; i++)
		free(places->list[i].zone);
	free(places->list);
	*places = (struct power_places){ 0 };
}

char *power_zone_path(const char *zone, const char *file)
{
	return text_format(POWERCAP "/%s/%s", zone, file);
}

/* The zone that a part belongs to: "intel-rapl:0:1" is of "intel-rapl:0". */
static const struct power_place *find_parent(const struct power_places *places, const char *zone)
{
	size_t length = (size_t)(strrchr(zone, ':') - zone);

	for (size_t i = 0; i < places->count; i++) {
		const char *parent = places->list[i].zone;

		if (strlen(parent) == length && strncmp(parent, zone, length) == 0)
			return &places->list[i];
	}
	return NULL;
}

/* Takes the package of a name: "package-1", or "package-1-die-0". Returns whether it has one. */
static bool find_package(const char *name, uint32_t *ret_package)
{
	uint64_t number;

	if (strncmp(name, PACKAGE, strlen(PACKAGE)) != 0)
		return false;
	name += strlen(PACKAGE);
	if (number_parse_digits(&name, 10, &number) || number >= POWER_NO_PACKAGE ||
	    (*name && strncmp(name, DIE, strlen(DIE)) != 0))
		return false;
	*ret_package = (uint32_t)number;
	return true;
}

/* Finds out what a zone counts, by its name. Returns whether it is of interest. */
static bool find_kind(const struct power_places *places, const char *name,
		      struct power_place *place)
{
	const struct power_place *parent;

	place->package = POWER_NO_PACKAGE;
	place->kind = POWER_PSYS;
	if (strcmp(name, "psys") == 0)
		return true;
	place->kind = POWER_PACKAGE;
	if (find_package(name, &place->package))
		return true;
	parent = find_parent(places, place->zone);
	if (strcmp(name, "dram") != 0 || !parent || parent->error || parent->kind != POWER_PACKAGE)
		return false;
	place->kind = POWER_DRAM;
	place->package = parent->package;
	return true;
}

static int add_place(struct files *files, const char *zone, bool is_part,
		     struct power_places *places)
{
	struct power_place found = { .is_part = is_part }, *place;
	_cleanup_free_ char *name = NULL, *copy = strdup(zone);
	int err = copy ? read_line(files, zone, "name", &name) : -ENOMEM;

	if (err == -ENOMEM)
		return err;
	if (!err && !*name)
		err = -EINVAL;
	found.zone = copy;
	found.error = err;
	if (!err && !find_kind(places, name, &found))
		return 0;
	place = array_add(&places->list, &places->count, sizeof(*place));
	if (!place)
		return -ENOMEM;
	*place = found;
	steal(copy);
	return 0;
}

int power_places_find(struct files *files, const char *type, struct power_places *ret_places)
{
	_cleanup_power_places_ struct power_places places = { 0 };
	const size_t length = strlen(type);
	char **names;
	int err = files_list(files, POWERCAP, &names);

	if (err)
		return err;
	/* a zone is listed before its parts */
	for (char **name = names; *name && !err; name++) {
		if (strncmp(*name, type, length) == 0)
			err = add_place(files, *name, strchr(*name + length, ':'), &places);
	}
	files_free_names(&names);
	if (err)
		return err;
	*ret_places = steal(places);
	return 0;
}

void power_counters_done(struct power_counters *counters)
{
	for (size_t i = 0; i < counters->count; i++)
		free(counters->list[i].zone);
	free(counters->list);
	*counters = (struct power_counters){ 0 };
}

static int read_counter(struct files *files, struct power_place *place,
			struct power_counters *counters)
{
	struct power_counter found = { .kind = place->kind, .package = place->package }, *counter;
	int err = place->error;

	if (!err)
		err = read_number(files, place->zone, "energy_uj", &found.energy_uj);
	if (err)
		return err == -ENOENT ? 0 : err;
	err = read_number(files, place->zone, "max_energy_range_uj", &found.range_uj);
	if (err && err != -ENOENT)
		return err;
	counter = array_add(&counters->list, &counters->count, sizeof(*counter));
	if (!counter)
		return -ENOMEM;
	found.zone = steal(place->zone);
	*counter = found;
	return 0;
}

int power_counters_read(struct files *files, struct power_counters *ret_counters)
{
	_cleanup_power_counters_ struct power_counters counters = { 0 };
	_cleanup_power_places_ struct power_places places = { 0 };
	int err = power_places_find(files, POWER_RAPL, &places);

	for (size_t i = 0; i < places.count && !err; i++)
		err = read_counter(files, &places.list[i], &counters);
	if (err)
		return err;
	if (counters.count == 0)
		return -ENOENT;
	*ret_counters = steal(counters);
	return 0;
}
