// SPDX-License-Identifier: GPL-2.0-only
/* measure jitter: a thread on each CPU sleeps until the next multiple of an interval. A histogram
 * shows how late the threads ran, with the worst cases and what coincided with them (measure.md,
 * "jitter"). */
#include "features/measure/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "instruments/jitter.h"
#include "instruments/perf.h"
#include "host/run_directory.h"
#include "instruments/throttle.h"
#include "instruments/workload.h"
#include "measure/results.h"
#include "output/screen.h"
#include "run/writer.h"

#define DEFAULT_SECONDS  10
#define DEFAULT_INTERVAL 250 /* us */
#define DEFAULT_PULSE    5 /* s */
#define LEAST_INTERVAL   50
#define MOST_INTERVAL    1000000
#define MOST_SECONDS     86400
#define WATCH_NS         UINT64_C(100000000) /* interval between readings of counters */
#define TOO_FEW          "the cycles are too few" /* for a quantile */
#define STAT             "/proc/stat"
#define STEAL            7 /* the number of its field, from 0 */
#define MOST_SAVED       100000 /* latencies; if there are more, the histogram is saved */
#define MOST_SHOWN       3 /* worst cases of a CPU in text */

/* Counters that may explain a late cycle; they only grow. */
struct counters {
	uint64_t stolen; /* ticks that a hypervisor took */
	uint64_t throttled; /* events of the core and of the package */
};

/* Time in which a counter of a CPU grew. */
struct span {
	uint32_t cpu; /* CPUSET_NONE: all CPUs, for system management interrupts */
	uint64_t from_ns, to_ns;
	bool was_stolen, was_throttled, had_smi;
};

struct request {
	struct context *context;
	struct measurement measurement;
	const struct measure_jitter_arguments *arguments;
	uint32_t *cpus; /* ascending */
	size_t n_cpus;
	struct cpuset disturbers;
	struct counters *counters; /* one for each CPU */
	struct span *spans;
	size_t n_spans;
	int smi_handle; /* counts system management interrupts; or -1 with smi_missing */
	const char *smi_missing;
	uint64_t smis, first_smis;
	struct jitter *jitter;
	struct jitter_result result;
};

static void request_done(struct request *request)
{
	perf_close(request->context->machine->host->perf, &request->smi_handle);
	jitter_free(&request->jitter);
	json_free_fields(jitter_result_fields, &request->result);
	measurement_done(&request->measurement);
	cpuset_done(&request->disturbers);
	free(request->cpus);
	free(request->counters);
	free(request->spans);
}

/* Removes all threads of the measured cores from the disturbers. */
static int leave_cores_out(struct request *request)
{
	struct context *context = request->context;
	_cleanup_cpuset_ struct cpuset cores = { 0 };
	const size_t before = cpuset_count(&request->disturbers);

	for (size_t i = 0; i < request->n_cpus; i++) {
		if (topology_add_core(context->machine->host->files, request->cpus[i], &cores))
			return -ENOMEM;
	}
	cpuset_remove_all(&request->disturbers, &cores);
	cpuset_keep(&request->disturbers, &context->machine->topology.online);
	if (cpuset_is_empty(&request->disturbers))
		context_refuse(
			context, NULL,
			"--disturb: no online CPU is left of it that is on another core than "
			"the CPUs of -c");
	else if (cpuset_count(&request->disturbers) != before)
		context_note(context, NULL,
			     "--disturb: CPUs that are offline or on a core of the CPUs of -c are "
			     "left out");
	return 0;
}

/* Finds the CPUs of --disturb. A mistake is reported. */
static int find_disturbers(struct request *request)
{
	struct context *context = request->context;
	const struct cpu_names *names = &request->arguments->disturb.names;
	_cleanup_free_ char *message = NULL;
	int err;

	if (cpu_names_find_sst(names)) {
		context_refuse_usage(context, "--disturb: a set that needs Speed Select can be "
					      "used only in --cpu");
		return 0;
	}
	err = cpu_names_find(names, context->machine->host->files, &context->machine->topology,
			     &request->disturbers, &message);
	if (err && err != -ENOMEM)
		context_refuse_usage(context, "--disturb: %s", message ?: strerror(-err));
	if (err)
		return err == -ENOMEM ? err : 0;
	return leave_cores_out(request);
}

