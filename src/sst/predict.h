/* SPDX-License-Identifier: GPL-2.0-only */
/* The frequency that a CPU can be expected to have: out of the limits of cpufreq and of Speed
 * Select, and of how many cores are active (measure.md, "One predictor"; hardware.md, sections 3
 * and 4). Reads nothing: who asks fills in what was read, or what is only supposed. */
#ifndef SST_PREDICT_H
#define SST_PREDICT_H

#include "sst/sst.h"

/* CLOS 0 and 1 have high priority to SST-TF, 2 and 3 low. */
#define FREQUENCY_HIGHEST_CLOS 1

#define FREQUENCY_TRL_OPEN UINT64_MAX /* the turbo-ratio register limits nothing */

/* The instruction sets of turbo-ratio levels; of the last two, heavy AVX-512 and AMX, older parts
 * have no limits. */
enum frequency_isa {
	FREQUENCY_SSE,
	FREQUENCY_AVX2,
	FREQUENCY_AVX512,
	FREQUENCY_AVX512_HEAVY,
	FREQUENCY_AMX
};

/* The turbo-ratio level of dense AVX-512: that of heavy AVX-512 if the level (or NULL) has it. */
unsigned int frequency_dense(const struct sst_level *level);

/* The base frequency of a level for an instruction set, a turbo-ratio level; that of heavy AVX-512
 * is that of AVX-512. 0 for another turbo-ratio level, or if it is not reported. In MHz. */
uint32_t frequency_base_mhz(const struct sst_level *level, unsigned int trl_level);

/* The first bucket with at least that many cores; SST_BUCKETS: there are more cores than in any. */
unsigned int frequency_find_bucket(const uint32_t *core_counts, size_t cores);

/* The frequency of that bucket; if there are more cores, that of the last one; if the bucket has
 * none, that of the one before; 0 without buckets, or if it is open, as SST-TF makes it (all ones).
 * mhz[i] is that of core_counts[i]. */
uint32_t frequency_by_cores(const uint32_t *core_counts, const uint32_t *mhz, size_t cores);

/* The number of cores of the largest bucket; 0 without buckets. */
uint32_t frequency_capacity(const struct sst_turbo *buckets);

/* How many cores can have the frequency for SSE that so many have: of the buckets with at least
 * that of theirs the largest number; if there are more than in any, the largest of all. */
uint32_t frequency_capacity_of(const struct sst_turbo *buckets, size_t cores);

/* The turbo-ratio register as the level sets it: its ratios for SSE. */
uint64_t frequency_trl_of_level(const struct sst_level *level);

/* What the turbo-ratio limits of TPMI parts count is not public: the active units of the CPU's
 * power domain against the table of its level, or those of the package against the tables of all
 * compute domains, summed. Mailbox parts count the package; both readings are that one then. */
enum frequency_reading { FREQUENCY_BY_DOMAIN, FREQUENCY_BY_PACKAGE, N_FREQUENCY_READINGS };

/* What limits one CPU. Members left 0 limit nothing. */
struct frequency_inputs {
	/* of cpufreq, in kHz; 0: unknown, or no limit */
	uint32_t lowest_khz; /* of the hardware */
	uint32_t highest_khz; /* what Linux has taken over of it */
	uint32_t min_khz; /* scaling limits */
	uint32_t max_khz;
	uint32_t base_khz; /* for SSE */
	uint32_t min_percent; /* of highest_khz */
	uint32_t max_percent;
	bool turbo_off;
	bool is_unread; /* a limit is there but could not be read: no maximum is known */
	/* of Speed Select. The switches count, not those of the level. */
	const struct sst_level *level; /* NULL: unknown, none of it counts */
	bool is_planned; /* a state to be set: highest_khz is of now, and follows that state */
	uint32_t package_counts[SST_BUCKETS]; /* the summed table; all 0: the level's counts */
	bool has_trl;
	uint64_t trl; /* the turbo-ratio register; eight ratios of SSE, by the level's buckets */
	bool base_freq_on;
	bool is_base_freq_core; /* SST-BF is on, and it is one of its high-priority cores */
	bool turbo_freq_on; /* has_clos then */
	bool has_clos; /* SST-CP is on, and the CPU's CLOS is known */
	uint32_t clos; /* 0 to 3 */
	uint32_t clos_min_mhz;
	uint32_t clos_max_mhz; /* 0: no limit */
};

