// SPDX-License-Identifier: GPL-2.0-only
/*
 * intel_pstate (sysfs.md, "intel_pstate"): its modes, and its files for the whole machine. A change
 * of mode registers the cpufreq policies anew: their governors are those of the mode, their
 * requests the defaults. A part without a frequency above its base has turbo switched off in BIOS.
 */
#include "simulator/sysfs_pstate.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "simulator/sysfs_parse.h"
#include "simulator/sysfs_tree.h"

#define KHZ_PER_RATIO  100000
#define FRACTION_BITS  8 /* of the driver's fixed-point numbers */
#define PASSIVE_CHOICE "schedutil"
#define ACTIVE_CHOICE  "powersave"

static const char *const active_governors[] = { "performance", "powersave" };
static const char *const passive_governors[] = { "conservative", "ondemand",    "userspace",
						 "powersave",    "performance", "schedutil" };

/* The mode that the platform's own driver is in. */
static enum sysfs_pstate_mode own_mode(const struct sim_platform *platform)
{
	if (!platform->has_cpufreq)
		return SYSFS_PSTATE_NONE;
	if (strcmp(platform->cpufreq.driver, "intel_pstate") == 0)
		return SYSFS_PSTATE_ACTIVE;
	if (strcmp(platform->cpufreq.driver, "intel_cpufreq") == 0)
		return SYSFS_PSTATE_PASSIVE;
	return SYSFS_PSTATE_NONE;
}

enum sysfs_pstate_mode sysfs_pstate_mode(const struct sim_state *state)
{
	enum sysfs_pstate_mode mode = own_mode(state->platform);

	if (mode == SYSFS_PSTATE_NONE || state->machine->pstate_mode == SYSFS_PSTATE_NONE ||
	    state->machine->pstate_mode > SYSFS_PSTATE_OFF)
		return mode;
	return (enum sysfs_pstate_mode)state->machine->pstate_mode;
}

bool sysfs_pstate_has_hwp(const struct sim_state *state)
{
	return sysfs_pstate_mode(state) != SYSFS_PSTATE_NONE && state->platform->cpufreq.epps &&
	       state->platform->cpufreq.epps[0];
}

static bool is_in_own_mode(const struct sim_state *state)
{
	return sysfs_pstate_mode(state) == own_mode(state->platform);
}

const char *sysfs_pstate_driver(const struct sim_state *state)
{
	if (is_in_own_mode(state))
		return state->platform->cpufreq.driver;
	return sysfs_pstate_mode(state) == SYSFS_PSTATE_PASSIVE ? "intel_cpufreq" : "intel_pstate";
}

static const char *own_governor(const struct sim_platform *platform, size_t index)
{
	for (size_t i = 0; platform->cpufreq.governors[i]; i++) {
		if (i == index)
			return platform->cpufreq.governors[i];
	}
	return NULL;
}

const char *sysfs_pstate_governor(const struct sim_state *state, size_t index)
{
	if (is_in_own_mode(state))
		return own_governor(state->platform, index);
	if (sysfs_pstate_mode(state) == SYSFS_PSTATE_PASSIVE)
		return index < ARRAY_SIZE(passive_governors) ? passive_governors[index] : NULL;
	return index < ARRAY_SIZE(active_governors) ? active_governors[index] : NULL;
}

size_t sysfs_pstate_get_governor(const struct sim_state *state, uint32_t cpu)
{
	return is_in_own_mode(state) ? state->cpus[cpu].governor : state->cpus[cpu].other_governor;
}

void sysfs_pstate_set_governor(struct sim_state *state, uint32_t cpu, size_t index)
{
	if (is_in_own_mode(state))
		state->cpus[cpu].governor = (uint8_t)index;
	else
		state->cpus[cpu].other_governor = (uint8_t)index;
}

