// SPDX-License-Identifier: GPL-2.0-only
/*
 * A group is changed only while it is no partition, and made one afterwards: so each step, and each
 * step undone, meets the kernel in a state that it takes as a whole (sysfs.md, "cgroup v2 cpuset":
 * a partition whose CPUs were wrong once does not recover by itself). All is read before a step is
 * added.
 */
#include "plan/cgroup.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

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
#define NO_CPUS           "\n" /* an empty write would do nothing */

/* A group as it is. */
struct group {
	struct plan_subject subject;
	bool exists;
	char *directory;
	char *cpus_path;
	char *partition_path;
	char *cpus; /* NULL: it has no such file */
	char *partition;
};

static void group_done(struct group *group)
{
	free(group->directory);
	free(group->cpus_path);
	free(group->partition_path);
	free(group->cpus);
	free(group->partition);
}

/* Is word among the words of text? */
static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
		bool begins = at == text || isspace((unsigned char)at[-1]);

		if (begins && (at[length] == '\0' || isspace((unsigned char)at[length])))
			return true;
	}
	return false;
}

/* As files_read_line(), but a file that is not there gives NULL. */
static int read_optional(struct files *files, const char *path, char **ret_text)
{
	char *text = NULL;
	int err = files_read_line(files, path, &text);

	if (err && err != -ENOENT)
		return err;
	*ret_text = err ? NULL : text;
	return 0;
}

/* Does a version 1 hierarchy have the controller? Its line is "cpuset", the hierarchy's number...
 */
static bool is_bound_to_v1(const char *hierarchies)
{
	const char *line = strstr(hierarchies, "\n" CPUSET "\t");

	return line && strtoul(line + strlen("\n" CPUSET "\t"), NULL, 10) != 0;
}

int cgroup_check(struct files *files, const char **ret_problem)
{
	_cleanup_free_ char *controllers = NULL, *hierarchies = NULL;
	int err = read_optional(files, CONTROLLERS, &controllers);

	if (err || (controllers && has_word(controllers, CPUSET)))
		return err;
	err = read_optional(files, HIERARCHIES, &hierarchies);
	if (err)
		return err;
	if (hierarchies && is_bound_to_v1(hierarchies))
		*ret_problem = "the cpuset controller belongs to cgroup version 1 on this system, "
			       "so that cgroup version 2 cannot isolate CPUs";
	else if (!controllers)
		*ret_problem = "cgroup version 2 is not mounted at " CGROUP_ROOT;
	else
		*ret_problem = "cgroup version 2 has no cpuset controller on this system";
	return -ENOTSUP;
}

