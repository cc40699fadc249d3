// SPDX-License-Identifier: GPL-2.0-only
/* Performance levels of mailbox parts: exactly which requests go out for which part of a level,
 * what is made of the answers, and what a refusal of each word means (hardware.md, section 3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "mailbox_bench.h"

#define ALL_PARTS (PLATFORM_LEVEL | PLATFORM_BASE_FREQ | PLATFORM_TURBO_FREQ)

#define WORD(sub, data, answer) ENTRY_MAILBOX(0, 0x7f, sub, data, answer)

/* A level that has everything, of package 0 and with level number 2; three turbo-ratio levels. */
static const struct entry control_of_2[] = { WORD(0x01, 2, 0x00020003) };
static const struct entry words_of_2[] = {
	WORD(0x03, 2, 0x001700cd), /* 205 W, ratio 23 */
	WORD(0x05, 2, 0xffffff64), /* 100 C */
	WORD(0x06, 2, 0x00000002), /* core 1 */
	WORD(0x07, 0x00002, 0x22232425), /* turbo limits, by turbo-ratio level and half */
	WORD(0x07, 0x00102, 0x1e1f2021),
	WORD(0x07, 0x10002, 0x1e1e1e1e),
	WORD(0x07, 0x10102, 0x1d1d1d1d),
	WORD(0x07, 0x20002, 0x1a1a1a1a),
	WORD(0x07, 0x20102, 0x19191919),
	WORD(0x0a, 2, 0x0f111517), /* base 2300, 2100, 1700, 1500 */
	WORD(0x0b, 2, 0x00000018), /* memory */
	WORD(0x0c, 0x10002, 0x08001019), /* uncore P0 25, P1 16, Pm 8 */
	WORD(0x20, 2, 0x00000001), /* SST-BF: core 0 */
	WORD(0x21, 2, 0x00001b15), /* 2700 and 2100 */
	WORD(0x22, 2, 0x00005f55), /* 85 C */
	WORD(0x23, 2, 0xffff00c8), /* 200 W */
	WORD(0x10, 0x00002, 0x00000402), /* SST-TF: two buckets */
	WORD(0x10, 0x00102, 0),
	WORD(0x11, 0x00002, 0x00002628),
	WORD(0x11, 0x00102, 0),
	WORD(0x11, 0x10002, 0x00002426),
	WORD(0x11, 0x10102, 0),
	WORD(0x11, 0x20002, 0x00002022),
	WORD(0x11, 0x20102, 0),
	WORD(0x12, 2, 0xff16181a), /* clips 2600, 2400, 2200 */
};
static const struct entry counts_of_2[] = { ENTRY_READ(0, 0x1ae, 0x100e0c0a08060402) };
static const struct entry fallback_of_2[] = { WORD(0x09, 2, 0xffff1118) };

/* Reads one level of package 0 while the steps are expected; the caller frees what it tells. */
static struct platform_level_query read_level(uint32_t model, const uint32_t *core_ids,
					      unsigned int parts, const struct script_step *steps,
					      size_t n_steps)
{
	struct platform_level_query query = { .level = 2, .pp_enabled = true };
	struct mailbox_bench bench;

	mailbox_bench_open(&bench, model, core_ids, NULL, 0);
	query.domain = mailbox_bench_domain(&bench, 0);
	mailbox_bench_expect(&bench, steps, n_steps);
	assert_int_equal(bench.platform->ops->read_levels(bench.platform, parts, &query, 1), 0);
	mailbox_bench_expect_end(&bench);
	mailbox_bench_close(&bench);
	return query;
}

static void check_figures(const struct sst_level *level)
{
	assert_true(level->base_freq_supported && level->base_freq_on);
	assert_true(level->turbo_freq_supported && !level->turbo_freq_on);
	assert_true(level->has_enabled_cpus && !level->has_cooling_type);
	mailbox_bench_assert_cpus(&level->enabled_cpus, "1,5");
	assert_int_equal(level->tdp_w, 205);
	assert_int_equal(level->tdp_ratio, 23);
	assert_int_equal(level->tjunction_max_c, 100);
	assert_int_equal(level->base_mhz, 2300);
	assert_int_equal(level->base_avx2_mhz, 2100);
	assert_int_equal(level->base_avx512_mhz, 1700);
	assert_int_equal(level->base_amx_mhz, 1500);
	assert_int_equal(level->uncore.max_mhz, 2500);
	assert_int_equal(level->uncore.base_mhz, 1600);
	assert_int_equal(level->uncore.min_mhz, 800);
	assert_int_equal(level->uncore1.max_mhz, 0);
}

