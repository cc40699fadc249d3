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
#include "features/levels.h"
#include "host/cpufreq.h"
#include "run/cpu_records.h"
#include "sst/expected.h"

#define KHZ_PER_MHZ 1000

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
		/* these two hold for SSE */
		{ "base-freq-base", FREQUENCY_GUARANTEED,
		  facts->is_not_sse ? 0 : facts->base_freq_khz },
		{ "cpufreq-base", FREQUENCY_GUARANTEED, facts->is_not_sse ? 0 : facts->base_khz },
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

void frequency_facts_take(struct frequency_facts *facts, const struct expected_cpu *cpu)
{
	facts->has_level = cpu->has_level;
	if (!cpu->has_level)
		return;
	facts->level = cpu->level;
	facts->level_base_khz = cpu->level_base_mhz * KHZ_PER_MHZ;
	facts->base_freq_khz = cpu->base_freq_mhz * KHZ_PER_MHZ;
	facts->active_cores = cpu->active_cores;
	facts->turbo_limit_khz = cpu->turbo_limit_mhz * KHZ_PER_MHZ;
	facts->has_clos = cpu->has_clos;
	facts->clos = cpu->clos;
	facts->clos_min_khz = cpu->clos_min_mhz * KHZ_PER_MHZ;
	facts->clos_max_khz = cpu->clos_max_mhz * KHZ_PER_MHZ;
	facts->high_priority_cores = cpu->high_cores;
	facts->turbo_freq_khz = cpu->turbo_freq_mhz * KHZ_PER_MHZ;
	facts->clip_khz = cpu->clip_mhz * KHZ_PER_MHZ;
}

/* Adds what is known of one CPU to its facts, and reports what could not be read. */
static void take_cpu(struct context *context, const struct target *target,
		     const struct expected_cpu *cpu, struct frequency_facts *facts)
{
	frequency_facts_take(facts, cpu);
	if (!cpu->has_level)
		return; /* it was reported */
	if (cpu->trl_error)
		context_fail(context, target, cpu->trl_error, "turbo-ratio limits");
	if (cpu->core_power_error)
		context_fail(context, target, cpu->core_power_error, "core-power status");
	else if (cpu->assoc_error)
		context_fail(context, target, cpu->assoc_error, "association to a CLOS");
	else if (cpu->clos_error)
		context_fail(context, target, cpu->clos_error, "parameters of CLOS %u", cpu->clos);
}

/* Is the instruction set one that the level of each domain has frequencies for? A level that could
 * not be read is reported. */
static void check_levels(struct context *context, const struct expected *expected,
			 const struct option_number *isa)
{
	unsigned int trl_level = levels_trl_of(isa, 0);

	for (size_t i = 0; i < context->n_domains; i++) {
		const struct target *target = context_find_target(context, context->domains[i]);
		const struct platform_level_query *query = &expected->levels[i];

		if (!levels_report_pp(context, target, &expected->pp[i]) &&
		    !levels_report(context, target, query) &&
		    (trl_level >= context->platform->n_trl_levels ||
		     (trl_level > 0 && !query->info.turbo.mhz[trl_level][0])))
			context_lack(context, target,
				     "level %u reports no turbo-ratio limits for --isa %s",
				     query->level, levels_trl_words[isa->value]);
	}
}

/* Adds what Speed Select reports to the facts of the CPUs. Nothing without a platform; Cascade
 * Lake-N has all of it in cpufreq. */
