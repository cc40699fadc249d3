// SPDX-License-Identifier: GPL-2.0-only
/* measure ladder: one busy core, then two, and so on; each step is held against what the settings
 * promise for it (measure.md, "jitter, ladder, why"). */
#include "features/measure/ladder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "features/levels.h"
#include "features/measure/common.h"
#include "host/run_directory.h"
#include "measure/figure.h"
#include "measure/ladder.h"
#include "output/screen.h"

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
	json_t *document, *steps; /* steps is part of the document */
};

static void ladder_done(struct ladder *ladder)
{
	measurement_done(&ladder->measurement);
	free(ladder->order);
	json_decref(ladder->document);
}

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

	if (arguments->all == !!context->request->cpus)
		context_refuse_usage(context, arguments->all ? "--all and --cpu do not go together"
							     : "--cpu or --all is needed");
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
	measurement_check_save(&ladder->measurement, arguments->save);
	return report_has_problem(&context->report) ? 0
						    : measurement_find_cpus(&ladder->measurement);
}

/* The load of dense AVX-512 is judged by heavy AVX-512, or by AVX-512 where the level has no other:
 * reports a level that has none of what is asked for. */
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

/* Adds to groups the highest "predicted-high-mhz" of their CPUs, where the readings differ. */
static void add_high(const json_t *groups, const json_t *cpus)
{
	const json_t *cpu, *number;
	json_t *group;
	size_t i, j, k;

	json_array_foreach (groups, i, group) {
		double high = 0, of_cpu;

		json_array_foreach (json_object_get(group, "cpus"), j, number) {
			json_array_foreach (cpus, k, cpu) {
				if (json_equal(json_object_get(cpu, "cpu"), number) &&
				    figure_get(cpu, "predicted-high-mhz", &of_cpu) == 0 &&
				    of_cpu > high)
					high = of_cpu;
			}
		}
		if (high > 0)
			figure_set(group, "promised-high-mhz", high, 1, NULL);
	}
}

/* Measures with the first CPUs of the order busy. Returns 0, also after a problem, which is
 * reported; or -ENOMEM. */
static int measure_step(struct ladder *ladder, size_t n_busy)
{
	struct measurement *measurement = &ladder->measurement;
	_cleanup_run_result_ struct run_result result = { 0 };
	struct cpuset *busy = &measurement->loads[0].cpus;
	json_t *step;
	int err = 0;

	while (ladder->n_busy < n_busy && !err)
		err = cpuset_add(busy, ladder->order[ladder->n_busy++]);
	if (!err && ladder->clears_limits)
		err = measurement_clear_limits(measurement, n_busy == 1);
	if (err || report_has_problem(&measurement->context->report))
		return err;
	err = run_measure(&measurement->job, &result);
	if (err)
		return err;
	if (result.refusal) {
		context_report(measurement->context, NULL,
			       result.error == -EOPNOTSUPP ? REPORT_UNSUPPORTED : REPORT_REFUSED,
			       "%s", result.refusal);
		return 0;
	}
	err = measurement_predict(measurement, result.document, NULL);
	step = err ? NULL : ladder_judge(result.document, busy, &ladder->rules);
	if (!step)
		return -ENOMEM;
	if (ladder->with_high)
		add_high(json_object_get(step, "groups"), json_object_get(result.document, "cpus"));
	ladder_find_counts(result.document, busy, &ladder->rules, ladder->fits);
	json_object_set_new(step, "cpu", json_integer(ladder->order[n_busy - 1]));
	json_array_append_new(ladder->steps, step);
	return 0;
}

/* Prepares the document and what all steps have in common. */
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
	ladder->document =
		json_pack("{s:s, s:I, s:f, s:I, s:[]}", "load", load_kind_name(ladder->kind),
			  "seconds-of-a-step", (json_int_t)ladder->seconds, "tolerance-percent",
			  ladder->rules.tolerance_percent, "cores", (json_int_t)ladder->n_cores,
			  "steps");
	if (!ladder->document)
		return -ENOMEM;
	ladder->steps = json_object_get(ladder->document, "steps");
	return 0;
}

static int measure_steps(struct ladder *ladder)
{
	int err = begin_steps(ladder);

	for (size_t i = 1; i <= ladder->n_cores && !err; i++) {
		if (report_has_problem(&ladder->measurement.context->report))
			break;
		err = measure_step(ladder, i);
	}
	return err;
}

