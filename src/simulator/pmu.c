// SPDX-License-Identifier: GPL-2.0-only
/* Opens events of PMUs, with the errors of the kernel, and counts them (measure.md, "Sources,
 * rights, traps"). Counts are made from the counters that the virtual clock advances. An event
 * counts from the time when it is opened. */
#include "simulator/pmu.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "simulator/activity.h"
#include "simulator/firmware.h"

#define OTHER_DESCRIPTORS 16 /* of the process, beside its events */
#define UNITS_PER_JOULE   (1ULL << 32) /* of the event energy-pkg */
#define UJ_PER_JOULE      1000000
#define PERCENT           100
#define NS_PER_MHZ_CYCLE  1000
#define WAIT_STATE        "C0.2"
#define HEADER_WORDS      3 /* number of events, time enabled, time running */

struct sim_event {
	bool is_open;
	enum sim_pmu pmu;
	uint64_t config;
	uint32_t cpu;
	int leader; /* or -1 */
	int next; /* the next member of its group, or -1 */
	int last; /* of a leader: the last member, or itself */
	uint64_t read_format;
	uint64_t opened_ns;
	uint64_t start; /* the counter when it was opened */
};

struct sim_perf {
	struct perf perf;
	struct sim_state *state;
	struct sim_faults *faults;
	struct sim_event *events; /* by handle */
	size_t n_events;
	size_t n_open;
};

static struct sim_perf *of(struct perf *perf)
{
	return (struct sim_perf *)perf;
}

/* Returns the number of the idle state in which user space waits, or ACTIVITY_NO_STATE. */
static uint32_t find_wait_state(const struct sim_platform *platform)
{
	for (uint32_t i = 0; i < platform->n_idle_states; i++) {
		if (strcmp(platform->idle_states[i].name, WAIT_STATE) == 0)
			return i;
	}
	return ACTIVITY_NO_STATE;
}

static bool has_tdp(const struct sim_platform *platform)
{
	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct punit_fuses *fuses = &platform->domains[i].fuses;

		for (uint8_t j = 0; j < fuses->n_levels; j++) {
			if (fuses->levels[j].tdp_w)
				return true;
		}
	}
	return false;
}

bool pmu_exists(const struct sim_platform *platform, enum sim_pmu pmu)
{
	const struct sim_sources *sources = &platform->sources;

	switch (pmu) {
	case SIM_PMU_CPU:
		return sources->cpu && find_wait_state(platform) != ACTIVITY_NO_STATE;
	case SIM_PMU_MSR:
		return sources->msr;
	case SIM_PMU_CSTATE_CORE:
		return sources->cstate_core && platform->has_cpuidle;
	case SIM_PMU_CSTATE_PKG:
		return sources->cstate_pkg && platform->has_cpuidle;
	case SIM_PMU_POWER:
		return sources->power && has_tdp(platform);
	}
	return false;
}

bool pmu_counts_on(const struct sim_state *state, enum sim_pmu pmu, uint32_t cpu)
{
	const struct sim_cpu *cpus = state->platform->cpus;

	if (!state->cpus[cpu].online)
		return false;
	for (uint32_t other = 0; other < cpu; other++) {
		if (state->cpus[other].online && cpus[other].package == cpus[cpu].package &&
		    (pmu != SIM_PMU_CSTATE_CORE || cpus[other].core_id == cpus[cpu].core_id))
			return false;
	}
	return true;
}

static bool is_event(const struct sim_event *event)
{
	switch (event->pmu) {
	case SIM_PMU_CPU:
		return event->config == SIM_EVENT_C01 || event->config == SIM_EVENT_C02;
	case SIM_PMU_MSR:
		return event->config <= SIM_EVENT_MPERF || event->config == SIM_EVENT_SMI;
	case SIM_PMU_CSTATE_CORE:
		return event->config == SIM_EVENT_CORE_C1 || event->config == SIM_EVENT_C6;
	case SIM_PMU_CSTATE_PKG:
		return event->config == SIM_EVENT_C6;
	case SIM_PMU_POWER:
		return event->config == SIM_EVENT_ENERGY_PKG;
	}
	return false;
}

static uint64_t to_ticks(const struct sim_state *state, uint64_t ns)
{
	return workload_scale(ns, firmware_tsc_mhz(state->platform), NS_PER_MHZ_CYCLE);
}

static uint64_t count_msr(const struct sim_state *state, const struct sim_event *event)
{
	const struct sim_cpu_counters *counters = &state->cpu_counters[event->cpu];

	switch (event->config) {
	case SIM_EVENT_TSC:
		return to_ticks(state, state->clock->now_ns);
	case SIM_EVENT_APERF: /* 100 MHz a ratio and 100 percent cancel each other */
		return counters->cycles / NS_PER_MHZ_CYCLE;
	case SIM_EVENT_MPERF:
		return workload_scale(counters->busy, firmware_tsc_mhz(state->platform),
				      (uint64_t)NS_PER_MHZ_CYCLE * PERCENT);
	default:
		return 0; /* nothing raises SMIs */
	}
}

