// SPDX-License-Identifier: GPL-2.0-only
/* Uncore frequency limits and efficiency latency control (sysfs.md, "uncore"): a directory for each
 * die, or on TPMI parts one for each power domain and one for each package. Values are kept in
 * steps of 100 MHz. The kernel does not check that the minimum is below the maximum. */
#include "simulator/sysfs_tree.h"

#include <errno.h>

#define UNCORE_ROOT   SYSFS_CPU_ROOT "/intel_uncore_frequency"
#define KHZ_PER_RATIO 100000
#define MAX_KHZ       (0x7f * KHZ_PER_RATIO + KHZ_PER_RATIO - 1)
#define MAX_THRESHOLD 0x7f /* of efficiency latency control: 7 bits */
#define MAX_PERCENT   100

static struct sim_uncore_state *uncore_of(const struct sysfs_place *place)
{
	return &place->state->uncore[place->domain];
}

/* Limits of a die or a power domain. */

/* Rounds down to the steps of the register. */
static uint32_t round_down(uint32_t khz)
{
	return khz / KHZ_PER_RATIO * KHZ_PER_RATIO;
}

/* The registers of a die can only be accessed from one of its CPUs; TPMI needs none. */
static int check_reachable(const struct sysfs_place *place)
{
	if (sysfs_platform(place)->uncore == SIM_UNCORE_TPMI)
		return 0;
	return sysfs_any_online(place->state, place->domain) ? 0 : -ENXIO;
}

static int append_limit(const struct sysfs_place *place, uint32_t khz, struct buffer *to)
{
	int err = check_reachable(place);

	if (err)
		return err;
	buffer_append_number(to, khz);
	return 0;
}

static int append_max(const struct sysfs_place *place, struct buffer *to)
{
	return append_limit(place, uncore_of(place)->max_khz, to);
}

static int append_min(const struct sysfs_place *place, struct buffer *to)
{
	return append_limit(place, uncore_of(place)->min_khz, to);
}

static int check_limit(const struct sysfs_place *place, uint32_t khz)
{
	return khz == 0 ? -EINVAL : check_reachable(place);
}

/* A domain's limits stay within those last written for the package. */
static int set_max(const struct sysfs_place *place, uint32_t value)
{
	struct sim_uncore_state *uncore = uncore_of(place);
	uint32_t khz = round_down(value);
	int err = check_limit(place, khz);

	if (err)
		return err;
	if (uncore->package_max_khz && khz > uncore->package_max_khz)
		return -EINVAL;
	uncore->max_khz = khz;
	return 0;
}

static int set_min(const struct sysfs_place *place, uint32_t value)
{
	struct sim_uncore_state *uncore = uncore_of(place);
	uint32_t khz = round_down(value);
	int err = check_limit(place, khz);

	if (err)
		return err;
	if (khz < uncore->package_min_khz)
		return -EINVAL;
	uncore->min_khz = khz;
	return 0;
}

SYSFS_NUMBER(get_initial_max,
	     uncore_of(place)->initial_max_khz ?: sysfs_platform(place)->uncore_max_khz);
SYSFS_NUMBER(get_initial_min,
	     uncore_of(place)->initial_min_khz ?: sysfs_platform(place)->uncore_min_khz);

void sysfs_uncore_resample(struct sim_state *state, size_t domain)
{
	struct sim_uncore_state *uncore = &state->uncore[domain];

	if (state->platform->uncore != SIM_UNCORE_LEGACY)
		return;
	uncore->initial_min_khz = uncore->min_khz;
	uncore->initial_max_khz = uncore->max_khz;
}

SYSFS_NUMBER(get_domain_id, sysfs_platform(place)->domains[place->domain].punit);
SYSFS_NUMBER(get_package_id, sysfs_platform(place)->domains[place->domain].package);

/* Efficiency latency control. A percentage is rounded down when it is written and up when it is
 * read, so that each percentage reads as written. */

static uint32_t to_percent(uint8_t threshold)
{
	return (uint32_t)(threshold * MAX_PERCENT + MAX_THRESHOLD - 1) / MAX_THRESHOLD;
}

