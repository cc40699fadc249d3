/* SPDX-License-Identifier: GPL-2.0-only */
/* Predicts the frequency of a CPU from the limits of cpufreq and Speed Select and the number of
 * active cores (measure.md, "One predictor"; hardware.md, sections 3 and 4). Reads nothing: the
 * caller fills in values that were read or are assumed. */
#ifndef SST_PREDICT_H
#define SST_PREDICT_H

#include "sst/sst.h"

/* CLOS 0 and 1 have high priority to SST-TF, 2 and 3 low. */
#define FREQUENCY_HIGHEST_CLOS 1

#define FREQUENCY_TRL_OPEN UINT64_MAX /* the turbo-ratio register limits nothing */

/* The instruction sets of turbo-ratio levels. Older parts have no limits for the last two, heavy
 * AVX-512 and AMX. */
enum frequency_isa {
	FREQUENCY_SSE,
	FREQUENCY_AVX2,
	FREQUENCY_AVX512,
	FREQUENCY_AVX512_HEAVY,
	FREQUENCY_AMX
};

/* Returns the turbo-ratio level of dense AVX-512: heavy AVX-512 if the level (or NULL) has it. */
unsigned int frequency_dense(const struct sst_level *level);

/* Returns the base frequency of a level for the instruction set of a turbo-ratio level, in MHz.
 * Heavy AVX-512 has that of AVX-512. 0: not reported, or another turbo-ratio level. */
uint32_t frequency_base_mhz(const struct sst_level *level, unsigned int trl_level);

/* Returns the first bucket with at least this number of cores; SST_BUCKETS: all have fewer. */
unsigned int frequency_find_bucket(const uint32_t *core_counts, size_t cores);

/* Returns the frequency of the bucket of frequency_find_bucket(): mhz[i] is that of core_counts[i].
 * If every bucket has fewer cores, the last bucket counts; if the bucket has no frequency, the one
 * before. 0: there are no buckets, or the bucket is open (all ones), as with SST-TF. */
uint32_t frequency_by_cores(const uint32_t *core_counts, const uint32_t *mhz, size_t cores);

/* Returns the number of cores of the largest bucket; 0 without buckets. */
uint32_t frequency_capacity(const struct sst_turbo *buckets);

/* Returns how many cores can have the same frequency for SSE as this number of cores: the largest
 * count of the buckets with at least that frequency. If every bucket has fewer cores: the count of
 * the largest bucket. */
uint32_t frequency_capacity_of(const struct sst_turbo *buckets, size_t cores);

/* Returns the turbo-ratio register as the level sets it: its ratios for SSE. */
uint64_t frequency_trl_of_level(const struct sst_level *level);

/* Two readings of the turbo-ratio limits, since it is not public what TPMI parts count: the active
 * units of the CPU's power domain, in the table of its level; or the active units of the package,
 * in the sum of the tables of all compute domains. Mailbox parts count the package: their readings
 * are equal. */
enum frequency_reading { FREQUENCY_BY_DOMAIN, FREQUENCY_BY_PACKAGE, N_FREQUENCY_READINGS };

/* What limits one CPU. Members left 0 limit nothing. */
struct frequency_inputs {
	/* of cpufreq, in kHz; 0: unknown, or no limit */
	uint32_t lowest_khz; /* of the hardware */
	uint32_t highest_khz; /* the highest of the hardware that Linux has taken over */
	uint32_t min_khz; /* scaling limits */
	uint32_t max_khz;
	uint32_t base_khz; /* for SSE */
	uint32_t min_percent; /* of highest_khz */
	uint32_t max_percent;
	bool turbo_off;
	bool is_unread; /* a limit is there but could not be read: no maximum is known */
	/* of Speed Select. The switches here count, not those in level. */
	const struct sst_level *level; /* NULL: unknown, no limit of it counts */
	bool is_planned; /* a state to be set, which the present highest_khz will follow */
	uint32_t package_counts[SST_BUCKETS]; /* of the buckets, summed over the compute domains of
						 the package; all 0: those of the level */
	bool has_trl;
	uint64_t trl; /* the turbo-ratio register; eight ratios of SSE, by the level's buckets */
	bool base_freq_on;
	bool is_base_freq_core; /* SST-BF is on, and the CPU is a high-priority core of it */
	bool turbo_freq_on; /* then has_clos is true too */
	bool has_clos; /* SST-CP is on, and the CPU's CLOS is known */
	uint32_t clos; /* 0 to 3 */
	uint32_t clos_min_mhz;
	uint32_t clos_max_mhz; /* 0: no limit */
};

