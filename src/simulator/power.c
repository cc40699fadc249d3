// SPDX-License-Identifier: GPL-2.0-only
/* The power zones of a simulated machine, made from the figures of a platform file or from the
 * files of a recorded machine. */
#include "simulator/power.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "simulator/recording.h"

#define ROOT      "/sys/class/powercap"
#define MMIO      "intel-rapl-mmio:"
#define LIMIT_MAX ((1u << 17) - 1) /* of a register, in units */

/* 28 s and 2.44 ms in units of 976 us. */
#define LONG_US  27983872
#define SHORT_US 2440

const char *const sim_power_names[SIM_POWER_LIMITS + 1] = { "long_term", "short_term", "peak_power",
							    NULL };

static struct sim_power_zone *add_zone(struct sim_platform *platform, const char *directory,
				       const char *name)
{
	struct sim_power_zone *zone =
		array_add(&platform->power_zones, &platform->n_power_zones, sizeof(*zone));

	if (!zone)
		return NULL;
	snprintf(zone->directory, sizeof(zone->directory), "%s", directory);
	snprintf(zone->name, sizeof(zone->name), "%s", name);
	zone->is_mmio = strncmp(directory, MMIO, strlen(MMIO)) == 0;
	zone->package = SIM_NO_PACKAGE;
	sscanf(name, "package-%" SCNu32, &zone->package);
	for (size_t i = 0; i < SIM_POWER_LIMITS; i++)
		zone->order[i] = SIM_POWER_LIMITS;
	return zone;
}

/* Adds a zone of a platform file. short_w 0: the zone has no short-term limit. */
static bool add(struct sim_platform *platform, const char *directory, const char *name,
		uint32_t long_w, uint32_t short_w)
{
	struct sim_power_zone *zone = add_zone(platform, directory, name);

	if (!zone)
		return false;
	zone->order[0] = SIM_LONG_TERM;
	zone->start.uw[SIM_LONG_TERM] = (uint64_t)long_w * UW_PER_W;
	zone->start.window_us[SIM_LONG_TERM] = platform->long_term_us ?: LONG_US;
	if (short_w)
		zone->order[1] = SIM_SHORT_TERM;
	zone->start.uw[SIM_SHORT_TERM] = (uint64_t)short_w * UW_PER_W;
	zone->start.window_us[SIM_SHORT_TERM] = platform->short_term_us ?: SHORT_US;
	zone->start.enabled = !platform->power_locked;
	return true;
}

bool sim_power_make(struct sim_platform *platform)
{
	uint32_t n_packages = (uint32_t)platform->n_packages;
	bool ok = true;

	for (uint32_t number = 0; platform->has_powercap && number <= n_packages && ok; number++) {
		char directory[sizeof(platform->power_zones->directory)];
		char name[sizeof(platform->power_zones->name)] = "psys";
		bool is_package = number != 1;

		snprintf(directory, sizeof(directory), "intel-rapl:%" PRIu32, number);
		if (is_package)
			snprintf(name, sizeof(name), "package-%" PRIu32, number - (number > 1));
		ok = add(platform, directory, name, platform->long_term_w, platform->short_term_w);
		if (!is_package || !platform->dram_w || !ok)
			continue;
		snprintf(directory, sizeof(directory), "intel-rapl:%" PRIu32 ":0", number);
		ok = add(platform, directory, "dram", platform->dram_w, 0);
	}
	for (uint32_t i = 0; platform->has_powercap && platform->mmio_w && i < n_packages && ok;
	     i++) {
		char directory[sizeof(platform->power_zones->directory)];
		char name[sizeof(platform->power_zones->name)];

		snprintf(directory, sizeof(directory), MMIO "%" PRIu32, i);
		snprintf(name, sizeof(name), "package-%" PRIu32, i);
		ok = add(platform, directory, name, platform->mmio_w, 0);
	}
	return ok;
}

