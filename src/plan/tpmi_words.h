/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * TPMI requests as words of a plan (hardware.md, section 4): what is written by one, and what it
 * reads, is packed into 64 bits, so that steps, checks and undoing need no kind of their own.
 */
#ifndef PLAN_TPMI_WORDS_H
#define PLAN_TPMI_WORDS_H

#include "plan/send.h"
#include "transport/assoc.h"

/* PERF_LEVELS, read only: the current level and the feature state (ISST_FEATURE_*). */
#define TPMI_WORDS_LEVEL    0xffU
#define TPMI_WORDS_FEATURES 0xff00U

static inline uint64_t tpmi_words_features(uint32_t features)
{
	return features << 8 & TPMI_WORDS_FEATURES;
}

/* CORE_POWER_STATE. */
static inline uint64_t tpmi_words_core_power(bool enabled, bool ordered)
{
	return (enabled ? 1U : 0) | (ordered ? 2U : 0);
}

/* CLOS_PARAM; its number is the write's parameter. */
static inline uint64_t tpmi_words_clos(uint32_t priority, uint32_t min_mhz, uint32_t max_mhz)
{
	return (uint64_t)(max_mhz & 0xffff) << 32 | (min_mhz & 0xffff) << 16 | (priority & 0xff);
}

/*
 * PERF_SET_LEVEL takes a level, PERF_SET_FEATURE a feature state, CLOS_ASSOC a CLOS (the core is
 * the write's parameter), all as they are.
 */

/* The name of a request: "PERF_SET_LEVEL" (static text). */
const char *tpmi_words_name(uint32_t request);

/* What sender_send() does, for words that are all of TPMI; entries is room for count of them. */
void tpmi_words_send(const struct channel *channel, struct send_word *words, size_t count,
		     struct isst_clos_assoc *entries, int *errors);

#endif
