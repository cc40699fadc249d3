// SPDX-License-Identifier: GPL-2.0-only
/* Reads what machine choose needs to know of a machine: its cores, all performance levels, what is
 * on now, and the limits of cpufreq. */
#include "choose/choose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"
#include "host/cpufreq.h"

/* Sets the message; returns err. */
static int fail(const struct choose_facts *facts, const struct power_domain *domain,
		const char *what, int err, char **ret_message)
{
	if (err != -ENOMEM)
		*ret_message = platform_describe_failure(facts->platform, domain, what, err);
	return err;
}

static int list_domains(struct choose_facts *facts)
{
	const struct domain_list *list = &facts->platform->domains;

	facts->domains = calloc(list->n_domains ?: 1, sizeof(*facts->domains));
	if (!facts->domains)
		return -ENOMEM;
	for (size_t i = 0; i < list->n_domains; i++) {
		const struct power_domain *domain = &list->domains[i];
		struct choose_package *package =
			facts->n_packages ? &facts->packages[facts->n_packages - 1] : NULL;

		if (domain->cpu == CPUSET_NONE)
			continue;
		if (!package || package->number != domain->package) {
			package = array_add(&facts->packages, &facts->n_packages, sizeof(*package));
			if (!package)
				return -ENOMEM;
			package->number = domain->package;
			package->first = facts->n_domains;
		}
		package->n_domains++;
		facts->domains[facts->n_domains++] = domain;
	}
	for (size_t i = 0; i < list->n_domains; i++) {
		for (size_t j = 0; j < facts->n_packages; j++) {
			if (list->domains[i].cpu == CPUSET_NONE &&
			    list->domains[i].package == facts->packages[j].number)
				facts->packages[j].has_other_domains = true;
		}
	}
	return 0;
}

/* A CPU, to be sorted into its core. */
struct core_cpu {
	uint32_t cpu;
	uint32_t core; /* within its domain: equal for all CPUs of a core */
};

static int compare_members(const void *left, const void *right)
{
	const struct core_cpu *one = left, *other = right;

	return number_compare(one->core, other->core) ?: number_compare(one->cpu, other->cpu);
}

/* Finds a number that all CPUs of a core share: the id of the core or, if the driver reports none,
 * its first online CPU. Returns 0, or -ENODATA if it is unknown. */
static int find_core(const struct choose_facts *facts, uint32_t cpu, uint32_t *ret_core)
{
	const struct cpu_place *place = &facts->topology->places[cpu];
	_cleanup_cpuset_ struct cpuset threads = { 0 };

	if (place->has_physical_cpu) {
		*ret_core = place->core;
		return 0;
	}
	if (facts->platform->transport || !cpuset_has(&facts->topology->online, cpu))
		return -ENODATA;
	if (topology_add_core(facts->platform->machine->host->files, cpu, &threads))
		return -ENOMEM;
	*ret_core = cpuset_next(&threads, 0);
	return 0;
}

static int compare_cores(const void *left, const void *right)
{
	const struct choose_core *one = left, *other = right;

	return number_compare(one->domain, other->domain)
		       ?: number_compare(one->cpus[0], other->cpus[0]);
}

/* Adds the cores of a domain; *at is the index for the next CPU. */
static int add_cores(struct choose_facts *facts, size_t domain, const struct cpuset *candidates,
		     uint32_t *at)
{
	const struct cpuset *cpus = &facts->domains[domain]->cpus;
	_cleanup_free_ struct core_cpu *members = calloc(cpuset_count(cpus) + 1, sizeof(*members));
	size_t count = 0;

	if (!members)
		return -ENOMEM;
	cpuset_foreach (cpu, cpus) {
		int err = find_core(facts, cpu, &members[count].core);

		if (err == -ENOMEM)
			return err;
		members[count].cpu = cpu;
		count += !err;
	}
	qsort(members, count, sizeof(*members), compare_members);
	for (size_t i = 0; i < count; i++) {
		struct choose_core *core;

		*at = members[i].cpu;
		if (i == 0 || members[i].core != members[i - 1].core)
			facts->cores[facts->n_cores++] =
				(struct choose_core){ .domain = domain, .cpus = at };
		core = &facts->cores[facts->n_cores - 1];
		core->n_cpus++;
		core->is_candidate =
			core->is_candidate || !candidates || cpuset_has(candidates, members[i].cpu);
		at++;
	}
	return 0;
}

