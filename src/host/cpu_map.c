// SPDX-License-Identifier: GPL-2.0-only
/* Writes and reads the map of CPUs, which has the locations of offline CPUs. The file has the
 * members "known", a count, and "cpus": [[cpu, package, die, physical_cpu], ...]; physical_cpu is
 * -1 if it was unknown. One invalid entry makes the map invalid (hardware.md, section 5). */
#include "host/topology.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "host/run_directory.h"

#define NO_PHYSICAL_CPU (-1)

static const struct run_file map_file = {
	.name = "cpu-map.json",
	.format = "intel-speed-select cpu map",
};

static bool agrees(const struct cpu_place *now, const struct cpu_place *then)
{
	if (now->package != then->package || now->die != then->die)
		return false;
	return !now->has_physical_cpu || !then->has_physical_cpu ||
	       now->physical_cpu == then->physical_cpu;
}

static bool is_id(json_int_t number)
{
	return number >= 0 && number <= UINT32_MAX;
}

/* Reads one entry. If the CPU is offline, or only the entry has its physical_cpu, stores its
 * location in places and adds the CPU to placed. */
static int take_entry(json_t *entry, const struct topology *topology, struct cpuset *seen,
		      struct cpu_place *places, struct cpuset *placed)
{
	json_int_t number, package, die, physical_cpu;
	struct cpu_place place = { 0 };
	uint32_t cpu;
	int err;

	if (json_unpack(entry, "[I,I,I,I!]", &number, &package, &die, &physical_cpu) < 0 ||
	    number < 0 || number > CPUSET_MAX_CPU || !is_id(package) || !is_id(die) ||
	    physical_cpu < NO_PHYSICAL_CPU || physical_cpu >= UINT32_MAX)
		return -EBADMSG;
	cpu = (uint32_t)number;
	place.package = (uint32_t)package;
	place.die = (uint32_t)die;
	place.has_physical_cpu = physical_cpu != NO_PHYSICAL_CPU;
	if (place.has_physical_cpu)
		place.physical_cpu = (uint32_t)physical_cpu;
	if (cpuset_has(seen, cpu))
		return -EBADMSG;
	err = cpuset_add(seen, cpu);
	if (err)
		return err;
	if (!cpuset_has(&topology->present, cpu))
		return -ESTALE;
	if (cpuset_has(&topology->online, cpu)) {
		if (!agrees(&places[cpu], &place))
			return -ESTALE;
		if (places[cpu].has_physical_cpu || !place.has_physical_cpu)
			return 0;
	}
	places[cpu] = place;
	return cpuset_add(placed, cpu);
}

static int compare_places(const void *left_pointer, const void *right_pointer)
{
	const struct cpu_place *left = *(const struct cpu_place *const *)left_pointer;
	const struct cpu_place *right = *(const struct cpu_place *const *)right_pointer;
	int order = number_compare(left->package, right->package);

	order = order ?: number_compare(left->die, right->die);
	return order ?: number_compare(left->physical_cpu, right->physical_cpu);
}

/* Checks that no CPU of the map (in placed) is the same thread as another CPU, online or not. */
static int check_places(const struct topology *topology, const struct cpu_place *places,
			const struct cpuset *placed)
{
	size_t count = 0;
	_cleanup_free_ const struct cpu_place **sorted =
		calloc(cpuset_count(&topology->present), sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	cpuset_foreach (cpu, &topology->present) {
		if (places[cpu].has_physical_cpu &&
		    (cpuset_has(&topology->online, cpu) || cpuset_has(placed, cpu)))
			sorted[count++] = &places[cpu];
	}
	qsort(sorted, count, sizeof(*sorted), compare_places);
	for (size_t i = 1; i < count; i++) {
		if (compare_places(&sorted[i - 1], &sorted[i]) == 0 &&
		    (cpuset_has(placed, (uint32_t)(sorted[i - 1] - places)) ||
		     cpuset_has(placed, (uint32_t)(sorted[i] - places))))
			return -ESTALE;
	}
	return 0;
}

static int apply(struct topology *topology, const json_t *cpus)
{
	size_t count = (size_t)cpuset_last(&topology->present) + 1;
	_cleanup_cpuset_ struct cpuset placed = { 0 }, seen = { 0 };
	_cleanup_free_ struct cpu_place *places = calloc(count, sizeof(*places));
	int err = 0;

	if (!places)
		return -ENOMEM;
	memcpy(places, topology->places, count * sizeof(*places));
	for (size_t i = 0; i < json_array_size(cpus) && !err; i++)
		err = take_entry(json_array_get(cpus, i), topology, &seen, places, &placed);
	if (err)
		return err;
	err = check_places(topology, places, &placed);
	if (err)
		return err;
	err = cpuset_add_all(&topology->placed, &placed);
	if (err)
		return err;
	free(topology->places);
	topology->places = steal(places);
	return 0;
}

int cpu_map_apply(struct files *files, const char *run_directory, struct topology *topology)
{
	_cleanup_json_ json_t *map = NULL;
	const json_t *cpus;
	int err = run_file_read(files, run_directory, &map_file, &map);

	if (err)
		return err;
	cpus = json_object_get(map, "cpus");
	return json_is_array(cpus) ? apply(topology, cpus) : -EBADMSG;
}

static int copy(struct topology *to, const struct topology *from)
{
	size_t count = (size_t)cpuset_last(&from->present) + 1;

	to->places = calloc(count, sizeof(*to->places));
	if (!to->places || cpuset_copy(&to->present, &from->present) ||
	    cpuset_copy(&to->online, &from->online) || cpuset_copy(&to->placed, &from->placed))
		return -ENOMEM;
	memcpy(to->places, from->places, count * sizeof(*to->places));
	return 0;
}

size_t cpu_map_count(const struct topology *topology)
{
	size_t count = 0;

	cpuset_foreach (cpu, &topology->placed)
		count += topology->places[cpu].has_physical_cpu ? 2 : 1;
	return count;
}

bool cpu_map_has(struct files *files, const char *run_directory, const struct topology *topology)
{
	char member[40];

	snprintf(member, sizeof(member), "\"known\":%zu,", cpu_map_count(topology));
	return run_file_is_current(files, run_directory, &map_file, member);
}

/* Returns true if there is no map or it may not be used. Any other error: it could not be read. */
static bool is_without_map(int err)
{
	return err == -ENOENT || err == -ESTALE || err == -EBADMSG || err == -EPERM ||
	       err == -ELOOP;
}

int cpu_map_write(struct files *files, const char *run_directory, const struct topology *topology)
{
	_cleanup_json_ json_t *cpus = json_array();
	_cleanup_(topology_done) struct topology known = { 0 };
	int err = copy(&known, topology);

	/* keeps entries of the old map that the topology does not have */
	if (!err)
		err = cpu_map_apply(files, run_directory, &known);
	if (err && !is_without_map(err))
		return err;
	if (!err && cpu_map_has(files, run_directory, &known))
		return 0;
	cpuset_foreach (cpu, &known.placed) {
		const struct cpu_place *place = &known.places[cpu];
		json_int_t physical =
			place->has_physical_cpu ? (json_int_t)place->physical_cpu : NO_PHYSICAL_CPU;
		json_t *entry = json_pack("[I,I,I,I]", (json_int_t)cpu, (json_int_t)place->package,
					  (json_int_t)place->die, physical);

		if (json_array_append_new(cpus, entry) < 0)
			return -ENOMEM;
	}
	return run_file_write(files, run_directory, &map_file,
			      json_pack("{s:I, s:O}", "known", (json_int_t)cpu_map_count(&known),
					"cpus", cpus));
}
