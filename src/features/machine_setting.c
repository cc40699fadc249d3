// SPDX-License-Identifier: GPL-2.0-only
/*
 * All or nothing, as with every setting command (commands.md, "Safety of every setting command"):
 * where one CPU fails, what was set on the others is undone and is no success of theirs.
 */
#include "features/machine_setting.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cli/carry_out.h"
#include "features/cpu_groups.h"
#include "features/setting.h"

#define LEAF "set"

static void put_result(struct output *output, const char *node, int err)
{
	_cleanup_scope_ struct output_scope scope = output_enter(output, "%s", node);

	if (err)
		output_value(output, LEAF, "failed(error %d)", err);
	else
		output_value(output, LEAF, "success");
}

static bool are_equal(const void *left, const void *right)
{
	return *(const int *)left == *(const int *)right;
}

/* The CPU that failed has its error; the others, undone, share another result. */
static int put_cpus(struct context *context, const struct machine_setting *setting,
		    const struct run_outcome *outcome, const struct plan_subject *failed)
{
	const int results[] = { outcome->failed ? -ECANCELED : 0, outcome->failure.error };
	_cleanup_free_ const void **records = NULL;
	_cleanup_cpu_groups_ struct cpu_groups groups = { 0 };
	size_t position = 0;
	int err;

	records = calloc(cpuset_count(context->cpus), sizeof(*records));
	if (!records)
		return -ENOMEM;
	cpuset_foreach (cpu, context->cpus)
		records[position++] = &results[failed->cpu == cpu];
	err = cpu_groups_make(&context->machine->topology, context->cpus, records, are_equal,
			      &groups);
	for (size_t i = 0; i < groups.count && !err; i++) {
		struct output_place place = cpu_groups_place(&groups.groups[i]);
		_cleanup_scope_ struct output_scope scope =
			output_enter_place(context->output, &place);

		put_result(context->output, setting->node, *(const int *)groups.groups[i].record);
		if (!outcome->failed)
			context_count_done(context);
	}
	return err;
}

/* Did the step that failed go to this die or power domain? */
static bool is_at(const struct plan_subject *subject, const struct output_place *place)
{
	if (subject->package != (uint64_t)place->package)
		return false;
	if (place->power_domain != OUTPUT_NOT_SHOWN)
		return subject->power_domain == (uint64_t)place->power_domain;
	return subject->die == (uint64_t)place->die;
}

static void put_places(struct context *context, const struct machine_setting *setting,
		       const struct run_outcome *outcome, const struct plan_subject *failed)
{
	for (size_t i = 0; i < setting->n_places; i++) {
		const struct output_place *place = &setting->places[i];
		_cleanup_scope_ struct output_scope scope =
			output_enter_place(context->output, place);
		int err = !outcome->failed       ? 0
			  : is_at(failed, place) ? outcome->failure.error
						 : -ECANCELED;

		put_result(context->output, setting->node, err);
		if (!err)
			context_count_done(context);
	}
}

static int put_results(struct context *context, const struct machine_setting *setting,
		       const struct run_outcome *outcome)
{
	struct plan_subject failed = { .cpu = PLAN_NO_CPU };
	size_t count;
	const struct plan_step *steps = plan_steps(context->plan, &count);

	if (outcome->failed)
		failed = steps[outcome->failure.step].subject;
	if (setting->of_machine) {
		_cleanup_scope_ struct output_scope scope =
			output_enter(context->output, "machine");

		put_result(context->output, setting->node,
			   outcome->failed && failed.cpu != PLAN_NO_CPU
				   ? -ECANCELED
				   : (outcome->failed ? outcome->failure.error : 0));
		if (!outcome->failed)
			context_count_done(context);
	}
	put_places(context, setting, outcome, &failed);
	return setting->of_cpus ? put_cpus(context, setting, outcome, &failed) : 0;
}

int machine_setting_finish(struct context *context, const struct machine_setting *setting,
			   bool *ret_is_set)
{
	const struct run_outcome *outcome;
	int err;

	*ret_is_set = false;
	if (!setting_is_to_be_made(context))
		return 0;
	err = carry_out_plan(context, &outcome);
	if (err)
		return err;
	*ret_is_set = !outcome->failed;
	return put_results(context, setting, outcome);
}
