// SPDX-License-Identifier: GPL-2.0-only
/* Reads packages and dies from sysfs (hardware.md, section 5). The lists of one CPU place all CPUs
 * of its die: a large machine needs four files for each die, not three for each CPU. If a CPU goes
 * offline meanwhile, everything is read again. */
#include "host/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

#define TRIES      10
#define UNKNOWN_ID "-1"
#define MOST_DIES  256

/* The kernel shows -1 if firmware has no id (other architectures, guests); the id is then 0. */
static int read_id(struct files *files, uint32_t cpu, const char *name, uint32_t *ret_id)
{
	_cleanup_free_ char *text = NULL;
	uint64_t id = 0;
	int err = files_read_line(files, files_cpu_path(cpu, "topology/%s", name).text, &text);

	if (err)
		return err;
	if (strcmp(text, UNKNOWN_ID) != 0)
		err = number_parse_file(text, &id);
	if (err)
		return err;
	if (id > UINT32_MAX)
		return -EINVAL;
	*ret_id = (uint32_t)id;
	return 0;
}

/* Returns true if a CPU's file disappeared, before or after it was opened. */
static bool is_missing(int err)
{
	return err == -ENOENT || err == -ENODEV;
}

/* Finds why a file of a CPU is missing. Returns 0 if the kernel has no such file; -ENODEV: the CPU
 * went offline. */
static int explain_missing(struct files *files, uint32_t cpu)
{
	uint32_t package;

	return is_missing(read_id(files, cpu, "physical_package_id", &package)) ? -ENODEV : 0;
}

/* Reads the CPUs of a list file that are also in among. Always includes cpu. */
static int read_group(struct files *files, uint32_t cpu, const char *name,
		      const struct cpuset *among, struct cpuset *ret_group)
{
	_cleanup_cpuset_ struct cpuset group = { 0 };
	int err = files_read_cpus(files, files_cpu_path(cpu, "topology/%s", name).text, &group);

	if (is_missing(err))
		err = explain_missing(files, cpu);
	if (err)
		return err;
	cpuset_keep(&group, among);
	err = cpuset_add(&group, cpu);
	if (err)
		return err;
	*ret_group = steal(group);
	return 0;
}

/* Sets the location of the CPUs of cpu's die and removes them from left; -ENODEV: cpu went offline.
 * Kernels without dies have die 0. */
static int place_die(struct topology *topology, struct files *files, uint32_t cpu, uint32_t package,
		     struct cpuset *left)
{
	_cleanup_cpuset_ struct cpuset group = { 0 };
	uint32_t die = 0;
	int err = read_id(files, cpu, "die_id", &die);

	if (is_missing(err)) {
		err = explain_missing(files, cpu);
		if (!err)
			err = cpuset_copy(&group, left);
	} else if (!err) {
		err = read_group(files, cpu, "die_cpus_list", left, &group);
	}
	if (err)
		return err;
	cpuset_foreach (member, &group)
		topology->places[member] = (struct cpu_place){ .package = package, .die = die };
	cpuset_remove_all(left, &group);
	return cpuset_add_all(&topology->placed, &group);
}

/* Sets the location of the CPUs of cpu's package and removes them from left; -ENODEV: a CPU went
 * offline. */
static int place_package(struct topology *topology, struct files *files, uint32_t cpu,
			 struct cpuset *left)
{
	_cleanup_cpuset_ struct cpuset group = { 0 };
	uint32_t package;
	int err = read_id(files, cpu, "physical_package_id", &package);

	if (err)
		return is_missing(err) ? -ENODEV : err;
	err = read_group(files, cpu, "package_cpus_list", left, &group);
	if (err)
		return err;
	cpuset_remove_all(left, &group);
	while (!err && !cpuset_is_empty(&group))
		err = place_die(topology, files, cpuset_next(&group, 0), package, &group);
	return err;
}

static int place_online(struct topology *topology, struct files *files)
{
	_cleanup_cpuset_ struct cpuset left = { 0 };
	int err = cpuset_copy(&left, &topology->online);

	while (!err && !cpuset_is_empty(&left))
		err = place_package(topology, files, cpuset_next(&left, 0), &left);
	return err;
}

