// SPDX-License-Identifier: GPL-2.0-only
/* Groups CPUs that are alike, and sums their figures. */
#include "measure/measured_groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "measure/figure.h"

#define IDLE_PERCENT 1.0 /* a CPU that is less busy does not count for the frequency of a group */

/* Are two CPUs of one group? */
static bool are_alike(const json_t *left, const json_t *right)
{
	static const char *const names[] = {
		"package",
		"class",
		"load",
		"predicted-mhz",
		"predicted-high-mhz",
		"not-taken-over-mhz",
		"isolated",
		"minimum-not-held",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const json_t *a = json_object_get(left, names[i]);
		const json_t *b = json_object_get(right, names[i]);

		if (a != b && !json_equal(a, b))
			return false;
	}
	return true;
}

static int add_cpu(struct measured_group *group, uint32_t number, const json_t *cpu)
{
	double busy = 100, mhz;
	const char *top = json_string_value(json_object_get(cpu, "top-idle-state"));

	if (figure_get(cpu, "busy-percent", &busy) == 0) {
		group->busy += busy;
		group->n_busy++;
	}
	if (figure_get(cpu, "mhz", &mhz) == 0 && busy >= IDLE_PERCENT) {
		group->mhz += mhz * busy;
		group->weight += busy;
		group->low_mhz = group->has_mhz && group->low_mhz < mhz ? group->low_mhz : mhz;
		group->high_mhz = group->has_mhz && group->high_mhz > mhz ? group->high_mhz : mhz;
		group->has_mhz = true;
	}
	/* The one that leads keeps its place until others have outnumbered it. */
	if (top && group->top && strcmp(top, group->top) == 0) {
		group->n_top++;
	} else if (top && group->n_top == 0) {
		group->top = top;
		group->n_top = 1;
	} else if (top) {
		group->n_top--;
	}
	return cpuset_add(&group->cpus, number);
}

void measured_groups_done(struct measured_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		cpuset_done(&groups->list[i].cpus);
	free(groups->list);
	*groups = (struct measured_groups){ 0 };
}

int measured_groups_make(const json_t *cpus, bool each, struct measured_groups *ret_groups)
{
	_cleanup_measured_groups_ struct measured_groups groups = { 0 };
	const json_t *cpu;
	size_t i;

	json_array_foreach (cpus, i, cpu) {
		const json_int_t number = json_integer_value(json_object_get(cpu, "cpu"));
		size_t at = each ? groups.count : 0;

		if (number < 0 || number > CPUSET_MAX_CPU)
			continue;
		while (at < groups.count && !are_alike(groups.list[at].first, cpu))
			at++;
		if (at == groups.count &&
		    !array_add(&groups.list, &groups.count, sizeof(*groups.list)))
			return -ENOMEM;
		groups.list[at].first = groups.list[at].first ?: cpu;
		if (add_cpu(&groups.list[at], (uint32_t)number, cpu))
			return -ENOMEM;
	}
	*ret_groups = steal(groups);
	return 0;
}
