// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups on disk: a directory each, with a file for each setting that differs from that of a new
 * group, named as the kernel names the setting. All of it is read and written under the state's
 * lock, by descriptor, following no link.
 */
#include "simulator/sysfs_cgroup_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "simulator/sysfs_cgroup_files.h"

#define TREE_NAME "cgroup"

/* What an init system has usually enabled: cpuset is not among it. */
#define ENABLED_AT_BOOT (SYSFS_CONTROLLER_CPU | SYSFS_CONTROLLER_MEMORY | SYSFS_CONTROLLER_PIDS)

const char *const sysfs_cgroup_tree_partitions[3] = {
	[SYSFS_PARTITION_MEMBER] = "member",
	[SYSFS_PARTITION_ROOT] = "root",
	[SYSFS_PARTITION_ISOLATED] = "isolated",
};

static const char *const controller_names[] = { "cpuset",  "cpu",  "io",   "memory",
						"hugetlb", "pids", "rdma", "misc" };

uint32_t sysfs_cgroup_tree_controller(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(controller_names); i++) {
		if (strcmp(controller_names[i], name) == 0)
			return 1U << i;
	}
	return 0;
}

void sysfs_cgroup_tree_write_controllers(uint32_t controllers, FILE *to)
{
	const char *separator = "";

	for (size_t i = 0; i < ARRAY_SIZE(controller_names); i++) {
		if (!(controllers >> i & 1))
			continue;
		fprintf(to, "%s%s", separator, controller_names[i]);
		separator = " ";
	}
}

uint32_t sysfs_cgroup_tree_controllers(const struct sysfs_cgroup *group)
{
	return group->parent ? group->parent->enabled : SYSFS_CONTROLLERS;
}

static void free_group(struct sysfs_cgroup *group)
{
	while (group->children) {
		struct sysfs_cgroup *child = group->children;

		group->children = child->next;
		free_group(child);
	}
	cpuset_done(&group->cpus);
	cpuset_done(&group->exclusive);
	cpuset_done(&group->granted);
	cpuset_done(&group->effective);
	free(group->pids);
	free(group->name);
	free(group);
}

void sysfs_cgroup_tree_free(struct sysfs_cgroup **root)
{
	if (*root)
		free_group(*root);
	*root = NULL;
}

/* Makes a group with the settings of a new one and puts it among its parent's. */
static struct sysfs_cgroup *new_group(struct sysfs_cgroup *parent, const char *name)
{
	struct sysfs_cgroup *group = calloc(1, sizeof(*group));

	if (!group)
		return NULL;
	group->name = strdup(name);
	if (!group->name) {
		free(group);
		return NULL;
	}
	group->parent = parent;
	if (parent) {
		group->next = parent->children;
		parent->children = group;
	} else {
		group->enabled = ENABLED_AT_BOOT;
	}
	return group;
}

