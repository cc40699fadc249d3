// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpufreq: a policy per CPU (hardware.md, section 7; sysfs.md, "cpufreq policy"). What is asked for
 * is kept as it was written; every reading clamps it to what then holds. The base frequency follows
 * the PUNIT's current level and SST-BF.
 */
#include "simulator/sysfs_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "simulator/sysfs_epp.h"
#include "simulator/sysfs_parse.h"
#include "simulator/sysfs_pstate.h"

#define KHZ_PER_RATIO     100000
#define MAX_GOVERNOR_NAME 15

static const struct sim_cpufreq *cpufreq_of(const struct sysfs_place *place)
{
	return &sysfs_platform(place)->cpufreq;
}

static int show_khz(uint32_t khz, FILE *to)
{
	fprintf(to, "%" PRIu32, khz);
	return 0;
}

/* Limits. */

static int show_cpuinfo_max(const struct sysfs_place *place, FILE *to)
{
	return show_khz(cpufreq_of(place)->max_khz, to);
}

static int show_cpuinfo_min(const struct sysfs_place *place, FILE *to)
{
	return show_khz(cpufreq_of(place)->min_khz, to);
}

static uint32_t clamp_khz(const struct sim_cpufreq *cpufreq, uint32_t khz)
{
	if (khz > cpufreq->max_khz)
		return cpufreq->max_khz;
	return khz < cpufreq->min_khz ? cpufreq->min_khz : khz;
}

static uint32_t effective_max(const struct sysfs_place *place)
{
	return clamp_khz(cpufreq_of(place), sysfs_cpu_state(place)->scaling_max_khz);
}

/* A lower limit above the upper one yields to it. */
static uint32_t effective_min(const struct sysfs_place *place)
{
	uint32_t min_khz = clamp_khz(cpufreq_of(place), sysfs_cpu_state(place)->scaling_min_khz);
	uint32_t max_khz = effective_max(place);

	return min_khz < max_khz ? min_khz : max_khz;
}

static int show_scaling_max(const struct sysfs_place *place, FILE *to)
{
	return show_khz(effective_max(place), to);
}

static int show_scaling_min(const struct sysfs_place *place, FILE *to)
{
	return show_khz(effective_min(place), to);
}

/* The kernel reads an unsigned long and keeps 32 bits of it, with a sign. */
static int parse_request(const char *text, uint32_t *ret_khz)
{
	uint64_t value;
	int err = sysfs_parse_unsigned(text, 0, UINT64_MAX, &value);

	if (err)
		return err;
	if ((uint32_t)value > INT32_MAX)
		return -EINVAL;
	*ret_khz = (uint32_t)value;
	return 0;
}

static int store_scaling_max(const struct sysfs_place *place, const char *text)
{
	return parse_request(text, &sysfs_cpu_state(place)->scaling_max_khz);
}

static int store_scaling_min(const struct sysfs_place *place, const char *text)
{
	return parse_request(text, &sysfs_cpu_state(place)->scaling_min_khz);
}

/* Base frequency. */

static uint8_t base_ratio(const struct sysfs_place *place)
{
	const struct sim_platform *platform = sysfs_platform(place);
	size_t index = platform->cpus[place->cpu].domain;
	const struct sim_domain *domain = &platform->domains[index];
	const struct punit_state *punit = &place->state->punits[index];
	const struct punit_level *level =
		domain->has_sst ? punit_find_level(&domain->fuses, punit->current_level) : NULL;
	uint32_t core = sysfs_cpu_punit_core(platform, place->cpu);

	if (!level)
		return 0;
	if (!punit->base_freq_on || !level->has_base_freq)
		return level->base_ratio_sse;
	return core < 64 && (level->base_freq.core_mask >> core & 1) ? level->base_freq.high_ratio
								     : level->base_freq.low_ratio;
}

static uint32_t base_khz(const struct sysfs_place *place)
{
	const struct sim_cpufreq *cpufreq = cpufreq_of(place);
	uint8_t ratio = base_ratio(place);

	if (ratio)
		return ratio * (uint32_t)KHZ_PER_RATIO;
	return cpuset_has(&cpufreq->high_priority_cpus, place->cpu)
		       ? cpufreq->high_priority_base_khz
		       : cpufreq->base_khz;
}

