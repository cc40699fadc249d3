/* SPDX-License-Identifier: GPL-2.0-only */
/* Which frequency a core can be expected to reach, out of what Speed Select reports (hardware.md,
 * sections 3 and 4; choose.md, "One way to count"). The buckets of SST-TF count high-priority cores
 * of a package, those of the turbo-ratio limits active cores of a power domain. Without SST-TF in a
 * domain its level limits turbo, too: the register is that of the package. Frequencies are in
 * MHz; 0: not reported, or no limit. */
#ifndef SST_EXPECTED_H
#define SST_EXPECTED_H

#include "sst/platform.h"

/* CLOS 0 and 1 have high priority to SST-TF, 2 and 3 low. */
#define EXPECTED_HIGHEST_CLOS 1

/* The base frequency of a level for an instruction set, a turbo-ratio level: 0 SSE, 1 AVX2, 2
 * AVX-512; 0 for another one, whose base frequency is not reported. */
uint32_t expected_base_mhz(const struct sst_level *level, unsigned int trl_level);

/* The first bucket with at least that many cores; SST_BUCKETS: there are more cores than in any. */
unsigned int expected_find_bucket(const uint32_t *core_counts, size_t cores);

/* The frequency of that bucket; if there are more cores, that of the last one (beyond: 0); 0
 * without buckets. mhz[i] is that of core_counts[i]. */
uint32_t expected_by_cores(const uint32_t *core_counts, const uint32_t *mhz, size_t cores,
			   bool beyond);

/* The number of cores of the largest bucket; 0 without buckets. */
uint32_t expected_capacity(const struct sst_turbo *buckets);

/* The present state of power domains. */
struct expected {
	const struct platform *platform;
	size_t n_domains; /* of each array; clos has SST_CLOS_COUNT for each of them */
	struct platform_pp_query *pp;
	struct platform_level_query *levels; /* the current ones */
	/* If they were asked for, the other levels up to the highest: domain by domain, ascending,
	 * n_others of them. */
	struct platform_level_query *others;
	size_t n_others;
	struct platform_core_power_query *core_power;
	struct platform_query *trl;
	struct platform_query *clos; /* read where CLOS is on */
	struct platform_query *assocs; /* by CPU: the online ones of packages where CLOS is on */
	size_t n_assocs;
	struct cpuset high; /* of them, the CPUs in CLOS 0 and 1 */
};

#define _cleanup_expected_ __attribute__((cleanup(expected_done)))

/* Reads all of it, of domains with an online CPU, the other levels only with_others; errors are in
 * the queries (-ENODATA of a CLOS: not read). The domains stay the caller's. Returns 0 or -ENOMEM,
 * with what expected_done() frees.
 */
int expected_read(struct platform *platform, const struct power_domain *const *domains,
		  size_t n_domains, bool with_others, struct expected *ret_expected);
void expected_done(struct expected *expected);

/* Counts the cores of a package that are in CLOS 0 or 1 and have an online CPU; with modules, the
 * modules. Returns 0 or -ENOMEM. */
int expected_count_high(const struct expected *expected, uint32_t package, bool modules,
			size_t *ret_count);

/* What is known of one CPU. */
struct expected_cpu {
	bool has_level;
	uint32_t level;
	uint32_t level_base_mhz; /* for the instruction set */
	bool base_freq_on;
	bool is_base_freq_core; /* SST-BF is on: it is one of the high-priority cores */
	uint32_t base_freq_mhz; /* SST-BF is on: its base frequency with it, for SSE */
	bool has_clos; /* SST-CP is on, and its CLOS is known */
	uint32_t clos;
	bool has_clos_limits;
	uint32_t clos_min_mhz;
	uint32_t clos_max_mhz;
	size_t active_cores; /* of its power domain: those with an online CPU */
	uint32_t turbo_limit_mhz; /* by the number of active cores */
	bool turbo_freq_on;
	size_t high_cores; /* SST-TF is on: of its package */
	size_t high_units; /* the same in the unit of the buckets, which can be modules */
	unsigned int bucket; /* SST-TF is on, of a high-priority core; or SST_BUCKETS */
	uint32_t turbo_freq_mhz; /* the same: by the number of high-priority cores */
	uint32_t clip_mhz; /* SST-TF is on: of a low-priority core */
	/* What could not be read, a negative errno; of the level, see the queries. */
	int trl_error, core_power_error, assoc_error, clos_error;
};

/* Finds what is known of an online CPU of a domain (an index) for a turbo-ratio level. With SST-TF
 * on, the turbo-ratio register is opened: the turbo-ratio limits of the level then hold for
 * high-priority cores that are more than the largest bucket has. Returns 0 or -ENOMEM. */
int expected_of_cpu(const struct expected *expected, size_t domain, uint32_t cpu,
		    unsigned int trl_level, struct expected_cpu *ret_cpu);

/* The frequency that the CPU can be expected to reach with turbo: the lowest of its limits. */
uint32_t expected_mhz(const struct expected_cpu *cpu);

#endif
