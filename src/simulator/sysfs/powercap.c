// SPDX-License-Identifier: GPL-2.0-only
/* Power limits and energy of packages (sysfs.md, "powercap"). The zone of the platform is
 * registered after that of package 0, so that the numbers of zones are not those of packages. */
#include "simulator/sysfs/sysfs.h"

#include <errno.h>

#define PSYS     1
#define UW_PER_W 1000000

#define ENERGY_RANGE_UJ 262143328850ULL /* 32 bits of 61 uJ */

static bool is_psys(const struct sysfs_place *place)
{
	return place->numbers[0] == PSYS;
}

static int append_name(const struct sysfs_place *place, struct buffer *to)
{
	if (is_psys(place))
		buffer_append_string(to, "psys");
	else
		sysfs_append(to, "package-%u", place->numbers[0] - (place->numbers[0] > PSYS));
	return 0;
}

static int append_limit(const struct sysfs_place *place, struct buffer *to)
{
	uint32_t watts = place->attribute->argument ? place->platform->short_term_w
						    : place->platform->long_term_w;

	buffer_append_number(to, (uint64_t)watts * UW_PER_W);
	return 0;
}

/* What a package has used, or the platform: it wraps around. */
static int append_energy(const struct sysfs_place *place, struct buffer *to)
{
	const struct sim_state *state = place->state;
	uint64_t uj = 0;

	if (is_psys(place)) {
		for (size_t i = 0; i < place->platform->n_packages; i++)
			uj += state->package_counters[i].energy_uj;
	} else {
		uj = state->package_counters[place->numbers[0] - (place->numbers[0] > PSYS)]
			     .energy_uj;
	}
	buffer_append_number(to, uj % (ENERGY_RANGE_UJ + 1));
	return 0;
}

static int append_range(const struct sysfs_place *place, struct buffer *to)
{
	(void)place;
	buffer_append_number(to, ENERGY_RANGE_UJ);
	return 0;
}

static bool has_energy(const struct sysfs_place *place)
{
	return place->platform->sources.energy;
}

static bool has_powercap(struct sysfs_place *place)
{
	return place->platform->has_powercap;
}

static bool has_zone(struct sysfs_place *place)
{
	return has_powercap(place) && place->numbers[0] <= place->platform->n_packages;
}

static int list_zones(const struct sysfs_place *place, struct buffer *names)
{
	for (size_t i = 0; place->platform->has_powercap && i <= place->platform->n_packages; i++)
		sysfs_append(names, "intel-rapl:%zu\n", i);
	return 0;
}

static const struct sysfs_attribute zone_attributes[] = {
	{ "constraint_0_name", .fixed = "long_term" },
	{ "constraint_0_power_limit_uw", .append = append_limit },
	{ "constraint_1_name", .fixed = "short_term" },
	{ "constraint_1_power_limit_uw", .argument = 1, .append = append_limit },
	{ "enabled", .fixed = "1" },
	{ "energy_uj", .append = append_energy, .exists = has_energy },
	{ "max_energy_range_uj", .append = append_range, .exists = has_energy },
	{ "name", .append = append_name },
	{ 0 },
};

const struct sysfs_directory sysfs_powercap[] = {
	{ "/sys/class/powercap", .exists = has_powercap },
	{ "/sys/class/powercap/intel-rapl:#", .exists = has_zone, .list = list_zones,
	  .attributes = zone_attributes },
	{ 0 },
};