static int read_sst(struct context *context, const struct cpu_records *policies,
		    const struct option_number *isa, struct frequency_facts *facts)
{
	unsigned int trl_level = levels_trl_of(isa, 0);
	_cleanup_expected_ struct expected expected = { 0 };
	int err;

	if (!context->platform || context->platform->is_clx_n) {
		if (trl_level > 0)
			context_lack(context, NULL,
				     "--isa %s: only Speed Select reports frequencies by "
				     "instruction set, and not on this machine",
				     levels_trl_words[isa->value]);
		return 0;
	}
	err = context_choose_targets(context, context->cpus, false);
	if (err || context->n_targets == 0)
		return err;
	err = expected_read(context->platform, context->domains, context->n_domains, false,
			    &expected);
	if (err)
		return err;
	check_levels(context, &expected, isa);
	for (size_t i = 0, at = 0; i < context->n_targets; i++) {
		const struct target *target = &context->targets[i];
		struct expected_cpu cpu;

		while (policies->list[at].cpu != target->cpu)
			at++;
		err = expected_of_cpu(&expected, target->domain, target->cpu, trl_level, &cpu);
		if (err)
			return err;
		take_cpu(context, target, &cpu, &facts[at]);
	}
	return 0;
}

static uint32_t parse_percent(const char *text)
{
	uint64_t percent;

	return text && !number_parse_file(text, &percent) && percent <= 100 ? (uint32_t)percent : 0;
}

bool frequency_turbo_is_off(const struct cpufreq_machine *machine)
{
	/* no_turbo of intel_pstate, or boost of other drivers */
	if (machine->no_turbo)
		return strcmp(machine->no_turbo, "0") != 0;
	return machine->boost && strcmp(machine->boost, "0") == 0;
}

struct frequency_facts frequency_facts_of_policy(const struct cpufreq_machine *machine,
						 const struct cpufreq_policy *policy)
{
	return (struct frequency_facts){
		.lowest_khz = policy->lowest_khz,
		.highest_khz = policy->highest_khz,
		.min_khz = policy->min_khz,
		.max_khz = policy->max_khz,
		.base_khz = policy->base_khz,
		.min_percent = parse_percent(machine->min_perf_pct),
		.max_percent = parse_percent(machine->max_perf_pct),
		.turbo_off = frequency_turbo_is_off(machine),
	};
}

static int read_cpufreq(struct context *context, const struct cpu_records *policies,
			bool is_not_sse, struct frequency_facts *facts)
{
	_cleanup_cpufreq_machine_ struct cpufreq_machine machine = { 0 };
	int err = cpufreq_read_machine(context->machine->host->files, &machine);

	if (err == -ENOMEM)
		return err;
	if (err)
		context_fail(context, NULL, err, "cpufreq of the whole machine");
	for (size_t i = 0; i < policies->count; i++) {
		const struct cpufreq_policy *policy = policies->list[i].data;

		if (!policy)
			continue;
		facts[i] = frequency_facts_of_policy(&machine, policy);
		facts[i].is_not_sse = is_not_sse;
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
	if (facts->high_priority_cores) {
		output_number(output, "high-priority-cores", facts->high_priority_cores, "");
		output_known_text(output, "high-priority-cores-counted", "per package");
	}
	put_kind(output, limits, count, FREQUENCY_UPPER, "upper-limits");
	put_kind(output, limits, count, FREQUENCY_LOWER, "lower-limits");
	put_kind(output, limits, count, FREQUENCY_GUARANTEED, "guaranteed");
	context->report.n_results++;
}

int cpufreq_explain(struct context *context)
{
	_cleanup_cpu_records_ struct cpu_records policies = { 0 };
	_cleanup_free_ struct frequency_facts *facts = NULL;
	const struct cpufreq_explain_arguments *arguments = context->options->arguments;
	int err = cpu_records_read(context, false, false, &policies);

	if (err || report_status(&context->report) == STATUS_UNSUPPORTED)
		return err;
	facts = calloc(policies.count, sizeof(*facts));
	if (!facts)
		return -ENOMEM;
	if (context->lacks_platform)
		context_note(context, NULL, "without what Speed Select says: %s",
			     context->lacks_platform);
	err = read_cpufreq(context, &policies, levels_trl_of(&arguments->isa, 0) > 0, facts);
	if (err)
		return err;
	err = read_sst(context, &policies, &arguments->isa, facts);
	if (err || report_status(&context->report) == STATUS_UNSUPPORTED)
		return err;
	for (size_t i = 0; i < policies.count; i++) {
		if (policies.list[i].data)
			put_cpu(context, policies.list[i].cpu, &facts[i]);
	}
	return 0;
}
