// SPDX-License-Identifier: GPL-2.0-only
/* Every mailbox, MMIO and physical_cpu word that the program decodes: each field by its bits as
 * hardware.md, sections 2 and 3, has them, against no bit, all bits, each single bit and each bit
 * missing; then whole words as machines answer them, and the memory codes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "sst/mailbox/words.h"
#include "sst/platform.h"

/* What bits high to low of a word hold. */
/* Has a word's answer of that row and half put into the draft. */
static void decode(const struct level_word *word, uint32_t answer, unsigned int row,
		   unsigned int half, struct level_draft *draft)
{
	level_word_decode(word, &(struct level_answer){ .word = answer, .row = row, .half = half },
			  draft);
}

static uint64_t bits_of(uint32_t word, unsigned int high, unsigned int low)
{
	uint64_t value = 0;

	for (unsigned int bit = low; bit <= high; bit++)
		value |= (uint64_t)(word >> bit & 1) << (bit - low);
	return value;
}

#define N_PATTERNS (2 + 2 * 32)

/* No bit, all bits, then each bit alone, then each bit missing. */
static uint32_t pattern(unsigned int number)
{
	if (number < 2)
		return number ? UINT32_MAX : 0;
	number -= 2;
	return number < 32 ? 1U << number : ~(1U << (number - 32));
}

/* A field of a word that has a decoder of its own. */
struct word_field {
	const char *name;
	uint64_t (*get)(uint32_t answer);
	unsigned int high;
	unsigned int low;
	uint32_t factor;
};

#define GETTER(name, value)                   \
	static uint64_t name(uint32_t answer) \
	{                                     \
		return (value);               \
	}

/* A number of the value that a word decodes to. */
static uint64_t number_of(const struct word_format *format, uint32_t answer, unsigned int number)
{
	return word_decode(format, answer).numbers[number];
}

static struct sst_level control(uint32_t answer)
{
	struct sst_level level = { 0 };

	word_decode_control(answer, &level);
	return level;
}

GETTER(levels_version, word_decode_levels_info(answer).version)
GETTER(levels_highest, word_decode_levels_info(answer).highest_level)
GETTER(levels_current, word_decode_levels_info(answer).current_level)
GETTER(levels_locked, word_decode_levels_info(answer).locked)
GETTER(levels_enabled, word_decode_levels_info(answer).enabled)
GETTER(control_tf_supported, control(answer).turbo_freq_supported)
GETTER(control_bf_supported, control(answer).base_freq_supported)
GETTER(control_tf_on, control(answer).turbo_freq_on)
GETTER(control_bf_on, control(answer).base_freq_on)
GETTER(clos_epp, number_of(&word_clos, answer, VALUE_EPP))
GETTER(clos_weight, number_of(&word_clos, answer, VALUE_WEIGHT))
GETTER(clos_min, number_of(&word_clos, answer, VALUE_MIN_MHZ))
GETTER(clos_max, number_of(&word_clos, answer, VALUE_MAX_MHZ))
GETTER(clos_desired, number_of(&word_clos, answer, VALUE_DESIRED_MHZ))
GETTER(cp_supported, word_decode(&word_pm_config, answer).other_bits)
GETTER(cp_enabled, number_of(&word_pm_config, answer, VALUE_ENABLED))
GETTER(cp_clos_enabled, number_of(&word_qos_config, answer, VALUE_ENABLED))
GETTER(cp_ordered, number_of(&word_qos_config, answer, VALUE_ORDERED))
GETTER(association, word_decode(&word_association, answer).number)
GETTER(core, phy_id_decode(false, answer).core)
GETTER(punit_cpu, phy_id_decode(false, answer).punit_cpu)
GETTER(tpmi_core, phy_id_decode(true, answer).core)
GETTER(tpmi_punit_cpu, phy_id_decode(true, answer).punit_cpu)
GETTER(tpmi_domain, phy_id_decode(true, answer).punit)

