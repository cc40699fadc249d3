// SPDX-License-Identifier: GPL-2.0-only
/*
 * Partitions as measured (sysfs.md, "cgroup v2 cpuset"). A partition takes its CPUs from its
 * parent, or, where the parent is none (a remote one), needs cpuset.cpus.exclusive all the way
 * down. One that does not hold stays asked for and says why; only some reasons go away by
 * themselves.
 */
#include "simulator/sysfs_cpuset.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cpulist.h"

static bool is_valid(const struct sysfs_cgroup *group)
{
	return group->partition != SYSFS_PARTITION_MEMBER && group->fault == SYSFS_PARTITION_VALID;
}

/* Can children take CPUs from it as partitions do? */
static bool is_partition_root(const struct sysfs_cgroup *group)
{
	return !group->parent || is_valid(group);
}

/* What it would take if it were a partition. */
static const struct cpuset *wanted(const struct sysfs_cgroup *group)
{
	return cpuset_is_empty(&group->exclusive) ? &group->cpus : &group->exclusive;
}

static bool intersect(const struct cpuset *left, const struct cpuset *right)
{
	for (size_t i = 0; i < left->n_words && i < right->n_words; i++) {
		if (left->words[i] & right->words[i])
			return true;
	}
	return false;
}

static bool is_subset(const struct cpuset *inner, const struct cpuset *outer)
{
	for (size_t i = 0; i < inner->n_words; i++) {
		if (inner->words[i] & ~(i < outer->n_words ? outer->words[i] : 0))
			return false;
	}
	return true;
}

/* The CPUs that a group may hand down as exclusive ones: fills the empty ret_set. */
static int find_distributable(const struct sim_state *state, const struct sysfs_cgroup *group,
			      struct cpuset *ret_set)
{
	int err;

	if (!group->parent) {
		err = 0;
		for (uint32_t cpu = 0; cpu < state->platform->n_cpus && !err; cpu++)
			err = cpuset_add(ret_set, cpu);
		return err;
	}
	if (is_valid(group))
		return cpuset_copy(ret_set, &group->granted);
	err = find_distributable(state, group->parent, ret_set);
	if (!err)
		cpuset_keep(ret_set, &group->exclusive);
	return err;
}

/* What a partition there would get: replaces ret_set. */
static int find_grant(const struct sim_state *state, const struct sysfs_cgroup *group,
		      struct cpuset *ret_set)
{
	cpuset_done(ret_set);
	if (find_distributable(state, group->parent, ret_set) < 0)
		return -ENOMEM;
	cpuset_keep(ret_set, is_partition_root(group->parent) ? wanted(group) : &group->exclusive);
	return 0;
}

/* Takes what the partitions below a group have out of set. */
static void remove_granted_below(const struct sysfs_cgroup *group, const struct sysfs_cgroup *but,
				 struct cpuset *set)
{
	for (const struct sysfs_cgroup *child = group->children; child; child = child->next) {
		if (child == but)
			continue;
		if (is_valid(child))
			cpuset_remove_all(set, &child->granted);
		remove_granted_below(child, but, set);
	}
}

static void remove_offline(const struct sim_state *state, struct cpuset *set)
{
	cpuset_foreach (cpu, set) {
		if (!state->cpus[cpu].online)
			cpuset_remove(set, cpu);
	}
}

static const struct sysfs_cgroup *find_root(const struct sysfs_cgroup *group)
{
	while (group->parent)
		group = group->parent;
	return group;
}

/* Would giver, which may have processes, be left without a CPU if group took grant? */
static int judge_rest(const struct sim_state *state, const struct sysfs_cgroup *giver,
		      const struct sysfs_cgroup *group, const struct cpuset *grant, bool *ret_empty)
{
	_cleanup_cpuset_ struct cpuset rest = { 0 };
	int err = find_distributable(state, giver, &rest);

	if (err)
		return err;
	remove_granted_below(giver, group, &rest);
	remove_offline(state, &rest);
	cpuset_remove_all(&rest, grant);
	*ret_empty = cpuset_is_empty(&rest) && (!giver->parent || giver->n_pids > 0);
	return 0;
}

static bool overlaps_sibling(const struct sysfs_cgroup *group)
{
	for (const struct sysfs_cgroup *other = group->parent->children; other;
	     other = other->next) {
		if (other != group && intersect(wanted(other), wanted(group)))
			return true;
	}
	return false;
}

