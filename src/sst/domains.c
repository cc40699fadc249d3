// SPDX-License-Identifier: GPL-2.0-only
/* Lists the power domains (hardware.md, section 2, "From logical CPU to PUNIT core"). Mailbox parts
 * and parts set in BIOS have one per die of a package, and use only punit 0. TPMI parts have one
 * per id, also without CPUs. */
#include "sst/domains.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/number.h"
#include "sst/sst.h"

struct phy_id phy_id_decode(bool is_tpmi, uint32_t physical_cpu)
{
	uint32_t punit = sst_bits(physical_cpu, 13, 9);

	if (is_tpmi)
		return (struct phy_id){ .punit = sst_bits(physical_cpu, 15, 11),
					.core = sst_bits(physical_cpu, 10, 3),
					.punit_cpu = sst_bits(physical_cpu, 10, 0) };
	return (struct phy_id){ .punit = punit < 8 ? punit : 0,
				.core = sst_bits(physical_cpu, 8, 1),
				.punit_cpu = sst_bits(physical_cpu, 8, 0) };
}

/* Returns the domain of a location, and adds it if it is new. NULL: no memory. */
static struct power_domain *find_or_add(struct domain_list *list, const struct cpu_place *place)
{
	struct power_domain *added;

	for (size_t i = list->n_domains; i-- > 0;) {
		const struct power_domain *domain = &list->domains[i];

		if (domain->package == place->package &&
		    (list->by_id ? domain->id == place->power_domain : domain->die == place->die))
			return &list->domains[i];
	}
	added = array_add(&list->domains, &list->n_domains, sizeof(*added));
	if (!added)
		return NULL;
	*added = (struct power_domain){
		.package = place->package,
		.die = place->die,
		.has_id = list->by_id,
		.id = list->by_id ? place->power_domain : 0,
		.cpu = CPUSET_NONE,
		.is_served = true,
	};
	return added;
}

int domains_init(const struct topology *topology, bool by_id, struct domain_list *list)
{
	*list = (struct domain_list){ .by_id = by_id };
	cpuset_foreach (cpu, &topology->placed) {
		const struct cpu_place *place = &topology->places[cpu];
		struct power_domain *domain;

		if (by_id && !place->has_power_domain)
			continue;
		domain = find_or_add(list, place);
		if (!domain || cpuset_add(&domain->cpus, cpu))
			return -ENOMEM;
		if (domain->cpu == CPUSET_NONE && cpuset_has(&topology->online, cpu)) {
			domain->cpu = cpu;
			domain->die = place->die;
		}
		if (place->has_physical_cpu && place->core > domain->highest_core)
			domain->highest_core = place->core;
	}
	domains_finish(list, topology);
	return 0;
}

int domains_add_instances(struct domain_list *list, uint32_t package, uint32_t mask)
{
	for (size_t i = 0; i < list->n_domains; i++) {
		struct power_domain *domain = &list->domains[i];

		if (domain->package == package)
			domain->is_served = domain->id < 32 && mask & 1U << domain->id;
	}
	for (uint32_t id = 0; id < 32; id++) {
		const struct cpu_place place = { .package = package, .power_domain = id };

		if (mask & 1U << id && !find_or_add(list, &place))
			return -ENOMEM;
	}
	return 0;
}

static int compare_domains(const void *left_pointer, const void *right_pointer)
{
	const struct power_domain *left = left_pointer, *right = right_pointer;

	return number_compare(left->package, right->package)
		       ?: number_compare(left->id, right->id)
		       ?: number_compare(left->die, right->die);
}

/* Labels a domain without CPUs with the die of its package's CPUs, or with the word IO if these are
 * on several dies. */
static void label_io(const struct domain_list *list, struct power_domain *domain)
{
	bool found = false;

	domain->die = 0;
	for (size_t i = 0; i < list->n_domains; i++) {
		const struct power_domain *other = &list->domains[i];

		if (other->package != domain->package || cpuset_is_empty(&other->cpus))
			continue;
		if (!found)
			domain->die = other->die;
		else if (domain->die != other->die)
			domain->die_is_io = true;
		found = true;
	}
}

/* Notes the domain of each CPU. If memory is short, domains_find() searches the list. */
static void index_cpus(struct domain_list *list, uint32_t n_cpus)
{
	free(list->of_cpus);
	list->of_cpus = calloc(n_cpus, sizeof(*list->of_cpus));
	list->n_of_cpus = list->of_cpus ? n_cpus : 0;
	for (size_t i = 0; list->of_cpus && i < list->n_domains; i++) {
		cpuset_foreach (cpu, &list->domains[i].cpus)
			list->of_cpus[cpu] = &list->domains[i];
	}
}

