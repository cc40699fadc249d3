// SPDX-License-Identifier: GPL-2.0-only
/* Explains the frequency of a busy CPU: by the settings if it has what they allow, else by what was
 * seen in the same time. What was set before proves nothing (measure.md, "jitter, ladder, why"). */
#include "measure/why.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "measure/figure.h"
#include "sst/expected.h"

#define STEP_MHZ 100

/* What limits, and what to do if no setting helps; no command can be given. */
static const struct cause {
	const char *name, *conclusion, *advice;
} causes[] = {
	{ "highest-possible", "it has the highest possible frequency", "no setting gives more" },
	{ "not-taken-over",
	  "Linux has not taken over the highest frequency that Speed Select gives; the setting "
	  "below " EXPECTED_RETAKE_PRICE,
	  NULL },
	{ "turbo-ratio-limit", "so many active cores have no higher frequency",
	  "fewer busy cores" },
	{ "high-priority-cores", "more cores have high priority than SST-TF has buckets for",
	  "fewer cores in CLOS 0 and 1" },
	{ "turbo-freq-bucket", "so many high-priority cores have no higher frequency",
	  "no setting gives more" },
	{ "turbo-freq-clip", "SST-TF gives other cores the frequency",
	  "the buckets of SST-TF are full: fewer cores in CLOS 0 and 1 first" },
	{ "clos-max", "the maximum of its CLOS limits it", NULL },
	{ "no_turbo", "turbo is off", "turbo gives no more, by its own limits" },
	{ "max_perf_pct", "max_perf_pct limits all CPUs", NULL },
	{ "scaling-maximum", "its scaling maximum limits it", NULL },
	{ "power", "power of the package is at its limit",
	  "fewer busy cores, or lighter work; SST-CP can give some cores the power first" },
	{ "throttling", "it was throttled for its temperature", "cooling" },
	{ "hardware", "the hardware limited it, with the reasons above", "what the reasons name" },
	{ "smi", "the firmware interrupted it", "settings of the firmware" },
	{ "stolen", "a hypervisor took time", "settings of the hypervisor" },
	{ "unknown", "nothing that was seen explains it", "not known" },
	{ "not-judged", NULL, "the CPU is not judged" },
};

static const struct cause *find_cause(const char *name)
{
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(causes) && strcmp(causes[i].name, name) != 0)
		i++;
	return &causes[i];
}

/* The command without a maximum of the CLOS: what is left out would be set to its default. */
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
		_cleanup_free_ char *text = text_format(" %s %u", kept[i].option, kept[i].value);

		if (kept[i].value)
			buffer_append_string(&options, text ?: "");
		options.has_failed = options.has_failed || !text;
	}
	return options.has_failed ? NULL
				  : text_format("isst -c %s core-power config --clos %u -m max%s",
						cpus, limits->inputs.clos, buffer_text(&options));
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

void why_check_minimum(json_t *cpu, const struct why_limits *limits)
{
	const uint32_t clos_khz = limits->inputs.clos_min_mhz * KHZ_PER_MHZ;
	const uint32_t cap_khz = limits->prediction.cap_khz;
	const double floor_mhz =
		(double)(cap_khz && cap_khz < clos_khz ? cap_khz : clos_khz) / KHZ_PER_MHZ;
	double busy = 100, mhz;

	if (!limits->inputs.has_clos || clos_khz == 0 || figure_get(cpu, "mhz", &mhz))
		return;
	figure_get(cpu, "busy-percent", &busy);
	json_object_set_new(cpu, "minimum-not-held",
			    json_boolean(busy >= WHY_BUSY_PERCENT &&
					 mhz * 100 < floor_mhz * (100 - WHY_GAP_PERCENT)));
}

static void add(json_t *evidence, json_t *text)
{
	json_array_append_new(evidence, text);
}