static const struct word_field word_fields[] = {
	{ "GET_LEVELS_INFO version", levels_version, 7, 0, 1 },
	{ "GET_LEVELS_INFO highest level", levels_highest, 15, 8, 1 },
	{ "GET_LEVELS_INFO current level", levels_current, 23, 16, 1 },
	{ "GET_LEVELS_INFO locked", levels_locked, 24, 24, 1 },
	{ "GET_LEVELS_INFO enabled", levels_enabled, 31, 31, 1 },
	{ "GET_TDP_CONTROL SST-TF supported", control_tf_supported, 0, 0, 1 },
	{ "GET_TDP_CONTROL SST-BF supported", control_bf_supported, 1, 1, 1 },
	{ "GET_TDP_CONTROL SST-TF on", control_tf_on, 16, 16, 1 },
	{ "GET_TDP_CONTROL SST-BF on", control_bf_on, 17, 17, 1 },
	{ "PM_CLOS EPP", clos_epp, 3, 0, 1 },
	{ "PM_CLOS proportional priority", clos_weight, 7, 4, 1 },
	{ "PM_CLOS min", clos_min, 15, 8, 100 },
	{ "PM_CLOS max", clos_max, 23, 16, 100 },
	{ "PM_CLOS desired", clos_desired, 31, 24, 100 },
	{ "READ_PM_CONFIG supported", cp_supported, 0, 0, 1 },
	{ "READ_PM_CONFIG enabled", cp_enabled, 16, 16, 1 },
	{ "PM_QOS_CONFIG CLOS enabled", cp_clos_enabled, 1, 1, 1 },
	{ "PM_QOS_CONFIG priority type", cp_ordered, 2, 2, 1 },
	{ "PQR_ASSOC CLOS", association, 17, 16, 1 },
	{ "physical_cpu core", core, 8, 1, 1 },
	{ "physical_cpu with thread", punit_cpu, 8, 0, 1 },
	{ "TPMI physical_cpu core", tpmi_core, 10, 3, 1 },
	{ "TPMI physical_cpu with place", tpmi_punit_cpu, 10, 0, 1 },
	{ "TPMI physical_cpu domain", tpmi_domain, 15, 11, 1 },
};

static void fields_of_single_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(word_fields); i++) {
		const struct word_field *field = &word_fields[i];

		for (unsigned int n = 0; n < N_PATTERNS; n++) {
			uint32_t word = pattern(n);
			uint64_t wanted = bits_of(word, field->high, field->low) * field->factor;
			uint64_t found = field->get(word);

			if (found != wanted)
				fail_msg("%s of 0x%08x: %llu, not %llu", field->name, word,
					 (unsigned long long)found, (unsigned long long)wanted);
		}
	}
}

/* A field of a word of a level: what the word's decoder puts into the draft. */
struct level_field {
	const char *name;
	uint16_t sub_command;
	unsigned int row;
	unsigned int half;
	unsigned int high;
	unsigned int low;
	uint32_t factor;
	size_t offset;
};

#define AT(member) offsetof(struct level_draft, level.member)

