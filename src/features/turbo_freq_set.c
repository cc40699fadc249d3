// SPDX-License-Identifier: GPL-2.0-only
/*
 * turbo-freq enable and disable (commands.md, "turbo-freq (SST-TF)"). The order is CLOS, then
 * SST-TF, then the turbo-ratio limits that would hide it; switching off goes the other way.
 */
#include "features/turbo_freq_set.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "features/priorities.h"
#include "features/setting.h"
#include "plan/scaling.h"

#define TRL_OPEN UINT64_MAX /* all ones: no limit beside SST-TF's own */

/* A domain without an online CPU gets no write of an MSR, one without SST-TF has nothing to undo.
 */
static bool has_limits(const struct context *context, const struct setting *setting, size_t domain)
{
	return context->domains[domain]->cpu != CPUSET_NONE &&
	       setting->levels[domain].info.turbo_freq_supported;
}

/* The limits of one domain: those given, or all open, or (off) those of its level. */
static int plan_limits(struct context *context, const struct setting *setting,
		       const struct option_number *trl, bool on)
{
	struct platform *platform = context->platform;
	_cleanup_free_ struct platform_trl_wish *wishes = NULL;
	_cleanup_free_ uint64_t *level_limits =
		calloc(context->n_domains ?: 1, sizeof(*level_limits));
	int err = 0;

	wishes = setting_new_wishes(context, sizeof(*wishes));
	if (!wishes || !level_limits)
		return -ENOMEM;
	for (size_t i = 0; i < context->n_domains && !err; i++) {
		if (!has_limits(context, setting, i))
			wishes[i].domain = NULL;
		wishes[i].trl = trl->given ? trl->value : TRL_OPEN;
		wishes[i].pp = &setting->pp[i].pp;
		if (!trl->given && !on && wishes[i].domain) {
			err = platform->ops->read_level_trl(platform, context->domains[i],
							    setting->levels[i].level,
							    &level_limits[i]);
			wishes[i].trl = level_limits[i];
			wishes[i].level_trl = &level_limits[i];
		}
		if (err) {
			setting_report_wish(context, i, err, "turbo-ratio limits of the level");
			return err == -ENOMEM ? err : 0;
		}
	}
	err = platform->ops->plan_trl(platform, context->plan, wishes, context->n_domains);
	for (size_t i = 0; i < context->n_domains && !err; i++)
		setting_report_wish(context, i, wishes[i].error, "turbo-ratio limits");
	return err;
}

/* The CPUs of -c are high; their siblings go with them, since a core has one CLOS. */
static int plan_priorities(struct context *context)
{
	_cleanup_free_ struct priorities_floor *floors = NULL;
	_cleanup_cpuset_ struct cpuset high = { 0 };
	int err = 0;

	floors = calloc(context->n_domains ?: 1, sizeof(*floors));
	if (!floors)
		return -ENOMEM;
	for (size_t i = 0; i < context->n_targets && context->cpus_given && !err; i++)
		err = cpuset_add(&high, context->targets[i].cpu);
	err = err ?: priorities_plan_clos(context, floors);
	return err ?: priorities_plan_assoc(context, &high, true);
}

static void refuse_without_turbo(struct context *context)
{
	struct scaling_turbo turbo = scaling_read_turbo(context->machine->host->files);

	if (turbo.error)
		context_fail(context, NULL, turbo.error, "intel_pstate/no_turbo");
	else if (turbo.is_off)
		context_refuse(
			context, NULL,
			"turbo is off (intel_pstate/no_turbo is 1), and turbo-freq needs it");
}

int turbo_freq_set_enable(struct context *context, const void *arguments_pointer)
{
	const struct turbo_freq_set_arguments *arguments = arguments_pointer;
	const struct setting_result result = {
		.node = "turbo-freq",
		.leaf = "enable",
		.auto_node = arguments->automatic ? "turbo-freq --auto" : NULL,
	};
	_cleanup_setting_ struct setting setting = { 0 };
	int err;

	if (arguments->automatic && !context->cpus_given) {
		if (context->strict) {
			context_refuse_usage(context,
					     "turbo-freq enable --auto needs --cpu LIST, the CPUs "
					     "that are to have high priority");
			return 0;
		}
	}
	refuse_without_turbo(context);
	err = setting_init(context, PLATFORM_SUPPORT, &setting);
	if (err)
		return err;
	setting_check_feature(context, &setting, SETTING_TURBO_FREQ);
	if (arguments->automatic)
		err = setting_report_unplaced(context, SETTING_AUTO_CONSEQUENCE);
	if (err || setting_is_refused(context))
		return err;
	if (arguments->automatic && !context->cpus_given)
		output_warning(context->output, "no CPU has high priority; use --cpu LIST");
	if (arguments->automatic)
		err = plan_priorities(context);
	err = err ?: priorities_plan_core_power(context, PRIORITIES_ON, true);
	err = err ?: setting_plan_feature(context, &setting, SETTING_TURBO_FREQ, PLATFORM_ON);
	err = err ?: plan_limits(context, &setting, &arguments->trl, true);
	return err ?: setting_finish(context, &result);
}

int turbo_freq_set_disable(struct context *context, const void *arguments_pointer)
{
	const struct turbo_freq_set_arguments *arguments = arguments_pointer;
	const struct setting_result result = { .node = "turbo-freq", .leaf = "disable" };
	_cleanup_setting_ struct setting setting = { 0 };
	int err = setting_init(context, PLATFORM_SUPPORT, &setting);

	if (err)
		return err;
	setting_note_absent_feature(context, &setting, SETTING_TURBO_FREQ);
	if (arguments->automatic)
		err = setting_report_unplaced(context, SETTING_AUTO_CONSEQUENCE);
	if (err || setting_is_refused(context))
		return err;
	err = setting_plan_feature(context, &setting, SETTING_TURBO_FREQ, PLATFORM_OFF);
	err = err ?: plan_limits(context, &setting, &arguments->trl, false);
	if (arguments->automatic)
		err = err ?: priorities_plan_core_power(context, PRIORITIES_OFF, false);
	return err ?: setting_finish(context, &result);
}