/* The first CPU of a core has the counters of the core, even if it is offline. */
static uint64_t count_core(const struct sim_state *state, const struct sim_event *event)
{
	const struct sim_cpu_counters *counters =
		&state->cpu_counters[state->platform->cpus[event->cpu].first];

	return to_ticks(state, event->config == SIM_EVENT_C6 ? counters->core_c6_ns
							     : counters->core_c1_ns);
}

static uint64_t count_waiting(const struct sim_state *state, const struct sim_event *event)
{
	const struct sim_platform *platform = state->platform;
	const struct sim_idle_counters *idle =
		&state->idle[event->cpu * platform->n_idle_states + find_wait_state(platform)];

	return event->config == SIM_EVENT_C02 ? to_ticks(state, idle->idle_ns + idle->round_ns) : 0;
}

/* Returns what the hardware has counted; the lock is held. The energy of a package is counted on
 * the CPU that the PMU counts on; other CPUs have 0. */
static uint64_t count_event(const struct sim_state *state, const struct sim_event *event)
{
	uint32_t package = state->platform->cpus[event->cpu].package;

	switch (event->pmu) {
	case SIM_PMU_CPU:
		return count_waiting(state, event);
	case SIM_PMU_MSR:
		return count_msr(state, event);
	case SIM_PMU_CSTATE_CORE:
		return count_core(state, event);
	case SIM_PMU_CSTATE_PKG:
		return to_ticks(state, state->package_counters[package].c6_ns);
	case SIM_PMU_POWER:
		return pmu_counts_on(state, event->pmu, event->cpu)
			       ? workload_scale(state->package_counters[package].energy_uj,
						UNITS_PER_JOULE, UJ_PER_JOULE)
			       : 0;
	}
	return 0;
}

/* Checks whether the process may count everything that a CPU does. */
static int check_rights(const struct sim_perf *simulated)
{
	uint32_t paranoid = simulated->state->platform->sources.perf_event_paranoid;

	return paranoid && faults_settings(simulated->faults)->missing_capability ? -EACCES : 0;
}

static int check_group(const struct sim_perf *simulated, const struct sim_event *event)
{
	const struct sim_event *leader;

	if (event->leader < 0)
		return 0;
	if ((size_t)event->leader >= simulated->n_events)
		return -EBADF;
	leader = &simulated->events[event->leader];
	if (!leader->is_open)
		return -EBADF;
	return leader->leader >= 0 || leader->cpu != event->cpu || leader->pmu != event->pmu
		       ? -EINVAL
		       : 0;
}

/* Checks a request, in the same order as the kernel. */
static int check_event(const struct sim_perf *simulated, const struct perf_event_attr *attr,
		       pid_t pid, int cpu, const struct sim_event *event)
{
	const struct sim_state *state = simulated->state;
	bool is_exclusive = attr->exclude_kernel || attr->exclude_user || attr->exclude_hv ||
			    attr->exclude_idle || attr->exclude_host || attr->exclude_guest;
	struct rlimit most;
	int err = check_rights(simulated);

	if (err)
		return err;
	if (pid != -1)
		return -ESRCH; /* processes belong to another machine */
	if (cpu < 0)
		return -EINVAL;
	if ((uint32_t)cpu >= state->platform->n_cpus || !state->cpus[cpu].online)
		return -ENODEV;
	err = check_group(simulated, event);
	if (err)
		return err;
	if (!pmu_exists(state->platform, event->pmu))
		return -ENOENT;
	if (!is_event(event) || (event->pmu != SIM_PMU_CPU && is_exclusive) || attr->sample_period)
		return -EINVAL;
	if (getrlimit(RLIMIT_NOFILE, &most) == 0 &&
	    simulated->n_open + OTHER_DESCRIPTORS >= most.rlim_cur)
		return -EMFILE;
	return 0;
}

