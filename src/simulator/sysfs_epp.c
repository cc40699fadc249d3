// SPDX-License-Identifier: GPL-2.0-only
/*
 * Energy performance preferences (sysfs.md, "cpufreq policy"). A raw value that a name stands for
 * reads as that name, where the platform has the name at all.
 */
#include "simulator/sysfs_epp.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "simulator/sysfs_parse.h"

#define MAX_PREFERENCE_NAME 21
#define MAX_RAW             255

static const struct {
	const char *name;
	uint8_t raw;
} named_values[] = {
	{ "performance", 0 },
	{ "balance_performance", 128 },
	{ "balance_power", 192 },
	{ "power", 255 },
};

/* The index of a name in the platform's list, or -1. */
static int find_name(const struct sim_cpufreq *cpufreq, const char *name)
{
	for (int i = 0; cpufreq->epps[i]; i++) {
		if (strcmp(cpufreq->epps[i], name) == 0)
			return i;
	}
	return -1;
}

int sysfs_epp_parse(const struct sim_cpufreq *cpufreq, const char *text, uint16_t *ret_epp)
{
	char word[SYSFS_WORD_SIZE];
	uint64_t raw;
	int index, err = sysfs_parse_word(text, MAX_PREFERENCE_NAME, word);

	if (err)
		return err;
	index = find_name(cpufreq, word);
	if (index >= 0) {
		if (strcmp(word, "default") == 0)
			index = (int)cpufreq->epp;
		*ret_epp = (uint16_t)(SIM_EPP_NAMED + index);
		return 0;
	}
	if (sysfs_parse_unsigned(word, 10, MAX_RAW, &raw) < 0)
		return -EINVAL;
	*ret_epp = (uint16_t)raw;
	return 0;
}

/* The name of what is kept, or NULL for a raw value without one. */
static const char *name_of(const struct sim_cpufreq *cpufreq, uint16_t epp)
{
	if (epp >= SIM_EPP_NAMED)
		return cpufreq->epps[epp - SIM_EPP_NAMED];
	for (size_t i = 0; i < ARRAY_SIZE(named_values); i++) {
		if (named_values[i].raw == epp && find_name(cpufreq, named_values[i].name) >= 0)
			return named_values[i].name;
	}
	return NULL;
}

void sysfs_epp_write(const struct sim_cpufreq *cpufreq, uint16_t epp, FILE *to)
{
	const char *name = name_of(cpufreq, epp);

	if (name)
		fputs(name, to);
	else
		fprintf(to, "%" PRIu16, epp);
}

bool sysfs_epp_is_performance(const struct sim_cpufreq *cpufreq, uint16_t epp)
{
	const char *name = name_of(cpufreq, epp);

	return epp == 0 || (name && strcmp(name, "performance") == 0);
}
