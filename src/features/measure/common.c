// SPDX-License-Identifier: GPL-2.0-only
/* What the measure commands have in common: CPUs, their limits, and saving (measure.md). */
#include "features/measure/common.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "cli/option.h"
#include "features/cpufreq_explain.h"
#include "features/levels.h"
#include "host/powercap.h"
#include "output/screen.h"
#include "run/context.h"
#include "sst/values.h"

void measurement_done(struct measurement *measurement)
{
	requirements_done(&measurement->requirements);
	json_free_fields(measured_machine_fields, &measurement->machine);
	texts_done(&measurement->machine.texts);
	cpuset_done(&measurement->isolated);
	for (size_t i = 0; i < measurement->job.n_loads; i++)
		cpuset_done(&measurement->job.loads[i].cpus);
	free(measurement->job.loads);
	for (size_t i = 0; measurement->unknown && i < cpuset_count(&measurement->cpus); i++)
		free(measurement->unknown[i]);
	free(measurement->unknown);
	cpuset_done(&measurement->cpus);
	cpufreq_machine_done(&measurement->cpufreq);
	free(measurement->inputs);
	free(measurement->rules.limits);
	expected_done(&measurement->expected);
}

/* Finds the CPUs that a text names. option: NULL if the set may be empty. Returns 0, also after a
 * mistake, which is reported; or -ENOMEM. */
static int find_set(struct context *context, const char *option, const char *text,
		    struct cpuset *ret_cpus)
{
	_cleanup_(cpu_names_done) struct cpu_names names = { 0 };
	_cleanup_free_ char *message = NULL;
	struct cpu_names_problem problem;
	int err = cpu_names_parse(text, &names, &problem);

	if (err == -ENOMEM)
		return err;
	if (err) {
		context_refuse_usage(context, "%s %s: %s", option, text, problem.expected);
		return 0;
	}
	if (option && cpu_names_find_sst(&names)) {
		context_refuse_usage(context,
				     "%s %s: a set of Speed Select can be used only in --cpu",
				     option, text);
		return 0;
	}
	err = cpu_names_find(&names, context->machine->host->files, &context->machine->topology,
			     ret_cpus, &message);
	if (err == -ENOMEM || !err)
		return err;
	if (option)
		context_refuse_usage(context, "%s %s: %s", option, text, message ?: strerror(-err));
	else if (err != -ENODATA)
		context_fail(context, NULL, err, "%s", message ?: "isolated CPUs");
	return 0;
}

int measurement_find_isolated(struct measurement *measurement)
{
	return find_set(measurement->context, NULL, "isolated,nohz-full", &measurement->isolated);
}

int measurement_find_cpus(struct measurement *measurement)
{
	struct context *context = measurement->context;
	int err = measurement_find_isolated(measurement);

	if (!err)
		err = cpuset_copy(&measurement->cpus, context->targets.cpus);
	if (err || context->targets.requested_cpus)
		return err;
	cpuset_remove_all(&measurement->cpus, &measurement->isolated);
	if (cpuset_is_empty(&measurement->cpus))
		context_refuse_usage(context, "all CPUs are isolated: name those to measure with "
					      "--cpu");
	else if (cpuset_intersects(&measurement->isolated, context->targets.cpus))
		context_report_cpus(context, REPORT_NOTE, "isolated CPUs ", &measurement->isolated,
				    " are not measured; to measure them, name them with --cpu");
	return 0;
}

/* Returns true if a load names no CPUs, and so keeps the measured CPUs busy. */
static bool loads_measured(const struct option_texts *loads)
{
	for (size_t i = 0; i < loads->count; i++) {
		if (!strchr(loads->list[i], ':'))
			return true;
	}
	return false;
}

/* Reads one --load, "KIND" or "KIND:SET". */
static int parse_load(struct measurement *measurement, const char *text, struct run_load *load)
{
	const char *colon = strchr(text, ':');
	_cleanup_free_ char *word = strndup(text, colon ? (size_t)(colon - text) : strlen(text));
	struct context *context = measurement->context;
	int err;

	if (!word)
		return -ENOMEM;
	if (load_kind_parse(word, &load->kind)) {
		context_refuse_usage(context,
				     "--load %s: scalar, avx2, avx512 or tdp was expected%s", text,
				     option_suggest_of(load_kind_words, word).text);
		return 0;
	}
	if (!colon)
		return cpuset_copy(&load->cpus, &measurement->cpus);
	err = find_set(context, "--load", colon + 1, &load->cpus);
	if (err || report_has_problem(&context->report))
		return err;
	cpuset_foreach (cpu, &load->cpus) {
		if (cpuset_has(&context->machine->topology.online, cpu))
			continue;
		context_refuse_usage(context, "--load %s: CPU %u is not online", text, cpu);
		return 0;
	}
	return 0;
}