static uint8_t to_threshold(uint32_t percent)
{
	return (uint8_t)(percent * MAX_THRESHOLD / MAX_PERCENT);
}

SYSFS_NUMBER(get_elc_low, to_percent(uncore_of(place)->elc_low));

static int set_elc_low(const struct sysfs_place *place, uint32_t percent)
{
	uncore_of(place)->elc_low = to_threshold(percent);
	return 0;
}

SYSFS_NUMBER(get_elc_high, to_percent(uncore_of(place)->elc_high));

static int set_elc_high(const struct sysfs_place *place, uint32_t percent)
{
	uncore_of(place)->elc_high = to_threshold(percent);
	return 0;
}

SYSFS_NUMBER(get_elc_high_enable, uncore_of(place)->elc_high_enable);

static int set_elc_high_enable(const struct sysfs_place *place, uint32_t value)
{
	uncore_of(place)->elc_high_enable = (uint8_t)value;
	return 0;
}

SYSFS_NUMBER(get_elc_floor, (uncore_of(place)->elc_floor) * KHZ_PER_RATIO);

static int set_elc_floor(const struct sysfs_place *place, uint32_t khz)
{
	uncore_of(place)->elc_floor = (uint8_t)(khz / KHZ_PER_RATIO);
	return 0;
}

/* A package on TPMI parts: reads the widest limits of its power domains and sets them all. */

/* Is the power domain with that index in the package, whose first one is that of place? */
static bool is_in_package(const struct sysfs_place *place, size_t index)
{
	const struct sim_platform *platform = sysfs_platform(place);

	return index < platform->n_domains &&
	       platform->domains[index].package == platform->domains[place->domain].package;
}

static uint32_t get_package_max(const struct sysfs_place *place)
{
	uint32_t khz = 0;

	for (size_t i = place->domain; is_in_package(place, i); i++) {
		if (place->state->uncore[i].max_khz > khz)
			khz = place->state->uncore[i].max_khz;
	}
	return khz;
}

static uint32_t get_package_min(const struct sysfs_place *place)
{
	uint32_t khz = UINT32_MAX;

	for (size_t i = place->domain; is_in_package(place, i); i++) {
		if (place->state->uncore[i].min_khz < khz)
			khz = place->state->uncore[i].min_khz;
	}
	return khz;
}

static int set_package_max(const struct sysfs_place *place, uint32_t value)
{
	uint32_t khz = round_down(value);

	if (khz == 0)
		return -EINVAL;
	for (size_t i = place->domain; is_in_package(place, i); i++) {
		place->state->uncore[i].max_khz = khz;
		place->state->uncore[i].package_max_khz = khz;
	}
	return 0;
}

static int set_package_min(const struct sysfs_place *place, uint32_t value)
{
	uint32_t khz = round_down(value);

	if (khz == 0)
		return -EINVAL;
	for (size_t i = place->domain; is_in_package(place, i); i++) {
		place->state->uncore[i].min_khz = khz;
		place->state->uncore[i].package_min_khz = khz;
	}
	return 0;
}

/* Directories. */

static bool has_uncore(struct sysfs_place *place)
{
	return sysfs_platform(place)->uncore != SIM_UNCORE_NONE;
}

static bool is_tpmi(const struct sysfs_place *place)
{
	return sysfs_platform(place)->uncore == SIM_UNCORE_TPMI;
}

/* Dies without CPUs have no directory. */
static bool has_die_directory(const struct sysfs_place *place, const struct sim_domain *domain)
{
	return sysfs_platform(place)->uncore == SIM_UNCORE_LEGACY &&
	       !cpuset_is_empty(&domain->cpus);
}

static bool has_die(struct sysfs_place *place)
{
	const struct sim_platform *platform = sysfs_platform(place);

	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct sim_domain *domain = &platform->domains[i];

		if (domain->package == place->numbers[0] && domain->die == place->numbers[1] &&
		    has_die_directory(place, domain)) {
			place->domain = i;
			return true;
		}
	}
	return false;
}

static int list_dies(const struct sysfs_place *place, struct buffer *names)
{
	const struct sim_platform *platform = sysfs_platform(place);

	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct sim_domain *domain = &platform->domains[i];

		if (has_die_directory(place, domain))
			sysfs_append(names, "package_%02u_die_%02u\n", domain->package,
				     domain->die);
	}
	return 0;
}

