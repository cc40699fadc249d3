// SPDX-License-Identifier: GPL-2.0-only
/* measure ladder: one busy core, then two, and so on; each step is held against what the settings
 * promise for it (measure.md, "jitter, ladder, explain"). */
#include "features/measure/measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "features/measure/require.h"
#include "features/levels.h"
#include "host/run_directory.h"
#include "measure/ladder.h"

#define DEFAULT_SECONDS   2
#define MAX_SECONDS       3600
#define DEFAULT_TOLERANCE 2
#define MAX_TOLERANCE     100

struct ladder {
	struct measurement measurement;
	enum load_kind kind;
	struct ladder_rules rules;
	uint64_t seconds; /* of a step */
	bool clears_limits;
	uint32_t *order; /* a CPU of each core, in the order in which they become busy */
	size_t n_cores;
	size_t n_busy;
	bool with_high; /* groups of a step also have the higher prediction */
	size_t fits[N_FREQUENCY_READINGS]; /* how many CPUs had what only that reading predicts */
	struct ladder_result result;
};

static void ladder_done(struct ladder *ladder)
{
	measurement_done(&ladder->measurement);
	free(ladder->order);
	ladder_result_done(&ladder->result);
}

static const struct measure_kind kind = {
	.command = "ladder",
	.unit = "",
	.tables = { ladder_group_fields },
	.fields = ladder_result_fields,
	.has_machine_last = true,
	.show = measure_ladder_show,
};

static int take_arguments(struct ladder *ladder)
{
	static const enum load_kind kinds[] = {
		[FREQUENCY_SSE] = LOAD_SCALAR,
		[FREQUENCY_AVX2] = LOAD_AVX2,
		[FREQUENCY_AVX512] = LOAD_AVX512,
		[FREQUENCY_AVX512_HEAVY] = LOAD_AVX512,
	};
	struct context *context = ladder->measurement.context;
	const struct measure_ladder_arguments *arguments = context->request->arguments;
	const uint32_t trl_level = levels_trl_of(&arguments->isa, 0);

	if (trl_level < ARRAY_SIZE(kinds))
		ladder->kind = kinds[trl_level];
	else
		context_lack(context, NULL, "--isa %s: there is no load of these instructions",
			     levels_trl_words[arguments->isa.value]);
	ladder->seconds = arguments->seconds.given ? arguments->seconds.value : DEFAULT_SECONDS;
	ladder->clears_limits = arguments->clear_limits;
	ladder->rules.tolerance_percent = arguments->tolerance_percent.given
						  ? (double)arguments->tolerance_percent.value
						  : DEFAULT_TOLERANCE;
	return measurement_begin(&ladder->measurement, &kind, "the ladder keeps CPUs busy");
}

/* The load of dense AVX-512 is checked by heavy AVX-512, or by AVX-512 where the level has no
 * other: reports a level that has none of what is asked for. */
static void check_isa(const struct ladder *ladder)
{
	struct context *context = ladder->measurement.context;
	const struct measure_ladder_arguments *arguments = context->request->arguments;
	const struct expected *expected = &ladder->measurement.expected;

	for (size_t i = 0; i < expected->n_domains; i++) {
		const struct platform_level_query *level = &expected->levels[i];

		if (levels_trl_of(&arguments->isa, FREQUENCY_SSE) != FREQUENCY_AVX512_HEAVY ||
		    level->error || frequency_dense(&level->info) == FREQUENCY_AVX512_HEAVY)
			continue;
		context_lack(context, NULL, "level %u reports no turbo-ratio limits for --isa %s",
			     level->level, levels_trl_words[arguments->isa.value]);
		return;
	}
}

/* Is the CPU one that the settings favour? */
static bool has_high_priority(const struct measurement *measurement, uint32_t cpu)
{
	const struct context *context = measurement->context;

	for (size_t i = 0; i < context->targets.n && measurement->expected.n_domains; i++) {
		const struct target *target = &context->targets.list[i];
		struct frequency_inputs inputs;

		if (target->cpu != cpu)
			continue;
		inputs = expected_of_cpu(&measurement->expected, target->domain, cpu).inputs;
		return inputs.is_base_freq_core ||
		       (inputs.has_clos && inputs.clos <= FREQUENCY_HIGHEST_CLOS);
	}
	return false;
}

