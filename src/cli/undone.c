// SPDX-License-Identifier: GPL-2.0-only
/*
 * Like steps of one place become one name: those whose words differ in a last number only, and
 * those of several CPUs. Every step is in exactly one group, and no number or CPU is left out.
 */
#include "cli/undone.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cpuset.h"
#include "base/number.h"
#include "plan/plan.h"
#include "plan/subject.h"

/* Steps that are named together. */
struct group {
	const struct plan_step *first;
	size_t stem_length; /* of its words without the last number */
	struct cpuset numbers;
	struct cpuset cpus;
};

struct groups {
	struct group *groups;
	size_t n_groups;
};

static void groups_done(struct groups *groups)
{
	for (size_t i = 0; i < groups->n_groups; i++) {
		cpuset_done(&groups->groups[i].numbers);
		cpuset_done(&groups->groups[i].cpus);
	}
	free(groups->groups);
}

/* Splits "CLOS 3" into the length of "CLOS" and 3; without a number it is CPUSET_NONE. */
static size_t split(const char *what, uint32_t *ret_number)
{
	const char *blank = strrchr(what, ' ');
	uint64_t number;

	*ret_number = CPUSET_NONE;
	if (!blank || number_parse(blank + 1, 0, CPUSET_MAX_CPU, &number))
		return strlen(what);
	*ret_number = (uint32_t)number;
	return (size_t)(blank - what);
}

static bool belongs(const struct group *group, const struct plan_step *step, size_t stem_length)
{
	const struct plan_subject *of = &group->first->subject, *subject = &step->subject;

	return of->package == subject->package &&
	       (of->package == PLAN_NO_PACKAGE || of->die == subject->die) &&
	       of->has_power_domain == subject->has_power_domain &&
	       of->power_domain == subject->power_domain && group->stem_length == stem_length &&
	       strncmp(group->first->what, step->what, stem_length) == 0;
}

/* Returns 0 or -ENOMEM. */
static int add_step(struct groups *groups, const struct plan_step *step)
{
	uint32_t number, cpu = step->subject.cpu;
	size_t stem_length = split(step->what, &number), i = 0;
	struct group *group;
	int err = 0;

	while (i < groups->n_groups && !belongs(&groups->groups[i], step, stem_length))
		i++;
	group = &groups->groups[i];
	if (i == groups->n_groups) {
		*group = (struct group){ .first = step, .stem_length = stem_length };
		groups->n_groups++;
	}
	if (number != CPUSET_NONE)
		err = cpuset_add(&group->numbers, number);
	if (cpu != PLAN_NO_CPU)
		err = err ?: cpuset_add(&group->cpus, cpu);
	return err;
}

/* "3", "0 to 3", "0-3,8". */
static void write_numbers(const struct cpuset *set, FILE *to)
{
	uint32_t first = cpuset_next(set, 0), last = cpuset_last(set);

	if (first != last && cpuset_count(set) == (size_t)(last - first) + 1)
		fprintf(to, "%" PRIu32 " to %" PRIu32, first, last);
	else
		cpuset_write_ranges(set, to);
}

static void write_group(const struct group *group, FILE *to)
{
	const struct plan_subject *subject = &group->first->subject;
	_cleanup_free_ char *place = subject_name_place(subject);
	bool has_cpus = !cpuset_is_empty(&group->cpus);

	fprintf(to, "%.*s", (int)group->stem_length, group->first->what);
	if (!cpuset_is_empty(&group->numbers)) {
		fputc(' ', to);
		write_numbers(&group->numbers, to);
	}
	if (has_cpus) {
		fputs(cpuset_count(&group->cpus) == 1 ? " of CPU " : " of CPUs ", to);
		write_numbers(&group->cpus, to);
	}
	if (place && *place)
		fprintf(to, " %s %s", has_cpus ? "in" : "of", place);
}

static char *write_all(const struct groups *groups)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	if (!to)
		return NULL;
	for (size_t i = 0; i < groups->n_groups; i++) {
		fputs(i ? ", " : "", to);
		write_group(&groups->groups[i], to);
	}
	return fclose(to) ? NULL : steal_pointer(text);
}

char *undone_names(const struct plan *plan, const size_t *undone, size_t count)
{
	_cleanup_(groups_done) struct groups groups = {
		.groups = calloc(count ?: 1, sizeof(*groups.groups)),
	};
	size_t n_steps;
	const struct plan_step *steps = plan_steps(plan, &n_steps);

	if (!groups.groups)
		return NULL;
	for (size_t i = count; i-- > 0;) {
		if (add_step(&groups, &steps[undone[i]]))
			return NULL;
	}
	return write_all(&groups);
}
