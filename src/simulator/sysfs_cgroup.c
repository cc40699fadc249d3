// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of control groups, version 2 (hardware.md, section 6; sysfs.md, "cgroup v2 cpuset").
 * The tree is read when one of them is asked for and saved where a write has changed it. A group
 * has cpuset files only where its parent enables that controller.
 */
#include "simulator/sysfs_cgroup.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "base/cleanup.h"
#include "simulator/sysfs_cgroup_files.h"
#include "simulator/sysfs_cpuset.h"
#include "simulator/sysfs_parse.h"

#define MOUNT_POINT "/sys/fs/cgroup"

/* One group's file is being used. */
struct access {
	struct sim_state *state;
	struct sysfs_cgroup *root;
	struct sysfs_cgroup *group;
};

struct cgroup_file {
	const char *name;
	bool in_root;
	bool in_others;
	int (*show)(const struct access *access, FILE *to);
	int (*store)(const struct access *access, const char *text); /* NULL: -EINVAL */
};

const char *sysfs_cgroup_path(const char *path)
{
	size_t length = strlen(MOUNT_POINT);

	if (strncmp(path, MOUNT_POINT, length) != 0 ||
	    (path[length] != '\0' && path[length] != '/'))
		return NULL;
	return path + length;
}

/* cgroup.* */

static int show_controllers(const struct access *access, FILE *to)
{
	sysfs_cgroup_tree_write_controllers(sysfs_cgroup_tree_controllers(access->group), to);
	fputc('\n', to);
	return 0;
}

static int show_subtree_control(const struct access *access, FILE *to)
{
	sysfs_cgroup_tree_write_controllers(access->group->enabled, to);
	fputc('\n', to);
	return 0;
}

/* Reads "+cpuset -cpu"; a name given twice counts as it is given last. */
static int parse_control(char *text, uint32_t *ret_enable, uint32_t *ret_disable)
{
	uint32_t enable = 0, disable = 0;
	char *word;

	while ((word = strsep(&text, " \n"))) {
		uint32_t controller = *word ? sysfs_cgroup_tree_controller(word + 1) : 0;

		if (*word == '\0')
			continue;
		if (!controller || (*word != '+' && *word != '-'))
			return -EINVAL;
		enable = *word == '+' ? enable | controller : enable & ~controller;
		disable = *word == '-' ? disable | controller : disable & ~controller;
	}
	*ret_enable = enable;
	*ret_disable = disable;
	return 0;
}

static int store_subtree_control(const struct access *access, const char *text)
{
	_cleanup_free_ char *copy = strdup(text);
	struct sysfs_cgroup *group = access->group, *child;
	uint32_t enable, disable;
	int err = copy ? parse_control(copy, &enable, &disable) : -ENOMEM;

	if (err)
		return err;
	if (enable & ~sysfs_cgroup_tree_controllers(group))
		return -ENOENT;
	for (child = group->children; child; child = child->next) {
		if (child->enabled & disable)
			return -EBUSY;
	}
	if (group->enabled & disable & SYSFS_CONTROLLER_CPUSET) {
		for (child = group->children; child; child = child->next)
			sysfs_cpuset_clear(child);
	}
	group->enabled = (group->enabled | enable) & ~disable;
	group->is_changed = true;
	return 0;
}

static int compare_pids(const void *left, const void *right)
{
	uint32_t first = *(const uint32_t *)left, second = *(const uint32_t *)right;

	return first < second ? -1 : first > second;
}

static int show_procs(const struct access *access, FILE *to)
{
	struct sysfs_cgroup *group = access->group;

	if (group->n_pids)
		qsort(group->pids, group->n_pids, sizeof(*group->pids), compare_pids);
	for (size_t i = 0; i < group->n_pids; i++)
		fprintf(to, "%" PRIu32 "\n", group->pids[i]);
	return 0;
}