static int show(const struct measurement *measurement, const void *made);

static const struct measure_kind kind = {
	.command = "jitter",
	.unit = "",
	.tables = { jitter_cpu_fields, jitter_result_fields },
	.fields = jitter_result_fields,
	.has_machine_last = true,
	.show = show,
};

static int read_request(struct request *request)
{
	const struct cpuset *cpus = &request->measurement.cpus;
	struct context *context = request->context;
	const struct workload *workload = context->machine->host->workload;
	int err = measurement_begin(&request->measurement, &kind,
				    "threads of high priority run on CPUs");

	if (!err && !report_has_problem(&context->report) &&
	    (!workload || !workload->runs_commands))
		context_lack(context, NULL,
			     "this is not the machine that runs the program: there is no jitter");
	if (err || report_has_problem(&context->report))
		return err;
	request->cpus = calloc(cpuset_count(cpus) + 1, sizeof(*request->cpus));
	request->counters = calloc(cpuset_count(cpus) + 1, sizeof(*request->counters));
	if (!request->cpus || !request->counters)
		return -ENOMEM;
	cpuset_foreach (cpu, cpus)
		request->cpus[request->n_cpus++] = cpu;
	if (option_cpus_is_given(&request->arguments->disturb))
		return find_disturbers(request);
	if (request->arguments->pulse_s.given)
		context_note(context, NULL, "--pulse has no effect without --disturb");
	return 0;
}

/* The ticks that were stolen from a CPU, from the text of /proc/stat; 0: unknown. */
static uint64_t find_stolen(const char *stat, uint32_t cpu)
{
	_cleanup_free_ char *name = text_format("\ncpu%" PRIu32 " ", cpu);
	const char *at = name ? strstr(stat, name) : NULL;
	uint64_t value = 0;

	at += at ? strlen(name) : 0;
	for (int field = 0; at && field <= STEAL; field++) {
		at += strspn(at, " ");
		if (number_parse_digits(&at, 10, &value))
			return 0;
	}
	return value;
}

static uint64_t read_throttled(struct files *files, uint32_t cpu)
{
	uint64_t sum = 0;

	for (enum throttle_scope scope = 0; scope < THROTTLE_SCOPES; scope++) {
		uint64_t events;

		if (throttle_read_events(files, cpu, scope, &events) == 0)
			sum += events;
	}
	return sum;
}

/* Opens the counter of system management interrupts, which stop all CPUs. Prefers a CPU that is not
 * measured, because reading the counter interrupts its CPU. */
static int open_smis(struct request *request)
{
	const struct machine *machine = request->context->machine;
	_cleanup_cpuset_ struct cpuset others = { 0 };
	struct perf_event event;
	uint32_t cpu;
	int err = cpuset_copy(&others, &machine->topology.online);

	if (err)
		return err;
	cpuset_remove_all(&others, &request->measurement.cpus);
	cpuset_remove_all(&others, &request->measurement.isolated);
	cpu = cpuset_is_empty(&others) ? request->cpus[0] : cpuset_last(&others);
	request->smi_missing = "the PMU msr does not count them";
	err = perf_find_event(machine->host->files, "msr", "smi", &event);
	if (err)
		return err == -ENOMEM ? err : 0;
	request->smi_handle = perf_open_cpu(machine->host->perf, &event, cpu, -1);
	request->smi_missing = request->smi_handle >= 0 ? NULL
							: "counters of CPUs need CAP_PERFMON, or "
							  "perf_event_paranoid of at most 0";
	return 0;
}

/* Reads the counter of system management interrupts. If it grew, adds a span for all CPUs. */
static int watch_smis(struct request *request, bool is_first, uint64_t from_ns, uint64_t to_ns)
{
	struct perf_counts counts;
	struct span *span;
	uint64_t before = request->smis;
	int err;

	if (request->smi_handle < 0)
		return 0;
	err = perf_read_group(request->context->machine->host->perf, request->smi_handle, 1,
			      &counts);
	if (err) {
		request->smi_missing = "the counter cannot be read";
		perf_close(request->context->machine->host->perf, &request->smi_handle);
		return 0;
	}
	request->smis = counts.values[0];
	if (is_first)
		request->first_smis = request->smis;
	if (is_first || request->smis == before)
		return 0;
	span = array_add(&request->spans, &request->n_spans, sizeof(*span));
	if (!span)
		return -ENOMEM;
	*span = (struct span){
		.cpu = CPUSET_NONE, .from_ns = from_ns, .to_ns = to_ns, .had_smi = true
	};
	return 0;
}

