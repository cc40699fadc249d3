// SPDX-License-Identifier: GPL-2.0-only
/* cpufreq, with a policy for each CPU in cpuN/cpufreq, and intel_pstate (hardware.md, section 7;
 * sysfs.md, "cpufreq policy", "intel_pstate"). Frequency limits are kept as they were written and
 * clamped when they are read. The base frequency follows the level and SST-BF of the power domain.
 * A change of the intel_pstate mode registers all policies again, with the governors of the mode
 * and default limits. */
#include "simulator/sysfs_tree.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

#define KHZ_PER_RATIO 100000
#define MAX_RAW_EPP   255

/* The mode of intel_pstate; kept in sim_machine_state.pstate_mode. */
enum mode {
	MODE_NONE, /* another driver; kept: the mode that the platform's driver is in */
	MODE_ACTIVE,
	MODE_PASSIVE,
	N_MODES
};

static const struct {
	const char *name; /* in the status file */
	const char *driver;
	const char *governor; /* of a policy whose former governor is not available */
	const char *const *governors; /* if the platform's driver is in the other mode */
} modes[N_MODES] = {
	[MODE_ACTIVE] = { "active", "intel_pstate", "powersave",
			  (const char *const[]){ "performance", "powersave", NULL } },
	[MODE_PASSIVE] = { "passive", "intel_cpufreq", "schedutil",
			   (const char *const[]){ "conservative", "ondemand", "userspace",
						  "powersave", "performance", "schedutil", NULL } },
};

static const struct {
	const char *name;
	uint8_t raw;
} named_epps[] = {
	{ "performance", 0 },
	{ "balance_performance", 128 },
	{ "balance_power", 192 },
	{ "power", 255 },
};

static const struct sim_cpufreq *cpufreq_of(const struct sysfs_place *place)
{
	return &sysfs_platform(place)->cpufreq;
}

/* Returns the index of word in a NULL-terminated list, or -1. */
static int find_word(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], word) == 0)
			return i;
	}
	return -1;
}

/* The scaling driver and its mode. */

static enum mode platform_mode(const struct sim_state *state)
{
	const char *driver = state->platform->has_cpufreq ? state->platform->cpufreq.driver : "";

	for (enum mode mode = MODE_ACTIVE; mode < N_MODES; mode++) {
		if (strcmp(driver, modes[mode].driver) == 0)
			return mode;
	}
	return MODE_NONE;
}

static enum mode current_mode(const struct sim_state *state)
{
	enum mode mode = platform_mode(state);

	if (mode == MODE_NONE || state->machine->pstate_mode == MODE_NONE ||
	    state->machine->pstate_mode >= N_MODES)
		return mode;
	return (enum mode)state->machine->pstate_mode;
}

static bool is_active_mode(const struct sysfs_place *place)
{
	return current_mode(place->state) == MODE_ACTIVE;
}

/* intel_pstate uses hardware-controlled performance states unless they are switched off. */
static bool has_hwp(const struct sysfs_place *place)
{
	return current_mode(place->state) != MODE_NONE && !faults_settings(place->faults)->hwp_off;
}

SYSFS_TEXT(get_driver, modes[current_mode(place->state)].driver ?: cpufreq_of(place)->driver);

/* Governors. */

static const char *const *governors_of_mode(const struct sim_state *state, enum mode mode)
{
	if (mode == platform_mode(state))
		return (const char *const *)state->platform->cpufreq.governors;
	return modes[mode].governors;
}

/* Where the index of a CPU's governor in governors_of_mode() is kept. */
static uint8_t *governor_index(const struct sim_state *state, enum mode mode, uint32_t cpu)
{
	struct sim_cpu_state *cpu_state = &state->cpus[cpu];

	return mode == platform_mode(state) ? &cpu_state->governor : &cpu_state->other_governor;
}

static const char *governor_of(const struct sim_state *state, enum mode mode, uint32_t cpu)
{
	const char *const *names = governors_of_mode(state, mode);

	for (uint8_t i = *governor_index(state, mode, cpu); i > 0 && *names; i--)
		names++;
	return *names ? *names : "";
}

SYSFS_TEXT(get_governor, governor_of(place->state, current_mode(place->state), place->cpu));

static int store_governor(const struct sysfs_place *place, const char *text)
{
	enum mode mode = current_mode(place->state);
	int index = find_word(governors_of_mode(place->state, mode), text);

	if (index < 0)
		return -EINVAL;
	*governor_index(place->state, mode, place->cpu) = (uint8_t)index;
	return 0;
}

