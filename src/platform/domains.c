// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of power domains (hardware.md, section 2, "From logical CPU to PUNIT core"): of mailbox
 * parts and of parts set in BIOS one per die of a package, of which only punit 0 is used; of TPMI
 * parts one per id, and those that have no CPUs.
 */
#include "platform/domains.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define PUNIT_CORES 256 /* core ids have 8 bits at most (words.h) */

static bool is_of(const struct power_domain *domain, const struct cpu_place *place,
		  enum domain_key key)
{
	if (domain->package != place->package)
		return false;
	switch (key) {
	case DOMAIN_BY_DIE:
		return domain->die == place->die;
	case DOMAIN_BY_ID:
		return domain->id == place->power_domain;
	}
	return false;
}

/* CPUs of one domain follow each other: the domain of the last one is tried first. */
static struct power_domain *find(struct domain_list *list, const struct cpu_place *place,
				 enum domain_key key, size_t last)
{
	if (last < list->n_domains && is_of(&list->domains[last], place, key))
		return &list->domains[last];
	for (size_t i = 0; i < list->n_domains; i++) {
		if (is_of(&list->domains[i], place, key))
			return &list->domains[i];
	}
	return NULL;
}

static struct power_domain *add(struct domain_list *list, const struct cpu_place *place,
				enum domain_key key)
{
	struct power_domain *domains;

	domains = realloc(list->domains, (list->n_domains + 1) * sizeof(*domains));
	if (!domains)
		return NULL;
	list->domains = domains;
	domains[list->n_domains] = (struct power_domain){
		.package = place->package,
		.die = place->die,
		.has_id = key == DOMAIN_BY_ID,
		.id = key == DOMAIN_BY_ID ? place->power_domain : 0,
		.cpu = CPUSET_NONE,
		.is_served = true,
	};
	return &domains[list->n_domains++];
}

/* Adds a CPU to its domain; *last is the index of the one that the CPU before it is in. */
static int add_cpu(struct domain_list *list, const struct topology *topology, enum domain_key key,
		   uint32_t cpu, size_t *last)
{
	const struct cpu_place *place = &topology->places[cpu];
	struct power_domain *domain;

	if (key == DOMAIN_BY_ID && !place->has_power_domain)
		return 0;
	domain = find(list, place, key, *last) ?: add(list, place, key);
	if (!domain)
		return -ENOMEM;
	*last = (size_t)(domain - list->domains);
	if (domain->cpu == CPUSET_NONE && cpuset_has(&topology->online, cpu)) {
		domain->cpu = cpu;
		domain->die = place->die;
	}
	if (place->has_physical_cpu && place->core > domain->highest_core)
		domain->highest_core = place->core;
	return cpuset_add(&domain->cpus, cpu);
}

static int compare_domains(const void *left_pointer, const void *right_pointer)
{
	const struct power_domain *left = left_pointer, *right = right_pointer;

	if (left->package != right->package)
		return left->package < right->package ? -1 : 1;
	if (left->id != right->id)
		return left->id < right->id ? -1 : 1;
	return (left->die > right->die) - (left->die < right->die);
}

void domains_sort(struct domain_list *list)
{
	if (list->n_domains)
		qsort(list->domains, list->n_domains, sizeof(*list->domains), compare_domains);
	for (uint32_t i = 0; i < list->n_domains; i++) {
		cpuset_foreach (cpu, &list->domains[i].cpus)
			list->index_of[cpu] = i;
	}
}

static int make_list(const struct topology *topology, enum domain_key key, struct domain_list *list)
{
	size_t last = 0;
	int err = 0;

	list->n_cpus = (size_t)cpuset_last(&topology->present) + 1;
	list->index_of = malloc(list->n_cpus * sizeof(*list->index_of));
	if (!list->index_of)
		return -ENOMEM;
	memset(list->index_of, 0xff, list->n_cpus * sizeof(*list->index_of));
	cpuset_foreach (cpu, &topology->placed) {
		if (!err)
			err = add_cpu(list, topology, key, cpu, &last);
	}
	return err;
}

int domains_init(const struct topology *topology, enum domain_key key, struct domain_list *ret_list)
{
	struct domain_list list = { 0 };
	int err = make_list(topology, key, &list);

	if (err) {
		domains_done(&list);
		return err;
	}
	domains_sort(&list);
	*ret_list = list;
	return 0;
}

int domains_add_instances(struct domain_list *list, uint32_t package, uint32_t mask)
{
	size_t n_known = list->n_domains;
	uint32_t missing = mask;

	for (size_t i = 0; i < n_known; i++) {
		struct power_domain *domain = &list->domains[i];

		if (domain->package != package)
			continue;
		domain->is_served = domain->id < 32 && mask & 1U << domain->id;
		if (domain->is_served)
			missing &= ~(1U << domain->id);
	}
	for (uint32_t id = 0; id < 32; id++) {
		const struct cpu_place place = { .package = package, .power_domain = id };

		if (missing & 1U << id && !add(list, &place, DOMAIN_BY_ID))
			return -ENOMEM;
	}
	return 0;
}

