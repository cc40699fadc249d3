// SPDX-License-Identifier: GPL-2.0-only
/* Control groups, version 2, directly below /sys/fs/cgroup, and the rules for a valid partition
 * (hardware.md, section 6; sysfs.md, "cgroup v2 cpuset"). A group is a directory below cgroup/ in
 * the state directory, with a file for each setting that was written. Groups have no processes. */
#include "simulator/sysfs/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cpuset.h"
#include "base/fileio.h"
#include "simulator/recording.h"

#define CGROUP_ROOT     "/sys/fs/cgroup"
#define ROOT_GROUP      "."
#define SUBTREE_CONTROL "cgroup.subtree_control"
#define CPUS            "cpuset.cpus"
#define PARTITION       "cpuset.cpus.partition"
#define CPUSET          "cpuset"
#define OTHERS_ENABLED  "cpu memory pids" /* as an init system usually does */
#define MEMBER          "member"
#define ISOLATED        "isolated"
#define EMPTY           " invalid (cpuset.cpus and cpuset.cpus.exclusive are empty)"
#define NOT_EXCLUSIVE   " invalid (Cpu list in cpuset.cpus not exclusive)"
#define NO_CPU_LEFT     " invalid (Parent unable to distribute cpu downstream)"
#define MAX_BYTES       (1U << 20)

/* The directories and files that keep the groups. */

/* Returns a new path in the state directory, or NULL. file may be "". */
static char *path_of(const struct sysfs_place *place, const char *group, const char *file)
{
	return text_format("%s/cgroup/%s/%s", place->state->directory, group, file);
}

/* Reads a setting, or its default if it was never written. */
static int read_setting(const struct sysfs_place *place, const char *group, const char *file,
			char **ret_text)
{
	_cleanup_free_ char *path = path_of(place, group, file);
	const char *unset = OTHERS_ENABLED;
	size_t length;
	int err;

	if (!path)
		return -ENOMEM;
	err = fileio_read_trusted(path, MAX_BYTES, ret_text, &length);
	if (err != -ENOENT)
		return err;
	if (strcmp(file, SUBTREE_CONTROL) != 0)
		unset = strcmp(file, PARTITION) == 0 ? MEMBER : "";
	*ret_text = strdup(unset);
	return *ret_text ? 0 : -ENOMEM;
}

static int write_setting(const struct sysfs_place *place, const char *group, const char *file,
			 const char *text)
{
	_cleanup_free_ char *path = path_of(place, group, file);

	return path ? fileio_replace(path, 0600, text, strlen(text)) : -ENOMEM;
}

/* Appends the setting of the attribute: of the group in the path, else of the root. */
static int append_setting(const struct sysfs_place *place, struct buffer *to)
{
	_cleanup_free_ char *text = NULL;
	int err = read_setting(place, place->name ? place->name : ROOT_GROUP,
			       place->attribute->name, &text);

	if (err)
		return err;
	buffer_append_string(to, text);
	return 0;
}