static void cleanup_closedir(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

static int open_directory(int parent_fd, const char *name)
{
	int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int load_group(int fd, struct sysfs_cgroup *group);

/* Reads the group in directory name, if that is one: settings are files. */
static int load_child(int parent_fd, const char *name, struct sysfs_cgroup *parent)
{
	_cleanup_close_ int fd = open_directory(parent_fd, name);
	struct sysfs_cgroup *child;

	if (fd == -ENOTDIR || fd == -ELOOP)
		return 0;
	if (fd < 0)
		return fd;
	child = new_group(parent, name);
	return child ? load_group(fd, child) : -ENOMEM;
}

static int load_group(int fd, struct sysfs_cgroup *group)
{
	_cleanup_(cleanup_closedir) DIR *directory = NULL;
	_cleanup_close_ int copy = open_directory(fd, ".");
	const struct dirent *entry;
	int err = copy < 0 ? copy : sysfs_cgroup_files_load(fd, group);

	if (err)
		return err;
	directory = fdopendir(copy);
	if (!directory)
		return -errno;
	copy = -1; /* closedir() closes it */
	while (!err && (errno = 0, entry = readdir(directory))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			err = load_child(fd, entry->d_name, group);
	}
	return err ? err : -errno;
}

static int open_tree(const struct sim_state *state)
{
	if (mkdirat(state->directory_fd, TREE_NAME, 0700) < 0 && errno != EEXIST)
		return -errno;
	return open_directory(state->directory_fd, TREE_NAME);
}

int sysfs_cgroup_tree_load(struct sim_state *state, struct sysfs_cgroup **ret_root)
{
	_cleanup_sysfs_cgroup_ struct sysfs_cgroup *root = NULL;
	_cleanup_close_ int fd = open_tree(state);
	int err;

	if (fd < 0)
		return fd;
	root = new_group(NULL, TREE_NAME);
	if (!root)
		return -ENOMEM;
	err = load_group(fd, root);
	if (!err)
		*ret_root = steal_pointer(root);
	return err;
}

/* Opens the directory of a group, step by step from the state directory. */
static int open_group(const struct sim_state *state, const struct sysfs_cgroup *group)
{
	_cleanup_close_ int parent_fd = -1;

	if (!group->parent)
		return open_tree(state);
	parent_fd = open_group(state, group->parent);
	return parent_fd < 0 ? parent_fd : open_directory(parent_fd, group->name);
}

int sysfs_cgroup_tree_save(struct sim_state *state, struct sysfs_cgroup *root)
{
	int err = 0;

	if (root->is_changed) {
		_cleanup_close_ int fd = open_group(state, root);

		err = fd < 0 ? fd : sysfs_cgroup_files_save(fd, root);
		root->is_changed = false;
	}
	for (struct sysfs_cgroup *child = root->children; child && !err; child = child->next)
		err = sysfs_cgroup_tree_save(state, child);
	return err;
}

struct sysfs_cgroup *sysfs_cgroup_tree_find(struct sysfs_cgroup *parent, const char *name,
					    size_t length)
{
	for (struct sysfs_cgroup *child = parent->children; child; child = child->next) {
		if (strncmp(child->name, name, length) == 0 && child->name[length] == '\0')
			return child;
	}
	return NULL;
}

int sysfs_cgroup_tree_make(struct sim_state *state, const struct sysfs_cgroup *parent,
			   const char *name)
{
	_cleanup_close_ int fd = open_group(state, parent);

	if (fd < 0)
		return fd;
	return mkdirat(fd, name, 0700) < 0 ? -errno : 0;
}

int sysfs_cgroup_tree_remove(struct sim_state *state, const struct sysfs_cgroup *group)
{
	_cleanup_close_ int parent_fd = open_group(state, group->parent);
	_cleanup_close_ int fd = parent_fd < 0 ? parent_fd : open_directory(parent_fd, group->name);
	int err = fd < 0 ? fd : sysfs_cgroup_files_remove(fd);

	if (!err && unlinkat(parent_fd, group->name, AT_REMOVEDIR) < 0)
		err = -errno;
	return err;
}

static void detach(struct sysfs_cgroup *group, uint32_t pid)
{
	for (size_t i = 0; i < group->n_pids; i++) {
		if (group->pids[i] != pid)
			continue;
		group->pids[i] = group->pids[--group->n_pids];
		group->is_changed = true;
		break;
	}
	for (struct sysfs_cgroup *child = group->children; child; child = child->next)
		detach(child, pid);
}

int sysfs_cgroup_tree_attach(struct sysfs_cgroup *root, struct sysfs_cgroup *group, uint32_t pid)
{
	uint32_t *pids;

	detach(root, pid);
	if (!group->parent) /* where all processes are that are nowhere else */
		return 0;
	pids = realloc(group->pids, (group->n_pids + 1) * sizeof(*pids));
	if (!pids)
		return -ENOMEM;
	group->pids = pids;
	group->pids[group->n_pids++] = pid;
	group->is_changed = true;
	return 0;
}
