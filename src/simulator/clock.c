// SPDX-License-Identifier: GPL-2.0-only
/* The virtual clock. It advances the counters of all CPUs and packages according to the loads of
 * this process and the state of the machine, under the lock of the state. Counters keep the rest of
 * a step in units so small that nothing is rounded. */
#include "simulator/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/wait.h"
#include "simulator/activity.h"
#include "simulator/firmware.h"

#define PJ_PER_UJ        1000000
#define MILLIONTHS       1000000
#define PS_PER_NS        1000
#define PERCENT          100
#define HALF_PARTS       2 /* each of the two chains has half of a load's time */
#define NS_PER_MHZ_CYCLE 1000

struct sim_workload {
	struct workload workload;
	struct sim_state *state;
	const struct sim_faults *faults;
	struct sim_load *loads; /* by logical CPU */
};

/* How deep the CPUs of a core or a package sleep. */
enum depth { DEPTH_BUSY, DEPTH_C1, DEPTH_C6 };

static struct sim_workload *of(struct workload *workload)
{
	return (struct sim_workload *)workload;
}

/* Finds the power state of a core from the name of the idle state: C1, C1E and C1_ACPI are C1;
 * states that stay in C0 are busy; all others are C6. */
static enum depth find_depth(const struct sim_platform *platform, uint32_t idle_state)
{
	const char *name;

	if (idle_state == ACTIVITY_NO_STATE)
		return DEPTH_BUSY;
	name = platform->idle_states[idle_state].name;
	if (workload_spin_percent(name))
		return DEPTH_BUSY;
	return strcmp(name, "C1") == 0 || strcmp(name, "C1E") == 0 || strcmp(name, "C1_ACPI") == 0
		       ? DEPTH_C1
		       : DEPTH_C6;
}

/* Advances the counters of a CPU. Returns how deep the CPU sleeps. */
static enum depth advance_cpu(struct sim_workload *simulated, const struct sim_activity *activity,
			      uint32_t cpu, uint64_t ns)
{
	struct sim_state *state = simulated->state;
	const struct sim_cpu_activity *active = &activity->cpus[cpu];
	struct sim_cpu_counters *counters = &state->cpu_counters[cpu];
	struct sim_load *load = &simulated->loads[cpu];
	uint32_t idle_state;

	if (!state->cpus[cpu].online)
		return DEPTH_C6;
	counters->busy += ns * active->busy_percent;
	counters->cycles += ns * active->busy_percent * active->ratio;
	counters->limits |= active->limits;
	if (active->ratio && !active->is_idle) {
		load->busy += ns * active->busy_percent;
		load->cycles += ns * active->busy_percent * active->ratio;
		return DEPTH_BUSY;
	}
	idle_state = activity_idle_state(state, cpu, USUAL_SLEEP_NS);
	if (idle_state != ACTIVITY_NO_STATE)
		state->idle[cpu * state->platform->n_idle_states + idle_state].idle_ns += ns;
	return find_depth(state->platform, idle_state);
}

/* Round trips between two CPUs take as long as the slower one needs. */
static void advance_pipe(struct sim_workload *simulated, const struct sim_activity *activity,
			 uint32_t cpu, uint64_t ns)
{
	struct sim_load *load = &simulated->loads[cpu];
	uint8_t ratio = activity->cpus[cpu].ratio, other = activity->cpus[load->peer].ratio;
	uint32_t mhz = (ratio < other ? ratio : other) * MHZ_PER_RATIO;

	if (mhz)
		load->operations +=
			workload_scale(ns * PS_PER_NS, MILLIONTHS, workload_pipe_ps(mhz));
}

