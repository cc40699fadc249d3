/* SPDX-License-Identifier: GPL-2.0-only */
/* SST data of a power domain, the same for every generation (hardware.md, "Which figure comes from
 * which request"). Frequencies are in MHz; zero is "not reported". */
#ifndef SST_SST_H
#define SST_SST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpuset.h"
#include "isst_abi.h"

#define SST_BUCKETS    ISST_BUCKETS
#define SST_TRL_LEVELS ISST_TRL_LEVELS
#define SST_CLOS_COUNT ISST_CLOS_COUNT
#define SST_MAX_LEVEL  7 /* the control word of SST-PP has 3 bits for a level */

/* Returns true if a core loses high priority by this change; CLOS 0 and 1 have high priority. */
static inline bool sst_loses_priority(uint64_t old_clos, uint64_t new_clos)
{
	return old_clos <= 1 && new_clos > 1;
}

#define SST_MSR_TURBO_RATIO_LIMIT       0x1ad
#define SST_MSR_TURBO_RATIO_LIMIT_CORES 0x1ae
#define SST_MSR_TDP_CONTROL             0x64b
#define SST_MSR_TDP_CONTROL_LOCKED      (1ULL << 31)

#define SST_RATIO_UNLIMITED 0xff /* the highest ratio of a CLOS means no limit */

/* Converts a ratio, which is in units of 100 MHz, to MHz. */
static inline uint32_t sst_ratio_mhz(uint32_t ratio)
{
	return ratio * 100;
}

/* Bits high to low of a word. */
static inline uint32_t sst_bits(uint32_t word, unsigned int high, unsigned int low)
{
	return (word >> low) & (UINT32_MAX >> (31 - (high - low)));
}

/* Byte number index of a word, from the lowest. */
static inline uint32_t sst_byte(uint64_t word, unsigned int index)
{
	return (uint32_t)(word >> (8 * index)) & 0xff;
}

/* SST-PP of a domain. Without SST-PP: not enabled, locked, level 0 only. */
struct sst_pp {
	bool enabled;
	bool locked;
	uint32_t version;
	uint32_t highest_level;
	uint32_t current_level;
};

/* Turbo frequencies by bucket (an active-core count) and turbo-ratio level. */
struct sst_turbo {
	uint32_t core_counts[SST_BUCKETS];
	uint32_t mhz[SST_TRL_LEVELS][SST_BUCKETS];
};

/* SST-BF at one level. */
struct sst_base_freq {
	uint32_t high_mhz;
	uint32_t low_mhz;
	uint32_t tjunction_c;
	uint32_t tdp_w;
	bool has_thermals; /* tjunction_c and tdp_w are known */
	struct cpuset high_cpus; /* offline ones too */
};

/* SST-TF at one level. */
struct sst_turbo_freq {
	struct sst_turbo buckets; /* core_counts are of high-priority cores; 0 ends the buckets */
	bool counts_modules; /* core_counts are of modules, each a PUNIT core */
	uint32_t clip_mhz[SST_TRL_LEVELS];
};

struct sst_fabric {
	uint32_t min_mhz;
	uint32_t max_mhz;
	uint32_t base_mhz;
};

/* One performance level. */
struct sst_level {
	bool has_enabled_cpus;
	struct cpuset enabled_cpus; /* offline ones too */
	uint32_t tdp_ratio;
	uint32_t base_mhz;
	uint32_t base_avx2_mhz;
	uint32_t base_avx512_mhz;
	uint32_t base_amx_mhz;
	struct sst_fabric uncore;
	int uncore_error; /* why part of uncore is unknown: -ENXIO or -EINVAL; else 0 */
	struct sst_fabric uncore1; /* the second fabric, SST-PP revision 2 and later */
	uint32_t memory_mhz;
	bool has_cooling_type;
	uint32_t cooling_type;
	uint32_t tdp_w;
	uint32_t tjunction_max_c;
	struct sst_turbo turbo;
	bool base_freq_supported;
	bool base_freq_on;
	bool turbo_freq_supported;
	bool turbo_freq_on;
	struct sst_base_freq base_freq; /* if supported and requested */
	struct sst_turbo_freq turbo_freq; /* if supported and requested */
};

/* SST-CP of a domain. */
struct sst_core_power {
	bool supported;
	bool enabled;
	bool clos_enabled; /* clos_enabled and ordered only if requested */
	bool ordered; /* priority type: else proportional */
};

/* One CLOS of a domain. */
struct sst_clos {
	uint32_t epp;
	uint32_t weight;
	uint32_t min_mhz;
	uint32_t max_mhz;
	bool unlimited; /* max_mhz does not limit */
	uint32_t desired_mhz;
};

/* Frees the CPU sets of a level. */
static inline void sst_level_done(struct sst_level *level)
{
	cpuset_done(&level->enabled_cpus);
	cpuset_done(&level->base_freq.high_cpus);
}

#endif
