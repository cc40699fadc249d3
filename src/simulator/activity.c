// SPDX-License-Identifier: GPL-2.0-only
/* What the busy CPUs of a simulated machine have: each package on its own. Cores are those of
 * sysfs; the highest frequency of a core is that of the predictor that commands use, with the
 * settings of the machine. */
#include "simulator/activity.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "simulator/sysfs/sysfs.h"
#include "sst/predict.h"

#define CLOS_WEIGHT_SHIFT 4
#define CLOS_MIN_SHIFT    8
#define CLOS_MAX_SHIFT    16
#define MODULE_BUCKETS    3 /* the most that counts of modules use */
#define MODULE_VERSION    2 /* of SST-PP */
#define MW_PER_W          1000
#define NO_LATENCY        (-1) /* a wake-up latency limit of 0 */

/* An active core of a package, and what of it is about the predictor. */
struct active_core {
	uint32_t core_id;
	uint32_t cpu; /* its lowest busy one */
	uint32_t last_cpu; /* its highest busy one: a core has two threads at most */
	unsigned int load_percent;
	unsigned int trl_level;
	struct frequency_prediction prediction;
};

struct package_work {
	const struct sim_state *state;
	uint32_t package;
	struct active_core *cores;
	size_t n_cores;
	struct sst_level *levels; /* by domain of the platform */
};

static const struct punit_level *current_level(const struct sim_state *state, size_t domain)
{
	return punit_find_level(&state->platform->domains[domain].fuses,
				state->punits[domain].current_level);
}

static bool is_of_package(const struct sim_state *state, size_t domain, uint32_t package)
{
	return state->platform->domains[domain].package == package;
}

uint32_t activity_tdp_mw(const struct sim_state *state, uint32_t package)
{
	uint32_t most_w = 0;

	for (size_t i = 0; i < state->platform->n_domains; i++) {
		const struct punit_level *level = current_level(state, i);

		if (is_of_package(state, i, package) && level && level->tdp_w > most_w)
			most_w = level->tdp_w;
	}
	return most_w * MW_PER_W;
}

uint32_t activity_tsc_mhz(const struct sim_platform *platform)
{
	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct punit_level *level = punit_find_level(&platform->domains[i].fuses, 0);

		if (level && level->base_ratio_sse)
			return level->base_ratio_sse * MHZ_PER_RATIO;
	}
	return platform->has_cpufreq ? platform->cpufreq.base_khz / 1000 : 1000;
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

static void take_buckets(const uint8_t *ratios, uint32_t *mhz)
{
	for (unsigned int i = 0; i < PUNIT_BUCKETS; i++)
		mhz[i] = ratios[i] * MHZ_PER_RATIO;
}

/* Makes what the driver reports of the current level of a domain. */
static void make_level(const struct sim_state *state, size_t domain, struct sst_level *level)
{
	const struct sim_platform *platform = state->platform;
	const struct sim_domain *about = &platform->domains[domain];
	const struct punit_level *of = current_level(state, domain);
	uint64_t counts = state->packages[about->package].turbo_ratio_limit_cores;

	if (!of)
		return;
	level->base_mhz = of->base_ratio_sse * MHZ_PER_RATIO;
	level->base_avx2_mhz = of->base_ratio_avx2 * MHZ_PER_RATIO;
	level->base_avx512_mhz = of->base_ratio_avx512 * MHZ_PER_RATIO;
	for (unsigned int i = 0; i < PUNIT_BUCKETS; i++)
		level->turbo.core_counts[i] = sst_byte(counts, i);
	for (unsigned int i = 0; i < of->n_turbo_rows; i++)
		take_buckets(of->turbo_ratios[i], level->turbo.mhz[i]);
	if (of->has_base_freq) {
		level->base_freq.high_mhz = of->base_freq.high_ratio * MHZ_PER_RATIO;
		level->base_freq.low_mhz = of->base_freq.low_ratio * MHZ_PER_RATIO;
	}
	if (!of->has_turbo_freq)
		return;
	for (unsigned int i = 0; i < PUNIT_BUCKETS; i++)
		level->turbo_freq.buckets.core_counts[i] = of->turbo_freq.core_counts[i];
	for (unsigned int i = 0; i < of->turbo_freq.n_rows; i++)
		take_buckets(of->turbo_freq.ratios[i], level->turbo_freq.buckets.mhz[i]);
	for (unsigned int i = 0; i < of->turbo_freq.n_clips; i++)
		level->turbo_freq.clip_mhz[i] = of->turbo_freq.clip_ratios[i] * MHZ_PER_RATIO;
	level->turbo_freq.counts_modules = platform->interface == SIM_INTERFACE_TPMI &&
					   about->fuses.pp_version >= MODULE_VERSION &&
					   !of->turbo_freq.core_counts[MODULE_BUCKETS];
}