static int parse_loads(struct measurement *measurement, const struct option_texts *texts)
{
	struct run_job *job = &measurement->job;
	int err = 0;

	for (size_t i = 0; i < texts->count && !err; i++) {
		struct run_load *load = array_add(&job->loads, &job->n_loads, sizeof(*load));

		err = load ? parse_load(measurement, texts->list[i], load) : -ENOMEM;
	}
	return err;
}

static void parse_pipe(struct measurement *measurement, const char *text)
{
	const char *at = text;
	const struct cpuset *online = &measurement->context->machine->topology.online;
	uint64_t first, second;

	if (!text)
		return;
	if (number_parse_digits(&at, 10, &first) || *at++ != ',' ||
	    number_parse(at, 0, CPUSET_MAX_CPU, &second) || first == second ||
	    first > CPUSET_MAX_CPU) {
		context_refuse_usage(measurement->context,
				     "--pipe %s: two different CPUs were expected, such as 3,4",
				     text);
		return;
	}
	measurement->job.pipe_cpus[0] = (uint32_t)first;
	measurement->job.pipe_cpus[1] = (uint32_t)second;
	measurement->job.has_pipe = true;
	for (size_t i = 0; i < ARRAY_SIZE(measurement->job.pipe_cpus); i++) {
		if (!cpuset_has(online, measurement->job.pipe_cpus[i]))
			context_refuse_usage(measurement->context,
					     "--pipe %s: CPU %u is not online", text,
					     measurement->job.pipe_cpus[i]);
	}
}

static void check_command(const struct measurement *measurement)
{
	struct context *context = measurement->context;

	if (!measurement->job.command || context->machine->host->workload->runs_commands)
		return;
	context_lack(context, NULL, "%s: this machine runs no commands; use --load or --pipe",
		     measurement->job.command[0]);
	*context->request->passed =
		(struct passed_status){ .is_set = true, .status = STATUS_UNSUPPORTED };
}

int measurement_begin_work(struct measurement *measurement, const struct measure_kind *kind)
{
	const struct measure_work_arguments *work = measurement->context->request->arguments;
	int err = measurement_begin(measurement, kind,
				    loads_measured(&work->loads) ? "--load keeps CPUs busy" : NULL);

	measurement->work = work;
	measurement->job.command = work->command.words;
	if (!err)
		err = parse_loads(measurement, &work->loads);
	if (err)
		return err;
	parse_pipe(measurement, work->pipe);
	check_command(measurement);
	requirements_check_work(measurement->context, &measurement->requirements,
				&measurement->job);
	return 0;
}

#define LIMIT(file, member)   FILE_MEMBER(file, struct frequency_inputs, member)
#define MACHINE(file, member) FILE_MEMBER(file, struct cpufreq_machine, member)

static bool is_absent(int err)
{
	return err == -ENOENT;
}

char *measurement_explain_limit(const char *what, int err)
{
	return err == -EINVAL || err == -ERANGE
		       ? text_format("%s is garbled", what)
		       : text_format("%s cannot be read: %s", what, strerror(-err));
}

/* Reads the cpufreq limits of the machine. Returns 0 or -ENOMEM. *ret_unknown is a new text with
 * the reason why they are unknown, or NULL. */
