/* SPDX-License-Identifier: GPL-2.0-only */
/* The logical CPUs, and the package and die of each (hardware.md, section 5). The location of an
 * offline CPU is unknown until a map provides it. */
#ifndef HOST_TOPOLOGY_H
#define HOST_TOPOLOGY_H

#include "base/cpuset.h"
#include "host/files.h"

struct cpu_place {
	uint32_t package; /* 0 if the kernel has no id (-1); the same for die */
	uint32_t die; /* only a label: kernels count dies in several ways */
	uint32_t physical_cpu; /* the driver's answer to GET_PHY_ID */
	bool has_physical_cpu;
	/* What the platform derives from physical_cpu, if physical_cpu is known. */
	uint32_t core; /* the PUNIT core: its bit in core masks */
	bool in_module; /* core is a module of several cores, as far as its CPUs are known */
	uint32_t power_domain; /* number within the package; valid with has_power_domain */
	bool has_power_domain; /* only if the CPUs of the machine report it (TPMI) */
	int core_error; /* why a requested core is unknown: a negative errno, or 0 */
};

struct topology {
	struct cpuset possible;
	struct cpuset present;
	struct cpuset online;
	struct cpuset placed; /* CPUs whose locations are known */
	/* The CPUs that a planned command will bring online first. CPUs with known locations are
	 * also in online, but cannot be queried yet. */
	struct cpuset pending;
	bool smt_is_off; /* second threads cannot come online; false if all CPUs are online */
	struct cpu_place *places; /* indexed by logical CPU, up to the highest present CPU */
};

/* Reads the lists of CPUs and the locations of all online CPUs. For each package and die, it reads
 * the list of only one CPU. Returns 0, a negative errno of the file system, -EINVAL or -ERANGE for
 * invalid content, -ENOMEM. */
int topology_read(struct files *files, struct topology *ret_topology);

/* Reads again which CPUs with known locations are online. *ret_moved is true if other CPUs are
 * online than before. Returns 0; -ESTALE if a CPU without a known location is also online, so that
 * everything must be read again; or as topology_read(), with the topology unchanged. */
int topology_update(struct files *files, struct topology *topology, bool *ret_moved);

/* Frees the sets and locations and leaves them empty. */
void topology_done(struct topology *topology);

/* Returns true if the CPU's files can be read and requests can name the CPU. */
static inline bool topology_can_ask(const struct topology *topology, uint32_t cpu)
{
	return cpuset_has(&topology->online, cpu) && !cpuset_has(&topology->pending, cpu);
}

/* Fills the empty ret_set with the offline CPUs that are second threads of cores and cannot come
 * online because SMT is off, as far as their locations (with cores) or their numbers show it.
 * Returns 0 or -ENOMEM. */
int topology_find_threads(const struct topology *topology, struct cpuset *ret_set);

/* Fills the empty ret_set with the present CPUs whose locations are unknown: offline CPUs that no
 * map has. Leaves out the second threads of topology_find_threads(). Returns 0 or -ENOMEM. */
int topology_find_unplaced(const struct topology *topology, struct cpuset *ret_set);

/* Adds the CPUs of a CPU's core, online or not. After a failure, adds only the CPU itself. Returns
 * 0, the negative errno of reading, -EINVAL, -ERANGE or -ENOMEM. */
int topology_read_core(struct files *files, uint32_t cpu, struct cpuset *set);

/* Works as topology_read_core(), but without a list of the kernel, the core has one thread. Returns
 * 0 or -ENOMEM. */
int topology_add_core(struct files *files, uint32_t cpu, struct cpuset *set);

/* Fills the empty ret_set with the first online CPU of each core. Uses the driver's CPU numbers if
 * all are known and agree with the kernel's thread lists, checked for one core of each package and
 * number of online threads. Otherwise uses the list of each core. Returns 0, a negative errno of
 * reading, -EINVAL, -ERANGE or -ENOMEM. */
int topology_find_cores(struct files *files, const struct topology *topology,
			struct cpuset *ret_set);

/* Fills the empty ret_set with the package numbers of all CPUs with known locations, up to
 * CPUSET_MAX_CPU. Returns 0 or -ENOMEM. */
int topology_find_packages(const struct topology *topology, struct cpuset *ret_set);

/* Returns true if dies of different packages have different numbers. */
bool topology_dies_differ(const struct topology *topology);

/* Returns how many 32-bit words a CPU mask needs for the highest possible CPU; at least 1. */
size_t topology_mask_words(const struct topology *topology);

/* The map of CPUs has the location of each CPU when it was last online. An offline CPU has no
 * topology directory; with the map, it can be counted and brought online (hardware.md, section 5).
 * The map is a small versioned file in the run directory, valid for one boot. The first command
 * that uses Speed Select and may write the map writes it. It is also written before a CPU is taken
 * offline. */

/* Writes the locations of all placed CPUs atomically. Makes the run directory if needed. Keeps the
 * entries of a valid map for other CPUs (docs/spec/state.md, "Speed Select that cannot be asked").
 * Replaces an invalid map that can be read. Needs the lock if other processes can write the map.
 * Returns 0, a negative errno of the file system, or -ENOMEM. */
int cpu_map_write(struct files *files, const char *run_directory, const struct topology *topology);

/* Returns the size of a map of topology: the number of CPUs, plus the CPUs with a known core. */
size_t cpu_map_count(const struct topology *topology);

/* Returns true if the map of this boot has as many locations and cores as topology: writing the map
 * then adds nothing. If CPUs are offline, the map must be applied to topology first. Reads only the
 * map's beginning. */
bool cpu_map_has(struct files *files, const char *run_directory, const struct topology *topology);

/* Reads the map, and sets the locations of offline CPUs and the cores of CPUs whose core is
 * unknown. Returns 0; or, with topology unchanged, -ENOENT (no map), -ESTALE (the map is from
 * another boot, or contradicts the online CPUs or itself), -EBADMSG (not a map of this program, or
 * of another version), -EPERM (others may write it), another negative errno. */
int cpu_map_apply(struct files *files, const char *run_directory, struct topology *topology);

#endif