/* The index of the governor that a policy gets where it had the one named before. */
static size_t choose_governor(const struct sim_state *state, const char *before)
{
	const char *fallback =
		sysfs_pstate_mode(state) == SYSFS_PSTATE_PASSIVE ? PASSIVE_CHOICE : ACTIVE_CHOICE;
	const char *name;
	size_t choice = 0;

	for (size_t i = 0; (name = sysfs_pstate_governor(state, i)); i++) {
		if (before && strcmp(name, before) == 0)
			return i;
		if (strcmp(name, fallback) == 0)
			choice = i;
	}
	return choice;
}

/* status */

static const char *const mode_names[] = {
	[SYSFS_PSTATE_ACTIVE] = "active",
	[SYSFS_PSTATE_PASSIVE] = "passive",
	[SYSFS_PSTATE_OFF] = "off",
};

static int show_status(const struct sysfs_place *place, FILE *to)
{
	fputs(mode_names[sysfs_pstate_mode(place->state)], to);
	return 0;
}

static void register_policy(struct sim_state *state, uint32_t cpu, const char *governor)
{
	const struct sim_cpufreq *cpufreq = &state->platform->cpufreq;

	sysfs_pstate_set_governor(state, cpu, choose_governor(state, governor));
	state->cpus[cpu].scaling_min_khz = cpufreq->min_khz;
	state->cpus[cpu].scaling_max_khz = cpufreq->max_khz;
	state->cpus[cpu].setspeed_khz = 0;
}

static void change_mode(struct sim_state *state, enum sysfs_pstate_mode mode)
{
	enum sysfs_pstate_mode old_mode = sysfs_pstate_mode(state);

	for (uint32_t cpu = 0; cpu < state->platform->n_cpus; cpu++) {
		const char *governor;

		state->machine->pstate_mode = (uint8_t)old_mode;
		governor = sysfs_pstate_governor(state, sysfs_pstate_get_governor(state, cpu));
		state->machine->pstate_mode = (uint8_t)mode;
		register_policy(state, cpu, governor);
	}
}

static int store_status(const struct sysfs_place *place, const char *text)
{
	enum sysfs_pstate_mode mode = SYSFS_PSTATE_OFF, old_mode = sysfs_pstate_mode(place->state);

	while (mode != SYSFS_PSTATE_NONE && !sysfs_parse_is(text, mode_names[mode]))
		mode--;
	if (mode == SYSFS_PSTATE_NONE)
		return -EINVAL;
	if (mode == SYSFS_PSTATE_OFF && old_mode == SYSFS_PSTATE_OFF)
		return -EINVAL;
	if (mode == SYSFS_PSTATE_OFF && sysfs_pstate_has_hwp(place->state))
		return -EBUSY;
	if (mode != old_mode)
		change_mode(place->state, mode);
	return 0;
}

/* Turbo and the limits in percent. */

static bool is_turbo_fused_off(const struct sim_platform *platform)
{
	return platform->cpufreq.max_khz <= platform->cpufreq.base_khz;
}

static bool is_on(const struct sysfs_place *place)
{
	return sysfs_pstate_mode(place->state) != SYSFS_PSTATE_OFF;
}

static int show_no_turbo(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%d",
		place->state->machine->no_turbo || is_turbo_fused_off(sysfs_platform(place)));
	return 0;
}

/* How many percent of the highest frequency khz is. */
static uint8_t percent_of_max(const struct sysfs_place *place, uint32_t khz)
{
	uint32_t max_khz = sysfs_platform(place)->cpufreq.max_khz;

	if (khz >= max_khz)
		return 100;
	return (uint8_t)((uint64_t)khz * 100 / max_khz);
}

static int store_no_turbo(const struct sysfs_place *place, const char *text)
{
	struct sim_machine_state *machine = place->state->machine;
	uint8_t base_pct = percent_of_max(place, sysfs_platform(place)->cpufreq.base_khz);
	uint32_t value;
	int err = sysfs_parse_prefix(text, &value);

	if (err)
		return err;
	if (!value && is_turbo_fused_off(sysfs_platform(place)))
		return -EPERM;
	machine->no_turbo = value != 0;
	if (value && machine->min_perf_pct > base_pct)
		machine->min_perf_pct = base_pct;
	return 0;
}

