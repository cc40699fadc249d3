/* SPDX-License-Identifier: GPL-2.0-only */
/* What limits the frequencies of the CPUs in the present state, as Speed Select reports it
 * (hardware.md, sections 3 and 4), for sst/predict.h. Active and high-priority cores are those of a
 * package (measure.md, "One predictor"). */
#ifndef SST_EXPECTED_H
#define SST_EXPECTED_H

#include "sst/platform.h"
#include "sst/predict.h"

/* Cores with an online CPU, counted for a power domain. */
struct expected_counts {
	struct frequency_activity activity; /* if all of them are active */
	size_t cores; /* of the package */
	size_t high_cores; /* of them in CLOS 0 and 1 */
	uint32_t package_counts[SST_BUCKETS]; /* of struct frequency_inputs */
	int package_error; /* why these are unknown: a negative errno, or 0 */
};

/* The present state of power domains. */
struct expected {
	const struct platform *platform;
	size_t n_domains; /* of each array; clos has SST_CLOS_COUNT for each of them */
	/* Of TPMI parts: the other domains with CPUs of the same packages, whose turbo-ratio limits
	 * are part of the sums. They follow those of n_domains in pp and levels. */
	size_t n_siblings;
	struct platform_pp_query *pp;
	struct platform_level_query *levels; /* the current ones */
	/* If they were requested, the other levels up to the highest: domain by domain, ascending,
	 * n_others of them; those of siblings last. */
	struct platform_level_query *others;
	size_t n_others;
	struct platform_core_power_query *core_power;
	struct platform_query *trl;
	struct platform_query *trl_counts; /* MSR 0x1AE, of TPMI parts; else -ENODATA */
	struct platform_query *clos; /* read where CLOS is on */
	struct platform_query *assocs; /* by CPU: the online ones of packages where CLOS is on */
	size_t n_assocs;
	struct expected_counts *counts; /* by domain: of its package */
};

#define _cleanup_expected_ __attribute__((cleanup(expected_done)))

/* Reads all of it, of domains with an online CPU, the other levels only with_others; errors are in
 * the queries (-ENODATA of a CLOS: not read). The domains stay the caller's. Returns 0 or -ENOMEM,
 * with what expected_done() frees.
 */
int expected_read(struct platform *platform, const struct power_domain *const *domains,
		  size_t n_domains, bool with_others, struct expected *ret_expected);

/* The same of all domains with an online CPU; pp has them. */
int expected_read_online(struct platform *platform, bool with_others,
			 struct expected *ret_expected);
void expected_done(struct expected *expected);

/* Could all be read that a prediction of a domain (an index) needs? Firmware that refuses the
 * request has no SST-CP. Returns 0; or the negative errno, with *ret_what what it is of. */
int expected_check(const struct expected *expected, size_t domain, const char **ret_what);

/* Counts the cores of each package again, after the CPUs that are online, the levels or the
 * associations in it were replaced. Returns 0 or -ENOMEM. */
int expected_count(struct expected *expected);

/* What is known of one CPU. */
struct expected_cpu {
	/* What Speed Select limits; what cpufreq limits is not filled in. The level belongs to the
	 * struct expected; NULL: it could not be read. */
	struct frequency_inputs inputs;
	struct expected_counts counts; /* of its package */
	uint32_t level_number;
	/* What could not be read, a negative errno; of the level, see the queries. */
	int trl_error, core_power_error, assoc_error, clos_error;
};

/* Finds what is known of an online CPU of a domain (an index). */
struct expected_cpu expected_of_cpu(const struct expected *expected, size_t domain, uint32_t cpu);

/* Adds the CPUs that are in a CLOS from first to last. Returns 0 or -ENOMEM. */
int expected_add_associated(const struct expected *expected, uint32_t first, uint32_t last,
			    struct cpuset *cpus);

/* Counts what has a CPU in active, of a domain (an index) and of its package. Returns 0 or -ENOMEM.
 */
int expected_count_active(const struct expected *expected, size_t domain,
			  const struct cpuset *active, struct frequency_activity *ret_activity);

/* The level of a domain or sibling (an index), which may have an error; NULL: it was not read.
 * EXPECTED_CURRENT: its current level. */
#define EXPECTED_CURRENT UINT32_MAX
const struct platform_level_query *expected_find_level(const struct expected *expected,
						       size_t domain, uint32_t level);

/* Sums the turbo-ratio counts of a level over all power domains with CPUs of a domain's package (an
 * index); EXPECTED_CURRENT: of their current levels. On mailbox parts these are the counts of the
 * level of the domain. Returns 0, or why a level is unknown. */
int expected_sum_counts(const struct expected *expected, size_t domain, uint32_t level,
			uint32_t ret_counts[SST_BUCKETS]);

/* Does MSR 0x1AE of a domain's package (an index), if it could be read, differ from that sum? */
bool expected_sum_differs(const struct expected *expected, size_t domain);

/* What the CPU can be expected to have for a turbo-ratio level if every online core is active: how
 * many are cannot be read. */
static inline struct frequency_prediction expected_predict(const struct expected_cpu *cpu,
							   unsigned int trl_level)
{
	return frequency_predict(&cpu->inputs, trl_level, &cpu->counts.activity);
}

/* Finds whether Linux has not taken over what Speed Select gives above its highest frequency, for a
 * prediction of the present state of a CPU: if the hardware (acpi_cppc/highest_perf, in units of
 * 100 MHz) has no more either, above_highest_khz becomes 0. If that cannot be read, it stays. */
void expected_check_highest(struct files *files, uint32_t cpu,
			    struct frequency_prediction *prediction);

/* What makes Linux take it over, and the price. */
#define EXPECTED_RETAKE       "isst cpufreq set --pstate passive && isst cpufreq set --pstate active"
#define EXPECTED_RETAKE_PRICE "resets governor, EPP and limits of all CPUs"

#endif
