// SPDX-License-Identifier: GPL-2.0-only
/* /proc/cpuinfo (hardware.md, section 1), with the fields by which a processor is identified, and
 * the boot id. */
#include "simulator/sysfs_tree.h"

/* Flags of every machine with Speed Select. */
#define COMMON_FLAGS                                                                           \
	"fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush dts " \
	"acpi mmx fxsr sse sse2 ss ht tm pbe syscall nx pdpe1gb rdtscp lm constant_tsc art "   \
	"arch_perfmon pebs bts rep_good nopl xtopology nonstop_tsc cpuid aperfmperf epb"

static void append_stanza(const struct sim_platform *platform, uint32_t cpu, struct buffer *to)
{
	sysfs_append(to, "processor\t: %u\nvendor_id\t: GenuineIntel\ncpu family\t: %u\n", cpu,
		     platform->cpu.family);
	sysfs_append(to, "model\t\t: %u\nmodel name\t: %s\nstepping\t: %u\n", platform->cpu.model,
		     platform->cpu.model_name, platform->cpu.stepping);
	sysfs_append(to, "flags\t\t: %s%s%s%s\n", COMMON_FLAGS,
		     platform->has_cpufreq ? " hwp hwp_act_window hwp_epp hwp_pkg_req" : "",
		     platform->cpu.hfi ? " hfi" : "", platform->has_umwait ? " waitpkg" : "");
}

/* Stops at the limit of the reader, who wants the first stanza alone. */
static int append_cpuinfo(const struct sysfs_place *place, struct buffer *to)
{
	for (uint32_t cpu = 0; cpu < sysfs_platform(place)->n_cpus; cpu++) {
		if (place->limit && to->length >= place->limit)
			break;
		if (!place->state->cpus[cpu].online)
			continue;
		if (to->length > 0)
			buffer_append_char(to, '\n');
		append_stanza(sysfs_platform(place), cpu, to);
	}
	return 0;
}

SYSFS_TEXT(get_boot_id, sysfs_machine(place)->boot_id);

static const struct sysfs_attribute proc_attributes[] = {
	{ .name = "cpuinfo", .append = append_cpuinfo },
	{ 0 },
};

static const struct sysfs_attribute random_attributes[] = {
	{ .name = "boot_id", .text = get_boot_id },
	{ 0 },
};

const struct sysfs_directory sysfs_proc[] = {
	{ .path = "/proc", .attributes = proc_attributes },
	{ .path = "/proc/sys/kernel/random", .attributes = random_attributes },
	{ 0 },
};