/* The kernel writes a blank after each governor, and intel_pstate in active mode between them. */
static int append_governors(const struct sysfs_place *place, struct buffer *to)
{
	enum mode mode = current_mode(place->state);
	const char *const *names = governors_of_mode(place->state, mode);

	for (size_t i = 0; names[i]; i++)
		sysfs_append(to, mode != MODE_ACTIVE ? "%s " : i ? " %s" : "%s", names[i]);
	return 0;
}

/* The mode of intel_pstate. */

SYSFS_TEXT(get_status, modes[current_mode(place->state)].name);

static void register_policy(struct sim_state *state, uint32_t cpu, enum mode mode)
{
	const char *const *names = governors_of_mode(state, mode);
	int index = find_word(names, governor_of(state, current_mode(state), cpu));

	if (index < 0)
		index = find_word(names, modes[mode].governor);
	*governor_index(state, mode, cpu) = index < 0 ? 0 : (uint8_t)index;
	state->cpus[cpu].scaling_min_khz = state->platform->cpufreq.min_khz;
	state->cpus[cpu].scaling_max_khz = state->platform->cpufreq.max_khz;
}

/* The driver cannot be switched off: it uses hardware-controlled performance states. */
static int store_status(const struct sysfs_place *place, const char *text)
{
	enum mode mode = MODE_ACTIVE;

	if (strcmp(text, "off") == 0)
		return -EBUSY;
	while (mode < N_MODES && strcmp(text, modes[mode].name) != 0)
		mode++;
	if (mode == N_MODES)
		return -EINVAL;
	if (mode == current_mode(place->state))
		return 0;
	for (uint32_t cpu = 0; cpu < sysfs_platform(place)->n_cpus; cpu++)
		register_policy(place->state, cpu, mode);
	sysfs_machine(place)->pstate_mode = (uint8_t)mode;
	return 0;
}

/* Frequency limits of a policy. */

static uint32_t clamp(uint32_t value, uint32_t low, uint32_t high)
{
	if (value > high)
		return high;
	return value < low ? low : value;
}

SYSFS_NUMBER(get_cpuinfo_max, cpufreq_of(place)->max_khz);
SYSFS_NUMBER(get_cpuinfo_min, cpufreq_of(place)->min_khz);

static uint32_t get_scaling_max(const struct sysfs_place *place)
{
	const struct sim_cpufreq *cpufreq = cpufreq_of(place);

	return clamp(sysfs_cpu_state(place)->scaling_max_khz, cpufreq->min_khz, cpufreq->max_khz);
}

/* A minimum above the maximum is lowered to it. */
SYSFS_NUMBER(get_scaling_min, clamp(sysfs_cpu_state(place)->scaling_min_khz,
				    cpufreq_of(place)->min_khz, get_scaling_max(place)));

static int set_scaling_max(const struct sysfs_place *place, uint32_t khz)
{
	sysfs_cpu_state(place)->scaling_max_khz = khz;
	return 0;
}

static int set_scaling_min(const struct sysfs_place *place, uint32_t khz)
{
	sysfs_cpu_state(place)->scaling_min_khz = khz;
	return 0;
}

/* The base ratio of the CPU at the present level, or 0 without Speed Select. */
static uint8_t base_ratio(const struct sysfs_place *place)
{
	const struct sim_platform *platform = sysfs_platform(place);
	size_t index = platform->cpus[place->cpu].domain;
	const struct sim_domain *domain = &platform->domains[index];
	const struct punit_state *punit = &place->state->punits[index];
	const struct punit_level *level =
		domain->has_sst ? punit_find_level(&domain->fuses, punit->current_level) : NULL;
	uint32_t core = sysfs_punit_core(platform, place->cpu);

	if (!level)
		return 0;
	if (!punit->base_freq_on || !level->has_base_freq)
		return level->base_ratio_sse;
	return core < 64 && (level->base_freq.core_mask >> core & 1) ? level->base_freq.high_ratio
								     : level->base_freq.low_ratio;
}

static uint32_t get_base(const struct sysfs_place *place)
{
	const struct sim_cpufreq *cpufreq = cpufreq_of(place);
	uint8_t ratio = base_ratio(place);

	if (ratio)
		return ratio * (uint32_t)KHZ_PER_RATIO;
	return cpuset_has(&cpufreq->high_priority_cpus, place->cpu)
		       ? cpufreq->high_priority_base_khz
		       : cpufreq->base_khz;
}