static bool has_hwp(const struct sysfs_place *place)
{
	return sysfs_pstate_has_hwp(place->state) && !faults_settings(place->faults)->hwp_off;
}

static int show_base(const struct sysfs_place *place, FILE *to)
{
	return show_khz(base_khz(place), to);
}

/* Governors. */

static const char *governor_of(const struct sysfs_place *place)
{
	size_t index = sysfs_pstate_get_governor(place->state, place->cpu);
	const char *name = sysfs_pstate_governor(place->state, index);

	return name ? name : "";
}

static int show_governor(const struct sysfs_place *place, FILE *to)
{
	fputs(governor_of(place), to);
	return 0;
}

static int store_governor(const struct sysfs_place *place, const char *text)
{
	char word[SYSFS_WORD_SIZE];
	const char *name;
	int err = sysfs_parse_word(text, MAX_GOVERNOR_NAME, word);

	if (err)
		return err;
	for (size_t i = 0; (name = sysfs_pstate_governor(place->state, i)); i++) {
		if (strcasecmp(name, word) == 0) {
			sysfs_pstate_set_governor(place->state, place->cpu, i);
			return 0;
		}
	}
	return -EINVAL;
}

/* Drivers that leave the choice to governors write a blank after each name. */
static int show_governors(const struct sysfs_place *place, FILE *to)
{
	bool active = sysfs_pstate_mode(place->state) == SYSFS_PSTATE_ACTIVE;
	const char *name;

	for (size_t i = 0; (name = sysfs_pstate_governor(place->state, i)); i++)
		fprintf(to, "%s%s%s", active && i ? " " : "", name, active ? "" : " ");
	return 0;
}

static int show_driver(const struct sysfs_place *place, FILE *to)
{
	fputs(sysfs_pstate_driver(place->state), to);
	return 0;
}

/* The present frequency. */

static bool is_userspace(const struct sysfs_place *place)
{
	return strcmp(governor_of(place), "userspace") == 0;
}

/* What a busy CPU runs at; an idle machine has none that are. */
static uint32_t current_khz(const struct sysfs_place *place)
{
	uint32_t wanted = sysfs_cpu_state(place)->setspeed_khz, max_khz = effective_max(place);

	if (strcmp(governor_of(place), "performance") == 0)
		return max_khz;
	if (!is_userspace(place) || !wanted)
		wanted = base_khz(place);
	if (wanted > max_khz)
		return max_khz;
	return wanted < effective_min(place) ? effective_min(place) : wanted;
}

static int show_current(const struct sysfs_place *place, FILE *to)
{
	return show_khz(current_khz(place), to);
}

static int show_setspeed(const struct sysfs_place *place, FILE *to)
{
	if (is_userspace(place))
		return show_khz(current_khz(place), to);
	fputs("<unsupported>", to);
	return 0;
}

static int store_setspeed(const struct sysfs_place *place, const char *text)
{
	if (!is_userspace(place))
		return -EINVAL;
	return sysfs_parse_prefix(text, &sysfs_cpu_state(place)->setspeed_khz);
}

/* Energy performance preference. */

static bool is_held_at_performance(const struct sysfs_place *place)
{
	return sysfs_pstate_mode(place->state) == SYSFS_PSTATE_ACTIVE &&
	       strcmp(governor_of(place), "performance") == 0;
}

static int show_epp(const struct sysfs_place *place, FILE *to)
{
	uint16_t epp = is_held_at_performance(place) ? 0 : sysfs_cpu_state(place)->epp;

	sysfs_epp_write(cpufreq_of(place), epp, to);
	return 0;
}

static int store_epp(const struct sysfs_place *place, const char *text)
{
	uint16_t epp;
	int err = sysfs_epp_parse(cpufreq_of(place), text, &epp);

	if (err)
		return err;
	if (is_held_at_performance(place) && !sysfs_epp_is_performance(cpufreq_of(place), epp))
		return -EBUSY;
	sysfs_cpu_state(place)->epp = epp;
	return 0;
}

