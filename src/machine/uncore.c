// SPDX-License-Identifier: GPL-2.0-only
/*
 * A directory per die, package_PP_die_DD, or numbered ones that tell which power domain and cluster
 * they are of (sysfs.md, "uncore"). The numbers are not those of the last boot: only ids count.
 */
#include "machine/uncore.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

#define UNCORE_ROOT    "/sys/devices/system/cpu/intel_uncore_frequency"
#define CLUSTER_PREFIX "uncore"
#define PACKAGE_PREFIX "package_"
#define DIE_INFIX      "_die_"

const char *const uncore_elc_names[UNCORE_ELC_FILES] = {
	[UNCORE_ELC_LOW_THRESHOLD] = "elc_low_threshold_percent",
	[UNCORE_ELC_HIGH_THRESHOLD] = "elc_high_threshold_percent",
	[UNCORE_ELC_HIGH_ENABLE] = "elc_high_threshold_enable",
	[UNCORE_ELC_FLOOR] = "elc_floor_freq_khz",
};

static bool is_cluster(const char *name)
{
	return strncmp(name, CLUSTER_PREFIX, strlen(CLUSTER_PREFIX)) == 0;
}

/* Splits package_PP_die_DD. */
static bool parse_die(const char *name, uint32_t *ret_package, uint32_t *ret_die)
{
	_cleanup_free_ char *copy = NULL;
	uint64_t package, die;
	char *infix;

	if (strncmp(name, PACKAGE_PREFIX, strlen(PACKAGE_PREFIX)) != 0)
		return false;
	copy = strdup(name + strlen(PACKAGE_PREFIX));
	infix = copy ? strstr(copy, DIE_INFIX) : NULL;
	if (!infix)
		return false;
	*infix = '\0';
	if (number_parse(copy, 0, UINT32_MAX, &package) ||
	    number_parse(infix + strlen(DIE_INFIX), 0, UINT32_MAX, &die))
		return false;
	*ret_package = (uint32_t)package;
	*ret_die = (uint32_t)die;
	return true;
}

static int read_number(struct files *files, const char *directory, const char *name,
		       uint32_t *ret_value)
{
	_cleanup_free_ char *path = NULL;
	uint64_t value;
	int err;

	if (asprintf(&path, "%s/%s", directory, name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	err = files_read_number(files, path, &value);
	if (err)
		return err;
	if (value > UINT32_MAX)
		return -EINVAL;
	*ret_value = (uint32_t)value;
	return 0;
}

/* Reads what may be missing or not for everybody, or not be told by this part. */
static int read_optional(struct files *files, const char *directory, const char *name, char **text)
{
	_cleanup_free_ char *path = NULL;
	int err;

	if (asprintf(&path, "%s/%s", directory, name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	err = files_read_line(files, path, text);
	return err == -ENOMEM ? err : 0;
}

/* The same for a number. Other contents count as missing. */
static int read_optional_number(struct files *files, const char *directory, const char *name,
				struct uncore_number *number)
{
	int err = read_number(files, directory, name, &number->value);

	number->is_known = !err;
	return err == -ENOMEM ? err : 0;
}

static int read_rest(struct files *files, struct uncore_unit *unit)
{
	struct uncore_number current = { .is_known = false };
	int err = read_optional(files, unit->path, "agent_types", &unit->agent_types);

	for (size_t i = 0; i < UNCORE_ELC_FILES && !err; i++)
		err = read_optional_number(files, unit->path, uncore_elc_names[i], &unit->elc[i]);
	err = err ?: read_optional_number(files, unit->path, "current_freq_khz", &current);
	unit->current_khz = current.value;
	return err;
}

static int read_limits(struct files *files, struct uncore_unit *unit)
{
	int err = read_number(files, unit->path, "min_freq_khz", &unit->min_khz);

	err = err ?: read_number(files, unit->path, "max_freq_khz", &unit->max_khz);
	if (!err && read_number(files, unit->path, "initial_min_freq_khz", &unit->initial_min_khz))
		unit->initial_min_khz = 0;
	if (!err && read_number(files, unit->path, "initial_max_freq_khz", &unit->initial_max_khz))
		unit->initial_max_khz = 0;
	if (err == -ENOMEM)
		return err;
	unit->error = err;
	return 0;
}

static int read_ids(struct files *files, struct uncore_unit *unit)
{
	int err = read_number(files, unit->path, "package_id", &unit->package);

	err = err ?: read_number(files, unit->path, "domain_id", &unit->domain);
	err = err ?: read_number(files, unit->path, "fabric_cluster_id", &unit->cluster);
	unit->has_die = !err && !read_number(files, unit->path, "die_id", &unit->die);
	return err;
}

/* Adds a directory to a list that has room for it; names that mean nothing here are passed over. */
static int add_unit(struct files *files, const char *name, struct uncore_units *units)
{
	struct uncore_unit *unit = &units->units[units->count];
	int err = 0;

	*unit = (struct uncore_unit){ .is_cluster = is_cluster(name), .has_die = true };
	if (!unit->is_cluster && !parse_die(name, &unit->package, &unit->die))
		return 0;
	if (asprintf(&unit->path, UNCORE_ROOT "/%s", name) < 0) {
		unit->path = NULL;
		return -ENOMEM;
	}
	unit->name = strrchr(unit->path, '/') + 1;
	units->count++;
	if (unit->is_cluster)
		err = read_ids(files, unit);
	err = err ?: read_limits(files, unit);
	return err ?: read_rest(files, unit);
}

static int compare_numbers(uint32_t left, uint32_t right)
{
	return left < right ? -1 : left > right;
}

static int compare_units(const void *left_pointer, const void *right_pointer)
{
	const struct uncore_unit *left = left_pointer, *right = right_pointer;

	return compare_numbers(left->package, right->package)
		       ?: compare_numbers(left->is_cluster ? left->domain : left->die,
					  right->is_cluster ? right->domain : right->die)
		       ?: compare_numbers(left->cluster, right->cluster);
}

int uncore_read_units(struct files *files, struct uncore_units *ret_units)
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
	for (size_t i = 0; i < count && !err; i++) {
		if (is_cluster(names[i]) == has_clusters)
			err = add_unit(files, names[i], &units);
	}
	if (!err && units.count == 0)
		err = -ENOENT;
	if (err)
		return err;
	qsort(units.units, units.count, sizeof(*units.units), compare_units);
	*ret_units = units;
	units = (struct uncore_units){ 0 };
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

void uncore_units_done(struct uncore_units *units)
{
	uncore_units_cut(units, 0);
	free(units->units);
	*units = (struct uncore_units){ 0 };
}