/* Leaves one thread of each core. */
static int find_cores(const struct measurement *measurement, struct cpuset *ret_cores)
{
	struct files *files = measurement->context->machine->host->files;
	_cleanup_cpuset_ struct cpuset seen = { 0 };

	cpuset_foreach (cpu, &measurement->cpus) {
		_cleanup_cpuset_ struct cpuset siblings = { 0 };
		int err;

		if (cpuset_has(&seen, cpu))
			continue;
		err = files_read_cpus(files,
				      files_cpu_path(cpu, "topology/thread_siblings_list").text,
				      &siblings);
		/* a kernel that does not tell has one thread for each core */
		if (err != -ENOMEM)
			err = cpuset_add_all(&seen, &siblings);
		if (!err)
			err = cpuset_add(ret_cores, cpu);
		if (err)
			return err;
	}
	return 0;
}

/* Finds the order: cores with high priority first, then ascending. */
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

/* Adds to groups the highest of the higher predictions of their CPUs. */
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

/* Keeps texts of a window, which ends before the step that they are of. */
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

/* Measures with the first CPUs of the order busy. Returns 0, also after a problem, which is
 * reported; or -ENOMEM. */
static int measure_step(struct ladder *ladder, size_t n_busy)
{
	struct measurement *measurement = &ladder->measurement;
	_cleanup_run_result_ struct run_result result = { 0 };
	struct cpuset *busy = &measurement->loads[0].cpus;
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
	err = ladder_check(&result.window, busy, &ladder->rules, step);
	if (ladder->with_high)
		add_high(&result.window, step);
	keep_texts(&all->texts, step);
	ladder_find_counts(&result.window, busy, &ladder->rules, ladder->fits);
	return err || all->texts.has_failed ? -ENOMEM : 0;
}

/* Prepares the result and what all steps have in common. */
static int begin_steps(struct ladder *ladder)
{
	struct measurement *measurement = &ladder->measurement;
	struct context *context = measurement->context;

	measurement->loads = calloc(1, sizeof(*measurement->loads));
	if (!measurement->loads)
		return -ENOMEM;
	measurement->loads[0].kind = ladder->kind;
	ladder->rules.limits = measurement->power_limits;
	ladder->rules.n_limits = measurement->n_power_limits;
	measurement->job = (struct run_job){
		.sources = { .machine = context->machine,
			     .cpus = &measurement->cpus,
			     .isolated = &measurement->isolated,
			     .with_limits = true,
			     .with_stolen = true },
		.ns = ladder->seconds * NS_PER_S,
		.loads = measurement->loads,
		.n_loads = 1,
	};
	measurement->total_ns = ladder->n_cores * measurement->job.ns;
	measurement_end_early(measurement);
	ladder->result.load = load_kind_name(ladder->kind);
	ladder->result.seconds_of_a_step = figure_make_count(ladder->seconds, NULL);
	ladder->result.tolerance_percent = figure_make_exact(ladder->rules.tolerance_percent);
	ladder->result.cores = figure_make_count(ladder->n_cores, NULL);
	return 0;
}

static int measure_steps(struct ladder *ladder)
{
	int err = begin_steps(ladder);

	for (size_t i = 1; i <= ladder->n_cores && !err; i++) {
		if (report_has_problem(&ladder->measurement.context->report) ||
		    context_is_stopped(ladder->measurement.context))
			break;
		err = measure_step(ladder, i);
	}
	return err;
}

static struct figure count_steps(const struct ladder_result *ladder, const char *result)
{
	uint64_t count = 0;

	for (size_t i = 0; i < ladder->n_steps; i++)
		count += strcmp(ladder->steps[i].result, result) == 0;
	return figure_make_count(count, NULL);
}

/* What the turbo-ratio limits count, as far as the steps show it. Mailbox parts count the package.
 */
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

/* Steps of the short form: one core, quarters of the first package, and all cores. Of a few cores
 * in one power domain the two readings of the turbo-ratio limits predict different frequencies. */