static void check_features(const struct sst_level *level)
{
	assert_int_equal(level->turbo.core_counts[0], 2);
	assert_int_equal(level->turbo.core_counts[7], 16);
	assert_int_equal(level->turbo.mhz[0][0], 3700);
	assert_int_equal(level->turbo.mhz[0][4], 3300);
	assert_int_equal(level->turbo.mhz[2][7], 2500);
	mailbox_bench_assert_cpus(&level->base_freq.high_cpus, "0,4");
	assert_int_equal(level->base_freq.high_mhz, 2700);
	assert_int_equal(level->base_freq.low_mhz, 2100);
	assert_true(level->base_freq.has_thermals);
	assert_int_equal(level->base_freq.tjunction_c, 85);
	assert_int_equal(level->base_freq.tdp_w, 200);
	assert_int_equal(level->turbo_freq.buckets.core_counts[1], 4);
	assert_int_equal(level->turbo_freq.buckets.core_counts[2], 0);
	assert_int_equal(level->turbo_freq.buckets.mhz[1][0], 3800);
	assert_int_equal(level->turbo_freq.clip_mhz[2], 2200);
}

/* Everything answers: three requests. Only the memory code differs between parts. */
static void whole_level(void **state)
{
	static const struct {
		uint32_t model, memory_mhz;
	} rows[] = {
		{ SKYLAKE, 0 },
		{ ICE_LAKE, 0 }, /* code 24 means nothing there */
		{ SAPPHIRE_RAPIDS, 4800 },
	};
	const struct script_step steps[] = {
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, control_of_2, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, words_of_2, 0),
		SCRIPT_SLICE(ISST_IF_MSR_COMMAND, SCRIPT_ALL, counts_of_2, 0),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct platform_level_query query =
			read_level(rows[i].model, NULL, ALL_PARTS, steps, ARRAY_SIZE(steps));

		assert_int_equal(query.error, 0);
		check_figures(&query.info);
		check_features(&query.info);
		assert_int_equal(query.info.memory_mhz, rows[i].memory_mhz);
		sst_level_done(&query.info);
	}
}

/* P1, memory and ratios refused: not reported, TDP ratio x 100 instead, uncore from the older
 * word. */
static void refused_extras(void **state)
{
	const struct script_step steps[] = {
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, control_of_2, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, 9, words_of_2, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -ENXIO, words_of_2, 9),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -EINVAL, words_of_2, 10),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -ENXIO, words_of_2, 11),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, words_of_2, 12),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, fallback_of_2, 0),
		SCRIPT_SLICE(ISST_IF_MSR_COMMAND, SCRIPT_ALL, counts_of_2, 0),
	};
	struct platform_level_query query =
		read_level(SAPPHIRE_RAPIDS, NULL, ALL_PARTS, steps, ARRAY_SIZE(steps));

	(void)state;
	assert_int_equal(query.error, 0);
	check_features(&query.info);
	assert_int_equal(query.info.base_mhz, 2300);
	assert_int_equal(query.info.base_avx2_mhz, 0);
	assert_int_equal(query.info.base_avx512_mhz, 0);
	assert_int_equal(query.info.base_amx_mhz, 0);
	assert_int_equal(query.info.memory_mhz, 0);
	assert_int_equal(query.info.uncore.max_mhz, 2400);
	assert_int_equal(query.info.uncore.base_mhz, 1700);
	assert_int_equal(query.info.uncore.min_mhz, 0);
	sst_level_done(&query.info);
}

/* Neither uncore word: no uncore, and no error. */
static void no_uncore_at_all(void **state)
{
	const struct script_step steps[] = {
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, control_of_2, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, 11, words_of_2, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -ENXIO, words_of_2, 11),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, words_of_2, 12),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -ENXIO, fallback_of_2, 0),
		SCRIPT_SLICE(ISST_IF_MSR_COMMAND, SCRIPT_ALL, counts_of_2, 0),
	};
	struct platform_level_query query =
		read_level(ICE_LAKE, NULL, ALL_PARTS, steps, ARRAY_SIZE(steps));

	(void)state;
	assert_int_equal(query.error, 0);
	assert_int_equal(query.info.uncore.max_mhz, 0);
	assert_int_equal(query.info.base_mhz, 2300);
	sst_level_done(&query.info);
}

