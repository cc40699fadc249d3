// SPDX-License-Identifier: GPL-2.0-only
/*
 * The power domains of mailbox parts and of parts set in BIOS: one per die of a package, only punit
 * 0 of it is used (hardware.md, section 2, "From logical CPU to PUNIT core").
 */
#include "platform/domains.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "platform/words.h"

static struct power_domain *find_die(struct domain_list *list, const struct cpu_place *place)
{
	for (size_t i = 0; i < list->n_domains; i++) {
		if (list->domains[i].package == place->package &&
		    list->domains[i].die == place->die)
			return &list->domains[i];
	}
	return NULL;
}

static struct power_domain *add_die(struct domain_list *list, const struct cpu_place *place)
{
	struct power_domain *domains;

	domains = realloc(list->domains, (list->n_domains + 1) * sizeof(*domains));
	if (!domains)
		return NULL;
	list->domains = domains;
	domains[list->n_domains] = (struct power_domain){
		.package = place->package,
		.die = place->die,
		.cpu = CPUSET_NONE,
	};
	return &domains[list->n_domains++];
}

static int add_cpu(struct domain_list *list, const struct topology *topology, uint32_t cpu)
{
	const struct cpu_place *place = &topology->places[cpu];
	struct power_domain *domain = find_die(list, place) ?: add_die(list, place);
	uint32_t core = word_decode_core(place->physical_cpu);

	if (!domain)
		return -ENOMEM;
	if (domain->cpu == CPUSET_NONE && cpuset_has(&topology->online, cpu))
		domain->cpu = cpu;
	if (place->has_physical_cpu && core > domain->highest_core)
		domain->highest_core = core;
	return cpuset_add(&domain->cpus, cpu);
}

static int compare_domains(const void *left_pointer, const void *right_pointer)
{
	const struct power_domain *left = left_pointer, *right = right_pointer;

	if (left->package != right->package)
		return left->package < right->package ? -1 : 1;
	return (left->die > right->die) - (left->die < right->die);
}

int domains_init(const struct topology *topology, struct domain_list *ret_list)
{
	struct domain_list list = { 0 };

	cpuset_foreach (cpu, &topology->placed) {
		int err = add_cpu(&list, topology, cpu);

		if (err) {
			domains_done(&list);
			return err;
		}
	}
	if (list.n_domains)
		qsort(list.domains, list.n_domains, sizeof(*list.domains), compare_domains);
	*ret_list = list;
	return 0;
}

void domains_done(struct domain_list *list)
{
	for (size_t i = 0; i < list->n_domains; i++)
		cpuset_done(&list->domains[i].cpus);
	free(list->domains);
	*list = (struct domain_list){ 0 };
}

const struct power_domain *domains_find(const struct domain_list *list, uint32_t cpu)
{
	for (size_t i = 0; i < list->n_domains; i++) {
		if (cpuset_has(&list->domains[i].cpus, cpu))
			return &list->domains[i];
	}
	return NULL;
}

int domains_add_cores(const struct power_domain *domain, const struct topology *topology,
		      uint64_t mask, struct cpuset *cpus)
{
	cpuset_foreach (cpu, &domain->cpus) {
		const struct cpu_place *place = &topology->places[cpu];
		uint32_t core = word_decode_core(place->physical_cpu);
		int err = 0;

		if (place->has_physical_cpu && core < 64 && (mask >> core) & 1)
			err = cpuset_add(cpus, cpu);
		if (err)
			return err;
	}
	return 0;
}
