// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packages, power domains and the numbering of logical CPUs, with the ids that the driver
 * (hardware.md, section 2, "From logical CPU to PUNIT core") and sysfs (section 5) give them.
 * Logical CPUs have no holes, and two cores of a package never share a core_id.
 */
#include "simulator/platform_file_topology.h"

#include <inttypes.h>

#include "base/cleanup.h"

#define MAX_PACKAGES      64
#define MAX_DOMAINS       32 /* of a package: power-domain ids have 5 bits in physical_cpu */
#define MAX_CPUS          8192
#define MAX_DIE           65535
#define MAX_TPMI_CORE     63 /* core masks have 64 bits */
#define MODULE_PLACES     8 /* 3 bits of physical_cpu */
#define CORE_IDS_A_DOMAIN 64

enum numbering { SIBLINGS_LAST, SIBLINGS_ADJACENT, PACKAGES_INTERLEAVED };

static const char *const NUMBERINGS[] = {
	[SIBLINGS_LAST] = "siblings-last",
	[SIBLINGS_ADJACENT] = "siblings-adjacent",
	[PACKAGES_INTERLEAVED] = "packages-interleaved",
};

const char *const sim_smt_words[SIM_SMT_WORDS] = {
	[SIM_SMT_ON] = "on",
	[SIM_SMT_OFF] = "off",
	[SIM_SMT_FORCEOFF] = "forceoff",
	[SIM_SMT_NOTSUPPORTED] = "notsupported",
};

static const struct member_field TOPOLOGY_FIELDS[] = {
	MEMBER_NUMBER_FIELD(struct sim_platform, threads_per_core, "threads_per_core", 1, 2),
	MEMBER_NUMBER_FIELD(struct sim_platform, cores_per_module, "cores_per_module", 1,
			    MODULE_PLACES),
	MEMBER_NESTED_FIELD("numbering"),
	MEMBER_BOOL_FIELD(struct sim_platform, cpu0_online_file, "cpu0_online_file"),
	MEMBER_OPTIONAL_FIELD("smt"),
	MEMBER_OPTIONAL_FIELD("offline"),
	MEMBER_NESTED_FIELD("packages"),
};

static const struct member_field PACKAGE_FIELDS[] = { MEMBER_NESTED_FIELD("domains") };

static const struct member_field DOMAIN_FIELDS[] = {
	MEMBER_NUMBER_FIELD(struct sim_domain, die, "die", 0, MAX_DIE),
	MEMBER_NUMBER_FIELD(struct sim_domain, punit, "punit", 0, MAX_DOMAINS - 1),
	MEMBER_NESTED_FIELD("cores"),
};

/* A PUNIT core on its way to a place in the numbering. */
struct core {
	size_t domain;
	uint32_t core;
};

size_t platform_file_topology_index(const struct sim_platform *platform,
				    const struct sim_domain *domain)
{
	size_t index = 0;

	while (domain - index > platform->domains &&
	       (domain - index - 1)->package == domain->package)
		index++;
	return index;
}

static void check_modules(const struct member *topology, const struct sim_platform *platform)
{
	struct member member = member_of(topology, "cores_per_module");

	if (platform->cores_per_module > 1 && platform->threads_per_core > 1)
		member_refuse(&member,
			      "cores in modules have one thread, threads_per_core is %" PRIu32,
			      platform->threads_per_core);
	if (platform->cores_per_module > 1 && platform->interface == SIM_INTERFACE_MAILBOX)
		member_refuse(&member, "mailbox parts have no modules");
}

static void read_cores(const struct member *cores, const struct sim_platform *platform,
		       struct sim_domain *domain)
{
	bool tpmi = platform->interface == SIM_INTERFACE_TPMI;

	member_read_set(cores, tpmi ? MAX_TPMI_CORE : PUNIT_MAX_CORES - 1, &domain->cores);
	if (cpuset_is_empty(&domain->cores) && platform->interface == SIM_INTERFACE_MAILBOX)
		member_refuse(cores, "mailbox parts have no domains without cores");
}

/* Reads the domains of one package to the end of platform->domains; the array has the room. */
static void read_domains(const struct member *domains, uint32_t package,
			 struct sim_platform *platform)
{
	size_t count = member_read_list(domains, 1, MAX_DOMAINS);
	uint32_t punits = 0;
	bool has_cores = false;

