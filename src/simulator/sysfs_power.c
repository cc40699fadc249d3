// SPDX-License-Identifier: GPL-2.0-only
/*
 * Energy bias and wake-up latency of each CPU, and umwait of the machine (sysfs.md, "EPB", "PM QoS"
 * and "umwait"). The energy bias of an offline CPU is kept, but its file is away meanwhile.
 */
#include "simulator/sysfs_tree.h"

#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "simulator/sysfs_parse.h"

#define MAX_EPB              15
#define RESUME_NOT_ALLOWED   (-1) /* no wake-up latency at all: "n/a" */
#define UMWAIT_TIME_LOW_BITS 3U

static const struct {
	const char *name;
	uint8_t value;
} epb_names[] = {
	{ "performance", 0 }, { "balance-performance", 4 }, { "normal", 6 }, { "balance-power", 8 },
	{ "power", 15 },
};

static bool has_epb(const struct sysfs_place *place)
{
	return sysfs_platform(place)->has_cpufreq && sysfs_cpu_state(place)->online;
}

static int show_epb(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%" PRIu8, sysfs_cpu_state(place)->epb);
	return 0;
}

static int store_epb(const struct sysfs_place *place, const char *text)
{
	uint64_t value;

	for (size_t i = 0; i < ARRAY_SIZE(epb_names); i++) {
		if (sysfs_parse_is(text, epb_names[i].name)) {
			sysfs_cpu_state(place)->epb = epb_names[i].value;
			return 0;
		}
	}
	if (sysfs_parse_unsigned(text, 0, MAX_EPB, &value) < 0)
		return -EINVAL;
	sysfs_cpu_state(place)->epb = (uint8_t)value;
	return 0;
}

static int show_resume_latency(const struct sysfs_place *place, FILE *to)
{
	int32_t latency_us = sysfs_cpu_state(place)->resume_latency_us;

	if (latency_us == RESUME_NOT_ALLOWED)
		fputs("n/a", to);
	else
		fprintf(to, "%" PRId32, latency_us);
	return 0;
}

static int store_resume_latency(const struct sysfs_place *place, const char *text)
{
	int32_t latency_us = RESUME_NOT_ALLOWED;

	if (!sysfs_parse_is(text, "n/a")) {
		if (sysfs_parse_signed(text, &latency_us) < 0 || latency_us < 0 ||
		    latency_us == INT32_MAX)
			return -EINVAL;
	}
	sysfs_cpu_state(place)->resume_latency_us = latency_us;
	return 0;
}

static const struct sysfs_attribute power_attributes[] = {
	{ .name = "energy_perf_bias", .show = show_epb, .store = store_epb, .exists = has_epb },
	{ .name = "pm_qos_resume_latency_us",
	  .show = show_resume_latency,
	  .store = store_resume_latency },
	{ 0 },
};

const struct sysfs_directory sysfs_power_of_cpu = {
	.name = "power",
	.attributes = power_attributes,
};

/* umwait */

static bool has_umwait(const struct sysfs_place *place)
{
	return sysfs_platform(place)->has_umwait;
}

static int show_enable_c02(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%" PRIu8, place->state->machine->umwait_c02);
	return 0;
}

static int store_enable_c02(const struct sysfs_place *place, const char *text)
{
	bool enable;
	int err = sysfs_parse_bool(text, &enable);

	if (!err)
		place->state->machine->umwait_c02 = enable;
	return err;
}

static int show_max_time(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%" PRIu32, place->state->machine->umwait_max_time);
	return 0;
}

static int store_max_time(const struct sysfs_place *place, const char *text)
{
	uint64_t value;
	int err = sysfs_parse_unsigned(text, 0, UINT32_MAX, &value);

	if (err)
		return err;
	if (value & UMWAIT_TIME_LOW_BITS)
		return -EINVAL;
	place->state->machine->umwait_max_time = (uint32_t)value;
	return 0;
}

static const struct sysfs_attribute umwait_attributes[] = {
	{ .name = "enable_c02", .show = show_enable_c02, .store = store_enable_c02 },
	{ .name = "max_time", .show = show_max_time, .store = store_max_time },
	{ 0 },
};

const struct sysfs_directory sysfs_power_umwait = {
	.name = "umwait_control",
	.exists = has_umwait,
	.attributes = umwait_attributes,
};