/* Counts the steps by result. */
static void count_results(struct ladder *ladder)
{
	static const struct {
		const char *result, *name;
	} counted[] = {
		{ "pass", "passed" },
		{ "fail", "failed" },
		{ "not-judged", "not-judged" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(counted); i++) {
		const json_t *step;
		json_int_t count = 0;
		size_t j;

		json_array_foreach (ladder->steps, j, step)
			count += strcmp(json_string_value(json_object_get(step, "result")),
					counted[i].result) == 0;
		json_object_set_new(ladder->document, counted[i].name, json_integer(count));
	}
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
	json_object_set_new(ladder->document, "turbo-counts",
			    json_string(by_domain == by_package ? "not decided"
					: by_domain             ? "by power domain"
								: "by package"));
}

static void append_mhz(struct buffer *buffer, double mhz)
{
	_cleanup_free_ char *text = text_format("%.0f", mhz);

	buffer_append_string(buffer, buffer->length ? "/" : "");
	buffer_append_string(buffer, text ?: "");
}

/* The figures of the groups of a step with a slash between them: "3200/2600". */
static char *format_groups(const json_t *step, const char *name)
{
	_cleanup_buffer_ struct buffer buffer = { 0 };
	const json_t *group;
	double mhz;
	size_t i;

	json_array_foreach (json_object_get(step, "groups"), i, group) {
		if (figure_get(group, name, &mhz) == 0)
			append_mhz(&buffer, mhz);
	}
	return strdup(buffer.length ? buffer_text(&buffer) : "-");
}

/* The power of all packages of a step. */
static json_t *sum_watts(const json_t *step)
{
	const json_t *package;
	double sum = 0, watts;
	size_t i;

	json_array_foreach (json_object_get(step, "packages"), i, package) {
		if (figure_get(package, "watts", &watts))
			return json_null();
		sum += watts;
	}
	return json_sprintf("%.1f", sum);
}

/* The result of a step in words: "not judged". */
static const char *find_result(const json_t *step)
{
	const char *result = json_string_value(json_object_get(step, "result"));

	return strcmp(result, "not-judged") == 0 ? "not judged" : result;
}

/* Is the step to be shown in the row of the one before? */
static bool continues(const json_t *step, const json_t *row)
{
	_cleanup_free_ char *promised = format_groups(step, "promised-mhz");
	_cleanup_free_ char *measured = format_groups(step, "measured-mhz");

	return promised && measured &&
	       strcmp(promised, json_string_value(json_object_get(row, "promised"))) == 0 &&
	       strcmp(measured, json_string_value(json_object_get(row, "measured"))) == 0 &&
	       strcmp(find_result(step), json_string_value(json_object_get(row, "result"))) == 0;
}

/* Rows of steps that are alike. */
static int make_rows(const json_t *steps, json_t *rows)
{
	const json_t *step;
	size_t i, first = 1;

	json_array_foreach (steps, i, step) {
		json_t *row = json_array_get(rows, json_array_size(rows) - 1);

		if (!row || !continues(step, row)) {
			_cleanup_free_ char *promised = format_groups(step, "promised-mhz");
			_cleanup_free_ char *measured = format_groups(step, "measured-mhz");

			first = i + 1;
			row = json_pack("{s:s*, s:s*, s:s}", "promised", promised, "measured",
					measured, "result", find_result(step));
			json_object_set(row, "groups", json_object_get(step, "groups"));
			json_array_append_new(rows, row);
		}
		json_object_set_new(row, "watts", sum_watts(step));
		json_object_set_new(row, "cores",
				    first == i + 1 ? json_sprintf("%zu", i + 1)
						   : json_sprintf("%zu-%zu", first, i + 1));
		if (!row)
			return -ENOMEM;
	}
	return 0;
}

/* Adds a bar for each promise of a row, which is alike in all of its steps. */
static int add_bars(const json_t *row, struct screen_bar **bars, size_t *n_bars)
{
	const json_t *group;
	size_t i;

	json_array_foreach (json_object_get(row, "groups"), i, group) {
		struct screen_bar *bar = array_add(bars, n_bars, sizeof(*bar));
		double mhz;

		if (!bar)
			return -ENOMEM;
		*bar = (struct screen_bar){ .value = 0 };
		snprintf(bar->label, sizeof(bar->label), "%.20s",
			 json_string_value(json_object_get(row, "cores")));
		if (figure_get(group, "measured-mhz", &mhz) == 0) {
			bar->value = mhz;
			snprintf(bar->text, sizeof(bar->text), "%.0f", mhz);
		}
		bar->has_mark = figure_get(group, "promised-mhz", &mhz) == 0;
		if (bar->has_mark)
			bar->mark = mhz;
	}
	return 0;
}

/* The steps as a picture: what was measured, and where the promise is. */
static int put_stairs(struct screen *screen, const json_t *rows)
{
	_cleanup_free_ struct screen_bar *bars = NULL;
	size_t n_bars = 0, i;
	const json_t *row;

	json_array_foreach (rows, i, row) {
		int err = add_bars(row, &bars, &n_bars);

		if (err)
			return err;
	}
	screen_put(screen, "stairs", "measured MHz #, promised |");
	screen_put_bars(screen, NULL, bars, n_bars);
	return 0;
}

/* Puts each text of a member of the steps once, with the steps that it is of. */
static int put_reasons(struct screen *screen, const char *label, const json_t *steps,
		       const char *member)
{
	_cleanup_json_ json_t *by_reason = json_object();
	const json_t *step, *reason;
	json_t *numbers;
	const char *text;
	size_t i, j;

	json_array_foreach (steps, i, step) {
		json_array_foreach (json_object_get(step, member), j, reason) {
			text = json_string_value(reason);
			if (!json_object_get(by_reason, text))
				json_object_set_new(by_reason, text, json_array());
			json_array_append_new(json_object_get(by_reason, text),
					      json_integer((json_int_t)i + 1));
		}
	}
	i = 0;
	json_object_foreach (by_reason, text, numbers) {
		_cleanup_cpuset_ struct cpuset set = { 0 };
		_cleanup_free_ char *list = NULL;
		const json_t *number;

		json_array_foreach (numbers, j, number) {
			if (cpuset_add(&set, (uint32_t)json_integer_value(number)))
				return -ENOMEM;
		}
		list = cpuset_format_ranges(&set);
		screen_put_format(screen, i++ ? NULL : label, "%s: %s busy cores", text,
				  list ?: "");
	}
	return 0;
}

static int show_text(const struct ladder *ladder)
{
	static const struct screen_column columns[] = {
		{ .heading = "busy cores", .key = "cores", .rank = 3 },
		{ .heading = "cores", .key = "cores", .instead_of = "busy cores" },
		{ .heading = "promised MHz", .key = "promised", .rank = 5 },
		{ .heading = "promised", .key = "promised", .instead_of = "promised MHz" },
		{ .heading = "measured MHz", .key = "measured", .rank = 4 },
		{ .heading = "measured", .key = "measured", .instead_of = "measured MHz" },
		{ .heading = "watts", .key = "watts", .rank = 2 },
		{ .heading = "result", .key = "result", .rank = 1 },
		{ .heading = "judged", .key = "result", .instead_of = "result", .is_list = true },
	};
	struct output *output = ladder->measurement.context->output;
	const json_t *counts = json_object_get(ladder->document, "turbo-counts");
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(output) };
	_cleanup_json_ json_t *rows = json_array();
	int err = make_rows(ladder->steps, rows);

	if (err)
		return err;
	screen_put_format(&screen, "load", "%s, %zu cores", load_kind_name(ladder->kind),
			  ladder->n_cores);
	screen_put_table(&screen, "ladder", rows, columns, ARRAY_SIZE(columns));
	err = put_stairs(&screen, rows);
	if (counts)
		screen_put(&screen, "turbo counts", json_string_value(counts));
	if (!err)
		err = put_reasons(&screen, "not judged", ladder->steps, "reasons");
	if (!err)
		err = put_reasons(&screen, "passed while", ladder->steps, "notes");
	if (err || screen.text.has_failed)
		return -ENOMEM;
	output_text(output, buffer_text(&screen.text));
	return 0;
}

