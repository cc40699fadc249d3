// SPDX-License-Identifier: GPL-2.0-only
/* Reads packages and dies from sysfs (hardware.md, section 5): the lists of one CPU place all CPUs
 * of its die, so that a large machine costs four files a die and not three a CPU. A CPU that goes
 * offline meanwhile counts as offline. */
#include "host/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

#define UNKNOWN_ID "-1"

/* The kernel shows -1 if firmware has no id, as on other architectures and in guests: 0 here. */
static int read_id(struct files *files, uint32_t cpu, const char *name, uint32_t *ret_id)
{
	_cleanup_free_ char *text = NULL;
	char path[FILES_CPU_PATH_SIZE];
	uint64_t id = 0;
	int err;

	files_format_cpu_path(path, cpu, "topology/%s", name);
	err = files_read_line(files, path, &text);
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

/* Did a CPU's file go, before or after it was opened? */
static bool is_missing(int err)
{
	return err == -ENOENT || err == -ENODEV;
}

/* A file of a CPU is missing: 0 if the kernel has none of that name; -ENODEV: the CPU went offline.
 */
static int explain_missing(struct files *files, uint32_t cpu)
{
	uint32_t package;

	return is_missing(read_id(files, cpu, "physical_package_id", &package)) ? -ENODEV : 0;
}

/* The CPUs of a list file that are in among; cpu itself whatever the file says. */
static int read_group(struct files *files, uint32_t cpu, const char *name,
		      const struct cpuset *among, struct cpuset *ret_group)
{
	_cleanup_cpuset_ struct cpuset group = { 0 };
	char path[FILES_CPU_PATH_SIZE];
	int err;

	files_format_cpu_path(path, cpu, "topology/%s", name);
	err = files_read_cpus(files, path, &group);
	if (is_missing(err))
		err = explain_missing(files, cpu);
	if (err)
		return err;
	cpuset_keep(&group, among);
	err = cpuset_add(&group, cpu);
	if (err)
		return err;
	*ret_group = cpuset_steal(&group);
	return 0;
}

/* A CPU went offline since the list was read. */
static void forget(struct topology *topology, uint32_t cpu, struct cpuset *left)
{
	cpuset_remove(&topology->online, cpu);
	cpuset_remove(left, cpu);
}

static int place_group(struct topology *topology, const struct cpuset *group, uint32_t package,
		       uint32_t die)
{
	cpuset_foreach (cpu, group)
		topology->places[cpu] = (struct cpu_place){ .package = package, .die = die };
	return cpuset_add_all(&topology->placed, group);
}

/* Places the CPUs of cpu's die and takes them out of left. Kernels without dies have die 0. */
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
	if (err == -ENODEV) {
		forget(topology, cpu, left);
		return 0;
	}
	if (err)
		return err;
	err = place_group(topology, &group, package, die);
	cpuset_remove_all(left, &group);
	return err;
}

/* Places the CPUs of cpu's package and takes them out of left. */
static int place_package(struct topology *topology, struct files *files, uint32_t cpu,
			 struct cpuset *left)
{
	_cleanup_cpuset_ struct cpuset group = { 0 };
	uint32_t package;
	int err = read_id(files, cpu, "physical_package_id", &package);

	if (is_missing(err)) {
		forget(topology, cpu, left);
		return 0;
	}
	if (!err)
		err = read_group(files, cpu, "package_cpus_list", left, &group);
	if (err == -ENODEV) {
		forget(topology, cpu, left);
		return 0;
	}
	if (err)
		return err;
	cpuset_remove_all(left, &group);
	for (cpu = cpuset_next(&group, 0); cpu != CPUSET_NONE && !err;
	     cpu = cpuset_next(&group, cpu))
		err = place_die(topology, files, cpu, package, &group);
	return err;
}

/* CPUs without a topology must be offline by now; else the kernel's files contradict each other. */
static int check_forgotten(const struct topology *topology, struct files *files,
			   struct cpuset *forgotten)
{
	_cleanup_cpuset_ struct cpuset online = { 0 };
	int err;

	cpuset_remove_all(forgotten, &topology->online);
	if (cpuset_is_empty(forgotten))
		return 0;
	err = files_read_cpus(files, FILES_CPUS "/online", &online);
	if (err)
		return err;
	return cpuset_intersects(forgotten, &online) ? -ENOENT : 0;
}

static int place_online(struct topology *topology, struct files *files)
{
	_cleanup_cpuset_ struct cpuset left = { 0 }, listed = { 0 };
	int err;

	if (cpuset_copy(&left, &topology->online) || cpuset_copy(&listed, &topology->online))
		return -ENOMEM;
	for (uint32_t cpu = cpuset_next(&left, 0); cpu != CPUSET_NONE;
	     cpu = cpuset_next(&left, cpu)) {
		err = place_package(topology, files, cpu, &left);
		if (err)
			return err;
	}
	return check_forgotten(topology, files, &listed);
}

static int read_lists(struct topology *topology, struct files *files)
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
	/* What is online is present, and what is present is possible, whatever the files say. */
	err = cpuset_add_all(&topology->present, &topology->online);
	if (err)
		return err;
	return cpuset_add_all(&topology->possible, &topology->present);
}

/* The kernel lets no second thread come online if smt/control is off or forceoff. "notsupported"
 * forbids nothing: cores have one thread then, or the kernel accepts all of them. */
