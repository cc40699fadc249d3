// SPDX-License-Identifier: GPL-2.0-only
/* Plans isolation of CPUs in cgroup v2 cpuset partitions (sysfs.md, "cgroup v2 cpuset"). The CPUs
 * of a group change only while the group is not a partition. So the kernel accepts each change,
 * also when it is undone: a partition with wrong CPUs does not recover by itself. All files are
 * read before a change is added. */
#include "settings/cgroup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "host/target.h"
#include "settings/settings.h"

#define CGROUP_ROOT       "/sys/fs/cgroup"
#define CONTROLLERS       CGROUP_ROOT "/cgroup.controllers"
#define SUBTREE_CONTROL   CGROUP_ROOT "/cgroup.subtree_control"
#define HIERARCHIES       "/proc/cgroups"
#define CPUSET            "cpuset"
#define CPUS_FILE         "cpuset.cpus"
#define PARTITION_FILE    "cpuset.cpus.partition"
#define MEMBER            "member"
#define ISOLATED          "isolated"
#define ISOLATED_FALLBACK "root"
#define NO_CPUS           "\n" /* an empty write has no effect */

enum { PATH_SIZE = 96 };

/* The present state of a group. */
struct group {
	char selector[64]; /* of its power domain, for the change journal */
	struct location location;
	bool exists;
	char directory[PATH_SIZE];
	char cpus_path[PATH_SIZE];
	char partition_path[PATH_SIZE];
	char *cpus; /* NULL: no such file */
	char *partition;
};

static void group_done(struct group *group)
{
	free(group->cpus);
	free(group->partition);
}

/* Reads like files_read_line(), but sets *ret_text to NULL if the file does not exist. */
static int read_optional(struct files *files, const char *path, char **ret_text)
{
	char *text = NULL;
	int err = files_read_line(files, path, &text);

	if (err && err != -ENOENT)
		return err;
	*ret_text = err ? NULL : text;
	return 0;
}

int cgroup_check(struct files *files, const char **ret_problem)
{
	_cleanup_free_ char *controllers = NULL, *hierarchies = NULL;
	const char *line;
	int err = read_optional(files, CONTROLLERS, &controllers);

	if (err || files_has_word(controllers, CPUSET))
		return err;
	err = read_optional(files, HIERARCHIES, &hierarchies);
	if (err)
		return err;
	/* A line begins with the controller and the number of its version 1 hierarchy (0: none). */
	line = hierarchies ? strstr(hierarchies, "\n" CPUSET "\t") : NULL;
	if (line && strncmp(line + strlen("\n" CPUSET "\t"), "0\t", 2) != 0)
		*ret_problem = "the cpuset controller belongs to cgroup version 1 on this system, "
			       "so that cgroup version 2 cannot isolate CPUs";
	else if (!controllers)
		*ret_problem = "cgroup version 2 is not mounted at " CGROUP_ROOT;
	else
		*ret_problem = "cgroup version 2 has no cpuset controller on this system";
	return -ENOTSUP;
}

/* Returns true if name is that of a group of this program: PACKAGE-DIE-POWER_DOMAIN. */
static bool is_ours(const char *name)
{
	for (int part = 0; part < 3; part++) {
		size_t n_digits = strspn(name, "0123456789");

		if (n_digits == 0 || name[n_digits] != (part < 2 ? '-' : '\0'))
			return false;
		name += n_digits + 1;
	}
	return true;
}

int cgroup_has_groups(struct files *files)
{
	_cleanup_(files_free_names) char **names = NULL;
	int err = files_list(files, CGROUP_ROOT, &names);

	if (err)
		return err == -ENOENT ? 0 : err;
	for (size_t i = 0; names[i]; i++) {
		if (is_ours(names[i]))
			return 1;
	}
	return 0;
}

/* Reads the CPUs of a partition. Finds none if the group is not a valid partition, is no group at
 * all, or disappears. */