/* Reads the counters. Adds a span from from_ns to to_ns for each CPU whose counters grew. */
static int watch(struct request *request, bool is_first, uint64_t from_ns, uint64_t to_ns)
{
	struct files *files = request->context->machine->host->files;
	_cleanup_free_ char *stat = NULL;
	size_t length;

	files->ops->read(files, STAT, 0, &stat, &length);
	for (size_t i = 0; i < request->n_cpus; i++) {
		const struct counters before = request->counters[i];
		const struct counters now = {
			.stolen = stat ? find_stolen(stat, request->cpus[i]) : 0,
			.throttled = read_throttled(files, request->cpus[i]),
		};
		struct span *span;

		request->counters[i] = now;
		if (is_first || (now.stolen == before.stolen && now.throttled == before.throttled))
			continue;
		span = array_add(&request->spans, &request->n_spans, sizeof(*span));
		if (!span)
			return -ENOMEM;
		*span = (struct span){ .cpu = request->cpus[i],
				       .from_ns = from_ns,
				       .to_ns = to_ns,
				       .was_stolen = now.stolen != before.stolen,
				       .was_throttled = now.throttled != before.throttled };
	}
	return watch_smis(request, is_first, from_ns, to_ns);
}

/* Reports that a thread or a load did not start on a CPU. */
static void report_start(struct context *context, const char *what, uint32_t cpu, int err)
{
	if (err == -EINVAL)
		context_refuse(context, NULL,
			       "%s %" PRIu32 ": it is offline, or this process may not run there",
			       what, cpu);
	else
		context_fail(context, NULL, err, "%s %" PRIu32, what, cpu);
}

/* Starts or ends the disturbers, which run for a pulse and pause for one. */
static void pulse(const struct request *request, uint64_t elapsed_ns, bool *runs)
{
	struct workload *workload = request->context->machine->host->workload;
	const uint64_t pulse_ns =
		measurement_option(&request->arguments->pulse_s, DEFAULT_PULSE) * NS_PER_S;
	const bool is_due =
		!cpuset_is_empty(&request->disturbers) && elapsed_ns / pulse_ns % 2 == 0;
	uint32_t cpu = CPUSET_NONE;
	int err = 0;

	if (is_due == *runs)
		return;
	if (is_due)
		err = workload->ops->start_load(workload, LOAD_SCALAR, &request->disturbers, &cpu);
	else
		workload->ops->stop_loads(workload);
	*runs = is_due;
	if (err)
		report_start(request->context, "--disturb: CPU", cpu, err);
}

/* Waits until the time is over, a thread gives up, or a stop is requested. */
static int wait_for_end(struct request *request)
{
	struct workload *workload = request->context->machine->host->workload;
	const struct wait_stop *stop = request->context->plan.execution.environment.stop;
	const uint64_t end_ns =
		measurement_option(&request->arguments->seconds, DEFAULT_SECONDS) * NS_PER_S;
	uint64_t elapsed_ns = 0;
	bool runs = false;
	int err = watch(request, true, 0, 0);

	while (elapsed_ns < end_ns && !err && !jitter_has_given_up(request->jitter) &&
	       !report_has_problem(&request->context->report)) {
		uint64_t from_ns = elapsed_ns, left_ns = end_ns - elapsed_ns;

		pulse(request, elapsed_ns, &runs);
		if (workload->ops->wait_ns(workload, left_ns < WATCH_NS ? left_ns : WATCH_NS, stop))
			break;
		elapsed_ns = jitter_elapsed_ns(request->jitter);
		err = watch(request, false, from_ns, elapsed_ns);
		measurement_show_progress(request->context, "seconds", elapsed_ns / NS_PER_S,
					  end_ns / NS_PER_S);
	}
	if (runs)
		workload->ops->stop_loads(workload);
	return err;
}

static int make_worst(const struct request *request, uint32_t cpu, const struct jitter_case *worst,
		      struct jitter_worst *to)
{
	struct span found = { .cpu = cpu };

