// SPDX-License-Identifier: GPL-2.0-only
/* Words of the mailbox, of MMIO and of MSRs, decoded; what can be set is encoded again. */
#include <string.h>

#include "fuzz.h"
#include "platform/level_words.h"

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
	FUZZ_REQUIRE(word_decode_punit(word) <= 7 && word_decode_core(word) <= 255);
	FUZZ_REQUIRE(word_decode_tpmi_domain(word) < 32);
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
		FUZZ_REQUIRE(counts[i] == word_byte(msr, i) &&
			     mhz[i] == word_ratio_mhz(word_byte(msr, i)));
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
		level_words_decode_control(answer.word, &draft.level);
		if (which % (n_level_words + 1) == n_level_words)
			level_word_uncore_fallback.decode(&answer, &draft);
		else
			level_words[which % (n_level_words + 1)].decode(&answer, &draft);
	}
	sst_level_done(&draft.level);
	return 0;
}
