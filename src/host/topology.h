/* SPDX-License-Identifier: GPL-2.0-only */
/* Which logical CPUs there are, and in which package and die each is (hardware.md, section 5). An
 * offline CPU has no place until a map gives it one. */
#ifndef HOST_TOPOLOGY_H
#define HOST_TOPOLOGY_H

#include "base/cpuset.h"
#include "host/files.h"

struct cpu_place {
	uint32_t package; /* 0 if the kernel has no id (-1); the same for die */
	uint32_t die; /* a label only: the kernel counts dies in several ways */
	uint32_t physical_cpu; /* the driver's answer to GET_PHY_ID */
	bool has_physical_cpu;
	/* What the platform derives from physical_cpu, if that is known. */
	uint32_t core; /* the PUNIT core: its bit in core masks */
	bool in_module; /* it is a module of several cores, as far as its CPUs are known */
	uint32_t power_domain; /* with has_power_domain: within the package */
	bool has_power_domain; /* only on parts whose CPUs report it (TPMI) */
	int core_error; /* if it was requested and is unknown: why, a negative errno */
};

struct topology {
	struct cpuset possible;
	struct cpuset present;
	struct cpuset online;
	struct cpuset placed; /* CPUs whose places are known */
	/* While a command is planned that will bring CPUs online first: those CPUs. The ones whose
	 * places are known are in online, too, but cannot be queried yet. */
	struct cpuset pending;
	bool smt_is_off; /* while CPUs are offline: second threads of cores cannot come online */
	struct cpu_place *places; /* by logical CPU, up to the highest present */
};

/* Reads the lists and, out of the package and die lists of one CPU each, the places of all online
 * CPUs. Returns 0, a negative errno of the file system, -EINVAL or -ERANGE for nonsense,
 * -ENOMEM. */
int topology_read(struct files *files, struct topology *ret_topology);

/* Reads again which CPUs are online; their places are known already. *ret_moved: other CPUs are
 * online than before. Returns 0; -ESTALE if a CPU without a known place is online too, so that
 * everything must be read again; or as topology_read(), with the topology unchanged. */
int topology_update(struct files *files, struct topology *topology, bool *ret_moved);

/* Frees the sets and places and leaves them empty. */
void topology_done(struct topology *topology);

/* Can the CPU's files be read, and can it be named in requests? */
static inline bool topology_can_ask(const struct topology *topology, uint32_t cpu)
{
	return cpuset_has(&topology->online, cpu) && !cpuset_has(&topology->pending, cpu);
}

/* Fills the empty ret_set with the offline CPUs that are second threads of cores and cannot come
 * online because SMT is off, as far as their places (with the cores) or their numbers show it.
 * Returns 0 or -ENOMEM. */
int topology_find_threads(const struct topology *topology, struct cpuset *ret_set);

/* Fills the empty ret_set with the present CPUs whose places are unknown: offline ones that no
 * map has. The second threads of topology_find_threads() are left out. Returns 0 or -ENOMEM. */
int topology_find_unplaced(const struct topology *topology, struct cpuset *ret_set);

/* Adds the CPUs of the core of a CPU, online or not: that CPU alone after a failure. Returns 0, the
 * negative errno of reading, -EINVAL, -ERANGE or -ENOMEM. */
int topology_read_core(struct files *files, uint32_t cpu, struct cpuset *set);

/* The same; if the kernel does not list them, the core has one thread. Returns 0 or -ENOMEM. */
int topology_add_core(struct files *files, uint32_t cpu, struct cpuset *set);

/* Fills the empty ret_set with the first online CPU of each core: by the driver's numbers of the
 * CPUs, if all are known and agree with the list of threads of one core of each package and
 * number of online threads; else by the list of each core. Returns 0, a negative errno of reading,
 * -EINVAL, -ERANGE or -ENOMEM. */
int topology_find_cores(struct files *files, const struct topology *topology,
			struct cpuset *ret_set);

/* Fills the empty ret_set with the numbers of the packages of the CPUs whose places are known, up
 * to CPUSET_MAX_CPU. Returns 0 or -ENOMEM. */
int topology_find_packages(const struct topology *topology, struct cpuset *ret_set);

/* Does no die of a package have the number of a die of another package? */
bool topology_dies_differ(const struct topology *topology);

/* 32-bit words of this machine's CPU masks, by the highest possible CPU; at least 1. */
size_t topology_mask_words(const struct topology *topology);

/* The map of CPUs: the place of each when it was last online, so that an offline CPU, which has no
 * topology directory, can be counted and brought back (hardware.md, section 5). A small versioned
 * file in the run directory, valid for one boot, written by the first command that asks Speed
 * Select and may write it, and before a CPU is taken offline. */

/* Writes the places of all placed CPUs, atomically, making the run directory as needed. What a
 * valid map has of other CPUs stays in it (docs/spec/state.md, "Speed Select that cannot be
 * asked"); a map that can be read but is none that may be used is replaced. Needs the lock, if
 * other processes can write it. Returns 0 or a negative errno of the file system, or -ENOMEM. */
int cpu_map_write(struct files *files, const char *run_directory, const struct topology *topology);

/* How much a map of these places holds: the CPUs, and once more those whose core is known. */
size_t cpu_map_count(const struct topology *topology);

/* Has the map of this boot as many places and cores as topology, to which it was applied if CPUs
 * are offline? Then writing it adds nothing. Reads its beginning only. */
bool cpu_map_has(struct files *files, const char *run_directory, const struct topology *topology);

/* Reads the map and gives offline CPUs their places, and CPUs whose core is unknown their core.
 * Returns 0; or, with topology unchanged:
 * -ENOENT (there is none), -ESTALE (of another boot, or it contradicts what is online or itself),
 * -EBADMSG (not a map of ours, or of another version), -EPERM (others may write it), another
 * negative errno. */
int cpu_map_apply(struct files *files, const char *run_directory, struct topology *topology);

#endif