/* Only looks whether there is such a process: nothing happens to it. */
static int store_procs(const struct access *access, const char *text)
{
	bool needs_cpu = sysfs_cgroup_tree_controllers(access->group) & SYSFS_CONTROLLER_CPUSET;
	char word[SYSFS_WORD_SIZE];
	uint64_t pid;

	if (sysfs_parse_word(text, SYSFS_WORD_SIZE - 1, word) < 0 ||
	    sysfs_parse_unsigned(word, 0, INT32_MAX, &pid) < 0)
		return -EINVAL;
	if (pid == 0)
		pid = (uint64_t)getpid();
	if (kill((pid_t)pid, 0) < 0 && errno == ESRCH)
		return -ESRCH;
	if (needs_cpu && cpuset_is_empty(&access->group->effective))
		return -ENOSPC;
	return sysfs_cgroup_tree_attach(access->root, access->group, (uint32_t)pid);
}

/* cpuset.* */

static int show_set(const struct cpuset *set, FILE *to)
{
	cpuset_write_ranges(set, to);
	fputc('\n', to);
	return 0;
}

static int show_cpus(const struct access *access, FILE *to)
{
	return show_set(&access->group->cpus, to);
}

static int store_cpus(const struct access *access, const char *text)
{
	return sysfs_cpuset_store_cpus(access->state, access->group, text);
}

static int show_effective(const struct access *access, FILE *to)
{
	return show_set(&access->group->effective, to);
}

static int show_exclusive(const struct access *access, FILE *to)
{
	return show_set(&access->group->exclusive, to);
}

static int store_exclusive(const struct access *access, const char *text)
{
	return sysfs_cpuset_store_exclusive(access->state, access->group, text);
}

static int show_exclusive_effective(const struct access *access, FILE *to)
{
	return show_set(&access->group->granted, to);
}

static int show_isolated(const struct access *access, FILE *to)
{
	_cleanup_cpuset_ struct cpuset set = { 0 };
	int err = sysfs_cpuset_collect_isolated(access->root, &set);

	return err ? err : show_set(&set, to);
}

static int show_partition(const struct access *access, FILE *to)
{
	const struct sysfs_cgroup *group = access->group;

	sysfs_cgroup_files_write_partition(group->partition, group->fault, to);
	if (sysfs_cpuset_is_suspended(access->state, group))
		fputs(" invalid", to);
	fputc('\n', to);
	return 0;
}

static int store_partition(const struct access *access, const char *text)
{
	return sysfs_cpuset_store_partition(access->state, access->group, text);
}

static const struct cgroup_file files[] = {
	{ "cgroup.controllers", true, true, show_controllers, NULL },
	{ "cgroup.procs", true, true, show_procs, store_procs },
	{ "cgroup.subtree_control", true, true, show_subtree_control, store_subtree_control },
	{ "cpuset.cpus", false, true, show_cpus, store_cpus },
	{ "cpuset.cpus.effective", true, true, show_effective, NULL },
	{ "cpuset.cpus.exclusive", false, true, show_exclusive, store_exclusive },
	{ "cpuset.cpus.exclusive.effective", false, true, show_exclusive_effective, NULL },
	{ "cpuset.cpus.isolated", true, false, show_isolated, NULL },
	{ "cpuset.cpus.partition", false, true, show_partition, store_partition },
};

static bool has_file(const struct sysfs_cgroup *group, const struct cgroup_file *file)
{
	if (!(group->parent ? file->in_others : file->in_root))
		return false;
	return strncmp(file->name, "cpuset.", strlen("cpuset.")) != 0 ||
	       (sysfs_cgroup_tree_controllers(group) & SYSFS_CONTROLLER_CPUSET);
}

static const struct cgroup_file *find_file(const struct sysfs_cgroup *group, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (strcmp(files[i].name, name) == 0 && has_file(group, &files[i]))
			return &files[i];
	}
	return NULL;
}

/* Where a path leads: a group, and what of the path is left, without slashes around it. */
static struct sysfs_cgroup *walk(struct sysfs_cgroup *group, const char *path,
				 const char **ret_rest)
{
	for (;;) {
		struct sysfs_cgroup *child;
		size_t length;

		path += strspn(path, "/");
		length = strcspn(path, "/");
		child = length ? sysfs_cgroup_tree_find(group, path, length) : NULL;
		if (!child)
			break;
		group = child;
		path += length;
	}
	*ret_rest = path;
	return group;
}

