// SPDX-License-Identifier: GPL-2.0-only
/* CPU lists, hotplug, topology and SMT (hardware.md, section 5; sysfs.md, "CPU online, topology").
 * Topology lists name online CPUs only, and an offline CPU has no topology directory. */
#include "simulator/sysfs_tree.h"

#include <errno.h>

/* What CPUs of a topology list have in common. */
enum level { LEVEL_CORE, LEVEL_DIE, LEVEL_PACKAGE };

static bool is_online(const struct sysfs_place *place, uint32_t cpu)
{
	return place->state->cpus[cpu].online != 0;
}

bool sysfs_has_cpu(struct sysfs_place *place)
{
	place->cpu = place->numbers[0];
	return place->cpu < sysfs_platform(place)->n_cpus;
}

uint32_t sysfs_punit_core(const struct sim_platform *platform, uint32_t cpu)
{
	uint32_t physical_cpu = platform->cpus[cpu].physical_cpu;

	return platform->api_version == 1 ? physical_cpu >> 1 & 0xff : physical_cpu >> 3 & 0xff;
}

bool sysfs_any_online(const struct sim_state *state, size_t domain)
{
	cpuset_foreach (cpu, &state->platform->domains[domain].cpus) {
		if (state->cpus[cpu].online)
			return true;
	}
	return false;
}

/* Lists of the whole machine. */

static int append_present(const struct sysfs_place *place, struct buffer *to)
{
	size_t n_cpus = sysfs_platform(place)->n_cpus;

	buffer_append_char(to, '0');
	if (n_cpus > 1)
		sysfs_append(to, "-%zu", n_cpus - 1);
	return 0;
}

static int append_by_online(const struct sysfs_place *place, bool online, struct buffer *to)
{
	_cleanup_cpuset_ struct cpuset set = { 0 };

	for (uint32_t cpu = 0; cpu < sysfs_platform(place)->n_cpus; cpu++) {
		if (is_online(place, cpu) == online && cpuset_add(&set, cpu) < 0)
			return -ENOMEM;
	}
	cpuset_append_ranges(&set, to);
	return 0;
}

static int append_online(const struct sysfs_place *place, struct buffer *to)
{
	return append_by_online(place, true, to);
}

static int append_offline(const struct sysfs_place *place, struct buffer *to)
{
	return append_by_online(place, false, to);
}

/* Hotplug. */

static bool has_online_file(const struct sysfs_place *place)
{
	return place->cpu != 0 || sysfs_platform(place)->cpu0_online_file;
}

SYSFS_NUMBER(get_online, is_online(place, place->cpu));

static bool is_last_online(const struct sysfs_place *place)
{
	for (uint32_t cpu = 0; cpu < sysfs_platform(place)->n_cpus; cpu++) {
		if (cpu != place->cpu && is_online(place, cpu))
			return false;
	}
	return true;
}

static int set_online(const struct sysfs_place *place, uint32_t online)
{
	size_t domain = sysfs_platform(place)->cpus[place->cpu].domain;

	if (online == is_online(place, place->cpu))
		return 0;
	if (!online && is_last_online(place))
		return -EBUSY;
	if (online && platform_file_is_held(sysfs_platform(place), place->cpu))
		return -EPERM;
	if (online && !sysfs_any_online(place->state, domain))
		sysfs_uncore_resample(place->state, domain);
	sysfs_cpu_state(place)->online = (uint8_t)online;
	return 0;
}

/* Topology. */

static bool has_topology(struct sysfs_place *place)
{
	return sysfs_has_cpu(place) && is_online(place, place->cpu);
}

static const struct sim_domain *domain_of(const struct sysfs_place *place)
{
	const struct sim_platform *platform = sysfs_platform(place);

	return &platform->domains[platform->cpus[place->cpu].domain];
}