/* If smt/control is off or forceoff, the kernel does not let second threads come online.
 * "notsupported" forbids nothing: cores then have one thread, or the kernel accepts all threads. */
static void read_smt(struct topology *topology, struct files *files)
{
	_cleanup_free_ char *control = NULL;

	topology->smt_is_off = false;
	if (cpuset_equal(&topology->present, &topology->online) ||
	    files_read_line(files, FILES_CPUS "/smt/control", &control))
		return;
	topology->smt_is_off = strcmp(control, "off") == 0 || strcmp(control, "forceoff") == 0;
}

static int read_all(struct topology *topology, struct files *files)
{
	int err = files_read_cpus(files, FILES_CPUS "/present", &topology->present);

	if (!err)
		err = files_read_cpus(files, FILES_CPUS "/online", &topology->online);
	if (!err)
		err = files_read_cpus(files, FILES_CPUS "/possible", &topology->possible);
	if (err)
		return err;
	if (cpuset_is_empty(&topology->present) || cpuset_is_empty(&topology->online))
		return -EINVAL;
	/* An online CPU is present, and a present CPU is possible, even if the files differ. */
	if (cpuset_add_all(&topology->present, &topology->online) ||
	    cpuset_add_all(&topology->possible, &topology->present))
		return -ENOMEM;
	topology->places =
		calloc((size_t)cpuset_last(&topology->present) + 1, sizeof(*topology->places));
	if (!topology->places)
		return -ENOMEM;
	err = place_online(topology, files);
	if (!err)
		read_smt(topology, files);
	return err;
}

int topology_read(struct files *files, struct topology *ret_topology)
{
	struct topology topology = { 0 };
	int err = -ENODEV;

	for (unsigned int tries = TRIES; err == -ENODEV && tries > 0; tries--) {
		topology_done(&topology);
		err = read_all(&topology, files);
	}
	if (!err) {
		*ret_topology = topology;
		return 0;
	}
	topology_done(&topology);
	/* A CPU stays online without a topology, so the kernel's files contradict each other. */
	return err == -ENODEV ? -ENOENT : err;
}

int topology_update(struct files *files, struct topology *topology, bool *ret_moved)
{
	_cleanup_cpuset_ struct cpuset online = { 0 }, known = { 0 };
	int err = files_read_cpus(files, FILES_CPUS "/online", &online);

	if (err)
		return err;
	if (cpuset_is_empty(&online))
		return -EINVAL;
	err = cpuset_copy(&known, &online);
	if (err)
		return err;
	cpuset_keep(&known, &topology->placed);
	*ret_moved = !cpuset_equal(&known, &topology->online);
	cpuset_done(&topology->online);
	topology->online = steal(known);
	read_smt(topology, files);
	return cpuset_equal(&online, &topology->online) ? 0 : -ESTALE;
}

void topology_done(struct topology *topology)
{
	cpuset_done(&topology->possible);
	cpuset_done(&topology->present);
	cpuset_done(&topology->online);
	cpuset_done(&topology->placed);
	cpuset_done(&topology->pending);
	free(topology->places);
	*topology = (struct topology){ 0 };
}

static int compare_cores(const struct cpu_place *left, const struct cpu_place *right)
{
	int order = number_compare(left->package, right->package);

	order = order ?: number_compare(left->die, right->die);
	order = order ?: number_compare(left->power_domain, right->power_domain);
	return order ?: number_compare(left->core, right->core);
}

/* The first thread of a core has the lowest physical_cpu. */
static int compare_threads(const void *left_pointer, const void *right_pointer)
{
	const struct cpu_place *left = *(const struct cpu_place *const *)left_pointer;
	const struct cpu_place *right = *(const struct cpu_place *const *)right_pointer;

	return compare_cores(left, right)
		       ?: number_compare(left->physical_cpu, right->physical_cpu);
}

/* Returns true if the thread is the second of two. More are cores of a module (domains.c). */
static bool is_second(const struct cpu_place *const *threads, size_t count, size_t index)
{
	const struct cpu_place *thread = threads[index];

	return index > 0 && compare_cores(threads[index - 1], thread) == 0 &&
	       (index < 2 || compare_cores(threads[index - 2], thread) != 0) &&
	       (index + 1 == count || compare_cores(threads[index + 1], thread) != 0);
}

