// SPDX-License-Identifier: GPL-2.0-only
/* Finds the frequency and power of busy CPUs, separately for each package. Cores are those of
 * sysfs. A CPU that idles in C0 is as active as a CPU with a load. */
#include "simulator/activity.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "simulator/firmware.h"
#include "simulator/power.h"

#define CLOS_WEIGHT_SHIFT 4
#define MW_PER_W          1000
#define PERCENT           100
#define NO_LATENCY        (-1) /* a wake-up latency limit of 0 */

/* An active core of a package. */
struct active_core {
	uint32_t core_id;
	uint32_t cpu; /* its lowest active CPU */
	uint32_t last_cpu; /* its highest active CPU; a core has at most two threads */
	unsigned int load_percent; /* of its loads; 0: none */
	unsigned int spin_percent; /* of its idle states */
	unsigned int isa; /* turbo-ratio level */
	struct firmware_limits limits;
};

struct package_work {
	const struct sim_state *state;
	uint32_t package;
	struct workload_package model; /* model.cores[i] is cores[i] below */
	struct active_core *cores;
	uint8_t power_reason; /* SIM_LIMITED_BY_* of the power limit */
};

static bool is_of_package(const struct sim_state *state, size_t domain, uint32_t package)
{
	return state->platform->domains[domain].package == package;
}

uint32_t activity_tdp_mw(const struct sim_state *state, uint32_t package)
{
	uint32_t most_w = 0;

	for (size_t i = 0; i < state->platform->n_domains; i++) {
		const struct punit_level *level = firmware_level(state, i);

		if (is_of_package(state, i, package) && level && level->tdp_w > most_w)
			most_w = level->tdp_w;
	}
	return most_w * MW_PER_W;
}

uint32_t activity_idle_state(const struct sim_state *state, uint32_t cpu, uint64_t sleep_ns)
{
	const struct sim_platform *platform = state->platform;
	const struct sim_cpu_state *settings = &state->cpus[cpu];
	uint32_t found = ACTIVITY_NO_STATE;

	for (uint32_t i = 0; i < platform->n_idle_states; i++) {
		const struct sim_idle_state *idle = &platform->idle_states[i];
		bool is_worth_it = (uint64_t)idle->residency_us * NS_PER_US <= sleep_ns;
		bool is_quick =
			settings->resume_latency_us == 0 ||
			(settings->resume_latency_us == NO_LATENCY
				 ? idle->latency_us == 0
				 : idle->latency_us <= (uint32_t)settings->resume_latency_us);

		if (settings->idle_disabled >> i & 1 || !is_quick)
			continue;
		if (is_worth_it || found == ACTIVITY_NO_STATE)
			found = i;
	}
	return found;
}

static int compare_cores(const void *left, const void *right)
{
	return number_compare(((const struct active_core *)left)->core_id,
			      ((const struct active_core *)right)->core_id);
}

/* Returns the load percentage of an idle CPU that stays in C0, or 0. */
static unsigned int find_spin_percent(const struct package_work *work, uint32_t cpu)
{
	uint32_t idle_state = activity_idle_state(work->state, cpu, USUAL_SLEEP_NS);
	unsigned int parts;

	if (idle_state == ACTIVITY_NO_STATE)
		return 0;
	parts = workload_spin_percent(work->state->platform->idle_states[idle_state].name);
	return parts ? parts * workload_load_percent(LOAD_SCALAR, &work->model.fuses) / PERCENT : 0;
}

static unsigned int higher(unsigned int one, unsigned int other)
{
	return one > other ? one : other;
}

/* Returns the core of a CPU in the list, which is added if it is new; NULL: no memory. */
static struct active_core *find_core(struct package_work *work, uint32_t cpu)
{
	uint32_t core_id = work->state->platform->cpus[cpu].core_id;
	struct active_core *core;

	for (size_t i = work->model.n_cores; i > 0; i--) {
		if (work->cores[i - 1].core_id == core_id)
			return &work->cores[i - 1];
	}
	core = array_add(&work->cores, &work->model.n_cores, sizeof(*core));
	if (core)
		*core = (struct active_core){ .core_id = core_id, .cpu = cpu };
	return core;
}

static bool has_load(const struct sim_state *state, uint32_t cpu)
{
	return state->loads && state->loads[cpu].is_busy;
}

/* Lists the active cores of the package in ascending order. Of threads with different loads the
 * heaviest load counts. */
static int list_cores(struct package_work *work)
{
	const struct sim_state *state = work->state;
	const struct sim_platform *platform = state->platform;

	for (uint32_t cpu = 0; cpu < platform->n_cpus; cpu++) {
		bool is_loaded = has_load(state, cpu);
		unsigned int spin_percent = 0;
		struct active_core *core;
		enum load_kind kind;

		if (platform->cpus[cpu].package != work->package || !state->cpus[cpu].online)
			continue;
		if (!is_loaded)
			spin_percent = find_spin_percent(work, cpu);
		if (!is_loaded && !spin_percent)
			continue;
		core = find_core(work, cpu);
		if (!core)
			return -ENOMEM;
		core->last_cpu = cpu;
		core->spin_percent = higher(core->spin_percent, spin_percent);
		if (!is_loaded)
			continue;
		kind = state->loads[cpu].figures.kind;
		core->load_percent =
			higher(core->load_percent, workload_load_percent(kind, &work->model.fuses));
		core->isa = higher(core->isa, firmware_isa(state, cpu, kind));
	}
	if (work->model.n_cores)
		qsort(work->cores, work->model.n_cores, sizeof(*work->cores), compare_cores);
	return 0;
}