/* The word of the CLOS that a CPU is in, or NULL if SST-CP is off. */
static const uint32_t *find_clos(const struct sim_state *state, uint32_t cpu, uint32_t *ret_clos)
{
	const struct punit_state *punit = &state->punits[state->platform->cpus[cpu].domain];

	if (!punit->clos_enabled)
		return NULL;
	*ret_clos = punit->association[platform_file_core(state->platform, cpu)] % PUNIT_CLOS_COUNT;
	return &punit->clos[*ret_clos];
}

static struct frequency_inputs make_inputs(const struct package_work *work, uint32_t cpu)
{
	const struct sim_state *state = work->state;
	const struct sim_platform *platform = state->platform;
	size_t domain = platform->cpus[cpu].domain;
	const struct punit_state *punit = &state->punits[domain];
	const struct punit_level *level = current_level(state, domain);
	uint32_t core = platform_file_core(platform, cpu), clos = 0, max;
	const uint32_t *word = find_clos(state, cpu, &clos);
	struct frequency_inputs inputs = {
		.turbo_off = state->machine->no_turbo,
		.level = level ? &work->levels[domain] : NULL,
		.has_trl = platform->has_msrs,
		.trl = state->packages[work->package].turbo_ratio_limit,
		.has_clos = word,
		.clos = clos,
	};

	if (platform->has_cpufreq) {
		inputs.lowest_khz = platform->cpufreq.min_khz;
		inputs.highest_khz = sysfs_highest_khz(platform, cpu);
		inputs.base_khz = sysfs_base_khz(state, cpu);
		inputs.max_khz = state->cpus[platform->cpus[cpu].policy].scaling_max_khz;
		inputs.max_percent = state->machine->max_percent;
	}
	if (level && punit->base_freq_on && level->has_base_freq) {
		inputs.base_freq_on = true;
		inputs.is_base_freq_core = core < 64 && level->base_freq.core_mask >> core & 1;
	}
	inputs.turbo_freq_on = level && level->has_turbo_freq && punit->turbo_freq_on && word;
	if (word) {
		max = sst_byte(*word, CLOS_MAX_SHIFT / 8);
		inputs.clos_min_mhz = sst_byte(*word, CLOS_MIN_SHIFT / 8) * MHZ_PER_RATIO;
		inputs.clos_max_mhz = max == SST_RATIO_UNLIMITED ? 0 : max * MHZ_PER_RATIO;
	}
	return inputs;
}

static int compare_cores(const void *left, const void *right)
{
	uint32_t left_id = ((const struct active_core *)left)->core_id;
	uint32_t right_id = ((const struct active_core *)right)->core_id;

	return left_id < right_id ? -1 : left_id > right_id;
}

static void find_bases(const struct sst_level *level, uint8_t bases[WORKLOAD_BASES])
{
	for (unsigned int i = 0; i < WORKLOAD_BASES; i++)
		bases[i] = (uint8_t)(frequency_base_mhz(level, i) / MHZ_PER_RATIO);
}

/* Lists the active cores of the package by their numbers; of threads with different loads the
 * heavier one counts. */
static int list_cores(struct package_work *work)
{
	const struct sim_state *state = work->state;
	const struct sim_platform *platform = state->platform;

	for (uint32_t cpu = 0; cpu < platform->n_cpus; cpu++) {
		const struct sim_cpu *about = &platform->cpus[cpu];
		const struct sim_load *load = &state->loads[cpu];
		struct active_core *core = NULL;
		unsigned int percent, trl_level;
		uint8_t bases[WORKLOAD_BASES];

		if (about->package != work->package || !load->is_busy || !state->cpus[cpu].online)
			continue;
		for (size_t i = work->n_cores; i > 0 && !core; i--) {
			if (work->cores[i - 1].core_id == about->core_id)
				core = &work->cores[i - 1];
		}
		if (!core) {
			core = array_add(&work->cores, &work->n_cores, sizeof(*core));
			if (!core)
				return -ENOMEM;
			core->core_id = about->core_id;
			core->cpu = cpu;
		}
		core->last_cpu = cpu;
		find_bases(&work->levels[about->domain], bases);
		percent = workload_load_percent(load->figures.kind, bases);
		trl_level = workload_trl_level(load->figures.kind);
		core->load_percent = percent > core->load_percent ? percent : core->load_percent;
		core->trl_level = trl_level > core->trl_level ? trl_level : core->trl_level;
	}
	if (work->n_cores)
		qsort(work->cores, work->n_cores, sizeof(*work->cores), compare_cores);
	return 0;
}

