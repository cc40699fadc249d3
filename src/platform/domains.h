/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Power domains: the CPUs behind one PUNIT (hardware.md, introduction). On mailbox parts there is
 * one per die of a package; on TPMI parts GET_PHY_ID tells them, and some have no CPUs.
 */
#ifndef PLATFORM_DOMAINS_H
#define PLATFORM_DOMAINS_H

#include "machine/topology.h"
#include "plan/plan.h"

struct power_domain {
	uint32_t package;
	uint32_t die; /* the label: of its first online CPU */
	bool die_is_io; /* the label is "IO" instead: no CPUs, in a package of several dies */
	bool is_served; /* the driver has an instance for it */
	bool has_id; /* only on TPMI parts */
	uint32_t id; /* power-domain id within the package; else 0 */
	uint32_t cpu; /* the first online CPU, or CPUSET_NONE */
	uint32_t highest_core; /* the highest core id of its CPUs */
	struct cpuset cpus; /* all present ones whose place is known */
};

struct domain_list {
	struct power_domain *domains; /* by package, then id, then die */
	size_t n_domains;
	uint32_t *index_of; /* by CPU: the index of its domain, or DOMAIN_NONE; n_cpus of them */
	size_t n_cpus;
};

#define DOMAIN_NONE UINT32_MAX

/* What makes CPUs of one package one domain. */
enum domain_key { DOMAIN_BY_DIE, DOMAIN_BY_ID };

/*
 * Makes the list out of the places of all placed CPUs; by id those whose power domain is not known
 * are in none. Returns 0 or -ENOMEM.
 */
int domains_init(const struct topology *topology, enum domain_key key,
		 struct domain_list *ret_list);
/*
 * Adds the domains of a package that are in mask (bit per id) and have no CPUs, and marks those of
 * the package that are not in mask as not served. Call domains_sort() after the last package.
 * Returns 0 or -ENOMEM.
 */
int domains_add_instances(struct domain_list *list, uint32_t package, uint32_t mask);
/* Sorts the list, and makes the index of domains_find(). */
void domains_sort(struct domain_list *list);
/* Gives the domains without CPUs their die labels (output.md, "Text"). Returns 0 or -ENOMEM. */
int domains_label_io(struct domain_list *list, const struct topology *topology);
/* Frees the list and leaves it empty. */
void domains_done(struct domain_list *list);

/*
 * How many cores those CPUs of one domain are: threads of one core count once, the single-thread
 * cores of a module each.
 */
size_t domains_count_cores(const struct topology *topology, const struct cpuset *cpus);

/* How many modules, which are PUNIT cores, have one of those CPUs of one domain. */
size_t domains_count_modules(const struct topology *topology, const struct cpuset *cpus);

/* A step is about that domain. */
struct plan_subject domains_subject(const struct power_domain *domain);

/* The domain that has the CPU, or NULL. */
const struct power_domain *domains_find(const struct domain_list *list, uint32_t cpu);

/*
 * Adds to cpus the CPUs of the domain, offline ones too, whose core ids are in mask (bit per core
 * id). Returns 0, or -ENOMEM with some of them added.
 */
int domains_add_cores(const struct power_domain *domain, const struct topology *topology,
		      uint64_t mask, struct cpuset *cpus);

#endif