static const struct level_field level_fields[] = {
	{ "TDP", 0x03, 0, 0, 14, 0, 1, AT(tdp_w) },
	{ "TDP ratio", 0x03, 0, 0, 23, 16, 1, AT(tdp_ratio) },
	{ "Tj max", 0x05, 0, 0, 7, 0, 1, AT(tjunction_max_c) },
	{ "turbo bucket 0", 0x07, 0, 0, 7, 0, 100, AT(turbo.mhz[0][0]) },
	{ "turbo bucket 3", 0x07, 0, 0, 31, 24, 100, AT(turbo.mhz[0][3]) },
	{ "turbo bucket 4", 0x07, 0, 1, 7, 0, 100, AT(turbo.mhz[0][4]) },
	{ "turbo bucket 7", 0x07, 0, 1, 31, 24, 100, AT(turbo.mhz[0][7]) },
	{ "avx2 turbo bucket 1", 0x07, 1, 0, 15, 8, 100, AT(turbo.mhz[1][1]) },
	{ "avx512 turbo bucket 6", 0x07, 2, 1, 23, 16, 100, AT(turbo.mhz[2][6]) },
	{ "level-4 turbo bucket 5", 0x07, 4, 1, 15, 8, 100, AT(turbo.mhz[4][5]) },
	{ "uncore P0", 0x09, 0, 0, 7, 0, 100, AT(uncore.max_mhz) },
	{ "uncore P1", 0x09, 0, 0, 15, 8, 100, AT(uncore.base_mhz) },
	{ "base SSE", 0x0a, 0, 0, 7, 0, 100, AT(base_mhz) },
	{ "base AVX2", 0x0a, 0, 0, 15, 8, 100, AT(base_avx2_mhz) },
	{ "base AVX512", 0x0a, 0, 0, 23, 16, 100, AT(base_avx512_mhz) },
	{ "base AMX", 0x0a, 0, 0, 31, 24, 100, AT(base_amx_mhz) },
	{ "ratio P0", 0x0c, 0, 0, 7, 0, 100, AT(uncore.max_mhz) },
	{ "ratio P1", 0x0c, 0, 0, 15, 8, 100, AT(uncore.base_mhz) },
	{ "ratio Pm", 0x0c, 0, 0, 31, 24, 100, AT(uncore.min_mhz) },
	{ "SST-TF cores 0", 0x10, 0, 0, 7, 0, 1, AT(turbo_freq.buckets.core_counts[0]) },
	{ "SST-TF cores 2", 0x10, 0, 0, 23, 16, 1, AT(turbo_freq.buckets.core_counts[2]) },
	{ "SST-TF cores 4", 0x10, 0, 1, 7, 0, 1, AT(turbo_freq.buckets.core_counts[4]) },
	{ "SST-TF cores 7", 0x10, 0, 1, 31, 24, 1, AT(turbo_freq.buckets.core_counts[7]) },
	{ "SST-TF bucket 0", 0x11, 0, 0, 7, 0, 100, AT(turbo_freq.buckets.mhz[0][0]) },
	{ "SST-TF avx2 bucket 7", 0x11, 1, 1, 31, 24, 100, AT(turbo_freq.buckets.mhz[1][7]) },
	{ "SST-TF level-3 bucket 2", 0x11, 3, 0, 23, 16, 100, AT(turbo_freq.buckets.mhz[3][2]) },
	{ "clip 0", 0x12, 0, 0, 7, 0, 100, AT(turbo_freq.clip_mhz[0]) },
	{ "clip 1", 0x12, 0, 0, 15, 8, 100, AT(turbo_freq.clip_mhz[1]) },
	{ "clip 2", 0x12, 0, 0, 23, 16, 100, AT(turbo_freq.clip_mhz[2]) },
	{ "P1 low", 0x21, 0, 0, 7, 0, 100, AT(base_freq.low_mhz) },
	{ "P1 high", 0x21, 0, 0, 15, 8, 100, AT(base_freq.high_mhz) },
	{ "T-prochot", 0x22, 0, 0, 7, 0, 1, AT(base_freq.tjunction_c) },
	{ "SST-BF TDP", 0x23, 0, 0, 15, 0, 1, AT(base_freq.tdp_w) },
};

/* The word of a sub-command; there must be exactly one. */
static const struct level_word *find_word(uint16_t sub_command)
{
	const struct level_word *found = NULL;

	for (size_t i = 0; i < n_level_words; i++) {
		if (level_words[i].sub_command != sub_command)
			continue;
		assert_null(found);
		found = &level_words[i];
	}
	assert_non_null(found);
	return found;
}