/* Is it the name of a group of ours: PACKAGE-DIE-POWER_DOMAIN? */
static bool is_ours(const char *name)
{
	uint32_t package, die, power_domain;
	int length = 0;

	return sscanf(name, "%" SCNu32 "-%" SCNu32 "-%" SCNu32 "%n", &package, &die, &power_domain,
		      &length) == 3 &&
	       name[length] == '\0';
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

/* The CPUs that a group has for itself; none where it is no valid partition, or no group at all. */
static int read_taken(struct files *files, const char *name, struct cpuset *ret_cpus)
{
	_cleanup_free_ char *partition_path = NULL, *cpus_path = NULL, *partition = NULL;
	int err;

	if (asprintf(&partition_path, CGROUP_ROOT "/%s/" PARTITION_FILE, name) < 0)
		partition_path = NULL;
	if (asprintf(&cpus_path, CGROUP_ROOT "/%s/" CPUS_FILE, name) < 0)
		cpus_path = NULL;
	if (!partition_path || !cpus_path)
		return -ENOMEM;
	err = files_read_line(files, partition_path, &partition);
	if (err == -ENOENT || err == -ENOTDIR)
		return 0;
	if (err || (strcmp(partition, ISOLATED) != 0 && strcmp(partition, ISOLATED_FALLBACK) != 0))
		return err;
	return files_read_cpus(files, cpus_path, ret_cpus);
}

int cgroup_find_taken(struct files *files, const struct cpuset *cpus, uint32_t *ret_cpu)
{
	_cleanup_(files_free_names) char **names = NULL;
	uint32_t first = CPUSET_NONE;
	int err = files_list(files, CGROUP_ROOT, &names);

	for (size_t i = 0; !err && names[i]; i++) {
		_cleanup_cpuset_ struct cpuset taken = { 0 };

		if (is_ours(names[i]))
			continue;
		err = read_taken(files, names[i], &taken);
		if (err == -ENOENT) /* it went away meanwhile */
			err = 0;
		cpuset_keep(&taken, cpus);
		if (cpuset_next(&taken, 0) < first)
			first = cpuset_next(&taken, 0);
	}
	if (!err)
		*ret_cpu = first;
	return err;
}

static int name_paths(const struct cgroup_owner *owner, struct group *group)
{
	if (asprintf(&group->directory, CGROUP_ROOT "/%" PRIu32 "-%" PRIu32 "-%" PRIu32,
		     owner->package, owner->die, owner->power_domain) < 0)
		group->directory = NULL;
	if (group->directory && asprintf(&group->cpus_path, "%s/" CPUS_FILE, group->directory) < 0)
		group->cpus_path = NULL;
	if (group->cpus_path &&
	    asprintf(&group->partition_path, "%s/" PARTITION_FILE, group->directory) < 0)
		group->partition_path = NULL;
	return group->partition_path ? 0 : -ENOMEM;
}

/* Reads what there is of a group. group is empty, and to be released also on failure. */
static int read_group(struct files *files, const struct cgroup_owner *owner, struct group *group)
{
	_cleanup_(files_free_names) char **names = NULL;
	int err = name_paths(owner, group);

	group->subject = (struct plan_subject){
		.package = owner->package,
		.die = owner->die,
		.cpu = PLAN_NO_CPU,
	};
	if (err)
		return err;
	err = files_list(files, group->directory, &names);
	if (err)
		return err == -ENOENT ? 0 : err;
	group->exists = true;
	err = read_optional(files, group->cpus_path, &group->cpus);
	return err ?: read_optional(files, group->partition_path, &group->partition);
}

static bool is_partition(const struct group *group)
{
	return group->partition && strcmp(group->partition, MEMBER) != 0;
}

static bool plan_has(const struct plan *plan, const char *path)
{
	size_t count;
	const struct plan_step *steps = plan_steps(plan, &count);

	for (size_t i = 0; i < count; i++) {
		if (steps[i].write.kind == PLAN_FILE && strcmp(steps[i].write.path, path) == 0)
			return true;
	}
	return false;
}

/* Lets the groups below the root have cpuset files. */
static int add_controller(struct plan *plan, const char *controllers)
{
	const struct plan_write undo = {
		.kind = PLAN_FILE,
		.path = SUBTREE_CONTROL,
		.text = "-" CPUSET,
	};

	if (has_word(controllers, CPUSET) || plan_has(plan, SUBTREE_CONTROL))
		return 0;
	return plan_add(
		plan,
		&(struct plan_step){
			.subject = { .package = PLAN_NO_PACKAGE, .cpu = PLAN_NO_CPU },
			.what = "cgroup.subtree_control",
			.write = { .kind = PLAN_FILE, .path = SUBTREE_CONTROL, .text = "+" CPUSET },
			.old_text = controllers,
			.undo = &undo,
			.n_undo = 1,
		});
}

static int add_directory(struct plan *plan, const struct group *group, enum plan_kind kind)
{
	return plan_add(plan, &(struct plan_step){
				      .subject = group->subject,
				      .what = "control group",
				      .write = { .kind = kind, .path = group->directory },
				      .optional = kind == PLAN_REMOVE_DIRECTORY,
			      });
}

/* text: a list, or empty. */
static int add_cpus(struct plan *plan, const struct group *group, const char *text)
{
	const char *old_text = group->cpus ?: "";
	const struct plan_write undo = {
		.kind = PLAN_FILE,
		.path = group->cpus_path,
		.text = *old_text ? old_text : NO_CPUS,
	};

	return plan_add(plan, &(struct plan_step){
				      .subject = group->subject,
				      .what = CPUS_FILE,
				      .write = { .kind = PLAN_FILE,
						 .path = group->cpus_path,
						 .text = *text ? text : NO_CPUS },
				      .old_text = old_text,
				      .new_text = *text ? text : "none",
				      .undo = &undo,
				      .n_undo = 1,
				      .check.kind = PLAN_CHECK_TEXT,
			      });
}

/* old_text may have a reason behind the word: undoing writes the word alone. */
static int add_partition(struct plan *plan, const struct group *group, const char *old_text,
			 const char *text)
{
	_cleanup_free_ char *old_word = strndup(old_text, strcspn(old_text, " "));
	const struct plan_write undo = {
		.kind = PLAN_FILE,
		.path = group->partition_path,
		.text = old_word,
	};

	if (!old_word)
		return -ENOMEM;
	return plan_add(
		plan,
		&(struct plan_step){
			.subject = group->subject,
			.what = PARTITION_FILE,
			.write = { .kind = PLAN_FILE, .path = group->partition_path, .text = text },
			.fallback_text = strcmp(text, ISOLATED) == 0 ? ISOLATED_FALLBACK : NULL,
			.old_text = old_text,
			.undo = &undo,
			.n_undo = 1,
			.check.kind = PLAN_CHECK_TEXT,
		});
}

/* The steps for a group whose CPUs are to become those of the list. */
static int add_isolation(struct plan *plan, const struct group *group, const char *list)
{
	bool moves = !group->cpus || strcmp(group->cpus, list) != 0;
	const char *partition = group->partition ?: MEMBER;
	int err = 0;

	if (!moves && strcmp(partition, ISOLATED) == 0)
		return 0;
	if (!group->exists)
		err = add_directory(plan, group, PLAN_MAKE_DIRECTORY);
	if (!err && moves && is_partition(group)) {
		err = add_partition(plan, group, partition, MEMBER);
		partition = MEMBER;
	}
	if (!err && moves)
		err = add_cpus(plan, group, list);
	return err ?: add_partition(plan, group, partition, ISOLATED);
}

int cgroup_plan_isolate(struct plan *plan, const struct machine *machine,
			const struct cgroup_owner *owner, const struct cpuset *cpus)
{
	_cleanup_(group_done) struct group group = { 0 };
	_cleanup_free_ char *list = NULL, *controllers = NULL;
	struct files *files = machine->host->files;
	int err;

	if (cpuset_is_empty(cpus))
		return cgroup_plan_release(plan, machine, owner);
	list = cpuset_format_ranges(cpus);
	if (!list)
		return -ENOMEM;
	err = files_read_line(files, SUBTREE_CONTROL, &controllers);
	err = err ?: read_group(files, owner, &group);
	err = err ?: add_controller(plan, controllers);
	return err ?: add_isolation(plan, &group, list);
}

int cgroup_plan_release(struct plan *plan, const struct machine *machine,
			const struct cgroup_owner *owner)
{
	_cleanup_(group_done) struct group group = { 0 };
	int err = read_group(machine->host->files, owner, &group);

	if (err || !group.exists)
		return err;
	if (is_partition(&group))
		err = add_partition(plan, &group, group.partition, MEMBER);
	if (!err && group.cpus && *group.cpus)
		err = add_cpus(plan, &group, "");
	return err ?: add_directory(plan, &group, PLAN_REMOVE_DIRECTORY);
}
