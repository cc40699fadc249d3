// SPDX-License-Identifier: GPL-2.0-only
/* Fuses with the figures of platforms/ (levels that add nothing new are left out). What all levels
 * of a platform share is a macro; each adds its own. */
#include "simulated.h"

/* clang-format off: it gives up on initialisers of this depth */

#define GUIDE_LEVEL \
	.tdp_ratio = 26, .base_ratio_sse = 26, .base_ratio_avx2 = 22, .base_ratio_avx512 = 19,	\
	.base_ratio_amx = 0, .tjunction_max_c = 100, .uncore[0].max_ratio = 24,			\
	.uncore[0].base_ratio = 14, .uncore[0].min_ratio = 8, .memory = 0, .power_min_w = 0,		\
	.turbo_core_counts = { 2, 4, 6, 8, 10, 12, 14, 16 }, .n_turbo_rows = 3,			\
	.turbo_ratios = {									\
		{ 32, 31, 31, 31, 31, 31, 31, 31 },						\
		{ 31, 30, 29, 29, 29, 29, 29, 29 },						\
		{ 30, 29, 27, 27, 27, 27, 27, 27 },						\
	},											\
	.has_turbo_freq = true,									\
	.turbo_freq = {										\
		.core_counts = { 2, 4, 6, 0, 0, 0, 0, 0 }, .n_rows = 3,				\
		.ratios = {									\
			{ 32, 31, 31, 0, 0, 0, 0, 0 },						\
			{ 32, 30, 30, 0, 0, 0, 0, 0 },						\
			{ 31, 29, 29, 0, 0, 0, 0, 0 },						\
		},										\
		.n_clips = 3, .clip_ratios = { 26, 24, 21 },					\
	}

const struct punit_fuses simulated_guide_fuses = {
	.pp_enabled = true, .pp_version = 1, .locked = false, .allowed_level_mask = 0x1f,
	.cp_supported = true, .clos_by_mailbox = false, .n_levels = 2,
	.levels = {
		{
			.level = 0, .core_mask = 0x3fff, .tdp_w = 205, .power_max_w = 205,
			GUIDE_LEVEL,
			.has_base_freq = true,
			.base_freq = {
				.core_mask = 0x2160, .high_ratio = 30, .low_ratio = 24,
				.tjunction_c = 125, .control_c = 0, .tdp_w = 205,
			},
		},
		{
			.level = 1, .core_mask = 0xfff, .tdp_w = 195, .power_max_w = 195,
			GUIDE_LEVEL,
		},
	},
};

const struct punit_fuses simulated_emr_fuses = {
	.pp_enabled = true, .pp_version = 3, .locked = false, .allowed_level_mask = 0x03,
	.cp_supported = true, .clos_by_mailbox = false, .n_levels = 1,
	.levels = {
		{
			.level = 0, .core_mask = 0xffffffffffffffff, .tdp_w = 350,
			.tdp_ratio = 19, .base_ratio_sse = 19, .base_ratio_avx2 = 17,
			.base_ratio_avx512 = 15, .base_ratio_amx = 12, .tjunction_max_c = 96,
			.uncore[0].max_ratio = 24, .uncore[0].base_ratio = 15, .uncore[0].min_ratio = 8,
			.memory = 28, .power_max_w = 350, .power_min_w = 0,
			.turbo_core_counts = { 32, 40, 46, 50, 54, 58, 62, 64 },
			.n_turbo_rows = 5,
			.turbo_ratios = {
				{ 39, 35, 33, 31, 30, 30, 29, 29 },
				{ 37, 33, 31, 29, 28, 28, 27, 27 },
				{ 36, 32, 30, 28, 27, 27, 26, 26 },
				{ 34, 30, 28, 26, 25, 25, 24, 24 },
				{ 30, 26, 24, 22, 21, 21, 20, 20 },
			},
			.has_base_freq = true,
			.base_freq = {
				.core_mask = 0xff000000ff, .high_ratio = 21, .low_ratio = 17,
				.tjunction_c = 96, .control_c = 0, .tdp_w = 350,
			},
			.has_turbo_freq = true,
			.turbo_freq = {
				.core_counts = { 16, 32, 48, 0, 0, 0, 0, 0 },
				.n_rows = 5,
				.ratios = {
					{ 39, 38, 36, 0, 0, 0, 0, 0 },
					{ 37, 36, 34, 0, 0, 0, 0, 0 },
					{ 36, 35, 33, 0, 0, 0, 0, 0 },
					{ 34, 33, 31, 0, 0, 0, 0, 0 },
					{ 30, 29, 27, 0, 0, 0, 0, 0 },
				},
				.n_clips = 5,
				.clip_ratios = { 19, 19, 17, 15, 12 },
			},
		},
	},
};

