// SPDX-License-Identifier: GPL-2.0-only
/* Formats and compares the values of Speed Select targets. */
#include "sst/values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"

static const char *on_or_off(uint64_t number)
{
	return number ? "on" : "off";
}

static const char *priority_type(uint64_t ordered)
{
	return ordered ? "ordered" : "proportional";
}

static uint16_t to_multiple(uint32_t mhz)
{
	uint32_t step = sst_ratio_mhz(1), most = sst_ratio_mhz(SST_RATIO_UNLIMITED);

	return (uint16_t)(mhz < most ? mhz / step * step : most);
}

struct target_value value_of_clos(const struct sst_clos *clos)
{
	struct target_value value = { 0 };

	value.numbers[VALUE_WEIGHT] = clos->weight & 0xf;
	value.numbers[VALUE_MIN_MHZ] = to_multiple(clos->min_mhz);
	value.numbers[VALUE_MAX_MHZ] = to_multiple(clos->unlimited ? UINT32_MAX : clos->max_mhz);
	value.numbers[VALUE_EPP] = clos->epp & 0xf;
	value.numbers[VALUE_DESIRED_MHZ] = to_multiple(clos->desired_mhz);
	return value;
}

struct sst_clos value_to_clos(const struct target_value *value)
{
	return (struct sst_clos){
		.epp = value->numbers[VALUE_EPP],
		.weight = value->numbers[VALUE_WEIGHT],
		.min_mhz = value->numbers[VALUE_MIN_MHZ],
		.max_mhz = value->numbers[VALUE_MAX_MHZ],
		.unlimited = value->numbers[VALUE_MAX_MHZ] >= sst_ratio_mhz(SST_RATIO_UNLIMITED),
		.desired_mhz = value->numbers[VALUE_DESIRED_MHZ],
	};
}

static uint32_t find_highest_turbo(const struct sst_level *level)
{
	uint32_t highest = 0;

	for (size_t i = 0; i < SST_BUCKETS; i++)
		highest = level->turbo.mhz[0][i] > highest ? level->turbo.mhz[0][i] : highest;
	return highest;
}

int value_find_clos_limit(const char *word, bool is_upper, const struct sst_level *level,
			  uint32_t *ret_mhz)
{
	uint32_t mhz;

	if (strcmp(word, "min") == 0)
		mhz = 0;
	else if (is_upper && strcmp(word, "max") == 0)
		mhz = sst_ratio_mhz(SST_RATIO_UNLIMITED);
	else if (!level)
		return -ENODATA;
	else
		mhz = strcmp(word, "base") == 0 ? level->base_mhz : find_highest_turbo(level);
	if (!mhz && strcmp(word, "min") != 0)
		return -ENODATA;
	*ret_mhz = mhz;
	return 0;
}

bool value_is_uncertain(int error)
{
	return error == -EBUSY;
}

char *value_format_number(const struct write_target *target, const struct target_value *value)
{
	(void)target;
	return text_format("%" PRIu64, value->number);
}

char *value_format_switch(const struct write_target *target, const struct target_value *value)
{
	(void)target;
	return strdup(on_or_off(value->number));
}

char *value_format_features(const struct write_target *target, const struct target_value *value)
{
	(void)target;
	return text_format("SST-BF %s, SST-TF %s", on_or_off(value->numbers[VALUE_BASE_FREQ]),
			   on_or_off(value->numbers[VALUE_TURBO_FREQ]));
}

char *value_format_core_power(const struct write_target *target, const struct target_value *value)
{
	(void)target;
	return text_format("CLOS %s, %s", on_or_off(value->numbers[VALUE_ENABLED]),
			   priority_type(value->numbers[VALUE_ORDERED]));
}

char *value_format_short_clos(const struct write_target *target, const struct target_value *value)
{
	struct sst_clos clos = value_to_clos(value);
	char max[24];

	(void)target;
	snprintf(max, sizeof(max), "%u MHz", clos.max_mhz);
	return text_format("weight:%u min:%u MHz max:%s", clos.weight, clos.min_mhz,
			   clos.unlimited ? "unlimited" : max);
}

char *value_format_clos(const struct write_target *target, const struct target_value *value)
{
	_cleanup_free_ char *limits = value_format_short_clos(target, value);
	struct sst_clos clos = value_to_clos(value);

	if (!limits)
		return NULL;
	return text_format("epp:%u %s desired:%u MHz", clos.epp, limits, clos.desired_mhz);
}

char *value_format_association(const struct write_target *target, const struct target_value *value)
{
	(void)target;
	return text_format("CLOS %" PRIu64, value->number);
}

/* A number of a value to compare: its name and its format. */
struct part {
	const char *name;
	const char *(*format)(uint64_t number);
};

/* Compares only the parts. Reason: "SST-BF is off, expected on" */
static int compare_parts(const struct part *parts, size_t count, const struct target_value *found,
			 const struct target_value *wanted, char **ret_reason)
{
	char *reason = NULL;
	int err = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t is = found->numbers[i], expected = wanted->numbers[i];
		char *longer;

		if (is == expected)
			continue;
		err = -EIO;
		longer = text_format("%s%s%s is %s, expected %s", reason ?: "", reason ? "; " : "",
				     parts[i].name, parts[i].format(is), parts[i].format(expected));
		free(reason);
		reason = longer;
	}
	*ret_reason = reason;
	return err;
}

#define DEFINE_COMPARE(name, ...)                                                          \
	int name(const struct write_target *target, const struct target_value *found,      \
		 const struct target_value *wanted, const struct target_value *before,     \
		 char **ret_reason)                                                        \
	{                                                                                  \
		static const struct part parts[] = { __VA_ARGS__ };                        \
                                                                                           \
		(void)target;                                                              \
		(void)before;                                                              \
		return compare_parts(parts, ARRAY_SIZE(parts), found, wanted, ret_reason); \
	}

DEFINE_COMPARE(value_compare_features, { "SST-BF", on_or_off }, { "SST-TF", on_or_off })
DEFINE_COMPARE(value_compare_core_power, { "it", on_or_off },
	       { "its priority type", priority_type })