SYSFS_NUMBER(get_package, domain_of(place)->package);
SYSFS_NUMBER(get_die, domain_of(place)->die);
SYSFS_NUMBER(get_core, sysfs_platform(place)->cpus[place->cpu].core_id);

/* Does a CPU share the core, die or package of place? */
static bool is_sharing(const struct sysfs_place *place, enum level level, uint32_t cpu)
{
	const struct sim_platform *platform = sysfs_platform(place);
	const struct sim_cpu *own = &platform->cpus[place->cpu], *other = &platform->cpus[cpu];

	if (own->package != other->package)
		return false;
	if (level == LEVEL_CORE)
		return own->core_id == other->core_id;
	return level == LEVEL_PACKAGE ||
	       platform->domains[own->domain].die == platform->domains[other->domain].die;
}

static int append_sharing(const struct sysfs_place *place, enum level level, struct buffer *to)
{
	_cleanup_cpuset_ struct cpuset set = { 0 };

	for (uint32_t cpu = 0; cpu < sysfs_platform(place)->n_cpus; cpu++) {
		if (is_online(place, cpu) && is_sharing(place, level, cpu) &&
		    cpuset_add(&set, cpu) < 0)
			return -ENOMEM;
	}
	cpuset_append_ranges(&set, to);
	return 0;
}

static int append_core_cpus(const struct sysfs_place *place, struct buffer *to)
{
	return append_sharing(place, LEVEL_CORE, to);
}

static int append_die_cpus(const struct sysfs_place *place, struct buffer *to)
{
	return append_sharing(place, LEVEL_DIE, to);
}

static int append_package_cpus(const struct sysfs_place *place, struct buffer *to)
{
	return append_sharing(place, LEVEL_PACKAGE, to);
}

/* SMT, which cannot be switched here. */
SYSFS_TEXT(get_smt, sim_smt_words[sysfs_platform(place)->smt]);

static int list_cpus(const struct sysfs_place *place, struct buffer *names)
{
	for (size_t cpu = 0; cpu < sysfs_platform(place)->n_cpus; cpu++)
		sysfs_append(names, "cpu%zu\n", cpu);
	return 0;
}

static const struct sysfs_attribute machine_attributes[] = {
	{ .name = "isolated", .fixed = "" }, /* by boot parameter: no platform has any */
	{ .name = "offline", .append = append_offline },
	{ .name = "online", .append = append_online },
	{ .name = "possible", .append = append_present },
	{ .name = "present", .append = append_present },
	{ 0 },
};

static const struct sysfs_attribute cpu_attributes[] = {
	{ .name = "online",
	  .number = get_online,
	  .set = set_online,
	  .max = 1,
	  .exists = has_online_file },
	{ 0 },
};

static const struct sysfs_attribute topology_attributes[] = {
	{ .name = "core_cpus_list", .append = append_core_cpus },
	{ .name = "core_id", .number = get_core },
	{ .name = "die_cpus_list", .append = append_die_cpus },
	{ .name = "die_id", .number = get_die },
	{ .name = "package_cpus_list", .append = append_package_cpus },
	{ .name = "physical_package_id", .number = get_package },
	{ .name = "thread_siblings_list", .append = append_core_cpus },
	{ 0 },
};

static const struct sysfs_attribute smt_attributes[] = {
	{ .name = "control", .text = get_smt },
	{ 0 },
};

const struct sysfs_directory sysfs_cpu[] = {
	{ .path = SYSFS_CPU_ROOT, .attributes = machine_attributes },
	{ .path = SYSFS_CPU_ROOT "/cpu#",
	  .exists = sysfs_has_cpu,
	  .list = list_cpus,
	  .attributes = cpu_attributes },
	{ .path = SYSFS_CPU_ROOT "/cpu#/topology",
	  .exists = has_topology,
	  .attributes = topology_attributes },
	{ .path = SYSFS_CPU_ROOT "/smt", .attributes = smt_attributes },
	{ 0 },
};
