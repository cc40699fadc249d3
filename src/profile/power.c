// SPDX-License-Identifier: GPL-2.0-only
/* The fact "power-below-tdp": compares the long-term power limit of each CPU's package with the TDP
 * of its level (docs/spec/power.md). */
#include "profile/fact.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "host/powercap.h"

/* The current levels of domains with checked CPUs. A level that cannot be read has an error. */
struct levels {
	struct platform_level_query *list;
	size_t count;
};

static void levels_done(struct levels *levels)
{
	for (size_t i = 0; i < levels->count; i++)
		sst_level_done(&levels->list[i].info);
	free(levels->list);
}

/* Reads the current levels of the domains that have checked CPUs. Returns 0 or -ENOMEM. */
static int read_levels(struct inspection *inspection, struct levels *levels)
{
	struct platform *platform = inspection->state->platform;
	size_t n_domains = platform ? platform->domains.n_domains : 0;

	levels->list = calloc(n_domains ?: 1, sizeof(*levels->list));
	for (size_t i = 0; levels->list && i < n_domains; i++) {
		const struct power_domain *domain = &platform->domains.domains[i];
		struct reading level = { 0 };
		uint32_t cpu = cpuset_next(&domain->cpus, 0);

		while (cpu != CPUSET_NONE && !cpuset_has(inspection->cpus, cpu))
			cpu = cpuset_next(&domain->cpus, cpu + 1);
		if (cpu != CPUSET_NONE &&
		    reading_of_cpu(inspection, setting_find("perf-profile.level"), cpu, &level))
			return -ENOMEM;
		if (level.value.kind != STATE_NUMBER)
			continue;
		levels->list[levels->count++] = (struct platform_level_query){
			.domain = domain, .level = (uint32_t)level.value.number, .pp_enabled = true
		};
	}
	if (!levels->list)
		return -ENOMEM;
	return levels->count ? platform->ops->read_levels(platform, PLATFORM_LEVEL, levels->list,
							  levels->count)
			     : 0;
}

/* Returns the largest TDP of a package's levels in mW; 0: unknown. */
static uint64_t find_tdp_mw(const struct levels *levels, uint32_t package)
{
	uint64_t most_mw = 0;

	for (size_t i = 0; i < levels->count; i++) {
		const struct platform_level_query *level = &levels->list[i];
		uint64_t mw = level->error ? 0 : level->info.tdp_w * (uint64_t)MW_PER_W;

		if (level->domain->package == package && mw > most_mw)
			most_mw = mw;
	}
	return most_mw;
}

static const struct power_zone *find_zone(const struct inspection *inspection, uint32_t cpu)
{
	const struct cpu_place *place = &inspection->state->machine->topology.places[cpu];
	const struct power_zones *zones = inspection->state->zones;

	for (size_t i = 0; zones && i < zones->count; i++) {
		if (zones->list[i].kind == POWER_PACKAGE && !zones->list[i].is_other &&
		    power_zone_is_of(&zones->list[i], place->package, place->die))
			return &zones->list[i];
	}
	return NULL;
}

static int compare(struct inspection *inspection, const struct power_zone *zone, uint64_t tdp_mw,
		   struct reading *reading)
{
	uint64_t limit_mw = zone ? uw_to_mw(power_zone_long_term_uw(zone)) : 0;
	int err = zone ? zone->constraints[POWER_LONG_TERM].error : inspection->state->power_error;
	char text[NUMBER_MHZ_SIZE];

	if (err && err != -ENOENT)
		return reading_fail(inspection, reading, err, POWERCAP);
	if (!zone)
		return reading_refuse(inspection, reading, "the kernel shows no power limits");
	if (!limit_mw)
		return reading_refuse(inspection, reading,
				      "the power limit is off, or locked by BIOS");
	if (!tdp_mw)
		return reading_refuse(inspection, reading, "the TDP of the level is unknown");
	reading_take_flag(reading, limit_mw < tdp_mw);
	number_format_mhz((uint32_t)limit_mw, text);
	return reading_detail(inspection, reading, "%s W, TDP %" PRIu64 " W", text,
			      tdp_mw / MW_PER_W);
}

int fact_read_power_below_tdp(struct inspection *inspection, struct reading *readings)
{
	_cleanup_(levels_done) struct levels levels = { 0 };
	int err = read_levels(inspection, &levels);
	size_t i = 0;

	cpuset_foreach (cpu, inspection->cpus) {
		const struct power_zone *zone = find_zone(inspection, cpu);

		if (!err)
			err = compare(inspection, zone,
				      zone ? find_tdp_mw(&levels, zone->package) : 0,
				      &readings[i++]);
	}
	return err;
}
