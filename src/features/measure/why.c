// SPDX-License-Identifier: GPL-2.0-only
/* cpufreq explain --measure: measures CPUs, compares their frequencies with what the settings
 * allow, and names their limits (measure.md, "jitter, ladder, explain"). */
#include "features/cpufreq_explain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "features/measure/common.h"
#include "features/measure/why_turbo.h"
#include "host/run_directory.h"
#include "output/screen.h"

/* CPUs that have the same explanation. */
struct cpu_group {
	size_t first; /* an index */
	struct cpuset cpus;
	double busy, low_mhz, high_mhz; /* busy: the lowest */
	bool has_busy, has_mhz;
};

static int prepare(struct measurement *measurement)
{
	struct context *context = measurement->context;
	const struct cpufreq_explain_arguments *arguments = context->request->arguments;
	struct run_load *load;
	int err = measurement_find_cpus(measurement);

	measurement_check_named(context, arguments->all,
				arguments->load.given ? "--load keeps CPUs busy" : NULL);
	if (err)
		return err;
	measurement->job = (struct run_job){
		.sources = { .with_limits = true, .with_stolen = true },
		.ns = arguments->measure_s.value * NS_PER_S,
	};
	if (!arguments->load.given)
		return 0;
	load = array_add(&measurement->job.loads, &measurement->job.n_loads, sizeof(*load));
	if (!load)
		return -ENOMEM;
	load->kind = (enum load_kind)arguments->load.value;
	return cpuset_copy(&load->cpus, &measurement->cpus);
}

static void explanation_done(struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->n_cpus; i++)
		why_cpu_done(&explanation->cpus[i]);
	free(explanation->cpus);
	free(explanation->limits);
	cpuset_done(&explanation->active);
}

/* Explains each CPU of a window. */
static int explain(struct explanation *explanation, struct run_window *window)
{
	const struct measurement *measurement = explanation->measurement;
	int err;

	explanation->cpus = calloc(window->n_cpus + 1, sizeof(*explanation->cpus));
	explanation->limits = calloc(window->n_cpus + 1, sizeof(*explanation->limits));
	if (!explanation->cpus || !explanation->limits)
		return -ENOMEM;
	err = measurement_predict(measurement, window, explanation->limits);
	if (!err)
		err = measurement_find_active(measurement, window, &explanation->active);
	for (size_t i = 0; i < window->n_cpus && !err; i++)
		err = why_explain(window, &window->cpus[i], &explanation->limits[i],
				  &measurement->rules, &explanation->cpus[explanation->n_cpus++]);
	return err;
}

/* Returns true if two CLOS have the same parameters. */
static bool have_same_clos(const struct sst_clos *left, const struct sst_clos *right)
{
	return left->epp == right->epp && left->weight == right->weight &&
	       left->min_mhz == right->min_mhz && left->max_mhz == right->max_mhz &&
	       left->unlimited == right->unlimited && left->desired_mhz == right->desired_mhz;
}

static bool have_same_limits(const struct why_cpu *left, const struct why_cpu *right)
{
	for (size_t i = 0; i < left->n_upper && i < right->n_upper; i++) {
		if (strcmp(left->upper[i].name, right->upper[i].name) != 0 ||
		    left->upper[i].figure.value != right->upper[i].figure.value)
			return false;
	}
	return left->n_upper == right->n_upper;
}

/* Returns true if two CPUs (indices) have the same explanation and the same setting to change. */
static bool are_equal(const struct explanation *explanation, size_t left_index, size_t right_index)
{
	const struct why_cpu *left = &explanation->cpus[left_index];
	const struct why_cpu *right = &explanation->cpus[right_index];
	const struct run_cpu *a = left->cpu, *b = right->cpu;
	const char *by = left->limited_by;

	if (strcmp(a->class, b->class) != 0 || strcmp(a->load ?: "", b->load ?: "") != 0 ||
	    a->predicted_mhz.value != b->predicted_mhz.value ||
	    a->not_taken_over_mhz.value != b->not_taken_over_mhz.value ||
	    !texts_are_equal(&a->limits.earlier, &b->limits.earlier) ||
	    !texts_are_equal(&left->evidence, &right->evidence) ||
	    strcmp(by, right->limited_by) != 0 || !have_same_limits(left, right))
		return false;
	if (strcmp(by, "clos-max") == 0)
		return have_same_clos(&explanation->limits[left_index].clos,
				      &explanation->limits[right_index].clos);
	return !turbo_limits(by) || a->package == b->package;
}