/* How much is active: busy, or, for what holds in any case, online. */
struct frequency_activity {
	size_t units[N_FREQUENCY_READINGS]; /* PUNIT cores: cores, or modules */
	size_t high_units; /* in CLOS 0 and 1 of the package, in the unit of the buckets of SST-TF:
			    * cores, or modules if turbo_freq.counts_modules */
};

enum frequency_kind {
	FREQUENCY_UPPER, /* it cannot go above */
	FREQUENCY_LOWER, /* it is not asked to go below */
	FREQUENCY_GUARANTEED /* with all cores busy */
};

/* In the order in which they are shown; of equal ones the first binds. */
enum frequency_limit {
	FREQUENCY_HIGHEST_POSSIBLE,
	FREQUENCY_TURBO_RATIO_LIMIT,
	FREQUENCY_TURBO_FREQ_BUCKET,
	FREQUENCY_TURBO_FREQ_CLIP,
	FREQUENCY_CLOS_MAX,
	FREQUENCY_NO_TURBO, /* turbo is off: the base frequency */
	FREQUENCY_MAX_PERF_PCT,
	FREQUENCY_SCALING_MAXIMUM,
	FREQUENCY_LOWEST_POSSIBLE,
	FREQUENCY_CLOS_MIN,
	FREQUENCY_MIN_PERF_PCT,
	FREQUENCY_SCALING_MINIMUM,
	FREQUENCY_LEVEL_BASE,
	FREQUENCY_BASE_FREQ_BASE,
	FREQUENCY_CPUFREQ_BASE,
	N_FREQUENCY_LIMITS,
	FREQUENCY_NO_LIMIT = N_FREQUENCY_LIMITS
};

/* The name that commands show: "turbo-ratio-limit"; static text. */
const char *frequency_limit_name(enum frequency_limit limit);
enum frequency_kind frequency_limit_kind(enum frequency_limit limit);

/* Keys of predictions and of CPUs in JSON. */
#define FREQUENCY_KEY_BASE     "base-mhz"
#define FREQUENCY_KEY_BOUND_BY "bound-by" /* frequency_limit_name() */
#define FREQUENCY_KEY_HIGH     "high-mhz" /* by the other reading of the turbo-ratio limits */
#define FREQUENCY_KEY_ABOVE    "not-taken-over-mhz"

struct frequency_prediction {
	/* 0: unknown, or no limit. Of the two readings, the turbo-ratio limit is the lower one.
	 */
	uint32_t khz[N_FREQUENCY_LIMITS];
	uint32_t high_trl_khz; /* the turbo-ratio limit by the other reading */
	enum frequency_limit cap_by; /* or FREQUENCY_NO_LIMIT: cap_khz is 0 */
	uint32_t cap_khz; /* what the CPU reaches if it is busy, and power suffices, at least */
	uint32_t high_khz; /* and at most: above cap_khz if the readings differ */
	uint32_t reading_khz[N_FREQUENCY_READINGS]; /* the two, by reading */
	uint32_t floor_khz; /* how far a lack of power takes it down; 0: unknown */
	unsigned int bucket; /* of SST-TF, for a high-priority core; or SST_BUCKETS */
	/* What Speed Select gives above highest_khz, if that binds: Linux has not taken it over, or
	 * the hardware has less. 0: nothing. */
	uint32_t above_highest_khz;
};

/* Predicts for a turbo-ratio level, 0 to SST_TRL_LEVELS - 1. With turbo off the base frequency for
 * the instruction set limits, in place of the limits of turbo; of SST-BF it is that of the core,
 * which is for SSE, and no more than the level's for another instruction set. With SST-TF on, the
 * turbo-ratio register is open: the level's turbo-ratio limits then hold for high-priority cores
 * that are more than the largest bucket has. Without SST-PP they are in the register alone, and not
 * known while it is open. */
struct frequency_prediction frequency_predict(const struct frequency_inputs *inputs,
					      unsigned int trl_level,
					      const struct frequency_activity *activity);

/* Why the prediction of a turbo-ratio level leaves out a limit that holds, since its value is
 * unknown, so that its cap is FREQUENCY_NO_LIMIT; NULL: it has all of them. */
const char *frequency_find_unknown(const struct frequency_inputs *inputs, unsigned int trl_level,
				   const struct frequency_prediction *prediction);

/* The limit of that kind that binds: the lowest upper one, the highest other one; or
 * FREQUENCY_NO_LIMIT. The limits of turbo do not bind if turbo is off. */
enum frequency_limit frequency_find_binding(const struct frequency_prediction *prediction,
					    enum frequency_kind kind);

#endif
