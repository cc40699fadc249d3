/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads what limits the frequencies of the CPUs at present, as Speed Select reports it
 * (hardware.md, sections 3 and 4), for sst/predict.h. Active and high-priority cores are counted
 * per package (measure.md, "One predictor"). */
#ifndef SST_EXPECTED_H
#define SST_EXPECTED_H

#include "sst/platform.h"
#include "sst/predict.h"

/* Cores with an online CPU, counted for a power domain. */
struct expected_counts {
	struct frequency_activity activity; /* if all these cores are active */
	size_t cores; /* cores of the package */
	size_t high_cores; /* cores of the package in CLOS 0 and 1 */
	uint32_t package_counts[SST_BUCKETS]; /* as in struct frequency_inputs */
	int package_error; /* why package_counts are unknown: a negative errno, or 0 */
};

/* The present state of power domains. */
struct expected {
	const struct platform *platform;
	size_t n_domains; /* elements of each array; clos has SST_CLOS_COUNT per domain */
	/* TPMI parts: the number of other domains with CPUs in the same packages. The sums include
	 * their turbo-ratio limits. In pp and levels, siblings follow the n_domains domains. */
	size_t n_siblings;
	struct platform_pp_query *pp;
	struct platform_level_query *levels; /* the current levels */
	/* The n_others other levels up to the highest, if requested: by domain, then ascending;
	 * those of siblings last. */
	struct platform_level_query *others;
	size_t n_others;
	struct platform_core_power_query *core_power;
	struct platform_query *trl;
	struct platform_query *trl_counts; /* MSR 0x1AE on TPMI parts; else -ENODATA */
	struct platform_query *clos; /* read if CLOS is on */
	struct platform_query *assocs; /* sorted by CPU: online CPUs of packages with CLOS on */
	size_t n_assocs;
	struct expected_counts *counts; /* per domain: counts of its package */
};

#define _cleanup_expected_ __attribute__((cleanup(expected_done)))

/* Reads the present state of domains with an online CPU; with_others: all their levels. Errors are
 * in the queries (-ENODATA of a CLOS: not read). The caller keeps the domains. Returns 0 or
 * -ENOMEM; expected_done() frees the result in both cases. */
int expected_read(struct platform *platform, const struct power_domain *const *domains,
		  size_t n_domains, bool with_others, struct expected *ret_expected);

/* Does expected_read() for all domains with an online CPU; pp lists them. */
int expected_read_online(struct platform *platform, bool with_others,
			 struct expected *ret_expected);
void expected_done(struct expected *expected);

/* Checks that all data for predictions of a domain (an index) was read; a refused request of SST-CP
 * means no SST-CP. Returns 0; or the negative errno, with *ret_what the data that is missing. */
int expected_check(const struct expected *expected, size_t domain, const char **ret_what);

/* Counts the cores of each package again, after the online CPUs, the levels or the associations in
 * *expected were replaced. Returns 0 or -ENOMEM. */
int expected_count(struct expected *expected);

/* What is known of one CPU. */
struct expected_cpu {
	/* The limits of Speed Select; those of cpufreq are not filled in. The struct expected owns
	 * inputs.level; NULL: the level could not be read. */
	struct frequency_inputs inputs;
	struct expected_counts counts; /* of its package */
	uint32_t level_number;
	/* Negative errnos of failed reads, or 0. The error of the level is in its query. */
	int trl_error, core_power_error, assoc_error, clos_error;
};

/* Finds what is known of an online CPU of a domain (an index). */
struct expected_cpu expected_of_cpu(const struct expected *expected, size_t domain, uint32_t cpu);

/* Adds the CPUs that are in a CLOS from first to last. Returns 0 or -ENOMEM. */
int expected_add_associated(const struct expected *expected, uint32_t first, uint32_t last,
			    struct cpuset *cpus);

/* Counts the cores with a CPU in active, in a domain (an index) and in its package. Returns 0 or
 * -ENOMEM. */
int expected_count_active(const struct expected *expected, size_t domain,
			  const struct cpuset *active, struct frequency_activity *ret_activity);

/* Returns the query of a level of a domain or sibling (an index), which may have an error; NULL:
 * the level was not read. EXPECTED_CURRENT means the current level. */
#define EXPECTED_CURRENT UINT32_MAX
const struct platform_level_query *expected_find_level(const struct expected *expected,
						       size_t domain, uint32_t level);

/* Sums the turbo-ratio counts of a level over all power domains with CPUs in the package of a
 * domain (an index). EXPECTED_CURRENT sums the current levels. On mailbox parts the sums are the
 * counts of the domain's level. Returns 0, or the negative errno of a level that is unknown. */
int expected_sum_counts(const struct expected *expected, size_t domain, uint32_t level,
			uint32_t ret_counts[SST_BUCKETS]);

/* Returns true if MSR 0x1AE of a domain's package (an index) was read and differs from the sum of
 * expected_sum_counts() for the current levels. */
bool expected_sum_differs(const struct expected *expected, size_t domain);

/* Predicts the frequency of a CPU for a turbo-ratio level with all online cores active. The number
 * of active cores cannot be read. */
static inline struct frequency_prediction expected_predict(const struct expected_cpu *cpu,
							   unsigned int trl_level)
{
	return frequency_predict(&cpu->inputs, trl_level, &cpu->counts.activity);
}

/* Checks for a prediction of a CPU's present state if Linux has not taken over a frequency above
 * its highest. If the hardware (acpi_cppc/highest_perf, in units of 100 MHz) has no more either,
 * sets above_highest_khz to 0; if that file cannot be read, keeps it. */
void expected_check_highest(struct files *files, uint32_t cpu,
			    struct frequency_prediction *prediction);

/* The commands that make Linux take over the higher frequency, and their side effect. */
#define EXPECTED_RETAKE       "isst cpufreq set --pstate passive && isst cpufreq set --pstate active"
#define EXPECTED_RETAKE_PRICE "resets governor, EPP and limits of all CPUs"

#endif
