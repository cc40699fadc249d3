// SPDX-License-Identifier: GPL-2.0-only
/* measure wake: changes the idle states of a core, measures its wake-up latency, restores the
 * states, and shows the results (measure.md, "wake"). */
#include "features/measure/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "host/change_log.h"
#include "host/run_directory.h"
#include "measure/results.h"
#include "run/writer.h"

#define DEFAULT_GAPS    "100us,1ms,10ms"
#define CALIBRATE_GAPS  "10us,20us,50us,100us,200us,500us,1ms,2ms,5ms,10ms"
#define DEFAULT_SAMPLES 1000
#define MOST_SAMPLES    1000000
#define LEAST_GAP_US    10
#define MOST_GAP_US     1000000
#define MOST_BUSY       5 /* percent: a busier CPU is not idle */

enum { BY_TIMER, BY_FUTEX };
static const char *const by_words[] = { [BY_TIMER] = "timer", [BY_FUTEX] = "futex", NULL };

/* What the user requested, and the results. */
struct request {
	struct context *context;
	struct measurement measurement;
	size_t n_blocks, n_done; /* of all CPUs */
	const struct measure_wake_arguments *arguments;
	struct cpuset *whole; /* online CPUs of each of n_whole completely measured packages */
	size_t n_whole;
	struct file_number held_latency_us; /* set by users of /dev/cpu_dma_latency */
	struct wake_plan *plans; /* n_plans, in ascending order of their CPUs */
	size_t n_plans;
	uint32_t gaps_us[WAKE_MOST_GAPS];
	size_t n_gaps;
	size_t samples;
	struct wake_result result;
	struct texts texts; /* of the result */
	json_t *sample_lists; /* of all CPUs, with --save */
};

static void request_done(struct request *request)
{
	measurement_done(&request->measurement);
	for (size_t i = 0; i < request->n_plans; i++)
		wake_plan_done(&request->plans[i]);
	free(request->plans);
	for (size_t i = 0; i < request->n_whole; i++)
		cpuset_done(&request->whole[i]);
	free(request->whole);
	json_free_fields(wake_result_fields, &request->result);
	texts_done(&request->texts);
	json_decref(request->sample_lists);
}

/* Reads the gaps. A mistake is reported. */
static int read_gaps(struct request *request)
{
	const char *text = request->arguments->gap
				   ?: request->arguments->calibrate ? CALIBRATE_GAPS
								    : DEFAULT_GAPS;
	_cleanup_free_ char *list = strdup(text);
	char *rest;

	if (!list)
		return -ENOMEM;
	for (char *word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		uint64_t us;

		if (request->n_gaps == WAKE_MOST_GAPS ||
		    number_parse_time(word, false, LEAST_GAP_US, MOST_GAP_US, &us)) {
			context_refuse_usage(
				request->context,
				"--gap %s: a list of up to %d times was expected, each "
				"from %dus to 1s with its unit, such as 100us,1ms",
				text, WAKE_MOST_GAPS, LEAST_GAP_US);
			return 0;
		}
		request->gaps_us[request->n_gaps++] = (uint32_t)us;
	}
	if (request->n_gaps == 0)
		context_refuse_usage(request->context, "--gap: a time was expected, such as 100us");
	return 0;
}

/* Chooses the CPU that wakes another one: that of --from, or the highest CPU of another core, in
 * the same package if possible. CPUSET_NONE: there is none. */
static int choose_waker(const struct request *request, uint32_t cpu, uint32_t *ret_waker)
{
	const struct topology *topology = &request->context->machine->topology;
	_cleanup_cpuset_ struct cpuset core = { 0 };
	uint32_t waker = CPUSET_NONE, elsewhere = CPUSET_NONE;
	int err = topology_add_core(request->context->machine->host->files, cpu, &core);

	if (err)
		return err;
	cpuset_foreach (other, &topology->online) {
		if (cpuset_has(&core, other))
			continue;
		elsewhere = other;
		if (topology->places[other].package == topology->places[cpu].package)
			waker = other;
	}
	waker = waker == CPUSET_NONE ? elsewhere : waker;
	if (request->arguments->from.given) {
		waker = (uint32_t)request->arguments->from.value;
		if (cpuset_has(&core, waker) || !cpuset_has(&topology->online, waker))
			waker = CPUSET_NONE;
	}
	*ret_waker = waker;
	return 0;
}