/* Advances the times of cores in C1 and C6. The CPU that sleeps least decides for its core. */
static void advance_cores(struct sim_state *state, enum depth *depths, uint64_t ns)
{
	uint32_t n_cpus = (uint32_t)state->platform->n_cpus;
	const struct sim_cpu *cpus = state->platform->cpus;

	for (uint32_t cpu = 0; cpu < n_cpus; cpu++) {
		enum depth *of_core = &depths[cpus[cpu].first];

		if (depths[cpu] < *of_core)
			*of_core = depths[cpu];
	}
	for (uint32_t cpu = 0; cpu < n_cpus; cpu++) {
		struct sim_cpu_counters *counters = &state->cpu_counters[cpu];

		if (cpus[cpu].first != cpu)
			continue;
		if (depths[cpu] == DEPTH_C1)
			counters->core_c1_ns += ns;
		else if (depths[cpu] == DEPTH_C6)
			counters->core_c6_ns += ns;
	}
}

static void advance_package(struct sim_workload *simulated, const struct sim_activity *activity,
			    const enum depth *depths, uint32_t package, uint64_t ns)
{
	struct sim_state *state = simulated->state;
	const struct sim_platform *platform = state->platform;
	struct sim_package_counters *counters = &state->package_counters[package];
	uint64_t pj = counters->energy_pj + ns * activity->packages[package].power_mw;
	const struct cpuset *throttled = &faults_settings(simulated->faults)->throttled;
	bool is_throttled = false, is_deep = true;

	counters->energy_uj += pj / PJ_PER_UJ;
	counters->energy_pj = pj % PJ_PER_UJ;
	for (uint32_t cpu = 0; cpu < platform->n_cpus; cpu++) {
		if (platform->cpus[cpu].package != package)
			continue;
		is_deep = is_deep && depths[cpu] == DEPTH_C6;
		if (!activity->cpus[cpu].ratio || !cpuset_has(throttled, cpu))
			continue;
		state->cpu_counters[cpu].throttled_ns += ns;
		is_throttled = true;
	}
	if (is_deep)
		counters->c6_ns += ns;
	if (is_throttled)
		counters->throttled_ns += ns;
}

/* Advances the clock; the lock is held. */
static int advance(struct sim_workload *simulated, uint64_t ns)
{
	struct sim_state *state = simulated->state;
	const struct sim_platform *platform = state->platform;
	_cleanup_activity_ struct sim_activity activity = { 0 };
	_cleanup_free_ enum depth *depths = calloc(platform->n_cpus + 1, sizeof(*depths));
	int err = depths ? activity_find(state, &activity) : -ENOMEM;

	if (err)
		return err;
	for (uint32_t cpu = 0; cpu < platform->n_cpus; cpu++) {
		depths[cpu] = advance_cpu(simulated, &activity, cpu, ns);
		if (simulated->loads[cpu].is_busy &&
		    simulated->loads[cpu].figures.kind == LOAD_PIPE)
			advance_pipe(simulated, &activity, cpu, ns);
	}
	advance_cores(state, depths, ns);
	for (uint32_t i = 0; i < platform->n_packages; i++)
		advance_package(simulated, &activity, depths, i, ns);
	state->clock->now_ns += ns;
	return 0;
}

static uint64_t sim_now_ns(struct workload *workload)
{
	struct sim_state *state = of(workload)->state;
	uint64_t now_ns;

	/* If the state cannot be used any more, the last known time is the answer. */
	if (state_lock(state))
		return state->clock->now_ns;
	now_ns = state->clock->now_ns;
	state_unlock(state);
	return now_ns;
}

static bool sim_wait_ns(struct workload *workload, uint64_t ns, const struct wait_stop *stop)
{
	struct sim_workload *simulated = of(workload);

	if (wait_is_stopped(stop))
		return true;
	if (state_lock(simulated->state))
		return false;
	if (advance(simulated, ns))
		state_unlock(simulated->state);
	else
		state_commit(simulated->state);
	return false;
}

static int sim_check_load(struct workload *workload, enum load_kind kind)
{
	(void)workload;
	return kind < LOAD_PIPE ? 0 : -EOPNOTSUPP;
}

/* Can a load be started on a CPU? Returns 0 or a negative errno. */
static int check_cpu(struct sim_workload *simulated, uint32_t cpu)
{
	struct sim_state *state = simulated->state;
	bool is_online;
	int err;

	if (cpu >= state->platform->n_cpus)
		return -EINVAL;
	err = state_lock(state);
	if (err)
		return err;
	is_online = state->cpus[cpu].online;
	state_unlock(state);
	return is_online ? 0 : -EINVAL;
}

