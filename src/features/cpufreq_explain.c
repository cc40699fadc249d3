// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpufreq explain: every limit that holds for a CPU now, and the one that binds (sysfs.md, "cpufreq
 * policy" and "intel_pstate"; hardware.md, sections 3 and 4). What Speed Select adds is asked for
 * where there is a driver; else a note says why it is missing.
 */
#include "features/cpufreq_explain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "features/cpu_groups.h"
#include "features/explain_sst.h"
#include "features/frequency_limits.h"
#include "features/machine_reading.h"
#include "machine/cpufreq.h"

/* What is shown of one CPU. */
struct explanation {
	const struct frequency_facts *facts;
	const struct explain_sst *sst;
	struct frequency_limit limits[FREQUENCY_LIMITS];
	size_t n_limits;
};

static uint32_t percent_of(const char *text)
{
	uint64_t percent;

	return text && !number_parse_file(text, &percent) && percent <= 100 ? (uint32_t)percent : 0;
}

/* no_turbo of intel_pstate, or boost of other drivers. */
static bool is_turbo_off(const struct cpufreq_machine *machine)
{
	if (machine->no_turbo)
		return strcmp(machine->no_turbo, "0") != 0;
	return machine->boost && strcmp(machine->boost, "0") == 0;
}

static void take_policy(const struct cpufreq_policy *policy, const struct cpufreq_machine *machine,
			struct frequency_facts *facts)
{
	facts->lowest_khz = policy->lowest_khz;
	facts->highest_khz = policy->highest_khz;
	facts->min_khz = policy->min_khz;
	facts->max_khz = policy->max_khz;
	facts->base_khz = policy->base_khz;
	facts->min_percent = percent_of(machine->min_perf_pct);
	facts->max_percent = percent_of(machine->max_perf_pct);
	facts->turbo_off = is_turbo_off(machine);
}

static void put_kind(struct output *output, const struct explanation *explanation,
		     enum frequency_kind kind, const char *node)
{
	_cleanup_scope_ struct output_scope scope = { 0 };

	if (!frequency_limits_binding(explanation->limits, explanation->n_limits, kind))
		return;
	scope = output_enter(output, "%s", node);
	for (size_t i = 0; i < explanation->n_limits; i++) {
		const struct frequency_limit *limit = &explanation->limits[i];
		_cleanup_free_ char *name = NULL;
		char mhz[MACHINE_READING_MHZ_SIZE];

		if (limit->kind != kind || asprintf(&name, "%s(MHz)", limit->name) < 0) {
			name = NULL;
			continue;
		}
		machine_reading_format_mhz(limit->khz, mhz);
		output_value(output, name, "%s", mhz);
	}
}

static void put_binding(struct output *output, const struct explanation *explanation)
{
	const struct frequency_limit *upper = frequency_limits_binding(
		explanation->limits, explanation->n_limits, FREQUENCY_UPPER);
	const struct frequency_limit *lower = frequency_limits_binding(
		explanation->limits, explanation->n_limits, FREQUENCY_LOWER);
	char mhz[MACHINE_READING_MHZ_SIZE];

	if (upper) {
		machine_reading_format_mhz(upper->khz, mhz);
		output_value(output, "maximum-frequency(MHz)", "%s", mhz);
		output_value(output, "maximum-bound-by", "%s", upper->name);
	}
	/* What is above the upper limit yields to it. */
	if (lower && upper && lower->khz > upper->khz)
		lower = upper;
	if (lower) {
		machine_reading_format_mhz(lower->khz, mhz);
		output_value(output, "minimum-frequency(MHz)", "%s", mhz);
		output_value(output, "minimum-bound-by", "%s", lower->name);
	}
}

static void put_sst(struct output *output, const struct explain_sst *sst)
{
	if (sst->has_level)
		output_value(output, "performance-level", "%" PRIu32, sst->level);
	if (sst->has_clos)
		output_value(output, "clos", "%" PRIu32, sst->clos);
	if (sst->active_cores)
		output_value(output, "active-cores-at-most", "%zu", sst->active_cores);
	if (sst->high_priority_cores)
		output_value(output, "high-priority-cores", "%zu", sst->high_priority_cores);
}

static void put_explanation(struct output *output, const struct cpu_place *cpu_place, uint32_t cpu,
			    const struct explanation *explanation)
{
	const struct output_place place = {
		.package = cpu_place->package,
		.die = cpu_place->die,
		.power_domain = OUTPUT_NOT_SHOWN,
		.cpu = cpu,
	};
	_cleanup_scope_ struct output_scope outer = output_enter_place(output, &place);
	_cleanup_scope_ struct output_scope inner = output_enter(output, "explain");

	put_binding(output, explanation);
	put_sst(output, explanation->sst);
	put_kind(output, explanation, FREQUENCY_UPPER, "upper-limits");
	put_kind(output, explanation, FREQUENCY_LOWER, "lower-limits");
	put_kind(output, explanation, FREQUENCY_GUARANTEED, "guaranteed");
}

static void put_all(struct context *context, const struct machine_reading *reading,
		    const struct frequency_facts *facts, const struct explain_sst *ssts)
{
	size_t position = 0;

	cpuset_foreach (cpu, context->cpus) {
		size_t at = position++;
		struct explanation explanation = { .facts = &facts[at], .sst = &ssts[at] };

		if (!reading->records[at])
			continue;
		explanation.n_limits =
			frequency_limits_collect(explanation.facts, explanation.limits);
		put_explanation(context->output, &context->machine->topology.places[cpu], cpu,
				&explanation);
		context_count_done(context);
	}
}

static int read_facts(struct context *context, const struct machine_reading *reading,
		      struct frequency_facts *facts)
{
	_cleanup_cpufreq_machine_ struct cpufreq_machine machine = { 0 };
	int err = cpufreq_read_machine(context->machine->host->files, &machine);

	if (err == -ENOMEM)
		return err;
	if (err)
		context_fail(context, NULL, err, "cpufreq of the whole machine");
	for (size_t i = 0; i < reading->count; i++) {
		if (reading->records[i])
			take_policy(reading->records[i], &machine, &facts[i]);
	}
	return 0;
}

int cpufreq_explain(struct context *context, const void *arguments)
{
	_cleanup_machine_reading_ struct machine_reading reading = { 0 };
	_cleanup_free_ struct frequency_facts *facts = NULL;
	_cleanup_free_ struct explain_sst *ssts = NULL;
	int err = machine_reading_policies(context, &reading);

	(void)arguments;
	if (err || context_status(context) == STATUS_UNSUPPORTED)
		return err;
	facts = calloc(reading.count, sizeof(*facts));
	ssts = calloc(reading.count, sizeof(*ssts));
	if (!facts || !ssts)
		return -ENOMEM;
	if (context->lacks_platform)
		output_note(context->output, "without what Speed Select says: %s",
			    context->lacks_platform);
	err = read_facts(context, &reading, facts);
	err = err ?: explain_sst_read(context, facts, ssts);
	if (!err)
		put_all(context, &reading, facts, ssts);
	return err;
}