void domains_finish(struct domain_list *list, const struct topology *topology)
{
	const struct power_domain *last = NULL; /* the last domain without CPUs */

	if (list->n_domains)
		qsort(list->domains, list->n_domains, sizeof(*list->domains), compare_domains);
	for (size_t i = 0; i < list->n_domains; i++) {
		struct power_domain *domain = &list->domains[i];

		if (!cpuset_is_empty(&domain->cpus))
			continue;
		if (last && last->package == domain->package) {
			domain->die = last->die;
			domain->die_is_io = last->die_is_io;
		} else {
			label_io(list, domain);
		}
		last = domain;
	}
	index_cpus(list, cpuset_last(&topology->placed) + 1);
}

void domains_done(struct domain_list *list)
{
	for (size_t i = 0; i < list->n_domains; i++)
		cpuset_done(&list->domains[i].cpus);
	free(list->domains);
	free(list->of_cpus);
	*list = (struct domain_list){ 0 };
}

const struct power_domain *domains_find(const struct domain_list *list, uint32_t cpu)
{
	if (list->of_cpus)
		return cpu < list->n_of_cpus ? list->of_cpus[cpu] : NULL;
	for (size_t i = 0; i < list->n_domains; i++) {
		if (cpuset_has(&list->domains[i].cpus, cpu))
			return &list->domains[i];
	}
	return NULL;
}

struct location domains_location(const struct power_domain *domain)
{
	return (struct location){
		.package = domain->package,
		.die = domain->die,
		.die_is_io = domain->die_is_io,
		.has_power_domain = domain->has_id,
		.power_domain = domain->id,
		.cpu = LOCATION_NO_CPU,
	};
}

/* Counts the CPUs of each PUNIT core. */
static void count_cpus(const struct topology *topology, const struct cpuset *cpus,
		       uint32_t n_cpus[PUNIT_CORES])
{
	cpuset_foreach (cpu, cpus) {
		const struct cpu_place *place = &topology->places[cpu];

		if (place->has_physical_cpu && place->core < PUNIT_CORES)
			n_cpus[place->core]++;
	}
}

void domains_mark_modules(const struct domain_list *list, struct topology *topology)
{
	for (size_t i = 0; i < list->n_domains; i++) {
		const struct cpuset *cpus = &list->domains[i].cpus;
		uint32_t n_cpus[PUNIT_CORES] = { 0 };

		count_cpus(topology, cpus, n_cpus);
		cpuset_foreach (cpu, cpus) {
			struct cpu_place *place = &topology->places[cpu];

			place->in_module = place->has_physical_cpu && place->core < PUNIT_CORES &&
					   n_cpus[place->core] > DOMAIN_THREADS;
		}
	}
}

size_t domains_count_cores(const struct topology *topology, const struct cpuset *cpus, bool modules)
{
	bool is_counted[PUNIT_CORES] = { false };
	size_t count = 0;

	cpuset_foreach (cpu, cpus) {
		const struct cpu_place *place = &topology->places[cpu];

		if (!place->has_physical_cpu || place->core >= PUNIT_CORES)
			continue;
		count += !is_counted[place->core] || (place->in_module && !modules);
		is_counted[place->core] = true;
	}
	return count;
}

int domains_list_cores(const struct topology *topology, const struct cpuset *cpus,
		       struct domain_core **ret_cores, size_t *ret_count)
{
	struct domain_core *cores = calloc(cpuset_count(cpus) ?: 1, sizeof(*cores));
	bool is_listed[PUNIT_CORES] = { false };
	size_t at[PUNIT_CORES] = { 0 }, count = 0;

	if (!cores)
		return -ENOMEM;
	cpuset_foreach (cpu, cpus) {
		const struct cpu_place *place = &topology->places[cpu];
		uint32_t core = place->core;

		if (!place->has_physical_cpu || core >= PUNIT_CORES)
			continue;
		if (!is_listed[core] || place->in_module ||
		    cores[at[core]].n_cpus == DOMAIN_THREADS)
			at[core] = count++;
		is_listed[core] = true;
		cores[at[core]].core = core;
		cores[at[core]].cpus[cores[at[core]].n_cpus++] = cpu;
	}
	*ret_cores = cores;
	*ret_count = count;
	return 0;
}

int domains_add_cores(const struct power_domain *domain, const struct topology *topology,
		      uint64_t mask, struct cpuset *cpus)
{
	cpuset_foreach (cpu, &domain->cpus) {
		const struct cpu_place *place = &topology->places[cpu];

		if (place->has_physical_cpu && place->core < 64 && (mask >> place->core) & 1 &&
		    cpuset_add(cpus, cpu))
			return -ENOMEM;
	}
	return 0;
}
