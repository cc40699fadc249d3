// SPDX-License-Identifier: GPL-2.0-only
/* The map of logical CPUs to PUNIT cores, as -d shows it (hardware.md, section 2). */
#include "platform/trace.h"

#include <inttypes.h>

#include "platform/words.h"

void trace_write_map(FILE *trace, const struct machine *machine)
{
	cpuset_foreach (cpu, &machine->topology.online) {
		const struct cpu_place *place = &machine->topology.places[cpu];
		uint64_t core_id = 0;
		char path[80];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/core_id", cpu);
		if (files_read_number(machine->host->files, path, &core_id))
			core_id = 0;
		fprintf(trace, "map logical_cpu:%u core: %" PRIu64 " die:%u pkg:%u ", cpu, core_id,
			place->die, place->package);
		fprintf(trace, "punit:%u punit_cpu:%u punit_core:%u\n",
			word_decode_punit(place->physical_cpu),
			word_decode_punit_cpu(place->physical_cpu),
			word_decode_core(place->physical_cpu));
	}
}
