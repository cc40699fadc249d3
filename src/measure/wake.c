// SPDX-License-Identifier: GPL-2.0-only
/* Forces each idle state in turn on a core, lets the host run rounds, and classifies the rounds
 * with the counts of the kernel (measure.md, "wake"). */
#include "measure/wake.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "base/wait.h"
#include "host/host.h"
#include "settings/settings.h"

#define ROUND_US      60 /* time of a round without the gap and the exit latency */
#define BLOCK_US      3000 /* time to start the process of a block */
#define STAT          "/proc/stat"
#define STAT_FIELDS   8 /* user to steal */
#define STAT_IDLE     3
#define STAT_IOWAIT   4
#define NO_QOS_LIMIT  "0"
#define NO_QOS_STATES "n/a" /* no state that takes time is allowed */

const char *const wake_kind_names[WAKE_KINDS] = {
	[WAKE_COUNTS] = "counts",     [WAKE_NOT_IDLE] = "not-idle",
	[WAKE_SEVERAL] = "several",   [WAKE_OTHER_STATE] = "other-state",
	[WAKE_REJECTED] = "rejected", [WAKE_NOT_ASLEEP] = "not-asleep",
	[WAKE_LOST] = "lost",         [WAKE_WAKER_DELAYED] = "waker-delayed",
};

/* The kind of a round; see wake_round_counts(). */
static enum wake_kind classify(const struct wake_job *job, const struct wake_round *round)
{
	uint64_t entered = 0, refused = 0;

	for (uint32_t i = 0; i < job->states; i++) {
		entered += round->usage[i];
		refused += round->rejected[i];
	}
	if (round->was_lost)
		return WAKE_LOST;
	if (round->waker_was_delayed)
		return WAKE_WAKER_DELAYED;
	if (round->was_late)
		return WAKE_NOT_ASLEEP;
	if (refused)
		return WAKE_REJECTED;
	if (wake_round_counts(job, round))
		return WAKE_COUNTS;
	return entered == 0 ? WAKE_NOT_IDLE : entered > 1 ? WAKE_SEVERAL : WAKE_OTHER_STATE;
}

/* The first idle state that a round entered; or WAKE_ANY_STATE. */
static uint32_t find_state(const struct wake_job *job, const struct wake_round *round)
{
	for (uint32_t i = 0; i < job->states; i++) {
		if (round->usage[i])
			return i;
	}
	return job->states ? WAKE_ANY_STATE : 0;
}

size_t wake_count_states(const struct wake_plan *plan)
{
	size_t count = 0;

	for (size_t i = 0; i < plan->idle.n_states; i++)
		count += plan->is_measured[i];
	return plan->forces ? count : 1;
}

uint64_t wake_find_limit(const struct wake_plan *plan)
{
	const char *text = plan->idle.resume_latency;
	uint64_t limit = UINT64_MAX, us;

	if (text && strcmp(text, NO_QOS_STATES) == 0)
		limit = 0;
	else if (text && strcmp(text, NO_QOS_LIMIT) != 0 && !number_parse(text, 0, INT32_MAX, &us))
		limit = us;
	return plan->held_latency_us.is_known && plan->held_latency_us.value < limit
		       ? plan->held_latency_us.value
		       : limit;
}

/* Finds the states of a list. Returns 0, -ENOENT with the wrong name, or -ENOMEM. */
static int choose_states(struct wake_plan *plan, const char *names, char **ret_wrong)
{
	const uint64_t limit_us = wake_find_limit(plan);
	_cleanup_free_ char *list = strdup(names ?: "");
	char *rest;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < plan->idle.n_states; i++)
		plan->is_measured[i] = !names;
	for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
		bool is_found = false;

		for (size_t i = 0; i < plan->idle.n_states; i++) {
			if (strcmp(plan->idle.states[i].name ?: "", name) == 0)
				is_found = plan->is_measured[i] = true;
		}
		if (!is_found) {
			*ret_wrong = strdup(name);
			return *ret_wrong ? -ENOENT : -ENOMEM;
		}
	}
	for (size_t i = 0; i < plan->idle.n_states; i++) {
		plan->is_limited[i] = plan->idle.states[i].latency_us > limit_us;
		plan->is_measured[i] = plan->is_measured[i] && !plan->is_limited[i];
	}
	return 0;
}

