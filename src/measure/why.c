// SPDX-License-Identifier: GPL-2.0-only
/* Explains the frequency of a busy CPU: with the settings if the CPU has what they allow, else with
 * what was seen in the same time. Reasons from before prove nothing (measure.md, "jitter, ladder,
 * explain"). */
#include "measure/why.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "sst/expected.h"

#define STEP_MHZ 100

/* Causes, their conclusions, and the advice if no command helps. */
static const struct cause {
	const char *name, *conclusion, *advice;
} causes[] = {
	{ "highest-possible", "it has the highest possible frequency", "no setting gives more" },
	{ "not-taken-over",
	  "Linux has not taken over the highest frequency that Speed Select gives; the setting "
	  "below " EXPECTED_RETAKE_PRICE,
	  NULL },
	{ "turbo-ratio-limit", "this number of active cores has no higher frequency",
	  "fewer busy cores" },
	{ "high-priority-cores", "more cores have high priority than SST-TF has buckets for",
	  "fewer cores in CLOS 0 and 1" },
	{ "turbo-freq-bucket", "this number of high-priority cores has no higher frequency",
	  "no setting gives more" },
	{ "turbo-freq-clip", "SST-TF gives other cores the frequency",
	  "the buckets of SST-TF are full: fewer cores in CLOS 0 and 1 first" },
	{ "clos-max", "the maximum of its CLOS limits it", NULL },
	{ "no_turbo", "turbo is off", "turbo gives no more, by its own limits" },
	{ "max_perf_pct", "max_perf_pct limits all CPUs", NULL },
	{ "scaling-maximum", "its scaling maximum limits it", NULL },
	{ "power", "power of the package is at its limit",
	  "fewer busy cores, or lighter work; SST-CP can give some cores the power first" },
	{ "power-limit",
	  "the power limit of the package is below the TDP of the level, and binds first", NULL },
	{ "power-cap", NULL, "the management controller caps the package" },
	{ "throttling", "it was throttled for its temperature", "cooling" },
	{ "hardware", "the hardware limited it, with the reasons above", "what the reasons name" },
	{ "smi", "the firmware interrupted it", "settings of the firmware" },
	{ "stolen", "a hypervisor took time", "settings of the hypervisor" },
	{ "unknown", "nothing that was seen explains it", "not known" },
	{ "not-checked", NULL, "the CPU is not checked" },
};

static const struct cause *find_cause(const char *name)
{
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(causes) && strcmp(causes[i].name, name) != 0)
		i++;
	return &causes[i];
}

/* Makes the command that removes the CLOS maximum. Omitted options would be set to defaults. */
static char *format_clos(const struct why_limits *limits, const char *cpus)
{
	const struct sst_clos *clos = &limits->clos;
	const struct {
		const char *option;
		uint32_t value;
	} kept[] = {
		{ "-e", clos->epp },
		{ "-w", clos->weight },
		{ "-n", clos->min_mhz },
		{ "-d", clos->desired_mhz },
	};
	_cleanup_buffer_ struct buffer options = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		if (kept[i].value)
			buffer_add_item(&options, " ", "%s %u", kept[i].option, kept[i].value);
	}
	return options.has_failed ? NULL
				  : text_format("isst -c %s core-power config --clos %u -m max%s%s",
						cpus, limits->inputs.clos,
						options.length ? " " : "", buffer_text(&options));
}

int why_find_setting(const char *limited_by, const struct why_limits *limits, const char *cpus,
		     char **ret_command, const char **ret_advice)
{
	char *command = NULL;
	bool helps = true;

	if (strcmp(limited_by, "clos-max") == 0)
		command = format_clos(limits, cpus);
	else if (strcmp(limited_by, "not-taken-over") == 0)
		command = strdup(EXPECTED_RETAKE);
	else if (strcmp(limited_by, "power-limit") == 0)
		command = text_format("isst -c %s power set --pl1 tdp", cpus);
	else if (strcmp(limited_by, "max_perf_pct") == 0)
		command = text_format("isst cpufreq set --max-pct 100");
	else if (strcmp(limited_by, "scaling-maximum") == 0)
		command = text_format("isst -c %s cpufreq set --max max", cpus);
	else
		helps = false;
	if (helps && !command)
		return -ENOMEM;
	*ret_command = command;
	*ret_advice = helps ? NULL : find_cause(limited_by)->advice;
	return 0;
}

