// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the TPMI back end tells of performance levels (hardware.md, section 4): registers decoded
 * into the structures of the requests. Members that it does not know stay as they came. A level
 * that lacks SST-BF or SST-TF answers zeros.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "simulator/driver_tpmi.h"

#define RATIO_MHZ  100
#define POWER_UNIT 8 /* a watt has so many */

#define PP_HEADER 0
#define PP_STATUS 4

#define ROWS          4 /* of the PP part */
#define TF_ROWS       2 /* of the TF part */
#define BUCKET_COUNTS 10
#define RATIOS        11
#define TF_SUPPORTED  12
#define FABRIC_REV    2 /* SST-PP revision that has more than one fabric */

static uint16_t mhz(uint64_t word, unsigned int lowest)
{
	return (uint16_t)(driver_tpmi_field(word, lowest, 8) * RATIO_MHZ);
}

static uint16_t watts(uint64_t word, unsigned int lowest)
{
	return (uint16_t)(driver_tpmi_field(word, lowest, 15) / POWER_UNIT);
}

/* A bit for each level whose part says that it is supported. */
static uint8_t supporting_levels(struct tpmi_block *block, enum tpmi_part part)
{
	unsigned int mask = 0;

	for (uint32_t level = 0; level < PUNIT_MAX_LEVELS; level++) {
		if (driver_tpmi_has_level(block, level) &&
		    driver_tpmi_field(driver_tpmi_read_level(block, level, part, 0), TF_SUPPORTED,
				      1))
			mask |= 1U << level;
	}
	return (uint8_t)mask;
}

int driver_tpmi_perf_levels(struct tpmi_block *block, uint16_t api, void *argument)
{
	struct isst_perf_levels *levels = argument;
	uint64_t header = driver_tpmi_read_pp(block, PP_HEADER),
		 status = driver_tpmi_read_pp(block, PP_STATUS);
	bool as_masks = api >= ISST_API_TPMI_MASKS;

	levels->level_mask = (uint8_t)driver_tpmi_field(header, 12, 8);
	levels->max_level = 0;
	for (uint32_t level = 0; level < PUNIT_MAX_LEVELS; level++) {
		if (levels->level_mask >> level & 1)
			levels->max_level = (uint8_t)level;
	}
	levels->feature_rev = (uint8_t)driver_tpmi_field(header, 4, 8);
	levels->enabled = driver_tpmi_field(header, 0, 4) != 0;
	levels->current_level = (uint8_t)driver_tpmi_field(status, 0, 3);
	levels->locked = (uint8_t)driver_tpmi_field(status, 3, 1);
	levels->feature_state = (uint8_t)driver_tpmi_field(status, 8, 8);
	levels->sst_bf_support = supporting_levels(block, TPMI_PART_BF);
	levels->sst_tf_support = supporting_levels(block, TPMI_PART_TF);
	if (!as_masks) {
		levels->sst_bf_support = levels->sst_bf_support != 0;
		levels->sst_tf_support = levels->sst_tf_support != 0;
	}
	return 0;
}

static void put_rows(struct tpmi_block *block, uint32_t level, enum tpmi_part part, uint32_t first,
		     __u16 rows[ISST_TRL_LEVELS][ISST_BUCKETS])
{
	for (uint32_t row = 0; row < ISST_TRL_LEVELS; row++) {
		uint64_t word = driver_tpmi_read_level(block, level, part, first + row);

		for (unsigned int bucket = 0; bucket < ISST_BUCKETS; bucket++)
			rows[row][bucket] = mhz(word, 8 * bucket);
	}
}

static void put_counts(uint64_t word, __u16 counts[ISST_BUCKETS])
{
	for (unsigned int bucket = 0; bucket < ISST_BUCKETS; bucket++)
		counts[bucket] = (__u16)driver_tpmi_field(word, 8 * bucket, 8);
}

static void put_frequencies(struct tpmi_block *block, struct isst_perf_level_info *info)
{
	uint64_t bases = driver_tpmi_read_level(block, info->level, TPMI_PART_PP, 0);
	uint64_t ratios = driver_tpmi_read_level(block, info->level, TPMI_PART_PP, RATIOS);

	info->tdp_ratio = (__u16)driver_tpmi_field(bases, 0, 8);
	info->base_freq_mhz = mhz(bases, 0);
	info->base_freq_avx2_mhz = mhz(bases, 8);
	info->base_freq_avx512_mhz = mhz(bases, 16);
	info->base_freq_amx_mhz = mhz(bases, 24);
	info->p0_freq_mhz = mhz(ratios, 0);
	info->p1_freq_mhz = mhz(ratios, 8);
	info->pn_freq_mhz = mhz(ratios, 16);
	info->pm_freq_mhz = mhz(ratios, 24);
	info->p0_fabric_freq_mhz = mhz(ratios, 32);
	info->p1_fabric_freq_mhz = mhz(ratios, 40);
	info->pm_fabric_freq_mhz = mhz(ratios, 48);
}

