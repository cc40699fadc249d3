// SPDX-License-Identifier: GPL-2.0-only
/* measure run: opens the sources, starts loads and commands, reads at the borders of each window,
 * and adds the figures of loads to those of their CPUs (measure.md, "run"). */
#include "measure/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"

#define AGREEMENT 0.03 /* the largest relative difference of the two chains of a load */

/* One border of a window. */
struct border {
	struct sources_reading *reading;
	struct load_readings loads;
};

static void border_done(struct border *border)
{
	sources_reading_free(&border->reading);
	load_readings_done(&border->loads);
}

#define _cleanup_border_ __attribute__((cleanup(border_done)))

/* A measurement that runs. */
struct run {
	const struct run_job *job;
	struct workload *workload;
	struct host *host;
	struct sources *sources;
	struct command_process command;
	uint64_t started_ns, ended_ns; /* of the command */
	struct run_result result;
};

static void run_done(struct run *run)
{
	run->workload->ops->stop_loads(run->workload);
	command_done(run->host, &run->command);
	sources_close(&run->sources);
	run_result_done(&run->result);
}

void run_result_done(struct run_result *result)
{
	run_window_done(&result->window);
	texts_done(&result->texts);
	free(result->refusal);
	*result = (struct run_result){ 0 };
}

/* Refuses the measurement with a sentence, a new text (NULL: no memory). Returns -ECANCELED or
 * -ENOMEM. */
static int refuse(struct run *run, int err, char *text)
{
	run->result.refusal = text;
	run->result.error = err;
	return text ? -ECANCELED : -ENOMEM;
}

static const char *explain_start(int err)
{
	switch (err) {
	case -EBUSY:
		return "it has another load";
	case -EINVAL:
		return "it is offline, or this process may not run there";
	default:
		return strerror(-err);
	}
}

/* Starts the loads and the pipe. */
static int start_loads(struct run *run)
{
	const struct run_job *job = run->job;
	uint32_t cpu = 0;
	int err;

	for (size_t i = 0; i < job->n_loads; i++) {
		const struct run_load *load = &job->loads[i];
		const char *name = load_kind_name(load->kind);

		err = run->workload->ops->start_load(run->workload, load->kind, &load->cpus, &cpu);
		if (err == -EOPNOTSUPP)
			return refuse(
				run, err,
				text_format(load->kind == LOAD_TDP
						    ? "--load %s: this machine cannot make "
						      "this load"
						    : "--load %s: this processor does not have "
						      "these instructions",
					    name));
		if (err)
			return err == -ENOMEM ? err
					      : refuse(run, err,
						       text_format("--load %s: CPU %u: %s", name,
								   cpu, explain_start(err)));
	}
	if (!job->has_pipe)
		return 0;
	err = run->workload->ops->start_pipe(run->workload, job->pipe_cpus[0], job->pipe_cpus[1],
					     &cpu);
	if (!err || err == -ENOMEM)
		return err;
	return refuse(run, err, text_format("--pipe: CPU %u: %s", cpu, explain_start(err)));
}

static int read_border(struct run *run, struct border *ret_border)
{
	_cleanup_border_ struct border border = { 0 };
	int err = sources_read(run->sources, &border.reading);

	if (!err)
		err = run->workload->ops->read_loads(run->workload, &border.loads);
	if (err)
		return err == -ENOMEM
			       ? err
			       : refuse(run, err, text_format("a process of --pipe has ended"));
	*ret_border = steal(border);
	return 0;
}

/* Adds the frequency that a load measured with both of its chains. */
static void add_loop(struct run *run, const struct load_figures *before,
		     const struct load_figures *after, struct run_cpu *cpu)
{
	double multiply_ns = (double)(after->multiply_ns - before->multiply_ns);
	double add_ns = (double)(after->add_ns - before->add_ns);
	double multiply_mhz =
		(double)(after->multiply_cycles - before->multiply_cycles) * 1e3 / multiply_ns;
	double add_mhz = (double)(after->add_cycles - before->add_cycles) * 1e3 / add_ns;
	const char *reason = NULL;

	if (run->workload->is_emulated)
		reason = "emulated: instructions do not take the cycles of hardware";
	else if (!after->has_chains)
		reason = "no load here reports its cycles";
	else if (multiply_ns <= 0 || add_ns <= 0)
		reason = "the load did not run long enough";
	else if (fabs(multiply_mhz - add_mhz) > AGREEMENT * fmax(multiply_mhz, add_mhz))
		reason = "chains disagree";
	if (reason) {
		cpu->loop_mhz = figure_make_missing(reason);
		return;
	}
	cpu->loop_mhz = figure_make(multiply_mhz, 1, sources_name(run->sources, "loop"));
	if (figure_is_known(&cpu->mhz))
		return;
	cpu->mhz = figure_make(multiply_mhz, 1, NULL);
	cpu->mhz_source = cpu->loop_mhz.about;
}

