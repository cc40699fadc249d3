// SPDX-License-Identifier: GPL-2.0-only
/* cpufreq explain lists what limits the frequency of each CPU, of cpufreq and of Speed Select, and
 * names the limits that bind (hardware.md, sections 3 and 4; sysfs.md, "cpufreq policy",
 * "intel_pstate"). Limits by a number of cores are those that hold if every online core is active:
 * how many are active cannot be read. */
#include "features/cpufreq_explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "features/core_power.h"
#include "features/levels.h"
#include "host/cpufreq.h"
#include "run/cpu_records.h"
#include "sst/limits.h"
#include "sst/values.h"

#define KHZ_PER_MHZ    1000
#define OPEN_RATIO_MHZ 25500 /* all ones */
#define HIGHEST_CLOS   1 /* CLOS 0 and 1 have high priority to SST-TF, 2 and 3 low */

static uint32_t percent_of(const struct frequency_facts *facts, uint32_t percent)
{
	return (uint32_t)((uint64_t)facts->highest_khz * percent / 100);
}

size_t frequency_limits_collect(const struct frequency_facts *facts,
				struct frequency_limit limits[FREQUENCY_LIMITS])
{
	/* Without turbo the base frequency is the limit. */
	uint32_t no_turbo_khz = facts->base_freq_khz ?: facts->base_khz ?: facts->level_base_khz;
	const struct frequency_limit all[] = {
		{ "highest-possible", FREQUENCY_UPPER, facts->highest_khz },
		{ "turbo-ratio-limit", FREQUENCY_UPPER, facts->turbo_limit_khz },
		{ "turbo-freq-bucket", FREQUENCY_UPPER, facts->turbo_freq_khz },
		{ "turbo-freq-clip", FREQUENCY_UPPER, facts->clip_khz },
		{ "clos-max", FREQUENCY_UPPER, facts->clos_max_khz },
		{ "no_turbo", FREQUENCY_UPPER, facts->turbo_off ? no_turbo_khz : 0 },
		{ "max_perf_pct", FREQUENCY_UPPER, percent_of(facts, facts->max_percent) },
		{ "scaling-maximum", FREQUENCY_UPPER, facts->max_khz },
		{ "lowest-possible", FREQUENCY_LOWER, facts->lowest_khz },
		{ "clos-min", FREQUENCY_LOWER, facts->clos_min_khz },
		{ "min_perf_pct", FREQUENCY_LOWER, percent_of(facts, facts->min_percent) },
		{ "scaling-minimum", FREQUENCY_LOWER, facts->min_khz },
		{ "level-base", FREQUENCY_GUARANTEED, facts->level_base_khz },
		{ "base-freq-base", FREQUENCY_GUARANTEED, facts->base_freq_khz },
		{ "cpufreq-base", FREQUENCY_GUARANTEED, facts->base_khz },
	};
	size_t count = 0;

	_Static_assert(ARRAY_SIZE(all) <= FREQUENCY_LIMITS, "room for all of them");
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (all[i].khz)
			limits[count++] = all[i];
	}
	return count;
}

const struct frequency_limit *frequency_limits_binding(const struct frequency_limit *limits,
						       size_t count, enum frequency_kind kind)
{
	const struct frequency_limit *binding = NULL;

	for (size_t i = 0; i < count; i++) {
		bool is_tighter =
			!binding || (kind == FREQUENCY_LOWER ? limits[i].khz > binding->khz
							     : limits[i].khz < binding->khz);

		if (limits[i].kind == kind && is_tighter)
			binding = &limits[i];
	}
	return binding;
}

uint32_t frequency_limits_by_cores(const uint32_t *core_counts, const uint32_t *mhz, size_t cores,
				   bool beyond)
{
	uint32_t last_mhz = 0;

	for (size_t i = 0; i < SST_BUCKETS && core_counts[i]; i++) {
		last_mhz = mhz[i];
		if (core_counts[i] >= cores)
			return mhz[i] * KHZ_PER_MHZ;
	}
	return beyond ? last_mhz * KHZ_PER_MHZ : 0;
}

struct answers {
	struct levels levels; /* current ones */
	struct platform_core_power_query *core_power;
	struct platform_query *trl;
	struct platform_query *assocs; /* of every online CPU */
	size_t n_assocs;
	struct cpuset high; /* CPUs that have high priority */
};

