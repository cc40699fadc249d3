// SPDX-License-Identifier: GPL-2.0-only
/* cpufreq, with a policy for one or several CPUs in cpuN/cpufreq and cpufreq/policyN, intel_pstate
 * (hardware.md, section 7; sysfs.md, "cpufreq policy", "intel_pstate"), and acpi_cppc. The values
 * of a policy are in the state of its lowest CPU, which names the directory. Frequency limits are
 * kept as written, and clamped when they are read. The base frequency follows the level and SST-BF
 * of the power domain. The highest frequency follows SST-TF if the kernel does ("highest-follows").
 * A change of intel_pstate's mode makes all policies again; no command switches it off. */
#include "simulator/sysfs/sysfs.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "simulator/firmware.h"

#define MAX_RAW_EPP 255
#define MAX_PERCENT 100
#define ONLINE_CPUS 1 /* argument of an attribute */

/* The kernel's default governors, for the mode in which the platform does not start. */
static const char *const active_governors[] = { "performance", "powersave", NULL };
static const char *const passive_governors[] = {
	"conservative", "ondemand", "userspace", "powersave", "performance", "schedutil", NULL,
};
#define ACTIVE_DEFAULT  1
#define PASSIVE_DEFAULT 5

static const struct {
	const char *name;
	uint8_t raw;
} named_epps[] = {
	{ "performance", 0 },
	{ "balance_performance", 128 },
	{ "balance_power", 192 },
	{ "power", 255 },
};

static int find_word(const char *const *words, const char *word)
{
	return platform_file_find_word(words, word, strlen(word));
}

/* Returns the state that has the values of the CPU's policy. */
static struct sim_cpu_state *policy_state(const struct sysfs_place *place)
{
	return &place->state->cpus[place->platform->cpus[place->cpu].policy];
}

/* The scaling driver, its mode and its governors. */

static bool has_driver(const struct sim_platform *platform, const char *driver)
{
	return platform->has_cpufreq && strcmp(platform->cpufreq.driver, driver) == 0;
}

static bool is_pstate_platform(const struct sim_platform *platform)
{
	return has_driver(platform, SIM_ACTIVE_DRIVER) || has_driver(platform, SIM_PASSIVE_DRIVER);
}

SYSFS_HAS(is_pstate, is_pstate_platform(place->platform));
SYSFS_HAS(is_active_mode, is_pstate(place) && !place->state->machine->is_passive);

/* Returns true if intel_pstate has another mode than at the start of the platform. */
static bool is_switched(const struct sysfs_place *place)
{
	return is_pstate(place) &&
	       is_active_mode(place) != has_driver(place->platform, SIM_ACTIVE_DRIVER);
}

static const char *const *governors(const struct sysfs_place *place)
{
	if (!is_switched(place))
		return place->platform->cpufreq.governors;
	return is_active_mode(place) ? active_governors : passive_governors;
}

SYSFS_HAS(is_not_pstate, !is_pstate(place));

/* intel_pstate uses hardware-controlled performance states unless they are switched off. */
SYSFS_HAS(has_hwp, is_pstate(place) && !faults_settings(place->faults)->hwp_off);
SYSFS_TEXT(get_driver, !is_switched(place)     ? place->platform->cpufreq.driver
		       : is_active_mode(place) ? SIM_ACTIVE_DRIVER
					       : SIM_PASSIVE_DRIVER);
SYSFS_TEXT(get_status, is_active_mode(place) ? "active" : "passive");
SYSFS_TEXT(get_governor, governors(place)[policy_state(place)->governor]);

static int store_governor(const struct sysfs_place *place, const char *text)
{
	int index = find_word(governors(place), text);

	if (index < 0)
		return -EINVAL;
	policy_state(place)->governor = (uint8_t)index;
	return 0;
}

