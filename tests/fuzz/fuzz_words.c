// SPDX-License-Identifier: GPL-2.0-only
/* Words of the mailbox, of MMIO and of MSRs, decoded; what can be set is encoded again. */
#include <string.h>

#include "fuzz.h"
#include "sst/domains.h"
#include "sst/mailbox/words.h"

static void check_settings(uint32_t word)
{
	struct sst_clos clos = word_decode_clos(word);
	struct sst_core_power core_power = { 0 };
	struct sst_clos again = word_decode_clos(word_encode_clos(&clos));

	FUZZ_REQUIRE(again.epp == clos.epp && again.weight == clos.weight &&
		     again.min_mhz == clos.min_mhz && again.max_mhz == clos.max_mhz &&
		     again.unlimited == clos.unlimited && again.desired_mhz == clos.desired_mhz);
	word_decode_qos_config(word, &core_power);
	FUZZ_REQUIRE(word_encode_qos_config(word, core_power.clos_enabled, core_power.ordered) ==
		     word);
	word_decode_pm_config(word, &core_power);
	FUZZ_REQUIRE(word_decode_association(word) < SST_CLOS_COUNT);
	FUZZ_REQUIRE(word_encode_association(word, word_decode_association(word)) == word);
	FUZZ_REQUIRE(phy_id_decode(false, word).punit <= 7 &&
		     phy_id_decode(false, word).core <= 255);
	FUZZ_REQUIRE(phy_id_decode(true, word).punit < 32);
	FUZZ_REQUIRE(word_decode_levels_info(word).highest_level <= 255);
	for (int kind = WORD_MEMORY_UNKNOWN; kind <= WORD_MEMORY_200_MHZ; kind++)
		word_decode_memory((enum word_memory_code)kind, word);
}

static void check_limits(uint64_t msr)
{
	uint32_t counts[SST_BUCKETS], mhz[SST_BUCKETS];

	word_decode_bucket_counts(msr, counts);
	word_decode_bucket_ratios(msr, mhz);
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
		if (which % (n_level_words + 1) == n_level_words)
			level_word_decode(&level_word_uncore_fallback, &answer, &draft);
		else
			level_word_decode(&level_words[which % (n_level_words + 1)], &answer,
					  &draft);
	}
	sst_level_done(&draft.level);
	return 0;
}