	for (size_t i = 0; i < count; i++) {
		struct sim_domain *domain = &platform->domains[platform->n_domains++];
		struct member member = member_at(domains, i);
		struct member cores = member_of(&member, "cores");
		struct member punit = member_of(&member, "punit");

		domain->package = package;
		member_read_fields(&member, DOMAIN_FIELDS, ARRAY_SIZE(DOMAIN_FIELDS), domain);
		if (punits & UINT32_C(1) << domain->punit)
			member_refuse(&punit,
				      "%" PRIu32 " stands for another domain of this package",
				      domain->punit);
		punits |= UINT32_C(1) << domain->punit;
		read_cores(&cores, platform, domain);
		has_cores |= !cpuset_is_empty(&domain->cores);
	}
	if (!has_cores)
		member_refuse(domains, "no domain of this package has cores");
}

/* How many domains there is to be room for; more of a package are refused later. */
static size_t count_domains(const struct member *packages, size_t n_packages)
{
	size_t n_domains, count = 0;

	for (size_t i = 0; i < n_packages; i++) {
		struct member package = member_at(packages, i);
		struct member domains = member_of(&package, "domains");

		n_domains = json_array_size(domains.value);
		count += n_domains < MAX_DOMAINS ? n_domains : MAX_DOMAINS;
	}
	return count;
}

static void read_packages(const struct member *packages, struct sim_platform *platform)
{
	size_t count = member_read_list(packages, 1, MAX_PACKAGES);

	platform->n_packages = count;
	platform->domains = calloc(count_domains(packages, count) + 1, sizeof(*platform->domains));
	if (!platform->domains) {
		member_refuse_memory(packages);
		return;
	}
	for (uint32_t i = 0; i < count && !packages->reader->err; i++) {
		struct member package = member_at(packages, i);
		struct member domains = member_of(&package, "domains");

		member_read_fields(&package, PACKAGE_FIELDS, ARRAY_SIZE(PACKAGE_FIELDS), NULL);
		read_domains(&domains, i, platform);
	}
}

static size_t count_cores(const struct sim_platform *platform)
{
	size_t count = 0;

	for (size_t i = 0; i < platform->n_domains; i++)
		count += cpuset_count(&platform->domains[i].cores);
	return count;
}

static void list_in_order(const struct sim_platform *platform, struct core *to)
{
	for (size_t i = 0; i < platform->n_domains; i++) {
		cpuset_foreach (core, &platform->domains[i].cores)
			*to++ = (struct core){ .domain = i, .core = core };
	}
}

/* Deals the cores out: the first of each package, the second of each package, and so on. */
static void interleave(const struct sim_platform *platform, const struct core *cores,
		       size_t n_cores, struct core *to)
{
	size_t starts[MAX_PACKAGES + 1] = { 0 };
	struct core *end = to + n_cores;

	for (size_t i = 0; i < n_cores; i++)
		starts[platform->domains[cores[i].domain].package + 1] = i + 1;
	for (size_t round = 0; to < end; round++) {
		for (size_t package = 0; package < platform->n_packages; package++) {
			if (starts[package] + round < starts[package + 1])
				*to++ = cores[starts[package] + round];
		}
	}
}

/*
 * How far apart the core_ids of two domains of a package begin: 64, or where a domain shares its
 * package and its ids do not fit into that, the next multiple of 64 that holds them.
 */
static uint32_t core_id_stride(const struct sim_platform *platform, uint32_t package)
{
	uint32_t n_compute = 0, highest = 0;

	for (size_t i = 0; i < platform->n_domains; i++) {
		const struct sim_domain *domain = &platform->domains[i];
		uint32_t last = cpuset_last(&domain->cores);

		if (domain->package != package || last == CPUSET_NONE)
			continue;
		n_compute++;
		if (last > highest)
			highest = last;
	}
	if (n_compute < 2)
		return CORE_IDS_A_DOMAIN;
	highest = (highest + 1) * platform->cores_per_module - 1;
	return (highest / CORE_IDS_A_DOMAIN + 1) * CORE_IDS_A_DOMAIN;
}

static uint32_t physical_cpu(const struct sim_platform *platform, uint32_t punit, uint32_t core,
			     uint32_t slot)
{
	if (platform->interface == SIM_INTERFACE_MAILBOX)
		return punit << 9 | core << 1 | slot;
	return punit << 11 | core << 3 | slot;
}

/* Fills in one logical CPU; slot is its thread, or its place in the module. */
static void place_cpu(const struct member *packages, struct sim_platform *platform,
		      const struct core *core, uint32_t stride, uint32_t slot, uint32_t cpu)
{
	struct sim_domain *domain = &platform->domains[core->domain];
	uint32_t place = platform->cores_per_module > 1 ? slot : 0;

	platform->cpus[cpu] = (struct sim_cpu){
		.package = domain->package,
		.domain = (uint32_t)core->domain,
		.core_id = core->core * platform->cores_per_module + place + stride * domain->punit,
		.physical_cpu = physical_cpu(platform, domain->punit, core->core, slot),
	};
	if (cpuset_add(&domain->cpus, cpu))
		member_refuse_memory(packages);
}

