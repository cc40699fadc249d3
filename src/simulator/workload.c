// SPDX-License-Identifier: GPL-2.0-only
/* The workload model of a simulated machine. Power grows with the third power of the frequency. A
 * package above its TDP lowers its cores by one ratio at a time; SST-CP decides which is next. */
#include "simulator/workload.h"

#include <string.h>

#define IDLE_TENTHS   3 /* of the TDP: the power of an idle package */
#define SLACK_PERCENT 1 /* tolerated above the TDP */
#define HEAVIEST      100000 /* percent; keeps sums in 64 bits */

#define COOLEST_MC 40000 /* without power */
#define RISE_MC    55000 /* at the TDP */

#define PIPE_FIXED_PS  2544000 /* of a round trip, at any frequency */
#define PIPE_SCALED_PS 9253200000ULL /* x MHz: what the cores compute */

#define WAKE_FIXED_NS  2000
#define NS_PER_US      1000
#define WAKE_SPREAD    50 /* percent of the exit latency */
#define OUTLIER_ROUNDS 1000
#define OUTLIER_FACTOR 5

#define SCALAR_PERCENT 55 /* if a level reports no turbo-ratio limits */
#define SCALAR_PARTS   933 /* of 1000: the most of the TDP that scalar loads take */

static const struct {
	unsigned int percent; /* if a base ratio is not reported */
	enum workload_base base;
	unsigned int busy_percent;
} loads[LOAD_KINDS] = {
	[LOAD_SCALAR] = { SCALAR_PERCENT, WORKLOAD_SSE, 100 },
	[LOAD_AVX2] = { 165, WORKLOAD_AVX2, 100 },
	[LOAD_AVX512] = { 256, WORKLOAD_AVX512, 100 },
	[LOAD_TDP] = { 100, WORKLOAD_SSE, 100 },
	[LOAD_PIPE] = { 30, WORKLOAD_SSE, 50 },
};

/* Idle states that do not leave C0. */
static const struct {
	const char *name;
	unsigned int percent; /* of a scalar load */
} spins[] = { { "POLL", 40 }, { "C0.1", 25 }, { "C0.2", 25 } };

__extension__ typedef unsigned __int128 wide;

uint64_t workload_scale(uint64_t a, uint64_t b, uint64_t c)
{
	return (uint64_t)((wide)a * b / c);
}

static uint64_t cube(uint64_t number)
{
	return number * number * number;
}

unsigned int workload_busy_percent(enum load_kind kind)
{
	return loads[kind].busy_percent;
}

/* Finds the percentage that keeps the cores of each bucket, at its ratio, within SCALAR_PARTS. */
static uint64_t find_scalar_percent(const struct workload_package_fuses *fuses)
{
	uint64_t full = SCALAR_PARTS * (uint64_t)fuses->cores * cube(fuses->bases[WORKLOAD_SSE]);
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < WORKLOAD_BUCKETS && full; i++) {
		uint64_t cores = fuses->buckets[i].cores, percent;

		if (!cores || !fuses->buckets[i].ratio)
			continue;
		cores = cores < fuses->cores ? cores : fuses->cores;
		percent = full / (10 * cores * cube(fuses->buckets[i].ratio));
		least = percent < least ? percent : least;
	}
	return least < UINT64_MAX ? least : SCALAR_PERCENT;
}

unsigned int workload_load_percent(enum load_kind kind, const struct workload_package_fuses *fuses)
{
	uint8_t base = fuses->bases[WORKLOAD_SSE], own = fuses->bases[loads[kind].base];
	uint64_t percent = loads[kind].percent;

	if (kind == LOAD_SCALAR)
		percent = find_scalar_percent(fuses);
	else if (loads[kind].base != WORKLOAD_SSE && own && base)
		/* the load uses the TDP at the base frequency of its instruction set */
		percent = 100 * cube(base) / cube(own);
	return percent < HEAVIEST ? (unsigned int)percent : HEAVIEST;
}

unsigned int workload_spin_percent(const char *idle_state)
{
	for (size_t i = 0; i < sizeof(spins) / sizeof(*spins); i++) {
		if (strcmp(spins[i].name, idle_state) == 0)
			return spins[i].percent;
	}
	return 0;
}