static int read_machine(struct measurement *measurement, char **ret_unknown)
{
	static const struct file_member list[] = {
		{ MACHINE(CPUFREQ_NO_TURBO, no_turbo) },
		{ MACHINE(CPUFREQ_BOOST, boost) },
		{ MACHINE(CPUFREQ_MAX_PERF_PCT, max_perf_pct) },
	};
	static const struct file_members members = { .list = list,
						     .count = ARRAY_SIZE(list),
						     .is_absent = is_absent };
	struct cpufreq_machine *machine = &measurement->cpufreq;
	int err = files_read_members(measurement->context->machine->host->files, "", &members, true,
				     machine);
	const char *wrong = "cpufreq of the whole machine";
	uint64_t number;

	if (err == -ENOMEM)
		return err;
	if (!err && machine->no_turbo && number_parse(machine->no_turbo, 0, 1, &number)) {
		wrong = "no_turbo";
		err = -EINVAL;
	}
	if (!err && machine->max_perf_pct &&
	    (number_parse_file(machine->max_perf_pct, &number) || number > 100)) {
		wrong = "max_perf_pct";
		err = -EINVAL;
	}
	*ret_unknown = err ? measurement_explain_limit(wrong, err) : NULL;
	return err && !*ret_unknown ? -ENOMEM : 0;
}

int measurement_read_inputs(const struct measurement *measurement,
			    const struct cpufreq_machine *machine, uint32_t cpu,
			    struct frequency_inputs *inputs, char **ret_unknown)
{
	static const struct file_member list[] = {
		{ LIMIT("cpuinfo_max_freq", highest_khz) },
		{ LIMIT("scaling_max_freq", max_khz) },
		{ LIMIT("base_frequency", base_khz) }, /* the last: reading it interrupts the CPU */
	};
	static const struct file_members all = { .list = list,
						 .count = ARRAY_SIZE(list),
						 .is_absent = is_absent };
	static const struct file_members of_isolated = { .list = list,
							 .count = ARRAY_SIZE(list) - 1,
							 .is_absent = is_absent };
	const struct file_members *members =
		cpuset_has(&measurement->isolated, cpu) ? &of_isolated : &all;
	char *unknown = NULL;
	int err = files_read_members(measurement->context->machine->host->files,
				     files_cpu_path(cpu, "cpufreq/").text, members, true, inputs);

	/* a kernel has both files or none */
	if (!err && !inputs->max_khz != !inputs->highest_khz)
		err = -ENOENT;
	if (err && err != -ENOMEM)
		unknown = measurement_explain_limit(files_cpu_path(cpu, "cpufreq").text, err);
	if (err && !unknown)
		return -ENOMEM;
	inputs->turbo_off = cpufreq_turbo_is_off(machine);
	inputs->is_unread = machine->is_unread || unknown;
	inputs->max_percent = cpufreq_parse_percent(machine->max_perf_pct);
	if (ret_unknown)
		*ret_unknown = unknown;
	else
		free(unknown);
	return 0;
}

/* Reads the cpufreq limits of the measured CPUs. */
static int read_cpufreq(struct measurement *measurement)
{
	const size_t count = cpuset_count(&measurement->cpus) + 1;
	_cleanup_free_ char *unknown = NULL;
	size_t at = 0;
	int err = read_machine(measurement, &unknown);

	measurement->inputs = calloc(count, sizeof(*measurement->inputs));
	measurement->unknown = calloc(count, sizeof(*measurement->unknown));
	if (err || !measurement->inputs || !measurement->unknown)
		return -ENOMEM;
	cpuset_foreach (cpu, &measurement->cpus) {
		char **reason = &measurement->unknown[at];

		err = measurement_read_inputs(measurement, &measurement->cpufreq, cpu,
					      &measurement->inputs[at++], reason);
		if (!err && !*reason && unknown) {
			*reason = strdup(unknown);
			err = *reason ? 0 : -ENOMEM;
		}
		if (err)
			return err;
	}
	return 0;
}

/* Adds the online CPUs of all packages that have a measured CPU. If turbo is off, adds those of all
 * packages, because it is off for the machine. */
static int add_packages(const struct measurement *measurement, struct cpuset *cpus)
{
	const struct domain_list *list = &measurement->context->platform->domains;
	const struct topology *topology = &measurement->context->machine->topology;
	_cleanup_cpuset_ struct cpuset packages = { 0 };
	int err = 0;

	cpuset_foreach (cpu, &measurement->cpus) {
		if (!err && topology->places[cpu].package != LOCATION_NO_PACKAGE)
			err = cpuset_add(&packages, topology->places[cpu].package);
	}
	for (size_t i = 0; i < list->n_domains && !err; i++) {
		if (measurement->inputs[0].turbo_off ||
		    cpuset_has(&packages, list->domains[i].package))
			err = cpuset_add_all(cpus, &list->domains[i].cpus);
	}
	cpuset_keep(cpus, &topology->online);
	return err;
}

