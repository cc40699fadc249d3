// SPDX-License-Identifier: GPL-2.0-only
/* cpufreq explain lists the frequency limits of each CPU, from cpufreq and from Speed Select, and
 * names the limits that bind (hardware.md, sections 3 and 4; sysfs.md, "cpufreq policy",
 * "intel_pstate"; measure.md, "One predictor"). Limits that depend on the number of active cores
 * assume that all online cores are active, since this number cannot be read. */
#include "features/cpufreq_explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "features/levels.h"
#include "host/cpufreq.h"
#include "host/powercap.h"
#include "run/cpu_records.h"
#include "sst/expected.h"

/* Reports what could not be read of one CPU. */
static void report_cpu(struct context *context, const struct target *target,
		       const struct expected_cpu *cpu)
{
	if (!cpu->inputs.level)
		return; /* it was reported */
	if (cpu->trl_error)
		context_fail(context, target, cpu->trl_error, "turbo-ratio limits");
	if (cpu->core_power_error)
		context_fail(context, target, cpu->core_power_error, "core-power status");
	else if (cpu->assoc_error)
		context_fail(context, target, cpu->assoc_error, "association to a CLOS");
	else if (cpu->clos_error)
		context_fail(context, target, cpu->clos_error, "parameters of CLOS %u",
			     cpu->inputs.clos);
}