void why_check_minimum(struct run_cpu *cpu, const struct why_limits *limits)
{
	const uint32_t clos_khz = limits->inputs.clos_min_mhz * KHZ_PER_MHZ;
	const uint32_t cap_khz = limits->prediction.cap_khz;
	const double floor_mhz =
		(double)(cap_khz && cap_khz < clos_khz ? cap_khz : clos_khz) / KHZ_PER_MHZ;
	const double busy = figure_is_known(&cpu->busy_percent) ? cpu->busy_percent.value : 100;

	if (!limits->inputs.has_clos || clos_khz == 0 || !figure_is_known(&cpu->mhz))
		return;
	cpu->knows_minimum = true;
	cpu->is_below_minimum = busy >= WHY_BUSY_PERCENT &&
				cpu->mhz.value * 100 < floor_mhz * (100 - WHY_GAP_PERCENT);
}

/* Adds the settings that explain a low frequency. */
static void add_settings(const struct run_cpu *cpu, const struct why_limits *limits,
			 struct texts *evidence)
{
	const struct frequency_inputs *inputs = &limits->inputs;
	const uint32_t *khz = limits->prediction.khz;
	const uint32_t base_khz = khz[FREQUENCY_LEVEL_BASE] ?: khz[FREQUENCY_CPUFREQ_BASE];
	const uint32_t highest_khz = khz[FREQUENCY_HIGHEST_POSSIBLE];

	if (khz[FREQUENCY_CLOS_MAX] && khz[FREQUENCY_CLOS_MAX] < base_khz)
		texts_take(evidence,
			   text_format("the maximum of CLOS %u, %u MHz, is below the base "
				       "frequency, %u MHz",
				       inputs->clos, khz[FREQUENCY_CLOS_MAX] / KHZ_PER_MHZ,
				       base_khz / KHZ_PER_MHZ));
	if (khz[FREQUENCY_SCALING_MAXIMUM] && khz[FREQUENCY_SCALING_MAXIMUM] < highest_khz)
		texts_take(evidence, text_format("the scaling maximum is %u MHz",
						 khz[FREQUENCY_SCALING_MAXIMUM] / KHZ_PER_MHZ));
	if (cpu->is_below_minimum)
		texts_take(evidence, text_format("the minimum of CLOS %u, %u MHz, is not held",
						 inputs->clos, inputs->clos_min_mhz));
	if (inputs->turbo_freq_on && inputs->level &&
	    limits->activity.high_units > frequency_capacity(&inputs->level->turbo_freq.buckets))
		texts_take(evidence,
			   text_format("%zu active cores have high priority; the largest bucket of "
				       "SST-TF has %u",
				       limits->activity.high_units,
				       frequency_capacity(&inputs->level->turbo_freq.buckets)));
}

/* Adds the reasons of PLR that appeared; returns whether there are any. */
static bool add_reasons(const struct limit_words *limits, struct texts *evidence)
{
	for (size_t i = 0; i < limits->now.count; i++)
		texts_take(evidence, text_format("limit reason %s appeared", limits->now.list[i]));
	return limits->now.count > 0;
}

/* Adds the power of the package and its limit. */
static void add_power(const struct run_package *package, const struct ladder_rules *rules,
		      struct texts *evidence)
{
	const struct ladder_limit *limit = ladder_find_limit(rules, package->package);

	if (figure_is_known(&package->watts) && limit)
		texts_take(evidence,
			   text_format("the package uses %.1f W; the limit is %.1f W (%s)",
				       package->watts.value, limit->watts, limit->source));
}