/* Returns the limits of a core. Its threads can have different limits; the highest one applies. */
static struct firmware_limits find_limits(const struct package_work *work,
					  const struct active_core *core,
					  const struct firmware_counts *counts)
{
	struct firmware_limits first = firmware_find(work->state, core->cpu, core->isa, counts);
	struct firmware_limits last = firmware_find(work->state, core->last_cpu, core->isa, counts);

	return last.cap > first.cap ? last : first;
}

static int make_cores(struct package_work *work)
{
	const struct sim_state *state = work->state;
	struct firmware_counts counts = { 0 };

	work->model.cores = calloc(work->model.n_cores + 1, sizeof(*work->model.cores));
	if (!work->model.cores)
		return -ENOMEM;
	for (size_t i = 0; i < work->model.n_cores; i++)
		firmware_count(state, work->cores[i].cpu, &counts);
	for (size_t i = 0; i < work->model.n_cores; i++) {
		struct active_core *active = &work->cores[i];
		int clos = firmware_clos(state, active->cpu);
		const struct punit_state *punit =
			&state->punits[state->platform->cpus[active->cpu].domain];

		active->limits = find_limits(work, active, &counts);
		work->model.cores[i] = (struct workload_core){
			.load_percent = active->load_percent ?: active->spin_percent,
			.cap_ratio = active->limits.cap,
			.floor_ratio = active->limits.floor,
			.lowest_ratio = active->limits.lowest,
			.clos = (uint8_t)(clos < 0 ? 0 : clos),
			.weight = clos < 0 ? 0 : punit->clos[clos] >> CLOS_WEIGHT_SHIFT & 0xf,
		};
	}
	return 0;
}

/* Returns how SST-CP shares the power limit: the first power domain with SST-CP on decides. */
static enum workload_sharing find_sharing(const struct sim_state *state, uint32_t package)
{
	const struct sim_platform *platform = state->platform;

	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct punit_state *punit = &state->punits[i];

		if (is_of_package(state, i, package) && firmware_level(state, i) &&
		    !cpuset_is_empty(&platform->domains[i].cores) && punit->clos_enabled)
			return punit->clos_ordered ? WORKLOAD_ORDERED : WORKLOAD_PROPORTIONAL;
	}
	return WORKLOAD_FASTEST_LOSES;
}

static void take_results(const struct package_work *work, struct sim_activity *activity)
{
	const struct workload_package *package = &work->model;
	const struct sim_state *state = work->state;
	const struct sim_platform *platform = state->platform;

	activity->packages[work->package] = (struct sim_package_activity){
		.tdp_mw = package->tdp_mw,
		.power_mw = package->power_mw,
	};
	for (uint32_t cpu = 0; work->model.n_cores && cpu < platform->n_cpus; cpu++) {
		const struct active_core key = { .core_id = platform->cpus[cpu].core_id };
		const struct active_core *core;
		const struct workload_core *result;
		bool is_loaded = has_load(state, cpu);

		if (platform->cpus[cpu].package != work->package || !state->cpus[cpu].online)
			continue;
		core = bsearch(&key, work->cores, work->model.n_cores, sizeof(*core),
			       compare_cores);
		if (!core || !(is_loaded || find_spin_percent(work, cpu)))
			continue;
		result = &package->cores[core - work->cores];
		activity->cpus[cpu] = (struct sim_cpu_activity){
			.ratio = result->ratio,
			.busy_percent = PERCENT,
			.is_idle = !is_loaded,
			.limits = (result->ratio < result->cap_ratio ? work->power_reason : 0) |
				  (core->limits.is_turbo ? SIM_LIMITED_BY_TURBO : 0),
		};
		if (is_loaded)
			activity->cpus[cpu].busy_percent =
				(uint8_t)workload_busy_percent(state->loads[cpu].figures.kind);
	}
}

static int find_package(const struct sim_state *state, uint32_t package,
			struct sim_activity *activity)
{
	struct package_work work = {
		.state = state,
		.package = package,
		.model = {
			.fuses = firmware_package_fuses(state, package),
			.sharing = find_sharing(state, package),
			.tdp_mw = activity_tdp_mw(state, package),
			.limit_mw = sim_power_limit_mw(state, package),
		},
		.power_reason = SIM_LIMITED_BY_POWER,
	};
	int err = list_cores(&work);

	if (sim_power_is_capped(state, package, work.model.tdp_mw)) {
		work.model.limit_mw = state->power_cap_w * MW_PER_W;
		work.power_reason = SIM_LIMITED_BY_CAP;
	}
	if (!err)
		err = make_cores(&work);
	if (!err) {
		workload_settle(&work.model);
		take_results(&work, activity);
	}
	free(work.model.cores);
	free(work.cores);
	return err;
}

int activity_find(const struct sim_state *state, struct sim_activity *ret_activity)
{
	const struct sim_platform *platform = state->platform;
	struct sim_activity activity = {
		.cpus = calloc(platform->n_cpus + 1, sizeof(*activity.cpus)),
		.packages = calloc(platform->n_packages + 1, sizeof(*activity.packages)),
	};
	int err = activity.cpus && activity.packages ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < platform->n_packages && !err; i++)
		err = find_package(state, i, &activity);
	if (err) {
		activity_done(&activity);
		return err;
	}
	*ret_activity = activity;
	return 0;
}

void activity_done(struct sim_activity *activity)
{
	free(activity->cpus);
	free(activity->packages);
	*activity = (struct sim_activity){ 0 };
}