static int find_threads(struct wake_plan *plan)
{
	int err = topology_add_core(plan->machine->host->files, plan->cpu, &plan->threads);

	cpuset_keep(&plan->threads, &plan->machine->topology.online);
	if (!err)
		err = cpuset_copy(&plan->forced, &plan->threads);
	return !err && plan->of_package ? cpuset_add_all(&plan->forced, plan->of_package) : err;
}

int wake_plan_open(struct wake_plan *plan, const char *names, char **ret_wrong)
{
	struct files *files = plan->machine->host->files;
	_cleanup_free_ char *rejected = NULL;
	int err = cpuidle_read_cpu(files, plan->cpu, false, &plan->idle);

	plan->busy_percent = -1;
	if (err && err != -ENOENT)
		return err;
	if (plan->idle.n_states > WAKE_STATES)
		return -E2BIG;
	if (plan->idle.n_states == 0)
		plan->forces = false;
	err = find_threads(plan);
	if (!err)
		err = choose_states(plan, names, ret_wrong);
	if (err)
		return err;
	plan->has_rejected =
		plan->idle.n_states &&
		!files_read_line(files, files_cpu_path(plan->cpu, "cpuidle/state0/rejected").text,
				 &rejected);
	plan->cells = calloc((plan->idle.n_states ?: 1) * plan->n_gaps, sizeof(*plan->cells));
	return plan->cells ? 0 : -ENOMEM;
}

static struct wake_cell *cell_of(const struct wake_plan *plan, size_t state, size_t gap)
{
	return &plan->cells[(plan->forces ? state : 0) * plan->n_gaps + gap];
}

void wake_plan_done(struct wake_plan *plan)
{
	size_t n_cells = (plan->idle.n_states ?: 1) * plan->n_gaps;

	for (size_t i = 0; i < n_cells && plan->cells; i++) {
		for (size_t state = 0; state < WAKE_STATES; state++) {
			free(plan->cells[i].by_state[state].latencies_ns);
			free(plan->cells[i].by_state[state].sorted_ns);
		}
	}
	free(plan->cells);
	plan->cells = NULL;
	cpuidle_cpu_done(&plan->idle);
	cpuset_done(&plan->threads);
	cpuset_done(&plan->forced);
	json_decref(plan->during);
	plan->during = NULL;
}

uint64_t wake_estimate_s(const struct wake_plan *plan)
{
	const uint64_t rounds = plan->samples + WAKE_BLOCKS * (uint64_t)WAKE_UNRECORDED;
	uint64_t us = 0;

	for (size_t gap = 0; gap < plan->n_gaps; gap++) {
		for (size_t i = 0; i < (plan->forces ? plan->idle.n_states : 1); i++) {
			if (plan->forces && !plan->is_measured[i])
				continue;
			us += rounds * (plan->gaps_us[gap] + ROUND_US +
					(plan->forces ? plan->idle.states[i].latency_us : 0)) +
			      (uint64_t)WAKE_BLOCKS * BLOCK_US;
		}
	}
	return us / US_PER_S + 1;
}

static struct file_path disable_path(uint32_t cpu, uint32_t state)
{
	return files_cpu_path(cpu, "cpuidle/state%" PRIu32 "/disable", state);
}

int wake_plan_changes(const struct wake_plan *plan, struct cpuset *listed,
		      struct change_list *changes)
{
	cpuset_foreach (cpu, &plan->forced) {
		if (cpuset_has(listed, cpu))
			continue;
		for (uint32_t i = 0; i < plan->idle.n_states; i++) {
			const struct file_path path = disable_path(cpu, i);
			_cleanup_free_ char *found = NULL;
			int err = files_read_line(plan->machine->host->files, path.text, &found);

			if (!err)
				err = change_list_add(
					changes,
					&(struct change){
						.location = location_of_cpu(plan->machine, cpu),
						.what = "disable",
						.subject =
							subject_of_part(SETTING_IDLE_STATE,
									plan->idle.states[i].name),
						.target = file_target(path.text, FILE_NUMBER),
						.old_value = { .text = found },
						.has_old_value = true,
					});
			if (err)
				return err;
		}
	}
	return cpuset_add_all(listed, &plan->forced);
}

int wake_restore(struct files *files, const struct change_list *changes)
{
	int first_error = 0;

	for (size_t i = changes->n_changes; i-- > 0;) {
		const struct change *change = &changes->changes[i];
		const char *path = change->target.path, *was = change->old_value.text;
		_cleanup_free_ char *now = NULL;
		int err = files_read_line(files, path, &now);

		if (!err && strcmp(now, was) != 0)
			err = files_write(files, path, was);
		first_error = first_error ?: err;
	}
	return first_error;
}