int driver_tpmi_level_info(struct tpmi_block *block, uint16_t api, void *argument)
{
	struct isst_perf_level_info *info = argument;
	uint64_t word;

	(void)api;
	if (!driver_tpmi_has_level(block, info->level))
		return -EINVAL;
	put_frequencies(block, info);
	word = driver_tpmi_read_level(block, info->level, TPMI_PART_PP, 1);
	info->thermal_design_power_w = watts(word, 32);
	info->tjunction_max_c = (__u16)driver_tpmi_field(word, 47, 8);
	info->max_memory_freq_mhz = (__u16)(driver_tpmi_field(word, 55, 7) * RATIO_MHZ);
	info->cooling_type = (__u16)driver_tpmi_field(word, 62, 2);
	info->max_buckets = ISST_BUCKETS;
	info->max_trl_levels = ISST_TRL_LEVELS;
	put_counts(driver_tpmi_read_level(block, info->level, TPMI_PART_PP, BUCKET_COUNTS),
		   info->bucket_core_counts);
	put_rows(block, info->level, TPMI_PART_PP, ROWS, info->trl_freq_mhz);
	return 0;
}

static int put_mask(struct tpmi_block *block, struct isst_perf_level_cpu_mask *mask,
		    enum tpmi_part part, uint32_t word)
{
	if (mask->punit_cpu_map != 1 || !driver_tpmi_has_level(block, mask->level))
		return -EINVAL;
	mask->mask = driver_tpmi_read_level(block, mask->level, part, word);
	return 0;
}

int driver_tpmi_level_cpu_mask(struct tpmi_block *block, uint16_t api, void *argument)
{
	(void)api;
	return put_mask(block, argument, TPMI_PART_PP, 2);
}

int driver_tpmi_base_freq_cpu_mask(struct tpmi_block *block, uint16_t api, void *argument)
{
	(void)api;
	return put_mask(block, argument, TPMI_PART_BF, 1);
}

int driver_tpmi_base_freq_info(struct tpmi_block *block, uint16_t api, void *argument)
{
	struct isst_base_freq_info *info = argument;
	uint64_t word;

	(void)api;
	if (!driver_tpmi_has_level(block, info->level))
		return -EINVAL;
	word = driver_tpmi_read_level(block, info->level, TPMI_PART_BF, 0);
	info->high_base_freq_mhz = mhz(word, 13);
	info->low_base_freq_mhz = mhz(word, 21);
	info->tjunction_max_c = (__u16)driver_tpmi_field(word, 38, 8);
	info->thermal_design_power_w = watts(word, 46);
	return 0;
}

/* Counts of buckets that are not used are left as they came by SST-TF revision 2. */
static void put_used_counts(uint64_t word, __u16 counts[ISST_BUCKETS])
{
	for (unsigned int bucket = 0; bucket < ISST_BUCKETS; bucket++) {
		if (driver_tpmi_field(word, 8 * bucket, 8))
			counts[bucket] = (__u16)driver_tpmi_field(word, 8 * bucket, 8);
	}
}

int driver_tpmi_turbo_freq_info(struct tpmi_block *block, uint16_t api, void *argument)
{
	struct isst_turbo_freq_info *info = argument;
	uint64_t clips, counts;

	(void)api;
	if (!driver_tpmi_has_level(block, info->level))
		return -EINVAL;
	clips = driver_tpmi_read_level(block, info->level, TPMI_PART_TF, 0);
	counts = driver_tpmi_read_level(block, info->level, TPMI_PART_TF, 1);
	info->max_clip_freqs = ISST_TRL_LEVELS;
	info->max_buckets = ISST_BUCKETS;
	info->max_trl_levels = ISST_TRL_LEVELS;
	for (unsigned int i = 0; i < ISST_TRL_LEVELS; i++)
		info->lp_clip_freq_mhz[i] = mhz(clips, 16 + 8 * i);
	if (driver_tpmi_field(driver_tpmi_read_pp(block, PP_HEADER), 4, 8) >= FABRIC_REV)
		put_used_counts(counts, info->bucket_core_counts);
	else
		put_counts(counts, info->bucket_core_counts);
	put_rows(block, info->level, TPMI_PART_TF, TF_ROWS, info->trl_freq_mhz);
	return 0;
}

/* The specification names no register for the second fabric: it comes from the fuses. */
int driver_tpmi_fabric_info(struct tpmi_block *block, uint16_t api, void *argument)
{
	struct isst_perf_level_fabric_info *info = argument;
	const struct punit_level *level;
	uint64_t ratios;

	(void)api;
	if (driver_tpmi_field(driver_tpmi_read_pp(block, PP_HEADER), 4, 8) < FABRIC_REV)
		return -EOPNOTSUPP;
	if (!driver_tpmi_has_level(block, info->level))
		return -EINVAL;
	level = punit_find_level(block->punit.fuses, (uint8_t)info->level);
	ratios = driver_tpmi_read_level(block, info->level, TPMI_PART_PP, RATIOS);
	info->max_fabrics = level->has_uncore1 ? 2 : 1;
	info->p0_fabric_freq_mhz[0] = mhz(ratios, 32);
	info->p1_fabric_freq_mhz[0] = mhz(ratios, 40);
	info->pm_fabric_freq_mhz[0] = mhz(ratios, 48);
	if (level->has_uncore1) {
		info->p0_fabric_freq_mhz[1] = (__u16)(level->uncore1_max_ratio * RATIO_MHZ);
		info->p1_fabric_freq_mhz[1] = (__u16)(level->uncore1_base_ratio * RATIO_MHZ);
		info->pm_fabric_freq_mhz[1] = (__u16)(level->uncore1_min_ratio * RATIO_MHZ);
	}
	return 0;
}