/* The kernel writes a blank after each governor; intel_pstate in active mode only between them. */
static int append_governors(const struct sysfs_place *place, struct buffer *to)
{
	const char *const *names = governors(place);

	for (size_t i = 0; names[i]; i++)
		buffer_print(to, !is_active_mode(place) ? "%s " : i ? " %s" : "%s", names[i]);
	return 0;
}

/* Frequencies of a policy. */

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
	if (value > high)
		return high;
	return value < low ? low : value;
}

static bool is_efficient(const struct sim_platform *platform, uint32_t cpu)
{
	return platform->is_hybrid && cpuset_has(&platform->efficient, cpu);
}

uint32_t sysfs_highest_khz(const struct sim_state *state, uint32_t cpu)
{
	return state->platform->highest_follows == SIM_FOLLOWS_ALWAYS
		       ? firmware_highest_khz(state, cpu)
		       : state->cpus[cpu].highest_khz;
}

SYSFS_NUMBER(get_cpuinfo_max, sysfs_highest_khz(place->state, place->cpu));
SYSFS_NUMBER(get_cpuinfo_min, place->platform->cpufreq.min_khz);

uint32_t sysfs_base_khz(const struct sim_state *state, uint32_t number)
{
	const struct sim_platform *platform = state->platform;
	const struct sim_cpufreq *cpufreq = &platform->cpufreq;
	const struct sim_cpu *cpu = &platform->cpus[number];
	const struct sim_domain *domain = &platform->domains[cpu->domain];
	const struct punit_state *punit = &state->punits[cpu->domain];
	const struct punit_level *level = punit_find_level(&domain->fuses, punit->current_level);
	uint32_t core = platform_file_core(platform, number);
	uint8_t ratio = level ? level->base_ratio_sse : 0;

	if (level && punit->base_freq_on && level->has_base_freq)
		ratio = core < 64 && (level->base_freq.core_mask >> core & 1)
				? level->base_freq.high_ratio
				: level->base_freq.low_ratio;
	if (ratio)
		return ratio * (uint32_t)KHZ_PER_RATIO;
	if (is_efficient(platform, number))
		return platform->efficient_base_khz;
	return cpuset_has(&cpufreq->high_priority_cpus, number) ? cpufreq->high_priority_base_khz
								: cpufreq->base_khz;
}

SYSFS_NUMBER(get_base, sysfs_base_khz(place->state, place->cpu));

void sysfs_take_highest(struct sim_state *state)
{
	for (uint32_t i = 0; i < state->platform->n_cpus && state->platform->has_cpufreq; i++) {
		state->cpus[i].highest_khz = firmware_highest_khz(state, i);
		state->cpus[i].guaranteed_khz = sysfs_base_khz(state, i);
	}
}

/* The interrupt of a CPU that is offline is lost. */
void sysfs_follow_highest(struct sim_state *state)
{
	const struct sim_platform *platform = state->platform;

	if (!platform->has_cpufreq || platform->highest_follows != SIM_FOLLOWS_WITH_GUARANTEED)
		return;
	for (uint32_t i = 0; i < platform->n_cpus; i++) {
		struct sim_cpu_state *cpu = &state->cpus[i];
		uint32_t guaranteed_khz = sysfs_base_khz(state, i);

		if (cpu->online && guaranteed_khz != cpu->guaranteed_khz)
			cpu->highest_khz = firmware_highest_khz(state, i);
		cpu->guaranteed_khz = guaranteed_khz;
	}
}

/* BIOS has switched turbo off if no frequency is above the base frequency. */
static bool is_turbo_off_in_bios(const struct sim_platform *platform)
{
	return platform->has_cpufreq && platform->cpufreq.max_khz <= platform->cpufreq.base_khz;
}

bool sysfs_is_turbo_off(const struct sim_state *state)
{
	return state->machine->no_turbo || is_turbo_off_in_bios(state->platform);
}

