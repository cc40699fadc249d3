// SPDX-License-Identifier: GPL-2.0-only
/* The map of logical CPUs to PUNIT cores, as -d shows it (hardware.md, section 2). */
#include "platform/trace.h"

#include <inttypes.h>

#include "platform/words.h"

/* The numbers behind physical_cpu, whose bits differ by generation. */
static void write_punit(FILE *trace, const struct platform *platform, uint32_t physical_cpu)
{
	if (platform->shows_power_domains)
		fprintf(trace, "punit:%u punit_cpu:%u punit_core:%u\n",
			word_decode_tpmi_domain(physical_cpu),
			word_decode_tpmi_punit_cpu(physical_cpu),
			word_decode_tpmi_core(physical_cpu));
	else
		fprintf(trace, "punit:%u punit_cpu:%u punit_core:%u\n",
			word_decode_punit(physical_cpu), word_decode_punit_cpu(physical_cpu),
			word_decode_core(physical_cpu));
}

void trace_write_map(FILE *trace, const struct platform *platform)
{
	const struct machine *machine = platform->machine;

	cpuset_foreach (cpu, &machine->topology.online) {
		const struct cpu_place *place = &machine->topology.places[cpu];
		uint64_t core_id = 0;
		char path[80];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/core_id", cpu);
		if (files_read_number(machine->host->files, path, &core_id))
			core_id = 0;
		fprintf(trace, "map logical_cpu:%u core: %" PRIu64 " die:%u pkg:%u ", cpu, core_id,
			place->die, place->package);
		write_punit(trace, platform, place->physical_cpu);
	}
}
