/* SPDX-License-Identifier: GPL-2.0-only */
/* A model of the PUNIT of one power domain: its fuses, its settings, and its answers to mailbox
 * commands, MMIO accesses and TPMI control (hardware.md, sections 3 and 4). The code is
 * freestanding C, because the kernel module of tests/vm uses it too. */
#ifndef SIMULATOR_PUNIT_H
#define SIMULATOR_PUNIT_H

#include <stdbool.h>
#include <stdint.h>

#define PUNIT_BUCKETS    8
#define PUNIT_TRL_LEVELS 6
#define PUNIT_FABRICS    2
#define PUNIT_CLOS_COUNT 4
#define PUNIT_MAX_CORES  256 /* core ids have 8 bits in physical_cpu */
#define PUNIT_MAX_LEVELS 8 /* level numbers have 3 bits in the control word of SST-PP */

/* Bits of punit_show_features(). */
#define PUNIT_BASE_FREQ  1
#define PUNIT_TURBO_FREQ 2
/* Bits of punit_show_core_power(). */
#define PUNIT_CP_ENABLED 1
#define PUNIT_CP_ORDERED 2

/* Completion codes of the mailbox. */
#define PUNIT_SUCCESS         0x00
#define PUNIT_INVALID_COMMAND 0x01
#define PUNIT_ILLEGAL_DATA    0x16

struct punit_base_freq {
	uint64_t core_mask;
	uint8_t high_ratio;
	uint8_t low_ratio;
	uint8_t tjunction_c;
	uint8_t control_c;
	uint16_t tdp_w;
};

struct punit_turbo_freq {
	uint8_t core_counts[PUNIT_BUCKETS];
	uint8_t n_rows; /* number of turbo-ratio levels; the others are not answered */
	uint8_t ratios[PUNIT_TRL_LEVELS][PUNIT_BUCKETS];
	uint8_t n_clips;
	uint8_t clip_ratios[PUNIT_TRL_LEVELS];
};

struct punit_fabric {
	uint8_t max_ratio;
	uint8_t base_ratio;
	uint8_t min_ratio;
};

/* Ratios are in units of 100 MHz. */
struct punit_level {
	uint8_t level;
	uint64_t core_mask;
	uint16_t tdp_w;
	uint8_t tdp_ratio;
	uint8_t base_ratio_sse;
	uint8_t base_ratio_avx2;
	uint8_t base_ratio_avx512;
	uint8_t base_ratio_amx;
	uint8_t tjunction_max_c;
	struct punit_fabric uncore[PUNIT_FABRICS];
	bool has_uncore1;
	uint16_t memory; /* mailbox parts: the code; TPMI parts: MHz */
	uint16_t power_max_w;
	uint16_t power_min_w;
	uint8_t cooling_type;
	uint8_t turbo_core_counts[PUNIT_BUCKETS];
	uint8_t n_turbo_rows;
	uint8_t turbo_ratios[PUNIT_TRL_LEVELS][PUNIT_BUCKETS];
	bool has_base_freq;
	struct punit_base_freq base_freq;
	bool has_turbo_freq;
	struct punit_turbo_freq turbo_freq;
};

/* The figures that do not change while the machine runs. */
struct punit_fuses {
	bool pp_enabled;
	uint8_t pp_version;
	bool locked;
	uint64_t allowed_level_mask; /* levels that software may switch to */
	uint64_t unanswered; /* a bit for each sub-command of 0x7F that gets INVALID_COMMAND */
	bool cp_supported;
	bool clos_by_mailbox; /* the Skylake generation: PQR_ASSOC and PM_CLOS by mailbox */
	uint8_t n_levels;
	struct punit_level levels[PUNIT_MAX_LEVELS];
};

/* A status that lags: the next reads show an earlier value. */
struct punit_lag {
	uint8_t reads;
	uint8_t shown;
};

/* The settings of one power domain. */
struct punit_state {
	uint8_t current_level;
	uint8_t base_freq_on;
	uint8_t turbo_freq_on;
	uint8_t cp_enabled;
	uint8_t clos_enabled;
	uint8_t clos_ordered; /* priority type: 0 proportional, 1 ordered */
	uint32_t clos[PUNIT_CLOS_COUNT]; /* PM_CLOS words */
	uint8_t association[PUNIT_MAX_CORES];
	struct punit_lag feature_lag; /* TPMI */
	struct punit_lag cp_lag; /* TPMI */
};

/* The settings of one package: MSRs 0x1AD and 0x1AE. */
struct punit_package {
	uint64_t turbo_ratio_limit;
	uint64_t turbo_ratio_limit_cores;
	uint64_t written_limit; /* the last limit that was set through the device; 0: none */
};

/* How firmware of TPMI parts responds to writes of its control registers. */
struct punit_response {
	uint8_t slow_reads; /* number of reads of a status that show the old value */
	bool ignores_writes;
};

struct punit {
	const struct punit_fuses *fuses;
	struct punit_state *state;
	struct punit_package *package;
};

/* Returns the level with this number, or NULL. */
const struct punit_level *punit_find_level(const struct punit_fuses *fuses, uint8_t level);

/* Answers one mailbox command. Returns a completion code; *ret_answer is set only with
 * PUNIT_SUCCESS. A command that sets changes *punit->state, a new level also *punit->package. A
 * command that fails changes nothing. */
uint8_t punit_mailbox(struct punit *punit, uint8_t command, uint8_t sub_command, uint32_t parameter,
		      uint32_t data, uint32_t *ret_answer);

/* Stores a recorded answer to a query about a level in *level. */
void punit_take_answer(struct punit_level *level, uint8_t sub_command, uint32_t data,
		       uint32_t answer);

/* Returns the limits for MSR 0x1AD, each no higher than the current level's turbo ratio. */
uint64_t punit_clamp_limits(const struct punit *punit, uint64_t limits);

/* Reads the 32-bit register of the MMIO window at offset reg. With writes, stores value in
 * *punit->state first. Returns the register's value; an unknown one is 0 and ignores writes. */
uint32_t punit_mmio(struct punit *punit, uint32_t reg, bool writes, uint32_t value);

/* Changes the level, which switches SST-BF and SST-TF off. The current level may be given, and
 * changes nothing. Returns false if the level is locked, unknown or not allowed. */
bool punit_set_level(struct punit *punit, uint8_t level);

/* TPMI: switches features of the current level on and off. A missing feature stays off. */
void punit_set_features(struct punit *punit, const struct punit_response *response, bool base_freq,
			bool turbo_freq);

/* TPMI: switches SST-CP on or off, and sets the priority type. */
void punit_set_core_power(struct punit *punit, const struct punit_response *response, bool enabled,
			  bool ordered);

/* TPMI: return a status in PUNIT_* bits. Each read counts while the status lags. */
uint8_t punit_show_features(struct punit *punit);
uint8_t punit_show_core_power(struct punit *punit);

/* Packs the buckets as in an MSR: the first bucket is the lowest byte. */
static inline uint64_t punit_pack_buckets(const uint8_t buckets[PUNIT_BUCKETS])
{
	uint64_t packed = 0;

	for (unsigned int i = 0; i < PUNIT_BUCKETS; i++)
		packed |= (uint64_t)buckets[i] << 8 * i;
	return packed;
}

#endif