static void start(struct sim_workload *simulated, enum load_kind kind, uint32_t cpu, uint32_t peer)
{
	simulated->loads[cpu] = (struct sim_load){
		.is_busy = true,
		.peer = peer,
		.figures = { .cpu = cpu, .kind = kind, .has_chains = kind != LOAD_PIPE },
	};
}

static int sim_start_load(struct workload *workload, enum load_kind kind, const struct cpuset *cpus,
			  uint32_t *ret_cpu)
{
	struct sim_workload *simulated = of(workload);
	int err = sim_check_load(workload, kind);

	if (err)
		return err;
	cpuset_foreach (cpu, cpus) {
		*ret_cpu = cpu;
		err = check_cpu(simulated, cpu);
		if (err)
			return err;
		if (simulated->loads[cpu].is_busy)
			return -EBUSY;
	}
	cpuset_foreach (cpu, cpus)
		start(simulated, kind, cpu, cpu);
	return 0;
}

static int sim_start_pipe(struct workload *workload, uint32_t cpu_a, uint32_t cpu_b,
			  uint32_t *ret_cpu)
{
	struct sim_workload *simulated = of(workload);
	const uint32_t cpus[] = { cpu_a, cpu_b };

	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
		int err = check_cpu(simulated, cpus[i]);

		*ret_cpu = cpus[i];
		if (err)
			return err;
		if (simulated->loads[cpus[i]].is_busy || cpu_a == cpu_b)
			return -EBUSY;
	}
	start(simulated, LOAD_PIPE, cpu_a, cpu_b);
	start(simulated, LOAD_PIPE, cpu_b, cpu_a);
	return 0;
}

/* Each of the two chains of a load has half of its time. */
static struct load_figures make_figures(const struct sim_load *load)
{
	struct load_figures figures = load->figures;

	figures.cpu_ns = load->busy / PERCENT;
	if (figures.has_chains) {
		figures.multiply_ns = figures.add_ns = figures.cpu_ns / HALF_PARTS;
		figures.multiply_cycles = figures.add_cycles =
			workload_scale(load->cycles, MHZ_PER_RATIO,
				       (uint64_t)PERCENT * HALF_PARTS * NS_PER_MHZ_CYCLE);
	}
	figures.operations = load->operations / MILLIONTHS;
	return figures;
}

static int sim_read_loads(struct workload *workload, struct load_readings *ret_readings)
{
	struct sim_workload *simulated = of(workload);
	_cleanup_load_readings_ struct load_readings readings = { 0 };

	readings.now_ns = sim_now_ns(workload);
	for (uint32_t cpu = 0; cpu < simulated->state->platform->n_cpus; cpu++) {
		struct load_figures *figures;

		if (!simulated->loads[cpu].is_busy)
			continue;
		figures = array_add(&readings.list, &readings.count, sizeof(*figures));
		if (!figures)
			return -ENOMEM;
		*figures = make_figures(&simulated->loads[cpu]);
	}
	*ret_readings = steal(readings);
	return 0;
}

static void sim_stop_loads(struct workload *workload)
{
	struct sim_workload *simulated = of(workload);

	memset(simulated->loads, 0, simulated->state->platform->n_cpus * sizeof(*simulated->loads));
}

static int sim_run_on(struct workload *workload, uint32_t cpu, void (*function)(void *data),
		      void *data)
{
	int err = check_cpu(of(workload), cpu);

	if (!err)
		function(data);
	return err;
}

/* A block of rounds: the CPU enters the same idle state in each round. */
struct wake_block {
	const struct wake_job *job;
	uint32_t entered; /* or ACTIVITY_NO_STATE */
	uint32_t latency_us;
	size_t n_rounds;
	uint64_t total_ns;
};

