// SPDX-License-Identifier: GPL-2.0-only
/* measure run: reads what can be predicted, measures, and shows both as a table or as JSON, which
 * it saves with the state of the machine (measure.md, "run"). */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "features/cpufreq_explain.h"
#include "features/measure.h"
#include "features/measure_show.h"
#include "host/cpuidle.h"
#include "host/run_directory.h"
#include "measure/figure.h"
#include "measure/run.h"
#include "sst/expected.h"
#include "state/export.h"

#define NS_PER_S        UINT64_C(1000000000)
#define DEFAULT_SECONDS 10
#define MAX_SECONDS     86400
/* A core is active to the prediction if one of its CPUs is busy for that share of the time. */
#define ACTIVE_PERCENT 25

/* What the command was asked for, and what is known before it begins. */
struct request {
	struct context *context;
	const struct measure_run_arguments *arguments;
	struct cpuset isolated;
	struct cpuset cpus; /* measured */
	struct run_job job;
	struct run_load *loads;
	struct cpufreq_machine cpufreq;
	struct frequency_inputs *inputs; /* by measured CPU: of cpufreq */
	struct expected expected; /* of the domains of the context; none without Speed Select */
};

static void request_done(struct request *request)
{
	cpuset_done(&request->isolated);
	cpuset_done(&request->cpus);
	for (size_t i = 0; request->loads && i < request->job.n_loads; i++)
		cpuset_done(&request->loads[i].cpus);
	free(request->loads);
	cpufreq_machine_done(&request->cpufreq);
	free(request->inputs);
	expected_done(&request->expected);
}

/* Finds a set of CPUs by its text. Returns 0, also after a mistake, which is reported; or -ENOMEM.
 * A set of CPUs that may be empty has no option. */
static int find_cpus(struct context *context, const char *option, const char *text,
		     struct cpuset *ret_cpus)
{
	const struct topology *topology = &context->machine->topology;
	const struct cpu_names_environment environment = {
		.files = context->machine->host->files,
		.topology = topology,
		.online = &topology->online,
	};
	_cleanup_(cpu_names_done) struct cpu_names names = { 0 };
	_cleanup_cpuset_ struct cpuset left_out = { 0 };
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
		context_refuse_usage(context, "%s %s: a set of Speed Select goes with --cpu only",
				     option, text);
		return 0;
	}
	if (names.count)
		err = cpu_names_resolve(&names, &environment, ret_cpus, &left_out, &message);
	else
		err = cpuset_copy(ret_cpus, &names.numbers);
	if (err == -ENOMEM || !err)
		return err;
	if (option)
		context_refuse_usage(context, "%s %s: %s", option, text, message ?: strerror(-err));
	else if (err != -ENODATA)
		context_fail(context, NULL, err, "%s", message ?: "isolated CPUs");
	return 0;
}

/* Finds the CPUs that are measured: those of --cpu, or all that are not isolated. */
static int find_measured(struct request *request)
{
	struct context *context = request->context;
	_cleanup_free_ char *list = NULL;
	int err = find_cpus(context, NULL, "isolated,nohz-full", &request->isolated);

	if (!err)
		err = cpuset_copy(&request->cpus, context->cpus);
	if (err || context->asked_cpus)
		return err;
	cpuset_remove_all(&request->cpus, &request->isolated);
	if (cpuset_is_empty(&request->cpus))
		context_refuse_usage(context, "all CPUs are isolated: name those to measure with "
					      "--cpu");
	else if (cpuset_intersects(&request->isolated, context->cpus))
		context_report_cpus(context, REPORT_NOTE, "isolated CPUs ", &request->isolated,
				    " are not measured: --cpu names those that are");
	return 0;
}