static int sim_open(struct perf *perf, const struct perf_event_attr *attr, pid_t pid, int cpu,
		    int group, unsigned long flags)
{
	struct sim_perf *simulated = of(perf);
	struct sim_event event = {
		.is_open = true,
		.pmu = (enum sim_pmu)attr->type,
		.config = attr->config,
		.cpu = (uint32_t)cpu,
		.leader = group,
		.read_format = attr->read_format,
	};
	const struct sim_fault_event fault = { .point = SIM_FAULT_PERF,
					       .cpu = (uint32_t)cpu,
					       .number = attr->type };
	const struct sim_fault_effect effect = faults_apply(simulated->faults, &fault);
	struct sim_event *place;
	int err = effect.error, handle;

	(void)flags;
	if (err)
		return err;
	err = state_lock(simulated->state);
	if (err)
		return err;
	err = check_event(simulated, attr, pid, cpu, &event);
	if (!err) {
		event.opened_ns = simulated->state->clock->now_ns;
		event.start = count_event(simulated->state, &event);
	}
	state_unlock(simulated->state);
	if (err)
		return err;
	place = array_add(&simulated->events, &simulated->n_events, sizeof(*place));
	if (!place)
		return -ENOMEM;
	handle = (int)(place - simulated->events);
	event.next = -1;
	event.last = handle;
	*place = event;
	if (group >= 0) {
		struct sim_event *leader = &simulated->events[group];

		simulated->events[leader->last].next = handle;
		leader->last = handle;
	}
	simulated->n_open++;
	return handle;
}

/* Adds the count of an event and, with PERF_FORMAT_ID, its number. */
static void add_count(const struct sim_perf *simulated, const struct sim_event *event,
		      uint64_t read_format, uint64_t *words, size_t *n_words)
{
	words[(*n_words)++] = count_event(simulated->state, event) - event->start;
	if (read_format & PERF_FORMAT_ID)
		words[(*n_words)++] = (uint64_t)(event - simulated->events) + 1;
}

static size_t count_members(const struct sim_perf *simulated, int handle)
{
	size_t count = 1;

	for (int i = simulated->events[handle].next; i >= 0; i = simulated->events[i].next)
		count += simulated->events[i].is_open;
	return count;
}

/* Makes the words that read(2) returns for an event. In a group the leader is the first. */
static void make_words(const struct sim_perf *simulated, int handle, size_t n_members,
		       uint64_t *words, size_t *n_words)
{
	const struct sim_event *event = &simulated->events[handle];
	uint64_t format = event->read_format;
	uint64_t enabled_ns = simulated->state->clock->now_ns - event->opened_ns;

	if (format & PERF_FORMAT_GROUP)
		words[(*n_words)++] = n_members;
	else
		words[(*n_words)++] = count_event(simulated->state, event) - event->start;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		words[(*n_words)++] = enabled_ns;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		words[(*n_words)++] = enabled_ns;
	if (!(format & PERF_FORMAT_GROUP))
		return;
	add_count(simulated, event, format, words, n_words);
	for (int i = event->next; i >= 0; i = simulated->events[i].next) {
		if (simulated->events[i].is_open)
			add_count(simulated, &simulated->events[i], format, words, n_words);
	}
}

static ssize_t sim_read(struct perf *perf, int handle, void *buffer, size_t size)
{
	struct sim_perf *simulated = of(perf);
	_cleanup_free_ uint64_t *words = NULL;
	size_t n_members, n_words = 0;
	int err;

	if (handle < 0 || (size_t)handle >= simulated->n_events ||
	    !simulated->events[handle].is_open)
		return -EBADF;
	n_members = count_members(simulated, handle);
	words = calloc(HEADER_WORDS + 2 * n_members, sizeof(*words));
	if (!words)
		return -ENOMEM;
	err = state_lock(simulated->state);
	if (err)
		return err;
	make_words(simulated, handle, n_members, words, &n_words);
	state_unlock(simulated->state);
	if (size < n_words * sizeof(*words))
		return -ENOSPC;
	memcpy(buffer, words, n_words * sizeof(*words));
	return (ssize_t)(n_words * sizeof(*words));
}

static void sim_close(struct perf *perf, int handle)
{
	struct sim_perf *simulated = of(perf);

	if (handle < 0 || (size_t)handle >= simulated->n_events ||
	    !simulated->events[handle].is_open)
		return;
	simulated->events[handle].is_open = false;
	simulated->n_open--;
	/* a handle can be used again only when no group has it as a member */
	if (simulated->n_open == 0)
		simulated->n_events = 0;
}

static const struct perf_ops sim_ops = {
	.open = sim_open,
	.read = sim_read,
	.close = sim_close,
};

int pmu_open(struct sim_state *state, struct sim_faults *faults, struct perf **ret_perf)
{
	struct sim_perf *simulated = calloc(1, sizeof(*simulated));

	if (!simulated)
		return -ENOMEM;
	*simulated = (struct sim_perf){
		.perf = { .ops = &sim_ops },
		.state = state,
		.faults = faults,
	};
	*ret_perf = &simulated->perf;
	return 0;
}

void pmu_close(struct perf *perf)
{
	if (!perf)
		return;
	free(of(perf)->events);
	free(of(perf));
}