/* Finds the limits of a recorded zone by their names. sysfs_take_recorded() sets the values. */
static void fill_limits(const struct recording *recording, struct sim_power_zone *zone)
{
	for (uint32_t i = 0; i < SIM_POWER_LIMITS; i++) {
		const char *name = recording_text(recording, ROOT "/%s/constraint_%" PRIu32 "_name",
						  zone->directory, i);
		int kind =
			name ? platform_file_find_word(sim_power_names, name, strcspn(name, "\n"))
			     : -1;

		if (kind >= 0)
			zone->order[i] = (uint8_t)kind;
	}
}

bool sim_power_fill(struct sim_platform *platform)
{
	struct recorded_file names;

	if (!recording_find_file(platform->recording, ROOT, true, &names) || names.error)
		return true;
	platform->has_powercap = true;
	for (const char *line = names.text; *line; line += strcspn(line, "\n") + 1) {
		char directory[sizeof(platform->power_zones->directory)];
		char name[sizeof(platform->power_zones->name)] = "";
		const char *text;
		struct sim_power_zone *zone;

		snprintf(directory, sizeof(directory), "%.*s", (int)strcspn(line, "\n"), line);
		text = recording_text(platform->recording, ROOT "/%s/name", directory);
		if (!text)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, "\n"), text);
		zone = add_zone(platform, directory, name);
		if (!zone)
			return false;
		fill_limits(platform->recording, zone);
	}
	return true;
}

uint64_t sim_power_round_uw(const struct sim_platform *platform, uint64_t uw)
{
	uint64_t units = (uw << platform->power_unit_bits) / UW_PER_W;

	return (units < LIMIT_MAX ? units : LIMIT_MAX) * UW_PER_W >> platform->power_unit_bits;
}

uint32_t sim_power_round_us(const struct sim_platform *platform, uint64_t us)
{
	uint64_t whole = US_PER_S >> platform->time_unit_bits, quarters;

	while (whole * 2 <= us && whole <= UINT32_MAX / 2)
		whole *= 2;
	quarters = us > whole ? (us - whole) * 4 / whole : 0;
	return (uint32_t)(whole + (quarters < 4 ? quarters : 3) * whole / 4);
}

uint32_t sim_power_limit_mw(const struct sim_state *state, uint32_t package)
{
	const struct sim_platform *platform = state->platform;
	uint64_t sum_uw = 0, mmio_uw = 0;

	for (size_t i = 0; i < platform->n_power_zones; i++) {
		const struct sim_power_zone *zone = &platform->power_zones[i];
		const struct sim_power_state *now = &state->power[i];
		uint64_t uw = now->uw[SIM_LONG_TERM];

		if (zone->package != package || !uw || !(now->enabled || platform->power_locked))
			continue;
		if (zone->is_mmio)
			mmio_uw = uw;
		else
			sum_uw += uw;
	}
	return (uint32_t)((mmio_uw && (mmio_uw < sum_uw || !sum_uw) ? mmio_uw : sum_uw) /
			  UW_PER_MW);
}

void sim_power_follow_level(struct sim_state *state, uint32_t package, uint32_t tdp_mw)
{
	const struct sim_platform *platform = state->platform;

	for (size_t i = 0; platform->power_follows_level && i < platform->n_power_zones; i++) {
		const struct sim_power_zone *zone = &platform->power_zones[i];

		if (zone->package == package && !zone->is_mmio)
			state->power[i].uw[SIM_LONG_TERM] =
				sim_power_round_uw(platform, (uint64_t)tdp_mw * UW_PER_MW);
	}
}

bool sim_power_is_capped(const struct sim_state *state, uint32_t package, uint32_t tdp_mw)
{
	uint32_t cap_mw = state->power_cap_w * MW_PER_W;
	uint32_t limit_mw = sim_power_limit_mw(state, package);

	return cap_mw && (!tdp_mw || cap_mw < tdp_mw) && (!limit_mw || cap_mw < limit_mw);
}