/* The PLR reason that appeared for a power limit of the management controller (PCS), or NULL. */
static const char *find_cap(const struct limit_words *limits)
{
	static const char first[] = "POWER_", last[] = "_PCS";

	for (size_t i = 0; limits && i < limits->now.count; i++) {
		const char *word = limits->now.list[i];
		const size_t length = strlen(word);

		if (strncmp(word, first, strlen(first)) == 0 && length > strlen(last) &&
		    strcmp(word + length - strlen(last), last) == 0)
			return word;
	}
	return NULL;
}

/* Like find_cap(), for a CPU and its package. */
static const char *find_cap_of(const struct run_window *window, const struct run_cpu *cpu)
{
	const struct run_package *package = run_window_package(window, cpu);

	return find_cap(&cpu->limits) ?: find_cap(package ? &package->limits : NULL);
}

/* Finds the power limit that binds: the one that the hardware reports, else the lower one. */
static const char *find_power_cause(const struct run_window *window, const struct run_cpu *cpu,
				    const struct ladder_rules *rules)
{
	const struct ladder_limit *limit = ladder_find_limit(rules, cpu->package);

	if (find_cap_of(window, cpu))
		return "power-cap";
	return limit && limit->watts < limit->tdp_w ? "power-limit" : "power";
}

/* Adds what was seen in this time. Returns the cause that explains a low frequency. */
static const char *add_seen(const struct run_window *window, const struct run_cpu *cpu,
			    const struct ladder_rules *rules, struct texts *evidence)
{
	const struct run_package *package = run_window_package(window, cpu);
	const double throttled = package ? package->throttle_ms.value : 0;
	const char *cause = "unknown";
	bool has_reasons = package && add_reasons(&package->limits, evidence);

	has_reasons = add_reasons(&cpu->limits, evidence) || has_reasons;
	if (cpu->stolen_percent.value > LADDER_STOLEN_PERCENT) {
		texts_take(evidence,
			   text_format("a hypervisor took %.1f %%", cpu->stolen_percent.value));
		cause = "stolen";
	}
	if (cpu->smi_count.value > 0) {
		texts_take(evidence,
			   text_format("%.0f system management interrupts", cpu->smi_count.value));
		cause = "smi";
	}
	if (has_reasons)
		cause = "hardware";
	if (throttled > 0 || cpu->throttle_ms.value > 0) {
		texts_take(evidence,
			   text_format("throttled for %.0f ms",
				       throttled > 0 ? throttled : cpu->throttle_ms.value));
		cause = "throttling";
	}
	if (ladder_power_is_limited(window, cpu, rules)) {
		if (package)
			add_power(package, rules, evidence);
		cause = find_power_cause(window, cpu, rules);
	}
	return cause;
}

/* Why nothing can be concluded: a new text; or NULL. */
static char *find_reason(const struct run_cpu *cpu, const struct why_limits *limits)
{
	if (figure_is_known(&cpu->busy_percent) && cpu->busy_percent.value < WHY_BUSY_PERCENT)
		return text_format("not busy enough to judge (%.0f %%)", cpu->busy_percent.value);
	if (!figure_is_known(&cpu->mhz))
		return text_format("not checked: no frequency: %s", cpu->mhz.about ?: "");
	if (figure_is_known(&cpu->predicted_mhz) || limits->inputs.turbo_off)
		return NULL;
	return text_format("not checked: %s", cpu->predicted_mhz.about ?: "");
}

