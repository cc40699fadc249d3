/* SPDX-License-Identifier: GPL-2.0-only */
/* Mailbox words and MMIO registers: numbers, encoding, decoding (hardware.md, section 3), and the
 * table of the words that describe a performance level. Pure functions. */
#ifndef SST_MAILBOX_WORDS_H
#define SST_MAILBOX_WORDS_H

#include "host/machine.h"
#include "sst/values.h"

/* Commands and their sub-commands. */
#define WORD_CONFIG_TDP                       0x7f
#define WORD_GET_LEVELS_INFO                  0x00
#define WORD_GET_TDP_CONTROL                  0x01
#define WORD_SET_TDP_CONTROL                  0x02
#define WORD_GET_TDP_INFO                     0x03
#define WORD_GET_TJMAX_INFO                   0x05
#define WORD_GET_CORE_MASK                    0x06
#define WORD_GET_TURBO_LIMIT_RATIOS           0x07
#define WORD_SET_LEVEL                        0x08
#define WORD_GET_UNCORE_P0_P1_INFO            0x09
#define WORD_GET_P1_INFO                      0x0a
#define WORD_GET_MEM_FREQ                     0x0b
#define WORD_GET_RATIO_INFO                   0x0c
#define WORD_GET_FACT_HP_TURBO_LIMIT_NUMCORES 0x10
#define WORD_GET_FACT_HP_TURBO_LIMIT_RATIOS   0x11
#define WORD_GET_FACT_LP_CLIPPING_RATIO       0x12
#define WORD_PBF_GET_CORE_MASK_INFO           0x20
#define WORD_PBF_GET_P1HI_P1LO_INFO           0x21
#define WORD_PBF_GET_TJ_MAX_INFO              0x22
#define WORD_PBF_GET_TDP_INFO                 0x23

#define WORD_CLOS               0xd0
#define WORD_CLOS_PQR_ASSOC     0x00
#define WORD_CLOS_PM_CLOS       0x01
#define WORD_CLOS_PM_QOS_CONFIG 0x02
#define WORD_CLOS_WRITE         (1U << 8) /* in the parameter */

#define WORD_READ_PM_CONFIG  0x94
#define WORD_WRITE_PM_CONFIG 0x95
#define WORD_PM_FEATURE      0x03

/* Request data: the level in bits 7:0, and in some requests: */
#define WORD_UPPER_HALF       (1U << 8) /* cores 32 to 63, buckets 4 to 7 */
#define WORD_TRL_LEVEL(level) ((uint32_t)(level) << 16)
#define WORD_UNCORE           (1U << 16) /* GET_RATIO_INFO */

/* Registers of the MMIO window, by CLOS id and by core id. */
#define WORD_MMIO_PM_CLOS(clos)   (0x08 + 4 * (uint32_t)(clos))
#define WORD_MMIO_PQR_ASSOC(core) (0x20 + 4 * (uint32_t)(core))

/* A word that can be written, with the bits of each number of its value (sst/values.h). */
struct word_format {
	struct {
		uint8_t high;
		uint8_t low;
		uint8_t unit; /* the number is unit x bits; 0: not in the word */
	} numbers[TARGET_NUMBERS];
	uint32_t other_bits; /* bits that are in the value's other_bits */
	uint32_t fixed_bits; /* the other_bits that are not written */
};

extern const struct word_format word_control, word_pm_config, word_qos_config, word_clos,
	word_association;

/* Returns the word of a value. Rounds numbers down to their unit, and limits them to their bits. */
uint32_t word_encode(const struct word_format *format, const struct target_value *value);
struct target_value word_decode(const struct word_format *format, uint32_t word);

/* Decodes GET_LEVELS_INFO. */
struct sst_pp word_decode_levels_info(uint32_t answer);

/* Decodes GET_TDP_CONTROL: which of SST-BF and SST-TF the level has, and which are on. */
void word_decode_control(uint32_t answer, struct sst_level *level);

/* Decodes numbers of one byte each, lowest byte first: MSRs 0x1AE and 0x1AD, and words with parts
 * of these MSRs. */
void word_decode_bytes(uint64_t word, unsigned int count, uint32_t unit, uint32_t *ret_numbers);

/* Decodes GET_MEM_FREQ: the memory frequency in MHz; 0: the code of the generation is unknown. */
uint32_t word_decode_memory(enum generation generation, uint32_t answer);

/* A level while its words are read. */
struct level_draft {
	struct sst_level level;
	uint64_t core_mask;
	uint64_t base_freq_core_mask;
	uint32_t memory_answer; /* GET_MEM_FREQ */
	uint64_t answered; /* bit per sub-command */
};

/* Was the word of a sub-command answered? */
static inline bool level_draft_has(const struct level_draft *draft, uint16_t sub_command)
{
	return draft->answered >> sub_command & 1;
}

/* An answer: the word, and the request of the span to which it belongs. */
struct level_answer {
	uint32_t word;
	unsigned int row; /* turbo-ratio level */
	unsigned int half; /* 0 or 1 */
};

enum level_word_span {
	WORD_ONCE,
	WORD_CORES, /* a second time for cores 32 to 63, if there are any */
	WORD_BUCKETS, /* a second time for buckets 4 to 7 */
	WORD_RATIOS /* bucket halves, for each turbo-ratio level */
};

enum level_word_need {
	WORD_EXISTENCE, /* is read first; a refusal means: there is no such level */
	WORD_REQUIRED,
	WORD_FIRST_ROW, /* parts answer different numbers of turbo-ratio levels */
	WORD_OPTIONAL, /* a refusal means "not reported" */
	WORD_FALLBACK /* optional, read last, if GET_RATIO_INFO was refused */
};

struct level_word {
	const char *name;
	uint16_t sub_command;
	unsigned int part; /* enum platform_part that it belongs to */
	enum level_word_span span;
	enum level_word_need need;
	uint32_t data; /* bits of the request besides the level */
	struct {
		uint8_t high;
		uint8_t low;
		uint8_t unit;
		size_t member; /* of struct level_draft, a uint32_t */
	} figures[4]; /* of a WORD_ONCE; unit 0 ends them */
};

/* The words of a level. */
extern const struct level_word level_words[];
extern const size_t n_level_words;

/* Puts the answer to a request for the word into the draft. */
void level_word_decode(const struct level_word *word, const struct level_answer *answer,
		       struct level_draft *draft);

#endif
