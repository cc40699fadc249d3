// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uncore frequency limits (sysfs.md, "uncore"): a directory per die, or on TPMI parts one per power
 * domain and one for each whole package. A value keeps whole steps of 100 MHz; nobody checks that
 * the lower limit is below the upper one.
 */
#include "simulator/sysfs_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "simulator/sysfs_elc.h"
#include "simulator/sysfs_parse.h"

#define KHZ_PER_RATIO 100000
#define MAX_RATIO     0x7f

static struct sim_uncore_state *uncore_of(const struct sysfs_place *place)
{
	return &place->state->uncore[place->domain];
}

static int show_khz(uint32_t khz, FILE *to)
{
	fprintf(to, "%" PRIu32, khz);
	return 0;
}

/* Reads a limit, cut to what the register can hold. */
static int parse_limit(const char *text, uint32_t *ret_khz)
{
	uint64_t khz;
	int err = sysfs_parse_unsigned(text, 10, UINT32_MAX, &khz);

	if (err)
		return err;
	if (khz / KHZ_PER_RATIO == 0 || khz / KHZ_PER_RATIO > MAX_RATIO)
		return -EINVAL;
	*ret_khz = (uint32_t)(khz / KHZ_PER_RATIO * KHZ_PER_RATIO);
	return 0;
}

/* The registers of a die can only be reached from one of its CPUs; TPMI needs none. */
static int check_reachable(const struct sysfs_place *place)
{
	if (sysfs_platform(place)->uncore == SIM_UNCORE_TPMI)
		return 0;
	return sysfs_cpu_any_online(place->state, place->domain) ? 0 : -ENXIO;
}

static int show_max(const struct sysfs_place *place, FILE *to)
{
	int err = check_reachable(place);

	return err ? err : show_khz(uncore_of(place)->max_khz, to);
}

static int show_min(const struct sysfs_place *place, FILE *to)
{
	int err = check_reachable(place);

	return err ? err : show_khz(uncore_of(place)->min_khz, to);
}

/* Takes a limit that must be from min_khz to max_khz. */
static int store_limit(const struct sysfs_place *place, const char *text, uint32_t min_khz,
		       uint32_t max_khz, uint32_t *ret_khz)
{
	uint32_t khz;
	int err = parse_limit(text, &khz);

	if (!err)
		err = check_reachable(place);
	if (err)
		return err;
	if (khz < min_khz || khz > max_khz)
		return -EINVAL;
	*ret_khz = khz;
	return 0;
}

static int store_max(const struct sysfs_place *place, const char *text)
{
	struct sim_uncore_state *uncore = uncore_of(place);
	uint32_t highest_khz = uncore->package_max_khz ? uncore->package_max_khz : UINT32_MAX;

	return store_limit(place, text, 0, highest_khz, &uncore->max_khz);
}

static int store_min(const struct sysfs_place *place, const char *text)
{
	struct sim_uncore_state *uncore = uncore_of(place);

	return store_limit(place, text, uncore->package_min_khz, UINT32_MAX, &uncore->min_khz);
}

static uint32_t initial_max(const struct sysfs_place *place)
{
	uint32_t khz = uncore_of(place)->initial_max_khz;

	return khz ? khz : sysfs_platform(place)->uncore_max_khz;
}

static uint32_t initial_min(const struct sysfs_place *place)
{
	uint32_t khz = uncore_of(place)->initial_min_khz;

	return khz ? khz : sysfs_platform(place)->uncore_min_khz;
}

static int show_initial_max(const struct sysfs_place *place, FILE *to)
{
	return show_khz(initial_max(place), to);
}

static int show_initial_min(const struct sysfs_place *place, FILE *to)
{
	return show_khz(initial_min(place), to);
}

void sysfs_uncore_resample(struct sim_state *state, size_t domain)
{
	struct sim_uncore_state *uncore = &state->uncore[domain];

	if (state->platform->uncore != SIM_UNCORE_LEGACY)
		return;
	uncore->initial_min_khz = uncore->min_khz;
	uncore->initial_max_khz = uncore->max_khz;
}

static int show_domain_id(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%" PRIu32, sysfs_platform(place)->domains[place->domain].punit);
	return 0;
}