static struct wake_round run_round(const struct sim_workload *simulated, struct wake_block *block,
				   uint64_t number)
{
	const struct workload_wake wake = {
		.seed = simulated->state->platform->workload_seed,
		.cpu = block->job->cpu,
		.state = block->entered,
		.gap_us = block->job->gap_ns / NS_PER_US,
		.round = number,
	};
	struct wake_round round = { .latency_ns = workload_wake_ns(&wake, block->latency_us) };

	if (simulated->loads[block->job->cpu].is_busy)
		round.was_late = true;
	else if (block->entered < WAKE_STATES)
		round.usage[block->entered] = 1;
	block->n_rounds++;
	block->total_ns += block->job->gap_ns + round.latency_ns;
	return round;
}

/* Advances the clock by a block of rounds, and the counters of the CPU's idle state. */
static int advance_rounds(struct sim_workload *simulated, const struct wake_block *block)
{
	struct sim_state *state = simulated->state;
	uint32_t cpu = block->job->cpu;
	uint32_t usual = activity_idle_state(state, cpu, USUAL_SLEEP_NS);
	struct sim_idle_counters *idle = &state->idle[cpu * state->platform->n_idle_states];
	int err = advance(simulated, block->total_ns);

	if (err || usual == ACTIVITY_NO_STATE || simulated->loads[cpu].is_busy)
		return err;
	idle[usual].idle_ns -= block->total_ns;
	idle[block->entered].round_ns += block->n_rounds * block->job->gap_ns;
	idle[block->entered].rounds += block->n_rounds;
	return 0;
}

static int sim_wake_rounds(struct workload *workload, const struct wake_job *job,
			   const struct wait_stop *stop, struct wake_round *rounds,
			   size_t *ret_count)
{
	struct sim_workload *simulated = of(workload);
	struct sim_state *state = simulated->state;
	struct wake_block block = { .job = job };
	size_t count = 0, counted = 0;
	int err = check_cpu(simulated, job->cpu);

	if (!err && job->by_futex)
		err = check_cpu(simulated, job->waker_cpu);
	if (!err)
		err = state_lock(state);
	if (err)
		return err;
	block.entered = activity_idle_state(state, job->cpu, job->gap_ns);
	if (block.entered != ACTIVITY_NO_STATE)
		block.latency_us =
			state->platform->idle_states[block.entered].true_latency_us
				?: state->platform->idle_states[block.entered].latency_us;
	for (size_t i = 0; i < job->unrecorded; i++)
		run_round(simulated, &block, job->first_round);
	while (count < job->most && counted < job->wanted && !wait_is_stopped(stop)) {
		rounds[count] = run_round(simulated, &block, job->first_round + count);
		counted += wake_round_counts(job, &rounds[count++]);
	}
	err = advance_rounds(simulated, &block);
	if (err) {
		state_unlock(state);
		return err;
	}
	err = state_commit(state);
	if (!err)
		*ret_count = count;
	return err;
}

static const struct workload_ops sim_ops = {
	.now_ns = sim_now_ns,
	.wait_ns = sim_wait_ns,
	.check_load = sim_check_load,
	.start_load = sim_start_load,
	.start_pipe = sim_start_pipe,
	.read_loads = sim_read_loads,
	.stop_loads = sim_stop_loads,
	.run_on = sim_run_on,
	.wake_rounds = sim_wake_rounds,
};

int clock_open(struct sim_state *state, const struct sim_faults *faults,
	       struct workload **ret_workload)
{
	struct sim_workload *simulated = calloc(1, sizeof(*simulated));
	struct sim_load *loads = calloc(state->platform->n_cpus + 1, sizeof(*loads));

	if (!simulated || !loads) {
		free(simulated);
		free(loads);
		return -ENOMEM;
	}
	*simulated = (struct sim_workload){
		.workload = { .ops = &sim_ops },
		.state = state,
		.faults = faults,
		.loads = loads,
	};
	state->loads = loads;
	*ret_workload = &simulated->workload;
	return 0;
}

void clock_close(struct workload *workload)
{
	if (!workload)
		return;
	of(workload)->state->loads = NULL;
	free(of(workload)->loads);
	free(workload);
}
