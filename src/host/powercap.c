// SPDX-License-Identifier: GPL-2.0-only
/* Reads the power limits of packages from /sys/class/powercap. Zones are found by their names:
 * their numbers count platforms and packages in the order in which drivers registered them. */
#include "host/powercap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"

#define POWERCAP    "/sys/class/powercap"
#define RAPL        "intel-rapl:" /* not intel-rapl-mmio, which shows the same limits again */
#define CONSTRAINTS 3

void power_zones_done(struct power_zones *zones)
{
	for (size_t i = 0; i < zones->count; i++)
		free(zones->list[i].name);
	free(zones->list);
	*zones = (struct power_zones){ 0 };
}

static int read_line(struct files *files, const char *zone, const char *name, char **ret_text)
{
	_cleanup_free_ char *path = text_format(POWERCAP "/%s/%s", zone, name);

	return path ? files_read_line(files, path, ret_text) : -ENOMEM;
}

static int read_number(struct files *files, const char *zone, const char *name, uint64_t *ret_value)
{
	_cleanup_free_ char *path = text_format(POWERCAP "/%s/%s", zone, name);

	return path ? files_read_number(files, path, ret_value) : -ENOMEM;
}

/* Reads the limits of a zone: constraints have names, too, and any may be missing. */
static int read_limits(struct files *files, const char *number, struct power_zone *zone)
{
	const struct {
		const char *name;
		uint64_t *uw;
	} known[] = {
		{ "long_term", &zone->long_term_uw },
		{ "short_term", &zone->short_term_uw },
		{ "peak_power", &zone->peak_uw },
	};
	uint64_t enabled;
	int err = read_number(files, number, "enabled", &enabled);

	if (!err)
		zone->enabled = (struct file_number){ true, enabled != 0 };
	for (unsigned int i = 0; i < CONSTRAINTS && err != -ENOMEM; i++) {
		_cleanup_free_ char *name = text_format("constraint_%u_name", i), *found = NULL;
		_cleanup_free_ char *limit = text_format("constraint_%u_power_limit_uw", i);

		if (!name || !limit)
			return -ENOMEM;
		err = read_line(files, number, name, &found);
		for (size_t j = 0; j < ARRAY_SIZE(known) && !err; j++) {
			if (strcmp(found, known[j].name) == 0)
				err = read_number(files, number, limit, known[j].uw);
		}
	}
	return err == -ENOMEM ? err : 0;
}

static int read_zone(struct files *files, const char *number, struct power_zones *zones)
{
	_cleanup_free_ char *name = NULL;
	struct power_zone *zone;
	int err = read_line(files, number, "name", &name);

	if (err || strncmp(name, "package-", strlen("package-")) != 0)
		return err;
	zone = array_add(&zones->list, &zones->count, sizeof(*zone));
	if (!zone)
		return -ENOMEM;
	zone->name = steal(name);
	return read_limits(files, number, zone);
}

static int compare_zones(const void *left, const void *right)
{
	return strverscmp(((const struct power_zone *)left)->name,
			  ((const struct power_zone *)right)->name);
}

int power_zones_read(struct files *files, struct power_zones *ret_zones)
{
	_cleanup_power_zones_ struct power_zones zones = { 0 };
	char **names;
	int err = files_list(files, POWERCAP, &names);

	if (err)
		return err;
	for (char **name = names; *name && !err; name++) {
		const char *number = *name + strlen(RAPL);

		/* not a part of a zone, intel-rapl:0:0 */
		if (strncmp(*name, RAPL, strlen(RAPL)) == 0 && !strchr(number, ':'))
			err = read_zone(files, *name, &zones);
	}
	files_free_names(&names);
	if (err)
		return err;
	if (zones.count == 0)
		return -ENOENT;
	qsort(zones.list, zones.count, sizeof(*zones.list), compare_zones);
	*ret_zones = steal(zones);
	return 0;
}