static int list_cores(struct choose_facts *facts, const struct cpuset *candidates)
{
	size_t room = cpuset_count(&facts->topology->placed) + 1, used = 0;

	facts->cores = calloc(room, sizeof(*facts->cores));
	facts->core_cpus = calloc(room, sizeof(*facts->core_cpus));
	if (!facts->cores || !facts->core_cpus)
		return -ENOMEM;
	for (size_t i = 0; i < facts->n_domains; i++) {
		size_t first = facts->n_cores;
		int err = add_cores(facts, i, candidates, &facts->core_cpus[used]);

		if (err)
			return err;
		for (size_t j = first; j < facts->n_cores; j++)
			used += facts->cores[j].n_cpus;
	}
	qsort(facts->cores, facts->n_cores, sizeof(*facts->cores), compare_cores);
	return 0;
}

/* Reads the only level of a machine on which cpufreq shows SST-BF. */
static int read_by_cpufreq(struct choose_facts *facts, char **ret_message)
{
	struct expected *expected = &facts->expected;
	int err;

	expected->n_domains = facts->n_domains;
	expected->levels = calloc(facts->n_domains ?: 1, sizeof(*expected->levels));
	if (!expected->levels)
		return -ENOMEM;
	for (size_t i = 0; i < facts->n_domains; i++)
		expected->levels[i].domain = facts->domains[i];
	err = facts->platform->ops->read_levels(facts->platform, PLATFORM_BASE_FREQ,
						expected->levels, facts->n_domains);
	for (size_t i = 0; i < facts->n_domains && !err; i++) {
		if (expected->levels[i].error)
			err = fail(facts, facts->domains[i], expected->levels[i].failed,
				   expected->levels[i].error, ret_message);
	}
	return err;
}

/* Reads the base frequency from cpufreq if the level does not report it and SST-BF is off. */
static int refine_level(const struct choose_facts *facts, size_t index)
{
	const struct platform_ops *ops = facts->platform->ops;
	struct platform_level_query *level = &facts->expected.levels[index];
	int err = ops->refine_level && !level->info.base_mhz && !level->info.base_freq_on
			  ? ops->refine_level(facts->platform, level, facts->domains[index]->cpu)
			  : 0;

	return err == -ENOMEM ? err : 0;
}

/* Fails if something cannot be read: a prediction would be a guess. */
static int read_sst(struct choose_facts *facts, char **ret_message)
{
	const char *what;
	int err;

	if (facts->platform->base_freq_by_cpufreq)
		return read_by_cpufreq(facts, ret_message);
	err = expected_read(facts->platform, facts->domains, facts->n_domains, true,
			    &facts->expected);
	for (size_t i = 0; i < facts->n_domains && !err; i++) {
		err = expected_check(&facts->expected, i, &what);
		err = err ? fail(facts, facts->domains[i], what, err, ret_message)
			  : refine_level(facts, i);
	}
	for (size_t i = 0; i < facts->expected.n_others && !err; i++) {
		const struct platform_level_query *level = &facts->expected.others[i];

		if (level->error && level->error != -ENOENT)
			err = fail(facts, level->domain, level->failed ?: "a performance level",
				   level->error, ret_message);
	}
	return err;
}

/* Reads a frequency of a CPU; 0: there is none. Returns 0, or the negative errno of a file that
 * exists but cannot be read. */
static int read_mhz(const struct choose_facts *facts, uint32_t cpu, const char *name,
		    uint32_t *ret_mhz)
{
	uint32_t khz;
	int err = cpufreq_read_khz(facts->platform->machine->host->files, cpu, name, &khz);

	*ret_mhz = err ? 0 : khz / KHZ_PER_MHZ;
	return err == -EIO || err == -EACCES || err == -EPERM ? err : 0;
}

/* Reads the limits of an online CPU, and its upper limit if cpufreq limits nothing. *ret_name is
 * the file that was read last. */
static int read_limits(struct choose_facts *facts, uint32_t cpu, const char **ret_name)
{
	int err = read_mhz(facts, cpu, *ret_name = "cpuinfo_max_freq", &facts->highest_mhz[cpu]);

	if (!err)
		err = read_mhz(facts, cpu, *ret_name = "scaling_max_freq", &facts->max_mhz[cpu]);
	facts->open_mhz[cpu] = facts->highest_mhz[cpu];
	if (!err && facts->turbo_is_off)
		err = read_mhz(facts, cpu, *ret_name = "base_frequency", &facts->open_mhz[cpu]);
	return err;
}