	for (size_t i = 0; i < request->n_spans; i++) {
		const struct span *span = &request->spans[i];

		if ((span->cpu != cpu && span->cpu != CPUSET_NONE) ||
		    worst->at_ns + worst->latency_ns < span->from_ns || worst->at_ns > span->to_ns)
			continue;
		found.had_smi = found.had_smi || span->had_smi;
		found.was_stolen = found.was_stolen || span->was_stolen;
		found.was_throttled = found.was_throttled || span->was_throttled;
	}
	to->latency_us = (double)worst->latency_ns / NS_PER_US;
	to->at_s = (double)(worst->at_ns / NS_PER_US) / US_PER_S;
	if (found.had_smi)
		texts_take(&to->coincided, strdup("system management interrupt"));
	if (found.was_stolen)
		texts_take(&to->coincided, strdup("stolen time"));
	if (found.was_throttled)
		texts_take(&to->coincided, strdup("throttling"));
	return to->coincided.has_failed ? -ENOMEM : 0;
}

static int make_histogram(const struct jitter_figures *figures, struct jitter_cpu *cpu)
{
	cpu->histogram = calloc(JITTER_BINS, sizeof(*cpu->histogram));
	if (!cpu->histogram)
		return -ENOMEM;
	cpu->n_bins = JITTER_BINS;
	for (size_t i = 0; i < JITTER_BINS; i++) {
		const uint64_t from_ns = i ? jitter_bin_end_ns(i - 1) : 0;
		const uint64_t end_ns = jitter_bin_end_ns(i);

		cpu->histogram[i] = (struct histogram_bin){
			.from_us = figure_make_count(from_ns / NS_PER_US, NULL),
			.to_us = end_ns == UINT64_MAX ? figure_make_missing(NULL)
						      : figure_make_count(end_ns / NS_PER_US, NULL),
			.count = figure_make_count(figures->bins[i], NULL),
		};
	}
	return 0;
}

/* A quantile of the latencies; of_10000: in parts of 10,000. */
static struct figure quantile(const struct jitter_figures *figures, unsigned int of_10000)
{
	const uint64_t ns = jitter_quantile_ns(figures, of_10000);

	return ns == UINT64_MAX ? figure_make_missing(TOO_FEW) : figure_make_us(ns);
}

static int make_cpu(const struct request *request, const struct jitter_figures *figures,
		    struct jitter_cpu *cpu)
{
	int err;

	*cpu = (struct jitter_cpu){
		.cpu = figures->cpu,
		.scheduling = figures->is_realtime ? "SCHED_FIFO" : "SCHED_OTHER",
		.cycles = figure_make_count(figures->cycles, NULL),
		.overruns = figure_make_count(figures->overruns, NULL),
		.gave_up = figures->gave_up,
		.min_us = figure_make_us(figures->least_ns),
		.mean_us = figure_make_us(figures->total_ns / (figures->cycles ?: 1)),
		.p50_us = quantile(figures, 5000),
		.p99_us = quantile(figures, 9900),
		.p999_us = quantile(figures, 9990),
		.p9999_us = quantile(figures, 9999),
		.max_us = figure_make_us(figures->most_ns),
		.worst = calloc(figures->n_worst + 1, sizeof(*cpu->worst)),
	};
	err = cpu->worst ? make_histogram(figures, cpu) : -ENOMEM;
	for (; cpu->n_worst < figures->n_worst && !err; cpu->n_worst++)
		err = make_worst(request, figures->cpu, &figures->worst[cpu->n_worst],
				 &cpu->worst[cpu->n_worst]);
	return err;
}

static int make_result(const struct request *request, const struct jitter_figures *figures,
		       struct jitter_result *result)
{
	const uint64_t ns = jitter_elapsed_ns(request->jitter);
	int err = cpuset_copy(&result->disturbers, &request->disturbers);

	result->interval_us = figure_make_count(
		measurement_option(&request->arguments->interval_us, DEFAULT_INTERVAL), NULL);
	result->seconds = figure_make_exact((double)(ns / NS_PER_US) / US_PER_S);
	result->smi_count =
		request->smi_missing
			? figure_make_missing(request->smi_missing)
			: figure_make_count(request->smis - request->first_smis, "PMU msr: smi");
	result->cpus = calloc(request->n_cpus + 1, sizeof(*result->cpus));
	if (err || !result->cpus)
		return -ENOMEM;
	for (; result->n_cpus < request->n_cpus && !err; result->n_cpus++)
		err = make_cpu(request, &figures[result->n_cpus], &result->cpus[result->n_cpus]);
	return err;
}

