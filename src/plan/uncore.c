// SPDX-License-Identifier: GPL-2.0-only
/*
 * There are two layouts (sysfs.md, "uncore"): a directory per die, or numbered ones that tell which
 * domain they are of, one for each cluster. The kernel cuts limits to 100 MHz and does not compare
 * them: what is written here is whole and in order, and read back. All is read before a step is
 * added.
 */
#include "plan/uncore.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

#define UNCORE_ROOT    "/sys/devices/system/cpu/intel_uncore_frequency"
#define CLUSTER_PREFIX "uncore"
#define MHZ_PER_STEP   100
#define KHZ_PER_MHZ    1000

#define MAX_FILE "max_freq_khz"
#define MIN_FILE "min_freq_khz"

enum { NUMBER_SIZE = 16 };

/* One directory, and what it holds. */
struct uncore {
	char *path;
	uint32_t min_khz;
	uint32_t max_khz;
};

struct uncore_list {
	struct uncore *items;
	size_t count;
};

static void list_done(struct uncore_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].path);
	free(list->items);
}

static int read_file(struct files *files, const char *directory, const char *name,
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
		return -ERANGE;
	*ret_value = (uint32_t)value;
	return 0;
}

/* Adds a directory with what it holds to a list that has room for it. */
static int add_directory(struct files *files, const char *path, struct uncore_list *list)
{
	struct uncore uncore = { 0 };
	int err = read_file(files, path, MIN_FILE, &uncore.min_khz);

	err = err ?: read_file(files, path, MAX_FILE, &uncore.max_khz);
	if (err)
		return err;
	uncore.path = strdup(path);
	if (!uncore.path)
		return -ENOMEM;
	list->items[list->count++] = uncore;
	return 0;
}

static bool is_cluster(const char *name)
{
	return strncmp(name, CLUSTER_PREFIX, strlen(CLUSTER_PREFIX)) == 0;
}

static int add_cluster(struct files *files, const char *name, const struct uncore_range *range,
		       struct uncore_list *list)
{
	_cleanup_free_ char *path = NULL;
	uint32_t package, power_domain;
	int err;

	if (asprintf(&path, UNCORE_ROOT "/%s", name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	err = read_file(files, path, "package_id", &package);
	err = err ?: read_file(files, path, "domain_id", &power_domain);
	if (err || package != range->package || power_domain != range->power_domain)
		return err;
	return add_directory(files, path, list);
}

static int add_die(struct files *files, const struct uncore_range *range, struct uncore_list *list)
{
	_cleanup_free_ char *path = NULL;

	if (asprintf(&path, UNCORE_ROOT "/package_%02" PRIu32 "_die_%02" PRIu32, range->package,
		     range->die) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	return add_directory(files, path, list);
}

/* Finds the directories of the range. -ENOENT where there are none. */
static int find_directories(struct files *files, const struct uncore_range *range,
			    struct uncore_list *list)
{
	_cleanup_(files_free_names) char **names = NULL;
	bool has_clusters = false;
	size_t count = 0;
	int err = files_list(files, UNCORE_ROOT, &names);

	if (err)
		return err;
	while (names[count])
		count++;
	list->items = calloc(count + 1, sizeof(*list->items));
	if (!list->items)
		return -ENOMEM;
	for (size_t i = 0; i < count && !err; i++) {
		if (!is_cluster(names[i]))
			continue;
		has_clusters = true;
		err = add_cluster(files, names[i], range, list);
	}
	if (!err && !has_clusters)
		err = add_die(files, range, list);
	return err || list->count ? err : -ENOENT;
}

static int add_change(struct plan *plan, const struct uncore_range *range,
		      const struct uncore *uncore, const char *name, uint32_t old_khz, uint32_t khz)
{
	char text[NUMBER_SIZE], old_text[NUMBER_SIZE];
	_cleanup_free_ char *path = NULL;

	if (khz == old_khz)
		return 0;
	if (asprintf(&path, "%s/%s", uncore->path, name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	snprintf(text, sizeof(text), "%" PRIu32, khz);
	snprintf(old_text, sizeof(old_text), "%" PRIu32, old_khz);
	return plan_add(plan, &(struct plan_step){
				      .subject = { .package = range->package,
						   .die = range->die,
						   .cpu = PLAN_NO_CPU },
				      .what = name,
				      .write = { .kind = PLAN_FILE, .path = path, .text = text },
				      .old_text = old_text,
				      .check.kind = PLAN_CHECK_NUMBER,
			      });
}

static uint32_t whole_khz(uint32_t mhz)
{
	return mhz / MHZ_PER_STEP * MHZ_PER_STEP * KHZ_PER_MHZ;
}

/*
 * A bound that is not known stays as it is, unless the known one passes it: the kernel does not
 * compare the two, and would leave a lower limit above the upper one.
 */
static int add_changes(struct plan *plan, const struct uncore_range *range,
		       const struct uncore *uncore)
{
	uint32_t min_khz = whole_khz(range->min_mhz), max_khz = whole_khz(range->max_mhz);
	bool max_first;
	int err = 0;

	if (!max_khz)
		max_khz = uncore->max_khz;
	if (!min_khz)
		min_khz = uncore->min_khz;
	if (min_khz > max_khz)
		min_khz = max_khz;
	max_first = max_khz >= uncore->min_khz;
	if (max_first)
		err = add_change(plan, range, uncore, MAX_FILE, uncore->max_khz, max_khz);
	err = err ?: add_change(plan, range, uncore, MIN_FILE, uncore->min_khz, min_khz);
	if (!max_first)
		err = err ?: add_change(plan, range, uncore, MAX_FILE, uncore->max_khz, max_khz);
	return err;
}

/* Is there a bound to set? With an upper one of less than 100 MHz there is none. */
static bool has_bound(const struct uncore_range *range)
{
	if (range->max_mhz)
		return whole_khz(range->max_mhz) > 0;
	return whole_khz(range->min_mhz) > 0;
}

int uncore_plan_range(struct plan *plan, const struct machine *machine,
		      const struct uncore_range *range)
{
	_cleanup_(list_done) struct uncore_list list = { 0 };
	int err;

	if (!has_bound(range))
		return -ENOENT;
	if (range->max_mhz && range->min_mhz > range->max_mhz)
		return -EINVAL;
	err = find_directories(machine->host->files, range, &list);
	for (size_t i = 0; i < list.count && !err; i++)
		err = add_changes(plan, range, &list.items[i]);
	return err;
}

bool uncore_has_directory(const struct machine *machine, const struct uncore_range *range)
{
	_cleanup_(list_done) struct uncore_list list = { 0 };

	return find_directories(machine->host->files, range, &list) != -ENOENT;
}
