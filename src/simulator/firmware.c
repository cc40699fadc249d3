// SPDX-License-Identifier: GPL-2.0-only
/* Finds what the firmware of a simulated machine allows a busy core, from the platform file and the
 * settings. No public document says whether the turbo-ratio tables of TPMI parts count cores of the
 * power domain or of the package. The platform file decides ("turbo-counts"). */
#include "simulator/firmware.h"

#include "simulator/sysfs/sysfs.h"

#define PERCENT          100
#define HIGHEST_CLOS     1 /* of high priority for SST-TF */
#define OPEN_RATIO       UINT8_MAX /* no limit */
#define CLOS_MIN_SHIFT   8
#define CLOS_MAX_SHIFT   16
#define ISA_SSE          0
#define ISA_AVX2         1
#define ISA_AVX512       2
#define ISA_AVX512_HEAVY 3
#define INTEL_FAMILY     6
#define EMERALD_RAPIDS   0xcf
#define MODULE_BUCKETS   3 /* tables that count modules use no more */
#define MODULE_VERSION   2 /* of SST-PP */
#define LARGEST_RATIO    254

static bool is_tpmi(const struct sim_platform *platform)
{
	return platform->interface == SIM_INTERFACE_TPMI;
}

const struct punit_level *firmware_level(const struct sim_state *state, size_t domain)
{
	return punit_find_level(&state->platform->domains[domain].fuses,
				state->punits[domain].current_level);
}

uint32_t firmware_tsc_mhz(const struct sim_platform *platform)
{
	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct punit_level *level = punit_find_level(&platform->domains[i].fuses, 0);

		if (level && level->base_ratio_sse)
			return level->base_ratio_sse * MHZ_PER_RATIO;
	}
	return platform->has_cpufreq ? platform->cpufreq.base_khz / 1000 : 1000;
}

int firmware_clos(const struct sim_state *state, uint32_t cpu)
{
	const struct punit_state *punit = &state->punits[state->platform->cpus[cpu].domain];
	uint32_t core = platform_file_core(state->platform, cpu);

	return punit->clos_enabled ? punit->association[core] % PUNIT_CLOS_COUNT : -1;
}

static bool is_high_priority(const struct sim_state *state, uint32_t cpu)
{
	int clos = firmware_clos(state, cpu);

	return clos >= 0 && clos <= HIGHEST_CLOS;
}

/* Returns SST-TF of the level if it is on, else NULL. SST-TF needs the priorities of SST-CP. */
static const struct punit_turbo_freq *find_turbo_freq(const struct sim_state *state, uint32_t cpu)
{
	size_t domain = state->platform->cpus[cpu].domain;
	const struct punit_level *level = firmware_level(state, domain);
	bool is_on = state->punits[domain].turbo_freq_on && firmware_clos(state, cpu) >= 0;

	return is_on && level && level->has_turbo_freq ? &level->turbo_freq : NULL;
}

uint32_t firmware_highest_khz(const struct sim_state *state, uint32_t cpu)
{
	const struct sim_platform *platform = state->platform;
	const struct punit_turbo_freq *turbo_freq = find_turbo_freq(state, cpu);
	uint32_t khz = platform->has_cpufreq ? platform->cpufreq.max_khz : 0, bucket_khz;

	if (platform->is_hybrid && cpuset_has(&platform->efficient, cpu))
		return platform->efficient_max_khz;
	if (!khz || !turbo_freq || !is_high_priority(state, cpu))
		return khz;
	bucket_khz = turbo_freq->ratios[ISA_SSE][0] * (uint32_t)KHZ_PER_RATIO;
	return bucket_khz > khz ? bucket_khz : khz;
}

/* Counting. */

void firmware_count(const struct sim_state *state, uint32_t cpu, struct firmware_counts *counts)
{
	const struct sim_domain *domain =
		&state->platform->domains[state->platform->cpus[cpu].domain];
	uint32_t core = platform_file_core(state->platform, cpu);

	counts->active[domain->index][core / 64] |= UINT64_C(1) << core % 64;
	if (!is_high_priority(state, cpu))
		return;
	counts->high[domain->index][core / 64] |= UINT64_C(1) << core % 64;
	counts->high_cores++;
}