/* The frequency of a busy CPU; the CPUs of a simulated machine are idle. */
static uint32_t get_current(const struct sysfs_place *place)
{
	if (strcmp(get_governor(place), "performance") == 0)
		return get_scaling_max(place);
	return clamp(get_base(place), get_scaling_min(place), get_scaling_max(place));
}

SYSFS_NUMBER(get_cpu, place->cpu);

/* Energy performance preference. A raw value that has a name in the platform's list reads as that
 * name. */

static const char *const *epps_of(const struct sysfs_place *place)
{
	return (const char *const *)cpufreq_of(place)->epps;
}

/* The name of a preference as it is kept, or NULL. */
static const char *name_of_epp(const struct sysfs_place *place, uint16_t epp)
{
	if (epp >= SIM_EPP_NAMED)
		return epps_of(place)[epp - SIM_EPP_NAMED];
	for (size_t i = 0; i < ARRAY_SIZE(named_epps); i++) {
		if (named_epps[i].raw == epp && find_word(epps_of(place), named_epps[i].name) >= 0)
			return named_epps[i].name;
	}
	return NULL;
}

/* Reads a name ("default" is the preference at boot) or a raw value. */
static int parse_epp(const struct sysfs_place *place, const char *text, uint16_t *ret_epp)
{
	int index = find_word(epps_of(place), text);
	uint64_t raw;

	if (index >= 0) {
		if (strcmp(text, "default") == 0)
			index = (int)cpufreq_of(place)->epp;
		*ret_epp = (uint16_t)(SIM_EPP_NAMED + index);
		return 0;
	}
	if (number_parse(text, 0, MAX_RAW_EPP, &raw) < 0)
		return -EINVAL;
	*ret_epp = (uint16_t)raw;
	return 0;
}

/* The performance governor of active mode sets the preference itself. */
static bool is_epp_fixed(const struct sysfs_place *place)
{
	return is_active_mode(place) && strcmp(get_governor(place), "performance") == 0;
}

static int append_epp(const struct sysfs_place *place, struct buffer *to)
{
	uint16_t epp = is_epp_fixed(place) ? 0 : sysfs_cpu_state(place)->epp;
	const char *name = name_of_epp(place, epp);

	if (name)
		buffer_append_string(to, name);
	else
		buffer_append_number(to, epp);
	return 0;
}

static int store_epp(const struct sysfs_place *place, const char *text)
{
	const char *name;
	uint16_t epp;
	int err = parse_epp(place, text, &epp);

	if (err)
		return err;
	name = name_of_epp(place, epp);
	if (is_epp_fixed(place) && epp != 0 && !(name && strcmp(name, "performance") == 0))
		return -EBUSY;
	sysfs_cpu_state(place)->epp = epp;
	return 0;
}

static int append_epps(const struct sysfs_place *place, struct buffer *to)
{
	for (const char *const *epp = epps_of(place); *epp; epp++)
		sysfs_append(to, "%s ", *epp);
	return 0;
}

/* Turbo and the limits in percent. */

SYSFS_NUMBER(get_boost, !sysfs_machine(place)->no_turbo);

static int set_boost(const struct sysfs_place *place, uint32_t boost)
{
	sysfs_machine(place)->no_turbo = !boost;
	return 0;
}

static bool has_boost(const struct sysfs_place *place)
{
	return current_mode(place->state) == MODE_NONE;
}

/* BIOS has switched turbo off if no frequency is above the base frequency. */
static bool is_turbo_off_in_bios(const struct sysfs_place *place)
{
	return cpufreq_of(place)->max_khz <= cpufreq_of(place)->base_khz;
}

SYSFS_NUMBER(get_no_turbo, sysfs_machine(place)->no_turbo || is_turbo_off_in_bios(place));

/* khz in percent of the highest frequency. */
static uint8_t percent_of_max(const struct sysfs_place *place, uint32_t khz)
{
	uint32_t max_khz = cpufreq_of(place)->max_khz;

	return (uint8_t)(khz >= max_khz ? 100 : (uint64_t)khz * 100 / max_khz);
}

static int set_no_turbo(const struct sysfs_place *place, uint32_t value)
{
	struct sim_machine_state *machine = sysfs_machine(place);
	uint8_t base_pct = percent_of_max(place, cpufreq_of(place)->base_khz);

	if (!value && is_turbo_off_in_bios(place))
		return -EPERM;
	machine->no_turbo = value != 0;
	if (value && machine->min_perf_pct > base_pct)
		machine->min_perf_pct = base_pct;
	return 0;
}

