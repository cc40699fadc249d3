// SPDX-License-Identifier: GPL-2.0-only
/* Reads the directories of uncore frequencies. Each die has a directory, package_PP_die_DD; or
 * directories have numbers, and the ids of their power domain and cluster (sysfs.md, "uncore"). The
 * numbers change with each boot, so only the ids are used. */
#include "host/uncore.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"

#define UNCORE_ROOT    FILES_CPUS "/intel_uncore_frequency"
#define CLUSTER_PREFIX "uncore"
#define PACKAGE_PREFIX "package_"
#define DIE_INFIX      "_die_"

static bool is_cluster(const char *name)
{
	return strncmp(name, CLUSTER_PREFIX, strlen(CLUSTER_PREFIX)) == 0;
}

/* The number in uncoreNN. */
static int parse_number(const char *name, uint32_t *ret_number)
{
	uint64_t number;

	if (number_parse(name + strlen(CLUSTER_PREFIX), 0, UINT32_MAX, &number))
		return -EINVAL;
	*ret_number = (uint32_t)number;
	return 0;
}

static bool parse_die(const char *name, uint32_t *ret_package, uint32_t *ret_die)
{
	uint64_t package, die;

	if (strncmp(name, PACKAGE_PREFIX, strlen(PACKAGE_PREFIX)) != 0)
		return false;
	name += strlen(PACKAGE_PREFIX);
	if (number_parse_digits(&name, 10, &package) || package > UINT32_MAX ||
	    strncmp(name, DIE_INFIX, strlen(DIE_INFIX)) != 0 ||
	    number_parse(name + strlen(DIE_INFIX), 0, UINT32_MAX, &die))
		return false;
	*ret_package = (uint32_t)package;
	*ret_die = (uint32_t)die;
	return true;
}

#define UNIT(file, member) FILE_MEMBER("/" file, struct uncore_unit, member)

static const struct file_member ids_list[] = {
	{ UNIT("package_id", package) },
	{ UNIT("domain_id", domain) },
	{ UNIT("fabric_cluster_id", cluster) },
};

static const struct file_member die_list[] = { { UNIT("die_id", die) } };

static const struct file_member limits_list[] = {
	{ UNIT(UNCORE_MIN, min_khz) },
	{ UNIT(UNCORE_MAX, max_khz) },
};

static const struct file_member details_list[] = {
	{ UNIT(UNCORE_INITIAL_MIN, initial_min_khz) },
	{ UNIT(UNCORE_INITIAL_MAX, initial_max_khz) },
	{ UNIT(UNCORE_CURRENT, current_khz) },
	{ UNIT(UNCORE_ELC_LOW_THRESHOLD, elc_low_percent) },
	{ UNIT(UNCORE_ELC_HIGH_THRESHOLD, elc_high_percent) },
	{ UNIT(UNCORE_ELC_HIGH_ENABLE, elc_high_enabled) },
	{ UNIT(UNCORE_ELC_FLOOR, elc_floor_khz) },
	{ UNIT("agent_types", agent_types) },
	{ UNIT("instance_id", instance_id) },
};

/* A file may be absent, not readable for everybody, or have no number. */
static bool is_unknown(int err)
{
	return err != -ENOMEM;
}

static const struct file_members ids = { .list = ids_list, .count = ARRAY_SIZE(ids_list) };
static const struct file_members die = { .list = die_list, .count = ARRAY_SIZE(die_list) };
static const struct file_members limits = { .list = limits_list, .count = ARRAY_SIZE(limits_list) };
static_assert(ARRAY_SIZE(details_list) <= FILES_MOST_MEMBERS, "");

const struct file_members uncore_detail_files = { .list = details_list,
						  .count = ARRAY_SIZE(details_list),
						  .is_absent = is_unknown,
						  .unread = offsetof(struct uncore_unit, unread) };

/* Adds a directory to a list that has room for it; other names are ignored. */
static int add_unit(struct files *files, const char *name, bool with_details,
		    struct uncore_units *units)
{
	struct uncore_unit *unit = &units->units[units->count];
	int err;