static int read_cpufreq(struct choose_facts *facts, char **ret_message)
{
	_cleanup_cpufreq_machine_ struct cpufreq_machine machine = { 0 };
	size_t room = cpuset_last(&facts->topology->present) + 1;
	int err = cpufreq_read_machine(facts->platform->machine->host->files, &machine);
	uint64_t percent;

	if (err && err != -ENOMEM)
		*ret_message = text_format("cpufreq of the whole machine: %s", strerror(-err));
	if (err)
		return err;
	facts->turbo_is_off = cpufreq_turbo_is_off(&machine);
	facts->max_percent = 100;
	if (machine.max_perf_pct && !number_parse_file(machine.max_perf_pct, &percent) &&
	    percent <= 100)
		facts->max_percent = (uint32_t)percent;
	facts->highest_mhz = calloc(room, sizeof(*facts->highest_mhz));
	facts->max_mhz = calloc(room, sizeof(*facts->max_mhz));
	facts->open_mhz = calloc(room, sizeof(*facts->open_mhz));
	if (!facts->highest_mhz || !facts->max_mhz || !facts->open_mhz)
		return -ENOMEM;
	cpuset_foreach (cpu, &facts->topology->online) {
		const char *name;

		err = read_limits(facts, cpu, &name);
		if (err) {
			*ret_message = text_format("cpu-%u: %s: %s", cpu, name, strerror(-err));
			return err;
		}
	}
	/* an offline CPU has no limits yet; limits are equal within a power domain */
	for (size_t i = 0; i < facts->n_domains; i++) {
		uint32_t known = facts->highest_mhz[facts->domains[i]->cpu];

		cpuset_foreach (cpu, &facts->domains[i]->cpus) {
			if (!facts->highest_mhz[cpu])
				facts->highest_mhz[cpu] = known;
			if (!cpuset_has(&facts->topology->online, cpu))
				facts->max_mhz[cpu] = known;
		}
	}
	return 0;
}

int choose_facts_read(struct platform *platform, const struct cpuset *candidates,
		      struct choose_facts *facts, char **ret_message)
{
	_cleanup_cpuset_ struct cpuset unplaced = { 0 };
	int err;

	*ret_message = NULL;
	*facts = (struct choose_facts){
		.platform = platform,
		.topology = &platform->machine->topology,
	};
	facts->state = calloc(1, sizeof(*facts->state));
	err = facts->state ? state_machine_init(facts->state, platform->machine, platform, true)
			   : -ENOMEM;
	if (!err)
		err = list_domains(facts);
	if (!err)
		err = list_cores(facts, candidates);
	if (!err)
		err = read_sst(facts, ret_message);
	if (!err)
		err = read_cpufreq(facts, ret_message);
	if (!err)
		err = topology_find_threads(facts->topology, &facts->threads);
	if (!err)
		err = topology_find_unplaced(facts->topology, &unplaced);
	facts->lacks_places = !cpuset_is_empty(&unplaced);
	return err;
}

void choose_facts_done(struct choose_facts *facts)
{
	expected_done(&facts->expected);
	if (facts->state)
		state_machine_done(facts->state);
	free(facts->state);
	cpuset_done(&facts->threads);
	free(facts->domains);
	free(facts->packages);
	free(facts->cores);
	free(facts->core_cpus);
	free(facts->highest_mhz);
	free(facts->max_mhz);
	free(facts->open_mhz);
	*facts = (struct choose_facts){ 0 };
}

const struct platform_level_query *choose_find_level(const struct choose_facts *facts,
						     size_t domain, uint32_t level)
{
	const struct platform_level_query *query =
		level == CHOOSE_LEVELS_DIFFER
			? NULL
			: expected_find_level(&facts->expected, domain, level);

	return query && !query->error ? query : NULL;
}

const struct choose_package *choose_find_package(const struct choose_facts *facts, size_t domain)
{
	size_t i = 0;

	while (!choose_package_has(&facts->packages[i], domain))
		i++;
	return &facts->packages[i];
}