/* Counts the active cores, and those with high priority in the unit of the buckets: the cores of a
 * module follow one another. */
static struct frequency_activity count_cores(const struct package_work *work)
{
	const struct sim_platform *platform = work->state->platform;
	struct frequency_activity activity = { 0 };
	uint32_t last_domain = UINT32_MAX, last_core = UINT32_MAX, clos, last_unit[2] = { 0 };

	for (size_t i = 0; i < work->n_cores; i++) {
		uint32_t cpu = work->cores[i].cpu, domain = platform->cpus[cpu].domain;
		uint32_t core = platform_file_core(platform, cpu);

		if (i == 0 || last_unit[0] != domain || last_unit[1] != core)
			activity.units[FREQUENCY_BY_PACKAGE]++;
		activity.units[FREQUENCY_BY_DOMAIN] = activity.units[FREQUENCY_BY_PACKAGE];
		last_unit[0] = domain;
		last_unit[1] = core;
		if (!find_clos(work->state, cpu, &clos) || clos > FREQUENCY_HIGHEST_CLOS ||
		    (work->levels[domain].turbo_freq.counts_modules && domain == last_domain &&
		     core == last_core))
			continue;
		activity.high_units++;
		last_domain = domain;
		last_core = core;
	}
	return activity;
}

/* At least 1; without any limit, the ratio of the time-stamp counter. */
static uint8_t to_ratio(const struct package_work *work, uint32_t khz)
{
	uint32_t ratio =
		khz ? khz / KHZ_PER_RATIO : activity_tsc_mhz(work->state->platform) / MHZ_PER_RATIO;

	if (ratio > UINT8_MAX)
		return UINT8_MAX;
	return ratio ? (uint8_t)ratio : 1;
}

/* Predicts for a core: its threads can have limits of their own, and the highest holds for it. */
static struct frequency_prediction predict_core(const struct package_work *work,
						const struct active_core *core,
						const struct frequency_activity *activity)
{
	struct frequency_inputs inputs = make_inputs(work, core->cpu);
	struct frequency_inputs last_inputs = make_inputs(work, core->last_cpu);
	struct frequency_prediction first = frequency_predict(&inputs, core->trl_level, activity);
	struct frequency_prediction last =
		frequency_predict(&last_inputs, core->trl_level, activity);

	return last.cap_khz > first.cap_khz ? last : first;
}

/* Makes the cores of the model. */
static void make_cores(struct package_work *work, struct workload_package *package)
{
	const struct sim_state *state = work->state;
	struct frequency_activity activity = count_cores(work);

	for (size_t i = 0; i < work->n_cores; i++) {
		struct active_core *active = &work->cores[i];
		struct workload_core *core = &package->cores[i];
		uint32_t clos = 0;
		const uint32_t *word = find_clos(state, active->cpu, &clos);

		active->prediction = predict_core(work, active, &activity);
		*core = (struct workload_core){
			.load_percent = active->load_percent,
			.cap_ratio = to_ratio(work, active->prediction.cap_khz),
			.clos = (uint8_t)clos,
			.weight = word ? *word >> CLOS_WEIGHT_SHIFT & 0xf : 0,
		};
		core->lowest_ratio = (uint8_t)(active->prediction.khz[FREQUENCY_LOWEST_POSSIBLE] /
					       KHZ_PER_RATIO);
		if (!core->lowest_ratio)
			core->lowest_ratio = 1;
		if (core->lowest_ratio > core->cap_ratio)
			core->lowest_ratio = core->cap_ratio;
		core->floor_ratio = (uint8_t)(active->prediction.floor_khz / KHZ_PER_RATIO);
		if (core->floor_ratio < core->lowest_ratio)
			core->floor_ratio = core->lowest_ratio;
	}
}

