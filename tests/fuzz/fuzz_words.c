// SPDX-License-Identifier: GPL-2.0-only
/* Words of the mailbox, of MMIO and of MSRs, decoded; what can be set is encoded again. */
#include <string.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "sst/domains.h"
#include "sst/mailbox/words.h"

static void check_settings(uint32_t word)
{
	static const struct word_format *const formats[] = { &word_qos_config, &word_clos,
							     &word_association };
	struct target_value value, again;
	struct sst_clos clos;

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		value = word_decode(formats[i], word);
		FUZZ_REQUIRE(word_encode(formats[i], &value) == word);
	}
	value = word_decode(&word_clos, word);
	clos = value_to_clos(&value);
	again = value_of_clos(&clos);
	FUZZ_REQUIRE(target_value_equal(&again, &value));
	value = word_decode(&word_control, word);
	FUZZ_REQUIRE(word_encode(&word_control, &value) == (word & 0x30000));
	value = word_decode(&word_pm_config, word);
	FUZZ_REQUIRE(word_encode(&word_pm_config, &value) == (word & 0x10000));
	FUZZ_REQUIRE(word_decode(&word_association, word).number < SST_CLOS_COUNT);
	FUZZ_REQUIRE(phy_id_decode(false, word).punit <= 7 &&
		     phy_id_decode(false, word).core <= 255);
	FUZZ_REQUIRE(phy_id_decode(true, word).punit < 32);
	FUZZ_REQUIRE(word_decode_levels_info(word).highest_level <= 255);
	for (int generation = GENERATION_UNKNOWN; generation <= GENERATION_TPMI; generation++)
		word_decode_memory((enum generation)generation, word);
}

static void check_limits(uint64_t msr)
{
	uint32_t counts[SST_BUCKETS], mhz[SST_BUCKETS];

	word_decode_bytes(msr, SST_BUCKETS, 1, counts);
	word_decode_bytes(msr, SST_BUCKETS, sst_ratio_mhz(1), mhz);
	for (unsigned int i = 0; i < SST_BUCKETS; i++)
		FUZZ_REQUIRE(counts[i] == sst_byte(msr, i) &&
			     mhz[i] == sst_ratio_mhz(sst_byte(msr, i)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { .data = data, .left = size };
	struct level_draft draft = { 0 };

	while (input.left) {
		size_t which = fuzz_byte(&input);
		uint8_t place = fuzz_byte(&input);
		const struct level_answer answer = {
			.row = place % SST_TRL_LEVELS,
			.half = place >> 7,
			.word = (uint32_t)fuzz_number(&input, 4),
		};

		check_settings(answer.word);
		check_limits((uint64_t)answer.word << 32 | (answer.word ^ place));
		word_decode_control(answer.word, &draft.level);
		level_word_decode(&level_words[which % n_level_words], &answer, &draft);
	}
	sst_level_done(&draft.level);
	return 0;
}