/* Returns a new array with the locations of the CPUs that have a physical_cpu, in the order of
 * cores. NULL: no memory. */
static const struct cpu_place **list_threads(const struct topology *topology,
					     const struct cpuset *cpus, size_t *ret_count)
{
	const struct cpu_place **threads = calloc(cpuset_count(cpus) + 1, sizeof(*threads));
	size_t count = 0;

	if (!threads)
		return NULL;
	cpuset_foreach (cpu, cpus) {
		if (topology->places[cpu].has_physical_cpu)
			threads[count++] = &topology->places[cpu];
	}
	qsort(threads, count, sizeof(*threads), compare_threads);
	*ret_count = count;
	return threads;
}

/* Adds the second threads among the CPUs with known locations. */
static int add_known_threads(const struct topology *topology, struct cpuset *set)
{
	size_t count = 0;
	_cleanup_free_ const struct cpu_place **threads =
		list_threads(topology, &topology->placed, &count);
	int err = threads ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !err; i++) {
		if (is_second(threads, count, i))
			err = cpuset_add(set, (uint32_t)(threads[i] - topology->places));
	}
	return err;
}

/* Adds the second threads among the CPUs without a known location; set has the others. Only first
 * threads can be online. If half of all CPUs are known first threads, the other CPUs are second
 * threads. Otherwise, the numbers can show it: kernels number second threads after all first
 * threads, or each directly after the first thread of its core. If the online CPUs fit both orders,
 * or neither, nothing is added. */
static int add_numbered_threads(const struct topology *topology, struct cpuset *set)
{
	uint32_t half = (cpuset_last(&topology->present) + 1) / 2;
	size_t n_present = cpuset_count(&topology->present);
	bool is_complete = n_present == 2 * (cpuset_count(&topology->placed) - cpuset_count(set));
	bool is_split = n_present == 2 * (size_t)half, is_paired = is_split;
	int err = 0;

	cpuset_foreach (cpu, &topology->online) {
		if (cpuset_has(&topology->pending, cpu))
			continue;
		is_split = is_split && cpu < half;
		is_paired = is_paired && cpu % 2 == 0;
	}
	if (!is_complete && is_split == is_paired)
		return 0;
	cpuset_foreach (cpu, &topology->present) {
		if (!err && !cpuset_has(&topology->placed, cpu) &&
		    (is_complete || (is_split ? cpu >= half : cpu % 2 != 0)))
			err = cpuset_add(set, cpu);
	}
	return err;
}

int topology_find_threads(const struct topology *topology, struct cpuset *ret_set)
{
	_cleanup_cpuset_ struct cpuset threads = { 0 };
	int err;

	if (!topology->smt_is_off)
		return 0;
	err = add_known_threads(topology, &threads);
	if (!err)
		err = add_numbered_threads(topology, &threads);
	if (err)
		return err;
	cpuset_remove_all(&threads, &topology->online);
	*ret_set = steal(threads);
	return 0;
}

int topology_find_unplaced(const struct topology *topology, struct cpuset *ret_set)
{
	_cleanup_cpuset_ struct cpuset unplaced = { 0 }, threads = { 0 };
	int err = cpuset_copy(&unplaced, &topology->present);

	if (err)
		return err;
	cpuset_remove_all(&unplaced, &topology->placed);
	cpuset_remove_all(&unplaced, &topology->pending);
	if (cpuset_is_empty(&unplaced))
		return 0;
	err = topology_find_threads(topology, &threads);
	if (err)
		return err;
	cpuset_remove_all(&unplaced, &threads);
	*ret_set = steal(unplaced);
	return 0;
}

int topology_read_core(struct files *files, uint32_t cpu, struct cpuset *set)
{
	_cleanup_cpuset_ struct cpuset threads = { 0 };
	int err = files_read_cpus(files, files_cpu_path(cpu, "topology/thread_siblings_list").text,
				  &threads);

	if (!err && !cpuset_has(&threads, cpu)) {
		cpuset_done(&threads);
		err = -EINVAL;
	}
	return cpuset_add(set, cpu) || cpuset_add_all(set, &threads) ? -ENOMEM : err;
}

int topology_add_core(struct files *files, uint32_t cpu, struct cpuset *set)
{
	return topology_read_core(files, cpu, set) == -ENOMEM ? -ENOMEM : 0;
}