/* Fills in what the package as a whole has: the power limit of the level, and how SST-CP shares. */
static void take_package(const struct package_work *work, struct workload_package *package)
{
	const struct sim_state *state = work->state;
	const struct sim_platform *platform = state->platform;
	uint16_t most_w = 0;

	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct punit_state *punit = &state->punits[i];
		const struct punit_level *level = current_level(state, i);

		if (!is_of_package(state, i, work->package) || !level ||
		    cpuset_is_empty(&platform->domains[i].cores))
			continue;
		package->enabled_cores += (uint32_t)__builtin_popcountll(level->core_mask) *
					  platform->cores_per_module;
		if (level->tdp_w > most_w) {
			most_w = level->tdp_w;
			package->base_ratio = level->base_ratio_sse;
		}
		if (punit->clos_enabled && package->sharing == WORKLOAD_FASTEST_LOSES)
			package->sharing =
				punit->clos_ordered ? WORKLOAD_ORDERED : WORKLOAD_PROPORTIONAL;
	}
	package->tdp_mw = activity_tdp_mw(state, work->package);
}

static void take_results(const struct package_work *work, const struct workload_package *package,
			 struct sim_activity *activity)
{
	const struct sim_state *state = work->state;
	const struct sim_platform *platform = state->platform;

	activity->packages[work->package] = (struct sim_package_activity){
		.tdp_mw = package->tdp_mw,
		.power_mw = package->power_mw,
	};
	for (uint32_t cpu = 0; state->loads && cpu < platform->n_cpus; cpu++) {
		const struct active_core key = { .core_id = platform->cpus[cpu].core_id };
		const struct active_core *core;
		const struct workload_core *result;
		uint8_t limits = 0;

		if (platform->cpus[cpu].package != work->package || !state->loads[cpu].is_busy ||
		    !state->cpus[cpu].online)
			continue;
		core = bsearch(&key, work->cores, work->n_cores, sizeof(*core), compare_cores);
		result = &package->cores[core - work->cores];
		if (result->lost_to_power)
			limits |= SIM_LIMITED_BY_POWER;
		if (core->prediction.cap_by == FREQUENCY_TURBO_RATIO_LIMIT ||
		    core->prediction.cap_by == FREQUENCY_TURBO_FREQ_BUCKET ||
		    core->prediction.cap_by == FREQUENCY_TURBO_FREQ_CLIP)
			limits |= SIM_LIMITED_BY_TURBO;
		activity->cpus[cpu] = (struct sim_cpu_activity){
			.ratio = result->ratio,
			.busy_percent =
				(uint8_t)workload_busy_percent(state->loads[cpu].figures.kind),
			.limits = limits,
		};
	}
}

static int find_package(const struct sim_state *state, uint32_t package, struct sst_level *levels,
			struct sim_activity *activity)
{
	_cleanup_free_ struct workload_core *cores = NULL;
	struct package_work work = { .state = state, .package = package, .levels = levels };
	struct workload_package model = { 0 };
	int err = state->loads ? list_cores(&work) : 0;

	if (!err) {
		cores = calloc(work.n_cores + 1, sizeof(*cores));
		err = cores ? 0 : -ENOMEM;
	}
	if (!err) {
		model.cores = cores;
		model.n_cores = work.n_cores;
		take_package(&work, &model);
		make_cores(&work, &model);
		workload_settle(&model);
		take_results(&work, &model, activity);
	}
	free(work.cores);
	return err;
}

int activity_find(const struct sim_state *state, struct sim_activity *ret_activity)
{
	const struct sim_platform *platform = state->platform;
	_cleanup_free_ struct sst_level *levels = calloc(platform->n_domains + 1, sizeof(*levels));
	struct sim_activity activity = {
		.cpus = calloc(platform->n_cpus + 1, sizeof(*activity.cpus)),
		.packages = calloc(platform->n_packages + 1, sizeof(*activity.packages)),
	};
	int err = levels && activity.cpus && activity.packages ? 0 : -ENOMEM;

	for (size_t i = 0; i < platform->n_domains && !err; i++)
		make_level(state, i, &levels[i]);
	for (uint32_t i = 0; i < platform->n_packages && !err; i++)
		err = find_package(state, i, levels, &activity);
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