/* Without turbo intel_pstate allows no more than the base frequency. */
uint32_t sysfs_scaling_max_khz(const struct sim_state *state, uint32_t cpu)
{
	const struct sim_platform *platform = state->platform;
	uint32_t highest = sysfs_highest_khz(state, cpu), base = sysfs_base_khz(state, cpu);

	if (is_pstate_platform(platform) && state->machine->no_turbo && base < highest)
		highest = base;
	return (uint32_t)clamp(state->cpus[platform->cpus[cpu].policy].scaling_max_khz,
			       platform->cpufreq.min_khz, highest);
}

SYSFS_NUMBER(get_scaling_max, sysfs_scaling_max_khz(place->state, place->cpu));
SYSFS_SET(set_scaling_max, policy_state(place)->scaling_max_khz, value);
/* A minimum above the maximum reads as the maximum. */
SYSFS_NUMBER(get_scaling_min, clamp(policy_state(place)->scaling_min_khz, get_cpuinfo_min(place),
				    get_scaling_max(place)));
SYSFS_SET(set_scaling_min, policy_state(place)->scaling_min_khz, value);

/* Returns the frequency that a busy CPU would have; the CPUs of a simulated machine are idle. */
static uint64_t get_current(const struct sysfs_place *place)
{
	if (strcmp(get_governor(place), "performance") == 0)
		return get_scaling_max(place);
	return clamp(get_base(place), get_scaling_min(place), get_scaling_max(place));
}

/* Appends the CPUs of the policy, all or only online CPUs: numbers with blanks between them. */
static int append_policy_cpus(const struct sysfs_place *place, struct buffer *to)
{
	const struct sim_platform *platform = place->platform;
	uint32_t policy = platform->cpus[place->cpu].policy;
	bool is_first = true;

	for (uint32_t cpu = policy; cpu < platform->n_cpus; cpu++) {
		if (platform->cpus[cpu].policy != policy ||
		    (place->attribute->argument == ONLINE_CPUS && !place->state->cpus[cpu].online))
			continue;
		buffer_print(to, is_first ? "%u" : " %u", cpu);
		is_first = false;
	}
	return 0;
}

/* Energy performance preference. A raw value that has a name in the platform's list reads as that
 * name. */

/* Returns the name of a preference in the state, or NULL. */
static const char *name_of_epp(const struct sysfs_place *place, uint16_t epp)
{
	const char *const *epps = place->platform->cpufreq.epps;

	if (epp >= SIM_EPP_NAMED)
		return epps[epp - SIM_EPP_NAMED];
	for (size_t i = 0; i < ARRAY_SIZE(named_epps); i++) {
		if (named_epps[i].raw == epp && find_word(epps, named_epps[i].name) >= 0)
			return named_epps[i].name;
	}
	return NULL;
}

/* The performance governor of active mode sets the preference itself. */
SYSFS_HAS(is_epp_fixed, is_active_mode(place) && strcmp(get_governor(place), "performance") == 0);

static int append_epp(const struct sysfs_place *place, struct buffer *to)
{
	uint16_t epp = is_epp_fixed(place) ? 0 : policy_state(place)->epp;
	const char *name = name_of_epp(place, epp);

	if (name)
		buffer_append_string(to, name);
	else
		buffer_append_number(to, epp);
	return 0;
}

/* Stores a name ("default" is the preference at boot) or a raw value. */
static int store_epp(const struct sysfs_place *place, const char *text)
{
	const struct sim_cpufreq *cpufreq = &place->platform->cpufreq;
	int index = find_word(cpufreq->epps, text);
	const char *name;
	uint64_t epp;

	if (index >= 0 && strcmp(text, "default") == 0)
		epp = SIM_EPP_NAMED + cpufreq->epp;
	else if (index >= 0)
		epp = SIM_EPP_NAMED + (uint32_t)index;
	else if (number_parse(text, 0, MAX_RAW_EPP, &epp) < 0)
		return -EINVAL;
	name = name_of_epp(place, (uint16_t)epp);
	if (is_epp_fixed(place) && epp != 0 && !(name && strcmp(name, "performance") == 0))
		return -EBUSY;
	policy_state(place)->epp = (uint16_t)epp;
	return 0;
}