/* Reports levels without frequencies for the instruction set, and levels that could not be read. */
static void check_levels(struct context *context, const struct expected *expected,
			 const struct option_number *isa)
{
	unsigned int trl_level = levels_trl_of(isa, 0);

	for (size_t i = 0; i < context->targets.n_domains; i++) {
		const struct target *target =
			context_find_target(context, context->targets.domains[i]);
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

/* Reads what Speed Select reports about the CPUs. Reads nothing without a platform, or if cpufreq
 * has all of it. */
static int read_sst(struct context *context, const struct cpu_records *policies,
		    const struct option_number *isa, struct expected *expected,
		    struct expected_cpu *cpus)
{
	unsigned int trl_level = levels_trl_of(isa, 0);
	int err;

	if (!context->platform || context->platform->base_freq_by_cpufreq) {
		if (trl_level > 0)
			context_lack(context, NULL,
				     "--isa %s: only Speed Select reports frequencies by "
				     "instruction set, and not on this machine",
				     levels_trl_words[isa->value]);
		return 0;
	}
	err = context_choose_targets(context, context->targets.cpus, false);
	if (err || context->targets.n == 0)
		return err;
	err = expected_read(context->platform, context->targets.domains, context->targets.n_domains,
			    false, expected);
	if (err)
		return err;
	check_levels(context, expected, isa);
	levels_note_sums(context, expected);
	for (size_t i = 0, at = 0; i < context->targets.n; i++) {
		const struct target *target = &context->targets.list[i];

		while (policies->list[at].cpu != target->cpu)
			at++;
		cpus[at] = expected_of_cpu(expected, target->domain, target->cpu);
		report_cpu(context, target, &cpus[at]);
	}
	return 0;
}

void cpufreq_take_limits(const struct cpufreq_machine *machine, const struct cpufreq_policy *policy,
			 struct frequency_inputs *inputs)
{
	inputs->lowest_khz = policy->lowest_khz;
	inputs->highest_khz = policy->highest_khz;
	inputs->min_khz = policy->min_khz;
	inputs->max_khz = policy->max_khz;
	inputs->base_khz = policy->base_khz;
	inputs->min_percent = cpufreq_parse_percent(machine->min_perf_pct);
	inputs->max_percent = cpufreq_parse_percent(machine->max_perf_pct);
	inputs->turbo_off = cpufreq_turbo_is_off(machine);
	inputs->is_unread = machine->is_unread;
}

/* Reads the limits of cpufreq for the complete machine; none if they cannot be read. */
static int read_cpufreq(struct context *context, struct cpufreq_machine *ret_machine)
{
	int err = cpufreq_read_machine(context->machine->host->files, ret_machine);

	if (err && err != -ENOMEM)
		cpu_records_report_machine(context, ret_machine, err);
	return err == -ENOMEM ? err : 0;
}

/* Puts the highest possible frequency, and the frequency that Linux has not taken over. */
static void put_highest(struct output *output, const struct frequency_prediction *prediction)
{
	char highest[NUMBER_MHZ_SIZE], above[NUMBER_MHZ_SIZE];

	number_format_mhz(prediction->khz[FREQUENCY_HIGHEST_POSSIBLE], highest);
	number_format_mhz(prediction->above_highest_khz, above);
	if (output_is_json(output)) {
		output_value(output, "highest-possible(MHz)", "%s", highest);
		output_value(output, "not-taken-over(MHz)", "%s", above);
	} else {
		output_value(output, "highest-possible(MHz)", "%s (Linux has not taken over %s)",
			     highest, above);
	}
}

static void put_limit(struct output *output, const struct frequency_prediction *prediction,
		      enum frequency_limit limit)
{
	uint32_t khz = prediction->khz[limit];

	if (limit == FREQUENCY_HIGHEST_POSSIBLE && prediction->above_highest_khz)
		put_highest(output, prediction);
	else
		output_known_mhz_range(
			output, frequency_limit_name(limit), khz,
			limit == FREQUENCY_TURBO_RATIO_LIMIT ? prediction->high_trl_khz : khz);
}

static void put_kind(struct output *output, const struct frequency_prediction *prediction,
		     enum frequency_kind kind, const char *node)
{
	_cleanup_scope_ struct output_scope scope = { 0 };
	bool is_open = false;

	for (enum frequency_limit i = 0; i < N_FREQUENCY_LIMITS; i++) {
		if (frequency_limit_kind(i) != kind || !prediction->khz[i])
			continue;
		if (!is_open)
			scope = output_enter(output, "%s", node);
		is_open = true;
		put_limit(output, prediction, i);
	}
}

/* unknown: why the maximum is unknown, or NULL. */
static void put_binding(struct output *output, const struct frequency_prediction *prediction,
			const char *unknown)
{
	enum frequency_limit upper = prediction->cap_by;
	enum frequency_limit lower = frequency_find_binding(prediction, FREQUENCY_LOWER);

	output_known_text(output, "maximum-unknown", unknown);
	if (upper != FREQUENCY_NO_LIMIT && !unknown) {
		output_known_mhz_range(output, "maximum-frequency", prediction->cap_khz,
				       prediction->high_khz);
		output_known_text(output, "maximum-bound-by", frequency_limit_name(upper));
		/* A lower limit above the upper one has no effect. */
		if (lower != FREQUENCY_NO_LIMIT && prediction->khz[lower] > prediction->cap_khz)
			lower = upper;
	}
	if (lower != FREQUENCY_NO_LIMIT) {
		output_known_mhz(output, "minimum-frequency(MHz)", prediction->khz[lower]);
		output_known_text(output, "minimum-bound-by", frequency_limit_name(lower));
	}
}

/* Returns the zone of a CPU's package, or its die, whose long-term limit is on; or NULL. */
static const struct power_zone *find_zone(const struct power_zones *zones,
					  const struct cpu_place *place)
{
	for (size_t i = 0; i < zones->count; i++) {
		const struct power_zone *zone = &zones->list[i];

		if (power_zone_is_of(zone, place->package, place->die) &&
		    power_zone_long_term_uw(zone))
			return zone;
	}
	return NULL;
}

/* Puts the power limit, without a predicted frequency, and the lower of the limit and the TDP. */
static void put_power(struct context *context, const struct power_zone *zone,
		      const struct sst_level *level)
{
	struct output *output = context->output;
	_cleanup_free_ char *setting = NULL;
	_cleanup_scope_ struct output_scope scope = { 0 };
	uint64_t tdp_mw = level ? level->tdp_w * (uint64_t)MW_PER_W : 0, limit_mw;
	char text[NUMBER_MHZ_SIZE];

	if (!zone)
		return;
	limit_mw = zone->constraints[POWER_LONG_TERM].limit_uw / UW_PER_MW;
	number_format_mhz((uint32_t)limit_mw, text);
	scope = output_enter(output, "power");
	output_value(output, "power-limit(W)", "%s", text);
	output_value(output, "power-limit-by", "%s", power_constraint_name(POWER_LONG_TERM));
	if (!tdp_mw)
		return;
	output_number(output, "level-tdp(W)", level->tdp_w, "");
	output_value(output, "power-bound-by", "%s",
		     limit_mw < tdp_mw ? "power-limit" : "level-tdp");
	if (limit_mw >= tdp_mw)
		return;
	setting =
		host_complete_commands(context->request->host, strdup("isst power set --pl1 tdp"));
	output_value(output, "power-setting", "%s", setting ?: "");
}

/* What is shown of a CPU. */
struct explained {
	const struct expected_cpu *cpu;
	const struct power_zone *zone; /* or NULL */
	struct frequency_prediction prediction;
	const char *unknown; /* why the maximum is unknown; or NULL */
};

static bool is_equal(const void *left_data, const void *right_data)
{
	const struct explained *left = left_data, *right = right_data;
	const struct expected_cpu *a = left->cpu, *b = right->cpu;

	return memcmp(&left->prediction, &right->prediction, sizeof(left->prediction)) == 0 &&
	       strcmp(left->unknown ?: "", right->unknown ?: "") == 0 &&
	       left->zone == right->zone && a->inputs.level == b->inputs.level &&
	       a->inputs.has_clos == b->inputs.has_clos && a->inputs.clos == b->inputs.clos;
}

static void put_group(struct context *context, const struct cpu_group *group)
{
	const struct explained *explained = group->data;
	const struct expected_cpu *cpu = explained->cpu;
	struct output_place place = cpu_groups_place(group);
	struct output *output = context->output;
	_cleanup_scope_ struct output_scope scope = output_enter_place(output, &place, "explain");

	put_binding(output, &explained->prediction, explained->unknown);
	if (cpu->inputs.level) {
		output_number(output, "performance-level", cpu->level_number, "");
		if (cpu->inputs.has_clos)
			output_number(output, "clos", cpu->inputs.clos, "");
		output_number(output, "active-cores-at-most", cpu->counts.cores, "");
		if (cpu->inputs.turbo_freq_on && cpu->counts.high_cores) {
			output_number(output, "high-priority-cores", cpu->counts.high_cores, "");
			output_known_text(output, "high-priority-cores-counted", "per package");
		}
	}
	put_kind(output, &explained->prediction, FREQUENCY_UPPER, "upper-limits");
	put_kind(output, &explained->prediction, FREQUENCY_LOWER, "lower-limits");
	put_kind(output, &explained->prediction, FREQUENCY_GUARANTEED, "guaranteed");
	put_power(context, explained->zone, cpu->inputs.level);
	context->report.n_results++;
}

/* Predicts each CPU that cpufreq has, and groups equal CPUs. */
static int put_cpus(struct context *context, const struct cpu_records *policies,
		    const struct expected_cpu *cpus, const struct power_zones *zones,
		    struct cpuset *behind)
{
	const struct cpufreq_explain_arguments *arguments = context->request->arguments;
	const struct topology *topology = &context->machine->topology;
	const unsigned int trl_level = levels_trl_of(&arguments->isa, 0);
	_cleanup_free_ struct explained *list = calloc(policies->count ?: 1, sizeof(*list));
	_cleanup_free_ struct cpu_record *records = calloc(policies->count ?: 1, sizeof(*records));
	_cleanup_cpu_groups_ struct cpu_groups groups = { 0 };
	int err = list && records ? 0 : -ENOMEM;

	for (size_t i = 0; i < policies->count && !err; i++) {
		struct explained *explained = &list[i];
		const uint32_t cpu = policies->list[i].cpu;

		records[i] = policies->list[i];
		if (!policies->list[i].data)
			continue;
		records[i].data = explained;
		explained->cpu = &cpus[i];
		explained->zone = find_zone(zones, &topology->places[cpu]);
		explained->prediction = expected_predict(&cpus[i], trl_level);
		expected_check_highest(context->machine->host->files, cpu, &explained->prediction);
		explained->unknown =
			frequency_find_unknown(&cpus[i].inputs, trl_level, &explained->prediction);
		if (explained->prediction.above_highest_khz)
			err = cpuset_add(behind, cpu);
	}
	if (!err)
		err = cpu_groups_make(topology, records, policies->count,
				      context->request->globals->each ? NULL : is_equal, &groups);
	for (size_t i = 0; i < groups.count && !err; i++)
		put_group(context, &groups.groups[i]);
	return err;
}

/* Reads the power limits; nothing if the machine has none. */
static int read_zones(struct context *context, struct power_zones *ret_zones)
{
	int err = power_zones_read(context->machine->host->files, false, ret_zones);

	if (err && err != -ENOENT && err != -ENOMEM)
		context_fail(context, NULL, err, "power limits: %s", ret_zones->unread);
	return err == -ENOMEM ? err : 0;
}

int cpufreq_explain(struct context *context)
{
	_cleanup_cpu_records_ struct cpu_records policies = { 0 };
	_cleanup_cpufreq_machine_ struct cpufreq_machine machine = { 0 };
	_cleanup_expected_ struct expected expected = { 0 };
	_cleanup_free_ struct expected_cpu *cpus = NULL;
	_cleanup_power_zones_ struct power_zones zones = { 0 };
	_cleanup_cpuset_ struct cpuset behind = { 0 };
	_cleanup_free_ char *note = NULL;
	const struct cpufreq_explain_arguments *arguments = context->request->arguments;
	int err;

	if (arguments->load.given || arguments->clear_limits || arguments->all) {
		context_refuse_usage(context, "%s needs --measure TIME",
				     arguments->load.given ? "--load"
				     : arguments->all      ? "--all"
							   : "--clear-limits");
		return 0;
	}
	err = cpu_records_read(context, NULL, &policies);
	if (err || report_status(&context->report) == STATUS_UNSUPPORTED)
		return err;
	cpus = calloc(policies.count, sizeof(*cpus));
	if (!cpus)
		return -ENOMEM;
	if (context->lacks_platform)
		context_note(context, NULL, "without the values of Speed Select: %s",
			     context->lacks_platform);
	err = cpu_records_report_unread(context, &policies, CPUFREQ_NOMINAL);
	if (!err)
		err = read_cpufreq(context, &machine);
	if (!err)
		err = read_sst(context, &policies, &arguments->isa, &expected, cpus);
	if (!err)
		err = read_zones(context, &zones);
	if (err || report_status(&context->report) == STATUS_UNSUPPORTED)
		return err;
	for (size_t i = 0; i < policies.count; i++) {
		if (policies.list[i].data)
			cpufreq_take_limits(&machine, policies.list[i].data, &cpus[i].inputs);
	}
	err = put_cpus(context, &policies, cpus, &zones, &behind);
	note = host_complete_commands(context->request->host,
				      strdup(": Linux has not taken over their highest frequency; "
					     "remedy: `" EXPECTED_RETAKE
					     "`, which " EXPECTED_RETAKE_PRICE));
	if (!note)
		return -ENOMEM;
	context_report_cpus(context, REPORT_NOTE, "CPUs ", &behind, note);
	return err;
}
