// SPDX-License-Identifier: GPL-2.0-only
/* Reads SST-BF of Cascade Lake-N, as BIOS set it (hardware.md, section 7): the CPUs of a package
 * differ in base_frequency, and those with the highest have high priority. There is one level, 0.
 */
#include "sst/platform.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "host/cpufreq.h"

uint32_t clx_n_parse_ratio(const char *model_name)
{
	const char *at = strchr(model_name, '@');
	uint32_t ratio = 0;

	if (!at)
		return 0;
	at += 1 + strspn(at + 1, " ");
	for (; isdigit((unsigned char)*at) && ratio < 100; at++)
		ratio = ratio * 10 + (uint32_t)(*at - '0');
	if (*at != '.' || !isdigit((unsigned char)at[1]))
		return 0;
	return ratio * 10 + (uint32_t)(at[1] - '0');
}

static int clx_n_read_pp(struct platform *platform, struct platform_pp_query *queries, size_t count)
{
	(void)platform;
	for (size_t i = 0; i < count; i++)
		queries[i].pp = (struct sst_pp){ .enabled = true, .locked = true };
	return 0;
}

/* Keeps the lowest ratio, the highest, and the CPUs that have the highest. */
static int take_ratio(struct sst_base_freq *base_freq, uint32_t cpu, uint32_t ratio)
{
	uint32_t mhz = sst_ratio_mhz(ratio);

	if (cpuset_is_empty(&base_freq->high_cpus) || mhz < base_freq->low_mhz)
		base_freq->low_mhz = mhz;
	if (mhz > base_freq->high_mhz) {
		base_freq->high_mhz = mhz;
		cpuset_done(&base_freq->high_cpus);
	}
	return mhz == base_freq->high_mhz ? cpuset_add(&base_freq->high_cpus, cpu) : 0;
}

int platform_read_base_freq_by_cpufreq(const struct machine *machine, const struct cpuset *cpus,
				       struct sst_base_freq *base_freq)
{
	cpuset_foreach (cpu, cpus) {
		uint32_t ratio;
		int err;

		if (!topology_can_ask(&machine->topology, cpu))
			continue;
		err = cpufreq_read_base_ratio(machine->host->files, cpu, &ratio);
		if (!err)
			err = take_ratio(base_freq, cpu, ratio);
		if (err)
			return err;
	}
	return 0;
}

static int read_level(struct platform *platform, unsigned int parts,
		      struct platform_level_query *query)
{
	uint32_t ratio = clx_n_parse_ratio(platform->machine->identity.model_name);
	int err = cpuset_copy(&query->info.enabled_cpus, &query->domain->cpus);

	if (err)
		return err;
	query->info.has_enabled_cpus = true;
	query->info.tdp_ratio = ratio;
	query->info.base_mhz = sst_ratio_mhz(ratio);
	query->info.base_freq_supported = true;
	query->info.base_freq_on = true;
	if (!(parts & PLATFORM_BASE_FREQ))
		return 0;
	err = platform_read_base_freq_by_cpufreq(platform->machine, &query->domain->cpus,
						 &query->info.base_freq);
	if (err == -ENOMEM)
		return err;
	query->error = err == -ENOENT ? -ENODATA : err; /* the level itself exists */
	query->failed = "base_frequency of cpufreq";
	return 0;
}

static int clx_n_read_levels(struct platform *platform, unsigned int parts,
			     struct platform_level_query *queries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int err = 0;

		if (queries[i].level > 0)
			queries[i].error = -ENOENT;
		else
			err = read_level(platform, parts, &queries[i]);
		if (err)
			return err;
	}
	return 0;
}

void clx_n_init(struct platform *platform)
{
	static const struct platform_ops ops = {
		.read_pp = clx_n_read_pp,
		.read_levels = clx_n_read_levels,
	};

	platform->ops = &ops;
	platform->base_freq_by_cpufreq = true;
}
