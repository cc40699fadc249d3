// SPDX-License-Identifier: GPL-2.0-only
/* Reads the power limits of packages from /sys/class/powercap. Zones are found by their names:
 * their numbers count platforms and packages in the order in which drivers registered them. */
#include "host/powercap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"

#define POWERCAP    "/sys/class/powercap"
#define RAPL        "intel-rapl:" /* not intel-rapl-mmio, which shows the same limits again */
#define CONSTRAINTS 3
#define PACKAGE     "package-"

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
		const char *number = *name + strlen(RAPL);

		/* not a part of a zone, intel-rapl:0:0 */
		if (strncmp(*name, RAPL, strlen(RAPL)) == 0 && !strchr(number, ':'))
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

void power_counters_done(struct power_counters *counters)
{
	for (size_t i = 0; i < counters->count; i++)
		free(counters->list[i].zone);
	free(counters->list);
	*counters = (struct power_counters){ 0 };
}

/* The zone that a part belongs to: "intel-rapl:0:1" is of "intel-rapl:0". */
static const struct power_counter *find_parent(const struct power_counters *counters,
					       const char *zone)
{
	size_t length = (size_t)(strrchr(zone, ':') - zone);

	for (size_t i = 0; i < counters->count; i++) {
		const char *parent = counters->list[i].zone;

		if (strlen(parent) == length && strncmp(parent, zone, length) == 0)
			return &counters->list[i];
	}
	return NULL;
}

/* Finds out what a zone counts, by its name. Returns whether it is of interest. */
static bool find_kind(const struct power_counters *counters, const char *zone, const char *name,
		      struct power_counter *counter)
{
	const struct power_counter *parent;

	counter->package = POWER_NO_PACKAGE;
	if (strcmp(name, "psys") == 0) {
		counter->kind = POWER_PSYS;
		return true;
	}
	if (strncmp(name, PACKAGE, strlen(PACKAGE)) == 0) {
		counter->kind = POWER_PACKAGE;
		counter->package = (uint32_t)strtoul(name + strlen(PACKAGE), NULL, 10);
		return true;
	}
	parent = find_parent(counters, zone);
	if (strcmp(name, "dram") != 0 || !parent || parent->kind != POWER_PACKAGE)
		return false;
	counter->kind = POWER_DRAM;
	counter->package = parent->package;
	return true;
}

static int read_counter(struct files *files, const char *zone, struct power_counters *counters)
{
	_cleanup_free_ char *name = NULL;
	struct power_counter found = { .range_uj = 0 }, *counter;
	int err = read_line(files, zone, "name", &name);

	if (err || !find_kind(counters, zone, name, &found))
		return err;
	err = read_number(files, zone, "energy_uj", &found.energy_uj);
	if (err)
		return err == -ENOENT ? 0 : err;
	err = read_number(files, zone, "max_energy_range_uj", &found.range_uj);
	if (err && err != -ENOENT)
		return err;
	found.zone = strdup(zone);
	counter =
		found.zone ? array_add(&counters->list, &counters->count, sizeof(*counter)) : NULL;
	if (!counter) {
		free(found.zone);
		return -ENOMEM;
	}
	*counter = found;
	return 0;
}

int power_counters_read(struct files *files, struct power_counters *ret_counters)
{
	_cleanup_power_counters_ struct power_counters counters = { 0 };
	char **names;
	int err = files_list(files, POWERCAP, &names);

	if (err)
		return err;
	/* a zone is listed before its parts */
	for (char **name = names; *name && !err; name++) {
		if (strncmp(*name, RAPL, strlen(RAPL)) == 0)
			err = read_counter(files, *name, &counters);
	}
	files_free_names(&names);
	if (err)
		return err;
	if (counters.count == 0)
		return -ENOENT;
	*ret_counters = steal(counters);
	return 0;
}
