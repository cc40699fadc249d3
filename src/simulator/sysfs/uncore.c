// SPDX-License-Identifier: GPL-2.0-only
/* Uncore frequency limits and efficiency latency control (sysfs.md, "uncore"). Each die has a
 * directory; on TPMI parts each power domain and each package has one instead. The directory of a
 * package shows the widest limits of its power domains, and sets the limits of all. Values are kept
 * in steps of 100 MHz. The kernel does not check that the minimum is below the maximum. */
#include "simulator/sysfs/sysfs.h"

#include <errno.h>
#include <string.h>

#define UNCORE_ROOT   SYSFS_CPUS "/intel_uncore_frequency"
#define KHZ_PER_RATIO 100000
#define MAX_KHZ       (0x7f * KHZ_PER_RATIO + KHZ_PER_RATIO - 1)
#define MAX_THRESHOLD 0x7f /* of efficiency latency control: 7 bits */
#define MAX_PERCENT   100

static struct sim_uncore_state *uncore_of(const struct sysfs_place *place)
{
	return &place->state->uncore[place->domain];
}

SYSFS_HAS(is_tpmi, place->platform->uncore == SIM_UNCORE_TPMI);
SYSFS_HAS(is_cluster, is_tpmi(place) && !place->is_package);

SYSFS_HAS(has_current, !place->is_package && place->platform->sources.uncore_current);

/* The registers of a die can only be accessed from one of its CPUs; TPMI needs no CPU. */
static int check_reachable(const struct sysfs_place *place)
{
	return is_tpmi(place) || sysfs_any_online(place->state, place->domain) ? 0 : -ENXIO;
}

/* Returns a present or initial limit of the directory: for a package, the widest of its domains. */
static uint32_t find_widest(const struct sysfs_place *place, bool is_initial)
{
	enum sim_limit limit = (enum sim_limit)place->attribute->argument;
	uint32_t khz = 0;

	for (size_t i = place->domain; i < place->end_domain; i++) {
		const struct sim_uncore_state *uncore = &place->state->uncore[i];
		uint32_t other_khz = is_initial ? uncore->initial_khz[limit] : uncore->khz[limit];

		if (i == place->domain ||
		    (limit == SIM_LIMIT_MAX ? other_khz > khz : other_khz < khz))
			khz = other_khz;
	}
	return khz;
}

static int append_limit(const struct sysfs_place *place, struct buffer *to)
{
	int err = check_reachable(place);

	if (!err)
		buffer_append_number(to, find_widest(place, false));
	return err;
}

/* A domain's limits stay within those last written for the package. */
static int set_limit(const struct sysfs_place *place, uint32_t value)
{
	enum sim_limit limit = (enum sim_limit)place->attribute->argument;
	uint32_t khz = value / KHZ_PER_RATIO * KHZ_PER_RATIO;
	int err = khz == 0 ? -EINVAL : check_reachable(place);

	if (err)
		return err;
	for (size_t i = place->domain; i < place->end_domain; i++) {
		struct sim_uncore_state *uncore = &place->state->uncore[i];
		uint32_t bound = uncore->package_khz[limit];

		if (place->is_package)
			uncore->package_khz[limit] = khz;
		else if (bound && (limit == SIM_LIMIT_MAX ? khz > bound : khz < bound))
			return -EINVAL;
		uncore->khz[limit] = khz;
	}
	return 0;
}

SYSFS_NUMBER(get_initial, find_widest(place, true));

void sysfs_uncore_resample(struct sim_state *state, size_t domain)
{
	struct sim_uncore_state *uncore = &state->uncore[domain];

	if (state->platform->uncore == SIM_UNCORE_LEGACY)
		memcpy(uncore->initial_khz, uncore->khz, sizeof(uncore->khz));
}

SYSFS_NUMBER(get_package_id, place->platform->domains[place->domain].socket);

/* Files of newer kernels (sysfs.md, "uncore"). */

SYSFS_HAS(has_agent_types, is_cluster(place) && strverscmp(place->platform->kernel, "6.17") >= 0);
SYSFS_TEXT(get_agent_types, cpuset_is_empty(&place->platform->domains[place->domain].cores)
				    ? "io"
				    : "core cache memory");

/* Clusters with cores have a die_id if their package has several dies with cores. */
static bool has_die_id(const struct sysfs_place *place)
{
	const struct sim_platform *platform = place->platform;
	const struct sim_domain *domain = &platform->domains[place->domain];

	if (!has_agent_types(place) || cpuset_is_empty(&domain->cores))
		return false;
	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct sim_domain *other = &platform->domains[i];

		if (other->package == domain->package && other->die != domain->die &&
		    !cpuset_is_empty(&other->cores))
			return true;
	}
	return false;
}

SYSFS_NUMBER(get_die_id, place->platform->domains[place->domain].die);

SYSFS_HAS(has_instance_id, is_cluster(place) && strverscmp(place->platform->kernel, "7.2") >= 0);

/* Returns the number of the domain's registers in its TPMI device. In a package with one device it
 * is the id of the domain, with holes; in a partitioned package there are no holes. */
static uint64_t get_instance_id(const struct sysfs_place *place)
{
	const struct sim_domain *domain = &place->platform->domains[place->domain];
	const struct sim_domain *first = domain - domain->index;
	bool is_partitioned = false;
	uint32_t before = 0;

	for (const struct sim_domain *other = first;
	     other < place->platform->domains + place->platform->n_domains &&
	     other->package == domain->package;
	     other++) {
		is_partitioned |= other->partition != domain->partition;
		before += other < domain && other->partition == domain->partition;
	}
	return is_partitioned ? before : domain->punit;
}