/* The CPUs of the package of a CPU, if all are measured; else NULL. */
static const struct cpuset *find_whole_package(const struct request *request, uint32_t cpu)
{
	for (size_t i = 0; i < request->n_whole; i++) {
		if (cpuset_has(&request->whole[i], cpu))
			return &request->whole[i];
	}
	return NULL;
}

/* Finds the packages whose online CPUs are all measured. */
static int find_whole_packages(struct request *request)
{
	const struct topology *topology = &request->context->machine->topology;

	cpuset_foreach (first, &request->measurement.cpus) {
		_cleanup_cpuset_ struct cpuset found = { 0 };
		bool is_whole = !find_whole_package(request, first);
		struct cpuset *to;

		cpuset_foreach (cpu, &topology->online) {
			if (topology->places[cpu].package != topology->places[first].package)
				continue;
			is_whole = is_whole && cpuset_has(&request->measurement.cpus, cpu);
			if (is_whole && cpuset_add(&found, cpu))
				return -ENOMEM;
		}
		if (!is_whole)
			continue;
		to = array_add(&request->whole, &request->n_whole, sizeof(*to));
		if (!to)
			return -ENOMEM;
		*to = steal(found);
	}
	if (request->n_whole == 0)
		context_note(request->context, NULL,
			     "--allow-all: the CPUs do not include all online CPUs of a package");
	return 0;
}

/* Reads and reports the limit of programs for the wake-up latency of all CPUs, if it is readable.
 * CPUs do not enter deeper idle states than this limit allows. */
static void read_held_latency(struct request *request)
{
	struct file_number *held = &request->held_latency_us;

	held->is_known = cpuidle_read_held_latency(request->context->machine->host->files,
						   &held->value) == 0;
	if (held->is_known)
		context_note(request->context, NULL,
			     "a program holds /dev/cpu_dma_latency open and limits the wake-up "
			     "latency of all CPUs to %" PRIu32
			     " us: no idle state with a longer exit latency is entered",
			     held->value);
}

static const struct measure_kind kind = {
	.command = "wake",
	.unit = "",
	.tables = { wake_row_fields },
	.fields = wake_result_fields,
	.show = measure_wake_show,
};

static int read_request(struct request *request)
{
	const struct measure_wake_arguments *arguments = request->arguments;
	struct context *context = request->context;
	const uint64_t samples = measurement_option(&arguments->samples, DEFAULT_SAMPLES);
	int err = read_gaps(request);

	if (!err)
		err = measurement_begin(&request->measurement, &kind,
					arguments->no_force
						? "a thread of high priority runs on each CPU"
						: "idle states of CPUs are forced");
	request->samples = (samples + WAKE_BLOCKS - 1) / WAKE_BLOCKS * WAKE_BLOCKS;
	request->sample_lists = json_array();
	if (arguments->no_force && arguments->target_us.given)
		context_refuse_usage(context, "--target needs each state forced, and --no-force "
					      "leaves the choice to the kernel");
	if (arguments->no_force && arguments->calibrate)
		context_refuse_usage(context, "--calibrate needs each state forced, and --no-force "
					      "leaves the choice to the kernel");
	if (arguments->no_force && arguments->states)
		context_refuse_usage(context, "--states and --no-force contradict each other");
	if (arguments->from.given && arguments->by.value != BY_FUTEX)
		context_refuse_usage(context, "--from needs --by futex");
	if (err || report_has_problem(&context->report))
		return err;
	read_held_latency(request);
	return arguments->allow_all ? find_whole_packages(request) : 0;
}

static void show_blocks(void *data)
{
	struct request *request = data;

	measurement_show_progress(request->context, "blocks", ++request->n_done, request->n_blocks);
}

