// SPDX-License-Identifier: GPL-2.0-only
/*
 * Priorities as --auto sets them (commands.md, "base-freq" and "turbo-freq"): CLOS 0 has EPP and
 * weight 0, the others 15 and 15; a CLOS keeps the desired field that it had.
 */
#include "features/priorities.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "features/setting.h"

#define HIGH_CLOS 0
#define LOW_CLOS  3

static bool is_first_of_package(const struct context *context, size_t domain)
{
	return domain == 0 ||
	       context->domains[domain - 1]->package != context->domains[domain]->package;
}

/* SST-TF in another domain of the package needs SST-CP: once for each package. */
static void report_need(struct context *context, size_t domain, bool forced)
{
	uint32_t package = context->domains[domain]->package;

	if (!is_first_of_package(context, domain))
		return;
	if (forced)
		output_warning(context->output,
			       "core-power of package-%u goes off although turbo-freq is on in it: "
			       "its cores have no priorities then",
			       package);
	else
		output_note(context->output,
			    "core-power of package-%u stays on: turbo-freq is on in another power "
			    "domain of it",
			    package);
}

/* What disable --auto switches off may be absent: then it is off. */
static void report_absent(struct context *context, size_t domain, bool goes_off)
{
	const struct target *target = context_find_target(context, domain);

	if (goes_off && !cpuset_is_empty(&context->domains[domain]->cpus))
		context_note(context, target, "core-power is not supported, so it is off");
	else
		context_lack(context, target, "core-power is not supported");
}

/* A domain's state may fail others of its package: then it is named, too. */
static void report_unread(struct context *context, size_t domain,
			  const struct platform_core_power_wish *wish)
{
	const struct target *target = context_find_target(context, domain);

	if (wish->unread && wish->unread != wish->domain)
		context_fail(context, target, wish->error, "core-power status of powerdomain-%u",
			     wish->unread->id);
	else
		setting_report_wish(context, domain, wish->error, "core-power status");
}

int priorities_plan_core_power(struct context *context, enum priorities_switch wanted, bool ordered)
{
	struct platform *platform = context->platform;
	_cleanup_free_ struct platform_core_power_wish *wishes = NULL;
	int err;

	wishes = setting_new_wishes(context, sizeof(*wishes));
	if (!wishes)
		return -ENOMEM;
	for (size_t i = 0; i < context->n_domains; i++) {
		wishes[i].on = wanted == PRIORITIES_ON;
		wishes[i].ordered = ordered;
		wishes[i].force = wanted == PRIORITIES_FORCE_OFF;
	}
	err = platform->ops->plan_core_power(platform, context->plan, wishes, context->n_domains);
	for (size_t i = 0; i < context->n_domains && !err; i++) {
		if (wishes[i].turbo_freq_on && wishes[i].found.enabled)
			report_need(context, i, wishes[i].force);
		if (wishes[i].error != -EUSERS)
			report_unread(context, i, &wishes[i]);
		if (wishes[i].domain && !wishes[i].error && !wishes[i].found.supported)
			report_absent(context, i, wanted == PRIORITIES_OFF);
	}
	return err;
}

static struct sst_clos clos_of(uint32_t clos, const struct priorities_floor *floor)
{
	bool high = clos == HIGH_CLOS;

	return (struct sst_clos){
		.epp = high ? 0 : 15,
		.weight = high ? 0 : 15,
		.min_mhz = high ? floor->high_mhz : floor->low_mhz,
		.unlimited = true,
	};
}

int priorities_plan_clos(struct context *context, const struct priorities_floor *floors)
{
	struct platform *platform = context->platform;
	size_t count = context->n_domains * SST_CLOS_COUNT;
	_cleanup_free_ struct platform_clos_wish *wishes = calloc(count ?: 1, sizeof(*wishes));
	int err;

	if (!wishes)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		size_t domain = i / SST_CLOS_COUNT;

		if (context_is_passed_over(context, domain))
			continue;
		wishes[i].domain = context->domains[domain];
		wishes[i].clos = i % SST_CLOS_COUNT;
		wishes[i].wanted = clos_of(wishes[i].clos, &floors[domain]);
		wishes[i].keep_desired = true;
	}
	err = platform->ops->plan_clos(platform, context->plan, wishes, count);
	for (size_t i = 0; i < count && !err; i++)
		setting_report_wish(context, i / SST_CLOS_COUNT, wishes[i].error,
				    "parameters of the CLOS");
	return err;
}

static bool has_package(const struct context *context, uint32_t package)
{
	for (size_t i = 0; i < context->n_domains; i++) {
		if (context->domains[i]->package == package)
			return true;
	}
	return false;
}

/* The online CPUs of the context's domains, or of all domains of their packages. */
static int gather_cpus(const struct context *context, bool whole_packages, struct cpuset *ret_cpus)
{
	const struct domain_list *list = &context->platform->domains;
	int err = 0;

	for (size_t i = 0; i < context->n_domains && !err; i++)
		err = cpuset_add_all(ret_cpus, &context->domains[i]->cpus);
	for (size_t i = 0; i < list->n_domains && whole_packages && !err; i++) {
		if (has_package(context, list->domains[i].package))
			err = cpuset_add_all(ret_cpus, &list->domains[i].cpus);
	}
	cpuset_keep(ret_cpus, &context->machine->topology.online);
	return err;
}

/* High ones first: a core is written once, by its first wish, and goes where any of its CPUs goes.
 */
static size_t list_wishes(const struct cpuset *all, const struct cpuset *high,
			  struct platform_assoc_wish *wishes)
{
	size_t count = 0;

	cpuset_foreach (cpu, all) {
		if (cpuset_has(high, cpu))
			wishes[count++] =
				(struct platform_assoc_wish){ .cpu = cpu, .clos = HIGH_CLOS };
	}
	cpuset_foreach (cpu, all) {
		if (!cpuset_has(high, cpu))
			wishes[count++] =
				(struct platform_assoc_wish){ .cpu = cpu, .clos = LOW_CLOS };
	}
	return count;
}

int priorities_plan_assoc(struct context *context, const struct cpuset *high, bool whole_packages)
{
	struct platform *platform = context->platform;
	_cleanup_free_ struct platform_assoc_wish *wishes = NULL;
	_cleanup_cpuset_ struct cpuset all = { 0 };
	size_t count;
	int err = gather_cpus(context, whole_packages && platform->shares_clos, &all);

	wishes = err ? NULL : calloc(cpuset_count(&all) + 1, sizeof(*wishes));
	if (!wishes)
		return -ENOMEM;
	count = list_wishes(&all, high, wishes);
	err = platform->ops->plan_assoc(platform, context->plan, wishes, count);
	for (size_t i = 0; i < count && !err; i++) {
		if (wishes[i].error)
			context_fail(context, NULL, wishes[i].error,
				     "association of cpu-%u to a CLOS", wishes[i].cpu);
	}
	return err;
}