static int show_package_id(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%" PRIu32, sysfs_platform(place)->domains[place->domain].package);
	return 0;
}

static int show_cluster_id(const struct sysfs_place *place, FILE *to)
{
	(void)place;
	fputc('0', to); /* a domain has one fabric here */
	return 0;
}

static const struct sysfs_attribute die_attributes[] = {
	{ .name = "current_freq_khz", .show = show_max },
	{ .name = "initial_max_freq_khz", .show = show_initial_max },
	{ .name = "initial_min_freq_khz", .show = show_initial_min },
	{ .name = "max_freq_khz", .show = show_max, .store = store_max },
	{ .name = "min_freq_khz", .show = show_min, .store = store_min },
	{ 0 },
};

static const struct sysfs_attribute cluster_attributes[] = {
	{ .name = "current_freq_khz", .show = show_max },
	{ .name = "domain_id", .show = show_domain_id },
	{ .name = "elc_floor_freq_khz",
	  .show = sysfs_elc_show_floor,
	  .store = sysfs_elc_store_floor },
	{ .name = "elc_high_threshold_enable",
	  .show = sysfs_elc_show_high_enable,
	  .store = sysfs_elc_store_high_enable },
	{ .name = "elc_high_threshold_percent",
	  .show = sysfs_elc_show_high,
	  .store = sysfs_elc_store_high },
	{ .name = "elc_low_threshold_percent",
	  .show = sysfs_elc_show_low,
	  .store = sysfs_elc_store_low },
	{ .name = "fabric_cluster_id", .show = show_cluster_id },
	{ .name = "initial_max_freq_khz", .show = show_initial_max },
	{ .name = "initial_min_freq_khz", .show = show_initial_min },
	{ .name = "max_freq_khz", .show = show_max, .store = store_max },
	{ .name = "min_freq_khz", .show = show_min, .store = store_min },
	{ .name = "package_id", .show = show_package_id },
	{ 0 },
};

/* A whole package on TPMI parts: shows the widest of its limits and sets them all. */

static bool next_in_package(const struct sysfs_place *place, size_t *index)
{
	const struct sim_platform *platform = sysfs_platform(place);

	while (*index < platform->n_domains && platform->domains[*index].package != place->package)
		(*index)++;
	return *index < platform->n_domains;
}

static int show_package_max(const struct sysfs_place *place, FILE *to)
{
	uint32_t khz = 0;

	for (size_t i = 0; next_in_package(place, &i); i++) {
		if (place->state->uncore[i].max_khz > khz)
			khz = place->state->uncore[i].max_khz;
	}
	return show_khz(khz, to);
}

static int show_package_min(const struct sysfs_place *place, FILE *to)
{
	uint32_t khz = UINT32_MAX;

	for (size_t i = 0; next_in_package(place, &i); i++) {
		if (place->state->uncore[i].min_khz < khz)
			khz = place->state->uncore[i].min_khz;
	}
	return show_khz(khz, to);
}

static void set_max(struct sim_uncore_state *uncore, uint32_t khz)
{
	uncore->max_khz = khz;
	uncore->package_max_khz = khz;
}

static void set_min(struct sim_uncore_state *uncore, uint32_t khz)
{
	uncore->min_khz = khz;
	uncore->package_min_khz = khz;
}

static int store_package_limit(const struct sysfs_place *place, const char *text,
			       void (*set)(struct sim_uncore_state *uncore, uint32_t khz))
{
	uint32_t khz;
	int err = parse_limit(text, &khz);

	for (size_t i = 0; !err && next_in_package(place, &i); i++)
		set(&place->state->uncore[i], khz);
	return err;
}

static int store_package_max(const struct sysfs_place *place, const char *text)
{
	return store_package_limit(place, text, set_max);
}

static int store_package_min(const struct sysfs_place *place, const char *text)
{
	return store_package_limit(place, text, set_min);
}

static const struct sysfs_attribute package_attributes[] = {
	{ .name = "initial_max_freq_khz", .show = show_initial_max },
	{ .name = "initial_min_freq_khz", .show = show_initial_min },
	{ .name = "max_freq_khz", .show = show_package_max, .store = store_package_max },
	{ .name = "min_freq_khz", .show = show_package_min, .store = store_package_min },
	{ 0 },
};

/* The names of the directories. */

