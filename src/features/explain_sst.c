// SPDX-License-Identifier: GPL-2.0-only
/*
 * Level, SST-BF, SST-TF, CLOS and turbo-ratio limits of single CPUs (hardware.md, sections 3 and
 * 4). Limits by a number of cores are those that hold when every core that is online is active:
 * nobody can read how many are. CLOS 0 and 1 have high priority to SST-TF, 2 and 3 low.
 */
#include "features/explain_sst.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "features/setting.h"
#include "platform/words.h"

#define KHZ_PER_MHZ    1000
#define OPEN_RATIO_MHZ 25500 /* all ones */
#define HIGHEST_CLOS   1 /* with high priority to SST-TF */

/* The answers, by domain and by CPU. */
struct answers {
	struct setting setting;
	struct platform_core_power_query *core_power;
	struct platform_trl_query *trl;
	struct platform_assoc_query *assocs; /* of every online CPU */
	size_t n_assocs;
};

static void answers_done(struct answers *answers)
{
	setting_done(&answers->setting);
	free(answers->core_power);
	free(answers->trl);
	free(answers->assocs);
}

static int read_domains(struct context *context, struct answers *answers)
{
	struct platform *platform = context->platform;
	int err = setting_init(context, PLATFORM_LEVEL | PLATFORM_BASE_FREQ | PLATFORM_TURBO_FREQ,
			       &answers->setting);

	if (err)
		return err;
	answers->core_power = context_new_queries(context, sizeof(*answers->core_power));
	answers->trl = context_new_queries(context, sizeof(*answers->trl));
	if (!answers->core_power || !answers->trl)
		return -ENOMEM;
	err = platform->ops->read_core_power(platform, true, answers->core_power,
					     context->n_domains);
	return err ?: platform->ops->read_trl(platform, answers->trl, context->n_domains);
}

static int read_assocs(struct context *context, struct answers *answers)
{
	const struct cpuset *online = &context->machine->topology.online;

	answers->assocs = calloc(cpuset_count(online), sizeof(*answers->assocs));
	if (!answers->assocs)
		return -ENOMEM;
	cpuset_foreach (cpu, online)
		answers->assocs[answers->n_assocs++].cpu = cpu;
	return context->platform->ops->read_assoc(context->platform, answers->assocs,
						  answers->n_assocs);
}

static const struct platform_assoc_query *find_assoc(const struct answers *answers, uint32_t cpu)
{
	for (size_t i = 0; i < answers->n_assocs; i++) {
		if (answers->assocs[i].cpu == cpu)
			return &answers->assocs[i];
	}
	return NULL;
}

/* Counts the cores, or modules, of a package that have high priority and an online CPU. */
static int count_high_priority(const struct context *context, const struct answers *answers,
			       uint32_t package, bool counts_modules, size_t *ret_count)
{
	const struct topology *topology = &context->machine->topology;
	const struct domain_list *list = &context->platform->domains;
	_cleanup_cpuset_ struct cpuset high = { 0 };
	int err = 0;

	*ret_count = 0;
	for (size_t i = 0; i < answers->n_assocs && !err; i++) {
		if (!answers->assocs[i].error && answers->assocs[i].clos <= HIGHEST_CLOS)
			err = cpuset_add(&high, answers->assocs[i].cpu);
	}
	for (size_t i = 0; i < list->n_domains && !err; i++) {
		_cleanup_cpuset_ struct cpuset cpus = { 0 };

		if (list->domains[i].package != package)
			continue;
		err = cpuset_copy(&cpus, &list->domains[i].cpus);
		cpuset_keep(&cpus, &high);
		if (!err)
			*ret_count += counts_modules ? domains_count_modules(topology, &cpus)
						     : domains_count_cores(topology, &cpus);
	}
	return err == -ENOMEM ? err : 0;
}

static void take_level(const struct answers *answers, const struct target *target,
		       struct frequency_facts *facts, struct explain_sst *sst)
{
	const struct platform_level_query *query = &answers->setting.levels[target->domain];

	sst->has_level = true;
	sst->level = query->level;
	facts->level_base_khz = query->info.base_mhz * KHZ_PER_MHZ;
	if (query->info.base_freq_on) {
		const struct sst_base_freq *base_freq = &query->info.base_freq;

		facts->base_freq_khz = KHZ_PER_MHZ * (cpuset_has(&base_freq->high_cpus, target->cpu)
							      ? base_freq->high_mhz
							      : base_freq->low_mhz);
	}
}

/* The register holds a ratio for each bucket, whose core counts the level tells. */
static int take_turbo_limit(const struct context *context, const struct answers *answers,
			    const struct target *target, struct frequency_facts *facts,
			    struct explain_sst *sst)
{
	const struct power_domain *domain = context->domains[target->domain];
	const struct sst_turbo *turbo = &answers->setting.levels[target->domain].info.turbo;
	_cleanup_cpuset_ struct cpuset active = { 0 };
	uint32_t mhz[SST_BUCKETS];
	int err = cpuset_copy(&active, &domain->cpus);