static void fields_of_level_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(level_fields); i++) {
		const struct level_field *field = &level_fields[i];
		const struct level_word *word = find_word(field->sub_command);

		for (unsigned int n = 0; n < N_PATTERNS; n++) {
			uint32_t answer = pattern(n), found;
			uint64_t wanted = bits_of(answer, field->high, field->low) * field->factor;
			struct level_draft draft = { 0 };

			decode(word, answer, field->row, field->half, &draft);
			memcpy(&found, (const char *)&draft + field->offset, sizeof(found));
			if (found != wanted)
				fail_msg("%s of 0x%08x: %u, not %llu", field->name, answer, found,
					 (unsigned long long)wanted);
		}
	}
}

/* Masks come in two halves, in either order; each is stored in its place. */
static void core_masks(void **state)
{
	static const struct {
		uint32_t low, high;
		uint64_t mask;
	} rows[] = {
		{ 0, 0, 0 },
		{ UINT32_MAX, 0, 0x00000000ffffffff },
		{ 0, UINT32_MAX, 0xffffffff00000000 },
		{ UINT32_MAX, UINT32_MAX, UINT64_MAX },
		{ 0, 1, 1ULL << 32 }, /* core 32 */
		{ 0x80000000, 0, 1ULL << 31 },
		{ 1, 0x80000000, 1ULL << 63 | 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct level_draft draft = { 0 };

		decode(find_word(0x06), rows[i].low, 0, 0, &draft);
		decode(find_word(0x06), rows[i].high, 0, 1, &draft);
		decode(find_word(0x20), rows[i].high, 0, 1, &draft);
		decode(find_word(0x20), rows[i].low, 0, 0, &draft);
		assert_int_equal(draft.core_mask, rows[i].mask);
		assert_int_equal(draft.base_freq_core_mask, rows[i].mask);
	}
}

/* The flags that an answer sets besides its values, and the members that it must not change. */
static void flags_of_words(void **state)
{
	struct level_draft draft = { 0 };

	(void)state;
	decode(find_word(0x0b), 0x1234, 0, 0, &draft);
	assert_true(level_draft_has(&draft, 0x0b));
	assert_int_equal(draft.memory_answer, 0x1234);
	assert_false(level_draft_has(&draft, 0x0a) || level_draft_has(&draft, 0x0c));
	decode(find_word(0x0a), 0, 0, 0, &draft);
	assert_true(level_draft_has(&draft, 0x0a));
	assert_false(level_draft_has(&draft, 0x0c));
	decode(find_word(0x09), UINT32_MAX, 0, 0, &draft);
	assert_false(level_draft_has(&draft, 0x0c));
	assert_int_equal(draft.level.uncore.min_mhz, 0); /* no Pm there */
	decode(find_word(0x0c), 0, 0, 0, &draft);
	assert_true(level_draft_has(&draft, 0x0c));
	assert_false(level_draft_has(&draft, 0x22));
	decode(find_word(0x22), 0, 0, 0, &draft);
	assert_true(level_draft_has(&draft, 0x22));
	decode(find_word(0x12), UINT32_MAX, 0, 0, &draft);
	assert_int_equal(draft.level.turbo_freq.clip_mhz[3], 0); /* three clips and no more */
}

/* How each word of a level is asked. */
static void table_of_level_words(void **state)
{
	static const struct {
		uint16_t sub_command;
		unsigned int part;
		enum level_word_span span;
		enum level_word_need need;
		uint32_t data;
	} rows[] = {
		{ 0x01, PLATFORM_SUPPORT, WORD_ONCE, WORD_EXISTENCE, 0 },
		{ 0x03, PLATFORM_LEVEL, WORD_ONCE, WORD_REQUIRED, 0 },
		{ 0x05, PLATFORM_LEVEL, WORD_ONCE, WORD_REQUIRED, 0 },
		{ 0x06, PLATFORM_LEVEL | PLATFORM_CPUS, WORD_CORES, WORD_REQUIRED, 0 },
		{ 0x07, PLATFORM_LEVEL, WORD_RATIOS, WORD_FIRST_ROW, 0 },
		{ 0x09, PLATFORM_LEVEL, WORD_ONCE, WORD_FALLBACK, 0 },
		{ 0x0a, PLATFORM_LEVEL, WORD_ONCE, WORD_OPTIONAL, 0 },
		{ 0x0b, PLATFORM_LEVEL, WORD_ONCE, WORD_OPTIONAL, 0 },
		{ 0x0c, PLATFORM_LEVEL, WORD_ONCE, WORD_OPTIONAL, 1U << 16 },
		{ 0x10, PLATFORM_TURBO_FREQ, WORD_BUCKETS, WORD_REQUIRED, 0 },
		{ 0x11, PLATFORM_TURBO_FREQ, WORD_RATIOS, WORD_FIRST_ROW, 0 },
		{ 0x12, PLATFORM_TURBO_FREQ, WORD_ONCE, WORD_REQUIRED, 0 },
		{ 0x20, PLATFORM_BASE_FREQ, WORD_CORES, WORD_REQUIRED, 0 },
		{ 0x21, PLATFORM_BASE_FREQ, WORD_ONCE, WORD_REQUIRED, 0 },
		{ 0x22, PLATFORM_BASE_FREQ, WORD_ONCE, WORD_REQUIRED, 0 },
		{ 0x23, PLATFORM_BASE_FREQ, WORD_ONCE, WORD_REQUIRED, 0 },
	};

	(void)state;
	assert_int_equal(n_level_words, ARRAY_SIZE(rows));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct level_word *word = find_word(rows[i].sub_command);

		assert_int_equal(word->part, rows[i].part);
		assert_int_equal(word->span, rows[i].span);
		assert_int_equal(word->need, rows[i].need);
		assert_int_equal(word->data, rows[i].data);
	}
}