/* Words that a level needs: what fails, at which word, and the message to the user. */
static void refused_words(void **state)
{
	static const struct {
		size_t at; /* in words_of_2 */
		int err;
		const char *failed; /* NULL: it can do without */
	} rows[] = {
		{ 0, -ENXIO, "GET_TDP_INFO" },
		{ 1, -ENXIO, "GET_TJMAX_INFO" },
		{ 2, -EINVAL, "GET_CORE_MASK" },
		{ 3, -ENXIO, "GET_TURBO_LIMIT_RATIOS" },
		{ 4, -ENXIO, "GET_TURBO_LIMIT_RATIOS" },
		{ 5, -ENXIO, NULL }, /* parts differ in how many turbo-ratio levels they have */
		{ 8, -ENXIO, NULL },
		{ 8, -EPERM, "GET_TURBO_LIMIT_RATIOS" },
		{ 9, -EPERM, "GET_P1_INFO" },
		{ 12, -ENXIO, "PBF_GET_CORE_MASK_INFO" },
		{ 13, -ENXIO, "PBF_GET_P1HI_P1LO_INFO" },
		{ 14, -ENXIO, "PBF_GET_TJ_MAX_INFO" },
		{ 15, -ENXIO, "PBF_GET_TDP_INFO" },
		{ 16, -ENXIO, "GET_FACT_HP_TURBO_LIMIT_NUMCORES" },
		{ 18, -ENXIO, "GET_FACT_HP_TURBO_LIMIT_RATIOS" },
		{ 20, -ENXIO, NULL },
		{ 24, -ENXIO, "GET_FACT_LP_CLIPPING_RATIO" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t at = rows[i].at, last = ARRAY_SIZE(words_of_2) - 1;
		struct script_step steps[6] = {
			SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, control_of_2, 0),
			SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, (int)at, words_of_2, 0),
			SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, rows[i].err, words_of_2, at),
			SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, words_of_2, at + 1),
			SCRIPT_SLICE(ISST_IF_MSR_COMMAND, SCRIPT_ALL, counts_of_2, 0),
		};
		struct platform_level_query query;

		if (at == 0) /* no short count before it */
			memmove(&steps[1], &steps[2], 4 * sizeof(steps[0]));
		if (at == last) /* nothing left after it */
			steps[3] = steps[4];
		query = read_level(SAPPHIRE_RAPIDS, NULL, ALL_PARTS, steps,
				   at == 0 || at == last ? 4 : 5);
		assert_int_equal(query.error, rows[i].failed ? rows[i].err : 0);
		if (rows[i].failed)
			assert_string_equal(query.failed, rows[i].failed);
		sst_level_done(&query.info);
	}
}

/* The core counts come from an MSR: without its driver there is no level to show. */
static void no_msr_driver(void **state)
{
	const struct script_step steps[] = {
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, control_of_2, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, words_of_2, 0),
		SCRIPT_SLICE(ISST_IF_MSR_COMMAND, -ENOTTY, counts_of_2, 0),
	};
	struct platform_level_query query =
		read_level(SAPPHIRE_RAPIDS, NULL, ALL_PARTS, steps, ARRAY_SIZE(steps));

	(void)state;
	assert_int_equal(query.error, -ENOTTY);
	assert_string_equal(query.failed, "MSR 0x1AE");
	sst_level_done(&query.info);
}

/* A level is asked for what the command shows and has, and for nothing else. */
static void parts(void **state)
{
	static const struct {
		unsigned int parts;
		uint32_t control;
		size_t first, count; /* of words_of_2 */
	} rows[] = {
		{ PLATFORM_SUPPORT, 3, 0, 0 },
		{ PLATFORM_BASE_FREQ, 3, 12, 4 },
		{ PLATFORM_BASE_FREQ, 1, 0, 0 },
		{ PLATFORM_TURBO_FREQ, 3, 16, 9 },
		{ PLATFORM_TURBO_FREQ, 2, 0, 0 },
		{ PLATFORM_BASE_FREQ | PLATFORM_TURBO_FREQ, 3, 12, 13 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct entry control[] = { WORD(0x01, 2, rows[i].control) };
		const struct script_step steps[] = {
			SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, control, 0),
			{ .request = ISST_IF_MBOX_COMMAND,
			  .result = SCRIPT_ALL,
			  .entries = words_of_2 + rows[i].first,
			  .n_entries = rows[i].count },
		};
		struct platform_level_query query =
			read_level(ICE_LAKE, NULL, rows[i].parts, steps, rows[i].count ? 2 : 1);

		assert_int_equal(query.error, 0);
		assert_int_equal(query.info.turbo_freq_supported, rows[i].control & 1);
		assert_int_equal(query.info.base_freq_supported, rows[i].control >> 1 & 1);
		assert_false(query.info.has_enabled_cpus);
		sst_level_done(&query.info);
	}
}