static void answers_done(struct answers *answers)
{
	levels_done(&answers->levels);
	free(answers->core_power);
	free(answers->trl);
	free(answers->assocs);
	cpuset_done(&answers->high);
}

static int read_answers(struct context *context, struct answers *answers)
{
	const struct cpuset *online = &context->machine->topology.online;
	struct platform *platform = context->platform;
	int err = levels_read_current(context,
				      PLATFORM_LEVEL | PLATFORM_BASE_FREQ | PLATFORM_TURBO_FREQ,
				      &answers->levels);

	if (err)
		return err;
	answers->trl = context_new_queries(context, sizeof(*answers->trl));
	answers->assocs = calloc(cpuset_count(online), sizeof(*answers->assocs));
	if (!answers->trl || !answers->assocs)
		return -ENOMEM;
	cpuset_foreach (cpu, online)
		answers->assocs[answers->n_assocs++].cpu = cpu;
	err = core_power_read(context, true, &answers->core_power);
	if (err)
		return err;
	err = limits_read(platform, answers->trl, context->n_domains);
	if (err)
		return err;
	err = platform_read_assoc(platform, answers->assocs, answers->n_assocs);
	for (size_t i = 0; i < answers->n_assocs && !err; i++) {
		const struct platform_query *assoc = &answers->assocs[i];

		if (!assoc->error && assoc->value.number <= HIGHEST_CLOS)
			err = cpuset_add(&answers->high, assoc->cpu);
	}
	return err;
}

/* Counts the cores, or modules, of a package that have high priority and an online CPU. */
static int count_high_priority(const struct context *context, const struct answers *answers,
			       uint32_t package, bool counts_modules, size_t *ret_count)
{
	const struct topology *topology = &context->machine->topology;
	const struct domain_list *list = &context->platform->domains;
	size_t count = 0;

	for (size_t i = 0; i < list->n_domains; i++) {
		_cleanup_cpuset_ struct cpuset cpus = { 0 };

		if (list->domains[i].package != package)
			continue;
		if (cpuset_copy(&cpus, &list->domains[i].cpus))
			return -ENOMEM;
		cpuset_keep(&cpus, &answers->high);
		count += domains_count_cores(topology, &cpus, counts_modules);
	}
	*ret_count = count;
	return 0;
}

/* The register holds a ratio for each bucket; the level has the buckets' numbers of cores. */
static int take_turbo_limit(const struct context *context, const struct power_domain *domain,
			    const struct sst_turbo *turbo, uint64_t trl,
			    struct frequency_facts *facts)
{
	_cleanup_cpuset_ struct cpuset active = { 0 };
	uint32_t mhz[SST_BUCKETS];
	int err = cpuset_copy(&active, &domain->cpus);

	if (err)
		return err;
	cpuset_keep(&active, &context->machine->topology.online);
	facts->active_cores = domains_count_cores(&context->machine->topology, &active, false);
	for (unsigned int i = 0; i < SST_BUCKETS; i++)
		mhz[i] = sst_ratio_mhz(sst_byte(trl, i));
	facts->turbo_limit_khz =
		frequency_limits_by_cores(turbo->core_counts, mhz, facts->active_cores, true);
	if (facts->turbo_limit_khz >= OPEN_RATIO_MHZ * KHZ_PER_MHZ)
		facts->turbo_limit_khz = 0; /* SST-TF has opened it */
	return 0;
}

static int take_clos(struct context *context, const struct answers *answers,
		     const struct target *target, struct frequency_facts *facts)
{
	struct platform_query query = { .domain = context->domains[target->domain] };
	struct sst_clos clos;
	size_t i = 0;
	int err;

	while (answers->assocs[i].cpu != target->cpu)
		i++;
	if (answers->assocs[i].error) {
		context_fail(context, target, answers->assocs[i].error, "association to a CLOS");
		return 0;
	}
	facts->has_clos = true;
	facts->clos = (uint32_t)answers->assocs[i].value.number;
	query.index = facts->clos;
	err = platform_read_clos(context->platform, &query, 1);
	if (err)
		return err;
	if (query.error) {
		context_fail(context, target, query.error, "parameters of CLOS %u", query.index);
		return 0;
	}
	clos = value_to_clos(&query.value);
	facts->clos_min_khz = clos.min_mhz * KHZ_PER_MHZ;
	facts->clos_max_khz = clos.unlimited ? 0 : clos.max_mhz * KHZ_PER_MHZ;
	return 0;
}