/* Opens the plan of a CPU. A mistake is reported. */
static int open_plan(struct request *request, uint32_t cpu, struct wake_plan *plan)
{
	const char *states = request->arguments->states;
	_cleanup_free_ char *wrong = NULL, *names = NULL;
	int err;

	*plan = (struct wake_plan){
		.machine = request->context->machine,
		.cpu = cpu,
		.progress = show_blocks,
		.data = request,
		.waker_cpu = CPUSET_NONE,
		.by_futex = request->arguments->by.value == BY_FUTEX,
		.forces = !request->arguments->no_force,
		.gaps_us = request->gaps_us,
		.n_gaps = request->n_gaps,
		.samples = request->samples,
		.isolated = &request->measurement.isolated,
		.of_package = find_whole_package(request, cpu),
		.held_latency_us = request->held_latency_us,
	};
	err = plan->by_futex ? choose_waker(request, cpu, &plan->waker_cpu) : 0;
	if (err)
		return err;
	if (plan->by_futex && plan->waker_cpu == CPUSET_NONE) {
		context_refuse(request->context, NULL,
			       "cpu-%" PRIu32 ": no online CPU of another core can wake it", cpu);
		return 0;
	}
	err = wake_plan_open(plan, states && strcmp(states, "all") != 0 ? states : NULL, &wrong);
	if (err == -ENOENT && wrong) {
		names = cpuidle_format_names(&plan->idle);
		context_refuse_usage(request->context,
				     "--states: unknown idle state \"%s\"; cpu-%" PRIu32
				     " has %s%s",
				     wrong, cpu, names && *names ? names : "none",
				     option_suggest(names, wrong).text);
		return 0;
	}
	if (err && err != -ENOMEM) {
		context_fail(request->context, NULL, err, "cpu-%" PRIu32 ": its idle states", cpu);
		return 0;
	}
	return err;
}

/* Opens the plans of all CPUs. A mistake is reported. */
static int open_plans(struct request *request)
{
	const size_t count = cpuset_count(&request->measurement.cpus) + 1;

	request->plans = calloc(count, sizeof(*request->plans));
	request->result.cpus = calloc(count, sizeof(*request->result.cpus));
	if (!request->plans || !request->result.cpus)
		return -ENOMEM;
	cpuset_foreach (cpu, &request->measurement.cpus) {
		int err = open_plan(request, cpu, &request->plans[request->n_plans++]);

		if (err || report_has_problem(&request->context->report))
			return err;
	}
	for (size_t i = 0; i < request->n_plans; i++)
		request->n_blocks +=
			wake_count_states(&request->plans[i]) * request->n_gaps * WAKE_BLOCKS;
	return 0;
}

/* How long all CPUs take, one after the other. */
static uint64_t estimate_s(const struct request *request)
{
	uint64_t seconds = 0;

	for (size_t i = 0; i < request->n_plans; i++)
		seconds += wake_estimate_s(&request->plans[i]);
	return seconds;
}

/* Reports before the change what will be changed, on which CPUs, and for how long. */
static void announce(const struct request *request)
{
	_cleanup_cpuset_ struct cpuset forced = { 0 };
	_cleanup_free_ char *list = NULL, *text = NULL;
	size_t n_states = 0, n_measured = 0;

	for (size_t i = 0; i < request->n_plans; i++) {
		const struct wake_plan *plan = &request->plans[i];

		if (cpuset_add_all(&forced, &plan->forced))
			return;
		if (plan->idle.n_states > n_states)
			n_states = plan->idle.n_states;
		if (wake_count_states(plan) > n_measured)
			n_measured = wake_count_states(plan);
	}
	list = cpuset_format_ranges(&forced);
	text = text_format(
		"CPUs %s: cpuidle/state0-%zu/disable: %zu forced in turn%s, about %" PRIu64
		" s; restored then",
		list ?: "", n_states - 1, n_measured,
		request->n_plans == 1 ? ""
		: request->n_whole    ? " for one CPU after the other"
				      : " on one core after the other",
		estimate_s(request));
	if (text)
		measurement_announce(request->context, text, NULL);
}