/* Writes the file, and reads it back. */
static int force_one(const struct wake_plan *plan, uint32_t cpu, uint32_t state, bool is_disabled,
		     struct file_path *ret_path)
{
	struct files *files = plan->machine->host->files;
	const struct file_path path = disable_path(cpu, state);
	bool now;
	int err = files_write(files, path.text, is_disabled ? "1" : "0");

	if (!err)
		err = cpuidle_read_disabled(files, cpu, state, &now);
	if (!err && now != is_disabled)
		err = -EIO;
	if (err)
		*ret_path = path;
	return err;
}

/* Enables one idle state on the forced CPUs, disables the others, and reads them back. Returns 0;
 * or a negative errno with *ret_path the file (-EIO: it has another value). */
static int force(const struct wake_plan *plan, uint32_t state, struct file_path *ret_path)
{
	cpuset_foreach (cpu, &plan->forced) {
		int err = force_one(plan, cpu, state, false, ret_path);

		for (uint32_t i = 0; i < plan->idle.n_states && !err; i++) {
			if (i != state)
				err = force_one(plan, cpu, i, true, ret_path);
		}
		if (err)
			return err;
	}
	return 0;
}

/* Times of a CPU from the kernel: the total and the idle time, in ticks or in us. */
struct busy_times {
	uint64_t all, idle;
};

/* Reads the line of the CPU in /proc/stat. */
static int read_stat(struct files *files, uint32_t cpu, struct busy_times *ret_times)
{
	_cleanup_free_ char *text = NULL, *name = text_format("\ncpu%" PRIu32 " ", cpu);
	struct busy_times times = { 0 };
	size_t length;
	const char *at;
	int err = name ? files->ops->read(files, STAT, 0, &text, &length) : -ENOMEM;

	if (err)
		return err;
	at = strstr(text, name);
	if (!at)
		return -ENODATA;
	at += strlen(name);
	for (int field = 0; field < STAT_FIELDS; field++) {
		uint64_t value;

		at += strspn(at, " ");
		if (number_parse_digits(&at, 10, &value))
			return -EINVAL;
		times.all += value;
		if (field == STAT_IDLE || field == STAT_IOWAIT)
			times.idle += value;
	}
	*ret_times = times;
	return 0;
}

/* Reads the times of a CPU from its idle states. */
static int read_idle(const struct wake_plan *plan, struct busy_times *ret_times)
{
	const struct host *host = plan->machine->host;
	_cleanup_cpuidle_cpu_ struct cpuidle_cpu idle = { 0 };
	struct busy_times times = { 0 };
	int err = cpuidle_read_cpu(host->files, plan->cpu, true, &idle);

	if (err)
		return err;
	for (size_t i = 0; i < idle.n_states; i++)
		times.idle += idle.states[i].time_us;
	times.all = host->workload->ops->now_ns(host->workload) / NS_PER_US;
	*ret_times = times;
	return 0;
}

static int read_times(const struct wake_plan *plan, struct busy_times *ret_times)
{
	int err = read_stat(plan->machine->host->files, plan->cpu, ret_times);

	return err ? read_idle(plan, ret_times) : 0;
}

void wake_look(struct wake_plan *plans, size_t n_plans, const struct wait_stop *stop)
{
	_cleanup_free_ struct busy_times *before = calloc(n_plans + 1, sizeof(*before));
	struct workload *workload = plans->machine->host->workload;

	for (size_t i = 0; i < n_plans && before; i++) {
		if (read_times(&plans[i], &before[i]))
			before[i].all = UINT64_MAX;
	}
	if (!before || workload->ops->wait_ns(workload, NS_PER_S, stop))
		return;
	for (size_t i = 0; i < n_plans; i++) {
		struct busy_times after;
		double idle;

		if (read_times(&plans[i], &after) || after.all <= before[i].all)
			continue;
		idle = (double)(after.idle - before[i].idle) / (double)(after.all - before[i].all);
		plans[i].busy_percent = idle < 1 ? 100 * (1 - idle) : 0;
	}
}