/* Finds what limits a CPU whose frequency and prediction are known, and how much is missing. */
static const char *find_binding(const struct run_cpu *cpu, const struct why_limits *limits,
				const char *seen, double *ret_gap)
{
	const double highest_mhz =
		(double)limits->prediction.khz[FREQUENCY_HIGHEST_POSSIBLE] / KHZ_PER_MHZ;
	const double mhz = cpu->mhz.value, promised = cpu->predicted_mhz.value;
	const double most = figure_is_known(&cpu->predicted_high_mhz)
				    ? cpu->predicted_high_mhz.value
				    : promised;
	/* hardware has steps of 100 MHz, and limits can be between two of them */
	const double steps =
		promised >= STEP_MHZ ? floor(promised / STEP_MHZ) * STEP_MHZ : promised;
	const char *cause;

	if (mhz < promised)
		*ret_gap = 100 * (promised - mhz) / promised;
	else if (mhz > most)
		*ret_gap = 100 * (most - mhz) / most;
	cause = mhz < steps * (1 - WHY_GAP_PERCENT / 100)
			? seen
			: frequency_limit_name(limits->prediction.cap_by);
	/* the higher reading of the turbo-ratio limits may allow this */
	if (cause != seen && highest_mhz > 0 && mhz > highest_mhz - STEP_MHZ / 2)
		cause = frequency_limit_name(FREQUENCY_HIGHEST_POSSIBLE);
	if (strcmp(cause, "highest-possible") == 0 && limits->prediction.above_highest_khz)
		cause = "not-taken-over";
	/* with SST-TF, the turbo-ratio limit still applies if too many cores have high priority */
	if (strcmp(cause, "turbo-ratio-limit") == 0 && limits->inputs.turbo_freq_on)
		cause = "high-priority-cores";
	return cause;
}

/* Adds the upper limits, "clos-max-mhz". */
static int add_limits(const struct frequency_prediction *prediction, struct why_cpu *to)
{
	for (int i = 0; i <= N_FREQUENCY_LIMITS; i++) {
		const bool is_high = i == N_FREQUENCY_LIMITS;
		const enum frequency_limit limit =
			is_high ? FREQUENCY_TURBO_RATIO_LIMIT : (enum frequency_limit)i;
		const uint32_t khz = is_high ? prediction->high_trl_khz : prediction->khz[limit];
		struct named_figure *figure;

		if (!khz || frequency_limit_kind(limit) != FREQUENCY_UPPER ||
		    (is_high && khz <= prediction->khz[limit]))
			continue;
		figure = array_add(&to->upper, &to->n_upper, sizeof(*figure));
		if (!figure)
			return -ENOMEM;
		snprintf(figure->name, sizeof(figure->name), "%s%s-mhz",
			 frequency_limit_name(limit), is_high ? "-high" : "");
		figure->figure = figure_make((double)khz / KHZ_PER_MHZ, 1, NULL);
	}
	return 0;
}

int why_explain(const struct run_window *window, const struct run_cpu *cpu,
		const struct why_limits *limits, const struct ladder_rules *rules,
		struct why_cpu *to)
{
	char *reason = find_reason(cpu, limits);
	const char *seen;
	double gap = 0;

	to->cpu = cpu;
	add_settings(cpu, limits, &to->evidence);
	seen = add_seen(window, cpu, rules, &to->evidence);
	to->limited_by = reason ? "not-checked"
			 : figure_is_known(&cpu->predicted_mhz)
				 ? find_binding(cpu, limits, seen, &gap)
				 : "no_turbo";
	if (strcmp(to->limited_by, "power-cap") == 0)
		reason = text_format(
			"the management controller caps the package (%s): no setting of "
			"this machine lifts it; see the node's power policy",
			find_cap_of(window, cpu));
	to->conclusion =
		reason ? texts_take(&to->texts, reason) : find_cause(to->limited_by)->conclusion;
	to->gap_percent =
		strcmp(to->limited_by, "not-checked") == 0 || !figure_is_known(&cpu->predicted_mhz)
			? figure_make_missing(to->conclusion)
			: figure_make(gap, 1, NULL);
	return add_limits(&limits->prediction, to) || to->evidence.has_failed ||
			       to->texts.has_failed
		       ? -ENOMEM
		       : 0;
}

void why_cpu_done(struct why_cpu *cpu)
{
	json_free_fields(why_cpu_fields, cpu);
	texts_done(&cpu->texts);
}
