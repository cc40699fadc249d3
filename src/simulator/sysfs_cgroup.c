// SPDX-License-Identifier: GPL-2.0-only
/* Control groups, version 2, directly below /sys/fs/cgroup, and the rules by which a partition is
 * valid (hardware.md, section 6; sysfs.md, "cgroup v2 cpuset"). A group is a directory below
 * cgroup/ in the state directory, with a file for each setting that was made. No process is in any
 * group. */
#include "simulator/sysfs_tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/cpuset.h"
#include "base/fileio.h"

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

struct group {
	char *name;
	struct cpuset cpus;
	char partition[96]; /* a word, and the reason if it is invalid */
};

struct groups {
	struct group *groups;
	size_t count;
};

#define _cleanup_groups_ __attribute__((cleanup(groups_done)))

static void groups_done(struct groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		cpuset_done(&groups->groups[i].cpus);
		free(groups->groups[i].name);
	}
	free(groups->groups);
}

/* The directories and files that keep the groups. */

/* Returns a new path in the state directory, or NULL. file may be "". */
static char *path_of(const struct sim_state *state, const char *group, const char *file)
{
	char *path;

	if (asprintf(&path, "%s/cgroup/%s/%s", state->directory, group, file) < 0)
		return NULL;
	return path;
}

/* Reads a setting; fallback if it was never made. */
static int read_setting(const struct sim_state *state, const char *group, const char *file,
			const char *fallback, char **ret_text)
{
	_cleanup_free_ char *path = path_of(state, group, file);
	size_t length;
	int err;

	if (!path)
		return -ENOMEM;
	err = fileio_read_trusted(path, MAX_BYTES, ret_text, &length);
	if (err != -ENOENT)
		return err;
	*ret_text = strdup(fallback);
	return *ret_text ? 0 : -ENOMEM;
}

static int write_setting(const struct sim_state *state, const char *group, const char *file,
			 const char *text)
{
	_cleanup_free_ char *path = path_of(state, group, file);

	return path ? fileio_replace(path, 0600, text, strlen(text)) : -ENOMEM;
}

static int append_setting(const struct sim_state *state, const char *group, const char *file,
			  const char *fallback, struct buffer *to)
{
	_cleanup_free_ char *text = NULL;
	int err = read_setting(state, group, file, fallback, &text);

	if (err)
		return err;
	buffer_append_string(to, text);
	return 0;
}

/* Makes the directory of all groups. */
static int make_tree(const struct sim_state *state)
{
	_cleanup_free_ char *path = path_of(state, ROOT_GROUP, "");

	return path ? fileio_make_directories(path, 0700) : -ENOMEM;
}

