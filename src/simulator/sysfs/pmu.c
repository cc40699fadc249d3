// SPDX-License-Identifier: GPL-2.0-only
/* The files that describe the kernel's PMUs (measure.md, "Sources, rights, traps"). */
#include <errno.h>

#include "simulator/pmu.h"
#include "simulator/sysfs/sysfs.h"

static enum sim_pmu pmu_of(const struct sysfs_place *place)
{
	return (enum sim_pmu)place->directory->argument;
}

SYSFS_HAS(has_pmu, pmu_exists(place->platform, pmu_of(place)));
SYSFS_NUMBER(get_type, (uint32_t)pmu_of(place));

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

static const struct sysfs_attribute type_attributes[] = {
	{ "type", .number = get_type },
	{ 0 },
};

static const struct sysfs_attribute mask_attributes[] = {
	{ "cpumask", .append = append_cpumask },
	{ "type", .number = get_type },
	{ 0 },
};

static const struct sysfs_attribute format_attributes[] = {
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

#define PMU(path, pmu) SYSFS_PMUS path, .argument = (pmu), .exists = has_pmu

const struct sysfs_directory sysfs_pmu[] = {
	{ .path = SYSFS_PMUS },
	{ PMU("/cpu", SIM_PMU_CPU), .attributes = type_attributes },
	{ PMU("/cpu/format", SIM_PMU_CPU),
	  SYSFS_FILES({ "event", .fixed = "config:0-7" }, { "umask", .fixed = "config:8-15" }) },
	{ PMU("/cstate_core", SIM_PMU_CSTATE_CORE), .attributes = mask_attributes },
	{ PMU("/cstate_core/events", SIM_PMU_CSTATE_CORE),
	  SYSFS_FILES({ "c1-residency", .fixed = "event=0x00" },
		      { "c6-residency", .fixed = "event=0x02" }) },
	{ PMU("/cstate_core/format", SIM_PMU_CSTATE_CORE), .attributes = format_attributes },
	{ PMU("/cstate_pkg", SIM_PMU_CSTATE_PKG), .attributes = mask_attributes },
	{ PMU("/cstate_pkg/events", SIM_PMU_CSTATE_PKG),
	  SYSFS_FILES({ "c6-residency", .fixed = "event=0x02" }) },
	{ PMU("/cstate_pkg/format", SIM_PMU_CSTATE_PKG), .attributes = format_attributes },
	{ PMU("/msr", SIM_PMU_MSR), .attributes = type_attributes },
	{ PMU("/msr/events", SIM_PMU_MSR), .attributes = msr_event_attributes },
	{ PMU("/msr/format", SIM_PMU_MSR), .attributes = format_attributes },
	{ PMU("/power", SIM_PMU_POWER), .attributes = mask_attributes },
	{ PMU("/power/events", SIM_PMU_POWER),
	  SYSFS_FILES({ "energy-pkg", .fixed = "event=0x02" },
		      { "energy-pkg.scale", .fixed = "2.3283064365386962890625e-10" },
		      { "energy-pkg.unit", .fixed = "Joules" }) },
	{ PMU("/power/format", SIM_PMU_POWER), SYSFS_FILES({ "event", .fixed = "config:0-7" }) },
	{ 0 },
};
