// SPDX-License-Identifier: GPL-2.0-only
/* Power limits and energy of packages (docs/spec/power.md; sysfs.md, "powercap"): a directory for
 * each zone of the platform. Registers keep limits and windows in their own units. A zone that BIOS
 * has locked reads as disabled, and refuses writes. */
#include "simulator/sysfs/sysfs.h"

#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "base/units.h"
#include "simulator/power.h"

#define ENERGY_RANGE_UJ 262143328850ULL /* 32 bits of 61 uJ */

/* The argument of an attribute is the number of its limit; for the lower end of the limit's range,
 * LOWER_END is added. */
#define LOWER_END SIM_POWER_LIMITS

static const struct sim_power_zone *zone_of(const struct sysfs_place *place)
{
	for (size_t i = 0; i < place->platform->n_power_zones; i++) {
		if (strcmp(place->platform->power_zones[i].directory, place->name) == 0)
			return &place->platform->power_zones[i];
	}
	return NULL;
}

static struct sim_power_state *state_of(const struct sysfs_place *place)
{
	return &place->state->power[zone_of(place) - place->platform->power_zones];
}

/* Returns the kind of the attribute's limit; SIM_POWER_LIMITS: the zone has no such limit. */
static uint8_t kind_of(const struct sysfs_place *place)
{
	return zone_of(place)->order[place->attribute->argument % SIM_POWER_LIMITS];
}

static int check_lock(const struct sysfs_place *place)
{
	return place->platform->power_locked ? -EACCES : 0;
}

SYSFS_TEXT(get_name, zone_of(place)->name);
SYSFS_TEXT(get_limit_name, sim_power_names[kind_of(place)]);
SYSFS_NUMBER(get_limit, state_of(place)->uw[kind_of(place)]);

static int store_limit(const struct sysfs_place *place, const char *text)
{
	uint64_t uw;
	int err = check_lock(place);

	if (err || number_parse(text, 0, INT64_MAX, &uw))
		return err ?: -EINVAL;
	state_of(place)->uw[kind_of(place)] = sim_power_round_uw(place->platform, uw);
	return 0;
}

/* The peak power limit has no averaging window. */
static int append_window(const struct sysfs_place *place, struct buffer *to)
{
	if (kind_of(place) == SIM_PEAK_POWER)
		return -ENODATA;
	buffer_append_number(to, state_of(place)->window_us[kind_of(place)]);
	return 0;
}

static int store_window(const struct sysfs_place *place, const char *text)
{
	uint64_t us;
	int err = check_lock(place);

	if (!err && kind_of(place) == SIM_PEAK_POWER)
		err = -ENODATA;
	if (err || number_parse(text, 1, UINT32_MAX, &us))
		return err ?: -EINVAL;
	state_of(place)->window_us[kind_of(place)] = sim_power_round_us(place->platform, us);
	return 0;
}

/* Appends an end of the range of a limit, if the kernel knows it. */
static int append_end(const struct sysfs_place *place, struct buffer *to)
{
	uint32_t watts = place->attribute->argument < LOWER_END ? place->platform->power_max_w
								: place->platform->power_min_w;

	if (!watts || zone_of(place)->package == SIM_NO_PACKAGE)
		return -ENODATA;
	buffer_append_number(to, (uint64_t)watts * UW_PER_W);
	return 0;
}

SYSFS_NUMBER(get_enabled, state_of(place)->enabled);

static int set_enabled(const struct sysfs_place *place, uint32_t value)
{
	int err = check_lock(place);

	if (!err)
		state_of(place)->enabled = value;
	return err;
}

/* Returns the energy that a package or the platform has used; the counter wraps around. */
static uint64_t get_energy(const struct sysfs_place *place)
{
	const struct sim_state *state = place->state;
	uint32_t package = zone_of(place)->package;
	uint64_t uj = 0;

	for (uint32_t i = 0; i < place->platform->n_packages; i++) {
		if (package == SIM_NO_PACKAGE || package == i)
			uj += state->package_counters[i].energy_uj;
	}
	return uj % (ENERGY_RANGE_UJ + 1);
}

static uint64_t get_range(const struct sysfs_place *place)
{
	(void)place;
	return ENERGY_RANGE_UJ;
}

/* The energy of DRAM is not modelled; MMIO zones would count the energy of packages again. */
static bool has_energy(const struct sysfs_place *place)
{
	return place->platform->sources.energy && strcmp(zone_of(place)->name, "dram") != 0 &&
	       !zone_of(place)->is_mmio;
}

SYSFS_HAS(has_powercap, place->platform->has_powercap);

SYSFS_HAS(has_zone, zone_of(place));

static int list_zones(const struct sysfs_place *place, struct buffer *names)
{
	for (size_t i = 0; i < place->platform->n_power_zones; i++)
		buffer_print(names, "%s\n", place->platform->power_zones[i].directory);
	return 0;
}

SYSFS_HAS(has_limit, kind_of(place) < SIM_POWER_LIMITS);

static bool has_lower_end(const struct sysfs_place *place)
{
	return has_limit(place) && place->platform->power_min_w &&
	       zone_of(place)->package != SIM_NO_PACKAGE;
}

#define OF_LIMIT(n, file) "constraint_" #n "_" file, .argument = (n), .exists = has_limit
#define LIMIT(n)                                                                                   \
	{ OF_LIMIT(n, "name"), .text = get_limit_name },                                           \
		{ OF_LIMIT(n, "power_limit_uw"), .number = get_limit, .store = store_limit },      \
		{ OF_LIMIT(n, "time_window_us"), .append = append_window, .store = store_window }, \
		{ OF_LIMIT(n, "max_power_uw"), .append = append_end },                             \
	{                                                                                          \
		"constraint_" #n "_min_power_uw", .argument = LOWER_END + (n),                     \
						  .exists = has_lower_end, .append = append_end    \
	}

static const struct sysfs_attribute zone_attributes[] = {
	LIMIT(0),
	LIMIT(1),
	LIMIT(2),
	{ SYSFS_READ_WRITE("enabled", enabled, 1) },
	{ "energy_uj", .number = get_energy, .exists = has_energy },
	{ "max_energy_range_uj", .number = get_range, .exists = has_energy },
	{ "name", .text = get_name },
	{ 0 },
};

const struct sysfs_directory sysfs_powercap[] = {
	{ "/sys/class/powercap", .exists = has_powercap },
	{ "/sys/class/powercap/*", .exists = has_zone, .list = list_zones,
	  .attributes = zone_attributes },
	{ 0 },
};
