/* SPDX-License-Identifier: GPL-2.0-only */
/* The values of Speed Select targets, the same for every generation: how they are made, shown and
 * compared. A target converts them to the format of its driver. */
#ifndef SST_VALUES_H
#define SST_VALUES_H

#include "host/target.h"
#include "sst/sst.h"

/* A performance level and a CLOS of a core are single numbers. Other values have these numbers: */
enum { VALUE_BASE_FREQ, VALUE_TURBO_FREQ };
enum { VALUE_ENABLED, VALUE_ORDERED };
enum { VALUE_WEIGHT, VALUE_MIN_MHZ, VALUE_MAX_MHZ, VALUE_EPP, VALUE_DESIRED_MHZ };

/* SST-BF and SST-TF at the current level, on or off. */
static inline struct target_value value_of_features(bool base_freq, bool turbo_freq)
{
	return (struct target_value){ .numbers = { base_freq, turbo_freq } };
}

/* SST-CP, or CLOS, and its priority type. */
static inline struct target_value value_of_core_power(bool enabled, bool ordered)
{
	return (struct target_value){ .numbers = { enabled, ordered } };
}

/* Parameters as they can be set: weight and EPP have 4 bits, frequencies are whole multiples of 100
 * MHz up to the highest ratio, which is no limit. */
struct target_value value_of_clos(const struct sst_clos *clos);
struct sst_clos value_to_clos(const struct target_value *value);

/* Converts a word for a limit of a CLOS at a level (NULL: unknown) to MHz (state.md). "min" is 0,
 * "base" the base frequency of the level. "max" is no limit as the upper limit, and the highest
 * turbo frequency of the level as the lower limit. Returns 0, or -ENODATA if the level does not
 * report the frequency. */
int value_find_clos_limit(const char *word, bool is_upper, const struct sst_level *level,
			  uint32_t *ret_mhz);

/* Operations of struct target_ops. is_uncertain is for mailbox commands and MSRs. format_number:
 * "2"; format_switch: "on"; format_clos: for parts with EPP and desired frequency;
 * format_short_clos: for other parts. */
bool value_is_uncertain(int error);
target_format_function value_format_number, value_format_switch, value_format_features,
	value_format_core_power, value_format_clos, value_format_short_clos,
	value_format_association;
target_compare_function value_compare_features, value_compare_core_power;

#endif
