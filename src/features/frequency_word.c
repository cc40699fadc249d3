// SPDX-License-Identifier: GPL-2.0-only
/*
 * What users write for frequencies and energy hints, and what the kernel makes of it (sysfs.md,
 * "cpufreq policy" and "EPB"). Pure: nothing is read here.
 */
#include "features/frequency_word.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

#define KHZ_PER_MHZ 1000
#define MAX_BIAS    15
#define MAX_RAW     255

static int take_known(uint32_t khz, uint32_t *ret_khz)
{
	if (!khz)
		return -ENODATA;
	*ret_khz = khz;
	return 0;
}

int frequency_word_parse(const char *text, const struct cpufreq_policy *policy, uint32_t *ret_khz)
{
	uint64_t mhz;
	uint32_t khz;

	if (strcmp(text, "min") == 0)
		return take_known(policy->lowest_khz, ret_khz);
	if (strcmp(text, "base") == 0)
		return take_known(policy->base_khz, ret_khz);
	if (strcmp(text, "max") == 0)
		return take_known(policy->highest_khz, ret_khz);
	if (number_parse_mhz(text, 1, INT32_MAX / KHZ_PER_MHZ, &mhz))
		return -EINVAL;
	khz = (uint32_t)mhz * KHZ_PER_MHZ;
	*ret_khz = khz;
	if (policy->lowest_khz && khz < policy->lowest_khz)
		*ret_khz = policy->lowest_khz;
	else if (policy->highest_khz && khz > policy->highest_khz)
		*ret_khz = policy->highest_khz;
	return *ret_khz == khz ? 0 : -ERANGE;
}

int frequency_word_parse_bias(const char *text, uint32_t *ret_bias)
{
	static const struct {
		const char *name;
		uint32_t bias;
	} names[] = {
		{ "performance", 0 }, { "balance-performance", 4 },
		{ "normal", 6 },      { "balance-power", 8 },
		{ "power", 15 },
	};
	uint64_t bias;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(text, names[i].name) == 0) {
			*ret_bias = names[i].bias;
			return 0;
		}
	}
	if (number_parse(text, 0, MAX_BIAS, &bias))
		return -EINVAL;
	*ret_bias = (uint32_t)bias;
	return 0;
}

const char *frequency_word_preference_name(const char *text)
{
	uint64_t raw;

	if (number_parse(text, 0, MAX_RAW, &raw))
		return NULL;
	switch (raw) {
	case 0:
		return "performance";
	case 128:
		return "balance_performance";
	case 192:
		return "balance_power";
	case 255:
		return "power";
	}
	return NULL;
}

bool frequency_word_is_in(const char *word, const char *list)
{
	size_t length = strlen(word);

	while (list && *list) {
		size_t here = strcspn(list, " ");

		if (here == length && length > 0 && strncmp(list, word, length) == 0)
			return true;
		list += here + strspn(list + here, " ");
	}
	return false;
}
