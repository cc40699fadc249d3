// SPDX-License-Identifier: GPL-2.0-only
/* measure wake: borrows the idle states of a core, has its wake-up latency measured, puts back, and
 * shows the results (measure.md, "wake"). */
#include "features/measure_wake.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "features/measure_common.h"
#include "host/change_log.h"
#include "measure/sources.h"
#include "measure/wake.h"
#include "output/screen.h"
#include "run/writer.h"

#define COMMAND_NAME    "measure wake"
#define DEFAULT_GAPS    "100,1000,10000"
#define DEFAULT_SAMPLES 1000
#define MOST_SAMPLES    1000000
#define LEAST_GAP_US    10
#define MOST_GAP_US     1000000
#define MOST_BUSY       5 /* percent: more is not idle */

static const char *const by_words[] = { "timer", "futex", NULL };

/* What the command was asked for, and what it makes. */
struct request {
	struct context *context;
	struct measurement measurement; /* the isolated CPUs */
	const struct measure_wake_arguments *arguments;
	struct cpuset cpus;
	uint32_t gaps_us[WAKE_MOST_GAPS];
	size_t n_gaps;
	size_t samples;
	json_t *cpu_results; /* an array */
	json_t *sample_lists; /* the same, with --save */
};

static void request_done(struct request *request)
{
	measurement_done(&request->measurement);
	cpuset_done(&request->cpus);
	json_decref(request->cpu_results);
	json_decref(request->sample_lists);
}

/* Reads the gaps. A mistake is reported. */
static int read_gaps(struct request *request)
{
	const char *text = request->arguments->gap ?: DEFAULT_GAPS;
	_cleanup_free_ char *list = strdup(text);
	char *rest;

	if (!list)
		return -ENOMEM;
	for (char *word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		uint64_t us;

		if (request->n_gaps == WAKE_MOST_GAPS ||
		    number_parse(word, LEAST_GAP_US, MOST_GAP_US, &us)) {
			context_refuse_usage(request->context,
					     "--gap %s: up to %d numbers of microseconds from %d "
					     "to %d, with commas between, are expected",
					     text, WAKE_MOST_GAPS, LEAST_GAP_US, MOST_GAP_US);
			return 0;
		}
		request->gaps_us[request->n_gaps++] = (uint32_t)us;
	}
	if (request->n_gaps == 0)
		context_refuse_usage(request->context, "--gap: a number is expected");
	return 0;
}

/* Adds the CPUs of the core of a CPU, online or not. */
static int add_core(const struct request *request, uint32_t cpu, struct cpuset *set)
{
	_cleanup_cpuset_ struct cpuset threads = { 0 };
	int err = files_read_cpus(request->context->machine->host->files,
				  files_cpu_path(cpu, "topology/thread_siblings_list").text,
				  &threads);

	if (err == -ENOMEM)
		return err;
	return cpuset_add(set, cpu) ?: cpuset_add_all(set, &threads);
}

/* Without --cpu: the highest CPU that is online, not isolated, and on another core than CPU 0 and
 * that of --from. */
static int choose_cpu(struct request *request)
{
	const struct machine *machine = request->context->machine;
	_cleanup_cpuset_ struct cpuset left = { 0 }, excluded = { 0 };
	int err = cpuset_copy(&left, &machine->topology.online);

	if (!err)
		err = cpuset_copy(&excluded, &request->measurement.isolated);
	if (!err)
		err = add_core(request, 0, &excluded);
	if (!err && request->arguments->from.given)
		err = add_core(request, (uint32_t)request->arguments->from.value, &excluded);
	if (err)
		return err;
	cpuset_remove_all(&left, &excluded);
	if (cpuset_is_empty(&left)) {
		context_refuse(request->context, NULL,
			       "no CPU is left that is online, not isolated, and on another core "
			       "than CPU 0; name one with -c");
		return 0;
	}
	return cpuset_add(&request->cpus, cpuset_last(&left));
}

/* The CPU that wakes another one: that of --from, or the highest one of another core, of the same
 * package if it has one. CPUSET_NONE: there is none. */