static int make_cpu(const struct wake_plan *plan, struct texts *texts, struct wake_cpu *cpu)
{
	int err = cpuset_copy(&cpu->threads, &plan->threads);

	cpu->cpu = plan->cpu;
	cpu->package = plan->machine->topology.places[plan->cpu].package;
	cpu->busy_percent = figure_make_missing(NULL);
	if (plan->busy_percent >= 0)
		cpu->busy_percent = figure_make_exact(plan->busy_percent);
	else
		cpu->busy_reason = "neither /proc/stat nor idle states show it";
	cpu->during = json_incref(plan->during);
	if (plan->by_futex)
		cpu->waker_cpu = figure_make_count(plan->waker_cpu, NULL);
	if (!err)
		err = wake_make_rows(plan, texts, cpu);
	return err ? err : wake_make_histograms(plan, texts, cpu);
}

/* The deepest state that meets --target, and the command that sets it. */
static void put_target(struct request *request, const struct wake_plan *plan, struct wake_cpu *cpu)
{
	const uint64_t target_us = request->arguments->target_us.value;
	size_t needed;
	const struct cpuidle_state *state = wake_find_deepest(plan, target_us, &needed);
	_cleanup_free_ char *threads = cpuset_format_ranges(&plan->threads);

	cpu->has_target = true;
	cpu->target_us = figure_make_count(target_us, NULL);
	if (state) {
		cpu->deepest = texts_take(&request->texts, strdup(state->name));
		cpu->command = texts_take(&request->texts,
					  text_format("%s -c %s cpuidle set --deepest %s",
						      host_command(request->context->request->host),
						      threads ?: "", state->name));
	}
	if (needed)
		cpu->deepest_reason = texts_take(
			&request->texts, text_format("%sp99 needs %zu rounds of each state and gap",
						     state ? "deeper states: " : "", needed));
	else if (!state)
		cpu->deepest_reason =
			"no state meets it with all gaps, at the upper end of the interval of p99";
}

/* Measures one CPU. A problem is reported. */
static int run_cpu(struct request *request, struct wake_plan *plan)
{
	struct context *context = request->context;
	const struct wait_stop *stop = context->plan.execution.environment.stop;
	_cleanup_free_ char *problem = NULL;
	_cleanup_json_ json_t *samples = NULL;
	struct wake_cpu *cpu;
	int err = wake_run(plan, stop, &problem);

	if (err == -ENOMEM)
		return err;
	if (err == -EINVAL)
		context_refuse(context, NULL,
			       "cpu-%" PRIu32 ": %s: it or the one that wakes it is offline, or "
			       "this process may not run there",
			       plan->cpu, problem ?: "measuring");
	else if (err)
		context_fail(context, NULL, err, "cpu-%" PRIu32 ": %s", plan->cpu,
			     problem ?: "measuring");
	if (plan->rounds == 0)
		return 0;
	cpu = &request->result.cpus[request->result.n_cpus++];
	err = make_cpu(plan, &request->texts, cpu);
	if (request->arguments->target_us.given && plan->idle.n_states)
		put_target(request, plan, cpu);
	if (!err && request->arguments->calibrate)
		err = wake_calibrate(plan, &request->texts, cpu);
	if (err || request->texts.has_failed)
		return -ENOMEM;
	samples = request->arguments->common.save ? wake_make_samples(plan) : NULL;
	if (samples)
		json_array_extend(request->sample_lists, samples);
	return 0;
}

/* Measures all CPUs, one after the other. Restores the changes (NULL: none) after each CPU. */
static int run_cpus(struct request *request, const struct change_list *changes)
{
	struct context *context = request->context;

	for (size_t i = 0; i < request->n_plans; i++) {
		int err = run_cpu(request, &request->plans[i]);

		if (err || report_has_problem(&context->report) || context_is_stopped(context))
			return err;
		wake_plan_done(&request->plans[i]);
		/* what cannot be restored here is reported at the end */
		if (changes && wake_restore(context->machine->host->files, changes))
			return 0;
	}
	return 0;
}