/* What the settings have that explains a low frequency. */
static void add_settings(const json_t *cpu, const struct why_limits *limits, json_t *evidence)
{
	const struct frequency_inputs *inputs = &limits->inputs;
	const uint32_t *khz = limits->prediction.khz;
	const uint32_t base_khz = khz[FREQUENCY_LEVEL_BASE] ?: khz[FREQUENCY_CPUFREQ_BASE];
	const uint32_t highest_khz = khz[FREQUENCY_HIGHEST_POSSIBLE];

	if (khz[FREQUENCY_CLOS_MAX] && khz[FREQUENCY_CLOS_MAX] < base_khz)
		add(evidence,
		    json_sprintf("the maximum of CLOS %u, %u MHz, is below the base frequency, "
				 "%u MHz",
				 inputs->clos, khz[FREQUENCY_CLOS_MAX] / KHZ_PER_MHZ,
				 base_khz / KHZ_PER_MHZ));
	if (khz[FREQUENCY_SCALING_MAXIMUM] && khz[FREQUENCY_SCALING_MAXIMUM] < highest_khz)
		add(evidence, json_sprintf("the scaling maximum is %u MHz",
					   khz[FREQUENCY_SCALING_MAXIMUM] / KHZ_PER_MHZ));
	if (json_is_true(json_object_get(cpu, "minimum-not-held")))
		add(evidence, json_sprintf("the minimum of CLOS %u, %u MHz, is not held",
					   inputs->clos, inputs->clos_min_mhz));
	if (inputs->turbo_freq_on && inputs->level &&
	    limits->activity.high_units > frequency_capacity(&inputs->level->turbo_freq.buckets))
		add(evidence, json_sprintf("%zu active cores have high priority; the largest "
					   "bucket of SST-TF has %u",
					   limits->activity.high_units,
					   frequency_capacity(&inputs->level->turbo_freq.buckets)));
}

/* Adds the reasons of PLR that appeared, each once; returns whether there are any. */
static bool add_reasons(const json_t *object, json_t *evidence)
{
	const json_t *reason, *known;
	size_t i, j;

	json_array_foreach (json_object_get(object, "limits"), i, reason) {
		json_t *text = json_sprintf("limit reason %s appeared", json_string_value(reason));
		bool is_known = false;

		json_array_foreach (evidence, j, known)
			is_known = is_known || json_equal(known, text);
		if (is_known)
			json_decref(text);
		else
			add(evidence, text);
	}
	return json_array_size(json_object_get(object, "limits")) > 0;
}

/* Adds how much power the package uses, of how much. */
static void add_power(const json_t *package, const struct ladder_rules *rules, json_t *evidence)
{
	const uint32_t number = (uint32_t)json_integer_value(json_object_get(package, "package"));
	const struct ladder_limit *limit = ladder_find_limit(rules, number);
	double watts;

	if (!figure_get(package, "watts", &watts) && limit)
		add(evidence, json_sprintf("the package uses %.1f W; the limit is %.1f W (%s)",
					   watts, limit->watts, limit->source));
}

/* Adds what was seen in this time; returns the cause that explains a missing frequency. */
static const char *add_seen(const json_t *window, const json_t *cpu,
			    const struct ladder_rules *rules, json_t *evidence)
{
	const json_t *package = ladder_find_package(window, cpu);
	const char *cause = "unknown";
	bool has_reasons = add_reasons(package, evidence);
	double value, core_ms = 0;

	has_reasons = add_reasons(cpu, evidence) || has_reasons;
	if (figure_get(cpu, "stolen-percent", &value) == 0 && value > LADDER_STOLEN_PERCENT) {
		add(evidence, json_sprintf("a hypervisor took %.1f %%", value));
		cause = "stolen";
	}
	if (figure_get(cpu, "smi-count", &value) == 0 && value > 0) {
		add(evidence, json_sprintf("%.0f system management interrupts", value));
		cause = "smi";
	}
	if (has_reasons)
		cause = "hardware";
	figure_get(cpu, "throttle-ms", &core_ms);
	if (figure_get(package, "throttle-ms", &value))
		value = 0;
	if (value > 0 || core_ms > 0) {
		add(evidence, json_sprintf("throttled for %.0f ms", value > 0 ? value : core_ms));
		cause = "throttling";
	}
	if (ladder_power_is_limited(window, cpu, rules)) {
		add_power(package, rules, evidence);
		cause = "power";
	}
	return cause;
}

