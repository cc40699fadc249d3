// SPDX-License-Identifier: GPL-2.0-only
/* Reads counters of energy from /sys/class/powercap, whose zones are found by their names. */
#include "instruments/powercap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"

static int read_line(struct files *files, const char *zone, const char *name, char **ret_text)
{
	_cleanup_free_ char *path = power_zone_path(zone, name);

	return path ? files_read_line(files, path, ret_text) : -ENOMEM;
}

static int read_number(struct files *files, const char *zone, const char *name, uint64_t *ret_value)
{
	_cleanup_free_ char *path = power_zone_path(zone, name);

	return path ? files_read_number(files, path, ret_value) : -ENOMEM;
}

void power_places_done(struct power_places *places)
{
	for (size_t i = 0; i < places->count; i++)
		free(places->list[i].zone);
	free(places->list);
	*places = (struct power_places){ 0 };
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

/* Finds out what a zone counts, by its name. Returns whether it is of interest. */
static bool find_kind(const struct power_places *places, const char *name,
		      struct power_place *place)
{
	const struct power_place *parent;
	bool has_die;
	uint32_t die;

	place->package = POWER_NO_PACKAGE;
	place->kind = POWER_PSYS;
	if (strcmp(name, "psys") == 0)
		return true;
	place->kind = POWER_PACKAGE;
	if (power_parse_package(name, &place->package, &has_die, &die))
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

uint64_t power_count_uj(uint64_t before_uj, uint64_t after_uj, uint64_t range_uj)
{
	if (after_uj >= before_uj)
		return after_uj - before_uj;
	return range_uj ? range_uj + 1 - before_uj + after_uj : 0;
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