#define NAME_SIZE   40
#define DIE_FORMAT  "package_%02" PRIu32 "_die_%02" PRIu32
#define TPMI_FORMAT "uncore%02zu"

/* Dies without CPUs have no directory; one with several domains has one. */
static bool has_die_directory(const struct sysfs_place *place, size_t index)
{
	const struct sim_domain *domains = sysfs_platform(place)->domains;

	if (sysfs_platform(place)->uncore != SIM_UNCORE_LEGACY ||
	    cpuset_is_empty(&domains[index].cpus))
		return false;
	for (size_t i = 0; i < index; i++) {
		if (domains[i].package == domains[index].package &&
		    domains[i].die == domains[index].die && !cpuset_is_empty(&domains[i].cpus))
			return false;
	}
	return true;
}

static bool find_die(struct sysfs_place *place, const char *name)
{
	const struct sim_platform *platform = sysfs_platform(place);
	char wanted[NAME_SIZE];

	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct sim_domain *domain = &platform->domains[i];

		snprintf(wanted, sizeof(wanted), DIE_FORMAT, domain->package, domain->die);
		if (strcmp(name, wanted) == 0 && has_die_directory(place, i)) {
			place->domain = i;
			return true;
		}
	}
	return false;
}

static int list_dies(const struct sysfs_place *place, struct sysfs_names *names)
{
	const struct sim_platform *platform = sysfs_platform(place);
	int err = 0;

	for (size_t i = 0; i < platform->n_domains && !err; i++) {
		if (has_die_directory(place, i))
			err = sysfs_names_add_format(names, DIE_FORMAT,
						     platform->domains[i].package,
						     platform->domains[i].die);
	}
	return err;
}

static bool is_tpmi(const struct sysfs_place *place)
{
	return sysfs_platform(place)->uncore == SIM_UNCORE_TPMI;
}

static bool find_cluster(struct sysfs_place *place, const char *name)
{
	char wanted[NAME_SIZE];

	for (size_t i = 0; is_tpmi(place) && i < sysfs_platform(place)->n_domains; i++) {
		snprintf(wanted, sizeof(wanted), TPMI_FORMAT, i);
		if (strcmp(name, wanted) == 0) {
			place->domain = i;
			return true;
		}
	}
	return false;
}

static int list_clusters(const struct sysfs_place *place, struct sysfs_names *names)
{
	int err = 0;

	for (size_t i = 0; is_tpmi(place) && i < sysfs_platform(place)->n_domains && !err; i++)
		err = sysfs_names_add_format(names, TPMI_FORMAT, i);
	return err;
}

static bool find_package(struct sysfs_place *place, const char *name)
{
	char wanted[NAME_SIZE];

	for (uint32_t i = 0; is_tpmi(place) && i < sysfs_platform(place)->n_packages; i++) {
		snprintf(wanted, sizeof(wanted), DIE_FORMAT, i, (uint32_t)0);
		if (strcmp(name, wanted) == 0) {
			place->package = i;
			place->domain = 0;
			return next_in_package(place, &place->domain);
		}
	}
	return false;
}

static int list_packages(const struct sysfs_place *place, struct sysfs_names *names)
{
	int err = 0;

	for (uint32_t i = 0; is_tpmi(place) && i < sysfs_platform(place)->n_packages && !err; i++)
		err = sysfs_names_add_format(names, DIE_FORMAT, i, (uint32_t)0);
	return err;
}

static const struct sysfs_directory die_directory = {
	.find = find_die,
	.list = list_dies,
	.attributes = die_attributes,
};

static const struct sysfs_directory cluster_directory = {
	.find = find_cluster,
	.list = list_clusters,
	.attributes = cluster_attributes,
};

static const struct sysfs_directory package_directory = {
	.find = find_package,
	.list = list_packages,
	.attributes = package_attributes,
};

static bool has_uncore(const struct sysfs_place *place)
{
	return sysfs_platform(place)->uncore != SIM_UNCORE_NONE;
}

const struct sysfs_directory sysfs_uncore = {
	.name = "intel_uncore_frequency",
	.exists = has_uncore,
	.children = (const struct sysfs_directory *const[]){ &die_directory, &cluster_directory,
							     &package_directory, NULL },
};