	*unit = (struct uncore_unit){ .is_cluster = is_cluster(name), .has_die = true };
	if (!unit->is_cluster && !parse_die(name, &unit->package, &unit->die))
		return 0;
	unit->path = text_format(UNCORE_ROOT "/%s", name);
	if (!unit->path)
		return -ENOMEM;
	unit->name = strrchr(unit->path, '/') + 1;
	units->count++;
	if (unit->is_cluster) {
		err = parse_number(name, &unit->number);
		err = err ?: files_read_members(files, unit->path, &ids, false, unit);
		if (err)
			return err;
		unit->has_die = !files_read_members(files, unit->path, &die, false, unit);
	}
	unit->error = files_read_members(files, unit->path, &limits, false, unit);
	if (unit->error == -ENOMEM)
		return unit->error;
	return with_details
		       ? files_read_members(files, unit->path, &uncore_detail_files, false, unit)
		       : 0;
}

static int compare_names(const struct uncore_unit *left, const struct uncore_unit *right)
{
	uint32_t left_place = left->is_cluster ? left->domain : left->die;
	uint32_t right_place = right->is_cluster ? right->domain : right->die;

	int order = number_compare(left->package, right->package);

	order = order ?: number_compare(left_place, right_place);
	return order ?: number_compare(left->cluster, right->cluster);
}

static int compare_units(const void *left_pointer, const void *right_pointer)
{
	const struct uncore_unit *left = left_pointer, *right = right_pointer;
	int order = compare_names(left, right);

	return order ?: number_compare(left->number, right->number);
}

/* Two units with the same ids make all numbers of their package unreliable. units is sorted. */
static void mark_ambiguous(struct uncore_units *units)
{
	for (size_t i = 1; i < units->count; i++) {
		const struct uncore_unit *unit = &units->units[i];

		if (!unit->is_cluster || compare_names(unit - 1, unit) != 0)
			continue;
		for (size_t j = 0; j < units->count; j++)
			if (units->units[j].package == unit->package)
				units->units[j].domain_is_ambiguous = true;
	}
}

int uncore_read_units(struct files *files, bool with_details, struct uncore_units *ret_units)
{
	_cleanup_(files_free_names) char **names = NULL;
	_cleanup_uncore_units_ struct uncore_units units = { 0 };
	bool has_clusters = false;
	size_t count = 0;
	int err = files_list(files, UNCORE_ROOT, &names);

	if (err)
		return err;
	for (; names[count]; count++)
		has_clusters = has_clusters || is_cluster(names[count]);
	units.units = calloc(count + 1, sizeof(*units.units));
	if (!units.units)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (is_cluster(names[i]) != has_clusters)
			continue;
		err = add_unit(files, names[i], with_details, &units);
		if (err)
			return err;
	}
	if (units.count == 0)
		return -ENOENT;
	qsort(units.units, units.count, sizeof(*units.units), compare_units);
	mark_ambiguous(&units);
	*ret_units = steal(units);
	return 0;
}

void uncore_units_cut(struct uncore_units *units, size_t kept)
{
	for (size_t i = kept; i < units->count; i++) {
		struct uncore_unit *unit = &units->units[i];

		free(unit->path);
		free(unit->agent_types);
	}
	units->count = kept;
}

void uncore_units_done(void *data)
{
	struct uncore_units *units = data;

	uncore_units_cut(units, 0);
	free(units->units);
	*units = (struct uncore_units){ 0 };
}

bool uncore_is_of_domain(const struct uncore_unit *unit, uint32_t domain)
{
	return unit->is_cluster && !unit->domain_is_ambiguous && unit->domain == domain;
}

struct location uncore_location(const struct uncore_unit *unit)
{
	return (struct location){
		.package = unit->package,
		.die = unit->die,
		.die_is_unknown = !unit->has_die,
		.has_power_domain = unit->is_cluster,
		.power_domain = unit->domain,
		.cpu = LOCATION_NO_CPU,
	};
}

char *uncore_format_selector(const struct uncore_unit *unit)
{
	if (unit->domain_is_ambiguous)
		return text_format("package-%u uncore-%u", unit->package, unit->number);
	return unit->is_cluster ? text_format("package-%u powerdomain-%u cluster-%u", unit->package,
					      unit->domain, unit->cluster)
				: text_format("package-%u die-%u", unit->package, unit->die);
}