/* The number of latencies of each CPU that are kept for --save: all, or 0 if they are too many. */
static size_t count_kept(const struct request *request)
{
	const uint64_t seconds = measurement_option(&request->arguments->seconds, DEFAULT_SECONDS);
	const uint64_t interval_us =
		measurement_option(&request->arguments->interval_us, DEFAULT_INTERVAL);
	const uint64_t cycles = seconds * US_PER_S / interval_us;
	const uint64_t more = US_PER_S / interval_us + 1; /* until the threads have ended */

	return request->arguments->common.save && cycles * request->n_cpus <= MOST_SAVED
		       ? (size_t)(cycles + more)
		       : 0;
}

/* The latencies of each CPU, or their histogram. */
static json_t *make_samples(const struct jitter_result *result,
			    const struct jitter_figures *figures)
{
	json_t *samples = json_array();

	for (size_t i = 0; i < result->n_cpus; i++) {
		const struct jitter_cpu *cpu = &result->cpus[i];
		struct latency_samples to = { .cpu = cpu->cpu };

		if (figures[i].most_latencies) {
			to.ns = json_array();
		} else {
			to.histogram = cpu->histogram;
			to.n_bins = cpu->n_bins;
		}
		for (size_t j = 0; j < figures[i].n_latencies; j++)
			json_array_append_new(to.ns,
					      json_integer((json_int_t)figures[i].latencies_ns[j]));
		json_array_append_new(samples, json_write_fields(latency_samples_fields, &to));
		json_decref(to.ns);
	}
	return samples;
}

static void show_worst(struct screen *screen, const struct jitter_cpu *cpu, bool knows_smis)
{
	for (size_t i = 0; i < cpu->n_worst && i < MOST_SHOWN; i++) {
		const struct jitter_worst *worst = &cpu->worst[i];
		_cleanup_free_ char *causes = texts_join(&worst->coincided, ", ");

		screen_put_format(screen, i ? NULL : "Worst", "%.1f us after %.3f s: %s",
				  worst->latency_us, worst->at_s,
				  causes && *causes ? causes
				  : knows_smis      ? "no SMI, no stolen time, no throttling"
					       : "no stolen time, no throttling (SMI unknown)");
	}
}

/* Shows the known quantiles: "p50 3.1, p99 8.2". */
static void show_quantiles(struct screen *screen, const struct jitter_cpu *cpu)
{
	static const size_t quantiles[] = {
		offsetof(struct jitter_cpu, p50_us),
		offsetof(struct jitter_cpu, p99_us),
		offsetof(struct jitter_cpu, p999_us),
		offsetof(struct jitter_cpu, p9999_us),
	};
	_cleanup_buffer_ struct buffer text = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++) {
		const struct json_field *field = json_find_field(jitter_cpu_fields, quantiles[i]);
		const struct figure *figure =
			(const struct figure *)((const char *)cpu + quantiles[i]);

		if (figure_is_known(figure))
			buffer_add_item(&text, ", ", "%s %.*f", field->label, field->decimals,
					figure->value);
	}
	screen_put_format(screen, "Quantiles", "us: %s",
			  text.length ? buffer_text(&text) : TOO_FEW);
}

static int show(const struct measurement *measurement, const void *made)
{
	const struct jitter_result *result = made;
	struct context *context = measurement->context;
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(context->output) };
	_cleanup_free_ char *by = cpuset_format_ranges(&result->disturbers);

	screen_put_format(&screen, "Cycles", "every %.0f us for %.1f s%s%s",
			  result->interval_us.value, result->seconds.value,
			  by && *by ? ", disturbed by loads on CPUs " : "", by ?: "");
	for (size_t i = 0; i < result->n_cpus; i++) {
		const struct jitter_cpu *cpu = &result->cpus[i];
		int err;

		screen_put_format(
			&screen, "CPU",
			"%u, %s: %.0f cycles, %.0f overruns; us: least %.1f, mean %.1f, most %.1f",
			cpu->cpu, cpu->scheduling, cpu->cycles.value, cpu->overruns.value,
			cpu->min_us.value, cpu->mean_us.value, cpu->max_us.value);
		show_quantiles(&screen, cpu);
		err = measurement_put_histogram(&screen, "us", cpu->histogram, cpu->n_bins);
		if (err)
			return err;
		show_worst(&screen, cpu, figure_is_known(&result->smi_count));
	}
	return measurement_put_screen(context, &screen);
}

