// SPDX-License-Identifier: GPL-2.0-only
/*
 * Efficiency latency control of a power domain's uncore (sysfs.md, "uncore"). A threshold keeps 7
 * bits, cut when it is written and rounded up when it is read, so that every percent comes back.
 */
#include "simulator/sysfs_elc.h"

#include <errno.h>
#include <inttypes.h>

#include "simulator/sysfs_parse.h"

#define MAX_RAW       0x7f
#define MAX_PERCENT   100
#define KHZ_PER_RATIO 100000

static struct sim_uncore_state *uncore_of(const struct sysfs_place *place)
{
	return &place->state->uncore[place->domain];
}

static int show_percent(uint8_t raw, FILE *to)
{
	fprintf(to, "%d", (raw * MAX_PERCENT + MAX_RAW - 1) / MAX_RAW);
	return 0;
}

static int store_percent(const char *text, uint8_t *raw)
{
	uint64_t percent;
	int err = sysfs_parse_unsigned(text, 0, UINT32_MAX, &percent);

	if (!err && percent > MAX_PERCENT)
		return -EINVAL;
	if (!err)
		*raw = (uint8_t)(percent * MAX_RAW / MAX_PERCENT);
	return err;
}

int sysfs_elc_show_low(const struct sysfs_place *place, FILE *to)
{
	return show_percent(uncore_of(place)->elc_low, to);
}

int sysfs_elc_store_low(const struct sysfs_place *place, const char *text)
{
	return store_percent(text, &uncore_of(place)->elc_low);
}

int sysfs_elc_show_high(const struct sysfs_place *place, FILE *to)
{
	return show_percent(uncore_of(place)->elc_high, to);
}

int sysfs_elc_store_high(const struct sysfs_place *place, const char *text)
{
	return store_percent(text, &uncore_of(place)->elc_high);
}

int sysfs_elc_show_high_enable(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%" PRIu8, uncore_of(place)->elc_high_enable);
	return 0;
}

int sysfs_elc_store_high_enable(const struct sysfs_place *place, const char *text)
{
	bool enable;
	int err = sysfs_parse_bool(text, &enable);

	if (!err)
		uncore_of(place)->elc_high_enable = enable;
	return err;
}

int sysfs_elc_show_floor(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%" PRIu32, (uint32_t)uncore_of(place)->elc_floor * KHZ_PER_RATIO);
	return 0;
}

int sysfs_elc_store_floor(const struct sysfs_place *place, const char *text)
{
	uint64_t khz;
	int err = sysfs_parse_unsigned(text, 0, UINT32_MAX, &khz);

	if (!err && khz / KHZ_PER_RATIO > MAX_RAW)
		return -EINVAL;
	if (!err)
		uncore_of(place)->elc_floor = (uint8_t)(khz / KHZ_PER_RATIO);
	return err;
}