static int choose_waker(const struct request *request, uint32_t cpu, uint32_t *ret_waker)
{
	const struct topology *topology = &request->context->machine->topology;
	_cleanup_cpuset_ struct cpuset core = { 0 };
	uint32_t waker = CPUSET_NONE, elsewhere = CPUSET_NONE;
	int err = add_core(request, cpu, &core);

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

static int read_request(struct request *request)
{
	const struct measure_wake_arguments *arguments = request->arguments;
	struct context *context = request->context;
	const uint64_t samples =
		arguments->samples.given ? arguments->samples.value : DEFAULT_SAMPLES;
	int err = read_gaps(request);

	if (!err)
		err = measurement_find_isolated(&request->measurement);
	request->samples = (samples + WAKE_BLOCKS - 1) / WAKE_BLOCKS * WAKE_BLOCKS;
	request->cpu_results = json_array();
	request->sample_lists = json_array();
	if (arguments->no_force && arguments->target_us.given)
		context_refuse_usage(context, "--target needs each state forced, and --no-force "
					      "leaves the choice to the kernel");
	if (arguments->no_force && arguments->states)
		context_refuse_usage(context, "--states and --no-force contradict each other");
	measurement_check_save(context, arguments->save);
	if (err || report_has_problem(&context->report))
		return err;
	return context->asked_cpus ? cpuset_copy(&request->cpus, context->cpus)
				   : choose_cpu(request);
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
		.waker_cpu = CPUSET_NONE,
		.by_futex = request->arguments->by.value == 1,
		.forces = !request->arguments->no_force,
		.gaps_us = request->gaps_us,
		.n_gaps = request->n_gaps,
		.samples = request->samples,
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

/* Says what will be changed, where, and for how long, before it is. */
static char *describe(const struct wake_plan *plan)
{
	_cleanup_free_ char *threads = cpuset_format_ranges(&plan->threads);

	return text_format("CPUs %s: cpuidle/state0-%zu/disable: %zu forced in turn, about %" PRIu64
			   " s; put back then",
			   threads ?: "", plan->idle.n_states - 1, wake_count_states(plan),
			   wake_estimate_s(plan));
}

static void announce(struct context *context, const struct wake_plan *plan)
{
	const struct transaction_environment *environment = &context->execution.environment;
	_cleanup_free_ char *text = describe(plan);
	_cleanup_free_ char *line = text ? text_format("Information: %s", text) : NULL;

	if (!line || !environment->announce)
		return;
	environment->announce(environment->data, line);
	if (environment->flush)
		environment->flush(environment->data);
}

/* Puts back what was borrowed, whatever became of the measurement. */
static void put_back(struct request *request, const struct borrowed *borrowed)
{
	_cleanup_borrowed_outcome_ struct borrowed_outcome outcome = { 0 };
	int err = borrowed_end(request->context->machine->host, borrowed, &outcome);

	writer_report_borrowed(request->context, &outcome, err);
}

/* Measures a CPU whose idle states are borrowed meanwhile. */
static int run_forced(struct request *request, struct wake_plan *plan, char **ret_problem)
{
	struct context *context = request->context;
	struct host *host = context->machine->host;
	_cleanup_borrowed_ struct borrowed borrowed = { 0 };
	int err = wake_borrow(plan, &borrowed);

	if (!err)
		err = borrowed_begin(host, &borrowed, COMMAND_NAME, wake_estimate_s(plan));
	if (err) {
		*ret_problem = text_format("its idle states cannot be borrowed");
		return err;
	}
	change_log_send(host, context->options->globals->argc, context->options->globals->argv,
			"borrows %zu settings for about %" PRIu64 " s", borrowed_count(&borrowed),
			wake_estimate_s(plan));
	announce(context, plan);
	err = wake_run(plan, context->execution.environment.stop, ret_problem);
	put_back(request, &borrowed);
	return err;
}

/* Measures a CPU, forced or not, and what else the kernel counts for it meanwhile, in *ret_during
 * (NULL: nothing was measured). */
static int run_watched(struct request *request, struct wake_plan *plan, char **ret_problem,
		       json_t **ret_during)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	_cleanup_sources_reading_ struct sources_reading *before = NULL, *after = NULL;
	_cleanup_sources_ struct sources *sources = NULL;
	const struct sources_options options = {
		.machine = plan->machine,
		.cpus = &cpus,
		.isolated = &request->measurement.isolated,
		.with_stolen = true,
	};
	_cleanup_json_ json_t *window = NULL;
	int err = cpuset_add(&cpus, plan->cpu);

	if (!err)
		err = sources_open(&options, &sources);
	if (!err)
		err = sources_read(sources, &before);
	if (err)
		return err;
	err = plan->forces
		      ? run_forced(request, plan, ret_problem)
		      : wake_run(plan, request->context->execution.environment.stop, ret_problem);
	if (err || sources_read(sources, &after))
		return err;
	window = sources_compare(sources, before, after);
	*ret_during = json_incref(json_array_get(json_object_get(window, "cpus"), 0));
	return 0;
}

static json_t *make_cpu(const struct wake_plan *plan)
{
	_cleanup_free_ char *threads = cpuset_format_ranges(&plan->threads);
	json_t *object =
		json_pack("{s:I, s:I, s:s*, s:o, s:o}", "cpu", (json_int_t)plan->cpu, "package",
			  (json_int_t)plan->machine->topology.places[plan->cpu].package, "threads",
			  threads, "busy-percent",
			  plan->busy_percent < 0 ? json_null() : json_real(plan->busy_percent),
			  "rows", wake_make_rows(plan));

	if (plan->busy_percent < 0)
		json_object_set_new(object, "busy-percent-reason",
				    json_string("neither "
						"/proc/stat"
						" nor idle states show it"));
	if (plan->by_futex)
		json_object_set_new(object, "waker-cpu", json_integer((json_int_t)plan->waker_cpu));
	return object;
}

/* The deepest state that meets --target, and the command that sets it. */
static void put_target(const struct request *request, const struct wake_plan *plan, json_t *object)
{
	const uint64_t target_us = request->arguments->target_us.value;
	const struct cpuidle_state *state = wake_find_deepest(plan, target_us);
	_cleanup_free_ char *threads = cpuset_format_ranges(&plan->threads);

	json_object_set_new(object, "target-us", json_integer((json_int_t)target_us));
	json_object_set_new(object, "deepest", state ? json_string(state->name) : json_null());
	if (state)
		json_object_set_new(object, "command",
				    json_sprintf("isst -c %s cpuidle set --deepest %s",
						 threads ?: "", state->name));
	else
		json_object_set_new(object, "deepest-reason",
				    json_string("no state meets it with all gaps, at the upper end "
						"of the interval of p99"));
}

/* Measures one CPU. A problem is reported. */
static int run_cpu(struct request *request, uint32_t cpu)
{
	struct context *context = request->context;
	const struct wait_stop *stop = context->execution.environment.stop;
	_cleanup_wake_plan_ struct wake_plan plan = { 0 };
	_cleanup_free_ char *problem = NULL, *list = NULL;
	_cleanup_json_ json_t *during = NULL;
	json_t *object;
	int err = open_plan(request, cpu, &plan);

	if (err || report_has_problem(&context->report))
		return err;
	if (context->options->globals->dry_run) {
		list = plan.forces ? describe(&plan) : NULL;
		if (list)
			output_sentence(context->output, " %s", list);
		else
			context_note(context, NULL, "there is nothing to write");
		return 0;
	}
	wake_look(&plan, stop);
	if (plan.busy_percent > MOST_BUSY) {
		context_refuse(context, NULL,
			       "cpu-%" PRIu32 " is not idle: it was busy for %.0f %% of a second",
			       cpu, plan.busy_percent);
		return 0;
	}
	err = run_watched(request, &plan, &problem, &during);
	if (err == -ENOMEM)
		return err;
	if (err)
		context_fail(context, NULL, err, "cpu-%" PRIu32 ": %s", cpu,
			     problem ?: "measuring");
	if (plan.rounds == 0)
		return 0;
	object = make_cpu(&plan);
	json_object_set(object, "during", during ?: json_null());
	if (request->arguments->target_us.given && plan.idle.n_states)
		put_target(request, &plan, object);
	json_array_append_new(request->cpu_results, object);
	if (request->arguments->save)
		json_array_extend(request->sample_lists, wake_make_samples(&plan));
	context->report.n_results++;
	return 0;
}

static int make_document(const struct request *request, json_t **ret_document)
{
	const struct host *host = request->context->machine->host;
	_cleanup_cpuidle_machine_ struct cpuidle_machine machine = { 0 };
	_cleanup_json_ json_t *document = NULL;
	int err = cpuidle_read_machine(host->files, &machine);

	if (err == -ENOMEM)
		return err;
	document = json_pack("{s:s, s:b, s:s, s:s?, s:s?, s:I, s:O}", "by",
			     by_words[request->arguments->by.value], "forced",
			     !request->arguments->no_force, "scheduling",
			     !host->workload->runs_commands      ? "model"
			     : host->workload->wakes_in_realtime ? "SCHED_FIFO"
								 : "SCHED_OTHER",
			     "idle-driver", machine.driver, "idle-governor", machine.governor,
			     "samples-wanted", (json_int_t)request->samples, "cpus",
			     request->cpu_results);
	if (!document)
		return -ENOMEM;
	err = measurement_add_machine(&request->measurement, document);
	if (err)
		return err;
	*ret_document = steal(document);
	return 0;
}

/* A figure in us with as many digits as it deserves; NULL: unknown. */
static char *format_us(const json_t *row, const char *key)
{
	const json_t *value = json_object_get(row, key);
	double us = json_number_value(value);

	if (!json_is_number(value))
		return NULL;
	return text_format(us < 10 ? "%.2f" : us < 100 ? "%.1f" : "%.0f", us);
}

/* With its interval: "1.52 (1.50-1.55)". */
static char *format_interval(const json_t *row, const char *key, const char *low, const char *high)
{
	_cleanup_free_ char *value = format_us(row, key), *from = format_us(row, low);
	_cleanup_free_ char *to = format_us(row, high);

	if (!value || !from || !to)
		return steal(value);
	return text_format("%s (%s-%s)", value, from, to);
}

static char *format_p50(const json_t *row)
{
	return format_interval(row, "p50-us", "p50-low-us", "p50-high-us");
}

static char *format_p99(const json_t *row)
{
	return format_interval(row, "p99-us", "p99-low-us", "p99-high-us");
}

#define US_COLUMN(function, key)                 \
	static char *function(const json_t *row) \
	{                                        \
		return format_us(row, key);      \
	}

US_COLUMN(format_short_p50, "p50-us")
US_COLUMN(format_p90, "p90-us")
US_COLUMN(format_short_p99, "p99-us")
US_COLUMN(format_p999, "p99.9-us")
US_COLUMN(format_max, "max-us")

static char *format_share(const json_t *row)
{
	const json_t *value = json_object_get(row, "share-percent");

	return value ? text_format("%.0f %%", json_number_value(value)) : NULL;
}

static char *format_remark(const json_t *row)
{
	const char *asked = json_string_value(json_object_get(row, "asked-for"));
	const char *reason = json_string_value(json_object_get(row, "p50-us-reason"));

	if (asked)
		return text_format("instead of %s", asked);
	if (!json_object_get(row, "share-percent"))
		return text_format("n/a: %s us", reason ?: "");
	return json_is_true(json_object_get(row, "slow")) ? strdup("slow") : NULL;
}

static const struct screen_column columns[] = {
	{ .heading = "state", .key = "state" },
	{ .heading = "gap", .key = "gap-us" },
	{ .heading = "n", .key = "rounds" },
	{ .heading = "p50 (95 %)", .format = format_p50, .rank = 2 },
	{ .heading = "p50", .format = format_short_p50, .instead_of = "p50 (95 %)" },
	{ .heading = "p90", .format = format_p90, .rank = 3 },
	{ .heading = "p99 (95 %)", .format = format_p99, .rank = 1 },
	{ .heading = "p99", .format = format_short_p99, .instead_of = "p99 (95 %)" },
	{ .heading = "p99.9", .format = format_p999 },
	{ .heading = "max", .format = format_max },
	{ .heading = "exit", .key = "exit-latency-us" },
	{ .heading = "share", .format = format_share },
	{ .heading = "remark", .format = format_remark },
};

/* What did not count: "C6 100 us: not-idle 3, several 1". */
static void show_excluded(struct screen *screen, const json_t *rows)
{
	const json_t *row, *count;
	const char *kind;
	size_t i;

	json_array_foreach (rows, i, row) {
		json_t *excluded = json_object_get(row, "excluded");
		_cleanup_buffer_ struct buffer text = { 0 };

		json_object_foreach (excluded, kind, count) {
			_cleanup_free_ char *number = screen_format_value(count);

			buffer_append_string(&text, text.length ? ", " : "");
			buffer_append_string(&text, kind);
			buffer_append_char(&text, ' ');
			buffer_append_string(&text, number ?: "");
		}
		if (text.length)
			screen_put_format(screen, "Not counted", "%s after %d us: %s",
					  json_string_value(json_object_get(row, "state")) ?: "-",
					  (int)json_integer_value(json_object_get(row, "gap-us")),
					  buffer_text(&text));
	}
}

/* What may explain outliers: interrupts of the firmware, and time that a hypervisor took. */
static void show_during(struct screen *screen, const json_t *during)
{
	static const struct {
		const char *key, *text;
	} figures[] = {
		{ "smi-count", "system management interrupts" },
		{ "stolen-percent", "% stolen by a hypervisor" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		const json_t *value = json_object_get(during, figures[i].key);

		if (json_is_number(value) && json_number_value(value) > 0)
			screen_put_format(screen, "Meanwhile", "%.4g %s", json_number_value(value),
					  figures[i].text);
	}
}

static void show_cpu(struct screen *screen, const json_t *cpu)
{
	const json_t *rows = json_object_get(cpu, "rows");
	const json_t *waker = json_object_get(cpu, "waker-cpu");
	const char *command = json_string_value(json_object_get(cpu, "command"));
	const char *reason = json_string_value(json_object_get(cpu, "deepest-reason"));

	screen_put_format(screen, "CPU", "%d of package %d, core of CPUs %s",
			  (int)json_integer_value(json_object_get(cpu, "cpu")),
			  (int)json_integer_value(json_object_get(cpu, "package")),
			  json_string_value(json_object_get(cpu, "threads")) ?: "");
	if (waker)
		screen_put_format(screen, "Woken by", "CPU %d", (int)json_integer_value(waker));
	screen_put_table(screen, "us", rows, columns, ARRAY_SIZE(columns));
	show_excluded(screen, rows);
	show_during(screen, json_object_get(cpu, "during"));
	if (command)
		screen_put_format(screen, "Target", "%d us: %s",
				  (int)json_integer_value(json_object_get(cpu, "target-us")),
				  command);
	else if (reason)
		screen_put_format(screen, "Target", "%d us: %s",
				  (int)json_integer_value(json_object_get(cpu, "target-us")),
				  reason);
}

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key)) ?: "unknown";
}