/* Records the changes as a temporary transaction. A problem is reported. */
static int record(struct request *request, const struct change_list *changes)
{
	struct context *context = request->context;
	const struct globals *globals = context->request->globals;
	_cleanup_free_ char *reason = NULL;
	_cleanup_(journaled_done) struct journaled journaled = {
		.host = context->request->host,
		.topology = &context->machine->topology,
		.transaction = { .argc = globals->argc, .argv = globals->argv, .temporary = true },
	};
	int err = journaled_record(&journaled, changes, 0, changes->n_changes, NULL, &reason);

	if (err && err != -ENOMEM)
		context_refuse(context, NULL, "%s", reason ?: strerror(-err));
	return err;
}

/* Measures all CPUs while their idle states are changed. */
static int run_forced(struct request *request)
{
	struct context *context = request->context;
	struct host *host = context->machine->host;
	_cleanup_change_list_ struct change_list changes = { 0 };
	_cleanup_cpuset_ struct cpuset listed = { 0 };
	const uint64_t seconds = estimate_s(request);
	int err = 0;

	for (size_t i = 0; i < request->n_plans && !err; i++) {
		if (request->plans[i].forces)
			err = wake_plan_changes(&request->plans[i], &listed, &changes);
	}
	if (!err && changes.n_changes == 0)
		return run_cpus(request, NULL);
	if (err) {
		context_fail(context, NULL, err, "the idle states cannot be read");
		return err == -ENOMEM ? err : 0;
	}
	err = record(request, &changes);
	if (err)
		return err == -ENOMEM ? err : 0;
	change_log_send(host, context->request->globals->argc, context->request->globals->argv,
			"changes %zu settings for about %" PRIu64 " s", changes.n_changes, seconds);
	announce(request);
	err = run_cpus(request, &changes);
	wake_restore(host->files, &changes);
	writer_recover(context);
	return err;
}

/* Returns true if all CPUs are idle. Reports a CPU that is not idle. */
static bool are_idle(struct request *request)
{
	struct context *context = request->context;

	wake_look(request->plans, request->n_plans, context->plan.execution.environment.stop);
	for (size_t i = 0; i < request->n_plans; i++) {
		const struct wake_plan *plan = &request->plans[i];

		if (plan->busy_percent > MOST_BUSY)
			context_refuse(context, NULL,
				       "cpu-%" PRIu32
				       " is not idle: it was busy for %.0f %% of a second",
				       plan->cpu, plan->busy_percent);
	}
	return !report_has_problem(&context->report);
}

static int run_all(struct request *request)
{
	struct context *context = request->context;
	int err = open_plans(request);

	if (err || report_has_problem(&context->report))
		return err;
	if (context->request->globals->dry_run) {
		if (request->plans->forces)
			announce(request);
		else
			context_note(context, NULL, "there is nothing to write");
		return 0;
	}
	if (are_idle(request) && !context_is_stopped(context))
		err = request->arguments->no_force ? run_cpus(request, NULL) : run_forced(request);
	measurement_note_end(context);
	return err;
}

/* Compares the rows of all CPUs with the requirements. */
static void check_requirements(struct request *request)
{
	for (size_t i = 0; i < request->result.n_cpus; i++) {
		const struct wake_cpu *cpu = &request->result.cpus[i];
		const struct json_rows rows = { cpu->rows, cpu->n_rows, sizeof(*cpu->rows),
						wake_row_fields };

		requirements_take(&request->measurement.requirements, &rows);
	}
}

