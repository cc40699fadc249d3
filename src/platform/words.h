/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The words of the mailbox, of the MMIO window and of physical_cpu, encoded and decoded: pure
 * functions (hardware.md, sections 2 and 3).
 */
#ifndef PLATFORM_WORDS_H
#define PLATFORM_WORDS_H

#include "platform/sst.h"

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

/* Request data: the level in 7:0, and where they apply: */
#define WORD_UPPER_HALF       (1U << 8) /* cores 32 to 63, buckets 4 to 7 */
#define WORD_TRL_LEVEL(level) ((uint32_t)(level) << 16)
#define WORD_UNCORE           (1U << 16) /* GET_RATIO_INFO */

/* MSRs. */
#define WORD_MSR_TURBO_RATIO_LIMIT       0x1ad
#define WORD_MSR_TURBO_RATIO_LIMIT_CORES 0x1ae
#define WORD_MSR_TDP_CONTROL             0x64b
#define WORD_MSR_TDP_CONTROL_LOCKED      (1ULL << 31)

/* Registers of the MMIO window, of a CLOS id and of a core id. */
#define WORD_MMIO_PM_CLOS(clos)   (0x08 + 4 * (uint32_t)(clos))
#define WORD_MMIO_PQR_ASSOC(core) (0x20 + 4 * (uint32_t)(core))

/* Where a word holds what can be set. */
#define WORD_LEVELS_INFO_CURRENT (0xffU << 16)
#define WORD_TDP_CONTROL_ON      (3U << 16) /* SST-TF, SST-BF */
#define WORD_PM_CONFIG_ENABLED   (1U << 16)
#define WORD_QOS_CONFIG_SETTINGS (3U << 1) /* enabled, priority type */
#define WORD_ASSOCIATION         (3U << 16)

/* The highest ratio stands for no limit. */
#define WORD_RATIO_UNLIMITED 0xff

/* MHz of a ratio, which is in units of 100 MHz. */
static inline uint32_t word_ratio_mhz(uint32_t ratio)
{
	return ratio * 100;
}

/* Bits high to low of a word. */
static inline uint32_t word_bits(uint32_t word, unsigned int high, unsigned int low)
{
	return (word >> low) & (UINT32_MAX >> (31 - (high - low)));
}

/* 8 bits of a word from bit 8 x index on. */
static inline uint32_t word_byte(uint64_t word, unsigned int index)
{
	return (uint32_t)(word >> (8 * index)) & 0xff;
}

/* GET_LEVELS_INFO, and a PM_CLOS word or register. */
struct sst_pp word_decode_levels_info(uint32_t answer);
struct sst_clos word_decode_clos(uint32_t answer);

/* READ_PM_CONFIG and PM_QOS_CONFIG, each into its part of core_power. */
void word_decode_pm_config(uint32_t answer, struct sst_core_power *core_power);
void word_decode_qos_config(uint32_t answer, struct sst_core_power *core_power);

/* MSRs 0x1AE and 0x1AD: core counts and, as MHz, ratios of the eight buckets. */
void word_decode_bucket_counts(uint64_t msr, uint32_t counts[SST_BUCKETS]);
void word_decode_bucket_ratios(uint64_t msr, uint32_t mhz[SST_BUCKETS]);

/* PQR_ASSOC: the CLOS of a core, 0 to 3. */
uint32_t word_decode_association(uint32_t answer);

/* What has to be written, or reads so: the current level in GET_LEVELS_INFO, both TDP_CONTROLs. */
uint32_t word_encode_current_level(uint32_t level);
uint32_t word_encode_control(bool base_freq_on, bool turbo_freq_on);
/* READ_PM_CONFIG's enabled bit and WRITE_PM_CONFIG. */
uint32_t word_encode_pm_config(bool enabled);
/* A PM_QOS_CONFIG and a PQR_ASSOC, other bits as in old. */
uint32_t word_encode_qos_config(uint32_t old, bool clos_enabled, bool ordered);
uint32_t word_encode_association(uint32_t old, uint32_t clos);
/* A PM_CLOS: MHz are rounded down to a ratio, what is above the highest ratio becomes that. */
uint32_t word_encode_clos(const struct sst_clos *clos);

/* How a part codes its memory frequency in GET_MEM_FREQ. */
enum word_memory_code { WORD_MEMORY_UNKNOWN, WORD_MEMORY_ICE_LAKE, WORD_MEMORY_200_MHZ };

/* MHz, or 0 where the code is not known. */
uint32_t word_decode_memory(enum word_memory_code kind, uint32_t answer);

/*
 * physical_cpu of API version 1: the core id (0 to 255) and the thread-inclusive number (bits 8:0),
 * and the punit id (0 to 7; larger values count as 0).
 */
uint32_t word_decode_core(uint32_t physical_cpu);
uint32_t word_decode_punit_cpu(uint32_t physical_cpu);
uint32_t word_decode_punit(uint32_t physical_cpu);

/* The same of API versions 2 and 3: the core (module), the place in the PUNIT, the power domain. */
uint32_t word_decode_tpmi_core(uint32_t physical_cpu);
uint32_t word_decode_tpmi_punit_cpu(uint32_t physical_cpu);
uint32_t word_decode_tpmi_domain(uint32_t physical_cpu);

#endif