static void number_cpus(const struct member *packages, struct sim_platform *platform,
			const struct core *cores, uint32_t n_cores, enum numbering numbering)
{
	uint32_t places = platform->cores_per_module, slots = places * platform->threads_per_core;
	uint32_t strides[MAX_PACKAGES];

	for (uint32_t i = 0; i < platform->n_packages; i++)
		strides[i] = core_id_stride(platform, i);
	for (uint32_t i = 0; i < n_cores; i++) {
		uint32_t package = platform->domains[cores[i].domain].package;

		for (uint32_t slot = 0; slot < slots; slot++) {
			uint32_t cpu = i * slots + slot;

			if (numbering != SIBLINGS_ADJACENT && places == 1)
				cpu = i + slot * n_cores;
			place_cpu(packages, platform, &cores[i], strides[package], slot, cpu);
		}
	}
}

static void make_cpus(const struct member *packages, struct sim_platform *platform,
		      enum numbering numbering)
{
	size_t n_cores = count_cores(platform);
	_cleanup_free_ struct core *cores = calloc(n_cores + 1, sizeof(*cores));
	_cleanup_free_ struct core *dealt = calloc(n_cores + 1, sizeof(*dealt));
	size_t n_cpus = n_cores * platform->threads_per_core * platform->cores_per_module;

	if (n_cpus > MAX_CPUS) {
		member_refuse(packages, "%zu logical CPUs are too many, %d is the most", n_cpus,
			      MAX_CPUS);
		return;
	}
	platform->cpus = calloc(n_cpus + 1, sizeof(*platform->cpus));
	if (!cores || !dealt || !platform->cpus) {
		member_refuse_memory(packages);
		return;
	}
	platform->n_cpus = n_cpus;
	list_in_order(platform, cores);
	if (numbering == PACKAGES_INTERLEAVED)
		interleave(platform, cores, n_cores, dealt);
	number_cpus(packages, platform, numbering == PACKAGES_INTERLEAVED ? dealt : cores,
		    (uint32_t)n_cores, numbering);
}

bool platform_file_is_held(const struct sim_platform *platform, uint32_t cpu)
{
	bool is_off = platform->smt == SIM_SMT_OFF || platform->smt == SIM_SMT_FORCEOFF;

	return is_off && platform->threads_per_core > 1 && platform->cpus[cpu].physical_cpu & 1;
}

/* Without the member, SMT is on if cores have two threads, and not supported if they have one. */
static void read_smt(const struct member *topology, struct sim_platform *platform)
{
	struct member smt = member_of(topology, "smt");

	platform->smt = platform->threads_per_core > 1 ? SIM_SMT_ON : SIM_SMT_NOTSUPPORTED;
	if (!smt.value)
		return;
	platform->smt = member_read_word(&smt, sim_smt_words, SIM_SMT_WORDS);
	if (platform->threads_per_core == 1 && platform->smt != SIM_SMT_NOTSUPPORTED)
		member_refuse(&smt, "cores have one thread: only notsupported fits");
}

/* Which CPUs are offline at first: those of the list, and second threads while SMT is off. */
static void read_offline(const struct member *topology, struct sim_platform *platform)
{
	struct member offline = member_of(topology, "offline");

	if (offline.value)
		member_read_set(&offline, (uint32_t)platform->n_cpus - 1, &platform->offline);
	for (uint32_t cpu = 0; cpu < platform->n_cpus; cpu++) {
		if (platform_file_is_held(platform, cpu) && cpuset_add(&platform->offline, cpu))
			member_refuse_memory(topology);
	}
	if (cpuset_has(&platform->offline, 0))
		member_refuse(&offline, "CPU 0 starts the machine");
}

void platform_file_topology_read(const struct member *topology, struct sim_platform *platform)
{
	struct member numbering = member_of(topology, "numbering");
	struct member packages = member_of(topology, "packages");
	enum numbering order;

	member_read_fields(topology, TOPOLOGY_FIELDS, ARRAY_SIZE(TOPOLOGY_FIELDS), platform);
	check_modules(topology, platform);
	order = member_read_word(&numbering, NUMBERINGS, ARRAY_SIZE(NUMBERINGS));
	read_packages(&packages, platform);
	if (!topology->reader->err)
		make_cpus(&packages, platform, order);
	if (!topology->reader->err)
		read_smt(topology, platform);
	if (!topology->reader->err)
		read_offline(topology, platform);
}
