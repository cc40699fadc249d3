// SPDX-License-Identifier: GPL-2.0-only
/*
 * Associations of TPMI parts (hardware.md, section 4): a PUNIT core, which may be a module of four
 * CPUs, is asked once, as many in a request as the driver takes.
 */
#include "platform/tpmi_clos.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "transport/assoc.h"

#define CORES_PER_DOMAIN 256 /* core ids have 8 bits in physical_cpu */

struct sst_core_power tpmi_clos_decode_state(const struct isst_core_power_state *state)
{
	return (struct sst_core_power){
		.supported = state->supported,
		.enabled = state->enable,
		.clos_enabled = state->enable,
		.ordered = state->priority_type,
	};
}

void tpmi_clos_done(struct core_list *list)
{
	free(list->cores);
	free(list->errors);
	free(list->core_of);
	*list = (struct core_list){ 0 };
}

/* The domain whose core the CPU's is, or NULL where that is not known or not served. */
static const struct power_domain *domain_of(const struct platform *platform, uint32_t cpu)
{
	const struct cpu_place *place = &platform->machine->topology.places[cpu];
	const struct power_domain *domain = domains_find(&platform->domains, cpu);

	return place->has_physical_cpu && domain && domain->is_served ? domain : NULL;
}

/* Adds the core of a CPU where it is new; number_of has for each core 1 + its index, or 0. */
static size_t add_core(const struct platform *platform, uint32_t cpu, size_t *number_of,
		       struct core_list *list)
{
	const struct power_domain *domain = domain_of(platform, cpu);
	uint32_t core = platform->machine->topology.places[cpu].core;
	size_t *number;

	if (!domain)
		return SIZE_MAX;
	number = &number_of[(size_t)(domain - platform->domains.domains) * CORES_PER_DOMAIN + core];
	if (*number == 0) {
		list->cores[list->n_cores++] = (struct isst_clos_assoc){
			.socket_id = (__u8)domain->package,
			.power_domain_id = (__u8)domain->id,
			.logical_cpu = (__u16)core,
		};
		*number = list->n_cores;
	}
	return *number - 1;
}

int tpmi_clos_read_cores(struct platform *platform, const uint32_t *cpus, size_t count,
			 struct core_list *ret_list)
{
	size_t n_numbers = platform->domains.n_domains * CORES_PER_DOMAIN;
	_cleanup_free_ size_t *number_of = calloc(n_numbers ?: 1, sizeof(*number_of));
	struct core_list list = {
		.cores = calloc(count ?: 1, sizeof(*list.cores)),
		.errors = calloc(count ?: 1, sizeof(*list.errors)),
		.core_of = calloc(count ?: 1, sizeof(*list.core_of)),
	};

	*ret_list = (struct core_list){ 0 };
	if (!number_of || !list.cores || !list.errors || !list.core_of) {
		tpmi_clos_done(&list);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		list.core_of[i] = add_core(platform, cpus[i], number_of, &list);
	assoc_run(&platform->channel, false, list.cores, list.errors, list.n_cores);
	*ret_list = list;
	return 0;
}

int tpmi_clos_error_of(const struct platform *platform, const struct core_list *list,
		       const uint32_t *cpus, size_t index)
{
	size_t core = list->core_of[index];

	if (core != SIZE_MAX)
		return list->errors[core];
	if (domains_find(&platform->domains, cpus[index]))
		return -ENODEV;
	return platform->machine->topology.places[cpus[index]].core_error ?: -ENODATA;
}

int tpmi_read_assoc(struct platform *platform, struct platform_assoc_query *queries, size_t count)
{
	_cleanup_free_ uint32_t *cpus = calloc(count ?: 1, sizeof(*cpus));
	_cleanup_(tpmi_clos_done) struct core_list list = { 0 };
	int err;

	if (!cpus)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		cpus[i] = queries[i].cpu;
	err = tpmi_clos_read_cores(platform, cpus, count, &list);
	for (size_t i = 0; i < count && !err; i++) {
		queries[i].error = tpmi_clos_error_of(platform, &list, cpus, i);
		if (!queries[i].error)
			queries[i].clos = list.cores[list.core_of[i]].clos;
	}
	return err;
}
