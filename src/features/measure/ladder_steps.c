// SPDX-License-Identifier: GPL-2.0-only
/* Measures the steps of a ladder: makes the cores busy one after the other, those of high priority
 * first, and compares each step with the prediction from the settings (measure.md, "jitter, ladder,
 * explain"). */
#include "features/measure/ladder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "run/context.h"

void ladder_done(struct ladder *ladder)
{
	measurement_done(&ladder->measurement);
	free(ladder->order);
	ladder_result_done(&ladder->result);
}

/* Returns true if the settings give the CPU high priority. */
static bool has_high_priority(const struct measurement *measurement, uint32_t cpu)
{
	const size_t domain = measurement_find_domain(measurement, cpu);
	struct frequency_inputs inputs;

	if (domain == SIZE_MAX)
		return false;
	inputs = expected_of_cpu(&measurement->expected, domain, cpu).inputs;
	return inputs.is_base_freq_core ||
	       (inputs.has_clos && inputs.clos <= FREQUENCY_HIGHEST_CLOS);
}

/* Finds one thread of each core. Returns 0, also if the cores are unknown, which is reported; or
 * -ENOMEM. */
static int find_cores(const struct measurement *measurement, struct cpuset *ret_cores)
{
	struct context *context = measurement->context;
	_cleanup_cpuset_ struct cpuset seen = { 0 };
	_cleanup_free_ char *problem = NULL;
	int err;

	cpuset_foreach (cpu, &measurement->cpus) {
		if (cpuset_has(&seen, cpu))
			continue;
		err = topology_read_core(context->machine->host->files, cpu, &seen);
		if (err == -ENOMEM || cpuset_add(ret_cores, cpu))
			return -ENOMEM;
		if (err) {
			problem = measurement_explain_limit(
				files_cpu_path(cpu, "topology/thread_siblings_list").text, err);
			context_report(context, NULL, report_kind_of(err), "%s",
				       problem ?: strerror(ENOMEM));
			return 0;
		}
	}
	return 0;
}

/* Finds the order: cores with high priority first, then ascending. Returns as find_cores(). */
static int find_order(struct ladder *ladder)
{
	_cleanup_cpuset_ struct cpuset cores = { 0 };
	int err = find_cores(&ladder->measurement, &cores);

	ladder->order = calloc(cpuset_count(&cores) + 1, sizeof(*ladder->order));
	if (err || !ladder->order)
		return -ENOMEM;
	for (int low = 0; low <= 1; low++) {
		cpuset_foreach (cpu, &cores) {
			if (has_high_priority(&ladder->measurement, cpu) == !low)
				ladder->order[ladder->n_cores++] = cpu;
		}
	}
	return 0;
}

/* Adds to each group the highest of the higher predictions of its CPUs. */
static void add_high(const struct run_window *window, struct ladder_step *step)
{
	for (size_t i = 0; i < step->n_groups; i++) {
		struct ladder_group *group = &step->groups[i];

		for (size_t j = 0; j < window->n_cpus; j++) {
			const struct run_cpu *cpu = &window->cpus[j];

			if (cpuset_has(&group->cpus, cpu->cpu) &&
			    cpu->predicted_high_mhz.value > group->promised_high_mhz.value)
				group->promised_high_mhz =
					figure_make_exact(cpu->predicted_high_mhz.value);
		}
	}
}

/* Copies texts of a window, which are freed before the step that uses them. */
static void keep_texts(struct texts *texts, struct ladder_step *step)
{
	const char **kept[3];

	for (size_t i = 0; i < step->n_groups; i++) {
		kept[0] = &step->groups[i].promised_mhz.about;
		kept[1] = &step->groups[i].measured_mhz.about;
		kept[2] = &step->groups[i].measured_source;
		for (size_t j = 0; j < ARRAY_SIZE(kept); j++)
			*kept[j] = *kept[j] ? texts_take(texts, strdup(*kept[j])) : NULL;
	}
	for (size_t i = 0; i < step->n_packages; i++) {
		kept[0] = &step->packages[i].watts.about;
		*kept[0] = *kept[0] ? texts_take(texts, strdup(*kept[0])) : NULL;
	}
}

/* Measures a step with the first n_busy CPUs of the order busy. Returns 0, also after a problem,
 * which is reported; or -ENOMEM. */
