// SPDX-License-Identifier: GPL-2.0-only
/* The map of CPUs: applied whole to a machine with CPUs offline, or not at all. */
#include <errno.h>

#include "run_file.h"
#include "base/cleanup.h"
#include "base/cpuset.h"
#include "host/topology.h"

#define CPUS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *directory = fuzz_run_file("cpu-map.json", data, size);
	struct topology topology = { .places = calloc(CPUS, sizeof(struct cpu_place)) };
	int err;

	FUZZ_REQUIRE(topology.places);
	FUZZ_REQUIRE(cpulist_parse("0-7", &topology.possible) == 0);
	FUZZ_REQUIRE(cpulist_parse("0-7", &topology.present) == 0);
	FUZZ_REQUIRE(cpulist_parse("0-3", &topology.online) == 0);
	FUZZ_REQUIRE(cpulist_parse("0-3", &topology.placed) == 0);
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		topology.places[cpu] = (struct cpu_place){ .package = cpu / 2,
							   .has_physical_cpu = true,
							   .physical_cpu = cpu % 2 };
	err = cpu_map_apply(fuzz_run_files(), directory, &topology);
	FUZZ_REQUIRE(err == 0 || err == -ESTALE || err == -EBADMSG);
	FUZZ_REQUIRE(cpuset_count(&topology.placed) <= CPUS);
	FUZZ_REQUIRE(!err || cpuset_count(&topology.placed) == 4);
	topology_done(&topology);
	return 0;
}