static int take_turbo_freq(const struct context *context, const struct answers *answers,
			   uint32_t package, const struct sst_level *level,
			   struct frequency_facts *facts)
{
	const struct sst_turbo_freq *turbo_freq = &level->turbo_freq;
	size_t n_counted; /* in the unit of the buckets */
	int err;

	if (!level->turbo_freq_on || !facts->has_clos)
		return 0;
	err = count_high_priority(context, answers, package, false, &facts->high_priority_cores);
	if (err)
		return err;
	err = count_high_priority(context, answers, package, turbo_freq->counts_modules,
				  &n_counted);
	if (err)
		return err;
	if (facts->clos > HIGHEST_CLOS)
		facts->clip_khz = turbo_freq->clip_mhz[0] * KHZ_PER_MHZ;
	else
		facts->turbo_freq_khz =
			frequency_limits_by_cores(turbo_freq->buckets.core_counts,
						  turbo_freq->buckets.mhz[0], n_counted, false);
	return 0;
}

static int take_target(struct context *context, const struct answers *answers,
		       const struct target *target, struct frequency_facts *facts)
{
	const struct platform_level_query *query =
		levels_of_domain(&answers->levels, target->domain);
	const struct platform_core_power_query *core_power = &answers->core_power[target->domain];
	const struct platform_query *trl = &answers->trl[target->domain];
	const struct power_domain *domain = context->domains[target->domain];
	const struct sst_base_freq *base_freq;
	int err = 0;

	if (!query || query->error)
		return 0; /* it was reported */
	base_freq = &query->info.base_freq;
	facts->has_level = true;
	facts->level = query->level;
	facts->level_base_khz = query->info.base_mhz * KHZ_PER_MHZ;
	if (query->info.base_freq_on)
		facts->base_freq_khz = KHZ_PER_MHZ * (cpuset_has(&base_freq->high_cpus, target->cpu)
							      ? base_freq->high_mhz
							      : base_freq->low_mhz);
	if (trl->error)
		context_fail(context, target, trl->error, "turbo-ratio limits");
	else
		err = take_turbo_limit(context, domain, &query->info.turbo, trl->value.number,
				       facts);
	if (err)
		return err;
	if (core_power->error)
		context_fail(context, target, core_power->error, "core-power status");
	else if (core_power->core_power.clos_enabled)
		err = take_clos(context, answers, target, facts);
	if (err)
		return err;
	return take_turbo_freq(context, answers, domain->package, &query->info, facts);
}

/* Adds what Speed Select reports to the facts of the CPUs. Nothing without a platform; Cascade
 * Lake-N has all of it in cpufreq. */
static int read_sst(struct context *context, const struct cpu_records *policies,
		    struct frequency_facts *facts)
{
	_cleanup_(answers_done) struct answers answers = { 0 };
	int err;

	if (!context->platform || context->platform->is_clx_n)
		return 0;
	err = context_choose_targets(context, context->cpus, false);
	if (err || context->n_targets == 0)
		return err;
	err = read_answers(context, &answers);
	if (err)
		return err;
	for (size_t i = 0, at = 0; i < context->n_targets; i++) {
		while (policies->list[at].cpu != context->targets[i].cpu)
			at++;
		err = take_target(context, &answers, &context->targets[i], &facts[at]);
		if (err)
			return err;
	}
	return 0;
}

static uint32_t parse_percent(const char *text)
{
	uint64_t percent;

	return text && !number_parse_file(text, &percent) && percent <= 100 ? (uint32_t)percent : 0;
}

static int read_cpufreq(struct context *context, const struct cpu_records *policies,
			struct frequency_facts *facts)
{
	_cleanup_cpufreq_machine_ struct cpufreq_machine machine = { 0 };
	bool turbo_off;
	int err = cpufreq_read_machine(context->machine->host->files, &machine);

