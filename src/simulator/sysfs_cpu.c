// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPUs: lists, hotplug and topology (hardware.md, section 5; sysfs.md, "CPU online, topology").
 * Lists in topology hold online CPUs only, and an offline CPU has no topology directory.
 */
#include "simulator/sysfs_tree.h"

#include <errno.h>
#include <inttypes.h>

#include "simulator/sysfs_parse.h"

/* Does a CPU belong to what another one's list shows? */
typedef bool cpu_relation(const struct sim_platform *platform, uint32_t cpu, uint32_t other);

static bool is_online(const struct sysfs_place *place, uint32_t cpu)
{
	return place->state->cpus[cpu].online != 0;
}

uint32_t sysfs_cpu_punit_core(const struct sim_platform *platform, uint32_t cpu)
{
	uint32_t physical_cpu = platform->cpus[cpu].physical_cpu;

	return platform->api_version == 1 ? physical_cpu >> 1 & 0xff : physical_cpu >> 3 & 0xff;
}

bool sysfs_cpu_any_online(const struct sim_state *state, size_t domain)
{
	cpuset_foreach (cpu, &state->platform->domains[domain].cpus) {
		if (state->cpus[cpu].online)
			return true;
	}
	return false;
}

/* Lists of the whole machine. */

static int show_present(const struct sysfs_place *place, FILE *to)
{
	size_t n_cpus = sysfs_platform(place)->n_cpus;

	fputc('0', to);
	if (n_cpus > 1)
		fprintf(to, "-%zu", n_cpus - 1);
	return 0;
}

static int show_by_online(const struct sysfs_place *place, bool online, FILE *to)
{
	_cleanup_cpuset_ struct cpuset set = { 0 };
	int err = 0;

	for (uint32_t cpu = 0; cpu < sysfs_platform(place)->n_cpus && !err; cpu++) {
		if (is_online(place, cpu) == online)
			err = cpuset_add(&set, cpu);
	}
	if (!err)
		cpuset_write_ranges(&set, to);
	return err;
}

static int show_online_cpus(const struct sysfs_place *place, FILE *to)
{
	return show_by_online(place, true, to);
}

static int show_offline_cpus(const struct sysfs_place *place, FILE *to)
{
	return show_by_online(place, false, to);
}

/* Only CPUs isolated at boot are listed there: no platform has any. */
static int show_isolated_cpus(const struct sysfs_place *place, FILE *to)
{
	(void)place;
	(void)to;
	return 0;
}

/* Hotplug. */

static bool has_online_file(const struct sysfs_place *place)
{
	return place->cpu != 0 || sysfs_platform(place)->cpu0_online_file;
}

static int show_online(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%d", is_online(place, place->cpu));
	return 0;
}

static bool is_last_online(const struct sysfs_place *place)
{
	for (uint32_t cpu = 0; cpu < sysfs_platform(place)->n_cpus; cpu++) {
		if (cpu != place->cpu && is_online(place, cpu))
			return false;
	}
	return true;
}

static int store_online(const struct sysfs_place *place, const char *text)
{
	size_t domain = sysfs_platform(place)->cpus[place->cpu].domain;
	bool online;
	int err = sysfs_parse_bool(text, &online);

	if (err || online == is_online(place, place->cpu))
		return err;
	if (!online && is_last_online(place))
		return -EBUSY;
	if (online && platform_file_is_held(sysfs_platform(place), place->cpu))
		return -EPERM;
	if (online && !sysfs_cpu_any_online(place->state, domain))
		sysfs_uncore_resample(place->state, domain);
	sysfs_cpu_state(place)->online = online;
	return 0;
}

/* Topology. */

static bool has_topology(const struct sysfs_place *place)
{
	return is_online(place, place->cpu);
}

static int show_physical_package_id(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%" PRIu32, sysfs_platform(place)->cpus[place->cpu].package);
	return 0;
}

static int show_die_id(const struct sysfs_place *place, FILE *to)
{
	const struct sim_platform *platform = sysfs_platform(place);

	fprintf(to, "%" PRIu32, platform->domains[platform->cpus[place->cpu].domain].die);
	return 0;
}

static int show_core_id(const struct sysfs_place *place, FILE *to)
{
	fprintf(to, "%" PRIu32, sysfs_platform(place)->cpus[place->cpu].core_id);
	return 0;
}

/* A cluster is what shares an L2 cache: a core, or a module where there are modules. */
static int show_cluster_id(const struct sysfs_place *place, FILE *to)
{
	const struct sim_platform *platform = sysfs_platform(place);
	uint32_t domain = platform->cpus[place->cpu].domain;

	fprintf(to, "%" PRIu32,
		sysfs_cpu_punit_core(platform, place->cpu) + 64 * platform->domains[domain].punit);
	return 0;
}

static bool shares_core(const struct sim_platform *platform, uint32_t cpu, uint32_t other)
{
	return platform->cpus[cpu].core_id == platform->cpus[other].core_id;
}

static bool shares_cluster(const struct sim_platform *platform, uint32_t cpu, uint32_t other)
{
	return sysfs_cpu_punit_core(platform, cpu) == sysfs_cpu_punit_core(platform, other);
}

/* Writes the online CPUs of this CPU's domain that are related to it. */
static int show_in_domain(const struct sysfs_place *place, cpu_relation *related, FILE *to)
{
	const struct sim_platform *platform = sysfs_platform(place);
	_cleanup_cpuset_ struct cpuset set = { 0 };
	int err = 0;

	cpuset_foreach (other, &platform->domains[platform->cpus[place->cpu].domain].cpus) {
		if (!err && is_online(place, other) && related(platform, place->cpu, other))
			err = cpuset_add(&set, other);
	}
	if (!err)
		cpuset_write_ranges(&set, to);
	return err;
}

