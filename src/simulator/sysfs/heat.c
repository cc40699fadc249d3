// SPDX-License-Identifier: GPL-2.0-only
/* Heat and limits: throttle counters, temperatures of packages, and why the hardware limits
 * frequencies (measure.md, "Sources, rights, traps" and "The simulator moves"). */
#include <errno.h>
#include <string.h>

#include "simulator/activity.h"
#include "simulator/sysfs/sysfs.h"

#define HWMON          "/sys/class/hwmon"
#define DEBUG          "/sys/kernel/debug"
#define THROTTLE_NS    100000000 /* a throttled CPU is slowed down once in that time */
#define THROTTLE_MS    10 /* the time for which it is slowed down */
#define OF_THE_PACKAGE 1 /* argument of an attribute */

static uint64_t count_throttling(const struct sysfs_place *place)
{
	const struct sim_state *state = place->state;
	uint32_t package = place->platform->cpus[place->cpu].package;

	return (place->attribute->argument == OF_THE_PACKAGE
			? state->package_counters[package].throttled_ns
			: state->cpu_counters[place->cpu].throttled_ns) /
	       THROTTLE_NS;
}

SYSFS_NUMBER(get_throttle_count, count_throttling(place));
SYSFS_NUMBER(get_throttle_max, count_throttling(place) ? THROTTLE_MS : 0);
SYSFS_NUMBER(get_throttle_total, count_throttling(place) * THROTTLE_MS);

SYSFS_HAS(has_throttle, sysfs_cpu_state(place)->online && place->platform->sources.throttle);

/* Temperatures, of each package that has a TDP. */

static bool has_temperature(const struct sysfs_place *place)
{
	return place->platform->sources.temperature &&
	       place->numbers[0] < place->platform->n_packages &&
	       activity_tdp_mw(place->state, place->numbers[0]);
}

static int append_temperature(const struct sysfs_place *place, struct buffer *to)
{
	_cleanup_activity_ struct sim_activity activity = { 0 };
	const struct sim_package_activity *package;
	int err = activity_find(place->state, &activity);

	if (err)
		return err;
	package = &activity.packages[place->numbers[0]];
	buffer_append_number(to, workload_temperature_mc(package->power_mw, package->tdp_mw));
	return 0;
}

static int append_label(const struct sysfs_place *place, struct buffer *to)
{
	buffer_print(to, "Package id %u", place->numbers[0]);
	return 0;
}

/* Limit reasons: a directory for each power domain of TPMI parts. */

static bool find_domain(struct sysfs_place *place)
{
	for (size_t i = 0; i < place->platform->n_domains; i++) {
		const struct sim_domain *domain = &place->platform->domains[i];

		place->domain = i;
		if (domain->package == place->numbers[0] && domain->punit == place->numbers[1])
			return true;
	}
	return false;
}

static bool has_reasons(const struct sysfs_place *place)
{
	return place->platform->interface == SIM_INTERFACE_TPMI &&
	       place->platform->sources.limit_reasons &&
	       place->numbers[0] < place->platform->n_packages;
}

/* Appends the words for the limits of a CPU, in the order of the driver. */
static void append_reasons(struct buffer *to, uint64_t limits)
{
	buffer_print(to, "%s%s%s%s", limits ? "" : " none",
		     limits & SIM_LIMITED_BY_TURBO ? " FREQUENCY_PCS_TRL" : "",
		     limits & SIM_LIMITED_BY_POWER ? " POWER_PKG_PL1_MSR_TPMI" : "",
		     limits & SIM_LIMITED_BY_CAP ? " POWER_PKG_PL1_PCS" : "");
}

/* Returns the reasons of a CPU's PUNIT core, which has one register for all of its CPUs. */
static uint64_t find_limits(const struct sysfs_place *place, uint32_t cpu)
{
	uint32_t core = platform_file_core(place->platform, cpu);
	uint64_t limits = 0;

	cpuset_foreach (other, &place->platform->domains[place->domain].cpus) {
		if (platform_file_core(place->platform, other) == core)
			limits |= place->state->cpu_counters[other].limits;
	}
	return limits;
}

/* The first line has the power limit, which is for all CPUs, with the driver's general word. The
 * other lines have all reasons of each CPU. */
static int append_status(const struct sysfs_place *place, struct buffer *to)
{
	const struct cpuset *cpus = &place->platform->domains[place->domain].cpus;
	uint64_t common = 0;

	cpuset_foreach (cpu, cpus)
		common |= place->state->cpu_counters[cpu].limits &
			  (SIM_LIMITED_BY_POWER | SIM_LIMITED_BY_CAP);
	buffer_append_string(to, common ? "cpus POWER" : "cpus none");
	cpuset_foreach (cpu, cpus) {
		buffer_print(to, "\ncpu%u", cpu);
		append_reasons(to, find_limits(place, cpu));
	}
	return 0;
}

static int store_status(const struct sysfs_place *place, const char *text)
{
	if (strcmp(text, "0") != 0)
		return -EINVAL;
	cpuset_foreach (cpu, &place->platform->domains[place->domain].cpus)
		place->state->cpu_counters[cpu].limits = 0;
	return 0;
}

static const struct sysfs_attribute throttle_attributes[] = {
	{ "core_throttle_count", .number = get_throttle_count },
	{ "core_throttle_max_time_ms", .number = get_throttle_max },
	{ "core_throttle_total_time_ms", .number = get_throttle_total },
	{ "package_throttle_count", .argument = OF_THE_PACKAGE, .number = get_throttle_count },
	{ "package_throttle_max_time_ms", .argument = OF_THE_PACKAGE, .number = get_throttle_max },
	{ "package_throttle_total_time_ms", .argument = OF_THE_PACKAGE,
	  .number = get_throttle_total },
	{ 0 },
};

const struct sysfs_directory sysfs_heat[] = {
	{ SYSFS_CPUS "/cpu#/thermal_throttle", .find = sysfs_find_cpu, .exists = has_throttle,
	  .attributes = throttle_attributes },
	{ .path = HWMON },
	{ HWMON "/hwmon#", .exists = has_temperature,
	  SYSFS_FILES({ "name", .fixed = "coretemp" },
		      { "temp1_input", .append = append_temperature },
		      { "temp1_label", .append = append_label }) },
	{ .path = DEBUG },
	{ DEBUG "/tpmi-0000:##:03.1", .exists = has_reasons },
	{ DEBUG "/tpmi-0000:##:03.1/plr", .exists = has_reasons },
	{ DEBUG "/tpmi-0000:##:03.1/plr/domain#", .find = find_domain, .exists = has_reasons,
	  SYSFS_FILES({ "status", .append = append_status, .store = store_status }) },
	{ 0 },
};