SYSFS_NUMBER(get_max_perf_pct, sysfs_machine(place)->max_perf_pct);

static int set_max_perf_pct(const struct sysfs_place *place, uint32_t value)
{
	struct sim_machine_state *machine = sysfs_machine(place);

	machine->max_perf_pct = (uint8_t)clamp(value, machine->min_perf_pct, 100);
	return 0;
}

SYSFS_NUMBER(get_min_perf_pct, sysfs_machine(place)->min_perf_pct);

static int set_min_perf_pct(const struct sysfs_place *place, uint32_t value)
{
	struct sim_machine_state *machine = sysfs_machine(place);
	uint8_t lowest_pct = percent_of_max(place, cpufreq_of(place)->min_khz);

	machine->min_perf_pct = (uint8_t)clamp(value, lowest_pct, machine->max_perf_pct);
	return 0;
}

SYSFS_NUMBER(get_dynamic_boost, sysfs_machine(place)->hwp_dynamic_boost);

static int set_dynamic_boost(const struct sysfs_place *place, uint32_t value)
{
	sysfs_machine(place)->hwp_dynamic_boost = value != 0;
	return 0;
}

/* Directories. */

static bool has_cpufreq(struct sysfs_place *place)
{
	return sysfs_platform(place)->has_cpufreq;
}

static bool has_policy(struct sysfs_place *place)
{
	return has_cpufreq(place) && sysfs_has_cpu(place);
}

static bool has_pstate(struct sysfs_place *place)
{
	return current_mode(place->state) != MODE_NONE;
}

/* The policy of an offline CPU is inactive. */
static int check_active(const struct sysfs_place *place)
{
	return sysfs_cpu_state(place)->online ? 0 : -EBUSY;
}

static const struct sysfs_attribute policy_attributes[] = {
	{ .name = "affected_cpus", .number = get_cpu },
	{ .name = "base_frequency", .number = get_base, .exists = has_hwp },
	{ .name = "cpuinfo_max_freq", .number = get_cpuinfo_max },
	{ .name = "cpuinfo_min_freq", .number = get_cpuinfo_min },
	{ .name = "energy_performance_available_preferences",
	  .append = append_epps,
	  .exists = has_hwp },
	{ .name = "energy_performance_preference",
	  .append = append_epp,
	  .store = store_epp,
	  .exists = has_hwp },
	{ .name = "related_cpus", .number = get_cpu },
	{ .name = "scaling_available_governors", .append = append_governors },
	{ .name = "scaling_cur_freq", .number = get_current },
	{ .name = "scaling_driver", .text = get_driver },
	{ .name = "scaling_governor", .text = get_governor, .store = store_governor },
	{ .name = "scaling_max_freq",
	  .number = get_scaling_max,
	  .set = set_scaling_max,
	  .max = INT32_MAX },
	{ .name = "scaling_min_freq",
	  .number = get_scaling_min,
	  .set = set_scaling_min,
	  .max = INT32_MAX },
	{ 0 },
};

static const struct sysfs_attribute cpufreq_attributes[] = {
	{ .name = "boost", .number = get_boost, .set = set_boost, .max = 1, .exists = has_boost },
	{ 0 },
};

static const struct sysfs_attribute pstate_attributes[] = {
	{ .name = "hwp_dynamic_boost",
	  .number = get_dynamic_boost,
	  .set = set_dynamic_boost,
	  .exists = is_active_mode },
	{ .name = "max_perf_pct", .number = get_max_perf_pct, .set = set_max_perf_pct },
	{ .name = "min_perf_pct", .number = get_min_perf_pct, .set = set_min_perf_pct },
	{ .name = "no_turbo", .number = get_no_turbo, .set = set_no_turbo },
	{ .name = "status", .text = get_status, .store = store_status },
	{ 0 },
};

const struct sysfs_directory sysfs_cpufreq[] = {
	{ .path = SYSFS_CPU_ROOT "/cpufreq",
	  .exists = has_cpufreq,
	  .attributes = cpufreq_attributes },
	{ .path = SYSFS_CPU_ROOT "/cpu#/cpufreq",
	  .exists = has_policy,
	  .ready = check_active,
	  .attributes = policy_attributes },
	{ .path = SYSFS_CPU_ROOT "/intel_pstate",
	  .exists = has_pstate,
	  .attributes = pstate_attributes },
	{ 0 },
};
