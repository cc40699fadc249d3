// SPDX-License-Identifier: GPL-2.0-only
/* Nodes and values in the order of output.md, "Nodes and values, in order". */
#include "features/records.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "output/fields.h"

static const struct field base_freq_fields[] = {
	{ .name = "high-priority-base-frequency(MHz)",
	  FIELD_AS_NUMBER(struct sst_base_freq, high_mhz) },
	{ .name = "high-priority-cpu-mask",
	  FIELD_AS_CPUS(struct sst_base_freq, high_cpus, FIELD_CPU_MASK) },
	{ .name = "high-priority-cpu-list",
	  FIELD_AS_CPUS(struct sst_base_freq, high_cpus, FIELD_CPU_LIST) },
	{ .name = "low-priority-base-frequency(MHz)",
	  FIELD_AS_NUMBER(struct sst_base_freq, low_mhz) },
	{ .name = "tjunction-temperature(C)",
	  FIELD_AS_NUMBER(struct sst_base_freq, tjunction_c),
	  FIELD_IF(struct sst_base_freq, has_thermals) },
	{ .name = "thermal-design-power(W)",
	  FIELD_AS_NUMBER(struct sst_base_freq, tdp_w),
	  FIELD_IF(struct sst_base_freq, has_thermals) },
};

void records_put_base_freq(struct output *output, const struct sst_base_freq *base_freq)
{
	_cleanup_scope_ struct output_scope scope =
		output_enter(output, "speed-select-base-freq-properties");

	fields_put(output, base_freq_fields, ARRAY_SIZE(base_freq_fields), base_freq);
}

/* "high-priority-max-avx2-frequency(MHz)", where there is such a frequency. */
static void put_frequency(struct output *output, const char *priority, const char *infix,
			  uint32_t mhz)
{
	char name[64];

	if (mhz == 0)
		return;
	snprintf(name, sizeof(name), "%s-priority-max-%sfrequency(MHz)", priority, infix);
	output_value(output, name, "%u", mhz);
}

static void put_bucket(struct output *output, const struct platform *platform,
		       const struct sst_turbo *buckets, uint32_t bucket, uint32_t trl_level)
{
	_cleanup_scope_ struct output_scope scope = output_enter(output, "bucket-%u", bucket);

	output_value(output, "high-priority-cores-count", "%u", buckets->core_counts[bucket]);
	for (unsigned int i = 0; i < platform->n_trl_levels; i++) {
		if (trl_level == RECORDS_ALL || trl_level == i)
			put_frequency(output, "high", platform->trl_names[i].infix,
				      buckets->mhz[i][bucket]);
	}
}

static void put_clips(struct output *output, const struct platform *platform,
		      const uint32_t clip_mhz[SST_TRL_LEVELS])
{
	_cleanup_scope_ struct output_scope scope =
		output_enter(output, "speed-select-turbo-freq-clip-frequencies");

	for (unsigned int i = 0; i < platform->n_trl_levels; i++)
		put_frequency(output, "low", platform->trl_names[i].infix, clip_mhz[i]);
}

void records_put_turbo_freq(struct output *output, const struct platform *platform,
			    const struct sst_turbo_freq *turbo_freq, uint32_t bucket,
			    uint32_t trl_level)
{
	_cleanup_scope_ struct output_scope scope =
		output_enter(output, "speed-select-turbo-freq-properties");
	const struct sst_turbo *buckets = &turbo_freq->buckets;

	for (uint32_t i = 0; i < SST_BUCKETS && buckets->core_counts[i] > 0; i++) {
		if (bucket == RECORDS_ALL || bucket == i)
			put_bucket(output, platform, buckets, i, trl_level);
	}
	put_clips(output, platform, turbo_freq->clip_mhz);
}