static uint32_t count_bits(const uint64_t *words, size_t n_words)
{
	uint32_t count = 0;

	for (size_t i = 0; i < n_words; i++)
		count += (uint32_t)__builtin_popcountll(words[i]);
	return count;
}

static uint32_t count_of_package(const uint64_t words[FIRMWARE_DOMAINS][FIRMWARE_CORE_WORDS])
{
	return count_bits(&words[0][0], (size_t)FIRMWARE_DOMAINS * FIRMWARE_CORE_WORDS);
}

/* Returns the bucket for this number of active cores: the first one that is large enough, else the
 * last one that is used; -1: none is used. */
static int find_bucket(const uint32_t counts[PUNIT_BUCKETS], uint32_t active)
{
	int last = -1;

	for (int i = 0; i < PUNIT_BUCKETS; i++) {
		if (counts[i] && active <= counts[i])
			return i;
		if (counts[i])
			last = i;
	}
	return last;
}

/* Finds the core counts of a package's turbo-ratio buckets: on mailbox parts those of MSR 0x1AE, on
 * TPMI parts the sums of its compute domains. */
static void sum_counts(const struct sim_state *state, uint32_t package,
		       uint32_t counts[PUNIT_BUCKETS])
{
	const struct sim_platform *platform = state->platform;
	uint64_t msr = state->packages[package].turbo_ratio_limit_cores;

	for (unsigned int i = 0; i < PUNIT_BUCKETS && !is_tpmi(platform); i++)
		counts[i] = (uint8_t)(msr >> 8 * i);
	for (size_t i = 0; i < platform->n_domains && is_tpmi(platform); i++) {
		const struct sim_domain *domain = &platform->domains[i];
		const struct punit_level *level = firmware_level(state, i);

		if (domain->package != package || !level || cpuset_is_empty(&domain->cores))
			continue;
		for (unsigned int j = 0; j < PUNIT_BUCKETS; j++)
			counts[j] += level->turbo_core_counts[j];
	}
}

/* Returns the bucket of the turbo-ratio limits that applies to a CPU, or -1. */
static int find_turbo_bucket(const struct sim_state *state, uint32_t cpu,
			     const struct firmware_counts *counts)
{
	const struct sim_platform *platform = state->platform;
	const struct sim_cpu *about = &platform->cpus[cpu];
	const struct punit_level *level = firmware_level(state, about->domain);
	uint32_t table[PUNIT_BUCKETS] = { 0 };

	if (platform->turbo_counts == SIM_COUNTS_PACKAGE) {
		sum_counts(state, about->package, table);
		return find_bucket(table, count_of_package(counts->active));
	}
	for (unsigned int i = 0; i < PUNIT_BUCKETS && level; i++)
		table[i] = level->turbo_core_counts[i];
	return find_bucket(table, count_bits(counts->active[platform->domains[about->domain].index],
					     FIRMWARE_CORE_WORDS));
}

/* Returns the ratio of a bucket in a row of a table. In a shorter row the last bucket applies.
 * OPEN_RATIO: the table has no such row. */
static uint8_t find_ratio(const uint8_t rows[][PUNIT_BUCKETS], unsigned int n_rows,
			  unsigned int isa, int bucket)
{
	while (isa < n_rows && bucket >= 0) {
		if (rows[isa][bucket])
			return rows[isa][bucket];
		bucket--;
	}
	return OPEN_RATIO;
}

static uint8_t lower(uint8_t one, uint8_t other)
{
	return one < other ? one : other;
}

/* Returns the bucket of SST-TF for the active high-priority cores; -1: they are too many for every
 * bucket. */
static int find_high_bucket(const struct sim_state *state, uint32_t cpu,
			    const struct punit_turbo_freq *turbo_freq,
			    const struct firmware_counts *counts)
{
	const struct sim_platform *platform = state->platform;
	const struct sim_domain *domain = &platform->domains[platform->cpus[cpu].domain];
	bool counts_modules = is_tpmi(platform) && domain->fuses.pp_version >= MODULE_VERSION &&
			      !turbo_freq->core_counts[MODULE_BUCKETS];
	uint32_t active = counts_modules ? count_of_package(counts->high) : counts->high_cores;

	for (int i = 0; i < PUNIT_BUCKETS; i++) {
		if (turbo_freq->core_counts[i] && active <= turbo_freq->core_counts[i])
			return i;
	}
	return -1;
}