static int measure_short_steps(struct ladder *ladder)
{
	const struct topology *topology = &ladder->measurement.context->machine->topology;
	size_t n_first = 0, last = 0;
	int err = begin_steps(ladder);

	for (size_t i = 0; i < ladder->n_cores; i++)
		n_first += topology->places[ladder->order[i]].package ==
			   topology->places[ladder->order[0]].package;
	const size_t steps[] = { 1,       n_first / 4,    n_first / 2, n_first * 3 / 4,
				 n_first, ladder->n_cores };
	for (size_t i = 0; i < ARRAY_SIZE(steps) && !err; i++) {
		if (steps[i] <= last || report_has_problem(&ladder->measurement.context->report))
			continue;
		last = steps[i];
		err = measure_step(ladder, last);
	}
	return err;
}

int measure_ladder_short(struct context *context, struct ladder_result *ret_result)
{
	_cleanup_(ladder_done) struct ladder ladder = {
		.measurement.context = context,
		.kind = LOAD_SCALAR,
		.seconds = DEFAULT_SECONDS,
		.with_high = true,
		.rules.tolerance_percent = DEFAULT_TOLERANCE,
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
	if (report_has_problem(&context->report))
		return 0;
	err = measurement_read_limits(measurement);
	if (!err)
		err = find_order(&ladder);
	if (!err)
		err = measurement_read_power_limits(measurement);
	if (err || report_has_problem(&context->report))
		return err;
	err = measure_short_steps(&ladder);
	if (err || report_has_problem(&context->report))
		return err;
	add_counts(&ladder);
	*ret_result = steal(ladder.result);
	return 0;
}

/* Saves and shows the steps. */
static int finish(struct ladder *ladder)
{
	struct measurement *measurement = &ladder->measurement;
	struct context *context = measurement->context;
	struct ladder_result *result = &ladder->result;
	_cleanup_json_ json_t *document = NULL;

	measurement_note_end(context);
	result->passed = count_steps(result, "pass");
	result->failed = count_steps(result, "fail");
	result->not_checked = count_steps(result, "not-checked");
	if (result->failed.value > 0)
		context->report.has_differences = true;
	add_counts(ladder);
	for (size_t i = 0; i < result->n_steps; i++) {
		const struct ladder_step *step = &result->steps[i];
		const struct json_rows rows = { step->groups, step->n_groups, sizeof(*step->groups),
						ladder_group_fields };

		requirements_take(&measurement->requirements, &rows);
	}
	document = measurement_make_document(measurement, result);
	return measurement_finish(measurement, document, json_object_get(document, "steps"),
				  result);
}

int measure_ladder(struct context *context)
{
	_cleanup_(ladder_done) struct ladder ladder = { .measurement.context = context };
	int err = take_arguments(&ladder);

	if (err || report_has_problem(&context->report) || context->is_trial)
		return err;
	err = measurement_read_limits(&ladder.measurement);
	if (!err)
		check_isa(&ladder);
	if (err || report_has_problem(&context->report))
		return err;
	err = find_order(&ladder);
	if (!err)
		err = measurement_read_power_limits(&ladder.measurement);
	if (!err)
		err = measure_steps(&ladder);
	if (err || report_has_problem(&context->report))
		return err;
	return finish(&ladder);
}

const struct option measure_ladder_options[] = {
	MEASURE_ALL,
	{ 0, "isa", LEVELS_TRL_VALUE, "Instruction set of the load (default sse)",
	  OPTION_WORD(struct measure_ladder_arguments, isa, levels_trl_words) },
	{ 0, "seconds", "TIME", "How long each step is measured (default 2s)",
	  OPTION_SECONDS(struct measure_ladder_arguments, seconds, 1, MAX_SECONDS) },
	{ 0, "tolerance", "PERCENT", "Percent that may be missing of a prediction (default 2)",
	  OPTION_NUMBER(struct measure_ladder_arguments, tolerance_percent, 0, MAX_TOLERANCE) },
	{ 0, "clear-limits", NULL,
	  "Clear the limit reasons before each step, for all who read them",
	  OPTION_FLAG(struct measure_ladder_arguments, clear_limits) },
	MEASURE_REQUIRE_NUMBER,
	MEASURE_SAVE("the steps"),
	{ 0 },
};