/* Adds the figures of the loads to their CPUs. */
static void add_loads(struct run *run, const struct border *before, const struct border *after,
		      struct run_window *window)
{
	const double ns = (double)(after->loads.now_ns - before->loads.now_ns);

	for (size_t i = 0; i < window->n_cpus; i++) {
		struct run_cpu *cpu = &window->cpus[i];
		const struct load_figures *begin = load_readings_find(&before->loads, cpu->cpu);
		const struct load_figures *end = load_readings_find(&after->loads, cpu->cpu);

		if (!begin || !end)
			continue;
		cpu->load = load_kind_name(end->kind);
		if (ns > 0)
			cpu->load_cpu_percent =
				figure_make(100 * (double)(end->cpu_ns - begin->cpu_ns) / ns, 2,
					    sources_name(run->sources, "CPU time of the load"));
		if (end->kind != LOAD_PIPE)
			add_loop(run, begin, end, cpu);
	}
}

static void add_pipe(struct run *run, const struct border *before, const struct border *after,
		     struct run_window *window)
{
	static const char reason[] = "no round trip was completed";
	const uint32_t *cpus = run->job->pipe_cpus;
	const double ns = (double)(after->loads.now_ns - before->loads.now_ns);
	const struct load_figures *begin = load_readings_find(&before->loads, cpus[0]);
	const struct load_figures *end = load_readings_find(&after->loads, cpus[0]);
	const uint64_t operations = begin && end ? end->operations - begin->operations : 0;
	const bool is_known = operations && ns > 0;
	const char *source = sources_name(run->sources, "pipe");

	window->has_pipe = true;
	window->pipe = (struct run_pipe){
		.cpus = json_pack("[i,i]", (int)cpus[0], (int)cpus[1]),
		.operations = figure_make_count(operations, source),
		.usecs_per_op = figure_make_missing(reason),
		.ops_per_second = figure_make_missing(reason),
	};
	if (!is_known)
		return;
	window->pipe.usecs_per_op = figure_make(ns / 1e3 / (double)operations, 4, source);
	window->pipe.ops_per_second = figure_make((double)operations / ns * 1e9, 1, source);
}

/* The figures of a window. Returns 0 or -ENOMEM. */
static int make_window(struct run *run, const struct border *before, const struct border *after,
		       struct run_window *ret_window)
{
	int err = sources_compare(run->sources, before->reading, after->reading, ret_window);

	if (err)
		return err;
	if (run->job->n_loads || run->job->has_pipe)
		add_loads(run, before, after, ret_window);
	if (run->job->has_pipe)
		add_pipe(run, before, after, ret_window);
	return 0;
}

/* Adds an interval, and passes it to the caller. */
static int add_interval(struct run *run, const struct border *before, const struct border *after)
{
	struct run_window *all = &run->result.window;
	struct run_window *to = array_add(&all->intervals, &all->n_intervals, sizeof(*to));
	int err = -ENOMEM;

	if (to) {
		*to = (struct run_window){ 0 };
		err = make_window(run, before, after, to);
	}
	return err || !run->job->take_window ? err : run->job->take_window(run->job->data, to);
}

/* Waits for a time after done_ns. Returns true if the command ended or a stop was requested. */
static bool wait_for(struct run *run, uint64_t done_ns, uint64_t ns)
{
	const struct run_job *job = run->job;
	const uint64_t slice_ns = job->progress ? NS_PER_S : SOURCES_WRAP_NS;
	uint64_t unread_ns = 0;
	struct wait_stop end = command_end_source(&run->command);
	const struct wait_stop *stop = job->command ? &end : job->stop;

	for (; ns > slice_ns; ns -= slice_ns) {
		if (run->workload->ops->wait_ns(run->workload, slice_ns, stop))
			return true;
		done_ns += slice_ns;
		unread_ns += slice_ns;
		if (job->progress)
			job->progress(job->data, done_ns);
		if (unread_ns < SOURCES_WRAP_NS)
			continue;
		sources_keep_up(run->sources);
		unread_ns = 0;
	}
	return run->workload->ops->wait_ns(run->workload, ns, stop);
}