static int measure_step(struct ladder *ladder, size_t n_busy)
{
	struct measurement *measurement = &ladder->measurement;
	_cleanup_run_result_ struct run_result result = { 0 };
	struct cpuset *busy = &measurement->job.loads[0].cpus;
	struct ladder_result *all = &ladder->result;
	struct ladder_step *step;
	int err = 0;

	while (ladder->n_busy < n_busy && !err)
		err = cpuset_add(busy, ladder->order[ladder->n_busy++]);
	if (!err && ladder->clears_limits)
		err = measurement_clear_limits(measurement, n_busy == 1);
	if (err || report_has_problem(&measurement->context->report))
		return err;
	err = measurement_run(measurement, &result);
	if (err || result.refusal || context_is_stopped(measurement->context))
		return err;
	err = measurement_predict(measurement, &result.window, NULL);
	step = err ? NULL : array_add(&all->steps, &all->n_steps, sizeof(*step));
	if (!step)
		return -ENOMEM;
	*step = (struct ladder_step){ .cpu = figure_make_count(ladder->order[n_busy - 1], NULL) };
	err = ladder_check(&result.window, busy, &measurement->rules, step);
	if (ladder->is_short)
		add_high(&result.window, step);
	keep_texts(&all->texts, step);
	ladder_find_counts(&result.window, busy, &measurement->rules, ladder->fits);
	return err || all->texts.has_failed ? -ENOMEM : 0;
}

/* Prepares the result and what all steps have in common. */
static int begin_steps(struct ladder *ladder)
{
	struct measurement *measurement = &ladder->measurement;
	struct run_load *load;

	measurement->job = (struct run_job){
		.sources = { .with_limits = true, .with_stolen = true },
		.ns = ladder->seconds * NS_PER_S,
	};
	load = array_add(&measurement->job.loads, &measurement->job.n_loads, sizeof(*load));
	if (!load)
		return -ENOMEM;
	load->kind = ladder->kind;
	measurement->total_ns = ladder->n_cores * measurement->job.ns;
	measurement_end_early(measurement);
	ladder->result.load = load_kind_name(ladder->kind);
	ladder->result.seconds_of_a_step = figure_make_count(ladder->seconds, NULL);
	ladder->result.tolerance_percent = figure_make_exact(measurement->rules.tolerance_percent);
	ladder->result.cores = figure_make_count(ladder->n_cores, NULL);
	return 0;
}

/* Adds what the turbo-ratio limits count, if the steps show it. With the mailbox, they count cores
 * of the package. */
static void add_counts(struct ladder *ladder)
{
	const struct platform *platform = ladder->measurement.context->platform;
	const bool by_domain = ladder->fits[FREQUENCY_BY_DOMAIN] > 0;
	const bool by_package = ladder->fits[FREQUENCY_BY_PACKAGE] > 0;

	if (!platform || !platform->domains.by_id)
		return;
	ladder->result.turbo_counts = by_domain == by_package ? "not decided"
				      : by_domain             ? "by power domain"
							      : "by package";
}

/* The number of cores of the order that are in the package of the first one. */
static size_t count_first(const struct ladder *ladder)
{
	const struct topology *topology = &ladder->measurement.context->machine->topology;
	size_t count = 0;

	for (size_t i = 0; i < ladder->n_cores; i++)
		count += topology->places[ladder->order[i]].package ==
			 topology->places[ladder->order[0]].package;
	return count;
}

/* Returns true for a step of the short form: one core, quarters of the first package, which has
 * n_first cores, or all cores. For a few cores in one power domain, the two readings of the
 * turbo-ratio limits predict different frequencies. */
static bool is_short_step(const struct ladder *ladder, size_t n_first, size_t n_busy)
{
	return n_busy == 1 || n_busy == n_first / 4 || n_busy == n_first / 2 ||
	       n_busy == n_first * 3 / 4 || n_busy == n_first || n_busy == ladder->n_cores;
}

int ladder_measure(struct ladder *ladder)
{
	struct context *context = ladder->measurement.context;
	int err = find_order(ladder);
	const size_t n_first = count_first(ladder);

	if (report_has_problem(&context->report))
		return err;
	if (!err)
		err = measurement_read_power_limits(&ladder->measurement);
	if (!err)
		err = begin_steps(ladder);
	for (size_t i = 1; i <= ladder->n_cores && !err; i++) {
		if (report_has_problem(&context->report) || context_is_stopped(context))
			break;
		if (!ladder->is_short || is_short_step(ladder, n_first, i))
			err = measure_step(ladder, i);
	}
	add_counts(ladder);
	return err;
}

int measure_ladder_short(struct context *context, struct ladder_result *ret_result)
{
	_cleanup_(ladder_done) struct ladder ladder = {
		.measurement = { .context = context, .rules.tolerance_percent = LADDER_TOLERANCE },
		.kind = LOAD_SCALAR,
		.seconds = LADDER_SECONDS,
		.is_short = true,
	};
	struct measurement *measurement = &ladder.measurement;
	int err = measurement_find_isolated(measurement);

	if (!err)
		err = cpuset_copy(&measurement->cpus, context->targets.cpus);
	if (err)
		return err;
	cpuset_remove_all(&measurement->cpus, &measurement->isolated);
	if (cpuset_is_empty(&measurement->cpus))
		context_lack(context, NULL, "all CPUs are isolated: none is kept busy");
	if (!report_has_problem(&context->report))
		err = measurement_read_limits(measurement);
	if (!err && !report_has_problem(&context->report))
		err = ladder_measure(&ladder);
	if (err || report_has_problem(&context->report))
		return err;
	*ret_result = steal(ladder.result);
	return 0;
}
