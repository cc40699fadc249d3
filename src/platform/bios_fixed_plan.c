// SPDX-License-Identifier: GPL-2.0-only
/*
 * SST-BF where BIOS set it (hardware.md, section 7): to enable it holds every CPU at its own base
 * frequency, high or low; to disable it opens each CPU's whole range. CPUs with the highest base
 * frequency of their package have the high one, all others the low one.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "machine/cpufreq.h"
#include "plan/scaling.h"
#include "platform/bios_fixed.h"

#define KHZ_PER_RATIO 100000

/* The base frequencies of a domain, as ratios. */
struct base_ratios {
	uint32_t *of_cpu; /* by CPU; 0: not one of the domain's online CPUs */
	uint32_t high;
	uint32_t low;
};

static void base_ratios_done(struct base_ratios *ratios)
{
	free(ratios->of_cpu);
}

static bool is_concerned(const struct platform *platform, uint32_t cpu)
{
	return topology_can_ask(&platform->machine->topology, cpu);
}

/* Returns 0; -ENOMEM; or why a CPU's could not be read, -ENODATA for a base frequency of 0. */
static int read_ratios(const struct platform *platform, const struct power_domain *domain,
		       struct base_ratios *ratios)
{
	size_t size = cpuset_is_empty(&domain->cpus) ? 1 : (size_t)cpuset_last(&domain->cpus) + 1;

	ratios->of_cpu = calloc(size, sizeof(*ratios->of_cpu));
	if (!ratios->of_cpu)
		return -ENOMEM;
	cpuset_foreach (cpu, &domain->cpus) {
		uint32_t *ratio = &ratios->of_cpu[cpu];
		int err;

		if (!is_concerned(platform, cpu))
			continue;
		err = cpufreq_read_base_ratio(platform->machine->host->files, cpu, ratio);
		if (err || *ratio == 0)
			return err ?: -ENODATA;
		if (*ratio > ratios->high)
			ratios->high = *ratio;
		if (ratios->low == 0 || *ratio < ratios->low)
			ratios->low = *ratio;
	}
	return 0;
}

/* Sets both limits of CPUs that are still to come online to the values of those files. */
static int plan_coming(struct platform *platform, struct plan *plan,
		       const struct power_domain *domain, const char *max, const char *min)
{
	const struct topology *topology = &platform->machine->topology;
	int err = 0;

	cpuset_foreach (cpu, &domain->cpus) {
		if (!err && cpuset_has(&topology->coming, cpu)) {
			err = scaling_plan_max_as(plan, platform->machine, cpu, max);
			err = err ?: scaling_plan_min_as(plan, platform->machine, cpu, min);
		}
	}
	return err;
}

static int plan_enable(struct platform *platform, struct plan *plan,
		       const struct power_domain *domain)
{
	_cleanup_(base_ratios_done) struct base_ratios ratios = { 0 };
	int err = read_ratios(platform, domain, &ratios);

	cpuset_foreach (cpu, &domain->cpus) {
		uint32_t khz;

		if (err)
			return err;
		if (!is_concerned(platform, cpu))
			continue;
		khz = (ratios.of_cpu[cpu] == ratios.high ? ratios.high : ratios.low) *
		      KHZ_PER_RATIO;
		err = scaling_plan_range(plan, platform->machine, cpu, khz, khz);
	}
	return err ?: plan_coming(platform, plan, domain, "base_frequency", "base_frequency");
}

static int plan_disable(struct platform *platform, struct plan *plan,
			const struct power_domain *domain)
{
	struct files *files = platform->machine->host->files;
	int err = 0;

	cpuset_foreach (cpu, &domain->cpus) {
		uint32_t min_khz = 0, max_khz = 0;

		if (!is_concerned(platform, cpu))
			continue;
		err = scaling_read_khz(files, cpu, "cpuinfo_min_freq", &min_khz);
		err = err ?: scaling_read_khz(files, cpu, "cpuinfo_max_freq", &max_khz);
		err = err ?: scaling_plan_range(plan, platform->machine, cpu, min_khz, max_khz);
		if (err)
			return err;
	}
	return plan_coming(platform, plan, domain, "cpuinfo_max_freq", "cpuinfo_min_freq");
}

int bios_fixed_plan_base_freq(struct platform *platform, struct plan *plan,
			      const struct power_domain *const *domains, size_t count, bool enable,
			      int *errors)
{
	for (size_t i = 0; i < count; i++) {
		errors[i] = enable ? plan_enable(platform, plan, domains[i])
				   : plan_disable(platform, plan, domains[i]);
		if (errors[i] == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}