static int append_epps(const struct sysfs_place *place, struct buffer *to)
{
	for (const char *const *epp = place->platform->cpufreq.epps; *epp; epp++)
		buffer_print(to, "%s ", *epp);
	return 0;
}

/* Turbo. */

SYSFS_NUMBER(get_boost, !place->state->machine->no_turbo);
SYSFS_SET(set_boost, place->state->machine->no_turbo, !value);

SYSFS_NUMBER(get_no_turbo, sysfs_is_turbo_off(place->state));

/* Limits in percent of the highest frequency: clamped without an error. */

static uint64_t percent_of_max(const struct sysfs_place *place, uint64_t khz)
{
	return khz * MAX_PERCENT / get_cpuinfo_max(place);
}

SYSFS_NUMBER(get_max_perf_pct, place->state->machine->max_percent);
SYSFS_NUMBER(get_min_perf_pct,
	     clamp(place->state->machine->min_percent,
		   percent_of_max(place, get_cpuinfo_min(place)), get_max_perf_pct(place)));
SYSFS_SET(set_max_perf_pct, place->state->machine->max_percent,
	  clamp(value, get_min_perf_pct(place), MAX_PERCENT));
SYSFS_SET(set_min_perf_pct, place->state->machine->min_percent,
	  clamp(value, percent_of_max(place, get_cpuinfo_min(place)), get_max_perf_pct(place)));

/* Without turbo the lower limit is at most the base frequency. */
static void squash_min_percent(const struct sysfs_place *place)
{
	uint64_t most = percent_of_max(place, get_base(place));

	if (get_min_perf_pct(place) > most)
		place->state->machine->min_percent = (uint8_t)most;
}

SYSFS_NUMBER(get_hwp_boost, place->state->machine->hwp_boost);
SYSFS_SET(set_hwp_boost, place->state->machine->hwp_boost, value != 0);

/* Sets all settings of cpufreq to those of a driver that was just loaded. */
static void make_policies_anew(const struct sysfs_place *place)
{
	const struct sim_cpufreq *cpufreq = &place->platform->cpufreq;
	struct sim_machine_state *machine = place->state->machine;
	uint32_t governor = is_active_mode(place) ? ACTIVE_DEFAULT : PASSIVE_DEFAULT;

	machine->no_turbo = 0;
	machine->hwp_boost = 0;
	machine->min_percent = 0;
	machine->max_percent = MAX_PERCENT;
	for (size_t i = 0; i < place->platform->n_cpus; i++) {
		struct sim_cpu_state *cpu = &place->state->cpus[i];

		cpu->governor = (uint8_t)(is_switched(place) ? governor : cpufreq->governor);
		cpu->epp = (uint16_t)(SIM_EPP_NAMED + cpufreq->epp);
		cpu->scaling_min_khz = 0;
		cpu->scaling_max_khz = SIM_NO_LIMIT_KHZ;
	}
	sysfs_take_highest(place->state);
}

static int store_status(const struct sysfs_place *place, const char *text)
{
	bool is_passive = strcmp(text, "passive") == 0;

	if (strcmp(text, "off") == 0)
		return -EBUSY;
	if (!is_passive && strcmp(text, "active") != 0)
		return -EINVAL;
	if (place->state->machine->is_passive == is_passive)
		return 0;
	place->state->machine->is_passive = is_passive;
	make_policies_anew(place);
	return 0;
}

static int set_no_turbo(const struct sysfs_place *place, uint32_t value)
{
	if (!value && is_turbo_off_in_bios(place->platform))
		return -EPERM;
	place->state->machine->no_turbo = value != 0;
	if (value)
		squash_min_percent(place);
	return 0;
}

/* The value that firmware reports by ACPI, in its own units: the ratio of HWP_CAPABILITIES. On
 * hybrid machines each type of core has its own unit. */
