// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every CPU with a record is in exactly one group, and the CPUs of a group are of one die
 * (output.md, "Text").
 */
#include "features/cpu_groups.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

static struct cpu_group *find_group(struct cpu_groups *groups, const struct cpu_place *place,
				    const void *record, bool (*equal)(const void *, const void *))
{
	for (size_t i = groups->count; i-- > 0 && equal;) {
		struct cpu_group *group = &groups->groups[i];

		if (group->package == place->package && group->die == place->die &&
		    equal(group->record, record))
			return group;
	}
	return NULL;
}

static int compare_numbers(uint32_t left, uint32_t right)
{
	return left < right ? -1 : left > right;
}

static int compare_groups(const void *left_pointer, const void *right_pointer)
{
	const struct cpu_group *left = left_pointer, *right = right_pointer;

	return compare_numbers(left->package, right->package)
		       ?: compare_numbers(left->die, right->die)
		       ?: compare_numbers(left->cpu, right->cpu);
}

int cpu_groups_make(const struct topology *topology, const struct cpuset *cpus,
		    const void *const *records, bool (*equal)(const void *, const void *),
		    struct cpu_groups *ret_groups)
{
	_cleanup_cpu_groups_ struct cpu_groups groups = {
		.groups = calloc(cpuset_count(cpus) ?: 1, sizeof(*groups.groups)),
	};
	size_t position = 0;
	int err = groups.groups ? 0 : -ENOMEM;

	cpuset_foreach (cpu, cpus) {
		const struct cpu_place *place = &topology->places[cpu];
		const void *record = records[position++];
		struct cpu_group *group;

		if (!record || err)
			continue;
		group = find_group(&groups, place, record, equal);
		if (!group) {
			groups.groups[groups.count++] = (struct cpu_group){
				.package = place->package,
				.die = place->die,
				.cpu = cpu,
				.record = record,
			};
			continue;
		}
		if (cpuset_is_empty(&group->cpus))
			err = cpuset_add(&group->cpus, group->cpu);
		err = err ?: cpuset_add(&group->cpus, cpu);
	}
	if (err)
		return err;
	qsort(groups.groups, groups.count, sizeof(*groups.groups), compare_groups);
	*ret_groups = groups;
	groups = (struct cpu_groups){ 0 };
	return 0;
}

void cpu_groups_done(struct cpu_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		cpuset_done(&groups->groups[i].cpus);
	free(groups->groups);
	*groups = (struct cpu_groups){ 0 };
}

struct output_place cpu_groups_place(const struct cpu_group *group)
{
	return (struct output_place){
		.package = group->package,
		.die = group->die,
		.power_domain = OUTPUT_NOT_SHOWN,
		.cpu = group->cpu,
		.cpus = cpuset_is_empty(&group->cpus) ? NULL : &group->cpus,
	};
}
