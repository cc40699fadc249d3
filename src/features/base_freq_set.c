// SPDX-License-Identifier: GPL-2.0-only
/*
 * base-freq enable and disable (commands.md, "base-freq (SST-BF)"). With --auto the priorities are
 * set before the feature goes on, and the frequency limits of Linux after it. On Cascade Lake-N,
 * where BIOS has switched it on, the limits are all there is.
 */
#include "features/base_freq_set.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "features/priorities.h"
#include "features/setting.h"
#include "plan/scaling.h"

#define KHZ_PER_MHZ 1000

static int plan_priorities(struct context *context, const struct setting *setting)
{
	_cleanup_free_ struct priorities_floor *floors = NULL;
	_cleanup_cpuset_ struct cpuset high = { 0 };
	int err = 0;

	floors = calloc(context->n_domains ?: 1, sizeof(*floors));
	if (!floors)
		return -ENOMEM;
	for (size_t i = 0; i < context->n_domains && !err; i++) {
		const struct sst_base_freq *base_freq = &setting->levels[i].info.base_freq;

		floors[i] = (struct priorities_floor){ .high_mhz = base_freq->high_mhz,
						       .low_mhz = base_freq->low_mhz };
		err = cpuset_add_all(&high, &base_freq->high_cpus);
	}
	err = err ?: priorities_plan_clos(context, floors);
	err = err ?: priorities_plan_assoc(context, &high, false);
	return err ?: priorities_plan_core_power(context, PRIORITIES_ON, true);
}

/*
 * Adds a CPU without cpufreq files to missing, unless it gets them when it comes online; reports
 * any other failure. Returns 0 or -ENOMEM.
 */
static int take_error(struct context *context, uint32_t cpu, int err, struct cpuset *missing)
{
	if (err == -ENOMEM)
		return err;
	if (err == -ENOENT)
		return cpuset_has(&context->machine->topology.coming, cpu)
			       ? 0
			       : cpuset_add(missing, cpu);
	if (err)
		context_fail(context, NULL, err, "frequency limits of cpu-%u", cpu);
	return 0;
}

/* Without cpufreq no limit is moved; a CPU without the files that others have is an error. */
static void report_missing(struct context *context, const struct cpuset *missing)
{
	if (cpuset_is_empty(missing) || !scaling_is_available(context->machine))
		return;
	cpuset_foreach (cpu, missing)
		context_fail(context, NULL, -ENOENT, "frequency limits of cpu-%u", cpu);
}

/* The frequency limits of every online CPU of the domains. */
static int plan_limits(struct context *context, const struct setting *setting, bool raise)
{
	_cleanup_cpuset_ struct cpuset missing = { 0 };
	struct scaling_turbo turbo = { 0 };

	if (raise)
		turbo = scaling_read_turbo(context->machine->host->files);
	for (size_t i = 0; i < context->n_domains; i++) {
		const struct sst_base_freq *base_freq = &setting->levels[i].info.base_freq;

		cpuset_foreach (cpu, &context->domains[i]->cpus) {
			bool high = cpuset_has(&base_freq->high_cpus, cpu);
			uint32_t base_mhz = high ? base_freq->high_mhz : base_freq->low_mhz;
			int err;

			if (context_is_left_out(context, i) ||
			    !cpuset_has(&context->machine->topology.online, cpu))
				continue;
			err = raise ? scaling_plan_raise(context->plan, context->machine, cpu,
							 base_mhz * KHZ_PER_MHZ, &turbo)
				    : scaling_plan_min_as(context->plan, context->machine, cpu,
							  "cpuinfo_min_freq");
			err = take_error(context, cpu, err, &missing);
			if (err)
				return err;
		}
	}
	report_missing(context, &missing);
	return 0;
}

static int set_fixed(struct context *context, bool enable, const struct setting_result *result)
{
	struct platform *platform = context->platform;
	_cleanup_free_ int *errors = calloc(context->n_domains ?: 1, sizeof(*errors));
	int err;

	if (!errors)
		return -ENOMEM;
	err = platform->ops->plan_fixed_base_freq(platform, context->plan, context->domains,
						  context->n_domains, enable, errors);
	for (size_t i = 0; i < context->n_domains && !err; i++)
		setting_report_wish(context, i, errors[i], "frequency limits");
	return err ?: setting_finish(context, result);
}

int base_freq_set_enable(struct context *context, const void *arguments_pointer)
{
	const struct base_freq_set_arguments *arguments = arguments_pointer;
	const struct setting_result result = { .node = "base-freq", .leaf = "enable" };
	_cleanup_setting_ struct setting setting = { 0 };
	int err;

	if (context->platform->bios_fixed)
		return set_fixed(context, true, &result);
	err = setting_init(context, PLATFORM_BASE_FREQ, &setting);
	if (err)
		return err;
	setting_check_feature(context, &setting, SETTING_BASE_FREQ);
	if (arguments->automatic)
		err = setting_report_unplaced(context, SETTING_AUTO_CONSEQUENCE);
	if (err || setting_is_refused(context))
		return err;
	if (arguments->automatic)
		err = plan_priorities(context, &setting);
	err = err ?: setting_plan_feature(context, &setting, SETTING_BASE_FREQ, PLATFORM_ON);
	if (arguments->automatic)
		err = err ?: plan_limits(context, &setting, true);
	return err ?: setting_finish(context, &result);
}

/* CLOS stays on while SST-TF needs it. */
static bool needs_clos(struct context *context, const struct setting *setting)
{
	for (size_t i = 0; i < context->n_domains; i++) {
		if (setting->levels[i].info.turbo_freq_on) {
			output_note(context->output,
				    "core-power stays on: turbo-freq is on and needs it");
			return true;
		}
	}
	return false;
}

int base_freq_set_disable(struct context *context, const void *arguments_pointer)
{
	const struct base_freq_set_arguments *arguments = arguments_pointer;
	const struct setting_result result = { .node = "base-freq", .leaf = "disable" };
	_cleanup_setting_ struct setting setting = { 0 };
	int err;

	if (context->platform->bios_fixed)
		return set_fixed(context, false, &result);
	err = setting_init(context, PLATFORM_BASE_FREQ, &setting);
	if (err)
		return err;
	setting_note_absent_feature(context, &setting, SETTING_BASE_FREQ);
	if (arguments->automatic)
		err = setting_report_unplaced(context, SETTING_AUTO_CONSEQUENCE);
	if (err || setting_is_refused(context))
		return err;
	err = setting_plan_feature(context, &setting, SETTING_BASE_FREQ, PLATFORM_OFF);
	if (arguments->automatic && !err) {
		if (!needs_clos(context, &setting))
			err = priorities_plan_core_power(context, PRIORITIES_OFF, true);
		err = err ?: plan_limits(context, &setting, false);
	}
	return err ?: setting_finish(context, &result);
}