/* Returns true if one command can change the setting of both CPUs (indices). */
static bool have_same_setting(const struct explanation *explanation, size_t left_index,
			      size_t right_index)
{
	const struct why_limits *left = &explanation->limits[left_index];
	const struct why_limits *right = &explanation->limits[right_index];
	const char *by = explanation->cpus[left_index].limited_by;

	return strcmp(by, explanation->cpus[right_index].limited_by) == 0 &&
	       (strcmp(by, "clos-max") != 0 || (left->inputs.clos == right->inputs.clos &&
						have_same_clos(&left->clos, &right->clos)));
}

/* Finds the command for a CPU (an index) without a change of turbo, and all CPUs that it helps. */
static int find_command(const struct explanation *explanation, size_t index, char **ret_command)
{
	struct why_cpu *cpu = &explanation->cpus[index];
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_free_ char *list = NULL;

	for (size_t i = 0; i < explanation->n_cpus; i++) {
		if (have_same_setting(explanation, index, i) &&
		    cpuset_add(&cpus, explanation->cpus[i].cpu->cpu))
			return -ENOMEM;
	}
	list = cpuset_format_ranges(&cpus);
	return list ? why_find_setting(cpu->limited_by, &explanation->limits[index], list,
				       ret_command, &cpu->setting_reason)
		    : -ENOMEM;
}

/* Adds what to change for a CPU (an index), and the price for others. */
static int add_setting(const struct explanation *explanation, const struct turbo_changes *changes,
		       size_t index)
{
	struct why_cpu *cpu = &explanation->cpus[index];
	const struct turbo_change *change =
		turbo_changes_get(changes, cpu->limited_by, cpu->cpu->package);
	char *command = change ? strdup(change->command) : NULL;
	int err = change ? 0 : find_command(explanation, index, &command);

	if (!err && (change || command)) {
		command = host_complete_commands(explanation->measurement->context->request->host,
						 command);
		cpu->setting = texts_take(&cpu->texts, command);
		err = cpu->setting ? 0 : -ENOMEM;
	}
	if (err || !change || cpuset_is_empty(&change->lowered))
		return err;
	cpu->has_price = true;
	cpu->at_most_mhz = (double)change->then_khz / KHZ_PER_MHZ;
	cpu->now_mhz = (double)change->now_khz / KHZ_PER_MHZ;
	return cpuset_copy(&cpu->lowered, &change->lowered);
}

static int add_group(struct cpu_group *group, const struct explanation *explanation, size_t index)
{
	const struct run_cpu *cpu = explanation->cpus[index].cpu;
	const double busy = cpu->busy_percent.value, mhz = cpu->mhz.value;

	if (cpuset_is_empty(&group->cpus))
		group->first = index;
	if (figure_is_known(&cpu->busy_percent)) {
		group->busy = group->has_busy && group->busy < busy ? group->busy : busy;
		group->has_busy = true;
	}
	if (figure_is_known(&cpu->mhz)) {
		group->low_mhz = group->has_mhz && group->low_mhz < mhz ? group->low_mhz : mhz;
		group->high_mhz = group->high_mhz > mhz ? group->high_mhz : mhz;
		group->has_mhz = true;
	}
	return cpuset_add(&group->cpus, cpu->cpu);
}