/* Reports CPUs that went offline. figures: of each CPU that is measured. */
static void report_moved(const struct request *request, const struct jitter_figures *figures)
{
	struct context *context = request->context;

	for (size_t i = 0; i < request->n_cpus; i++) {
		if (figures[i].was_moved)
			context_refuse(context, NULL,
				       "cpu-%" PRIu32 " went offline: the cycles before that are "
				       "shown",
				       figures[i].cpu);
	}
}

/* Compares the results with the requirements. */
static void check_requirements(struct request *request)
{
	const struct jitter_result *result = &request->result;
	const struct json_rows cpus = { result->cpus, result->n_cpus, sizeof(*result->cpus),
					jitter_cpu_fields };
	const struct json_rows whole = { result, 1, sizeof(*result), jitter_result_fields };

	requirements_take(&request->measurement.requirements, &cpus);
	requirements_take(&request->measurement.requirements, &whole);
}

/* Ends the threads, and saves and shows their results. */
static int finish(struct request *request)
{
	struct context *context = request->context;
	const bool gave_up = jitter_has_given_up(request->jitter);
	const struct jitter_figures *figures = jitter_stop(request->jitter);
	_cleanup_json_ json_t *document = NULL, *samples = NULL;
	int err = figures ? make_result(request, figures, &request->result) : -ENOMEM;

	if (err)
		return err;
	if (gave_up)
		context_refuse(
			context, NULL,
			"%d cycles in a row ran too late: the interval is too short for this "
			"machine",
			JITTER_MOST_LATE);
	report_moved(request, figures);
	measurement_note_end(context);
	check_requirements(request);
	document = measurement_make_document(&request->measurement, &request->result);
	samples = make_samples(&request->result, figures);
	return measurement_finish(&request->measurement, document, samples, &request->result);
}

int measure_jitter(struct context *context)
{
	_cleanup_(request_done) struct request request = {
		.context = context,
		.measurement.context = context,
		.smi_handle = -1,
		.arguments = context->request->arguments,
	};
	const uint64_t interval_us =
		measurement_option(&request.arguments->interval_us, DEFAULT_INTERVAL);
	uint32_t cpu = CPUSET_NONE;
	int err;

	context->plan.execution.is_over = true; /* this command reports a stop itself */
	writer_note_others(context);
	err = read_request(&request);
	if (err || report_has_problem(&context->report))
		return err;
	err = open_smis(&request);
	if (err)
		return err;
	err = jitter_start(request.cpus, request.n_cpus, interval_us * NS_PER_US,
			   count_kept(&request), &request.jitter, &cpu);
	if (err && err != -ENOMEM) {
		report_start(context, "a thread on CPU", cpu, err);
		return 0;
	}
	if (!err)
		err = wait_for_end(&request);
	return err ? err : finish(&request);
}

const struct option measure_jitter_options[] = {
	MEASURE_ALL,
	{ 0, "seconds", "TIME", "Duration (default 10s)",
	  OPTION_SECONDS(struct measure_jitter_arguments, seconds, 1, MOST_SECONDS) },
	{ 0, "interval", "TIME", "Time from one cycle to the next (default 250us)",
	  OPTION_US(struct measure_jitter_arguments, interval_us, LEAST_INTERVAL, MOST_INTERVAL) },
	{ 0, "disturb", "SET", "Meanwhile run loads on these CPUs, in pulses",
	  OPTION_CPUS(struct measure_jitter_arguments, disturb) },
	{ 0, "pulse", "TIME", "Length of each run, and of each pause, of these loads (default 5s)",
	  OPTION_SECONDS(struct measure_jitter_arguments, pulse_s, 1, MOST_SECONDS) },
	MEASURE_REQUIRE_NUMBER,
	MEASURE_SAVE("the latencies"),
	{ 0 },
};