	if (err == -ENOMEM)
		return err;
	if (err)
		context_fail(context, NULL, err, "cpufreq of the whole machine");
	/* no_turbo of intel_pstate, or boost of other drivers */
	if (machine.no_turbo)
		turbo_off = strcmp(machine.no_turbo, "0") != 0;
	else
		turbo_off = machine.boost && strcmp(machine.boost, "0") == 0;
	for (size_t i = 0; i < policies->count; i++) {
		const struct cpufreq_policy *policy = policies->list[i].data;

		if (policy)
			facts[i] = (struct frequency_facts){
				.lowest_khz = policy->lowest_khz,
				.highest_khz = policy->highest_khz,
				.min_khz = policy->min_khz,
				.max_khz = policy->max_khz,
				.base_khz = policy->base_khz,
				.min_percent = parse_percent(machine.min_perf_pct),
				.max_percent = parse_percent(machine.max_perf_pct),
				.turbo_off = turbo_off,
			};
	}
	return 0;
}

static void put_kind(struct output *output, const struct frequency_limit *limits, size_t count,
		     enum frequency_kind kind, const char *node)
{
	_cleanup_scope_ struct output_scope scope = { 0 };

	if (!frequency_limits_binding(limits, count, kind))
		return;
	scope = output_enter(output, "%s", node);
	for (size_t i = 0; i < count; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s(MHz)", limits[i].name);
		if (limits[i].kind == kind)
			output_known_mhz(output, name, limits[i].khz);
	}
}

static void put_binding(struct output *output, const struct frequency_limit *limits, size_t count)
{
	const struct frequency_limit *upper =
		frequency_limits_binding(limits, count, FREQUENCY_UPPER);
	const struct frequency_limit *lower =
		frequency_limits_binding(limits, count, FREQUENCY_LOWER);

	if (upper) {
		output_known_mhz(output, "maximum-frequency(MHz)", upper->khz);
		output_known_text(output, "maximum-bound-by", upper->name);
	}
	/* A lower limit above the upper one has no effect. */
	if (lower && upper && lower->khz > upper->khz)
		lower = upper;
	if (lower) {
		output_known_mhz(output, "minimum-frequency(MHz)", lower->khz);
		output_known_text(output, "minimum-bound-by", lower->name);
	}
}

static void put_cpu(struct context *context, uint32_t cpu, const struct frequency_facts *facts)
{
	const struct cpu_place *cpu_place = &context->machine->topology.places[cpu];
	const struct output_place place = {
		.package = cpu_place->package,
		.die = cpu_place->die,
		.power_domain = OUTPUT_NOT_SHOWN,
		.cpu = cpu,
	};
	struct output *output = context->output;
	struct frequency_limit limits[FREQUENCY_LIMITS];
	size_t count = frequency_limits_collect(facts, limits);
	_cleanup_scope_ struct output_scope scope = output_enter_place(output, &place, "explain");

	put_binding(output, limits, count);
	if (facts->has_level)
		output_number(output, "performance-level", facts->level, "");
	if (facts->has_clos)
		output_number(output, "clos", facts->clos, "");
	if (facts->active_cores)
		output_number(output, "active-cores-at-most", facts->active_cores, "");
	if (facts->high_priority_cores)
		output_number(output, "high-priority-cores", facts->high_priority_cores, "");
	put_kind(output, limits, count, FREQUENCY_UPPER, "upper-limits");
	put_kind(output, limits, count, FREQUENCY_LOWER, "lower-limits");
	put_kind(output, limits, count, FREQUENCY_GUARANTEED, "guaranteed");
	context->report.n_results++;
}

int cpufreq_explain(struct context *context)
{
	_cleanup_cpu_records_ struct cpu_records policies = { 0 };
	_cleanup_free_ struct frequency_facts *facts = NULL;
	int err = cpu_records_read(context, false, false, &policies);

	if (err || report_status(&context->report) == STATUS_UNSUPPORTED)
		return err;
	facts = calloc(policies.count, sizeof(*facts));
	if (!facts)
		return -ENOMEM;
	if (context->lacks_platform)
		context_note(context, NULL, "without what Speed Select says: %s",
			     context->lacks_platform);
	err = read_cpufreq(context, &policies, facts);
	if (err)
		return err;
	err = read_sst(context, &policies, facts);
	if (err)
		return err;
	for (size_t i = 0; i < policies.count; i++) {
		if (policies.list[i].data)
			put_cpu(context, policies.list[i].cpu, &facts[i]);
	}
	return 0;
}