/* Returns the limit of turbo: of the table of the level or, with SST-TF on, of its bucket or clip
 * frequency. The limit is never above MSR 0x1AD. */
static uint8_t find_turbo(const struct sim_state *state, uint32_t cpu, unsigned int isa,
			  const struct firmware_counts *counts)
{
	const struct sim_cpu *about = &state->platform->cpus[cpu];
	const struct punit_level *level = firmware_level(state, about->domain);
	const struct punit_turbo_freq *turbo_freq = find_turbo_freq(state, cpu);
	int bucket = find_turbo_bucket(state, cpu, counts), high_bucket = -1;
	uint8_t table = OPEN_RATIO, replaced = OPEN_RATIO, msr = OPEN_RATIO;

	if (level)
		table = find_ratio(level->turbo_ratios, level->n_turbo_rows, isa, bucket);
	if (turbo_freq && is_high_priority(state, cpu)) {
		high_bucket = find_high_bucket(state, cpu, turbo_freq, counts);
		replaced = find_ratio(turbo_freq->ratios, turbo_freq->n_rows, isa, high_bucket);
	} else if (turbo_freq && isa < turbo_freq->n_clips && turbo_freq->clip_ratios[isa]) {
		replaced = turbo_freq->clip_ratios[isa];
	}
	if (replaced != OPEN_RATIO)
		table = replaced;
	if (state->platform->has_msrs && bucket >= 0)
		msr = (uint8_t)(state->packages[about->package].turbo_ratio_limit >> 8 * bucket);
	return msr ? lower(table, msr) : table;
}

/* Other limits. */

static uint8_t to_ratio(uint64_t khz)
{
	uint64_t ratio = khz / KHZ_PER_RATIO;

	if (!ratio)
		return 1;
	return ratio < LARGEST_RATIO ? (uint8_t)ratio : LARGEST_RATIO;
}

/* Returns the base ratio of a level for an instruction set, or for SSE if no other is reported. */
static uint8_t find_base(const struct punit_level *level, unsigned int isa)
{
	uint8_t own = level->base_ratio_amx;

	if (isa == ISA_AVX2)
		own = level->base_ratio_avx2;
	else if (isa == ISA_AVX512 || isa == ISA_AVX512_HEAVY)
		own = level->base_ratio_avx512;
	return isa != ISA_SSE && own ? own : level->base_ratio_sse;
}

/* Returns the limit with turbo off: the base frequency, which SST-BF changes. */
static uint8_t find_turbo_off(const struct sim_state *state, uint32_t cpu, unsigned int isa)
{
	size_t domain = state->platform->cpus[cpu].domain;
	const struct punit_level *level = firmware_level(state, domain);
	bool has_base_freq = level && level->has_base_freq && state->punits[domain].base_freq_on;
	uint32_t khz = sysfs_base_khz(state, cpu);
	uint8_t base = khz ? to_ratio(khz) : OPEN_RATIO;
	uint8_t of_isa = level ? find_base(level, isa) : 0;

	if (!of_isa || isa == ISA_SSE)
		return base;
	return has_base_freq ? lower(base, of_isa) : of_isa;
}

/* Returns the limit of Linux: scaling_max_freq or max_perf_pct, whichever is lower. */
static uint8_t find_requested(const struct sim_state *state, uint32_t cpu)
{
	uint64_t most_khz =
		(uint64_t)sysfs_highest_khz(state, cpu) * state->machine->max_percent / PERCENT;

	return lower(to_ratio(sysfs_scaling_max_khz(state, cpu)), to_ratio(most_khz));
}

/* Returns the PM_CLOS word for a CPU, without limits if SST-CP is off. */
static uint32_t find_clos_word(const struct sim_state *state, uint32_t cpu)
{
	int clos = firmware_clos(state, cpu);

	return clos < 0 ? (uint32_t)OPEN_RATIO << CLOS_MAX_SHIFT
			: state->punits[state->platform->cpus[cpu].domain].clos[clos];
}