static bool is_dot(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Is there a group of that name? */
static bool is_group(const struct sysfs_place *place, const char *name)
{
	_cleanup_free_ char *path = path_of(place, name, "");

	return path && !is_dot(name) && access(path, F_OK) == 0;
}

SYSFS_HAS(has_group, is_group(place, place->name));

static void cleanup_closedir(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

static int list_groups(const struct sysfs_place *place, struct buffer *names)
{
	_cleanup_free_ char *path = path_of(place, ROOT_GROUP, "");
	_cleanup_(cleanup_closedir) DIR *directory = path ? opendir(path) : NULL;
	const struct dirent *entry;

	if (!path)
		return -ENOMEM;
	if (!directory)
		return errno == ENOENT ? 0 : -errno;
	while ((errno = 0, entry = readdir(directory))) {
		if (is_group(place, entry->d_name))
			buffer_print(names, "%s\n", entry->d_name);
	}
	return -errno;
}

static int make_group(const struct sysfs_place *place, const char *name)
{
	_cleanup_free_ char *path = path_of(place, name, "");

	if (is_dot(name))
		return -EEXIST;
	if (strchr(name, '\n'))
		return -EINVAL;
	return path ? fileio_make_directories(path, 0700) : -ENOMEM;
}

static int remove_group(const struct sysfs_place *place)
{
	_cleanup_free_ char *path = text_format("cgroup/%s", place->name);

	return path ? state_directory_remove(place->state->directory_fd, path) : -ENOMEM;
}

/* Files of a group. */

static int read_cpus(const struct sysfs_place *place, const char *group, struct cpuset *ret_cpus)
{
	_cleanup_free_ char *text = NULL;
	int err = read_setting(place, group, CPUS, &text);

	return err ? err : cpulist_parse(text, ret_cpus);
}

/* Compares the CPUs of a partition with another group. The two must not share a CPU. If the group
 * is a valid partition, removes its CPUs from root. */
static int compare_group(const struct sysfs_place *place, const char *group,
			 const struct cpuset *cpus, struct cpuset *root, const char **reason)
{
	_cleanup_cpuset_ struct cpuset others = { 0 };
	_cleanup_free_ char *partition = NULL;
	int err = read_cpus(place, group, &others);

	if (err)
		return err;
	err = read_setting(place, group, PARTITION, &partition);
	if (err)
		return err;
	if (cpuset_intersects(&others, cpus))
		*reason = NOT_EXCLUSIVE;
	if (strcmp(partition, MEMBER) != 0 && !strchr(partition, ' '))
		cpuset_remove_all(root, &others);
	return 0;
}

/* Writes the kind of partition of a group with these CPUs and, if the partition is invalid, the
 * reason. A valid partition leaves an online CPU to the root. */
static int write_partition(const struct sysfs_place *place, const char *kind,
			   const struct cpuset *cpus)
{
	_cleanup_free_ char *groups = NULL, *text = NULL;
	_cleanup_cpuset_ struct cpuset root = { 0 };
	struct buffer names = { 0 };
	const char *reason = "";
	int err = list_groups(place, &names);
	size_t length;
	char *rest;

	rest = groups = buffer_steal(&names, &length);
	if (err || !groups)
		return err ? err : -ENOMEM;
	for (uint32_t cpu = 0; cpu < place->platform->n_cpus; cpu++) {
		if (place->state->cpus[cpu].online && cpuset_add(&root, cpu) < 0)
			return -ENOMEM;
	}
	cpuset_remove_all(&root, cpus);
	for (char *name = strsep(&rest, "\n"); name && *name; name = strsep(&rest, "\n")) {
		if (strcmp(name, place->name) != 0)
			err = compare_group(place, name, cpus, &root, &reason);
		if (err)
			return err;
	}
	if (cpuset_is_empty(cpus))
		reason = EMPTY;
	else if (*reason == '\0' && cpuset_is_empty(&root))
		reason = NO_CPU_LEFT;
	text = text_format("%s%s", kind, reason);
	return text ? write_setting(place, place->name, PARTITION, text) : -ENOMEM;
}

static int store_cpus(const struct sysfs_place *place, const char *text)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_free_ char *list = NULL, *kind = NULL;
	int err = cpulist_parse(text, &cpus);

	if (err)
		return err;
	if (!cpuset_is_empty(&cpus) && cpuset_last(&cpus) >= place->platform->n_cpus)
		return -ERANGE;
	list = cpuset_format_ranges(&cpus);
	if (!list)
		return -ENOMEM;
	err = write_setting(place, place->name, CPUS, list);
	if (err)
		return err;
	err = read_setting(place, place->name, PARTITION, &kind);
	if (err || strcmp(kind, MEMBER) == 0)
		return err;
	/* A partition with another reason stays invalid until its file is written. */
	if (strchr(kind, ' ') && !strstr(kind, EMPTY))
		return 0;
	kind[strcspn(kind, " ")] = '\0';
	return write_partition(place, kind, &cpus);
}

static int store_partition(const struct sysfs_place *place, const char *text)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	int err;

	if (strcmp(text, MEMBER) == 0)
		return write_setting(place, place->name, PARTITION, MEMBER);
	if (strcmp(text, ISOLATED) != 0 && strcmp(text, "root") != 0)
		return -EINVAL;
	err = read_cpus(place, place->name, &cpus);
	return err ? err : write_partition(place, text, &cpus);
}

