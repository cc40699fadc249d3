// SPDX-License-Identifier: GPL-2.0-only
/* priority check shows if the work of a process or of a control group runs on the right cores
 * (docs/spec/choose.md, "priority"). Its threads are sampled. The CPU time of a thread between two
 * samples counts for the CPU on which the thread ran last. */
#include "features/priority.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "host/threads.h"
#include "instruments/workload.h"
#include "output/screen.h"

#define DEFAULT_SECONDS 2
#define MAX_SECONDS     3600
#define DEFAULT_PERCENT 90
#define SAMPLE_NS       (20 * NS_PER_S / 1000)
#define CGROUPS         "/sys/fs/cgroup"
#define PERCENT         100

/* The result of the samples. */
struct checked_work {
	bool is_group;
	uint32_t process;
	char *path; /* path of the group */
	struct cpuset fast, near, allowed;
	bool has_near;
	uint64_t total_ns, fast_ns, near_ns;
	size_t n_threads, n_ran; /* threads at the end, and those of them that ran */
	double seconds;
};

static void work_done(struct checked_work *work)
{
	free(work->path);
	cpuset_done(&work->fast);
	cpuset_done(&work->near);
	cpuset_done(&work->allowed);
}

/* Reads what the user named: a number is a process, other texts are groups. */
static int parse_work(struct checked_work *work, const char *text)
{
	const char *at = text;
	uint64_t number;

	if (!number_parse_digits(&at, 10, &number) && !*at && number <= UINT32_MAX) {
		work->process = (uint32_t)number;
		return 0;
	}
	work->is_group = true;
	work->path = strncmp(text, CGROUPS "/", strlen(CGROUPS "/")) == 0
			     ? strdup(text)
			     : text_format(CGROUPS "/%s", text + strspn(text, "/"));
	return work->path ? 0 : -ENOMEM;
}

static int sample(struct context *context, const struct checked_work *work,
		  struct threads *ret_threads)
{
	struct files *files = context->request->host->files;
	struct threads threads = { 0 };
	int err = work->is_group ? threads_add_group(files, work->path, &threads)
				 : threads_add(files, work->process, &threads);

	if (err)
		threads_done(&threads);
	threads_sort(&threads);
	*ret_threads = threads;
	return err;
}

/* Adds the CPU time of threads between two samples. */
static void add_time(struct checked_work *work, const struct threads *before, struct threads *after)
{
	for (size_t i = 0; i < after->count; i++) {
		struct thread *now = &after->list[i];
		const struct thread *then = threads_find(before, now->id);
		uint64_t then_ns = then ? then->run_ns : 0;
		uint64_t ns = now->run_ns > then_ns ? now->run_ns - then_ns : 0;

		now->has_run = ns || (then && then->has_run);
		work->total_ns += ns;
		if (cpuset_has(&work->fast, now->cpu))
			work->fast_ns += ns;
		if (work->has_near && cpuset_has(&work->near, now->cpu))
			work->near_ns += ns;
	}
}

/* Samples until the time is over, or the work ends. */
static int watch(struct context *context, struct checked_work *work, uint64_t ns)
{
	struct workload *workload = context->request->host->workload;
	const struct wait_stop *stop = context->plan.execution.environment.stop;
	uint64_t start_ns = workload->ops->now_ns(workload), now_ns = start_ns;
	_cleanup_threads_ struct threads before = { 0 };
	int err = sample(context, work, &before);

	while (!err && now_ns - start_ns < ns) {
		_cleanup_threads_ struct threads after = { 0 };

		if (workload->ops->wait_ns(workload, SAMPLE_NS, stop))
			break;
		now_ns = workload->ops->now_ns(workload);
		if (sample(context, work, &after))
			break; /* the work has ended */
		add_time(work, &before, &after);
		threads_done(&before);
		before = steal(after);
	}
	work->seconds = (double)(now_ns - start_ns) / NS_PER_S;
	work->n_threads = before.count;
	for (size_t i = 0; i < before.count && !err; i++) {
		work->n_ran += before.list[i].has_run;
		err = threads_read_allowed(context->request->host->files, before.list[i].id,
					   &work->allowed);
		err = err == -ENOENT || err == -ESRCH ? 0 : err;
	}
	return err;
}

/* Finds the CPUs of all fast cores. */
static int find_fast(const struct priority *priority, struct cpuset *cpus)
{
	for (size_t i = 0; i < priority->n_groups; i++) {
		const struct priority_group *group = &priority->groups[i];

		for (size_t j = 0; j < PRIORITY_THREADS && group->reasons; j++) {
			if (cpuset_add_all(cpus, &group->threads[j]))
				return -ENOMEM;
		}
	}
	return 0;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? PERCENT * (double)part / (double)whole : 0;
}

/* Less than one percent of a CPU is too little for a verdict. */
static bool is_idle(const struct checked_work *work)
{
	return (double)work->total_ns * PERCENT < work->seconds * NS_PER_S;
}

/* Returns the command that moves the work to the fast cores, a new text; NULL: no memory. */
static char *format_change(const struct checked_work *work)
{
	_cleanup_free_ char *list = cpuset_format_ranges(&work->fast);

	if (!list)
		return NULL;
	return work->is_group ? text_format("echo %s >%s/cpuset.cpus", list, work->path)
			      : text_format("taskset -acp %s %" PRIu32, list, work->process);
}

