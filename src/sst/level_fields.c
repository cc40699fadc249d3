// SPDX-License-Identifier: GPL-2.0-only
/* Lists the fields of a performance level in a table. The member place keeps the order of the
 * kernel's tool in perf-profile info. */
#include "sst/level_fields.h"

#define FIELD(group, member) LEVEL_##group, offsetof(struct sst_level, member)

const struct level_field level_fields[LEVEL_MOST_FIELDS + 1] = {
	{ FIELD(FREQUENCY, base_mhz), LEVEL_KEY_BASE, "base frequency", "base", .column = "base" },
	{ FIELD(FREQUENCY, base_avx2_mhz), "base-avx2-mhz", "base frequency, AVX2", "base, AVX2",
	  .column = "avx2", .rank = 10, .name = "base-frequency-avx2(MHz)", .place = 1 },
	{ FIELD(FREQUENCY, base_avx512_mhz), "base-avx512-mhz", "base frequency, AVX-512",
	  "base, AVX-512", .column = "avx512", .rank = 11, .name = "base-frequency-avx512(MHz)",
	  .place = 1 },
	{ FIELD(FREQUENCY, base_amx_mhz), "base-amx-mhz", "base frequency, AMX", "base, AMX",
	  .column = "amx", .rank = 12, .name = "base-frequency-amx(MHz)", .place = 3 },
	{ FIELD(BASE_FREQ, base_freq.high_mhz), LEVEL_KEY_HIGH, "SST-BF high frequency",
	  .heading = "SST-BF high" },
	{ FIELD(BASE_FREQ, base_freq.low_mhz), LEVEL_KEY_LOW, "SST-BF low frequency",
	  .heading = "SST-BF low" },
	{ FIELD(POWER, tdp_w), LEVEL_KEY_TDP, "TDP (W)", "TDP, W", .column = "TDP W", .rank = 4,
	  .name = "thermal-design-power(W)", .place = LEVEL_AFTER_FEATURES },
	{ FIELD(TEMPERATURE, tjunction_max_c), "tjunction-c", "junction temperature (C)",
	  "junction, degrees C", .summary_key = "tjunction-max-c", .column = "Tj C", .rank = 13,
	  .name = "tjunction-max(C)", .place = LEVEL_AFTER_FEATURES + 1 },
	{ FIELD(FABRIC, uncore.min_mhz), "uncore-min-mhz", "uncore minimum", "uncore minimum",
	  .name = "uncore-frequency-min(MHz)", .place = 2 },
	{ FIELD(FABRIC, uncore.base_mhz), "uncore-base-mhz", "uncore base",
	  .name = "uncore-frequency-base(MHz)", .place = 4 },
	{ FIELD(FABRIC, uncore.max_mhz), "uncore-max-mhz", "uncore maximum", "uncore maximum",
	  .column = "uncore", .rank = 8, .name = "uncore-frequency-max(MHz)", .place = 2 },
	{ FIELD(FABRIC, uncore1.min_mhz), "uncore-1-min-mhz", "uncore 1 minimum",
	  .name = "uncore-1-frequency-min(MHz)", .place = 5 },
	{ FIELD(FABRIC, uncore1.base_mhz), "uncore-1-base-mhz", "uncore 1 base",
	  .name = "uncore-1-frequency-base(MHz)", .place = 4 },
	{ FIELD(FABRIC, uncore1.max_mhz), "uncore-1-max-mhz", "uncore 1 maximum",
	  .name = "uncore-1-frequency-max(MHz)", .place = 5 },
	{ FIELD(MEMORY, memory_mhz), "memory-mhz", "memory frequency", "memory", .column = "memory",
	  .rank = 9, .name = "max-mem-frequency(MHz)", .place = 6 },
};
