// SPDX-License-Identifier: GPL-2.0-only
/* core-power enable, disable, config and assoc (commands.md, "core-power (SST-CP)"). */
#include "features/core_power_set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "features/priorities.h"
#include "features/setting.h"

#define HIGHEST_MHZ 25500 /* the highest ratio, which stands for no limit */
#define STEP_MHZ    100

/* SST-CP must be there wherever its parameters are to be set. */
static int check_support(struct context *context)
{
	struct platform *platform = context->platform;
	_cleanup_free_ struct platform_core_power_query *queries = NULL;
	int err;

	queries = context_new_queries(context, sizeof(*queries));
	if (!queries)
		return -ENOMEM;
	err = platform->ops->read_core_power(platform, false, queries, context->n_domains);
	for (size_t i = 0; i < context->n_domains && !err; i++) {
		const struct target *target = context_find_target(context, i);

		if (queries[i].error)
			context_fail(context, target, queries[i].error, "core-power status");
		else if (!queries[i].core_power.supported)
			context_lack(context, target, "core-power is not supported");
	}
	return err;
}

/* The priority type to set: that of -p, else the default of the part. Returns whether it exists. */
static bool choose_type(struct context *context,
			const struct core_power_switch_arguments *arguments, bool *ret_ordered)
{
	bool only_ordered = context->platform->only_ordered;

	*ret_ordered = arguments->priority.given ? arguments->priority.value : only_ordered;
	if (only_ordered && !*ret_ordered)
		context_refuse_usage(context, "--priority 0: this machine has only the ordered "
					      "priority type, 1");
	return !only_ordered || *ret_ordered;
}

int core_power_set_enable(struct context *context, const void *arguments)
{
	const struct setting_result result = { .node = "core-power", .leaf = "enable" };
	bool ordered;
	int err;

	if (!choose_type(context, arguments, &ordered))
		return 0;
	err = priorities_plan_core_power(context, PRIORITIES_ON, ordered);
	return err ?: setting_finish(context, &result);
}

/*
 * While SST-TF is on, a part with a mailbox refuses; a TPMI part does it, and its cores have no
 * priorities then. Scripts search for the message of the refusal.
 */
static void refuse_under_turbo_freq(struct context *context, const struct setting *setting)
{
	for (size_t i = 0; i < context->n_domains && context->platform->guards_core_power; i++) {
		if (setting->levels[i].info.turbo_freq_on)
			context_refuse(context, context_find_target(context, i),
				       "Ignoring request, turbo-freq feature is still enabled; "
				       "turbo-freq disable comes first");
	}
}

/* Of the domains that the command is about; others of their packages are told by the plan. */
static void warn_under_turbo_freq(struct context *context, const struct setting *setting)
{
	size_t n_steps;

	plan_steps(context->plan, &n_steps);
	for (size_t i = 0; i < context->n_domains && n_steps; i++) {
		if (setting->levels[i].info.turbo_freq_on) {
			output_warning(context->output,
				       "core-power goes off although turbo-freq is on: its cores "
				       "have no priorities then");
			return;
		}
	}
}

int core_power_set_disable(struct context *context, const void *arguments)
{
	const struct setting_result result = { .node = "core-power", .leaf = "disable" };
	_cleanup_setting_ struct setting setting = { 0 };
	bool ordered;
	int err;

	if (!choose_type(context, arguments, &ordered))
		return 0;
	err = setting_init(context, PLATFORM_SUPPORT, &setting);
	if (err)
		return err;
	refuse_under_turbo_freq(context, &setting);
	if (setting_is_refused(context))
		return 0;
	err = priorities_plan_core_power(context, PRIORITIES_FORCE_OFF, ordered);
	if (!err)
		warn_under_turbo_freq(context, &setting);
	return err ?: setting_finish(context, &result);
}

/* A frequency in MHz as it will be kept: in steps, with a note where that is less. */
static uint32_t round_mhz(struct context *context, const char *letter,
			  const struct option_number *number, uint32_t standard)
{
	uint32_t mhz = number->given ? (uint32_t)number->value : standard;

	if (mhz % STEP_MHZ)
		output_note(context->output, "%s %u: kept in steps of 100 MHz, as %u", letter, mhz,
			    mhz - mhz % STEP_MHZ);
	return mhz - mhz % STEP_MHZ;
}

/* EPP and weight where none is given: the Skylake generation keeps 15 and 15. */
static uint32_t standard_level(const struct context *context)
{
	return context->platform->only_ordered ? 15 : 0;
}

/* The same where CLOS has no EPP and no desired frequency. */
static void note_weights(struct context *context, const struct core_power_config_arguments *given)
{
	if (!given->weight.given || !given->min_mhz.given || !given->max_mhz.given)
		output_note(context->output,
			    "left out, so set to the default:%s%s%s (weight 0, min 0, max "
			    "unlimited)",
			    given->weight.given ? "" : " weight",
			    given->min_mhz.given ? "" : " min", given->max_mhz.given ? "" : " max");
}