static void put_measured(struct screen *screen, const struct cpu_group *group,
			 const struct run_cpu *first)
{
	_cleanup_free_ char *busy =
		group->has_busy ? text_format(", busy %.1f %%", group->busy) : strdup("");

	if (!group->has_mhz)
		screen_put_format(screen, "measured", "no frequency: %s%s",
				  figure_why(&first->mhz) ?: "", busy ?: "");
	else if (group->high_mhz - group->low_mhz < 1)
		screen_put_format(screen, "measured", "%.0f MHz%s", group->high_mhz, busy ?: "");
	else
		screen_put_format(screen, "measured", "%.0f to %.0f MHz%s", group->low_mhz,
				  group->high_mhz, busy ?: "");
}

/* The figure of the upper limit with this name: "clos-max-mhz". */
static const struct figure *find_upper(const struct why_cpu *cpu, const char *name)
{
	static const struct figure none = { 0 };

	for (size_t i = 0; i < cpu->n_upper; i++) {
		if (strcmp(cpu->upper[i].name, name) == 0)
			return &cpu->upper[i].figure;
	}
	return &none;
}

static void put_allowed(struct screen *screen, const struct why_cpu *why)
{
	const struct run_cpu *cpu = why->cpu;
	_cleanup_free_ char *predicted =
		figure_range(&cpu->predicted_mhz, &cpu->predicted_high_mhz);
	_cleanup_buffer_ struct buffer buffer = { 0 };

	if (!predicted)
		screen_put(screen, "predicted", figure_why(&cpu->predicted_mhz) ?: "");
	else
		screen_put_format(screen, "predicted", "%s MHz, by %s", predicted,
				  cpu->predicted_mhz.about);
	for (size_t i = 0; i < why->n_upper; i++) {
		const char *name = why->upper[i].name;
		const int length = (int)(strlen(name) - strlen("-mhz"));
		_cleanup_free_ char *high = text_format("%.*s-high-mhz", length, name);
		_cleanup_free_ char *mhz =
			figure_range(&why->upper[i].figure, find_upper(why, high ?: ""));

		if (!strstr(name, "-high-mhz"))
			buffer_add_item(&buffer, ", ", "%.*s %s", length, name, mhz ?: "");
	}
	if (buffer.length)
		screen_put(screen, "limits", buffer_text(&buffer));
}

/* Shows evidence that could not be read. A kernel without limit reasons is reported only if nothing
 * else explains the frequency. */
static void put_missing(struct screen *screen, const struct why_cpu *why)
{
	const char *reason = why->cpu->limits.reason;

	if (reason && (strcmp(why->limited_by, "unknown") == 0 ||
		       strncmp(reason, SOURCES_NO_LIMITS, strlen(SOURCES_NO_LIMITS)) != 0))
		screen_put_format(screen, "missing", "limit reasons: %s", reason);
}

/* Shows the command in one line, so that it can be pasted, and its price for other CPUs. */
static void put_setting(struct screen *screen, const struct explanation *explanation,
			const struct why_cpu *cpu)
{
	_cleanup_free_ char *list = cpuset_format_ranges(&cpu->lowered);
	/* the CPUs are listed only if a measured CPU is among them */
	const bool is_listed = cpuset_intersects(&cpu->lowered, &explanation->measurement->cpus);

	if (cpu->setting)
		screen_put_command(screen, "setting", "", cpu->setting);
	else
		screen_put_format(screen, "setting", "none: %s", cpu->setting_reason);
	if (cpu->has_price)
		screen_put_format(screen, "price", "%s%s: at most %u MHz, now %u",
				  is_listed ? "CPUs " : "", is_listed ? list ?: "" : "others",
				  (uint32_t)cpu->at_most_mhz, (uint32_t)cpu->now_mhz);
}

