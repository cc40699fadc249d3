// SPDX-License-Identifier: GPL-2.0-only
/* Reads energy counters from /sys/class/powercap. Zones are found by their names. */
#include "instruments/powercap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"

static int read_number(struct files *files, const char *zone, const char *name, uint64_t *ret_value)
{
	_cleanup_free_ char *path = power_zone_path(zone, name);

	return path ? files_read_number(files, path, ret_value) : -ENOMEM;
}

void power_counters_done(struct power_counters *counters)
{
	for (size_t i = 0; i < counters->count; i++)
		free(counters->list[i].zone);
	free(counters->list);
	*counters = (struct power_counters){ 0 };
}

static int read_counter(struct files *files, struct power_zone *place,
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
	_cleanup_power_zones_ struct power_zones places = { 0 };
	int err = power_zones_list(files, POWER_RAPL, &places);

	for (size_t i = 0; i < places.count && !err; i++)
		err = read_counter(files, &places.list[i], &counters);
	if (err)
		return err;
	if (counters.count == 0)
		return -ENOENT;
	*ret_counters = steal(counters);
	return 0;
}