	if (err)
		return err;
	cpuset_keep(&active, &context->machine->topology.online);
	sst->active_cores = domains_count_cores(&context->machine->topology, &active);
	for (unsigned int i = 0; i < SST_BUCKETS; i++)
		mhz[i] = word_ratio_mhz(word_byte(answers->trl[target->domain].trl, i));
	facts->turbo_limit_khz =
		frequency_limits_by_cores(turbo->core_counts, mhz, sst->active_cores, true);
	if (facts->turbo_limit_khz >= OPEN_RATIO_MHZ * KHZ_PER_MHZ)
		facts->turbo_limit_khz = 0; /* SST-TF has opened it */
	return 0;
}

/* Reads the class of the CPU. What it is about is noted in the output where it fails. */
static int take_clos(struct context *context, const struct answers *answers,
		     const struct target *target, struct frequency_facts *facts,
		     struct explain_sst *sst)
{
	const struct platform_assoc_query *assoc = find_assoc(answers, target->cpu);
	struct platform_clos_query query = { .domain = context->domains[target->domain] };
	int err;

	if (!assoc || assoc->error) {
		context_fail(context, target, assoc ? assoc->error : -ENODATA,
			     "association to a CLOS");
		return 0;
	}
	sst->has_clos = true;
	sst->clos = assoc->clos;
	query.clos = assoc->clos;
	err = context->platform->ops->read_clos(context->platform, &query, 1);
	if (err)
		return err;
	if (query.error) {
		context_fail(context, target, query.error, "parameters of CLOS %u", query.clos);
		return 0;
	}
	facts->clos_min_khz = query.info.min_mhz * KHZ_PER_MHZ;
	facts->clos_max_khz = query.info.unlimited ? 0 : query.info.max_mhz * KHZ_PER_MHZ;
	return 0;
}

static int take_turbo_freq(const struct context *context, const struct answers *answers,
			   const struct target *target, struct frequency_facts *facts,
			   struct explain_sst *sst)
{
	const struct sst_level *level = &answers->setting.levels[target->domain].info;
	const struct sst_turbo_freq *turbo_freq = &level->turbo_freq;
	uint32_t package = context->domains[target->domain]->package;
	size_t n_counted; /* in the unit of the buckets */
	int err;

	if (!level->turbo_freq_on || !sst->has_clos)
		return 0;
	err = count_high_priority(context, answers, package, false, &sst->high_priority_cores);
	n_counted = sst->high_priority_cores;
	if (!err && turbo_freq->counts_modules)
		err = count_high_priority(context, answers, package, true, &n_counted);
	if (err)
		return err;
	if (sst->clos > HIGHEST_CLOS)
		facts->clip_khz = turbo_freq->clip_mhz[0] * KHZ_PER_MHZ;
	else
		facts->turbo_freq_khz =
			frequency_limits_by_cores(turbo_freq->buckets.core_counts,
						  turbo_freq->buckets.mhz[0], n_counted, false);
	return 0;
}

static int take_target(struct context *context, const struct answers *answers,
		       const struct target *target, struct frequency_facts *facts,
		       struct explain_sst *sst)
{
	const struct platform_core_power_query *core_power = &answers->core_power[target->domain];
	const struct platform_trl_query *trl = &answers->trl[target->domain];
	int err = 0;

	if (answers->setting.pp[target->domain].error ||
	    answers->setting.levels[target->domain].error)
		return 0; /* it was reported */
	take_level(answers, target, facts, sst);
	if (trl->error)
		context_fail(context, target, trl->error, "turbo-ratio limits");
	else
		err = take_turbo_limit(context, answers, target, facts, sst);
	if (core_power->error)
		context_fail(context, target, core_power->error, "core-power status");
	else if (core_power->core_power.clos_enabled && !err)
		err = take_clos(context, answers, target, facts, sst);
	return err ?: take_turbo_freq(context, answers, target, facts, sst);
}

/* Where a CPU stands among those of the command. */
static size_t position_of(const struct context *context, uint32_t wanted)
{
	size_t position = 0;

	cpuset_foreach (cpu, context->cpus) {
		if (cpu == wanted)
			break;
		position++;
	}
	return position;
}

int explain_sst_read(struct context *context, struct frequency_facts *facts,
		     struct explain_sst *ssts)
{
	_cleanup_(answers_done) struct answers answers = { 0 };
	int err;

	if (!context->platform || context->platform->bios_fixed)
		return 0; /* there cpufreq tells it all */
	err = context_choose_targets(context, context->cpus, false);
	if (err || context->n_targets == 0)
		return err;
	err = read_domains(context, &answers);
	err = err ?: read_assocs(context, &answers);
	for (size_t i = 0; i < context->n_targets && !err; i++) {
		size_t position = position_of(context, context->targets[i].cpu);

		err = take_target(context, &answers, &context->targets[i], &facts[position],
				  &ssts[position]);
	}
	return err;
}