static uint64_t compute_power(const struct workload_package *package, uint64_t used)
{
	uint64_t idle_mw = (uint64_t)package->tdp_mw * IDLE_TENTHS / 10;
	uint64_t full =
		100 * (uint64_t)package->fuses.cores * cube(package->fuses.bases[WORKLOAD_SSE]);

	return full ? idle_mw + workload_scale(package->tdp_mw - idle_mw, used, full) : 0;
}

/* Compares the distances above the floors, by weight. Above 0: the left core's is larger. */
static int compare_shares(const struct workload_core *left, const struct workload_core *right)
{
	int left_part = (left->ratio - left->floor_ratio) * (16 - right->weight);
	int right_part = (right->ratio - right->floor_ratio) * (16 - left->weight);

	return left_part - right_part;
}

/* Above 0: the left core loses before the right one; 0: they are equal. */
static int compare_cores(enum workload_sharing sharing, const struct workload_core *left,
			 const struct workload_core *right)
{
	if (sharing == WORKLOAD_PROPORTIONAL)
		return compare_shares(left, right);
	if (sharing == WORKLOAD_ORDERED && left->clos != right->clos)
		return left->clos - right->clos;
	return left->ratio - right->ratio;
}

/* Returns the core that loses the next ratio. It is above its floor or, if the floors do not hold,
 * above its lowest ratio. Of equal cores the last one loses. NULL: no such core. */
static struct workload_core *find_loser(struct workload_package *package, bool floors_hold)
{
	enum workload_sharing sharing = floors_hold ? package->sharing : WORKLOAD_FASTEST_LOSES;
	struct workload_core *loser = NULL;

	for (size_t i = 0; i < package->n_cores; i++) {
		struct workload_core *core = &package->cores[i];

		if (core->ratio > (floors_hold ? core->floor_ratio : core->lowest_ratio) &&
		    (!loser || compare_cores(sharing, core, loser) >= 0))
			loser = core;
	}
	return loser;
}

void workload_settle(struct workload_package *package)
{
	uint64_t limit_mw = package->limit_mw && package->limit_mw < package->tdp_mw
				    ? package->limit_mw
				    : package->tdp_mw;
	uint64_t most_mw = limit_mw * (100 + SLACK_PERCENT);
	uint64_t used = 0;
	bool floors_hold = true;

	for (size_t i = 0; i < package->n_cores; i++) {
		struct workload_core *core = &package->cores[i];

		core->ratio = core->cap_ratio;
		used += core->load_percent * cube(core->ratio);
	}
	while (100 * compute_power(package, used) > most_mw) {
		struct workload_core *core = find_loser(package, floors_hold);

		if (!core && !floors_hold)
			break;
		if (!core) {
			floors_hold = false;
			continue;
		}
		used -= core->load_percent * (cube(core->ratio) - cube(core->ratio - 1U));
		core->ratio--;
	}
	package->power_mw = compute_power(package, used);
}

uint32_t workload_temperature_mc(uint64_t power_mw, uint32_t tdp_mw)
{
	return COOLEST_MC + (uint32_t)(RISE_MC * power_mw / tdp_mw);
}

uint64_t workload_pipe_ps(uint32_t mhz)
{
	return PIPE_FIXED_PS + PIPE_SCALED_PS / mhz;
}

/* The mixing step of the generator splitmix64. */
static uint64_t mix(uint64_t number)
{
	number += 0x9e3779b97f4a7c15U;
	number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9U;
	number = (number ^ (number >> 27)) * 0x94d049bb133111ebU;
	return number ^ (number >> 31);
}

uint64_t workload_wake_ns(const struct workload_wake *wake, uint32_t latency_us)
{
	const uint64_t arguments[] = { wake->cpu, wake->state, wake->gap_us, wake->round };
	uint64_t z = mix(wake->seed), ns;

	for (size_t i = 0; i < sizeof(arguments) / sizeof(*arguments); i++)
		z = mix(z ^ arguments[i]);
	ns = WAKE_FIXED_NS + NS_PER_US * (uint64_t)latency_us * (100 + z % WAKE_SPREAD) / 100;
	return z / WAKE_SPREAD % OUTLIER_ROUNDS == 0 ? OUTLIER_FACTOR * ns : ns;
}