static int read_taken(struct files *files, const char *name, struct cpuset *ret_cpus)
{
	_cleanup_free_ char *path = text_format(CGROUP_ROOT "/%s/" PARTITION_FILE, name);
	_cleanup_free_ char *partition = NULL;
	int err = path ? files_read_line(files, path, &partition) : -ENOMEM;

	if (err == -ENOENT || err == -ENOTDIR)
		return 0;
	if (err || (strcmp(partition, ISOLATED) != 0 && strcmp(partition, ISOLATED_FALLBACK) != 0))
		return err;
	*strrchr(path, '.') = '\0'; /* cpuset.cpus */
	err = files_read_cpus(files, path, ret_cpus);
	return err == -ENOENT ? 0 : err;
}

/* Adds the CPUs in partitions of this program, or of other programs. */
static int add_taken(struct files *files, bool by_us, struct cpuset *cpus)
{
	_cleanup_(files_free_names) char **names = NULL;
	int err = files_list(files, CGROUP_ROOT, &names);

	for (size_t i = 0; !err && names[i]; i++) {
		_cleanup_cpuset_ struct cpuset taken = { 0 };

		if (is_ours(names[i]) != by_us)
			continue;
		err = read_taken(files, names[i], &taken);
		if (!err)
			err = cpuset_add_all(cpus, &taken);
	}
	return err;
}

int cgroup_find_taken(struct files *files, const struct cpuset *cpus, uint32_t *ret_cpu)
{
	_cleanup_cpuset_ struct cpuset taken = { 0 };
	int err = add_taken(files, false, &taken);

	if (err)
		return err;
	cpuset_keep(&taken, cpus);
	*ret_cpu = cpuset_next(&taken, 0);
	return 0;
}

int cgroup_read_isolated(struct files *files, struct cpuset *cpus)
{
	int err = add_taken(files, true, cpus);

	return err == -ENOENT || err == -ENOTDIR ? 0 : err;
}

/* Reads a group, if it exists. The caller must release group also on failure. */
static int read_group(struct files *files, const struct location *owner, struct group *group)
{
	_cleanup_(files_free_names) char **names = NULL;
	int err;

	*group = (struct group){
		.location = { .package = owner->package, .die = owner->die, .cpu = LOCATION_NO_CPU }
	};
	snprintf(group->selector, sizeof(group->selector),
		 "package-%" PRIu32 " die-%" PRIu32 " powerdomain-%" PRIu32, owner->package,
		 owner->die, owner->power_domain);
	snprintf(group->directory, PATH_SIZE, CGROUP_ROOT "/%" PRIu32 "-%" PRIu32 "-%" PRIu32,
		 owner->package, owner->die, owner->power_domain);
	snprintf(group->cpus_path, PATH_SIZE, "%.60s/" CPUS_FILE, group->directory);
	snprintf(group->partition_path, PATH_SIZE, "%.60s/" PARTITION_FILE, group->directory);
	err = files_list(files, group->directory, &names);
	if (err)
		return err == -ENOENT ? 0 : err;
	group->exists = true;
	err = read_optional(files, group->cpus_path, &group->cpus);
	if (err)
		return err;
	return read_optional(files, group->partition_path, &group->partition);
}

static bool is_partition(const struct group *group)
{
	return group->partition && strcmp(group->partition, MEMBER) != 0;
}

/* Adds a change that writes a file; undo_text restores the file. */
static int add_file(struct change_list *changes, struct change change, const char *undo_text)
{
	const struct change_undo undo = {
		.target = change.target,
		.value = { .text = undo_text },
	};

	change.has_old_value = true;
	change.undo = &undo;
	change.n_undo = 1;
	return change_list_add(changes, &change);
}

/* Adds the change that gives the groups below the root their cpuset files. */
static int add_controller(struct change_list *changes, const char *controllers)
{
	if (files_has_word(controllers, CPUSET))
		return 0;
	for (size_t i = 0; i < changes->n_changes; i++) {
		const char *path = changes->changes[i].target.path;

		if (path && strcmp(path, SUBTREE_CONTROL) == 0)
			return 0;
	}
	return add_file(
		changes,
		(struct change){
			.location = { .package = LOCATION_NO_PACKAGE, .cpu = LOCATION_NO_CPU },
			.what = "cgroup.subtree_control",
			.subject = subject_of_part(SETTING_OFFLINE_BY, SETTING_PART_CONTROLLERS),
			.target = file_target(SUBTREE_CONTROL, FILE_ANY),
			.value = { .text = "+" CPUSET },
			.old_value = { .text = controllers },
		},
		"-" CPUSET);
}

