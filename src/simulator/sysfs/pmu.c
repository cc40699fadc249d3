// SPDX-License-Identifier: GPL-2.0-only
/* The PMUs of the kernel as their files describe them (measure.md, "Sources, rights,
 * traps"). */
#include <errno.h>

#include "simulator/pmu.h"
#include "simulator/sysfs/sysfs.h"

static enum sim_pmu pmu_of(const struct sysfs_place *place)
{
	return (enum sim_pmu)place->attribute->argument;
}

SYSFS_NUMBER(get_type, (uint32_t)pmu_of(place));

/* The CPUs that the PMU counts on. */
static int append_cpumask(const struct sysfs_place *place, struct buffer *to)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };

	for (uint32_t cpu = 0; cpu < place->platform->n_cpus; cpu++) {
		if (pmu_counts_on(place->state, pmu_of(place), cpu) && cpuset_add(&cpus, cpu))
			return -ENOMEM;
	}
	cpuset_append_ranges(&cpus, to);
	return 0;
}

static bool has_cpu(struct sysfs_place *place)
{
	return pmu_exists(place->platform, SIM_PMU_CPU);
}

static bool has_msr(struct sysfs_place *place)
{
	return pmu_exists(place->platform, SIM_PMU_MSR);
}

static bool has_cstate_core(struct sysfs_place *place)
{
	return pmu_exists(place->platform, SIM_PMU_CSTATE_CORE);
}

static bool has_cstate_pkg(struct sysfs_place *place)
{
	return pmu_exists(place->platform, SIM_PMU_CSTATE_PKG);
}

static bool has_power(struct sysfs_place *place)
{
	return pmu_exists(place->platform, SIM_PMU_POWER);
}

#define CPUMASK(pmu) "cpumask", .argument = (pmu), .append = append_cpumask
#define TYPE(pmu)    "type", .argument = (pmu), .number = get_type

static const struct sysfs_attribute cpu_attributes[] = {
	{ TYPE(SIM_PMU_CPU) },
	{ 0 },
};

static const struct sysfs_attribute cpu_format_attributes[] = {
	{ "event", .fixed = "config:0-7" },
	{ "umask", .fixed = "config:8-15" },
	{ 0 },
};

static const struct sysfs_attribute msr_attributes[] = {
	{ TYPE(SIM_PMU_MSR) },
	{ 0 },
};

static const struct sysfs_attribute msr_format_attributes[] = {
	{ "event", .fixed = "config:0-63" },
	{ 0 },
};

static const struct sysfs_attribute msr_event_attributes[] = {
	{ "aperf", .fixed = "event=0x01" },
	{ "mperf", .fixed = "event=0x02" },
	{ "smi", .fixed = "event=0x04" },
	{ "tsc", .fixed = "event=0x00" },
	{ 0 },
};

static const struct sysfs_attribute core_attributes[] = {
	{ CPUMASK(SIM_PMU_CSTATE_CORE) },
	{ TYPE(SIM_PMU_CSTATE_CORE) },
	{ 0 },
};

static const struct sysfs_attribute core_event_attributes[] = {
	{ "c1-residency", .fixed = "event=0x00" },
	{ "c6-residency", .fixed = "event=0x02" },
	{ 0 },
};

static const struct sysfs_attribute package_attributes[] = {
	{ CPUMASK(SIM_PMU_CSTATE_PKG) },
	{ TYPE(SIM_PMU_CSTATE_PKG) },
	{ 0 },
};

static const struct sysfs_attribute package_event_attributes[] = {
	{ "c6-residency", .fixed = "event=0x02" },
	{ 0 },
};

static const struct sysfs_attribute power_attributes[] = {
	{ CPUMASK(SIM_PMU_POWER) },
	{ TYPE(SIM_PMU_POWER) },
	{ 0 },
};

static const struct sysfs_attribute power_format_attributes[] = {
	{ "event", .fixed = "config:0-7" },
	{ 0 },
};

static const struct sysfs_attribute power_event_attributes[] = {
	{ "energy-pkg", .fixed = "event=0x02" },
	{ "energy-pkg.scale", .fixed = "2.3283064365386962890625e-10" },
	{ "energy-pkg.unit", .fixed = "Joules" },
	{ 0 },
};

const struct sysfs_directory sysfs_pmu[] = {
	{ .path = SYSFS_PMUS },
	{ SYSFS_PMUS "/cpu", .exists = has_cpu, .attributes = cpu_attributes },
	{ SYSFS_PMUS "/cpu/format", .exists = has_cpu, .attributes = cpu_format_attributes },
	{ SYSFS_PMUS "/cstate_core", .exists = has_cstate_core, .attributes = core_attributes },
	{ SYSFS_PMUS "/cstate_core/events", .exists = has_cstate_core,
	  .attributes = core_event_attributes },
	{ SYSFS_PMUS "/cstate_core/format", .exists = has_cstate_core,
	  .attributes = msr_format_attributes },
	{ SYSFS_PMUS "/cstate_pkg", .exists = has_cstate_pkg, .attributes = package_attributes },
	{ SYSFS_PMUS "/cstate_pkg/events", .exists = has_cstate_pkg,
	  .attributes = package_event_attributes },
	{ SYSFS_PMUS "/cstate_pkg/format", .exists = has_cstate_pkg,
	  .attributes = msr_format_attributes },
	{ SYSFS_PMUS "/msr", .exists = has_msr, .attributes = msr_attributes },
	{ SYSFS_PMUS "/msr/events", .exists = has_msr, .attributes = msr_event_attributes },
	{ SYSFS_PMUS "/msr/format", .exists = has_msr, .attributes = msr_format_attributes },
	{ SYSFS_PMUS "/power", .exists = has_power, .attributes = power_attributes },
	{ SYSFS_PMUS "/power/events", .exists = has_power, .attributes = power_event_attributes },
	{ SYSFS_PMUS "/power/format", .exists = has_power, .attributes = power_format_attributes },
	{ 0 },
};