/* Files of the root. */

/* Only the cpuset controller can be switched here. */
static int store_subtree_control(const struct sysfs_place *place, const char *text)
{
	_cleanup_free_ char *path = path_of(place, ROOT_GROUP, "");
	bool enable = strcmp(text, "+" CPUSET) == 0;
	int err;

	if (!enable && strcmp(text, "-" CPUSET) != 0)
		return -EINVAL;
	err = path ? fileio_make_directories(path, 0700) : -ENOMEM;
	if (err)
		return err;
	return write_setting(place, ROOT_GROUP, SUBTREE_CONTROL,
			     enable ? CPUSET " " OTHERS_ENABLED : OTHERS_ENABLED);
}

static bool has_cpuset(const struct sysfs_place *place)
{
	_cleanup_free_ char *text = NULL;

	return read_setting(place, ROOT_GROUP, SUBTREE_CONTROL, &text) == 0 &&
	       strncmp(text, CPUSET, strlen(CPUSET)) == 0;
}

/* The CPUs of all valid isolated partitions. */
static int append_isolated(const struct sysfs_place *place, struct buffer *to)
{
	_cleanup_cpuset_ struct cpuset isolated = { 0 };
	_cleanup_buffer_ struct buffer names = { 0 };
	int err = list_groups(place, &names);
	char *rest = names.data;

	for (char *name = strsep(&rest, "\n"); !err && name && *name; name = strsep(&rest, "\n")) {
		_cleanup_cpuset_ struct cpuset cpus = { 0 };
		_cleanup_free_ char *partition = NULL;

		err = read_setting(place, name, PARTITION, &partition);
		if (!err && strcmp(partition, ISOLATED) == 0)
			err = read_cpus(place, name, &cpus) ?: cpuset_add_all(&isolated, &cpus);
	}
	cpuset_append_ranges(&isolated, to);
	return err;
}

/* Writes a setting of a recorded group, and makes the group. An existing setting stays. */
static bool take_setting(void *data, const char *path, const char *text)
{
	const struct sysfs_place place = { .state = data };
	_cleanup_free_ char *group = NULL, *directory = NULL, *kept = NULL;
	const char *name, *slash;

	if (strncmp(path, CGROUP_ROOT "/", strlen(CGROUP_ROOT "/")) != 0)
		return false;
	name = path + strlen(CGROUP_ROOT "/");
	slash = strchr(name, '/');
	if (slash ? strcmp(slash + 1, CPUS) != 0 && strcmp(slash + 1, PARTITION) != 0
		  : strcmp(name, SUBTREE_CONTROL) != 0)
		return true;
	group = slash ? strndup(name, (size_t)(slash - name)) : strdup(ROOT_GROUP);
	directory = group ? path_of(&place, group, "") : NULL;
	kept = group ? path_of(&place, group, slash ? slash + 1 : name) : NULL;
	if (directory && kept && !strstr(group, "..") && access(kept, F_OK) < 0 &&
	    fileio_make_directories(directory, 0700) == 0)
		fileio_replace(kept, 0600, text, strcspn(text, "\n"));
	return true;
}

void sysfs_cgroup_take_recorded(struct sim_state *state)
{
	recording_for_each(state->platform->recording, take_setting, state);
}

const struct sysfs_directory sysfs_cgroup[] = {
	{ CGROUP_ROOT,
	  SYSFS_FILES(
		  { "cgroup.controllers", .fixed = "cpuset cpu io memory hugetlb pids rdma misc" },
		  { "cpuset.cpus.isolated", .append = append_isolated },
		  { SUBTREE_CONTROL, .append = append_setting, .store = store_subtree_control }),
	  .make = make_group },
	{ CGROUP_ROOT "/*", .exists = has_group, .list = list_groups,
	  SYSFS_FILES({ CPUS, .append = append_setting, .store = store_cpus, .exists = has_cpuset },
		      { PARTITION, .append = append_setting, .store = store_partition,
			.exists = has_cpuset }),
	  .remove = remove_group },
	{ 0 },
};
