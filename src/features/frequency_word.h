/* SPDX-License-Identifier: GPL-2.0-only */
/* A frequency as it is given to cpufreq set. */
#ifndef FEATURES_FREQUENCY_WORD_H
#define FEATURES_FREQUENCY_WORD_H

#include "machine/cpufreq.h"

/*
 * Reads MHz, or one of the words min, base and max, which stand for what the policy tells. Returns
 * 0; -EINVAL for anything else; -ENODATA where the policy does not tell what the word stands for;
 * -ERANGE for MHz below its lowest or above its highest frequency, which *ret_khz then is.
 */
int frequency_word_parse(const char *text, const struct cpufreq_policy *policy, uint32_t *ret_khz);

/* Reads an energy bias: 0 to 15, or a name of sysfs.md, "EPB". Returns 0 or -EINVAL. */
int frequency_word_parse_bias(const char *text, uint32_t *ret_bias);

/* The name that a raw energy preference, "0" to "255", may read back as; or NULL. */
const char *frequency_word_preference_name(const char *text);

/* Is the word in a list of words with blanks between? */
bool frequency_word_is_in(const char *word, const char *list);

#endif