/* Makes the window of the complete run. */
static int make_whole(struct run *run, const struct border *first, const struct border *last)
{
	struct run_window *to = &run->result.window, whole = { 0 };
	int err = make_window(run, first, last, &whole);

	whole.intervals = steal(to->intervals);
	whole.n_intervals = steal(to->n_intervals);
	*to = whole;
	return err;
}

/* Measures all windows. A command that runs longer than job->ns is measured to its end. */
static int measure_windows(struct run *run, const struct border *first)
{
	const struct run_job *job = run->job;
	const uint64_t window_ns = job->interval_ns ?: job->ns;
	_cleanup_border_ struct border last = { 0 };
	bool has_ended = false;
	uint64_t done_ns = 0;

	while (!has_ended && (job->command || done_ns < job->ns)) {
		_cleanup_border_ struct border now = { 0 };
		uint64_t left_ns = job->ns > done_ns ? job->ns - done_ns : window_ns;
		uint64_t ns = left_ns < window_ns ? left_ns : window_ns;
		int err;

		has_ended = wait_for(run, done_ns, ns);
		run->ended_ns = run->workload->ops->now_ns(run->workload);
		if (wait_is_stopped(job->stop) && !job->ends_early) {
			if (job->command)
				command_end(&run->command);
			return refuse(run, -EINTR, text_format("a stop was requested"));
		}
		done_ns += ns;
		if (!job->interval_ns && !has_ended && (job->command || done_ns < job->ns)) {
			sources_keep_up(run->sources);
			continue;
		}
		err = read_border(run, &now);
		if (err)
			return err;
		if (job->interval_ns)
			err = add_interval(run, last.reading ? &last : first, &now);
		if (err)
			return err;
		border_done(&last);
		last = steal(now);
	}
	return make_whole(run, first, &last);
}

/* Lets the command run, or refuses the measurement with the reason. */
static int start_command(struct run *run)
{
	int err;

	if (!run->job->command)
		return 0;
	run->started_ns = run->workload->ops->now_ns(run->workload);
	err = command_run(&run->command);
	if (!err)
		return 0;
	if (err == -EINTR)
		return refuse(run, err, text_format("a stop was requested"));
	run->result.command_failed = true;
	return refuse(run, err, text_format("%s: %s", run->job->command[0], strerror(-err)));
}

static int end_command(struct run *run)
{
	struct run_process *process = &run->result.window.process;
	int err;

	if (!run->job->command)
		return 0;
	err = command_finish(run->host, &run->command, &run->result.command_status, process);
	if (err)
		return refuse(run, err, text_format("the command is lost"));
	run->result.window.has_process = true;
	process->seconds = figure_make((double)(run->ended_ns - run->started_ns) / NS_PER_S, 6,
				       "CLOCK_MONOTONIC_RAW");
	return 0;
}

/* Prepares everything, measures, and ends everything. */
static int measure(struct run *run)
{
	const struct run_job *job = run->job;
	_cleanup_border_ struct border first = { 0 };
	int err = 0;

	/* Start the process first: it must inherit neither counters nor the raised file limit. */
	if (job->command)
		err = command_prepare(job->command, job->stop, job->stop_before, &run->command);
	if (err)
		return refuse(run, err,
			      text_format("no process for the command: %s", strerror(-err)));
	err = sources_open(&job->sources, &run->sources);
	if (err)
		return err;
	if (job->command && sources_refusal(run->sources))
		command_count(run->host, &run->command);
	err = start_loads(run);
	if (!err)
		err = read_border(run, &first);
	if (!err)
		err = start_command(run);
	if (!err)
		err = measure_windows(run, &first);
	if (!err)
		err = end_command(run);
	return err;
}

int run_measure(const struct run_job *job, struct run_result *ret_result)
{
	_cleanup_(run_done) struct run run = {
		.job = job,
		.host = job->sources.machine->host,
		.workload = job->sources.machine->host->workload,
	};
	int err = measure(&run);

	if (run.sources)
		sources_take_texts(run.sources, &run.result.texts);
	if (err && err != -ECANCELED)
		return err;
	*ret_result = steal(run.result);
	return 0;
}