int measurement_read_limits(struct measurement *measurement)
{
	struct context *context = measurement->context;
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	int err = read_cpufreq(measurement);

	if (err || !context->platform || !context->platform->has_levels)
		return err;
	err = cpuset_copy(&cpus, &measurement->cpus);
	if (!err && measurement->with_packages)
		err = add_packages(measurement, &cpus);
	if (!err)
		err = context_choose_targets(context, &cpus, false);
	if (err || context->targets.n == 0)
		return err;
	err = expected_read(context->platform, context->targets.domains, context->targets.n_domains,
			    false, &measurement->expected);
	if (!err)
		levels_note_sums(context, &measurement->expected);
	return err;
}

/* The limit of a package, or a new one of 0 W. NULL: no memory. */
static struct ladder_limit *get_limit(struct ladder_rules *rules, uint32_t package,
				      const char *source)
{
	struct ladder_limit *limit = ladder_find_limit(rules, package);

	if (limit)
		return limit;
	limit = array_add(&rules->limits, &rules->n_limits, sizeof(*limit));
	if (limit)
		*limit = (struct ladder_limit){ .package = package, .source = source };
	return limit;
}

/* Takes the limits of powercap that are on. A package has one zone, or one for each die. */
static int take_zones(struct measurement *measurement)
{
	_cleanup_power_zones_ struct power_zones zones = { 0 };
	int err = power_zones_read(measurement->context->machine->host->files, false, &zones);

	if (err)
		return err == -ENOMEM ? err : 0;
	for (size_t i = 0; i < zones.count; i++) {
		const struct power_zone *zone = &zones.list[i];
		const uint64_t uw = power_zone_long_term_uw(zone);
		struct ladder_limit *limit;

		if (!uw)
			continue;
		limit = get_limit(&measurement->rules, zone->package, "powercap");
		if (!limit)
			return -ENOMEM;
		limit->watts += (double)uw / UW_PER_W;
	}
	return 0;
}

/* Takes the TDP of the current level, if this is the lower limit. A package has the highest TDP of
 * its power domains. */
static int take_tdp(struct measurement *measurement)
{
	static const char source[] = "TDP of the level";
	const struct expected *expected = &measurement->expected;

	for (size_t i = 0; i < expected->n_domains; i++) {
		const struct platform_level_query *level = &expected->levels[i];
		struct ladder_limit *limit;

		if (level->error || !level->domain || !level->info.tdp_w)
			continue;
		limit = get_limit(&measurement->rules, level->domain->package, source);
		if (!limit)
			return -ENOMEM;
		if (limit->tdp_w < level->info.tdp_w)
			limit->tdp_w = level->info.tdp_w;
	}
	for (size_t i = 0; i < measurement->rules.n_limits; i++) {
		struct ladder_limit *limit = &measurement->rules.limits[i];

		if (limit->tdp_w > 0 && (limit->watts <= 0 || limit->tdp_w < limit->watts)) {
			limit->watts = limit->tdp_w;
			limit->source = source;
		}
	}
	return 0;
}

int measurement_read_power_limits(struct measurement *measurement)
{
	int err = take_zones(measurement);

	return err ? err : take_tdp(measurement);
}

int measurement_put_histogram(struct screen *screen, const char *label,
			      const struct histogram_bin *bins, size_t n_bins)
{
	_cleanup_free_ struct screen_bar *bars = calloc(n_bins + 1, sizeof(*bars));

	if (!bars)
		return -ENOMEM;
	for (size_t i = 0; i < n_bins; i++) {
		const struct histogram_bin *bin = &bins[i];
		struct screen_bar *bar = &bars[i];

		bar->value = bin->count.value;
		snprintf(bar->text, sizeof(bar->text), "%.0f", bar->value);
		if (bin->to_us.value > 0)
			snprintf(bar->label, sizeof(bar->label), "%.6g-%.6g", bin->from_us.value,
				 bin->to_us.value);
		else
			snprintf(bar->label, sizeof(bar->label), "%.6g-", bin->from_us.value);
	}
	screen_put_bars(screen, label, bars, n_bins);
	return 0;
}

int measurement_put_screen(struct context *context, struct screen *screen)
{
	char *rest;

	if (screen->text.has_failed)
		return -ENOMEM;
	for (char *line = strtok_r(screen->text.data, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		output_sentence(context->output, "%s", line);
	return 0;
}