static int show(struct context *context, const json_t *document)
{
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(context->output) };
	const json_t *demotion = json_object_get(document, "c1-demotion");
	const json_t *cpu;
	char *rest;
	size_t i;

	screen_put_format(&screen, "Woken", "by %s, %s, %s", text_of(document, "by"),
			  text_of(document, "scheduling"),
			  json_is_true(json_object_get(document, "forced"))
				  ? "each idle state forced in turn"
				  : "idle states as the kernel chooses them");
	screen_put_format(&screen, "Kernel", "%s, idle driver %s, governor %s, C1 demotion %s",
			  text_of(document, "kernel"), text_of(document, "idle-driver"),
			  text_of(document, "idle-governor"),
			  json_is_null(demotion)   ? "unknown"
			  : json_is_true(demotion) ? "on"
						   : "off");
	json_array_foreach (json_object_get(document, "cpus"), i, cpu)
		show_cpu(&screen, cpu);
	if (screen.text.has_failed)
		return -ENOMEM;
	for (char *line = strtok_r(screen.text.data, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		output_sentence(context->output, "%s", line);
	return 0;
}

static int put(struct context *context, json_t *document)
{
	const char *key;
	json_t *value;

	if (!output_is_json(context->output))
		return show(context, document);
	json_object_foreach (document, key, value)
		output_json_member(context->output, key, json_incref(value));
	return 0;
}

/* Measures all CPUs, one after the other. */
static int run_all(struct request *request)
{
	struct context *context = request->context;
	int err = 0;

	cpuset_foreach (cpu, &request->cpus) {
		if (err || report_has_problem(&context->report) || context_is_stopped(context))
			break;
		err = run_cpu(request, cpu);
	}
	if (context_is_stopped(context))
		context_refuse(context, NULL,
			       "the program was asked to stop; the rounds before that are shown");
	return err;
}

int measure_wake(struct context *context)
{
	_cleanup_(request_done) struct request request = {
		.context = context,
		.measurement.context = context,
		.arguments = context->options->arguments,
	};
	const bool is_dry = context->options->globals->dry_run;
	_cleanup_json_ json_t *document = NULL;
	_cleanup_lock_ struct lock *lock = NULL;
	int err;

	context->execution.is_over = true; /* stopping is reported here */
	if (!context->machine->host->workload ||
	    !context->machine->host->workload->ops->wake_rounds) {
		context_lack(context, NULL, "this machine cannot be put to sleep and woken");
		return 0;
	}
	err = read_request(&request);
	if (err || report_has_problem(&context->report))
		return err;
	if (!is_dry && !request.arguments->no_force && writer_begin(context, &lock) != STATUS_DONE)
		return 0;
	if (!is_dry && request.arguments->no_force)
		writer_note_others(context);
	err = run_all(&request);
	if (err || is_dry || json_array_size(request.cpu_results) == 0)
		return err;
	err = make_document(&request, &document);
	if (!err && request.arguments->save)
		err = measurement_save(&request.measurement, "wake", request.arguments->save,
				       document, request.sample_lists);
	return err ? err : put(context, document);
}

/* For completion, which does not ask the machine: what Intel's drivers have. */
static const char *const state_words[] = { "all", "POLL", "C1", "C1E", "C6", NULL };

const struct option measure_wake_options[] = {
	{ 0, "by", "timer|futex", "What wakes the CPU: a timer, or another CPU",
	  OPTION_WORD(struct measure_wake_arguments, by, by_words) },
	{ 0, "states", "NAME,...|all", "Only these idle states",
	  OPTION_TEXT(struct measure_wake_arguments, states), .words = state_words },
	{ 0, "gap", "US,...", "So long it sleeps; 100,1000,10000 without this",
	  OPTION_TEXT(struct measure_wake_arguments, gap) },
	{ 0, "samples", "N", "Rounds of each state and gap that count; 1000 without this",
	  OPTION_NUMBER(struct measure_wake_arguments, samples, WAKE_BLOCKS, MOST_SAMPLES) },
	{ 0, "target", "US",
	  "Name the deepest idle state whose p99 stays within US microseconds, and how to set it",
	  OPTION_NUMBER(struct measure_wake_arguments, target_us, 1, MOST_GAP_US) },
	{ 0, "no-force", NULL, "Change nothing: the kernel chooses the idle states",
	  OPTION_FLAG(struct measure_wake_arguments, no_force) },
	{ 0, "from", "CPU", "The CPU that wakes it, with --by futex",
	  OPTION_NUMBER(struct measure_wake_arguments, from, 0, CPUSET_MAX_CPU) },
	{ 0, "save", "FILE", "Save all latencies, and the state of the machine, for comparing",
	  OPTION_TEXT(struct measure_wake_arguments, save), .path = OPTION_PATH_FILE },
	{ 0 },
};