/* Finds what limits the CPU, and a new text that concludes. */
static const char *conclude(const json_t *cpu, const struct why_limits *limits, const char *seen,
			    double *ret_gap, json_t **ret_conclusion)
{
	const double highest_mhz =
		(double)limits->prediction.khz[FREQUENCY_HIGHEST_POSSIBLE] / KHZ_PER_MHZ;
	double busy = 0, mhz, promised, most, steps;
	const char *cause;

	if (figure_get(cpu, "busy-percent", &busy) == 0 && busy < WHY_BUSY_PERCENT) {
		*ret_conclusion = json_sprintf("not busy enough to judge (%.0f %%)", busy);
		return "not-judged";
	}
	if (figure_get(cpu, "mhz", &mhz)) {
		*ret_conclusion =
			json_sprintf("not judged: no frequency: %s", figure_reason(cpu, "mhz"));
		return "not-judged";
	}
	if (figure_get(cpu, "predicted-mhz", &promised) && limits->inputs.turbo_off) {
		*ret_conclusion = json_string(find_cause("no_turbo")->conclusion);
		return "no_turbo";
	}
	if (figure_get(cpu, "predicted-mhz", &promised)) {
		*ret_conclusion =
			json_sprintf("not judged: %s", figure_reason(cpu, "predicted-mhz"));
		return "not-judged";
	}
	most = figure_get(cpu, "predicted-high-mhz", &most) ? promised : most;
	if (mhz < promised)
		*ret_gap = 100 * (promised - mhz) / promised;
	else if (mhz > most)
		*ret_gap = 100 * (most - mhz) / most;
	/* hardware has steps of 100 MHz, and limits can be between two of them */
	steps = promised >= STEP_MHZ ? floor(promised / STEP_MHZ) * STEP_MHZ : promised;
	cause = mhz < steps * (1 - WHY_GAP_PERCENT / 100)
			? seen
			: frequency_limit_name(limits->prediction.cap_by);
	/* by the higher reading of the turbo-ratio limits */
	if (cause != seen && highest_mhz > 0 && mhz > highest_mhz - STEP_MHZ / 2)
		cause = frequency_limit_name(FREQUENCY_HIGHEST_POSSIBLE);
	if (strcmp(cause, "highest-possible") == 0 && limits->prediction.above_highest_khz)
		cause = "not-taken-over";
	/* the turbo-ratio limit holds with SST-TF, too, for those that are too many */
	if (strcmp(cause, "turbo-ratio-limit") == 0 && limits->inputs.turbo_freq_on)
		cause = "high-priority-cores";
	*ret_conclusion = json_string(find_cause(cause)->conclusion);
	return cause;
}

static json_t *pack_limits(const struct frequency_prediction *prediction)
{
	json_t *object = json_object();

	for (enum frequency_limit i = 0; i < N_FREQUENCY_LIMITS; i++) {
		_cleanup_free_ char *name = text_format("%s-mhz", frequency_limit_name(i));

		if (name && prediction->khz[i] && frequency_limit_kind(i) == FREQUENCY_UPPER)
			figure_set(object, name, (double)prediction->khz[i] / KHZ_PER_MHZ, 1, NULL);
	}
	if (prediction->high_trl_khz > prediction->khz[FREQUENCY_TURBO_RATIO_LIMIT])
		figure_set(object, "turbo-ratio-limit-high-mhz",
			   (double)prediction->high_trl_khz / KHZ_PER_MHZ, 1, NULL);
	return object;
}

json_t *why_explain(const json_t *window, const json_t *cpu, const struct why_limits *limits,
		    const struct ladder_rules *rules)
{
	static const char *const kept[] = {
		"cpu",
		"package",
		"class",
		"load",
		"busy-percent",
		"busy-percent-source",
		"busy-percent-reason",
		"mhz",
		"mhz-source",
		"mhz-reason",
		"predicted-mhz",
		"predicted-mhz-source",
		"predicted-mhz-reason",
		"predicted-high-mhz",
		"predicted-high-mhz-source",
		"not-taken-over-mhz",
		"minimum-not-held",
		"limits",
		"limits-source",
		"limits-reason",
		"limits-earlier",
		"smi-count",
		"smi-count-source",
		"smi-count-reason",
		"stolen-percent",
		"stolen-percent-source",
		"stolen-percent-reason",
	};
	json_t *object = json_object(), *evidence = json_array(), *conclusion = NULL;
	const char *cause;
	double gap = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		json_object_set(object, kept[i], json_object_get(cpu, kept[i]));
	add_settings(cpu, limits, evidence);
	cause = conclude(cpu, limits, add_seen(window, cpu, rules, evidence), &gap, &conclusion);
	if (strcmp(cause, "not-judged") == 0 || figure_reason(cpu, "predicted-mhz"))
		figure_lack(object, "gap-percent", json_string_value(conclusion));
	else
		figure_set(object, "gap-percent", gap, 1, NULL);
	json_object_set_new(object, "upper-limits", pack_limits(&limits->prediction));
	json_object_set_new(object, "evidence", evidence);
	json_object_set_new(object, "limited-by", json_string(cause));
	json_object_set_new(object, "conclusion", conclusion);
	return object;
}