static int put_group(struct screen *screen, const struct explanation *explanation,
		     const struct turbo_changes *changes, const struct cpu_group *group)
{
	const struct why_cpu *cpu = &explanation->cpus[group->first];
	_cleanup_free_ char *list = cpuset_format_ranges(&group->cpus);
	_cleanup_free_ char *earlier = texts_join(&cpu->cpu->limits.earlier, ", ");

	if (!list || add_setting(explanation, changes, group->first))
		return -ENOMEM;
	screen_put(screen, "CPUs", list);
	put_measured(screen, group, cpu->cpu);
	put_allowed(screen, cpu);
	for (size_t i = 0; i < cpu->evidence.count; i++)
		screen_put(screen, i ? NULL : "evidence", cpu->evidence.list[i]);
	if (earlier && *earlier)
		screen_put_format(screen, "earlier", "%s: since the last clear, time unknown",
				  earlier);
	put_missing(screen, cpu);
	screen_put(screen, "conclusion", cpu->conclusion);
	put_setting(screen, explanation, cpu);
	return 0;
}

static int show_text(struct context *context, const struct explanation *explanation,
		     const struct turbo_changes *changes)
{
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(context->output) };
	struct cpu_group *list = NULL;
	size_t count = 0, i;
	int err = 0;

	for (i = 0; i < explanation->n_cpus; i++) {
		size_t at = context->request->globals->each ? count : 0;

		while (at < count && !are_equal(explanation, list[at].first, i))
			at++;
		if (at == count && !array_add(&list, &count, sizeof(*list))) {
			err = -ENOMEM;
			break;
		}
		err = add_group(&list[at], explanation, i);
		if (err)
			break;
	}
	for (i = 0; i < count; i++) {
		if (!err)
			err = put_group(&screen, explanation, changes, &list[i]);
		cpuset_done(&list[i].cpus);
	}
	free(list);
	return err ? err : screen_output(&screen, context->output);
}

static int show_json(struct context *context, const struct explanation *explanation,
		     const struct run_window *window)
{
	struct why_result result = {
		.seconds = window->seconds,
		.cpus = json_array(),
		.packages = window->packages,
		.n_packages = window->n_packages,
	};
	_cleanup_json_ json_t *object = NULL;

	for (size_t i = 0; i < explanation->n_cpus; i++) {
		const struct why_cpu *why = &explanation->cpus[i];
		json_t *cpu = json_write_fields(why_measured_fields, why->cpu);

		json_write_to(cpu, why_cpu_fields, why);
		json_array_append_new(result.cpus, cpu);
	}
	object = json_write_fields(why_result_fields, &result);
	json_decref(result.cpus);
	output_json_members(context->output, object);
	return object ? 0 : -ENOMEM;
}

static int show(const struct measurement *measurement, struct run_window *window)
{
	struct context *context = measurement->context;
	_cleanup_(explanation_done) struct explanation explanation = {
		.measurement = measurement,
	};
	_cleanup_turbo_changes_ struct turbo_changes changes = { 0 };
	int err = explain(&explanation, window);

	if (!err)
		err = turbo_changes_find(&explanation, &changes);
	if (err)
		return err;
	context->report.n_results++;
	if (!output_is_json(context->output))
		return show_text(context, &explanation, &changes);
	for (size_t i = 0; i < explanation.n_cpus && !err; i++)
		err = add_setting(&explanation, &changes, i);
	return err ? err : show_json(context, &explanation, window);
}

int cpufreq_explain_measured(struct context *context)
{
	const struct cpufreq_explain_arguments *arguments = context->request->arguments;
	_cleanup_measurement_ struct measurement measurement = { .context = context,
								 .with_packages = true };
	_cleanup_run_result_ struct run_result result = { 0 };
	int err;

	if (arguments->isa.given) {
		context_refuse_usage(context, "--isa cannot be used with --measure: --load chooses "
					      "the instructions");
		return 0;
	}
	err = prepare(&measurement);
	if (err || report_has_problem(&context->report) || context->is_trial)
		return err;
	err = measurement_read_limits(&measurement);
	if (!err)
		err = measurement_read_power_limits(&measurement);
	if (!err && arguments->clear_limits)
		err = measurement_clear_limits(&measurement, true);
	if (err || report_has_problem(&context->report))
		return err;
	err = measurement_run(&measurement, &result);
	return err || result.refusal ? err : show(&measurement, &result.window);
}