static int show(struct context *context, const struct checked_work *work, bool is_met)
{
	_cleanup_screen_ struct screen screen = { .width = screen_find_width(context->output) };
	_cleanup_free_ char *allowed = cpuset_format_ranges(&work->allowed);
	_cleanup_free_ char *fast = cpuset_format_ranges(&work->fast);
	_cleanup_free_ char *change = format_change(work), *launcher = NULL;
	double fast_percent = share(work->fast_ns, work->total_ns);

	launcher = fast ? text_format("numactl --physcpubind=%s COMMAND", fast) : NULL;
	if (!allowed || !change || !launcher)
		return -ENOMEM;
	screen_put_format(&screen, "threads", "%zu, of which %zu ran; %.3f s of CPU time in %.1f s",
			  work->n_threads, work->n_ran, (double)work->total_ns / NS_PER_S,
			  work->seconds);
	screen_put(&screen, "may run on", allowed);
	screen_put(&screen, "fast cores", fast);
	if (is_idle(work))
		screen_put(&screen, "time", "not checked: it used less than 1 % of a CPU");
	else
		screen_put_format(&screen, "time", "%.1f %% on fast cores, %.1f %% on others",
				  fast_percent, PERCENT - fast_percent);
	if (work->has_near && !is_idle(work))
		screen_put_format(&screen, "near", "%.1f %% on CPUs local to the device",
				  share(work->near_ns, work->total_ns));
	if (!is_met) {
		screen_put_command(&screen, "change", "", change);
		if (!work->is_group)
			screen_put_command(&screen, NULL, "or its launcher: ", launcher);
	}
	output_json_member(context->output, "threads", json_integer((json_int_t)work->n_threads));
	output_json_member(context->output, "threads-that-ran",
			   json_integer((json_int_t)work->n_ran));
	output_json_member(context->output, "seconds", json_real(work->seconds));
	output_json_member(context->output, "cpu-seconds",
			   json_real((double)work->total_ns / NS_PER_S));
	output_json_member(context->output, "allowed-cpus", json_string(allowed));
	output_json_member(context->output, "fast-cpus", json_string(fast));
	output_json_member(context->output, "fast-percent",
			   is_idle(work) ? json_null() : json_real(fast_percent));
	output_json_member(context->output, "near-percent",
			   work->has_near && !is_idle(work)
				   ? json_real(share(work->near_ns, work->total_ns))
				   : json_null());
	output_json_member(context->output, "change", is_met ? json_null() : json_string(change));
	output_text(context->output, buffer_text(&screen.text));
	return screen.text.has_failed ? -ENOMEM : 0;
}

static void report_work(struct context *context, const char *work, int err)
{
	if (err == -ENOENT)
		context_lack(context, NULL, "%s: there is no such process or control group", work);
	else
		context_fail(context, NULL, err, "%s", work);
}

int priority_check(struct context *context)
{
	const struct priority_check_arguments *arguments = context->request->arguments;
	_cleanup_(work_done) struct checked_work work = { .has_near = arguments->near };
	_cleanup_priority_ struct priority priority = { 0 };
	uint64_t seconds = arguments->seconds.given ? arguments->seconds.value : DEFAULT_SECONDS;
	uint64_t percent = arguments->require_percent.given ? arguments->require_percent.value
							    : DEFAULT_PERCENT;
	bool is_met;
	int err = parse_work(&work, arguments->work);

	if (!err)
		err = priority_read_present(context, &priority);
	if (!err)
		err = find_fast(&priority, &work.fast);
	if (!err && arguments->near && !report_has_problem(&context->report))
		err = priority_read_near(context, arguments->near, &work.near);
	if (err || report_has_problem(&context->report))
		return err;
	if (cpuset_is_empty(&work.fast)) {
		context_lack(context, NULL, "no cores are fast now: nothing to check");
		return 0;
	}
	err = watch(context, &work, seconds * NS_PER_S);
	if (err && err != -ENOMEM)
		report_work(context, arguments->work, err);
	if (err)
		return err == -ENOMEM ? err : 0;
	is_met = is_idle(&work) || share(work.fast_ns, work.total_ns) >= (double)percent;
	context->report.has_differences = !is_met;
	return show(context, &work, is_met);
}

const struct option priority_check_options[] = {
	{ 0, "work", "PID|CGROUP", "A process, or a control group below " CGROUPS,
	  OPTION_TEXT(struct priority_check_arguments, work), .required = true,
	  .positional = true },
	{ 0, "seconds", "TIME", "Duration (default 2s)",
	  OPTION_SECONDS(struct priority_check_arguments, seconds, 1, MAX_SECONDS) },
	{ 0, "require", "PERCENT",
	  "Share of CPU time on fast cores below which the status is 6 (default 90)",
	  OPTION_NUMBER(struct priority_check_arguments, require_percent, 0, PERCENT),
	  .unit = "%" },
	{ 0, "near", "PCI", "Also the share on CPUs local to this PCI device, as 0000:3b:00.0",
	  OPTION_TEXT(struct priority_check_arguments, near) },
	{ 0 },
};