static bool is_dot(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool is_group(const struct sim_state *state, const char *name)
{
	_cleanup_free_ char *path = path_of(state, name, "");

	return path && !is_dot(name) && access(path, F_OK) == 0;
}

static int add_group(const struct sim_state *state, const char *name, struct groups *groups)
{
	_cleanup_free_ char *cpus = NULL, *partition = NULL;
	struct group *group = realloc(groups->groups, (groups->count + 1) * sizeof(*group));
	int err;

	if (!group)
		return -ENOMEM;
	groups->groups = group;
	group += groups->count;
	*group = (struct group){ .name = strdup(name) };
	if (!group->name)
		return -ENOMEM;
	groups->count++;
	err = read_setting(state, name, CPUS, "", &cpus);
	if (err)
		return err;
	err = read_setting(state, name, PARTITION, MEMBER, &partition);
	if (err)
		return err;
	snprintf(group->partition, sizeof(group->partition), "%s", partition);
	return cpulist_parse(cpus, &group->cpus);
}

static void cleanup_closedir(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

/* Adds all groups to the empty ret_groups, also some of them on failure. */
static int load_groups(const struct sim_state *state, struct groups *ret_groups)
{
	_cleanup_free_ char *path = path_of(state, ROOT_GROUP, "");
	_cleanup_(cleanup_closedir) DIR *directory = path ? opendir(path) : NULL;
	const struct dirent *entry;

	if (!path)
		return -ENOMEM;
	if (!directory)
		return errno == ENOENT ? 0 : -errno;
	while ((errno = 0, entry = readdir(directory))) {
		int err = is_group(state, entry->d_name)
				  ? add_group(state, entry->d_name, ret_groups)
				  : 0;

		if (err)
			return err;
	}
	return -errno;
}

static int save_group(const struct sim_state *state, const struct group *group)
{
	_cleanup_free_ char *cpus = cpuset_format_ranges(&group->cpus);
	int err;

	if (!cpus)
		return -ENOMEM;
	err = write_setting(state, group->name, CPUS, cpus);
	if (err)
		return err;
	return write_setting(state, group->name, PARTITION, group->partition);
}

/* Validity of partitions. */

static bool is_valid(const struct group *group)
{
	return strcmp(group->partition, MEMBER) != 0 && !strchr(group->partition, ' ');
}

static void set_reason(struct group *group, const char *reason)
{
	size_t length = strcspn(group->partition, " ");

	snprintf(group->partition + length, sizeof(group->partition) - length, "%s", reason);
}

static bool intersect(const struct group *left, const struct group *right)
{
	cpuset_foreach (cpu, &left->cpus) {
		if (cpuset_has(&right->cpus, cpu))
			return true;
	}
	return false;
}

/* Finds out whether a partition is valid: it must leave an online CPU to the root. */
static int judge(const struct sim_state *state, const struct groups *groups, struct group *group)
{
	_cleanup_cpuset_ struct cpuset rest = { 0 };
	const char *reason = "";

	for (uint32_t cpu = 0; cpu < state->platform->n_cpus; cpu++) {
		if (state->cpus[cpu].online && cpuset_add(&rest, cpu) < 0)
			return -ENOMEM;
	}
	for (size_t i = 0; i < groups->count; i++) {
		const struct group *other = &groups->groups[i];

		if (other == group || is_valid(other))
			cpuset_remove_all(&rest, &other->cpus);
		if (other != group && intersect(other, group))
			reason = NOT_EXCLUSIVE;
	}
	if (cpuset_is_empty(&group->cpus))
		reason = EMPTY;
	else if (*reason == '\0' && cpuset_is_empty(&rest))
		reason = NO_CPU_LEFT;
	set_reason(group, reason);
	return 0;
}

/* Files of a group. */

/* Reads all groups and finds that of place. */
static int find_group(const struct sysfs_place *place, struct groups *ret_groups,
		      struct group **ret_group)
{
	int err = load_groups(place->state, ret_groups);

	if (err)
		return err;
	for (size_t i = 0; i < ret_groups->count; i++) {
		if (strcmp(ret_groups->groups[i].name, place->name) == 0) {
			*ret_group = &ret_groups->groups[i];
			return 0;
		}
	}
	return -ENOENT;
}

static int append_cpus(const struct sysfs_place *place, struct buffer *to)
{
	return append_setting(place->state, place->name, CPUS, "", to);
}

static int parse_cpus(const struct sysfs_place *place, const char *text, struct cpuset *ret_cpus)
{
	uint32_t last;
	int err = cpulist_parse(text, ret_cpus);

	if (err)
		return err;
	last = cpuset_last(ret_cpus);
	return last != CPUSET_NONE && last >= sysfs_platform(place)->n_cpus ? -ERANGE : 0;
}

/* The partitions of other groups that share CPUs with this one become invalid. */
static int break_others(const struct sim_state *state, const struct groups *groups,
			const struct group *group)
{
	for (size_t i = 0; i < groups->count; i++) {
		struct group *other = &groups->groups[i];
		int err;

		if (other == group || !is_valid(other) || !intersect(other, group))
			continue;
		set_reason(other, NOT_EXCLUSIVE);
		err = save_group(state, other);
		if (err)
			return err;
	}
	return 0;
}

/* A partition that is invalid for another reason than missing CPUs stays so until its file is
 * written again. */
static int store_cpus(const struct sysfs_place *place, const char *text)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_groups_ struct groups groups = { 0 };
	struct group *group;
	int err = parse_cpus(place, text, &cpus);

	if (err)
		return err;
	err = find_group(place, &groups, &group);
	if (err)
		return err;
	if (cpuset_copy(&group->cpus, &cpus) < 0)
		return -ENOMEM;
	if (is_valid(group) || strstr(group->partition, EMPTY)) {
		err = judge(place->state, &groups, group);
		if (err)
			return err;
	}
	err = break_others(place->state, &groups, group);
	if (err)
		return err;
	return save_group(place->state, group);
}

static int append_partition(const struct sysfs_place *place, struct buffer *to)
{
	return append_setting(place->state, place->name, PARTITION, MEMBER, to);
}

static int store_partition(const struct sysfs_place *place, const char *text)
{
	_cleanup_groups_ struct groups groups = { 0 };
	bool is_member = strcmp(text, MEMBER) == 0;
	struct group *group;
	int err;

	if (!is_member && strcmp(text, ISOLATED) != 0 && strcmp(text, "root") != 0)
		return -EINVAL;
	err = find_group(place, &groups, &group);
	if (err)
		return err;
	snprintf(group->partition, sizeof(group->partition), "%s", text);
	if (!is_member) {
		err = judge(place->state, &groups, group);
		if (err)
			return err;
	}
	return save_group(place->state, group);
}

/* Files of the root. */

static int append_subtree_control(const struct sysfs_place *place, struct buffer *to)
{
	return append_setting(place->state, ROOT_GROUP, SUBTREE_CONTROL, OTHERS_ENABLED, to);
}

/* Only the cpuset controller can be switched here. */
static int store_subtree_control(const struct sysfs_place *place, const char *text)
{
	bool enable = strcmp(text, "+" CPUSET) == 0;
	int err;

	if (!enable && strcmp(text, "-" CPUSET) != 0)
		return -EINVAL;
	err = make_tree(place->state);
	if (err)
		return err;
	return write_setting(place->state, ROOT_GROUP, SUBTREE_CONTROL,
			     enable ? CPUSET " " OTHERS_ENABLED : OTHERS_ENABLED);
}

static int append_isolated(const struct sysfs_place *place, struct buffer *to)
{
	_cleanup_groups_ struct groups groups = { 0 };
	_cleanup_cpuset_ struct cpuset isolated = { 0 };
	int err = load_groups(place->state, &groups);

	for (size_t i = 0; i < groups.count && !err; i++) {
		if (strcmp(groups.groups[i].partition, ISOLATED) == 0)
			err = cpuset_add_all(&isolated, &groups.groups[i].cpus);
	}
	if (err)
		return err;
	cpuset_append_ranges(&isolated, to);
	return 0;
}

/* Directories. */

static bool has_group(struct sysfs_place *place)
{
	return is_group(place->state, place->name);
}

static int list_groups(const struct sysfs_place *place, struct buffer *names)
{
	_cleanup_groups_ struct groups groups = { 0 };
	int err = load_groups(place->state, &groups);

	for (size_t i = 0; i < groups.count && !err; i++)
		sysfs_append(names, "%s\n", groups.groups[i].name);
	return err;
}

static bool has_cpuset(const struct sysfs_place *place)
{
	_cleanup_free_ char *text = NULL;

	return read_setting(place->state, ROOT_GROUP, SUBTREE_CONTROL, "", &text) == 0 &&
	       strncmp(text, CPUSET, strlen(CPUSET)) == 0;
}

static int make_group(const struct sysfs_place *place, const char *name)
{
	_cleanup_free_ char *path = path_of(place->state, name, "");
	int err = path ? make_tree(place->state) : -ENOMEM;

	if (err)
		return err;
	if (strchr(name, '\n'))
		return -EINVAL;
	return mkdir(path, 0700) < 0 ? -errno : 0;
}

static int remove_group(const struct sysfs_place *place)
{
	_cleanup_free_ char *path = path_of(place->state, place->name, "");
	_cleanup_(cleanup_closedir) DIR *directory = path ? opendir(path) : NULL;
	const struct dirent *entry;

	if (!path)
		return -ENOMEM;
	if (!directory)
		return -errno;
	while ((entry = readdir(directory))) {
		if (!is_dot(entry->d_name) && unlinkat(dirfd(directory), entry->d_name, 0) < 0)
			return -errno;
	}
	return rmdir(path) < 0 ? -errno : 0;
}

static const struct sysfs_attribute root_attributes[] = {
	{ .name = "cgroup.controllers", .fixed = "cpuset cpu io memory hugetlb pids rdma misc" },
	{ .name = SUBTREE_CONTROL,
	  .append = append_subtree_control,
	  .store = store_subtree_control },
	{ .name = "cpuset.cpus.isolated", .append = append_isolated },
	{ 0 },
};

static const struct sysfs_attribute group_attributes[] = {
	{ .name = CPUS, .append = append_cpus, .store = store_cpus, .exists = has_cpuset },
	{ .name = PARTITION,
	  .append = append_partition,
	  .store = store_partition,
	  .exists = has_cpuset },
	{ 0 },
};

const struct sysfs_directory sysfs_cgroup[] = {
	{ .path = CGROUP_ROOT, .attributes = root_attributes, .make = make_group },
	{ .path = CGROUP_ROOT "/*",
	  .exists = has_group,
	  .list = list_groups,
	  .attributes = group_attributes,
	  .remove = remove_group },
	{ 0 },
};
