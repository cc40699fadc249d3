/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Power domains: the CPUs behind one PUNIT (hardware.md, introduction). On mailbox parts there is
 * one per die of a package.
 */
#ifndef PLATFORM_DOMAINS_H
#define PLATFORM_DOMAINS_H

#include "machine/topology.h"

struct power_domain {
	uint32_t package;
	uint32_t die; /* the label: of its first online CPU */
	uint32_t id; /* power-domain id within the package; 0 on mailbox parts */
	uint32_t cpu; /* the first online CPU, or CPUSET_NONE */
	uint32_t highest_core; /* the highest core id of its CPUs */
	struct cpuset cpus; /* all present ones whose place is known */
};

struct domain_list {
	struct power_domain *domains; /* by package, then die */
	size_t n_domains;
};

/* Makes the list out of the places of all placed CPUs. Returns 0 or -ENOMEM. */
int domains_init(const struct topology *topology, struct domain_list *ret_list);
/* Frees the list and leaves it empty. */
void domains_done(struct domain_list *list);

/* The domain that has the CPU, or NULL. */
const struct power_domain *domains_find(const struct domain_list *list, uint32_t cpu);

/*
 * Adds to cpus the CPUs of the domain, offline ones too, whose core ids are in mask (bit per core
 * id). Returns 0, or -ENOMEM with some of them added.
 */
int domains_add_cores(const struct power_domain *domain, const struct topology *topology,
		      uint64_t mask, struct cpuset *cpus);

#endif