static int show_max_perf_pct(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%d", place->state->machine->max_perf_pct);
	return 0;
}

static int show_min_perf_pct(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%d", place->state->machine->min_perf_pct);
	return 0;
}

/* value, but at least low and at most high. */
static uint8_t clamp_pct(uint32_t value, uint8_t low, uint8_t high)
{
	if (value > high)
		return high;
	return value < low ? low : (uint8_t)value;
}

static int store_max_perf_pct(const struct sysfs_place *place, const char *text)
{
	struct sim_machine_state *machine = place->state->machine;
	uint32_t value;
	int err = sysfs_parse_prefix(text, &value);

	if (!err)
		machine->max_perf_pct = clamp_pct(value, machine->min_perf_pct, 100);
	return err;
}

static int store_min_perf_pct(const struct sysfs_place *place, const char *text)
{
	struct sim_machine_state *machine = place->state->machine;
	uint8_t floor_pct = percent_of_max(place, sysfs_platform(place)->cpufreq.min_khz);
	uint32_t value;
	int err = sysfs_parse_prefix(text, &value);

	if (!err)
		machine->min_perf_pct = clamp_pct(value, floor_pct, machine->max_perf_pct);
	return err;
}

/* Ratios from the lowest up to that of khz. */
static uint32_t count_pstates(const struct sysfs_place *place, uint32_t khz)
{
	return khz / KHZ_PER_RATIO - sysfs_platform(place)->cpufreq.min_khz / KHZ_PER_RATIO + 1;
}

static int show_num_pstates(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%" PRIu32, count_pstates(place, sysfs_platform(place)->cpufreq.max_khz));
	return 0;
}

/* The part of the ratios that is turbo, rounded as the driver's fixed-point numbers round it. */
static int show_turbo_pct(const struct sysfs_place *place, FILE *to)
{
	const struct sim_cpufreq *cpufreq = &sysfs_platform(place)->cpufreq;
	uint32_t fraction = (count_pstates(place, cpufreq->base_khz) << FRACTION_BITS) /
			    count_pstates(place, cpufreq->max_khz);

	fprintf(to, "%" PRIu32, 100 - (fraction * 100 >> FRACTION_BITS));
	return 0;
}

/* hwp_dynamic_boost */

static bool has_dynamic_boost(const struct sysfs_place *place)
{
	return sysfs_pstate_mode(place->state) == SYSFS_PSTATE_ACTIVE &&
	       sysfs_pstate_has_hwp(place->state);
}

static int show_dynamic_boost(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%d", place->state->machine->hwp_dynamic_boost);
	return 0;
}

static int store_dynamic_boost(const struct sysfs_place *place, const char *text)
{
	uint64_t value;
	int err = sysfs_parse_unsigned(text, 10, UINT32_MAX, &value);

	if (!err)
		place->state->machine->hwp_dynamic_boost = value != 0;
	return err;
}

static bool has_pstate(const struct sysfs_place *place)
{
	return sysfs_pstate_mode(place->state) != SYSFS_PSTATE_NONE;
}

static const struct sysfs_attribute pstate_attributes[] = {
	{ .name = "hwp_dynamic_boost",
	  .show = show_dynamic_boost,
	  .store = store_dynamic_boost,
	  .exists = has_dynamic_boost },
	{ .name = "max_perf_pct",
	  .show = show_max_perf_pct,
	  .store = store_max_perf_pct,
	  .exists = is_on },
	{ .name = "min_perf_pct",
	  .show = show_min_perf_pct,
	  .store = store_min_perf_pct,
	  .exists = is_on },
	{ .name = "no_turbo", .show = show_no_turbo, .store = store_no_turbo, .exists = is_on },
	{ .name = "num_pstates", .show = show_num_pstates, .exists = is_on },
	{ .name = "status", .show = show_status, .store = store_status },
	{ .name = "turbo_pct", .show = show_turbo_pct, .exists = is_on },
	{ 0 },
};

const struct sysfs_directory sysfs_pstate = {
	.name = "intel_pstate",
	.exists = has_pstate,
	.attributes = pstate_attributes,
};
