// SPDX-License-Identifier: GPL-2.0-only
/* Predicts the frequencies of the measured CPUs from the settings (measure.md, "One predictor"). */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "features/measure/common.h"
#include "host/run_directory.h"
#include "measure/why.h"
#include "run/context.h"
#include "sst/values.h"

/* The prediction counts a core as active if one of its CPUs is busy for this share of the time. */
#define ACTIVE_PERCENT 25

/* Adds the CPUs that have a load, measured or not. */
static int add_loaded(const struct run_job *job, struct cpuset *active)
{
	int err = 0;

	for (size_t i = 0; i < job->n_loads && !err; i++)
		err = cpuset_add_all(active, &job->loads[i].cpus);
	for (size_t i = 0; i < ARRAY_SIZE(job->pipe_cpus) && job->has_pipe && !err; i++)
		err = cpuset_add(active, job->pipe_cpus[i]);
	return err;
}

int measurement_find_active(const struct measurement *measurement, const struct run_window *window,
			    struct cpuset *active)
{
	const struct run_job *job = &measurement->job;
	bool is_known = job->n_loads > 0 || job->has_pipe;

	for (size_t i = 0; i < window->n_cpus; i++) {
		const struct run_cpu *cpu = &window->cpus[i];

		is_known = is_known || figure_is_known(&cpu->busy_percent);
		if (cpu->busy_percent.value >= ACTIVE_PERCENT && cpuset_add(active, cpu->cpu))
			return -ENOMEM;
	}
	for (size_t i = 0; i < window->n_cpus; i++) {
		if (!is_known && cpuset_add(active, window->cpus[i].cpu))
			return -ENOMEM;
	}
	return add_loaded(job, active);
}

bool measurement_has_unit(const struct topology *topology, const struct cpuset *cpus, uint32_t cpu)
{
	const struct cpu_place *place = &topology->places[cpu];

	cpuset_foreach (other, cpus) {
		const struct cpu_place *of_other = &topology->places[other];

		if (other == cpu || (place->has_physical_cpu && of_other->has_physical_cpu &&
				     place->package == of_other->package &&
				     place->power_domain == of_other->power_domain &&
				     place->core == of_other->core))
			return true;
	}
	return false;
}

/* The turbo-ratio level of a load: its instruction set. level: of the CPU, or NULL. */
static unsigned int find_trl_level(const char *load, const struct sst_level *level)
{
	if (load && strcmp(load, load_kind_name(LOAD_AVX2)) == 0)
		return FREQUENCY_AVX2;
	return load && strcmp(load, load_kind_name(LOAD_AVX512)) == 0 ? frequency_dense(level)
								      : FREQUENCY_SSE;
}

/* Why the Speed Select limits are unknown: a new text; or NULL if they are known or memory is
 * short. known: what was read for a CPU of the domain. */
static char *explain_sst(const struct expected *expected, size_t domain,
			 const struct expected_cpu *known)
{
	const struct {
		const char *what;
		int error;
	} parts[] = {
		{ "SST-PP", expected->pp[domain].error },
		{ "the performance level", expected->levels[domain].error },
		{ "the turbo-ratio limits", known->trl_error },
		{ "SST-CP", known->core_power_error },
		{ "the CLOS", known->assoc_error },
		{ "the parameters of the CLOS", known->clos_error },
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (parts[i].error)
			return measurement_explain_limit(parts[i].what, parts[i].error);
	}
	return NULL;
}

char *measurement_make_class(const struct frequency_inputs *inputs)
{
	const char *base = !inputs->base_freq_on       ? ""
			   : inputs->is_base_freq_core ? "SST-BF"
						       : "not SST-BF";

	if (!inputs->has_clos)
		return text_format("%s", *base ? base : "all");
	return text_format("%s%sCLOS %u", base, *base ? ", " : "", inputs->clos);
}

/* The parameters of the CLOS of a CPU, as far as they are known. */
static struct sst_clos find_clos(const struct expected *expected, size_t domain,
				 const struct expected_cpu *known)
{
	const size_t at = domain * SST_CLOS_COUNT + known->inputs.clos % SST_CLOS_COUNT;
	struct sst_clos clos = { 0 };

	if (!known->inputs.has_clos || expected->clos[at].error)
		return clos;
	clos = value_to_clos(&expected->clos[at].value);
	if (expected->platform->lacks_proportional)
		clos.epp = clos.weight = 0; /* both are fixed, and cannot be set */
	return clos;
}

/* Copies the cpufreq limits. */
static void take_cpufreq(struct frequency_inputs *inputs, const struct frequency_inputs *of_cpufreq)
{
	inputs->highest_khz = of_cpufreq->highest_khz;
	inputs->max_khz = of_cpufreq->max_khz;
	inputs->base_khz = of_cpufreq->base_khz;
	inputs->turbo_off = of_cpufreq->turbo_off;
	inputs->max_percent = of_cpufreq->max_percent;
}

/* Names the limit that binds. Returns a new text, or NULL. */
static char *name_limit(const struct frequency_prediction *prediction)
{
	const char *name = frequency_limit_name(prediction->cap_by);

	if (!prediction->above_highest_khz)
		return strdup(name);
	return text_format("%s (Linux has not taken over %u)", name,
			   prediction->above_highest_khz / KHZ_PER_MHZ);
}