/* Numbers of the requests, by hardware.md and not by words.h. */
static void request_numbers(void **state)
{
	static const struct target_value all_ones = {
		.numbers = { UINT16_MAX, UINT16_MAX, UINT16_MAX, UINT16_MAX, UINT16_MAX },
		.other_bits = UINT32_MAX,
	};
	const struct {
		uint32_t ours, wanted;
	} rows[] = {
		{ WORD_CONFIG_TDP, 0x7f },
		{ WORD_GET_LEVELS_INFO, 0x00 },
		{ WORD_GET_TDP_CONTROL, 0x01 },
		{ WORD_SET_TDP_CONTROL, 0x02 },
		{ WORD_SET_LEVEL, 0x08 },
		{ WORD_CLOS, 0xd0 },
		{ WORD_CLOS_PQR_ASSOC, 0x00 },
		{ WORD_CLOS_PM_CLOS, 0x01 },
		{ WORD_CLOS_PM_QOS_CONFIG, 0x02 },
		{ WORD_CLOS_WRITE, 0x100 },
		{ WORD_READ_PM_CONFIG, 0x94 },
		{ WORD_WRITE_PM_CONFIG, 0x95 },
		{ WORD_PM_FEATURE, 0x03 },
		{ WORD_UPPER_HALF, 0x100 },
		{ WORD_TRL_LEVEL(0), 0 },
		{ WORD_TRL_LEVEL(4), 0x40000 },
		{ WORD_UNCORE, 0x10000 },
		{ SST_MSR_TURBO_RATIO_LIMIT, 0x1ad },
		{ SST_MSR_TURBO_RATIO_LIMIT_CORES, 0x1ae },
		{ SST_MSR_TDP_CONTROL, 0x64b },
		{ SST_MSR_TDP_CONTROL_LOCKED, 0x80000000 },
		{ word_encode(&word_pm_config, &all_ones), 0x00010000 },
		{ word_encode(&word_control, &all_ones), 0x00030000 },
		{ word_encode(&word_qos_config, &all_ones), UINT32_MAX },
		{ ~word_qos_config.other_bits, 0x6 },
		{ word_encode(&word_association, &all_ones), UINT32_MAX },
		{ ~word_association.other_bits, 0x00030000 },
		{ WORD_MMIO_PM_CLOS(0), 0x08 },
		{ WORD_MMIO_PM_CLOS(3), 0x14 },
		{ WORD_MMIO_PQR_ASSOC(0), 0x20 },
		{ WORD_MMIO_PQR_ASSOC(44), 0xd0 }, /* the last of device 3451 */
		{ WORD_MMIO_PQR_ASSOC(63), 0x11c }, /* the last of device 3251 */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(rows[i].ours, rows[i].wanted);
}

static void memory_codes(void **state)
{
	static const struct {
		enum generation generation;
		uint32_t answer, mhz;
	} rows[] = {
		{ GENERATION_ICE_LAKE, 0, 3200 },
		{ GENERATION_ICE_LAKE, 1, 2933 },
		{ GENERATION_ICE_LAKE, 2, 2667 },
		{ GENERATION_ICE_LAKE, 3, 2400 },
		{ GENERATION_ICE_LAKE, 4, 2133 },
		{ GENERATION_ICE_LAKE, 5, 1867 },
		{ GENERATION_ICE_LAKE, 6, 1600 },
		{ GENERATION_ICE_LAKE, 7, 0 },
		{ GENERATION_ICE_LAKE, 0xff, 0 },
		{ GENERATION_ICE_LAKE, 0xffffff03, 2400 },
		{ GENERATION_SAPPHIRE_RAPIDS, 0, 0 },
		{ GENERATION_SAPPHIRE_RAPIDS, 1, 200 },
		{ GENERATION_SAPPHIRE_RAPIDS, 24, 4800 },
		{ GENERATION_SAPPHIRE_RAPIDS, 28, 5600 },
		{ GENERATION_SAPPHIRE_RAPIDS, 0xff, 51000 },
		{ GENERATION_SAPPHIRE_RAPIDS, 0xffffff18, 4800 },
		{ GENERATION_SKYLAKE, 0, 0 },
		{ GENERATION_SKYLAKE, 24, 0 },
		{ GENERATION_SKYLAKE, UINT32_MAX, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint32_t mhz = word_decode_memory(rows[i].generation, rows[i].answer);

		if (mhz != rows[i].mhz)
			fail_msg("code 0x%x of kind %d: %u MHz, not %u", rows[i].answer,
				 (int)rows[i].generation, mhz, rows[i].mhz);
	}
}

/* Bits 13:9, and what is 8 or more counts as 0. */
static void punit_ids(void **state)
{
	(void)state;
	for (uint32_t punit = 0; punit < 32; punit++) {
		uint32_t wanted = punit < 8 ? punit : 0;

		assert_int_equal(phy_id_decode(false, punit << 9).punit, wanted);
		assert_int_equal(phy_id_decode(false, punit << 9 | 0xffffc1ff).punit, wanted);
	}
}

/* Words of the machine in the user's guide. */
static void whole_words(void **state)
{
	struct sst_pp pp = word_decode_levels_info(0x80020403);
	struct target_value clos_value = word_decode(&word_clos, 0x00ff08f0);
	struct sst_clos clos = value_to_clos(&clos_value);

	(void)state;
	assert_true(pp.enabled && !pp.locked);
	assert_int_equal(pp.version, 3);
	assert_int_equal(pp.highest_level, 4);
	assert_int_equal(pp.current_level, 2);
	assert_int_equal(clos.epp, 0);
	assert_int_equal(clos.weight, 15);
	assert_int_equal(clos.min_mhz, 800);
	assert_int_equal(clos.max_mhz, 25500);
	assert_int_equal(clos.desired_mhz, 0);
	assert_true(clos.unlimited);
	assert_int_equal(sst_byte(0x1122334455667788, 0), 0x88);
	assert_int_equal(sst_byte(0x1122334455667788, 7), 0x11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_of_single_words),
		cmocka_unit_test(fields_of_level_words),
		cmocka_unit_test(core_masks),
		cmocka_unit_test(flags_of_words),
		cmocka_unit_test(table_of_level_words),
		cmocka_unit_test(request_numbers),
		cmocka_unit_test(memory_codes),
		cmocka_unit_test(punit_ids),
		cmocka_unit_test(whole_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