/* The dies of a package's CPUs. */
struct package_dies {
	uint32_t package;
	uint32_t die;
	bool several;
};

static struct package_dies *find_package(struct package_dies *packages, size_t count,
					 uint32_t package)
{
	for (size_t i = count; i > 0; i--) {
		if (packages[i - 1].package == package)
			return &packages[i - 1];
	}
	return NULL;
}

/* Lists the packages of all placed CPUs. Returns 0 or -ENOMEM. */
static int list_dies(const struct topology *topology, struct package_dies **ret_packages,
		     size_t *ret_count)
{
	_cleanup_free_ struct package_dies *packages = NULL;
	struct package_dies *last = NULL;
	size_t count = 0;

	cpuset_foreach (cpu, &topology->placed) {
		const struct cpu_place *place = &topology->places[cpu];

		if (!last || last->package != place->package)
			last = find_package(packages, count, place->package);
		if (!last) {
			struct package_dies *longer =
				reallocarray(packages, count + 1, sizeof(*packages));

			if (!longer)
				return -ENOMEM;
			packages = longer;
			last = &packages[count++];
			*last = (struct package_dies){ place->package, place->die, false };
		}
		last->several = last->several || last->die != place->die;
	}
	*ret_packages = steal_pointer(packages);
	*ret_count = count;
	return 0;
}

int domains_label_io(struct domain_list *list, const struct topology *topology)
{
	_cleanup_free_ struct package_dies *packages = NULL;
	size_t count;
	int err = list_dies(topology, &packages, &count);

	for (size_t i = 0; i < list->n_domains && !err; i++) {
		struct power_domain *domain = &list->domains[i];
		const struct package_dies *dies;

		if (!cpuset_is_empty(&domain->cpus))
			continue;
		dies = find_package(packages, count, domain->package);
		domain->die = dies ? dies->die : 0;
		domain->die_is_io = dies && dies->several;
	}
	return err;
}

void domains_done(struct domain_list *list)
{
	for (size_t i = 0; i < list->n_domains; i++)
		cpuset_done(&list->domains[i].cpus);
	free(list->domains);
	free(list->index_of);
	*list = (struct domain_list){ 0 };
}

struct plan_subject domains_subject(const struct power_domain *domain)
{
	return (struct plan_subject){
		.package = domain->package,
		.die = domain->die,
		.die_is_io = domain->die_is_io,
		.has_power_domain = domain->has_id,
		.power_domain = domain->id,
		.cpu = PLAN_NO_CPU,
	};
}

const struct power_domain *domains_find(const struct domain_list *list, uint32_t cpu)
{
	if (cpu >= list->n_cpus || list->index_of[cpu] == DOMAIN_NONE)
		return NULL;
	return &list->domains[list->index_of[cpu]];
}

#define MOST_THREADS 2 /* of a core; a PUNIT core of more CPUs is a module of so many cores */

/* How many of the CPUs each PUNIT core has. */
static void count_by_core(const struct topology *topology, const struct cpuset *cpus,
			  uint32_t n_cpus[PUNIT_CORES])
{
	memset(n_cpus, 0, PUNIT_CORES * sizeof(*n_cpus));
	cpuset_foreach (cpu, cpus) {
		const struct cpu_place *place = &topology->places[cpu];

		if (place->has_physical_cpu && place->core < PUNIT_CORES)
			n_cpus[place->core]++;
	}
}

size_t domains_count_cores(const struct topology *topology, const struct cpuset *cpus)
{
	uint32_t n_cpus[PUNIT_CORES];
	size_t count = 0;

	count_by_core(topology, cpus, n_cpus);
	for (size_t core = 0; core < PUNIT_CORES; core++)
		count += n_cpus[core] > MOST_THREADS ? n_cpus[core] : n_cpus[core] > 0;
	return count;
}

size_t domains_count_modules(const struct topology *topology, const struct cpuset *cpus)
{
	uint32_t n_cpus[PUNIT_CORES];
	size_t count = 0;

	count_by_core(topology, cpus, n_cpus);
	for (size_t core = 0; core < PUNIT_CORES; core++)
		count += n_cpus[core] > 0;
	return count;
}

int domains_add_cores(const struct power_domain *domain, const struct topology *topology,
		      uint64_t mask, struct cpuset *cpus)
{
	cpuset_foreach (cpu, &domain->cpus) {
		const struct cpu_place *place = &topology->places[cpu];
		int err = 0;

		if (place->has_physical_cpu && place->core < 64 && (mask >> place->core) & 1)
			err = cpuset_add(cpus, cpu);
		if (err)
			return err;
	}
	return 0;
}
