/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists power domains, which are the CPUs of one PUNIT each, and their PUNIT cores (hardware.md,
 * introduction). Mailbox parts have one domain per die. On TPMI parts GET_PHY_ID gives the domain
 * of a CPU, and some domains have no CPUs. */
#ifndef SST_DOMAINS_H
#define SST_DOMAINS_H

#include "host/machine.h"
#include "host/topology.h"

#define PUNIT_CORES 256 /* core ids have at most 8 bits in physical_cpu */

/* The answer of GET_PHY_ID, decoded. */
struct phy_id {
	uint32_t punit; /* 0 to 7; TPMI parts: the power domain, 0 to 31 */
	uint32_t core; /* the PUNIT core and its bit in core masks, 0 to 255 */
	uint32_t punit_cpu; /* numbers the CPUs of the punit, threads too */
};

/* Decodes physical_cpu of API version 1 or, with is_tpmi, of versions 2 and 3. */
struct phy_id phy_id_decode(bool is_tpmi, uint32_t physical_cpu);

struct power_domain {
	uint32_t package;
	uint32_t die; /* a label: the die of the first online CPU */
	bool die_is_io; /* the label is "IO" instead: no CPUs, in a package of several dies */
	bool is_served; /* the driver has an instance for it */
	bool has_id; /* only on TPMI parts */
	uint32_t id; /* power-domain id within the package; else 0 */
	uint32_t cpu; /* the first online CPU, or CPUSET_NONE */
	uint32_t highest_core; /* the highest core id of its CPUs */
	struct cpuset cpus; /* all present CPUs whose location is known */
};

struct domain_list {
	bool by_id;
	struct power_domain *domains; /* by package, then id, then die */
	size_t n_domains;
	const struct power_domain **of_cpus; /* by CPU, for domains_find() */
	uint32_t n_of_cpus;
};

/* Makes the list from the locations of all placed CPUs. The CPUs of a die of a package form a
 * domain; with by_id, CPUs with the same power domain of a package do, and CPUs whose power domain
 * is unknown are left out. Returns 0; or -ENOMEM, with a list that domains_done() frees. */
int domains_init(const struct topology *topology, bool by_id, struct domain_list *list);
/* Adds the domains of a package that are in mask (bit per id) and have no CPUs. Marks domains of
 * the package that are not in mask as not served. Call domains_finish() after the last package.
 * Returns 0 or -ENOMEM. */
int domains_add_instances(struct domain_list *list, uint32_t package, uint32_t mask);
/* Sorts the list and gives the domains without CPUs their die labels (output.md, "Text"). */
void domains_finish(struct domain_list *list, const struct topology *topology);
/* Marks the CPUs whose PUNIT core is a module. Counts all CPUs of the list's domains for this. */
void domains_mark_modules(const struct domain_list *list, struct topology *topology);
/* Frees the list and leaves it empty. */
void domains_done(struct domain_list *list);

/* Returns the domain that has the CPU, or NULL. */
const struct power_domain *domains_find(const struct domain_list *list, uint32_t cpu);

/* Returns the location of a domain, for messages. */
struct location domains_location(const struct power_domain *domain);

/* Counts the cores of the given CPUs of one domain. Threads of one core count once; each
 * single-thread core of a module counts. With modules, counts the modules (PUNIT cores) instead. */
size_t domains_count_cores(const struct topology *topology, const struct cpuset *cpus,
			   bool modules);

#define DOMAIN_THREADS 2 /* per core; a PUNIT core with n > 2 CPUs is a module of n cores */

/* The CPUs of one core. */
struct domain_core {
	uint32_t core; /* PUNIT core id; the cores of a module share it */
	uint32_t cpus[DOMAIN_THREADS];
	size_t n_cpus;
};

/* Lists the cores of the given CPUs of one domain, sorted by first CPU, with the rules of
 * domains_count_cores(). *ret_cores is a new array. Returns 0 or -ENOMEM. */
int domains_list_cores(const struct topology *topology, const struct cpuset *cpus,
		       struct domain_core **ret_cores, size_t *ret_count);

/* Adds to cpus the CPUs of the domain, offline ones too, whose core ids are in mask (bit per core
 * id). Returns 0, or -ENOMEM with some of them added. */
int domains_add_cores(const struct power_domain *domain, const struct topology *topology,
		      uint64_t mask, struct cpuset *cpus);

#endif