static void set_prediction(struct run_cpu *cpu, struct texts *texts, const char *unknown,
			   const struct frequency_prediction *prediction)
{
	const bool by_domain = prediction->reading_khz[FREQUENCY_BY_DOMAIN] == prediction->high_khz;

	if (unknown || prediction->cap_by == FREQUENCY_NO_LIMIT) {
		cpu->predicted_mhz = figure_make_missing(
			texts_take(texts, strdup(unknown ?: "no limit of the frequency is known")));
		return;
	}
	cpu->predicted_mhz = figure_make((double)prediction->cap_khz / KHZ_PER_MHZ, 1,
					 texts_take(texts, name_limit(prediction)));
	if (prediction->above_highest_khz)
		cpu->not_taken_over_mhz =
			figure_make((double)prediction->above_highest_khz / KHZ_PER_MHZ, 1, NULL);
	if (prediction->high_khz > prediction->cap_khz)
		cpu->predicted_high_mhz = figure_make(
			(double)prediction->high_khz / KHZ_PER_MHZ, 1,
			ladder_readings[by_domain ? FREQUENCY_BY_DOMAIN : FREQUENCY_BY_PACKAGE]);
}

size_t measurement_find_domain(const struct measurement *measurement, uint32_t cpu)
{
	const struct context *context = measurement->context;

	for (size_t i = 0; i < context->targets.n && measurement->expected.n_domains; i++) {
		if (context->targets.list[i].cpu == cpu)
			return context->targets.list[i].domain;
	}
	return SIZE_MAX;
}

/* Counts the active cores of the domain of a CPU. The CPU counts as active even if it is idle now.
 * activities: of each domain, without such a CPU. Returns 0 or -ENOMEM. */
static int find_activity(const struct expected *expected, size_t domain, uint32_t cpu,
			 const struct frequency_activity *activities, const struct cpuset *active,
			 struct frequency_activity *ret_activity)
{
	_cleanup_cpuset_ struct cpuset with = { 0 };

	if (cpuset_has(active, cpu)) {
		*ret_activity = activities[domain];
		return 0;
	}
	if (cpuset_copy(&with, active) || cpuset_add(&with, cpu))
		return -ENOMEM;
	return expected_count_active(expected, domain, &with, ret_activity);
}

/* Predicts for one measured CPU (an index). domain: SIZE_MAX for none; activity: its active cores.
 * *ret_unknown is a new text with the reason if there is no prediction, else NULL. */
static struct why_limits predict_cpu(const struct measurement *measurement,
				     const struct run_cpu *measured, size_t index, size_t domain,
				     const struct frequency_activity *activity, char **ret_unknown)
{
	const struct expected *expected = &measurement->expected;
	const struct machine *machine = measurement->context->machine;
	const uint32_t cpu = measured->cpu;
	struct expected_cpu known = { 0 };
	struct why_limits limits = { .activity = *activity };
	const char *why;
	char *unknown = NULL;

	if (domain != SIZE_MAX) {
		known = expected_of_cpu(expected, domain, cpu);
		limits.clos = find_clos(expected, domain, &known);
		unknown = explain_sst(expected, domain, &known);
	}
	if (!unknown && measurement->unknown[index])
		unknown = strdup(measurement->unknown[index]);
	take_cpufreq(&known.inputs, &measurement->inputs[index]);
	limits.trl_level = find_trl_level(measured->load, known.inputs.level);
	limits.inputs = known.inputs;
	limits.prediction = frequency_predict(&known.inputs, limits.trl_level, &limits.activity);
	if (!cpuset_has(&measurement->isolated, cpu)) /* reading the file interrupts the CPU */
		expected_check_highest(machine->host->files, cpu, &limits.prediction);
	why = frequency_find_unknown(&known.inputs, limits.trl_level, &limits.prediction);
	if (!unknown && why)
		unknown = strdup(why);
	*ret_unknown = unknown;
	return limits;
}

int measurement_predict(const struct measurement *measurement, struct run_window *window,
			struct why_limits *limits)
{
	const struct expected *expected = &measurement->expected;
	_cleanup_cpuset_ struct cpuset active = { 0 };
	_cleanup_free_ struct frequency_activity *activities =
		calloc(expected->n_domains + 1, sizeof(*activities));
	int err = activities ? measurement_find_active(measurement, window, &active) : -ENOMEM;

	for (size_t i = 0; i < expected->n_domains && !err; i++)
		err = expected_count_active(expected, i, &active, &activities[i]);
	for (size_t i = 0; i < window->n_cpus && !err; i++) {
		struct run_cpu *cpu = &window->cpus[i];
		const size_t domain = measurement_find_domain(measurement, cpu->cpu);
		_cleanup_free_ char *unknown = NULL;
		struct frequency_activity activity = { 0 };
		struct why_limits found;

		if (domain != SIZE_MAX)
			err = find_activity(expected, domain, cpu->cpu, activities, &active,
					    &activity);
		if (err)
			return err;
		found = predict_cpu(measurement, cpu, i, domain, &activity, &unknown);
		why_check_minimum(cpu, &found);
		if (limits)
			limits[i] = found;
		cpu->class = texts_take(&window->texts, measurement_make_class(&found.inputs));
		set_prediction(cpu, &window->texts, unknown, &found.prediction);
	}
	return err || window->texts.has_failed ? -ENOMEM : 0;
}