/* Levels 0, 1 and 2 of both packages: 1 does not exist, and one mailbox stays busy. */
static void levels_with_holes(void **state)
{
	const struct entry controls[] = {
		ENTRY_MAILBOX(0, 0x7f, 0x01, 0, 1), ENTRY_MAILBOX(0, 0x7f, 0x01, 1, 0),
		ENTRY_MAILBOX(0, 0x7f, 0x01, 2, 2), ENTRY_MAILBOX(2, 0x7f, 0x01, 0, 3),
		ENTRY_MAILBOX(2, 0x7f, 0x01, 1, 0), ENTRY_MAILBOX(2, 0x7f, 0x01, 2, 0),
	};
	const struct script_step steps[] = {
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, 1, controls, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -ENXIO, controls, 1),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, 2, controls, 2),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -ENXIO, controls, 4),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -EBUSY, controls, 5),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -EBUSY, controls, 5),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -EBUSY, controls, 5),
	};
	static const int errors[] = { 0, -ENOENT, 0, 0, -ENOENT, -EBUSY };
	struct platform_level_query queries[6] = { 0 };
	struct mailbox_bench bench;

	(void)state;
	mailbox_bench_open(&bench, ICE_LAKE, NULL, NULL, 0);
	for (uint32_t i = 0; i < 6; i++) {
		queries[i].domain = mailbox_bench_domain(&bench, i / 3);
		queries[i].level = i % 3;
		queries[i].pp_enabled = true;
	}
	mailbox_bench_expect(&bench, steps, ARRAY_SIZE(steps));
	assert_int_equal(
		bench.platform->ops->read_levels(bench.platform, PLATFORM_SUPPORT, queries, 6), 0);
	mailbox_bench_expect_end(&bench);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(queries[i].error, errors[i]);
	assert_true(queries[0].info.turbo_freq_supported && !queries[0].info.base_freq_supported);
	assert_true(queries[2].info.base_freq_supported && !queries[2].info.turbo_freq_supported);
	assert_string_equal(queries[5].failed, "GET_TDP_CONTROL");
	mailbox_bench_close(&bench);
}

/* The upper half of a mask goes out where a core id needs it: from 32 on, and not before. */
static void upper_cores(void **state)
{
	static const struct {
		uint32_t core_ids[2];
		uint32_t low, high;
		bool upper;
		const char *cpus;
	} rows[] = {
		{ { 0, 31 }, 0x80000000, 0, false, "1,5" },
		{ { 0, 32 }, 0, 0x00000001, true, "1,5" },
		{ { 0, 32 }, 1, 0x00000001, true, "0-1,4-5" },
		{ { 5, 40 }, 1U << 5, 0, true, "0,4" },
		{ { 5, 40 }, 1, 1, true, "" }, /* holes: no CPU has these ids */
		{ { 5, 63 }, 0, 0x80000000, true, "1,5" },
		{ { 5, 64 }, UINT32_MAX, UINT32_MAX, true, "0,4" }, /* no mask reaches that */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct entry control[] = { WORD(0x01, 2, 2) };
		const struct entry masks[] = { WORD(0x20, 0x002, rows[i].low),
					       WORD(0x20, 0x102, rows[i].high) };
		const struct entry rest[] = { WORD(0x21, 2, 0), WORD(0x22, 2, 0),
					      WORD(0x23, 2, 0) };
		struct entry words[ARRAY_SIZE(masks) + ARRAY_SIZE(rest)];
		size_t n_masks = rows[i].upper ? 2 : 1;
		struct script_step steps[] = {
			SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, control, 0),
			SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, words, 0),
		};
		struct platform_level_query query;

		memcpy(words, masks, n_masks * sizeof(masks[0]));
		memcpy(words + n_masks, rest, sizeof(rest));
		steps[1].n_entries = n_masks + ARRAY_SIZE(rest);
		query = read_level(ICE_LAKE, rows[i].core_ids, PLATFORM_BASE_FREQ, steps, 2);
		assert_int_equal(query.error, 0);
		mailbox_bench_assert_cpus(&query.info.base_freq.high_cpus, rows[i].cpus);
		sst_level_done(&query.info);
	}
}

