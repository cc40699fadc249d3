// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks a path through the tables of directories. Nothing is kept between two calls: whether a
 * directory or an attribute exists is asked each time, for a CPU that goes offline takes some away
 * (hardware.md, section 5).
 */
#include "simulator/sysfs_tree.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

/* Where a path ends: at a directory, or at one of its attributes. */
struct spot {
	const struct sysfs_directory *directory;
	const struct sysfs_attribute *attribute;
};

static const struct sysfs_directory system_directory = {
	.name = "system",
	.children = (const struct sysfs_directory *const[]){ &sysfs_cpu, NULL },
};

static const struct sysfs_directory devices_directory = {
	.name = "devices",
	.children = (const struct sysfs_directory *const[]){ &system_directory, NULL },
};

static const struct sysfs_directory cgroup_directory = { .name = "cgroup" };

static const struct sysfs_directory fs_directory = {
	.name = "fs",
	.children = (const struct sysfs_directory *const[]){ &cgroup_directory, NULL },
};

static const struct sysfs_directory sys_directory = {
	.name = "sys",
	.children =
		(const struct sysfs_directory *const[]){ &devices_directory, &fs_directory, NULL },
};

static const struct sysfs_directory root_directory = {
	.name = "",
	.children = (const struct sysfs_directory *const[]){ &sysfs_proc, &sys_directory, NULL },
};

static bool has_attribute(const struct sysfs_place *place, const struct sysfs_attribute *attribute)
{
	return !attribute->exists || attribute->exists(place);
}

static bool has_directory(const struct sysfs_place *place, const struct sysfs_directory *directory)
{
	return !directory->exists || directory->exists(place);
}

static const struct sysfs_attribute *find_attribute(const struct sysfs_place *place,
						    const struct sysfs_directory *directory,
						    const char *name)
{
	const struct sysfs_attribute *attribute = directory->attributes;

	for (; attribute && attribute->name; attribute++) {
		if (strcmp(attribute->name, name) == 0)
			return has_attribute(place, attribute) ? attribute : NULL;
	}
	return NULL;
}

static bool leads_to(struct sysfs_place *place, const struct sysfs_directory *directory,
		     const char *name)
{
	if (!directory->name)
		return directory->find(place, name);
	return strcmp(directory->name, name) == 0 && has_directory(place, directory);
}

static const struct sysfs_directory *find_child(struct sysfs_place *place,
						const struct sysfs_directory *directory,
						const char *name)
{
	const struct sysfs_directory *const *child = directory->children;

	for (; child && *child; child++) {
		if (leads_to(place, *child, name))
			return *child;
	}
	return NULL;
}

/* One step along a path. */
static int enter(struct sysfs_place *place, const char *name, struct spot *spot)
{
	const struct sysfs_directory *child;

	if (spot->attribute)
		return -ENOTDIR;
	if (strcmp(name, ".") == 0)
		return 0;
	child = find_child(place, spot->directory, name);
	if (child) {
		spot->directory = child;
		return 0;
	}
	spot->attribute = find_attribute(place, spot->directory, name);
	return spot->attribute ? 0 : -ENOENT;
}

static int walk(struct sysfs_place *place, const char *path, struct spot *ret_spot)
{
	struct spot spot = { .directory = &root_directory };
	_cleanup_free_ char *copy = strdup(path);
	char *rest = copy, *name;
	int err = 0;

	if (!copy)
		return -ENOMEM;
	if (*path != '/')
		return -ENOENT;
	while (!err && (name = strsep(&rest, "/"))) {
		if (*name != '\0')
			err = enter(place, name, &spot);
	}
	if (!err)
		*ret_spot = spot;
	return err;
}

static int check_ready(const struct sysfs_place *place, const struct sysfs_directory *directory)
{
	return directory->ready ? directory->ready(place) : 0;
}

int sysfs_tree_read(struct sysfs_place *place, const char *path, FILE *to)
{
	struct spot spot;
	int err = walk(place, path, &spot);

	if (!err && !spot.attribute)
		err = -EISDIR;
	if (!err)
		err = check_ready(place, spot.directory);
	if (!err)
		err = spot.attribute->show(place, to);
	if (!err)
		fputc('\n', to);
	return err;
}

int sysfs_tree_write(struct sysfs_place *place, const char *path, const char *text)
{
	struct spot spot;
	int err = walk(place, path, &spot);

	if (err)
		return err;
	if (!spot.attribute)
		return -EISDIR;
	if (!spot.attribute->store)
		return -EACCES;
	if (*text == '\0')
		return 0;
	err = check_ready(place, spot.directory);
	return err ? err : spot.attribute->store(place, text);
}

static int list_attributes(const struct sysfs_place *place, const struct sysfs_directory *directory,
			   struct sysfs_names *names)
{
	const struct sysfs_attribute *attribute = directory->attributes;
	int err = 0;

	for (; !err && attribute && attribute->name; attribute++) {
		if (has_attribute(place, attribute))
			err = sysfs_names_add(names, attribute->name);
	}
	return err;
}

static int list_child(const struct sysfs_place *place, const struct sysfs_directory *child,
		      struct sysfs_names *names)
{
	if (!child->name)
		return child->list(place, names);
	return has_directory(place, child) ? sysfs_names_add(names, child->name) : 0;
}

int sysfs_tree_list(struct sysfs_place *place, const char *path, struct sysfs_names *names)
{
	const struct sysfs_directory *const *child;
	struct spot spot;
	int err = walk(place, path, &spot);

	if (err)
		return err;
	if (spot.attribute)
		return -ENOTDIR;
	err = list_attributes(place, spot.directory, names);
	for (child = spot.directory->children; !err && child && *child; child++)
		err = list_child(place, *child, names);
	return err;
}

bool sysfs_tree_exists(struct sysfs_place *place, const char *path)
{
	struct spot spot;

	return walk(place, path, &spot) == 0;
}