const struct punit_fuses simulated_cpx_fuses = {
	.pp_enabled = false, .pp_version = 2, .locked = true, .allowed_level_mask = 0x01,
	.unanswered = 1ULL << 0x0c | 1ULL << 0x0a, .cp_supported = true, .clos_by_mailbox = true,
	.n_levels = 1,
	.levels = {
		{
			.level = 0, .core_mask = 0xf1f0f1f, .tdp_w = 150, .tdp_ratio = 25,
			.base_ratio_sse = 25, .base_ratio_avx2 = 21, .base_ratio_avx512 = 17,
			.base_ratio_amx = 0, .tjunction_max_c = 100, .uncore[0].max_ratio = 24,
			.uncore[0].base_ratio = 14, .uncore[0].min_ratio = 11, .memory = 0,
			.power_max_w = 150, .power_min_w = 0,
			.turbo_core_counts = { 2, 4, 6, 8, 10, 14, 16, 18 },
			.n_turbo_rows = 3,
			.turbo_ratios = {
				{ 38, 36, 35, 35, 35, 35, 34, 33 },
				{ 35, 33, 32, 32, 32, 32, 31, 30 },
				{ 33, 31, 30, 30, 30, 30, 29, 28 },
			},
			.has_base_freq = true,
			.base_freq = {
				.core_mask = 0x1010f, .high_ratio = 27, .low_ratio = 21,
				.tjunction_c = 95, .control_c = 0, .tdp_w = 150,
			},
			.has_turbo_freq = true,
			.turbo_freq = {
				.core_counts = { 4, 8, 12, 0, 0, 0, 0, 0 },
				.n_rows = 3,
				.ratios = {
					{ 38, 36, 35, 0, 0, 0, 0, 0 },
					{ 35, 33, 32, 0, 0, 0, 0, 0 },
					{ 33, 31, 30, 0, 0, 0, 0, 0 },
				},
				.n_clips = 3,
				.clip_ratios = { 25, 21, 17 },
			},
		},
	},
};

#define SPR_LEVEL \
	.tdp_w = 205, .tjunction_max_c = 96, .uncore[0].max_ratio = 25, .uncore[0].base_ratio = 16,	\
	.uncore[0].min_ratio = 8, .memory = 24, .power_max_w = 205, .power_min_w = 0,		\
	.turbo_core_counts = { 8, 12, 16, 20, 24, 28, 30, 32 }, .n_turbo_rows = 3,		\
	.turbo_ratios = {									\
		{ 36, 35, 34, 32, 30, 29, 28, 27 },						\
		{ 33, 32, 31, 29, 27, 26, 25, 24 },						\
		{ 31, 30, 29, 27, 25, 24, 23, 22 },						\
	},											\
	.has_turbo_freq = true,									\
	.turbo_freq = {										\
		.core_counts = { 8, 12, 16, 0, 0, 0, 0, 0 }, .n_rows = 3,			\
		.ratios = {									\
			{ 36, 35, 34, 0, 0, 0, 0, 0 },						\
			{ 33, 32, 31, 0, 0, 0, 0, 0 },						\
			{ 31, 30, 29, 0, 0, 0, 0, 0 },						\
		},										\
		.n_clips = 3, .clip_ratios = { 20, 18, 16 },					\
	}

#define SPR_BASE_FREQ                         \
	.has_base_freq = true, .base_freq = { \
		.core_mask = 0xf0f0f,         \
		.high_ratio = 22,             \
		.low_ratio = 18,              \
		.tjunction_c = 96,            \
		.control_c = 0,               \
		.tdp_w = 205,                 \
	}

const struct punit_fuses simulated_spr_fuses = {
	.pp_enabled = true, .pp_version = 3, .locked = false, .allowed_level_mask = 0x19,
	.cp_supported = true, .clos_by_mailbox = false, .n_levels = 3,
	.levels = {
		{
			.level = 0, .core_mask = 0xffffffff, .tdp_ratio = 20,
			.base_ratio_sse = 20, .base_ratio_avx2 = 18, .base_ratio_avx512 = 16,
			.base_ratio_amx = 13, SPR_LEVEL, SPR_BASE_FREQ,
		},
		{
			.level = 3, .core_mask = 0xffffff, .tdp_ratio = 22,
			.base_ratio_sse = 22, .base_ratio_avx2 = 20, .base_ratio_avx512 = 18,
			.base_ratio_amx = 15, SPR_LEVEL, SPR_BASE_FREQ,
		},
		{
			.level = 4, .core_mask = 0xff00ff, .tdp_ratio = 25,
			.base_ratio_sse = 25, .base_ratio_avx2 = 23, .base_ratio_avx512 = 21,
			.base_ratio_amx = 18, SPR_LEVEL,
		},
	},
};