/* Makes or removes the group. */
static int add_directory(struct change_list *changes, const struct group *group, bool makes)
{
	return change_list_add(
		changes, &(struct change){
				 .location = group->location,
				 .what = "control group",
				 .subject = subject_of_part(SETTING_OFFLINE_BY, SETTING_PART_GROUP),
				 .selector = group->selector,
				 .target = directory_target(group->directory),
				 .value = { .number = makes },
				 .old_value = { .number = !makes },
				 .has_old_value = true,
				 .is_optional = !makes,
			 });
}

/* text: a CPU list, or empty. */
static int add_cpus(struct change_list *changes, const struct group *group, const char *text)
{
	const char *old_text = group->cpus ?: "";

	return add_file(changes,
			(struct change){
				.location = group->location,
				.what = CPUS_FILE,
				.subject = subject_of_part(SETTING_OFFLINE_BY, SETTING_PART_CPUS),
				.selector = group->selector,
				.target = file_target(group->cpus_path, FILE_TEXT),
				.value = { .text = *text ? text : NO_CPUS },
				.new_text = *text ? text : "none",
				.old_value = { .text = old_text },
			},
			*old_text ? old_text : NO_CPUS);
}

/* old_text may have a reason after the state; undoing writes only the state. */
static int add_partition(struct change_list *changes, const struct group *group,
			 const char *old_text, const char *text)
{
	_cleanup_free_ char *old_state = strndup(old_text, strcspn(old_text, " "));
	bool isolates = strcmp(text, ISOLATED) == 0;

	if (!old_state)
		return -ENOMEM;
	return add_file(changes,
			(struct change){
				.location = group->location,
				.what = PARTITION_FILE,
				.subject =
					subject_of_part(SETTING_OFFLINE_BY, SETTING_PART_PARTITION),
				.selector = group->selector,
				.target = file_target(group->partition_path, FILE_TEXT),
				.value = { .text = text },
				.fallback_text = isolates ? ISOLATED_FALLBACK : NULL,
				.old_value = { .text = old_text },
			},
			old_state);
}

int cgroup_plan_isolate(struct change_list *changes, const struct machine *machine,
			const struct location *owner, const struct cpuset *cpus)
{
	_cleanup_(group_done) struct group group = { 0 };
	_cleanup_free_ char *list = NULL, *controllers = NULL;
	struct files *files = machine->host->files;
	const char *partition;
	bool moves;
	int err;

	if (cpuset_is_empty(cpus))
		return cgroup_plan_release(changes, machine, owner);
	list = cpuset_format_ranges(cpus);
	if (!list)
		return -ENOMEM;
	err = files_read_line(files, SUBTREE_CONTROL, &controllers);
	if (!err)
		err = read_group(files, owner, &group);
	if (!err)
		err = add_controller(changes, controllers);
	if (err)
		return err;
	moves = !group.cpus || strcmp(group.cpus, list) != 0;
	partition = group.partition ?: MEMBER;
	if (!moves && strcmp(partition, ISOLATED) == 0)
		return 0;
	if (!group.exists)
		err = add_directory(changes, &group, true);
	if (!err && moves && is_partition(&group)) {
		err = add_partition(changes, &group, partition, MEMBER);
		partition = MEMBER;
	}
	if (!err && moves)
		err = add_cpus(changes, &group, list);
	return err ? err : add_partition(changes, &group, partition, ISOLATED);
}

int cgroup_plan_release(struct change_list *changes, const struct machine *machine,
			const struct location *owner)
{
	_cleanup_(group_done) struct group group = { 0 };
	int err = read_group(machine->host->files, owner, &group);

	if (err || !group.exists)
		return err;
	if (is_partition(&group))
		err = add_partition(changes, &group, group.partition, MEMBER);
	if (!err && group.cpus && *group.cpus)
		err = add_cpus(changes, &group, "");
	if (err)
		return err;
	return add_directory(changes, &group, false);
}