/* Reads the tree and finds what path names: a group, and in it a file or (NULL) the group itself.
 */
static int begin(struct sim_state *state, const char *path, struct access *ret_access,
		 const struct cgroup_file **ret_file)
{
	_cleanup_sysfs_cgroup_ struct sysfs_cgroup *root = NULL;
	const struct cgroup_file *file = NULL;
	struct sysfs_cgroup *group;
	const char *rest;
	int err = sysfs_cgroup_tree_load(state, &root);

	if (!err)
		err = sysfs_cpuset_update(state, root);
	if (err)
		return err;
	group = walk(root, path, &rest);
	if (*rest != '\0') {
		file = find_file(group, rest);
		if (!file)
			return -ENOENT;
	}
	*ret_file = file;
	*ret_access =
		(struct access){ .state = state, .root = steal_pointer(root), .group = group };
	return 0;
}

static void access_done(struct access *access)
{
	sysfs_cgroup_tree_free(&access->root);
}

int sysfs_cgroup_read(struct sim_state *state, const char *path, FILE *to)
{
	_cleanup_(access_done) struct access access = { 0 };
	const struct cgroup_file *file;
	int err = begin(state, path, &access, &file);

	if (err)
		return err;
	return file ? file->show(&access, to) : -EISDIR;
}

int sysfs_cgroup_write(struct sim_state *state, const char *path, const char *text)
{
	_cleanup_(access_done) struct access access = { 0 };
	const struct cgroup_file *file;
	int err = begin(state, path, &access, &file);

	if (err)
		return err;
	if (!file)
		return -EISDIR;
	if (!file->store)
		return -EINVAL;
	if (*text == '\0')
		return 0;
	err = file->store(&access, text);
	return err ? err : sysfs_cgroup_tree_save(state, access.root);
}

int sysfs_cgroup_list(struct sim_state *state, const char *path, struct sysfs_names *names)
{
	_cleanup_(access_done) struct access access = { 0 };
	const struct sysfs_cgroup *child;
	const struct cgroup_file *file;
	int err = begin(state, path, &access, &file);

	if (err)
		return err;
	if (file)
		return -ENOTDIR;
	for (size_t i = 0; i < ARRAY_SIZE(files) && !err; i++) {
		if (has_file(access.group, &files[i]))
			err = sysfs_names_add(names, files[i].name);
	}
	for (child = access.group->children; child && !err; child = child->next)
		err = sysfs_names_add(names, child->name);
	return err;
}

/* Is name one that a new group can have? */
static int check_name(const char *name)
{
	size_t length = strcspn(name, "/");

	if (length == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return -EEXIST;
	if (name[length + strspn(name + length, "/")] != '\0')
		return -ENOENT;
	if (strchr(name, '\n'))
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (strncmp(files[i].name, name, length) == 0 && files[i].name[length] == '\0')
			return -EEXIST;
	}
	return 0;
}

int sysfs_cgroup_make(struct sim_state *state, const char *path)
{
	_cleanup_sysfs_cgroup_ struct sysfs_cgroup *root = NULL;
	const struct sysfs_cgroup *parent;
	_cleanup_free_ char *name = NULL;
	const char *rest;
	int err = sysfs_cgroup_tree_load(state, &root);

	if (err)
		return err;
	parent = walk(root, path, &rest);
	err = check_name(rest);
	if (err)
		return err;
	name = strndup(rest, strcspn(rest, "/"));
	return name ? sysfs_cgroup_tree_make(state, parent, name) : -ENOMEM;
}

int sysfs_cgroup_remove(struct sim_state *state, const char *path)
{
	_cleanup_(access_done) struct access access = { 0 };
	const struct cgroup_file *file;
	int err = begin(state, path, &access, &file);

	if (err)
		return err;
	if (file)
		return -ENOTDIR;
	if (!access.group->parent || access.group->children || access.group->n_pids)
		return -EBUSY;
	return sysfs_cgroup_tree_remove(state, access.group);
}