/* Reads one --load, "KIND" or "KIND:SET". */
static int parse_load(struct request *request, const char *text, struct run_load *load)
{
	const char *colon = strchr(text, ':');
	_cleanup_free_ char *word = strndup(text, colon ? (size_t)(colon - text) : strlen(text));
	struct context *context = request->context;
	int err;

	if (!word)
		return -ENOMEM;
	if (load_kind_parse(word, &load->kind)) {
		context_refuse_usage(context,
				     "--load %s: scalar, avx2, avx512 or tdp was expected%s", text,
				     option_suggest("scalar avx2 avx512 tdp", word).text);
		return 0;
	}
	if (!colon)
		return cpuset_copy(&load->cpus, &request->cpus);
	err = find_cpus(context, "--load", colon + 1, &load->cpus);
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

static int parse_loads(struct request *request)
{
	const struct option_texts *texts = &request->arguments->loads;
	int err = 0;

	if (texts->count == 0)
		return 0;
	request->loads = calloc(texts->count, sizeof(*request->loads));
	if (!request->loads)
		return -ENOMEM;
	request->job.loads = request->loads;
	for (size_t i = 0; i < texts->count && !err; i++) {
		request->job.n_loads++;
		err = parse_load(request, texts->list[i], &request->loads[i]);
	}
	return err;
}

/* Reads --pipe, "A,B". */
static void parse_pipe(struct request *request)
{
	const char *text = request->arguments->pipe, *at = text;
	const struct cpuset *online = &request->context->machine->topology.online;
	uint64_t first, second;

	if (!text)
		return;
	if (number_parse_digits(&at, 10, &first) || *at++ != ',' ||
	    number_parse(at, 0, CPUSET_MAX_CPU, &second) || first == second ||
	    first > CPUSET_MAX_CPU) {
		context_refuse_usage(request->context,
				     "--pipe %s: two different CPUs were expected, such as 3,4",
				     text);
		return;
	}
	request->job.pipe_cpus[0] = (uint32_t)first;
	request->job.pipe_cpus[1] = (uint32_t)second;
	request->job.has_pipe = true;
	for (size_t i = 0; i < ARRAY_SIZE(request->job.pipe_cpus); i++) {
		if (!cpuset_has(online, request->job.pipe_cpus[i]))
			context_refuse_usage(request->context, "--pipe %s: CPU %u is not online",
					     text, request->job.pipe_cpus[i]);
	}
}

static int parse_request(struct request *request)
{
	const struct measure_run_arguments *arguments = request->arguments;
	struct context *context = request->context;
	int err = find_measured(request);

	if (!err)
		err = parse_loads(request);
	if (err)
		return err;
	parse_pipe(request);
	if (arguments->interval_s.given && !arguments->each_interval)
		context_refuse_usage(context, "--interval goes with --each-interval");
	if (arguments->save) {
		const struct sink sink = sink_choose(arguments->save, true);
		int problem = sink_check(&sink);

		if (problem)
			context_refuse(context, NULL, "--save %s: %s", arguments->save,
				       sink_problem(&sink, problem));
	}
	request->job.command = arguments->command.words;
	if (request->job.command && !context->machine->host->workload->runs_commands) {
		context_lack(context, NULL,
			     "%s: this machine runs no commands; use --load or --pipe",
			     request->job.command[0]);
		*context->options->passed =
			(struct passed_status){ .is_set = true, .status = STATUS_UNSUPPORTED };
	}
	request->job.ns =
		(arguments->seconds.given ? arguments->seconds.value : DEFAULT_SECONDS) * NS_PER_S;
	if (arguments->each_interval)
		request->job.interval_ns =
			(arguments->interval_s.given ? arguments->interval_s.value : 1) * NS_PER_S;
	request->job.sources = (struct sources_options){
		.machine = context->machine,
		.cpus = &request->cpus,
		.isolated = &request->isolated,
		.with_details = arguments->each,
		.with_limits = arguments->each || arguments->limits,
		.with_stolen = request->job.n_loads > 0,
	};
	return 0;
}

#define LIMIT(file, member) FILE_MEMBER(file, struct frequency_inputs, member)

static bool is_absent(int err)
{
	return err != -ENOMEM;
}

/* Reads what cpufreq limits; of isolated CPUs only files that do not ask the CPU. */
static int read_cpufreq(struct request *request)
{
	static const struct file_member list[] = {
		{ LIMIT("cpuinfo_max_freq", highest_khz) },
		{ LIMIT("scaling_max_freq", max_khz) },
		{ LIMIT("base_frequency", base_khz) }, /* the last: it asks the CPU */
	};
	static const struct file_members all = { list, ARRAY_SIZE(list), is_absent };
	static const struct file_members of_isolated = { list, ARRAY_SIZE(list) - 1, is_absent };
	struct files *files = request->context->machine->host->files;
	size_t at = 0;
	int err = cpufreq_read_machine(files, &request->cpufreq);

	request->inputs = calloc(cpuset_count(&request->cpus) + 1, sizeof(*request->inputs));
	if (err == -ENOMEM || !request->inputs)
		return -ENOMEM;
	cpuset_foreach (cpu, &request->cpus) {
		const struct file_members *members =
			cpuset_has(&request->isolated, cpu) ? &of_isolated : &all;
		struct frequency_inputs *inputs = &request->inputs[at++];
		uint64_t percent;

		if (files_read_members(files, files_cpu_path(cpu, "cpufreq/").text, members, true,
				       inputs) == -ENOMEM)
			return -ENOMEM;
		inputs->turbo_off = cpufreq_turbo_is_off(&request->cpufreq);
		if (request->cpufreq.max_perf_pct &&
		    !number_parse_file(request->cpufreq.max_perf_pct, &percent) && percent <= 100)
			inputs->max_percent = (uint32_t)percent;
	}
	return 0;
}

/* Reads what the prediction needs. */
static int read_limits(struct request *request)
{
	struct context *context = request->context;
	int err = read_cpufreq(request);

	if (err || !context->platform || context->platform->is_clx_n)
		return err;
	err = context_choose_targets(context, &request->cpus, false);
	if (err || context->n_targets == 0)
		return err;
	return expected_read(context->platform, context->domains, context->n_domains, false,
			     &request->expected);
}

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

/* Adds the measured CPUs that are busy, and all that have a load. If there is neither a figure nor
 * a load, all that are measured. */
static int find_active(const struct run_job *job, const json_t *cpus, struct cpuset *active)
{
	bool is_known = job->n_loads > 0 || job->has_pipe;
	const json_t *object;
	size_t i;

	json_array_foreach (cpus, i, object) {
		uint32_t cpu = (uint32_t)json_integer_value(json_object_get(object, "cpu"));
		double busy = 0;

		if (figure_get(object, "busy-percent", &busy) == 0)
			is_known = true;
		if (busy >= ACTIVE_PERCENT && cpuset_add(active, cpu))
			return -ENOMEM;
	}
	json_array_foreach (cpus, i, object) {
		uint32_t cpu = (uint32_t)json_integer_value(json_object_get(object, "cpu"));

		if (!is_known && cpuset_add(active, cpu))
			return -ENOMEM;
	}
	return add_loaded(job, active);
}

/* Is a CPU of the same core active? */
static bool is_core_active(const struct topology *topology, const struct cpuset *active,
			   uint32_t cpu)
{
	const struct cpu_place *place = &topology->places[cpu];

	cpuset_foreach (other, active) {
		const struct cpu_place *of_other = &topology->places[other];

		if (other == cpu || (place->has_physical_cpu && of_other->has_physical_cpu &&
				     place->package == of_other->package &&
				     place->power_domain == of_other->power_domain &&
				     place->core == of_other->core))
			return true;
	}
	return false;
}

/* The turbo-ratio level of a load: its instruction set. */
static unsigned int find_trl_level(const json_t *object)
{
	const char *load = json_string_value(json_object_get(object, "load"));

	if (load && strcmp(load, load_kind_name(LOAD_AVX2)) == 0)
		return 1;
	return load && strcmp(load, load_kind_name(LOAD_AVX512)) == 0 ? 2 : 0;
}

/* The word for CPUs that Speed Select treats alike. A new text; NULL: no memory. */
static char *make_class(const struct expected_cpu *cpu)
{
	const struct frequency_inputs *inputs = &cpu->inputs;
	const char *base = !inputs->base_freq_on       ? ""
			   : inputs->is_base_freq_core ? "SST-BF"
						       : "not SST-BF";

	if (!inputs->has_clos)
		return text_format("%s", *base ? base : "all");
	return text_format("%s%sCLOS %u", base, *base ? ", " : "", inputs->clos);
}

/* Adds to each CPU of a window its class and the frequency that is predicted for it. */
static int predict_window(const struct request *request, json_t *window)
{
	const struct expected *expected = &request->expected;
	const json_t *cpus = json_object_get(window, "cpus");
	_cleanup_cpuset_ struct cpuset active = { 0 };
	_cleanup_free_ struct frequency_activity *activities =
		calloc(expected->n_domains + 1, sizeof(*activities));
	json_t *object;
	size_t i;
	int err = activities ? find_active(&request->job, cpus, &active) : -ENOMEM;

	for (size_t j = 0; j < expected->n_domains && !err; j++)
		err = expected_count_active(expected, j, &active, &activities[j]);
	if (err)
		return err;
	json_array_foreach (cpus, i, object) {
		uint32_t cpu = (uint32_t)json_integer_value(json_object_get(object, "cpu"));
		const struct target *target = request->context->targets;
		struct expected_cpu known = { 0 };
		struct frequency_prediction prediction;
		struct frequency_activity activity = { 0 };
		_cleanup_free_ char *class = NULL;

		for (size_t j = 0; j < request->context->n_targets && expected->n_domains; j++) {
			if (target[j].cpu != cpu)
				continue;
			known = expected_of_cpu(expected, target[j].domain, cpu);
			activity = activities[target[j].domain];
		}
		class = make_class(&known);
		known.inputs.highest_khz = request->inputs[i].highest_khz;
		known.inputs.max_khz = request->inputs[i].max_khz;
		known.inputs.base_khz = request->inputs[i].base_khz;
		known.inputs.turbo_off = request->inputs[i].turbo_off;
		known.inputs.max_percent = request->inputs[i].max_percent;
		/* a core that is idle now is predicted as one more that is active */
		if (!is_core_active(&request->context->machine->topology, &active, cpu))
			activity.cores++;
		prediction = frequency_predict(&known.inputs, find_trl_level(object), &activity);
		json_object_set_new(object, "class", json_string(class ?: ""));
		if (prediction.cap_by == FREQUENCY_NO_LIMIT)
			figure_lack(object, "predicted-mhz", "no limit of the frequency is known");
		else
			figure_set(object, "predicted-mhz", (double)prediction.cap_khz / 1000, 1,
				   frequency_limit_name(prediction.cap_by));
	}
	return 0;
}

/* Predicts and shows an interval. */
static int take_window(void *data, json_t *window)
{
	const struct request *request = data;
	struct context *context = request->context;
	int err = predict_window(request, window);

	if (err || output_is_json(context->output))
		return err;
	return measure_show_window(context, window, request->arguments->each);
}

/* Adds what holds for the machine. */
static int add_machine(const struct request *request, json_t *document)
{
	_cleanup_cpuidle_machine_ struct cpuidle_machine idle = { 0 };
	_cleanup_free_ char *kernel = NULL;
	struct files *files = request->context->machine->host->files;
	int err = cpuidle_read_machine(files, &idle);

	if (err != -ENOMEM)
		err = files_read_line(files, "/proc/sys/kernel/osrelease", &kernel);
	if (err == -ENOMEM)
		return err;
	json_object_set_new(document, "c1-demotion",
			    idle.c1_demotion ? json_boolean(strcmp(idle.c1_demotion, "0") != 0)
					     : json_null());
	if (!idle.c1_demotion)
		json_object_set_new(document, "c1-demotion-reason",
				    json_string("the kernel has no intel_c1_demotion"));
	json_object_set_new(document, "kernel", kernel ? json_string(kernel) : json_null());
	if (!kernel)
		json_object_set_new(document, "kernel-reason",
				    json_string("/proc/sys/kernel/osrelease cannot be read"));
	json_object_set_new(document, "program", json_string(VERSION));
	json_object_set_new(document, "processor",
			    json_string(request->context->machine->identity.model_name));
	return 0;
}

/* Reads the state of the machine as a document. */
static int read_state(const struct request *request, json_t **ret_state)
{
	struct context *context = request->context;
	_cleanup_export_remarks_ struct export_remarks remarks = { 0 };
	_cleanup_state_machine_ struct state_machine state = { 0 };
	const char *names[N_MEMBERS + 1] = { NULL };
	const struct export_options options = {
		.only = cpuset_is_empty(&request->isolated) ? NULL : names,
	};
	_cleanup_free_ char *text = NULL;
	size_t n_names = 0;
	int err;

	/* these two would be asked of isolated CPUs, too */
	for (enum member_id id = 0; id < N_MEMBERS; id++) {
		if (id != MEMBER_EPP && id != MEMBER_EPB && member_get(id)->path)
			names[n_names++] = member_get(id)->path;
	}
	err = state_machine_init(&state, context->machine, context->platform, true);
	if (!err)
		err = export_make(&state, &options, &text, &remarks);
	if (err)
		return err;
	*ret_state = json_loads(text, 0, NULL);
	return *ret_state ? 0 : -ENOMEM;
}

/* Saves the document with what comparing needs. */
static int save(const struct request *request, const json_t *document)
{
	const struct sink sink = sink_choose(request->arguments->save, true);
	_cleanup_json_ json_t *saved =
		json_pack("{s:s, s:i}", "format", "intel-speed-select-run", "version", 1);
	_cleanup_free_ char *text = NULL;
	json_t *state = NULL, *samples;
	int err = read_state(request, &state);

	if (err)
		return err;
	json_object_update(saved, (json_t *)(uintptr_t)document);
	samples = json_incref(json_object_get(document, "intervals"));
	if (!samples) {
		samples = json_array();
		json_array_append_new(samples, json_deep_copy(document));
	}
	json_object_set_new(saved, "samples", samples);
	json_object_set_new(saved, "state", state);
	text = saved ? json_dumps(saved, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : NULL;
	if (!text)
		return -ENOMEM;
	err = sink_write(&sink, text, strlen(text));
	if (err)
		context_refuse(request->context, NULL, "--save %s: %s", request->arguments->save,
			       sink_problem(&sink, err));
	return 0;
}

/* Reports why nothing was measured. */
static void report_refusal(struct context *context, const struct run_result *result)
{
	if (result->error == -EOPNOTSUPP)
		context_lack(context, NULL, "%s", result->refusal);
	else
		context_refuse(context, NULL, "%s", result->refusal);
	if (result->command_failed && context->options->passed)
		*context->options->passed = (struct passed_status){
			.is_set = true,
			.status = result->error == -ENOENT ? COMMAND_NOT_FOUND : COMMAND_NOT_RUN,
		};
}

static int show(const struct request *request, json_t *document)
{
	struct context *context = request->context;
	const char *key;
	json_t *value;

	context->report.n_results++;
	if (!output_is_json(context->output))
		return measure_show_run(context, document, request->arguments->each);
	json_object_foreach (document, key, value)
		output_json_member(context->output, key, json_incref(value));
	return 0;
}

static int run_request(struct request *request)
{
	struct context *context = request->context;
	_cleanup_run_result_ struct run_result result = { 0 };
	const struct host *host = context->machine->host;
	int err = 0;

	if (!host->perf || !host->workload)
		context_lack(context, NULL, "nothing can be measured on this machine");
	else
		err = parse_request(request);
	if (err || report_has_problem(&context->report))
		return err;
	err = read_limits(request);
	request->job.take_window = take_window;
	request->job.data = request;
	if (!err)
		err = run_measure(&request->job, &result);
	if (err)
		return err;
	if (result.refusal) {
		report_refusal(context, &result);
		return 0;
	}
	if (request->job.command && context->options->passed)
		*context->options->passed =
			(struct passed_status){ .is_set = true, .status = result.command_status };
	err = predict_window(request, result.document);
	if (!err)
		err = add_machine(request, result.document);
	if (!err && request->arguments->save)
		err = save(request, result.document);
	return err ? err : show(request, result.document);
}

int measure_run(struct context *context)
{
	_cleanup_(request_done) struct request request = {
		.context = context,
		.arguments = context->options->arguments,
	};

	return run_request(&request);
}

static const char *const load_words[] = { "scalar", "avx2", "avx512", "tdp", NULL };

const struct option measure_run_options[] = {
	{ 0, "seconds", "SECONDS", "Measure for SECONDS seconds; default 10",
	  OPTION_NUMBER(struct measure_run_arguments, seconds, 1, MAX_SECONDS) },
	{ 0, "each", NULL, "Show every CPU on its own, with all that is known of it",
	  OPTION_FLAG(struct measure_run_arguments, each) },
	{ 0, "each-interval", NULL, "Show a table for each interval",
	  OPTION_FLAG(struct measure_run_arguments, each_interval) },
	{ 0, "interval", "SECONDS", "The length of an interval; default 1",
	  OPTION_NUMBER(struct measure_run_arguments, interval_s, 1, MAX_SECONDS) },
	{ 0, "load", "KIND[:SET]",
	  "Keep the measured CPUs, or those of SET, busy with scalar, avx2 or avx512 instructions",
	  OPTION_TEXTS(struct measure_run_arguments, loads), .words = load_words },
	{ 0, "pipe", "A,B", "Let two processes on these CPUs wake each other through pipes",
	  OPTION_TEXT(struct measure_run_arguments, pipe) },
	{ 0, "limits", NULL, "Read why the hardware limits frequencies",
	  OPTION_FLAG(struct measure_run_arguments, limits) },
	{ 0, "save", "FILE", "Save what was measured, and the state of the machine, for comparing",
	  OPTION_TEXT(struct measure_run_arguments, save), .path = OPTION_PATH_FILE },
	{ 0, "command", "-- COMMAND...", "Measure while this command runs; its status becomes ours",
	  OPTION_REST(struct measure_run_arguments, command), .path = OPTION_PATH_FILE },
	{ 0 },
};
