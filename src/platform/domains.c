// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of power domains (hardware.md, section 2, "From logical CPU to PUNIT core"): of mailbox
 * parts and of parts set in BIOS one per die of a package, of which only punit 0 is used; of TPMI
 * parts one per id, and those that have no CPUs.
 */
#include "platform/domains.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

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

static struct power_domain *find(struct domain_list *list, const struct cpu_place *place,
				 enum domain_key key)
{
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

static int add_cpu(struct domain_list *list, const struct topology *topology, enum domain_key key,
		   uint32_t cpu)
{
	const struct cpu_place *place = &topology->places[cpu];
	struct power_domain *domain;

	if (key == DOMAIN_BY_ID && !place->has_power_domain)
		return 0;
	domain = find(list, place, key) ?: add(list, place, key);
	if (!domain)
		return -ENOMEM;
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

static void sort(struct domain_list *list)
{
	if (list->n_domains)
		qsort(list->domains, list->n_domains, sizeof(*list->domains), compare_domains);
}

int domains_init(const struct topology *topology, enum domain_key key, struct domain_list *ret_list)
{
	struct domain_list list = { 0 };

	cpuset_foreach (cpu, &topology->placed) {
		int err = add_cpu(&list, topology, key, cpu);

		if (err) {
			domains_done(&list);
			return err;
		}
	}
	sort(&list);
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
	sort(list);
	return 0;
}

/* Tells the die of the package's CPUs, or that they have several. */
static void find_dies(const struct topology *topology, uint32_t package, uint32_t *ret_die,
		      bool *ret_several)
{
	bool known = false;

	*ret_several = false;
	cpuset_foreach (cpu, &topology->placed) {
		const struct cpu_place *place = &topology->places[cpu];

		if (place->package != package)
			continue;
		if (known && place->die != *ret_die)
			*ret_several = true;
		if (!known)
			*ret_die = place->die;
		known = true;
	}
}

void domains_label_io(struct domain_list *list, const struct topology *topology)
{
	uint32_t package = UINT32_MAX, die = 0;
	bool several = false;

	for (size_t i = 0; i < list->n_domains; i++) {
		struct power_domain *domain = &list->domains[i];

		if (!cpuset_is_empty(&domain->cpus))
			continue;
		if (domain->package != package)
			find_dies(topology, domain->package, &die, &several);
		package = domain->package;
		domain->die = die;
		domain->die_is_io = several;
	}
}

void domains_done(struct domain_list *list)
{
	for (size_t i = 0; i < list->n_domains; i++)
		cpuset_done(&list->domains[i].cpus);
	free(list->domains);
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
	for (size_t i = 0; i < list->n_domains; i++) {
		if (cpuset_has(&list->domains[i].cpus, cpu))
			return &list->domains[i];
	}
	return NULL;
}

#define MOST_THREADS 2 /* of a core; a PUNIT core of more CPUs is a module of so many cores */

/* How many of the CPUs are of that PUNIT core. */
static size_t count_of_core(const struct topology *topology, const struct cpuset *cpus,
			    uint32_t core)
{
	size_t count = 0;

	cpuset_foreach (cpu, cpus)
		count += topology->places[cpu].has_physical_cpu &&
			 topology->places[cpu].core == core;
	return count;
}

size_t domains_count_cores(const struct power_domain *domain, const struct topology *topology,
			   const struct cpuset *cpus)
{
	size_t count = 0;

	for (uint32_t core = 0; core <= domain->highest_core; core++) {
		size_t n_cpus = count_of_core(topology, cpus, core);

		count += n_cpus > MOST_THREADS ? n_cpus : n_cpus > 0;
	}
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