struct firmware_limits firmware_find(const struct sim_state *state, uint32_t cpu, unsigned int isa,
				     const struct firmware_counts *counts)
{
	const struct sim_platform *platform = state->platform;
	uint32_t word = find_clos_word(state, cpu);
	uint8_t clos_min = (uint8_t)(word >> CLOS_MIN_SHIFT);
	uint8_t clos_max = (uint8_t)(word >> CLOS_MAX_SHIFT), turbo;
	struct firmware_limits limits = { .cap = clos_max ?: OPEN_RATIO, .lowest = 1 };

	if (platform->has_cpufreq) {
		limits.cap = lower(limits.cap, to_ratio(firmware_highest_khz(state, cpu)));
		limits.cap = lower(limits.cap, find_requested(state, cpu));
		limits.lowest = to_ratio(platform->cpufreq.min_khz);
	}
	if (sysfs_is_turbo_off(state)) {
		limits.cap = lower(limits.cap, find_turbo_off(state, cpu, isa));
	} else {
		turbo = find_turbo(state, cpu, isa, counts);
		limits.is_turbo = turbo < limits.cap;
		limits.cap = lower(limits.cap, turbo);
	}
	if (limits.cap == OPEN_RATIO) /* no limit is known */
		limits.cap = to_ratio((uint64_t)firmware_tsc_mhz(platform) * 1000);
	limits.lowest = lower(limits.lowest, limits.cap);
	limits.floor = lower(limits.cap, clos_min > limits.lowest ? clos_min : limits.lowest);
	return limits;
}

/* Loads. */

/* Returns true on parts whose fourth table is for dense AVX-512. */
static bool has_heavy_table(const struct sim_platform *platform)
{
	return is_tpmi(platform) ||
	       (platform->cpu.family == INTEL_FAMILY && platform->cpu.model == EMERALD_RAPIDS);
}

unsigned int firmware_isa(const struct sim_state *state, uint32_t cpu, enum load_kind kind)
{
	const struct punit_level *level = firmware_level(state, state->platform->cpus[cpu].domain);

	if (kind == LOAD_AVX2)
		return ISA_AVX2;
	if (kind != LOAD_AVX512)
		return ISA_SSE;
	return level && has_heavy_table(state->platform) &&
			       find_ratio(level->turbo_ratios, level->n_turbo_rows,
					  ISA_AVX512_HEAVY, PUNIT_BUCKETS - 1) != OPEN_RATIO
		       ? ISA_AVX512_HEAVY
		       : ISA_AVX512;
}

struct workload_package_fuses firmware_package_fuses(const struct sim_state *state,
						     uint32_t package)
{
	const struct sim_platform *platform = state->platform;
	struct workload_package_fuses fuses = { 0 };
	uint32_t counts[PUNIT_BUCKETS] = { 0 };
	uint16_t most_w = 0;

	sum_counts(state, package, counts);
	for (unsigned int i = 0; i < PUNIT_BUCKETS; i++)
		fuses.buckets[i].cores = counts[i] * platform->cores_per_module;
	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct sim_domain *domain = &platform->domains[i];
		const struct punit_level *level = firmware_level(state, i);

		if (domain->package != package || !level || cpuset_is_empty(&domain->cores))
			continue;
		fuses.cores += (uint32_t)__builtin_popcountll(level->core_mask) *
			       platform->cores_per_module;
		for (unsigned int j = 0; j < PUNIT_BUCKETS && level->n_turbo_rows; j++) {
			if (level->turbo_ratios[ISA_SSE][j] > fuses.buckets[j].ratio)
				fuses.buckets[j].ratio = level->turbo_ratios[ISA_SSE][j];
		}
		if (level->tdp_w <= most_w)
			continue;
		most_w = level->tdp_w;
		fuses.bases[WORKLOAD_SSE] = level->base_ratio_sse;
		fuses.bases[WORKLOAD_AVX2] = level->base_ratio_avx2;
		fuses.bases[WORKLOAD_AVX512] = level->base_ratio_avx512;
	}
	return fuses;
}