/* Before Linux 6.18, each device of a partitioned package counted its domains from 0 (vm-lab.md,
 * "More TPMI registers"). */
static uint64_t get_domain_id(const struct sysfs_place *place)
{
	return strverscmp(place->platform->kernel, "6.18") >= 0
		       ? place->platform->domains[place->domain].punit
		       : get_instance_id(place);
}

/* Efficiency latency control. A percentage is rounded down when it is written and up when it is
 * read, so that each percentage reads as written. */

static uint32_t to_percent(uint8_t threshold)
{
	return (uint32_t)(threshold * MAX_PERCENT + MAX_THRESHOLD - 1) / MAX_THRESHOLD;
}

SYSFS_NUMBER(get_elc_low, to_percent(uncore_of(place)->elc_low));
SYSFS_SET(set_elc_low, uncore_of(place)->elc_low, value *MAX_THRESHOLD / MAX_PERCENT);
SYSFS_NUMBER(get_elc_high, to_percent(uncore_of(place)->elc_high));
SYSFS_SET(set_elc_high, uncore_of(place)->elc_high, value *MAX_THRESHOLD / MAX_PERCENT);
SYSFS_NUMBER(get_elc_high_enable, uncore_of(place)->elc_high_enable);
SYSFS_SET(set_elc_high_enable, uncore_of(place)->elc_high_enable, value);
SYSFS_NUMBER(get_elc_floor, (uncore_of(place)->elc_floor) * KHZ_PER_RATIO);
SYSFS_SET(set_elc_floor, uncore_of(place)->elc_floor, value / KHZ_PER_RATIO);

/* Directories. */

SYSFS_HAS(has_uncore, place->platform->uncore != SIM_UNCORE_NONE);

static bool find_cluster(struct sysfs_place *place)
{
	place->domain = place->numbers[0];
	place->end_domain = place->domain + 1;
	return is_tpmi(place) && place->domain < place->platform->n_domains;
}

/* Returns true for the first domain of a directory package_PP_die_DD. A die without CPUs has no
 * directory. */
static bool begins_directory(const struct sysfs_place *place, const struct sim_domain *domain)
{
	if (is_tpmi(place))
		return domain->index == 0;
	return place->platform->uncore == SIM_UNCORE_LEGACY && !cpuset_is_empty(&domain->cpus);
}

/* A package on TPMI parts has one directory, with die 0. */
static bool find_package_die(struct sysfs_place *place)
{
	const struct sim_platform *platform = place->platform;

	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct sim_domain *domain = &platform->domains[i];

		if (!begins_directory(place, domain) || domain->socket != place->numbers[0] ||
		    (is_tpmi(place) ? 0 : domain->die) != place->numbers[1])
			continue;
		place->is_package = is_tpmi(place);
		place->domain = i;
		place->end_domain = i + 1;
		while (place->is_package && place->end_domain < platform->n_domains &&
		       platform->domains[place->end_domain].package == domain->package)
			place->end_domain++;
		return true;
	}
	return false;
}

static int list_package_dies(const struct sysfs_place *place, struct buffer *names)
{
	for (size_t i = 0; i < place->platform->n_domains; i++) {
		const struct sim_domain *domain = &place->platform->domains[i];

		if (begins_directory(place, domain))
			buffer_print(names, "package_%02u_die_%02u\n", domain->socket,
				     is_tpmi(place) ? 0 : domain->die);
	}
	return 0;
}

static const struct sysfs_attribute uncore_attributes[] = {
	{ "agent_types", .text = get_agent_types, .exists = has_agent_types },
	{ "current_freq_khz", .argument = SIM_LIMIT_MAX, .append = append_limit,
	  .exists = has_current },
	{ "die_id", .number = get_die_id, .exists = has_die_id },
	{ "domain_id", .number = get_domain_id, .exists = is_cluster },
	{ SYSFS_READ_WRITE("elc_floor_freq_khz", elc_floor, MAX_KHZ), .exists = is_cluster },
	{ SYSFS_READ_WRITE("elc_high_threshold_enable", elc_high_enable, 1), .exists = is_cluster },
	{ SYSFS_READ_WRITE("elc_high_threshold_percent", elc_high, MAX_PERCENT),
	  .exists = is_cluster },
	{ SYSFS_READ_WRITE("elc_low_threshold_percent", elc_low, MAX_PERCENT),
	  .exists = is_cluster },
	{ "fabric_cluster_id", .fixed = "0", .exists = is_cluster },
	{ "initial_max_freq_khz", .argument = SIM_LIMIT_MAX, .number = get_initial },
	{ "initial_min_freq_khz", .argument = SIM_LIMIT_MIN, .number = get_initial },
	{ "instance_id", .number = get_instance_id, .exists = has_instance_id },
	{ "max_freq_khz", .argument = SIM_LIMIT_MAX, .append = append_limit, .set = set_limit,
	  .max = MAX_KHZ },
	{ "min_freq_khz", .argument = SIM_LIMIT_MIN, .append = append_limit, .set = set_limit,
	  .max = MAX_KHZ },
	{ "package_id", .number = get_package_id, .exists = is_cluster },
	{ 0 },
};

const struct sysfs_directory sysfs_uncore[] = {
	{ UNCORE_ROOT, .exists = has_uncore },
	{ UNCORE_ROOT "/package_##_die_##", .find = find_package_die, .list = list_package_dies,
	  .attributes = uncore_attributes },
	{ UNCORE_ROOT "/uncore##", .find = find_cluster, .attributes = uncore_attributes },
	{ 0 },
};