SYSFS_NUMBER(get_highest_perf, firmware_highest_khz(place->state, place->cpu) / KHZ_PER_RATIO);

/* The registers of a CPU that is offline cannot be read. */
static int check_online(const struct sysfs_place *place)
{
	return sysfs_cpu_state(place)->online ? 0 : -EFAULT;
}

SYSFS_HAS(has_cppc, has_hwp(place) && !place->platform->is_hybrid);

/* Directories. */

SYSFS_HAS(has_cpufreq, place->platform->has_cpufreq);

/* Is the number in the path the number of a policy? */
SYSFS_HAS(is_policy, has_cpufreq(place) && place->platform->cpus[place->cpu].policy == place->cpu);

/* A policy without an online CPU is inactive. */
static int check_active(const struct sysfs_place *place)
{
	const struct sim_platform *platform = place->platform;
	uint32_t policy = platform->cpus[place->cpu].policy;

	if (sysfs_cpu_state(place)->online)
		return 0;
	for (uint32_t cpu = policy; cpu < platform->n_cpus; cpu++) {
		if (platform->cpus[cpu].policy == policy && place->state->cpus[cpu].online)
			return 0;
	}
	return -EBUSY;
}

static const struct sysfs_attribute policy_attributes[] = {
	{ "affected_cpus", .argument = ONLINE_CPUS, .append = append_policy_cpus },
	{ "base_frequency", .number = get_base, .exists = has_hwp },
	{ "cpuinfo_max_freq", .number = get_cpuinfo_max },
	{ "cpuinfo_min_freq", .number = get_cpuinfo_min },
	{ "energy_performance_available_preferences", .append = append_epps, .exists = has_hwp },
	{ "energy_performance_preference", .append = append_epp, .store = store_epp,
	  .exists = has_hwp },
	{ "related_cpus", .append = append_policy_cpus },
	{ "scaling_available_governors", .append = append_governors },
	{ "scaling_cur_freq", .number = get_current },
	{ "scaling_driver", .text = get_driver },
	{ "scaling_governor", .text = get_governor, .store = store_governor },
	{ SYSFS_READ_WRITE("scaling_max_freq", scaling_max, INT32_MAX) },
	{ SYSFS_READ_WRITE("scaling_min_freq", scaling_min, INT32_MAX) },
	{ 0 },
};

static const struct sysfs_attribute pstate_attributes[] = {
	{ SYSFS_READ_WRITE("hwp_dynamic_boost", hwp_boost, 0), .exists = is_active_mode },
	{ SYSFS_READ_WRITE("max_perf_pct", max_perf_pct, 0) },
	{ SYSFS_READ_WRITE("min_perf_pct", min_perf_pct, 0) },
	{ "no_turbo", .number = get_no_turbo, .set = set_no_turbo },
	{ "status", .text = get_status, .store = store_status },
	{ 0 },
};

const struct sysfs_directory sysfs_cpufreq[] = {
	{ SYSFS_CPUS "/cpufreq", .exists = has_cpufreq,
	  SYSFS_FILES({ SYSFS_READ_WRITE("boost", boost, 1), .exists = is_not_pstate }) },
	{ SYSFS_CPUS "/cpu#/acpi_cppc", .find = sysfs_find_cpu, .exists = has_cppc,
	  .ready = check_online, SYSFS_FILES({ "highest_perf", .number = get_highest_perf }) },
	{ SYSFS_CPUS "/cpu#/cpufreq", .find = sysfs_find_cpu, .exists = has_cpufreq,
	  .ready = check_active, .attributes = policy_attributes },
	{ SYSFS_CPUS "/cpufreq/policy#", .find = sysfs_find_cpu, .exists = is_policy,
	  .ready = check_active, .attributes = policy_attributes },
	{ SYSFS_CPUS "/intel_pstate", .exists = is_pstate, .attributes = pstate_attributes },
	{ 0 },
};