static void read_smt(struct topology *topology, struct files *files)
{
	_cleanup_free_ char *control = NULL;

	topology->smt_is_off = false;
	if (cpuset_equal(&topology->present, &topology->online) ||
	    files_read_line(files, FILES_CPUS "/smt/control", &control))
		return;
	topology->smt_is_off = strcmp(control, "off") == 0 || strcmp(control, "forceoff") == 0;
}

int topology_read(struct files *files, struct topology *ret_topology)
{
	struct topology topology = { 0 };
	int err = read_lists(&topology, files);

	if (!err) {
		topology.places = calloc((size_t)cpuset_last(&topology.present) + 1,
					 sizeof(*topology.places));
		err = topology.places ? place_online(&topology, files) : -ENOMEM;
	}
	if (err) {
		topology_done(&topology);
		return err;
	}
	read_smt(&topology, files);
	*ret_topology = topology;
	return 0;
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
	topology->online = cpuset_steal(&known);
	read_smt(topology, files);
	return cpuset_equal(&online, &topology->online) ? 0 : -ESTALE;
}

void topology_done(struct topology *topology)
{
	cpuset_done(&topology->possible);
	cpuset_done(&topology->present);
	cpuset_done(&topology->online);
	cpuset_done(&topology->placed);
	cpuset_done(&topology->coming);
	free(topology->places);
	*topology = (struct topology){ 0 };
}

/* A thread of a core; the first thread of a core has the lowest number of the driver. */
struct thread {
	uint32_t package;
	uint32_t die;
	uint32_t power_domain;
	uint32_t core;
	uint32_t physical_cpu;
	uint32_t cpu;
};

static int compare_cores(const struct thread *left, const struct thread *right)
{
	if (left->package != right->package)
		return left->package < right->package ? -1 : 1;
	if (left->die != right->die)
		return left->die < right->die ? -1 : 1;
	if (left->power_domain != right->power_domain)
		return left->power_domain < right->power_domain ? -1 : 1;
	return (left->core > right->core) - (left->core < right->core);
}

static int compare_threads(const void *left_pointer, const void *right_pointer)
{
	const struct thread *left = left_pointer, *right = right_pointer;
	int order = compare_cores(left, right);

	return order
		       ?: (left->physical_cpu > right->physical_cpu) -
				  (left->physical_cpu < right->physical_cpu);
}

static size_t list_threads(const struct topology *topology, struct thread *threads)
{
	size_t count = 0;

	cpuset_foreach (cpu, &topology->placed) {
		const struct cpu_place *place = &topology->places[cpu];

		if (place->has_physical_cpu)
			threads[count++] = (struct thread){
				.package = place->package,
				.die = place->die,
				.power_domain = place->power_domain,
				.core = place->core,
				.physical_cpu = place->physical_cpu,
				.cpu = cpu,
			};
	}
	qsort(threads, count, sizeof(*threads), compare_threads);
	return count;
}

/* Is the thread the second one of a core of two? More CPUs are cores of a module (domains.c). */
static bool is_second(const struct thread *threads, size_t count, size_t index)
{
	const struct thread *thread = &threads[index];

	return index > 0 && compare_cores(thread - 1, thread) == 0 &&
	       (index < 2 || compare_cores(thread - 2, thread) != 0) &&
	       (index + 1 == count || compare_cores(thread + 1, thread) != 0);
}

/* Adds the CPUs whose places are known and that are second threads. */
static int add_known_threads(const struct topology *topology, struct cpuset *set)
{
	size_t most = cpuset_count(&topology->placed), count;
	_cleanup_free_ struct thread *threads = calloc(most ?: 1, sizeof(*threads));
	int err = 0;

	if (!threads)
		return -ENOMEM;
	count = list_threads(topology, threads);
	for (size_t i = 0; i < count && !err; i++) {
		if (is_second(threads, count, i))
			err = cpuset_add(set, threads[i].cpu);
	}
	return err;
}

/* Adds the CPUs without a place that are second threads; set has those with a place. Only first
 * threads can be online, so that if half of all CPUs are known as such, the others are second ones.
 * Else the numbers tell: kernels number second threads after all first ones, or each after the
 * first one of its core. CPUs online that fit both, or neither, prove nothing. */
static int add_numbered_threads(const struct topology *topology, struct cpuset *set)
{
	uint32_t half = (cpuset_last(&topology->present) + 1) / 2;
	size_t n_present = cpuset_count(&topology->present);
	bool is_complete = n_present == 2 * (cpuset_count(&topology->placed) - cpuset_count(set));
	bool is_split = n_present == 2 * (size_t)half, is_paired = is_split;
	int err = 0;

	cpuset_foreach (cpu, &topology->online) {
		if (cpuset_has(&topology->coming, cpu))
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
	*ret_set = cpuset_steal(&threads);
	return 0;
}

int topology_find_unplaced(const struct topology *topology, struct cpuset *ret_set)
{
	_cleanup_cpuset_ struct cpuset unplaced = { 0 }, threads = { 0 };
	int err = cpuset_copy(&unplaced, &topology->present);

	if (err)
		return err;
	cpuset_remove_all(&unplaced, &topology->placed);
	cpuset_remove_all(&unplaced, &topology->coming);
	if (cpuset_is_empty(&unplaced))
		return 0;
	err = topology_find_threads(topology, &threads);
	if (err)
		return err;
	cpuset_remove_all(&unplaced, &threads);
	*ret_set = cpuset_steal(&unplaced);
	return 0;
}

size_t topology_mask_words(const struct topology *topology)
{
	uint32_t last = cpuset_last(&topology->possible);

	return last == CPUSET_NONE ? 1 : last / 32 + 1;
}