/* Refuses, or notes, what this machine's CLOS does not have. */
static bool check_parameters(struct context *context,
			     const struct core_power_config_arguments *given)
{
	const struct platform *platform = context->platform;

	if (platform->only_ordered && (given->epp.given || given->weight.given)) {
		static const char message[] =
			"-e and -w have no effect on this machine, which keeps 15 and 15";

		if (context->strict) {
			context_refuse_usage(context, message);
			return false;
		}
		output_warning(context->output, message);
	}
	if (platform->has_only_weights && given->desired_mhz.given) {
		context_refuse_usage(context,
				     "-d: a CLOS of this machine has no desired frequency");
		return false;
	}
	if (platform->has_only_weights && given->epp.given)
		output_note(context->output, "-e has no effect: a CLOS of this machine has no EPP");
	return true;
}

/* Tells which parameters were left out, and what they become. */
static void note_standards(struct context *context, const struct core_power_config_arguments *given)
{
	char left_out[96];

	snprintf(left_out, sizeof(left_out), "%s%s%s%s%s", given->epp.given ? "" : " epp",
		 given->weight.given ? "" : " weight", given->min_mhz.given ? "" : " min",
		 given->max_mhz.given ? "" : " max", given->desired_mhz.given ? "" : " desired");
	if (left_out[0] == '\0')
		return;
	if (context->platform->has_only_weights) {
		note_weights(context, given);
		return;
	}
	output_note(context->output,
		    "left out, so set to the default:%s (epp %u, weight %u, min 0, max unlimited, "
		    "desired 0)",
		    left_out, standard_level(context), standard_level(context));
}

/* The parameters that are asked for; false where they are refused. */
static bool choose_clos(struct context *context, const struct core_power_config_arguments *given,
			struct sst_clos *ret_clos)
{
	uint32_t standard = standard_level(context);
	bool fixed = context->platform->only_ordered;

	if (!check_parameters(context, given))
		return false;
	*ret_clos = (struct sst_clos){
		.epp = given->epp.given && !fixed ? (uint32_t)given->epp.value : standard,
		.weight = given->weight.given && !fixed ? (uint32_t)given->weight.value : standard,
		.min_mhz = round_mhz(context, "-n", &given->min_mhz, 0),
		.max_mhz = round_mhz(context, "-m", &given->max_mhz, HIGHEST_MHZ),
		.desired_mhz = round_mhz(context, "-d", &given->desired_mhz, 0),
	};
	ret_clos->unlimited = ret_clos->max_mhz == HIGHEST_MHZ;
	if (ret_clos->max_mhz == 0) {
		context_refuse_usage(context, "-m 0 would hold cores at their lowest frequency; at "
					      "least 100 is needed");
		return false;
	}
	if (ret_clos->min_mhz > ret_clos->max_mhz) {
		context_refuse_usage(context, "-n %u is above -m %u", ret_clos->min_mhz,
				     ret_clos->max_mhz);
		return false;
	}
	note_standards(context, given);
	return true;
}

int core_power_set_config(struct context *context, const void *arguments_pointer)
{
	const struct core_power_config_arguments *arguments = arguments_pointer;
	const struct setting_result result = { .node = "core-power", .leaf = "config" };
	_cleanup_free_ struct platform_clos_wish *wishes = NULL;
	struct sst_clos clos;
	int err;

	if (!choose_clos(context, arguments, &clos))
		return 0;
	err = check_support(context);
	if (err || setting_is_refused(context))
		return err;
	wishes = setting_new_wishes(context, sizeof(*wishes));
	if (!wishes)
		return -ENOMEM;
	for (size_t i = 0; i < context->n_domains; i++) {
		wishes[i].clos = (uint32_t)arguments->clos.value;
		wishes[i].wanted = clos;
	}
	err = context->platform->ops->plan_clos(context->platform, context->plan, wishes,
						context->n_domains);
	for (size_t i = 0; i < context->n_domains && !err; i++)
		setting_report_wish(context, i, wishes[i].error, "parameters of the CLOS");
	return err ?: setting_finish(context, &result);
}

int core_power_set_assoc(struct context *context, const void *arguments_pointer)
{
	const struct core_power_assoc_arguments *arguments = arguments_pointer;
	const struct setting_result result = {
		.node = "core-power",
		.leaf = "assoc",
		.by_cpu = true,
	};
	_cleanup_free_ struct platform_assoc_wish *wishes = NULL;
	int err = check_support(context);

	if (err || setting_is_refused(context))
		return err;
	wishes = calloc(context->n_targets ?: 1, sizeof(*wishes));
	if (!wishes)
		return -ENOMEM;
	for (size_t i = 0; i < context->n_targets; i++) {
		wishes[i].cpu = context->targets[i].cpu;
		wishes[i].clos = (uint32_t)arguments->clos.value;
	}
	err = context->platform->ops->plan_assoc(context->platform, context->plan, wishes,
						 context->n_targets);
	for (size_t i = 0; i < context->n_targets && !err; i++) {
		if (wishes[i].error)
			context_fail(context, &context->targets[i], wishes[i].error,
				     "association to a CLOS");
	}
	return err ?: setting_finish(context, &result);
}