/* Five turbo-ratio levels are asked for; a part that knows three refuses the others. */
static void emerald_rapids(void **state)
{
	struct entry limits[10];
	const struct entry control[] = { WORD(0x01, 2, 1) };
	const struct entry counts[] = { WORD(0x10, 0x002, 2), WORD(0x10, 0x102, 0) };
	const struct entry clips[] = { WORD(0x12, 2, 0x00181a1c) };
	struct entry words[ARRAY_SIZE(counts) + ARRAY_SIZE(limits) + ARRAY_SIZE(clips)];
	const struct script_step steps[] = {
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, control, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, 8, words, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -ENXIO, words, 8),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, -ENXIO, words, 9),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, words, 10),
	};
	struct platform_level_query query;

	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(limits); i++)
		limits[i] = (struct entry)WORD(0x11, (i / 2) << 16 | (i % 2) << 8 | 2, 40 - i);
	memcpy(words, counts, sizeof(counts));
	memcpy(words + ARRAY_SIZE(counts), limits, sizeof(limits));
	memcpy(words + ARRAY_SIZE(words) - 1, clips, sizeof(clips));
	query = read_level(EMERALD_RAPIDS, NULL, PLATFORM_TURBO_FREQ, steps, ARRAY_SIZE(steps));
	assert_int_equal(query.error, 0);
	assert_int_equal(query.info.turbo_freq.buckets.mhz[2][0], 3600);
	assert_int_equal(query.info.turbo_freq.buckets.mhz[3][0], 0);
	assert_int_equal(query.info.turbo_freq.buckets.mhz[4][0], 3200);
	assert_int_equal(query.info.turbo_freq.clip_mhz[2], 2400);
	assert_int_equal(query.info.turbo_freq.clip_mhz[3], 0);
	sst_level_done(&query.info);
}

/* Without SST-PP the Skylake generation is asked little; MSRs and cpufreq tell the rest. */
static void skylake_without_levels(void **state)
{
	const struct entry control[] = { WORD(0x01, 0, 2) };
	const struct entry words[] = { WORD(0x20, 0, 2), WORD(0x21, 0, 0x1a12), WORD(0x22, 0, 0x64),
				       WORD(0x23, 0, 0x96) };
	const struct entry msrs[] = { ENTRY_READ(0, 0x1ae, 0x1c1814100c080402),
				      ENTRY_READ(0, 0x1ad, 0x1b1c1d1e1f202122) };
	const struct script_step steps[] = {
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, control, 0),
		SCRIPT_SLICE(ISST_IF_MBOX_COMMAND, SCRIPT_ALL, words, 0),
		SCRIPT_SLICE(ISST_IF_MSR_COMMAND, SCRIPT_ALL, msrs, 0),
	};
	struct platform_level_query query = { 0 };
	struct mailbox_bench bench;

	(void)state;
	mailbox_bench_open(&bench, SKYLAKE, NULL, NULL, 0);
	fake_machine_set_file(&bench.fake, "/sys/devices/system/cpu/cpu4/cpufreq/base_frequency",
			      "2550000\n", 0);
	query.domain = mailbox_bench_domain(&bench, 0);
	mailbox_bench_expect(&bench, steps, ARRAY_SIZE(steps));
	assert_int_equal(bench.platform->ops->read_levels(bench.platform, ALL_PARTS, &query, 1), 0);
	mailbox_bench_expect_end(&bench);
	assert_int_equal(query.error, 0);
	assert_false(query.info.has_enabled_cpus);
	assert_int_equal(query.info.turbo.mhz[0][0], 3400);
	assert_int_equal(query.info.turbo.mhz[0][7], 2700);
	assert_int_equal(query.info.turbo.mhz[1][0], 0);
	assert_int_equal(query.info.turbo.core_counts[7], 28);
	assert_int_equal(query.info.base_freq.high_mhz, 2600);
	mailbox_bench_assert_cpus(&query.info.base_freq.high_cpus, "1,5");
	bench.platform->ops->refine_level(bench.platform, &query, 4);
	assert_int_equal(query.info.tdp_ratio, 25);
	assert_int_equal(query.info.base_mhz, 2500);
	query.pp_enabled = true; /* then the mailbox has reported it */
	bench.platform->ops->refine_level(bench.platform, &query, 0);
	assert_int_equal(query.info.base_mhz, 2500);
	query.pp_enabled = false;
	bench.platform->ops->refine_level(bench.platform, &query, 0); /* has no such file */
	assert_int_equal(query.info.tdp_ratio, 0);
	assert_int_equal(query.info.base_mhz, 0);
	sst_level_done(&query.info);
	mailbox_bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_level),       cmocka_unit_test(refused_extras),
		cmocka_unit_test(no_uncore_at_all),  cmocka_unit_test(refused_words),
		cmocka_unit_test(no_msr_driver),     cmocka_unit_test(parts),
		cmocka_unit_test(levels_with_holes), cmocka_unit_test(upper_cores),
		cmocka_unit_test(emerald_rapids),    cmocka_unit_test(skylake_without_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