/* Finds out whether the partition that a group asks for can hold. */
static int judge(const struct sim_state *state, const struct sysfs_cgroup *group,
		 enum sysfs_partition_fault *ret_fault)
{
	bool is_remote = !is_partition_root(group->parent), leaves_none = false;
	_cleanup_cpuset_ struct cpuset grant = { 0 };
	int err = find_grant(state, group, &grant);

	if (!err)
		err = judge_rest(state, is_remote ? find_root(group) : group->parent, group, &grant,
				 &leaves_none);
	if (err)
		return err;
	if (cpuset_is_empty(wanted(group)))
		*ret_fault = SYSFS_PARTITION_EMPTY;
	else if (overlaps_sibling(group))
		*ret_fault = SYSFS_PARTITION_NOT_EXCLUSIVE;
	else if (cpuset_is_empty(&grant) || (is_remote && leaves_none))
		*ret_fault = SYSFS_PARTITION_BAD_EXCLUSIVE;
	else
		*ret_fault = leaves_none ? SYSFS_PARTITION_NO_CPU_LEFT : SYSFS_PARTITION_VALID;
	return 0;
}

static void set_fault(struct sysfs_cgroup *group, enum sysfs_partition_fault fault)
{
	group->is_changed |= group->fault != fault;
	group->fault = fault;
}

static int judge_and_set(const struct sim_state *state, struct sysfs_cgroup *group)
{
	enum sysfs_partition_fault fault;
	int err = judge(state, group, &fault);

	if (!err)
		set_fault(group, fault);
	return err;
}

/* Settles one group after what is above it: does its partition still hold, and on what? */
static int settle(const struct sim_state *state, struct sysfs_cgroup *group)
{
	bool has_parent = is_partition_root(group->parent);
	int err = 0;

	if (group->fault == SYSFS_PARTITION_BAD_PARENT && has_parent)
		err = judge_and_set(state, group);
	if (!err)
		err = find_grant(state, group, &group->granted);
	if (!err && is_valid(group) && cpuset_is_empty(&group->granted))
		set_fault(group,
			  has_parent ? SYSFS_PARTITION_BAD_EXCLUSIVE : SYSFS_PARTITION_BAD_PARENT);
	if (!is_valid(group))
		cpuset_done(&group->granted);
	return err;
}

static int settle_below(const struct sim_state *state, struct sysfs_cgroup *group)
{
	int err = 0;

	for (struct sysfs_cgroup *child = group->children; child && !err; child = child->next) {
		err = settle(state, child);
		if (!err)
			err = settle_below(state, child);
	}
	return err;
}

bool sysfs_cpuset_is_suspended(const struct sim_state *state, const struct sysfs_cgroup *group)
{
	if (!is_valid(group) || group->n_pids == 0)
		return false;
	cpuset_foreach (cpu, &group->granted) {
		if (state->cpus[cpu].online)
			return false;
	}
	return true;
}

/* The CPUs that the processes of a group run on. */
static int find_effective(const struct sim_state *state, struct sysfs_cgroup *group)
{
	struct cpuset *effective = &group->effective;
	int err;

	cpuset_done(effective);
	if (group->parent && !is_valid(group)) {
		err = cpuset_copy(effective, &group->parent->effective);
		cpuset_keep(effective, &group->cpus);
	} else {
		err = find_distributable(state, group, effective);
		remove_granted_below(group, NULL, effective);
		remove_offline(state, effective);
	}
	if (err)
		return err;
	if (group->parent && cpuset_is_empty(effective) &&
	    (!is_valid(group) || sysfs_cpuset_is_suspended(state, group)))
		err = cpuset_copy(effective, &group->parent->effective);
	return err;
}

static int find_effective_from(const struct sim_state *state, struct sysfs_cgroup *group)
{
	int err = find_effective(state, group);

	for (struct sysfs_cgroup *child = group->children; child && !err; child = child->next)
		err = find_effective_from(state, child);
	return err;
}

int sysfs_cpuset_update(const struct sim_state *state, struct sysfs_cgroup *root)
{
	int err = settle_below(state, root);

	return err ? err : find_effective_from(state, root);
}

static int update_around(const struct sim_state *state, struct sysfs_cgroup *group)
{
	while (group->parent)
		group = group->parent;
	return sysfs_cpuset_update(state, group);
}