static int show_epps(const struct sysfs_place *place, FILE *to)
{
	for (char **epp = cpufreq_of(place)->epps; *epp; epp++)
		fprintf(to, "%s ", *epp);
	return 0;
}

/* A policy. */

static int show_cpu(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%" PRIu32, place->cpu);
	return 0;
}

static int is_active(const struct sysfs_place *place)
{
	return sysfs_cpu_state(place)->online ? 0 : -EBUSY;
}

static bool has_policies(const struct sysfs_place *place)
{
	return sysfs_platform(place)->has_cpufreq &&
	       sysfs_pstate_mode(place->state) != SYSFS_PSTATE_OFF;
}

static bool find_policy(struct sysfs_place *place, const char *name)
{
	return has_policies(place) && sysfs_parse_numbered(name, "policy", &place->cpu) &&
	       place->cpu < sysfs_platform(place)->n_cpus;
}

static int list_policies(const struct sysfs_place *place, struct sysfs_names *names)
{
	int err = 0;

	for (size_t cpu = 0; has_policies(place) && cpu < sysfs_platform(place)->n_cpus && !err;
	     cpu++)
		err = sysfs_names_add_format(names, "policy%zu", cpu);
	return err;
}

static const struct sysfs_attribute policy_attributes[] = {
	{ .name = "affected_cpus", .show = show_cpu },
	{ .name = "base_frequency", .show = show_base, .exists = has_hwp },
	{ .name = "cpuinfo_max_freq", .show = show_cpuinfo_max },
	{ .name = "cpuinfo_min_freq", .show = show_cpuinfo_min },
	{ .name = "energy_performance_available_preferences",
	  .show = show_epps,
	  .exists = has_hwp },
	{ .name = "energy_performance_preference",
	  .show = show_epp,
	  .store = store_epp,
	  .exists = has_hwp },
	{ .name = "related_cpus", .show = show_cpu },
	{ .name = "scaling_available_governors", .show = show_governors },
	{ .name = "scaling_cur_freq", .show = show_current },
	{ .name = "scaling_driver", .show = show_driver },
	{ .name = "scaling_governor", .show = show_governor, .store = store_governor },
	{ .name = "scaling_max_freq", .show = show_scaling_max, .store = store_scaling_max },
	{ .name = "scaling_min_freq", .show = show_scaling_min, .store = store_scaling_min },
	{ .name = "scaling_setspeed", .show = show_setspeed, .store = store_setspeed },
	{ 0 },
};

const struct sysfs_directory sysfs_cpufreq_of_cpu = {
	.name = "cpufreq",
	.exists = has_policies,
	.ready = is_active,
	.attributes = policy_attributes,
};

static const struct sysfs_directory policy_directory = {
	.find = find_policy,
	.list = list_policies,
	.ready = is_active,
	.attributes = policy_attributes,
};

/* What holds for all policies. */

static bool has_cpufreq(const struct sysfs_place *place)
{
	return sysfs_platform(place)->has_cpufreq;
}

static bool has_boost(const struct sysfs_place *place)
{
	return sysfs_pstate_mode(place->state) == SYSFS_PSTATE_NONE;
}

static int show_boost(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%d", !place->state->machine->no_turbo);
	return 0;
}

static int store_boost(const struct sysfs_place *place, const char *text)
{
	bool boost;
	int err = sysfs_parse_bool(text, &boost);

	if (!err)
		place->state->machine->no_turbo = !boost;
	return err;
}

static const struct sysfs_attribute cpufreq_attributes[] = {
	{ .name = "boost", .show = show_boost, .store = store_boost, .exists = has_boost },
	{ 0 },
};

const struct sysfs_directory sysfs_cpufreq = {
	.name = "cpufreq",
	.exists = has_cpufreq,
	.attributes = cpufreq_attributes,
	.children = (const struct sysfs_directory *const[]){ &policy_directory, NULL },
};