static int show_core_cpus(const struct sysfs_place *place, FILE *to)
{
	return show_in_domain(place, shares_core, to);
}

static int show_cluster_cpus(const struct sysfs_place *place, FILE *to)
{
	return show_in_domain(place, shares_cluster, to);
}

static int add_online(const struct sysfs_place *place, const struct cpuset *cpus,
		      struct cpuset *set)
{
	int err = 0;

	cpuset_foreach (cpu, cpus) {
		if (!err && is_online(place, cpu))
			err = cpuset_add(set, cpu);
	}
	return err;
}

/* Writes the online CPUs of this CPU's package, or of its die alone. */
static int show_in_package(const struct sysfs_place *place, bool same_die, FILE *to)
{
	const struct sim_platform *platform = sysfs_platform(place);
	const struct sim_domain *own = &platform->domains[platform->cpus[place->cpu].domain];
	_cleanup_cpuset_ struct cpuset set = { 0 };
	int err = 0;

	for (size_t i = 0; i < platform->n_domains && !err; i++) {
		const struct sim_domain *domain = &platform->domains[i];

		if (domain->package == own->package && (!same_die || domain->die == own->die))
			err = add_online(place, &domain->cpus, &set);
	}
	if (!err)
		cpuset_write_ranges(&set, to);
	return err;
}

static int show_die_cpus(const struct sysfs_place *place, FILE *to)
{
	return show_in_package(place, true, to);
}

static int show_package_cpus(const struct sysfs_place *place, FILE *to)
{
	return show_in_package(place, false, to);
}

static const struct sysfs_attribute topology_attributes[] = {
	{ .name = "cluster_cpus_list", .show = show_cluster_cpus },
	{ .name = "cluster_id", .show = show_cluster_id },
	{ .name = "core_cpus_list", .show = show_core_cpus },
	{ .name = "core_id", .show = show_core_id },
	{ .name = "core_siblings_list", .show = show_package_cpus },
	{ .name = "die_cpus_list", .show = show_die_cpus },
	{ .name = "die_id", .show = show_die_id },
	{ .name = "package_cpus_list", .show = show_package_cpus },
	{ .name = "physical_package_id", .show = show_physical_package_id },
	{ .name = "thread_siblings_list", .show = show_core_cpus },
	{ 0 },
};

static const struct sysfs_directory topology_directory = {
	.name = "topology",
	.exists = has_topology,
	.attributes = topology_attributes,
};

/* cpuN */

static bool find_cpu(struct sysfs_place *place, const char *name)
{
	return sysfs_parse_numbered(name, "cpu", &place->cpu) &&
	       place->cpu < sysfs_platform(place)->n_cpus;
}

static int list_cpus(const struct sysfs_place *place, struct sysfs_names *names)
{
	int err = 0;

	for (size_t cpu = 0; cpu < sysfs_platform(place)->n_cpus && !err; cpu++)
		err = sysfs_names_add_format(names, "cpu%zu", cpu);
	return err;
}

static const struct sysfs_attribute one_cpu_attributes[] = {
	{ .name = "online", .show = show_online, .store = store_online, .exists = has_online_file },
	{ 0 },
};

static const struct sysfs_directory one_cpu_directory = {
	.find = find_cpu,
	.list = list_cpus,
	.attributes = one_cpu_attributes,
	.children =
		(const struct sysfs_directory *const[]){ &topology_directory, &sysfs_cpufreq_of_cpu,
							 &sysfs_idle_of_cpu, &sysfs_power_of_cpu,
							 NULL },
};

/* The directory smt. SMT cannot be switched here. */
static int show_smt_control(const struct sysfs_place *place, FILE *to)
{
	fputs(sim_smt_words[sysfs_platform(place)->smt], to);
	return 0;
}

/* Is a core online with both of its threads? */
static int show_smt_active(const struct sysfs_place *place, FILE *to)
{
	const struct sim_platform *platform = sysfs_platform(place);
	bool active = false;

	for (size_t i = 0; i < platform->n_domains && platform->threads_per_core > 1; i++) {
		cpuset_foreach (cpu, &platform->domains[i].cpus) {
			cpuset_foreach (other, &platform->domains[i].cpus)
				active = active || (other > cpu && is_online(place, cpu) &&
						    is_online(place, other) &&
						    shares_core(platform, cpu, other));
		}
	}
	fputc(active ? '1' : '0', to);
	return 0;
}

static const struct sysfs_attribute smt_attributes[] = {
	{ .name = "active", .show = show_smt_active },
	{ .name = "control", .show = show_smt_control },
	{ 0 },
};

static const struct sysfs_directory smt_directory = {
	.name = "smt",
	.attributes = smt_attributes,
};

static const struct sysfs_attribute cpu_attributes[] = {
	{ .name = "isolated", .show = show_isolated_cpus },
	{ .name = "offline", .show = show_offline_cpus },
	{ .name = "online", .show = show_online_cpus },
	{ .name = "possible", .show = show_present },
	{ .name = "present", .show = show_present },
	{ 0 },
};

const struct sysfs_directory sysfs_cpu = {
	.name = "cpu",
	.attributes = cpu_attributes,
	.children = (const struct sysfs_directory *const[]){ &one_cpu_directory, &sysfs_cpufreq,
							     &sysfs_pstate, &sysfs_idle,
							     &sysfs_power_umwait, &sysfs_uncore,
							     &smt_directory, NULL },
};