/* Copies text without the blanks around it. */
static char *strip(const char *text)
{
	size_t length;

	while (isspace((unsigned char)*text))
		text++;
	length = strlen(text);
	while (length > 0 && isspace((unsigned char)text[length - 1]))
		length--;
	return strndup(text, length);
}

static int parse_cpus(const struct sim_state *state, const char *text, struct cpuset *ret_set)
{
	_cleanup_free_ char *list = strip(text);
	uint32_t last;
	int err = list ? cpulist_parse(list, ret_set) : -ENOMEM;

	if (err)
		return err;
	last = cpuset_last(ret_set);
	return last != CPUSET_NONE && last >= state->platform->n_cpus ? -ERANGE : 0;
}

/* A sibling's partition does not hold where its CPUs are now asked for by another group too. */
static void break_siblings(struct sysfs_cgroup *group)
{
	for (struct sysfs_cgroup *other = group->parent->children; other; other = other->next) {
		if (other != group && is_valid(other) && intersect(wanted(group), &other->granted))
			set_fault(other, SYSFS_PARTITION_NOT_EXCLUSIVE);
	}
}

/* After a change of a group's CPUs. What was too much stays refused until it is asked for anew. */
static int reconsider(const struct sim_state *state, struct sysfs_cgroup *group)
{
	int err = 0;

	group->is_changed = true;
	if (is_valid(group) || group->fault == SYSFS_PARTITION_EMPTY)
		err = judge_and_set(state, group);
	if (err)
		return err;
	break_siblings(group);
	return update_around(state, group);
}

int sysfs_cpuset_store_cpus(const struct sim_state *state, struct sysfs_cgroup *group,
			    const char *text)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	int err = parse_cpus(state, text, &cpus);

	if (!err)
		err = cpuset_copy(&group->cpus, &cpus);
	return err ? err : reconsider(state, group);
}

/* Siblings' exclusive CPUs are theirs, and no sibling may be left without any CPU of its list. */
static bool is_refused_by_sibling(const struct sysfs_cgroup *group, const struct cpuset *exclusive)
{
	for (const struct sysfs_cgroup *other = group->parent->children; other;
	     other = other->next) {
		if (other == group)
			continue;
		if (intersect(&other->exclusive, exclusive))
			return true;
		if (!cpuset_is_empty(&other->cpus) && is_subset(&other->cpus, exclusive))
			return true;
	}
	return false;
}

int sysfs_cpuset_store_exclusive(const struct sim_state *state, struct sysfs_cgroup *group,
				 const char *text)
{
	_cleanup_cpuset_ struct cpuset exclusive = { 0 };
	int err = parse_cpus(state, text, &exclusive);

	if (!err && is_refused_by_sibling(group, &exclusive))
		err = -EINVAL;
	if (!err)
		err = cpuset_copy(&group->exclusive, &exclusive);
	return err ? err : reconsider(state, group);
}

int sysfs_cpuset_store_partition(const struct sim_state *state, struct sysfs_cgroup *group,
				 const char *text)
{
	_cleanup_free_ char *word = strip(text);
	unsigned int partition = 0;
	int err = 0;

	if (!word)
		return -ENOMEM;
	while (partition < ARRAY_SIZE(sysfs_cgroup_tree_partitions) &&
	       strcmp(word, sysfs_cgroup_tree_partitions[partition]) != 0)
		partition++;
	if (partition == ARRAY_SIZE(sysfs_cgroup_tree_partitions))
		return -EINVAL;
	group->partition = (enum sysfs_partition)partition;
	group->is_changed = true;
	if (group->partition == SYSFS_PARTITION_MEMBER)
		set_fault(group, SYSFS_PARTITION_VALID);
	else
		err = judge_and_set(state, group);
	return err ? err : update_around(state, group);
}

void sysfs_cpuset_clear(struct sysfs_cgroup *group)
{
	cpuset_done(&group->cpus);
	cpuset_done(&group->exclusive);
	group->partition = SYSFS_PARTITION_MEMBER;
	group->fault = SYSFS_PARTITION_VALID;
	group->is_changed = true;
}

int sysfs_cpuset_collect_isolated(const struct sysfs_cgroup *root, struct cpuset *set)
{
	int err = 0;

	for (const struct sysfs_cgroup *child = root->children; child && !err;
	     child = child->next) {
		if (is_valid(child) && child->partition == SYSFS_PARTITION_ISOLATED)
			err = cpuset_add_all(set, &child->granted);
		if (!err)
			err = sysfs_cpuset_collect_isolated(child, set);
	}
	return err;
}