static bool has_cluster(struct sysfs_place *place)
{
	place->domain = place->numbers[0];
	return is_tpmi(place) && place->domain < sysfs_platform(place)->n_domains;
}

static int list_clusters(const struct sysfs_place *place, struct buffer *names)
{
	for (size_t i = 0; is_tpmi(place) && i < sysfs_platform(place)->n_domains; i++)
		sysfs_append(names, "uncore%02zu\n", i);
	return 0;
}

static bool has_package(struct sysfs_place *place)
{
	const struct sim_platform *platform = sysfs_platform(place);

	for (size_t i = 0; is_tpmi(place) && i < platform->n_domains; i++) {
		if (platform->domains[i].package == place->numbers[0] && place->numbers[1] == 0) {
			place->domain = i;
			return true;
		}
	}
	return false;
}

static int list_packages(const struct sysfs_place *place, struct buffer *names)
{
	for (size_t i = 0; is_tpmi(place) && i < sysfs_platform(place)->n_packages; i++)
		sysfs_append(names, "package_%02zu_die_00\n", i);
	return 0;
}

static const struct sysfs_attribute die_attributes[] = {
	{ .name = "current_freq_khz", .append = append_max },
	{ .name = "initial_max_freq_khz", .number = get_initial_max },
	{ .name = "initial_min_freq_khz", .number = get_initial_min },
	{ .name = "max_freq_khz", .append = append_max, .set = set_max, .max = MAX_KHZ },
	{ .name = "min_freq_khz", .append = append_min, .set = set_min, .max = MAX_KHZ },
	{ 0 },
};

static const struct sysfs_attribute cluster_attributes[] = {
	{ .name = "current_freq_khz", .append = append_max },
	{ .name = "domain_id", .number = get_domain_id },
	{ .name = "elc_floor_freq_khz",
	  .number = get_elc_floor,
	  .set = set_elc_floor,
	  .max = MAX_KHZ },
	{ .name = "elc_high_threshold_enable",
	  .number = get_elc_high_enable,
	  .set = set_elc_high_enable,
	  .max = 1 },
	{ .name = "elc_high_threshold_percent",
	  .number = get_elc_high,
	  .set = set_elc_high,
	  .max = MAX_PERCENT },
	{ .name = "elc_low_threshold_percent",
	  .number = get_elc_low,
	  .set = set_elc_low,
	  .max = MAX_PERCENT },
	{ .name = "fabric_cluster_id", .fixed = "0" },
	{ .name = "initial_max_freq_khz", .number = get_initial_max },
	{ .name = "initial_min_freq_khz", .number = get_initial_min },
	{ .name = "max_freq_khz", .append = append_max, .set = set_max, .max = MAX_KHZ },
	{ .name = "min_freq_khz", .append = append_min, .set = set_min, .max = MAX_KHZ },
	{ .name = "package_id", .number = get_package_id },
	{ 0 },
};

static const struct sysfs_attribute package_attributes[] = {
	{ .name = "initial_max_freq_khz", .number = get_initial_max },
	{ .name = "initial_min_freq_khz", .number = get_initial_min },
	{ .name = "max_freq_khz",
	  .number = get_package_max,
	  .set = set_package_max,
	  .max = MAX_KHZ },
	{ .name = "min_freq_khz",
	  .number = get_package_min,
	  .set = set_package_min,
	  .max = MAX_KHZ },
	{ 0 },
};

const struct sysfs_directory sysfs_uncore[] = {
	{ .path = UNCORE_ROOT, .exists = has_uncore },
	{ .path = UNCORE_ROOT "/package_##_die_##",
	  .exists = has_die,
	  .list = list_dies,
	  .attributes = die_attributes },
	{ .path = UNCORE_ROOT "/package_##_die_##",
	  .exists = has_package,
	  .list = list_packages,
	  .attributes = package_attributes },
	{ .path = UNCORE_ROOT "/uncore##",
	  .exists = has_cluster,
	  .list = list_clusters,
	  .attributes = cluster_attributes },
	{ 0 },
};
