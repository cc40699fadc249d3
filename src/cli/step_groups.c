// SPDX-License-Identifier: GPL-2.0-only
/*
 * Grouping of like steps. Every step is in exactly one group, and no number or CPU is left out
 * (commands.md, "Safety of every setting command").
 */
#include "cli/step_groups.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "plan/plan.h"
#include "plan/subject.h"

/* A plan may have thousands of groups: only the latest ones are candidates for a step. */
#define MOST_COMPARED 64

void step_groups_done(struct step_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		cpuset_done(&groups->list[i].numbers);
		cpuset_done(&groups->list[i].cpus);
	}
	free(groups->list);
	*groups = (struct step_groups){ 0 };
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

static bool is_text(const char *left, const char *right)
{
	return left && right ? strcmp(left, right) == 0 : left == right;
}

/* Have both the same old and new value? */
static bool are_values_equal(const struct plan_step *left, const struct plan_step *right)
{
	return is_text(left->old_text, right->old_text) &&
	       is_text(left->new_text, right->new_text) &&
	       is_text(left->write.text, right->write.text) &&
	       (left->new_text || left->write.text || left->write.value == right->write.value);
}

static bool belongs(const struct step_group *group, const struct plan_step *step,
		    size_t stem_length, bool by_value)
{
	const struct plan_subject *of = &group->first->subject, *subject = &step->subject;

	return of->package == subject->package &&
	       (of->package == PLAN_NO_PACKAGE || of->die == subject->die) &&
	       of->has_power_domain == subject->has_power_domain &&
	       of->power_domain == subject->power_domain && group->stem_length == stem_length &&
	       strncmp(group->first->what, step->what, stem_length) == 0 &&
	       (!by_value || are_values_equal(group->first, step));
}

/* The group of a step, or NULL. */
static struct step_group *find_group(const struct step_groups *groups, const struct plan_step *step,
				     size_t stem_length, bool by_value)
{
	size_t first = groups->count > MOST_COMPARED ? groups->count - MOST_COMPARED : 0;

	for (size_t i = groups->count; i > first; i--) {
		if (belongs(&groups->list[i - 1], step, stem_length, by_value))
			return &groups->list[i - 1];
	}
	return NULL;
}

static int add_step(struct step_groups *groups, const struct plan_step *step, bool by_value)
{
	uint32_t number, cpu = step->subject.cpu;
	size_t stem_length = split(step->what, &number);
	struct step_group *group = find_group(groups, step, stem_length, by_value);
	int err = 0;

	if (!group) {
		group = &groups->list[groups->count++];
		*group = (struct step_group){ .first = step, .stem_length = stem_length };
	}
	group->count++;
	if (number != CPUSET_NONE)
		err = cpuset_add(&group->numbers, number);
	if (!err && cpu != PLAN_NO_CPU)
		err = cpuset_add(&group->cpus, cpu);
	return err;
}

int step_groups_make(const struct plan_step *const *steps, size_t count, bool by_value,
		     struct step_groups *ret_groups)
{
	_cleanup_step_groups_ struct step_groups groups = {
		.list = calloc(count ?: 1, sizeof(*groups.list)),
	};
	int err = groups.list ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !err; i++) {
		if (steps[i]->write.kind != PLAN_SAY)
			err = add_step(&groups, steps[i], by_value);
	}
	if (err)
		return err;
	*ret_groups = groups;
	groups = (struct step_groups){ 0 };
	return 0;
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

static void write_group(const struct step_group *group, FILE *to)
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

static char *write_all(const struct step_groups *groups)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	if (!to)
		return NULL;
	for (size_t i = 0; i < groups->count; i++) {
		fputs(i ? ", " : "", to);
		write_group(&groups->list[i], to);
	}
	return fclose(to) ? NULL : steal_pointer(text);
}

char *step_groups_name_undone(const struct plan *plan, const size_t *undone, size_t count)
{
	_cleanup_free_ const struct plan_step **steps = calloc(count ?: 1, sizeof(*steps));
	_cleanup_step_groups_ struct step_groups groups = { 0 };
	const struct plan_step *all;
	size_t n_steps;

	if (!steps)
		return NULL;
	all = plan_steps(plan, &n_steps);
	for (size_t i = 0; i < count; i++)
		steps[i] = &all[undone[count - 1 - i]];
	return step_groups_make(steps, count, false, &groups) ? NULL : write_all(&groups);
}
