// SPDX-License-Identifier: GPL-2.0-only
/* Kernel files that no command of ours writes, with the values of a server that nobody has tuned
 * (record.md, "check"): boot parameters, sysctls, the clock, huge pages, and eight queues of an
 * NVMe disk whose interrupts go to the first CPUs. No processes are shown. */
#include "simulator/sysfs/sysfs.h"

#define FIRST_IRQ 24
#define N_IRQS    8

static uint32_t irq_cpu(const struct sysfs_place *place)
{
	return (place->numbers[0] - FIRST_IRQ) % (uint32_t)place->platform->n_cpus;
}

SYSFS_HAS(has_irq, place->numbers[0] >= FIRST_IRQ && place->numbers[0] < FIRST_IRQ + N_IRQS);

/* The directory of the interrupt's handler. */
SYSFS_HAS(has_handler, has_irq(place) && place->numbers[1] == place->numbers[0] - FIRST_IRQ + 1);
SYSFS_NUMBER(get_paranoid, place->platform->sources.perf_event_paranoid);
SYSFS_TEXT(get_kernel, place->platform->kernel);
SYSFS_NUMBER(get_irq_cpu, irq_cpu(place));

static int append_all_cpus(const struct sysfs_place *place, struct buffer *to)
{
	_cleanup_cpuset_ struct cpuset all = { 0 };
	uint32_t last = (uint32_t)place->platform->n_cpus - 1;
	int err = cpuset_add_range(&all, 0, last);

	if (!err)
		cpuset_append_mask(&all, last / 32 + 1, to);
	return err;
}

static const struct sysfs_attribute kernel_attributes[] = {
	{ "nmi_watchdog", .fixed = "1" },
	{ "osrelease", .text = get_kernel },
	{ "perf_event_paranoid", .number = get_paranoid },
	{ "split_lock_mitigate", .fixed = "1" },
	{ "timer_migration", .fixed = "1" },
	{ "version", .fixed = "#1 SMP PREEMPT_DYNAMIC" },
	{ 0 },
};

const struct sysfs_directory sysfs_kernel[] = {
	{ "/proc/sys/kernel", .attributes = kernel_attributes },
	{ "/proc/irq", SYSFS_FILES({ "default_smp_affinity", .append = append_all_cpus }) },
	{ "/proc/irq/#", .exists = has_irq,
	  SYSFS_FILES({ "effective_affinity_list", .number = get_irq_cpu },
		      { "smp_affinity_list", .number = get_irq_cpu }) },
	{ "/proc/irq/#/nvme0q#", .exists = has_handler },
	{ "/sys/devices/system/clocksource/clocksource0",
	  SYSFS_FILES({ "available_clocksource", .fixed = "tsc hpet acpi_pm" },
		      { "current_clocksource", .fixed = "tsc" }) },
	{ "/sys/kernel/mm/transparent_hugepage",
	  SYSFS_FILES({ "enabled", .fixed = "[always] madvise never" }) },
	{ 0 },
};