static int show(struct ladder *ladder)
{
	struct context *context = ladder->measurement.context;

	context->report.n_results++;
	if (json_integer_value(json_object_get(ladder->document, "failed")) > 0)
		context->report.has_differences = true;
	if (!output_is_json(context->output))
		return show_text(ladder);
	output_json_members(context->output, ladder->document);
	return 0;
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

int measure_ladder_short(struct context *context, json_t **ret_document)
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
	*ret_document = steal(ladder.document);
	return 0;
}

int measure_ladder(struct context *context)
{
	const struct measure_ladder_arguments *arguments = context->request->arguments;
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
	count_results(&ladder);
	add_counts(&ladder);
	err = measurement_add_machine(&ladder.measurement, ladder.document);
	if (!err && arguments->save)
		err = measurement_save(&ladder.measurement, "ladder", arguments->save,
				       ladder.document, ladder.steps);
	return err ? err : show(&ladder);
}

const struct option measure_ladder_options[] = {
	{ 0, "all", NULL, "All cores that are online and not isolated",
	  OPTION_FLAG(struct measure_ladder_arguments, all) },
	{ 0, "isa", LEVELS_TRL_VALUE, "Instructions of the load, not SSE",
	  OPTION_WORD(struct measure_ladder_arguments, isa, levels_trl_words) },
	{ 0, "seconds", "SECONDS", "Measure each step for SECONDS seconds; default 2",
	  OPTION_NUMBER(struct measure_ladder_arguments, seconds, 1, MAX_SECONDS) },
	{ 0, "tolerance", "PERCENT", "That much of a promise may be missing; default 2",
	  OPTION_NUMBER(struct measure_ladder_arguments, tolerance_percent, 0, MAX_TOLERANCE) },
	{ 0, "clear-limits", NULL,
	  "Clear the limit reasons before each step, for all who read them",
	  OPTION_FLAG(struct measure_ladder_arguments, clear_limits) },
	{ 0, "save", "FILE", "Save the steps, and the state of the machine, for comparing",
	  OPTION_TEXT(struct measure_ladder_arguments, save), .path = OPTION_PATH_FILE },
	{ 0 },
};