/* Completes the result, saves and shows it. */
static int finish(struct request *request)
{
	const struct host *host = request->context->machine->host;
	_cleanup_cpuidle_machine_ struct cpuidle_machine machine = { 0 };
	_cleanup_json_ json_t *document = NULL;
	struct wake_result *result = &request->result;
	int err = cpuidle_read_machine(host->files, &machine);

	if (err == -ENOMEM)
		return err;
	result->by = by_words[request->arguments->by.value];
	result->forced = !request->arguments->no_force;
	result->scheduling = !host->workload->runs_commands      ? "model"
			     : host->workload->wakes_in_realtime ? "SCHED_FIFO"
								 : "SCHED_OTHER";
	result->idle_driver =
		machine.driver ? texts_take(&request->texts, steal(machine.driver)) : NULL;
	result->idle_governor =
		machine.governor ? texts_take(&request->texts, steal(machine.governor)) : NULL;
	result->samples_wanted = figure_make_count(request->samples, NULL);
	err = measurement_read_machine(&request->measurement);
	if (err)
		return err;
	for (size_t i = 0; i < result->n_cpus; i++) {
		if (result->cpus[i].idle_table)
			result->cpus[i].idle_table_reason = wake_find_table_reason(
				result->idle_driver, request->measurement.machine.kernel);
	}
	if (request->texts.has_failed)
		return -ENOMEM;
	check_requirements(request);
	document = measurement_make_document(&request->measurement, result);
	return measurement_finish(&request->measurement, document, request->sample_lists, result);
}

int measure_wake(struct context *context)
{
	_cleanup_(request_done) struct request request = {
		.context = context,
		.measurement.context = context,
		.arguments = context->request->arguments,
	};
	const bool is_dry = context->request->globals->dry_run;
	_cleanup_lock_ struct lock *lock = NULL;
	int err;

	context->plan.execution.is_over = true; /* this command reports a stop itself */
	err = read_request(&request);
	if (err || report_has_problem(&context->report))
		return err;
	if (!is_dry && !request.arguments->no_force && writer_begin(context, &lock) != STATUS_DONE)
		return 0;
	if (!is_dry && request.arguments->no_force)
		writer_note_others(context);
	err = run_all(&request);
	return err || is_dry || request.result.n_cpus == 0 ? err : finish(&request);
}

/* For completion, which does not read the machine: the states of Intel's drivers. */
static const char *const state_words[] = { "all", "POLL", "C0.2", "C1", "C1E", "C6", "C6P", NULL };

const struct option measure_wake_options[] = {
	MEASURE_ALL,
	{ 0, "by", "timer|futex", "What wakes the CPU: a timer, or another CPU (default timer)",
	  OPTION_WORD(struct measure_wake_arguments, by, by_words) },
	{ 0, "states", "NAME,...|all", "Only these idle states",
	  OPTION_TEXT(struct measure_wake_arguments, states), .words = state_words, .list = true },
	{ 0, "gap", "TIME,...", "How long the CPU sleeps (default 100us,1ms,10ms)",
	  OPTION_TEXT(struct measure_wake_arguments, gap) },
	{ 0, "samples", "N", "Number of valid rounds of each state and gap (default 1000)",
	  OPTION_NUMBER(struct measure_wake_arguments, samples, WAKE_BLOCKS, MOST_SAMPLES) },
	{ 0, "target", "TIME",
	  "Name the deepest idle state whose p99 stays within this time, and how to set it",
	  OPTION_US(struct measure_wake_arguments, target_us, 1, MOST_GAP_US) },
	{ 0, "calibrate", NULL,
	  "Show corrected values for the kernel's table of idle states, as a boot parameter",
	  OPTION_FLAG(struct measure_wake_arguments, calibrate) },
	{ 0, "no-force", NULL, "Change nothing: the kernel chooses the idle states",
	  OPTION_FLAG(struct measure_wake_arguments, no_force) },
	{ 0, "allow-all", NULL,
	  "If all online CPUs of a package are selected, force each state on all of them, "
	  "and measure power",
	  OPTION_FLAG(struct measure_wake_arguments, allow_all) },
	{ 0, "from", "CPU", "With --by futex: the CPU that wakes the measured CPU",
	  OPTION_NUMBER(struct measure_wake_arguments, from, 0, CPUSET_MAX_CPU) },
	MEASURE_REQUIRE_NUMBER,
	MEASURE_SAVE("all latencies"),
	{ 0 },
};