/* The number of active units: busy ones or, for a value that holds in any case, online ones. */
struct frequency_activity {
	size_t units[N_FREQUENCY_READINGS]; /* PUNIT cores: cores, or modules */
	size_t high_units; /* in CLOS 0 and 1 of the package, in the unit of the buckets of SST-TF:
			    * cores, or modules if turbo_freq.counts_modules */
};

enum frequency_kind {
	FREQUENCY_UPPER, /* the CPU does not go above */
	FREQUENCY_LOWER, /* nothing requests less */
	FREQUENCY_GUARANTEED /* with all cores busy */
};

/* In the order of the output; the first of equal limits binds. */
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

/* Returns the name that commands show: "turbo-ratio-limit"; static text. */
const char *frequency_limit_name(enum frequency_limit limit);
enum frequency_kind frequency_limit_kind(enum frequency_limit limit);

/* Keys of predictions and of CPUs in JSON. */
#define FREQUENCY_KEY_BASE     "base-mhz"
#define FREQUENCY_KEY_BOUND_BY "bound-by" /* frequency_limit_name() */
#define FREQUENCY_KEY_HIGH     "high-mhz" /* in the other reading of the turbo-ratio limits */
#define FREQUENCY_KEY_ABOVE    "not-taken-over-mhz"

struct frequency_prediction {
	/* 0: unknown, or no limit. The turbo-ratio limit is the lower one of the two readings. */
	uint32_t khz[N_FREQUENCY_LIMITS];
	uint32_t high_trl_khz; /* the turbo-ratio limit of the other reading */
	enum frequency_limit cap_by; /* or FREQUENCY_NO_LIMIT: cap_khz is 0 */
	uint32_t cap_khz; /* the CPU reaches at least this if it is busy and has enough power */
	uint32_t high_khz; /* it reaches at most this: above cap_khz if the readings differ */
	uint32_t reading_khz[N_FREQUENCY_READINGS]; /* the cap of each reading */
	uint32_t floor_khz; /* the lowest frequency under a lack of power; 0: unknown */
	unsigned int bucket; /* of SST-TF, for a high-priority core; or SST_BUCKETS */
	/* The frequency that Speed Select gives above highest_khz, if highest_khz binds: Linux has
	 * not taken over this frequency, or the hardware has less. 0: none. */
	uint32_t above_highest_khz;
};

/* Predicts for a turbo-ratio level, 0 to SST_TRL_LEVELS - 1. If turbo is off, the base frequency
 * for the instruction set replaces the limits of turbo. With SST-BF it is that of the core, which
 * is for SSE, but at most the level's for another instruction set. SST-TF opens the turbo-ratio
 * register: the level's turbo-ratio limits then hold for high-priority cores beyond the largest
 * bucket. Without SST-PP only the register has these limits; while open, it hides them. */
struct frequency_prediction frequency_predict(const struct frequency_inputs *inputs,
					      unsigned int trl_level,
					      const struct frequency_activity *activity);

/* Returns why the prediction of a turbo-ratio level has no cap (FREQUENCY_NO_LIMIT): the value of a
 * limit that holds is unknown. NULL: all limits are known. */
const char *frequency_find_unknown(const struct frequency_inputs *inputs, unsigned int trl_level,
				   const struct frequency_prediction *prediction);

/* Returns the limit of a kind that binds: the lowest upper limit, the highest limit of another
 * kind; or FREQUENCY_NO_LIMIT. The limits of turbo do not bind if turbo is off. */
enum frequency_limit frequency_find_binding(const struct frequency_prediction *prediction,
					    enum frequency_kind kind);

#endif