/* Returns true if the kernel lists the same online threads of a core. */
static bool is_core_of_kernel(struct files *files, const struct topology *topology,
			      const struct cpu_place *const *threads, size_t count)
{
	_cleanup_cpuset_ struct cpuset listed = { 0 };
	uint32_t cpu = (uint32_t)(threads[0] - topology->places);

	if (files_read_cpus(files, files_cpu_path(cpu, "topology/thread_siblings_list").text,
			    &listed))
		return false;
	cpuset_keep(&listed, &topology->online);
	for (size_t i = 0; i < count; i++) {
		if (!cpuset_has(&listed, (uint32_t)(threads[i] - topology->places)))
			return false;
	}
	return cpuset_count(&listed) == count;
}

/* Finds the cores from the sorted locations of the online CPUs. Compares a core with the kernel's
 * list if it is the first core of its package, or has more online threads than those before.
 * Returns 0; -ENODATA if a list differs; or -ENOMEM. */
static int find_placed_cores(struct files *files, const struct topology *topology,
			     const struct cpu_place *const *threads, size_t count,
			     struct cpuset *cores)
{
	size_t most = 0; /* most threads of a core of the package so far */

	for (size_t i = 0, next; i < count; i = next) {
		uint32_t first = CPUSET_NONE;

		for (next = i; next < count && compare_cores(threads[i], threads[next]) == 0;
		     next++) {
			uint32_t cpu = (uint32_t)(threads[next] - topology->places);

			first = cpu < first ? cpu : first;
		}
		if (i > 0 && threads[i]->package != threads[i - 1]->package)
			most = 0;
		if (next - i > most) {
			most = next - i;
			if (!is_core_of_kernel(files, topology, &threads[i], most))
				return -ENODATA;
		}
		if (cpuset_add(cores, first))
			return -ENOMEM;
	}
	return 0;
}

/* Finds the cores from the list of each core. */
static int find_listed_cores(struct files *files, const struct topology *topology,
			     struct cpuset *cores)
{
	_cleanup_cpuset_ struct cpuset found = { 0 };

	cpuset_foreach (cpu, &topology->online) {
		_cleanup_cpuset_ struct cpuset threads = { 0 };
		int err;

		if (cpuset_has(&found, cpu))
			continue;
		err = files_read_cpus(
			files, files_cpu_path(cpu, "topology/thread_siblings_list").text, &threads);
		if (err)
			return err;
		if (cpuset_add_all(&found, &threads) || cpuset_add(cores, cpu))
			return -ENOMEM;
	}
	return 0;
}

int topology_find_cores(struct files *files, const struct topology *topology,
			struct cpuset *ret_set)
{
	_cleanup_cpuset_ struct cpuset cores = { 0 };
	size_t count = 0;
	_cleanup_free_ const struct cpu_place **threads =
		list_threads(topology, &topology->online, &count);
	int err = -ENODATA;

	if (!threads)
		return -ENOMEM;
	if (count == cpuset_count(&topology->online))
		err = find_placed_cores(files, topology, threads, count, &cores);
	if (err == -ENODATA) {
		cpuset_done(&cores);
		err = find_listed_cores(files, topology, &cores);
	}
	if (!err)
		*ret_set = steal(cores);
	return err;
}

int topology_find_packages(const struct topology *topology, struct cpuset *ret_set)
{
	cpuset_foreach (cpu, &topology->placed) {
		if (cpuset_add(ret_set, topology->places[cpu].package) == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

bool topology_dies_differ(const struct topology *topology)
{
	uint32_t package_of[MOST_DIES];

	memset(package_of, UINT8_MAX, sizeof(package_of));
	cpuset_foreach (cpu, &topology->placed) {
		const struct cpu_place *place = &topology->places[cpu];

		if (place->die >= MOST_DIES)
			return false;
		if (package_of[place->die] == UINT32_MAX)
			package_of[place->die] = place->package;
		if (package_of[place->die] != place->package)
			return false;
	}
	return true;
}

size_t topology_mask_words(const struct topology *topology)
{
	uint32_t last = cpuset_last(&topology->possible);

	return last == CPUSET_NONE ? 1 : last / 32 + 1;
}
