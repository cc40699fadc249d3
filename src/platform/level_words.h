/* SPDX-License-Identifier: GPL-2.0-only */
/* Which mailbox words make up a performance level, and what each of their answers tells. */
#ifndef PLATFORM_LEVEL_WORDS_H
#define PLATFORM_LEVEL_WORDS_H

#include "platform/words.h"

/* A level as its words come in. */
struct level_draft {
	struct sst_level level;
	uint64_t core_mask;
	uint64_t base_freq_core_mask;
	uint32_t memory_answer;
	bool has_memory;
	bool has_p1_info;
	bool has_ratio_info;
};

/* An answer: the word, and of which request of a span it is. */
struct level_answer {
	uint32_t word;
	unsigned int row; /* turbo-ratio level */
	unsigned int half; /* 0 or 1 */
};

enum level_word_span {
	LEVEL_WORD_ONCE,
	LEVEL_WORD_CORE_HALVES, /* a second time for cores 32 to 63, where there are any */
	LEVEL_WORD_BUCKET_HALVES, /* a second time for buckets 4 to 7 */
	LEVEL_WORD_TRL_HALVES /* bucket halves, for each turbo-ratio level */
};

enum level_word_need {
	LEVEL_WORD_REQUIRED,
	LEVEL_WORD_FIRST_ROW_REQUIRED, /* parts differ in how many turbo-ratio levels they answer */
	LEVEL_WORD_OPTIONAL /* a refusal means "not reported" */
};

struct level_word {
	const char *name;
	uint16_t sub_command;
	unsigned int part; /* enum platform_part that it belongs to */
	enum level_word_span span;
	enum level_word_need need;
	uint32_t data; /* bits of the request beside the level */
	void (*decode)(const struct level_answer *answer, struct level_draft *draft);
	void (*note_refusal)(int err, struct level_draft *draft); /* an optional word's; or NULL */
};

/* All words of a level but GET_TDP_CONTROL, which tells what else there is. */
extern const struct level_word level_words[];
extern const size_t n_level_words;

/* The one that is asked where GET_RATIO_INFO is refused. */
extern const struct level_word level_word_uncore_fallback;

/* GET_TDP_CONTROL: which of SST-BF and SST-TF the level has, and whether they are on. */
void level_words_decode_control(uint32_t answer, struct sst_level *level);

#endif