/* Sorts the rounds of a job. */
static int keep_rounds(struct wake_cell *cell, const struct wake_job *job, size_t block,
		       const struct wake_round *rounds, size_t count)
{
	const size_t most = job->most * WAKE_BLOCKS;

	for (size_t i = 0; i < count; i++) {
		enum wake_kind kind = classify(job, &rounds[i]);
		uint32_t state = find_state(job, &rounds[i]);
		struct wake_samples *samples;

		cell->recorded++;
		cell->kinds[kind]++;
		if ((kind != WAKE_COUNTS && kind != WAKE_OTHER_STATE) || state >= WAKE_STATES)
			continue;
		samples = &cell->by_state[state];
		if (!samples->latencies_ns)
			samples->latencies_ns = calloc(most, sizeof(*samples->latencies_ns));
		if (!samples->sorted_ns)
			samples->sorted_ns = calloc(most, sizeof(*samples->sorted_ns));
		if (!samples->latencies_ns || !samples->sorted_ns)
			return -ENOMEM;
		if (samples->count < most)
			samples->latencies_ns[samples->count++] = rounds[i].latency_ns;
	}
	for (size_t state = 0; state < WAKE_STATES; state++)
		cell->by_state[state].ends[block] = cell->by_state[state].count;
	return 0;
}

/* Runs one block of one state and gap. */
static int run_job(struct wake_plan *plan, uint32_t state, size_t gap, size_t block,
		   const struct wait_stop *stop)
{
	struct workload *workload = plan->machine->host->workload;
	const size_t wanted = plan->samples / WAKE_BLOCKS;
	const struct wake_job job = {
		.by_futex = plan->by_futex,
		.cpu = plan->cpu,
		.waker_cpu = plan->waker_cpu,
		.gap_ns = plan->gaps_us[gap] * NS_PER_US,
		.state = plan->forces ? state : WAKE_ANY_STATE,
		.states = (uint32_t)plan->idle.n_states,
		.has_rejected = plan->has_rejected,
		.first_round = block * wanted,
		.unrecorded = WAKE_UNRECORDED,
		.wanted = wanted,
		.most = 2 * wanted,
	};
	_cleanup_free_ struct wake_round *rounds = calloc(job.most, sizeof(*rounds));
	size_t count;
	int err =
		rounds ? workload->ops->wake_rounds(workload, &job, stop, rounds, &count) : -ENOMEM;

	if (err)
		return err;
	plan->rounds += count;
	return keep_rounds(cell_of(plan, state, gap), &job, block, rounds, count);
}

/* Runs all gaps of a state in one block. */
static int run_state(struct wake_plan *plan, struct wake_watch *watch, uint32_t state, size_t block,
		     const struct wait_stop *stop, char **ret_problem)
{
	const struct cpuidle_state *forced = plan->forces ? &plan->idle.states[state] : NULL;
	struct file_path path;
	int err = plan->forces ? force(plan, state, &path) : 0;

	if (err) {
		*ret_problem = text_format("%s cannot be set", path.text);
		return err;
	}
	if (watch)
		err = wake_watch_begin_block(watch);
	for (size_t gap = 0; gap < plan->n_gaps && !err && !wait_is_stopped(stop); gap++) {
		err = run_job(plan, state, gap, block, stop);
		if (plan->progress)
			plan->progress(plan->data);
		if (!err && watch)
			err = wake_watch_end_block(watch, forced,
						   &cell_of(plan, state, gap)->blocks[block]);
	}
	if (err)
		*ret_problem = strdup("the measurement ended early");
	return err;
}

static int run_blocks(struct wake_plan *plan, struct wake_watch *watch,
		      const struct wait_stop *stop, char **ret_problem)
{
	const uint32_t n_states = plan->forces ? (uint32_t)plan->idle.n_states : 1;

	for (size_t block = 0; block < WAKE_BLOCKS; block++) {
		for (uint32_t state = 0; state < n_states; state++) {
			int err;

			if (plan->forces && !plan->is_measured[state])
				continue;
			if (wait_is_stopped(stop))
				return 0;
			err = run_state(plan, watch, state, block, stop, ret_problem);
			if (err)
				return err;
		}
	}
	return 0;
}

int wake_run(struct wake_plan *plan, const struct wait_stop *stop, char **ret_problem)
{
	_cleanup_wake_watch_ struct wake_watch *watch = NULL;
	int err = plan->isolated ? wake_watch_open(plan, &watch) : 0;

	*ret_problem = NULL;
	if (err)
		return err;
	err = run_blocks(plan, watch, stop, ret_problem);
	if (watch)
		plan->during = wake_watch_during(watch);
	return err;
}
