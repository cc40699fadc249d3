// SPDX-License-Identifier: GPL-2.0-only
/* Groups CPUs that are equal, and sums their figures. */
#include "measure/measured_groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"

#define MOST_PERCENT 100
#define IDLE_PERCENT 1.0 /* a CPU that is less busy does not count for the frequency of a group */

const struct json_field measured_group_fields[] = {
	{ JSON_FIELD(struct measured_group, package, "package") },
	{ JSON_FIELD(struct measured_group, class, "class") },
	{ JSON_FIELD(struct measured_group, load, "load") },
	{ JSON_FIELD(struct measured_group, busy_percent, "busy %"), .decimals = 1 },
	{ JSON_FIELD(struct measured_group, top, "top idle") },
	{ JSON_FIELD(struct measured_group, cpus, "CPUs") },
	{ 0 },
};

static bool are_equal(const struct figure *left, const struct figure *right)
{
	return left->state == right->state && left->value == right->value;
}

/* Returns true if two CPUs belong to one group. */
static bool are_equal_cpus(const struct run_cpu *left, const struct run_cpu *right)
{
	return left->package == right->package &&
	       strcmp(left->class ?: "", right->class ?: "") == 0 &&
	       strcmp(left->load ?: "", right->load ?: "") == 0 &&
	       are_equal(&left->predicted_mhz, &right->predicted_mhz) &&
	       are_equal(&left->predicted_high_mhz, &right->predicted_high_mhz) &&
	       are_equal(&left->not_taken_over_mhz, &right->not_taken_over_mhz) &&
	       left->is_isolated == right->is_isolated &&
	       left->knows_minimum == right->knows_minimum &&
	       left->is_below_minimum == right->is_below_minimum;
}

static int add_cpu(struct measured_group *group, const struct run_cpu *cpu)
{
	const double busy =
		figure_is_known(&cpu->busy_percent) ? cpu->busy_percent.value : MOST_PERCENT;
	const double mhz = cpu->mhz.value;
	const char *top = cpu->top_idle;

	if (!group->first)
		*group = (struct measured_group){
			.first = cpu,
			.package = cpu->package,
			.class = cpu->class,
			.load = cpu->load,
			.busy_percent = cpu->busy_percent,
		};
	if (figure_is_known(&cpu->busy_percent)) {
		group->busy_percent =
			figure_make_exact(group->n_busy ? group->busy_percent.value + busy : busy);
		group->n_busy++;
	}
	if (figure_is_known(&cpu->mhz) && busy >= IDLE_PERCENT) {
		group->mhz += mhz * busy;
		group->weight += busy;
		group->low_mhz = group->has_mhz && group->low_mhz < mhz ? group->low_mhz : mhz;
		group->high_mhz = group->has_mhz && group->high_mhz > mhz ? group->high_mhz : mhz;
		group->has_mhz = true;
	}
	/* The most frequent text so far, by majority vote. */
	if (top && group->top && strcmp(top, group->top) == 0) {
		group->n_top++;
	} else if (top && group->n_top == 0) {
		group->top = top;
		group->n_top = 1;
	} else if (top) {
		group->n_top--;
	}
	return cpuset_add(&group->cpus, cpu->cpu);
}

void measured_groups_done(struct measured_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		cpuset_done(&groups->list[i].cpus);
	free(groups->list);
	*groups = (struct measured_groups){ 0 };
}

int measured_groups_make(const struct run_window *window, bool each,
			 struct measured_groups *ret_groups)
{
	_cleanup_measured_groups_ struct measured_groups groups = { 0 };

	for (size_t i = 0; i < window->n_cpus; i++) {
		const struct run_cpu *cpu = &window->cpus[i];
		size_t at = each ? groups.count : 0;

		while (at < groups.count && !are_equal_cpus(groups.list[at].first, cpu))
			at++;
		if (at == groups.count &&
		    !array_add(&groups.list, &groups.count, sizeof(*groups.list)))
			return -ENOMEM;
		if (add_cpu(&groups.list[at], cpu))
			return -ENOMEM;
	}
	for (size_t i = 0; i < groups.count; i++) {
		struct measured_group *group = &groups.list[i];

		if (group->n_busy)
			group->busy_percent.value /= (double)group->n_busy;
	}
	*ret_groups = steal(groups);
	return 0;
}
