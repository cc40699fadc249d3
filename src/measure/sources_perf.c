// SPDX-License-Identifier: GPL-2.0-only
/* The counters of PMUs: finds their events and the CPUs on which they count, and reads them
 * (measure.md, "Sources, rights, traps"). */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "instruments/workload.h"
#include "measure/parts.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define WAITPKG  FILES_CPUS "/umwait_control/enable_c02"

static const char *const pmu_names[PMU_KINDS] = {
	[PMU_MSR] = "msr",
	[PMU_CORE] = "cstate_core",
	[PMU_MODULE] = "cstate_module",
	[PMU_PACKAGE] = "cstate_pkg",
	[PMU_POWER] = "power",
	[PMU_USER_IDLE] = "cpu",
};

/* Adds an event that was searched for; err: why it is missing. Returns 0 or -ENOMEM. */
static int take_event(struct sources *sources, enum pmu_kind kind, const char *name, int err,
		      const struct perf_event *event)
{
	struct pmu *pmu = &sources->pmus[kind];
	const size_t at = pmu->n_events++;

	if (err == -ENOMEM)
		return err;
	pmu->names[at] = strdup(name);
	if (!pmu->names[at])
		return -ENOMEM;
	if (err == -ENOENT) {
		/* hypervisors hide aperf and mperf */
		pmu->reasons[at] = sources_keep(
			sources, "PMU %s has no event %s%s", pmu_names[kind], name,
			kind == PMU_MSR && at > MSR_TSC ? ", as in virtual machines" : "");
		return 0;
	}
	if (err) {
		_cleanup_free_ char *path = text_format(PERF_PMUS "/%s", pmu_names[kind]);

		pmu->reasons[at] = sources_keep_error(sources, path ?: pmu_names[kind], err);
		return 0;
	}
	pmu->events[at] = *event;
	pmu->has[at] = true;
	return 0;
}

/* Checks that an energy event counts joules or parts of joules. Returns 0, or a negative errno like
 * perf_find_event(). */
static int check_unit(struct sources *sources, const char *name, double scale)
{
	_cleanup_free_ char *path = text_format(PERF_PMUS "/power/events/%s.unit", name);
	_cleanup_free_ char *unit = NULL;
	int err = path ? files_read_line(sources->files, path, &unit) : -ENOMEM;

	if (err == -ENOENT)
		return 0;
	if (err)
		return err;
	return strcmp(unit, "Joules") == 0 && scale <= 1 ? 0 : -EINVAL;
}

static int find_named(struct sources *sources, enum pmu_kind kind, const char *const *names,
		      size_t count)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		struct perf_event event = { 0 };

		err = perf_find_event(sources->files, pmu_names[kind], names[i], &event);
		/* lower types are those of generic software and hardware events */
		if (!err && event.type < PERF_TYPE_MAX)
			err = -EINVAL;
		if (!err && kind == PMU_POWER)
			err = check_unit(sources, names[i], event.scale);
		err = take_event(sources, kind, names[i], err, &event);
	}
	return err;
}

/* Finds all events of a PMU of idle states. */
static int find_listed(struct sources *sources, enum pmu_kind kind)
{
	_cleanup_free_ char *path = text_format(PERF_PMUS "/%s/events", pmu_names[kind]);
	char **names;
	int err = path ? files_list(sources->files, path, &names) : -ENOMEM;

	if (err) {
		if (err != -ENOMEM)
			sources->pmus[kind].missing = sources_keep_error(sources, path, err);
		return err == -ENOMEM ? err : 0;
	}
	for (char **name = names; *name && !err; name++) {
		if (!strchr(*name, '.') && sources->pmus[kind].n_events < PERF_GROUP_MAX)
			err = find_named(sources, kind, (const char *const *)name, 1);
	}
	files_free_names(&names);
	return err;
}

/* Finds the events of C0.1 and C0.2, if the machine has umwait. These events have no names. Virtual
 * machines do not count them, and have no aperf either. */
static int find_user_idle(struct sources *sources)
{
	static const char *const names[] = { "c01", "c02" };
	static const char *const configs[] = { "event=0xec,umask=0x10", "event=0xec,umask=0x20" };
	static const char *const needed[] = { WAITPKG, PERF_PMUS "/msr/events/aperf",
					      PERF_PMUS "/cpu/type" };
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		_cleanup_free_ char *text = NULL;

		err = files_read_line(sources->files, needed[i], &text);
		if (err == -ENOENT || err == -ENOMEM)
			return err == -ENOMEM ? err : 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct perf_event event = { 0 };

		err = perf_make_event(sources->files, pmu_names[PMU_USER_IDLE], configs[i], &event);
		err = take_event(sources, PMU_USER_IDLE, names[i], err, &event);
		if (err)
			return err;
	}
	return 0;
}

/* Finds out whether a PMU has an event that can be opened, and on which CPUs it counts. */
static int finish_pmu(struct sources *sources, enum pmu_kind kind)
{
	struct pmu *pmu = &sources->pmus[kind];
	_cleanup_free_ char *path = text_format(PERF_PMUS "/%s", pmu_names[kind]);
	_cleanup_free_ char *type = NULL, *type_path = text_format("%s/type", path ?: "");
	size_t n_found = 0;
	int err;

	if (!path || !type_path)
		return -ENOMEM;
	for (size_t i = 0; i < pmu->n_events; i++)
		n_found += pmu->has[i];
	err = files_read_line(sources->files, type_path, &type);
	if (err == -ENOENT)
		pmu->missing = sources_keep(sources, "the kernel has no PMU %s", pmu_names[kind]);
	else if (err)
		pmu->missing = sources_keep_error(sources, type_path, err);
	else if (n_found == 0 && !pmu->missing)
		pmu->missing = pmu->n_events ? pmu->reasons[0]
					     : sources_keep(sources, "PMU %s has no events",
							    pmu_names[kind]);
	if (pmu->missing || kind == PMU_MSR || kind == PMU_USER_IDLE)
		return err == -ENOMEM ? err : 0;
	err = perf_read_cpumask(sources->files, pmu_names[kind], &pmu->mask);
	pmu->has_mask = !err;
	if (err == -ENOMEM || err == -ENOENT)
		return err == -ENOMEM ? err : 0;
	if (err)
		pmu->missing = sources_keep(sources, "%s/cpumask is garbled", path);
	return 0;
}

static int find_pmus(struct sources *sources)
{
	static const char *const msr_events[] = {
		[MSR_TSC] = "tsc",
		[MSR_APERF] = "aperf",
		[MSR_MPERF] = "mperf",
		[MSR_SMI] = "smi",
	};
	static const char *const power_events[] = { "energy-pkg", "energy-ram" };
	int err = find_named(sources, PMU_MSR, msr_events, ARRAY_SIZE(msr_events));

	for (enum pmu_kind kind = PMU_CORE; kind <= PMU_PACKAGE && !err; kind++)
		err = find_listed(sources, kind);
	if (!err)
		err = find_named(sources, PMU_POWER, power_events, ARRAY_SIZE(power_events));
	if (!err)
		err = find_user_idle(sources);
	for (enum pmu_kind kind = 0; kind < PMU_KINDS && !err; kind++)
		err = finish_pmu(sources, kind);
	return err;
}

/* Finds or adds the group of a PMU on a CPU. Returns 0 or -ENOMEM. */
static int add_group(struct sources *sources, enum pmu_kind kind, uint32_t cpu, size_t *ret_group)
{
	struct group *group;

	for (size_t i = sources->n_groups; kind != PMU_MSR && i-- > 0;) {
		if (sources->groups[i].kind == kind && sources->groups[i].cpu == cpu) {
			*ret_group = i;
			return 0;
		}
	}
	group = array_add(&sources->groups, &sources->n_groups, sizeof(*group));
	if (!group)
		return -ENOMEM;
	group->kind = kind;
	group->cpu = cpu;
	group->leader = -1;
	for (size_t i = 0; i < PERF_GROUP_MAX; i++)
		group->handles[i] = -1;
	if (cpuset_has(sources->options.isolated, cpu) && !cpuset_has(sources->options.cpus, cpu))
		group->missing =
			sources_keep(sources,
				     "PMU %s counts on CPU %u, which is isolated and not in --cpu",
				     pmu_names[kind], cpu);
	*ret_group = sources->n_groups - 1;
	return 0;
}

/* The first CPU of a set on which the PMU counts, or CPUSET_NONE. */
static uint32_t find_counting(const struct pmu *pmu, const struct cpuset *cpus)
{
	cpuset_foreach (cpu, cpus) {
		if (!pmu->has_mask || cpuset_has(&pmu->mask, cpu))
			return cpu;
	}
	return CPUSET_NONE;
}

/* Adds the group that counts for the core or module of a CPU. file: the file of its topology with
 * the CPUs of this core or module. */
static int add_shared(struct sources *sources, enum pmu_kind kind, const char *file,
		      struct cpu_source *cpu)
{
	const struct pmu *pmu = &sources->pmus[kind];
	_cleanup_cpuset_ struct cpuset together = { 0 };
	uint32_t counting;
	int err;

	if (pmu->missing)
		return 0;
	err = files_read_cpus(sources->files, files_cpu_path(cpu->cpu, "%s", file).text, &together);
	if (err == -ENOMEM || (err && cpuset_add(&together, cpu->cpu)))
		return -ENOMEM;
	counting = find_counting(pmu, &together);
	if (counting == CPUSET_NONE)
		return 0;
	return add_group(sources, kind, counting, &cpu->groups[kind]);
}

static int add_groups_of_cpu(struct sources *sources, struct cpu_source *cpu)
{
	int err = 0;

	if (!sources->pmus[PMU_MSR].missing)
		err = add_group(sources, PMU_MSR, cpu->cpu, &cpu->groups[PMU_MSR]);
	if (!err && !sources->pmus[PMU_USER_IDLE].missing)
		err = add_group(sources, PMU_USER_IDLE, cpu->cpu, &cpu->groups[PMU_USER_IDLE]);
	if (!err)
		err = add_shared(sources, PMU_CORE, "topology/thread_siblings_list", cpu);
	if (!err)
		err = add_shared(sources, PMU_MODULE, "topology/cluster_cpus_list", cpu);
	return err;
}

static int add_groups_of_package(struct sources *sources, struct package_source *package)
{
	static const enum pmu_kind kinds[] = { PMU_PACKAGE, PMU_POWER };
	const struct topology *topology = &sources->options.machine->topology;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct pmu *pmu = &sources->pmus[kinds[i]];
		uint32_t counting = CPUSET_NONE;

		if (pmu->missing)
			continue;
		cpuset_foreach (cpu, &topology->online) {
			if (topology->places[cpu].package != package->package ||
			    (pmu->has_mask && !cpuset_has(&pmu->mask, cpu)))
				continue;
			counting = cpu;
			break;
		}
		if (counting != CPUSET_NONE &&
		    add_group(sources, kinds[i], counting, &package->groups[kinds[i]]))
			return -ENOMEM;
	}
	return 0;
}

/* Why the kernel refuses to open a counter. */
static const char *explain_refusal(struct sources *sources, enum pmu_kind kind, int err)
{
	_cleanup_free_ char *paranoid = NULL;

	if (err == -EMFILE)
		return sources_keep(sources, "more files would have to be open than the limit "
					     "allows: raise it (ulimit -Hn)");
	if (err != -EACCES && err != -EPERM)
		return sources_keep(sources, "PMU %s cannot be opened: %s", pmu_names[kind],
				    strerror(-err));
	if (files_read_line(sources->files, PARANOID, &paranoid) || !*paranoid ||
	    strlen(paranoid) > strlen("-1"))
		return sources_keep(sources, "counters of a CPU need CAP_PERFMON");
	if (strcmp(paranoid, "0") == 0 || paranoid[0] == '-')
		return sources_keep(sources,
				    "perf_event_open is refused, although perf_event_paranoid is "
				    "%s: lockdown or a container",
				    paranoid);
	return sources_keep(sources,
			    "perf_event_paranoid is %s: counters of a CPU need CAP_PERFMON, or "
			    "sysctl kernel.perf_event_paranoid=0",
			    paranoid);
}

/* Opens the events of a group that can be opened. */
static void open_group(struct sources *sources, struct group *group)
{
	struct pmu *pmu = &sources->pmus[group->kind];

	for (size_t i = 0; i < pmu->n_events && !group->missing; i++) {
		int handle;

		if (!pmu->has[i])
			continue;
		handle = perf_open_cpu(sources->perf, &pmu->events[i], group->cpu, group->leader);
		if (handle >= 0) {
			group->handles[i] = handle;
			group->at[i] = group->n_open++;
			group->leader = group->leader < 0 ? handle : group->leader;
		} else if (group->leader < 0) {
			group->missing = explain_refusal(sources, group->kind, handle);
		} else if (!pmu->reasons[i]) {
			pmu->reasons[i] = explain_refusal(sources, group->kind, handle);
		}
	}
}

enum group_use { GROUP_OPEN, GROUP_READ, GROUP_WATCH, GROUP_CLOSE };

struct pinned_use {
	struct sources *sources;
	uint32_t cpu;
	enum group_use use;
};

static void close_group(struct sources *sources, struct group *group)
{
	/* close the leader last: the group exists until then */
	for (size_t i = PERF_GROUP_MAX; i-- > 0;)
		perf_close(sources->perf, &group->handles[i]);
	group->leader = -1;
}

/* If a kernel does not notice that an energy counter wraps to 0, its count decreases. */
static void read_group(struct sources *sources, struct group *group)
{
	struct group_reading *reading = &group->reading;
	struct perf_counts last = reading->counts;

	reading->now_ns = sources->workload->ops->now_ns(sources->workload);
	reading->error = group->leader < 0 ? -ENODATA
					   : perf_read_group(sources->perf, group->leader,
							     group->n_open, &reading->counts);
	for (size_t i = 0; i < group->n_open && !reading->error && group->kind == PMU_POWER; i++)
		reading->n_lost += (int64_t)(reading->counts.values[i] - last.values[i]) < 0;
}

static void use_groups(struct pinned_use *use, bool is_pinned)
{
	struct sources *sources = use->sources;

	for (size_t i = 0; i < sources->n_groups; i++) {
		struct group *group = &sources->groups[i];

		if (is_pinned ? group->cpu != use->cpu
			      : cpuset_has(sources->options.isolated, group->cpu))
			continue;
		if (use->use == GROUP_OPEN)
			open_group(sources, group);
		else if (use->use == GROUP_CLOSE)
			close_group(sources, group);
		else if (use->use == GROUP_READ || group->kind == PMU_POWER)
			read_group(sources, group);
	}
}

static void use_pinned(void *data)
{
	use_groups(data, true);
}

/* The groups of isolated CPUs cannot be used: no thread may run there. */
static void refuse_pinned(struct pinned_use *use, int err)
{
	struct sources *sources = use->sources;

	for (size_t i = 0; i < sources->n_groups; i++) {
		if (sources->groups[i].cpu != use->cpu)
			continue;
		if (use->use == GROUP_READ || use->use == GROUP_WATCH)
			sources->groups[i].reading.error = err;
		else if (use->use == GROUP_CLOSE)
			close_group(sources, &sources->groups[i]);
		else
			sources->groups[i].missing =
				sources_keep(sources,
					     "no thread can run on CPU %u, which is "
					     "isolated: %s",
					     use->cpu, strerror(-err));
	}
}

/* Uses the groups of isolated CPUs from threads on these CPUs, and the others from this thread. */
static void use_all(struct sources *sources, enum group_use group_use)
{
	struct pinned_use use = { .sources = sources, .use = group_use };

	use_groups(&use, false);
	for (size_t i = 0; i < sources->n_cpus; i++) {
		int err;

		if (!sources->cpus[i].is_pinned)
			continue;
		use.cpu = sources->cpus[i].cpu;
		err = sources->workload->ops->run_on(sources->workload, use.cpu, use_pinned, &use);
		if (err)
			refuse_pinned(&use, err);
	}
}

int sources_open_groups(struct sources *sources)
{
	int err = find_pmus(sources);

	for (size_t i = 0; i < sources->n_packages && !err; i++)
		err = add_groups_of_package(sources, &sources->packages[i]);
	for (size_t i = 0; i < sources->n_cpus && !err; i++)
		err = add_groups_of_cpu(sources, &sources->cpus[i]);
	if (err)
		return err;
	use_all(sources, GROUP_OPEN);
	return sources->texts.has_failed ? -ENOMEM : 0;
}

void sources_close_groups(struct sources *sources)
{
	use_all(sources, GROUP_CLOSE);
	for (size_t i = 0; i < PMU_KINDS; i++) {
		for (size_t j = 0; j < PERF_GROUP_MAX; j++)
			free(sources->pmus[i].names[j]);
		cpuset_done(&sources->pmus[i].mask);
	}
	free(sources->groups);
	sources->groups = NULL;
	sources->n_groups = 0;
}

void sources_read_groups(struct sources *sources, struct group_reading *readings)
{
	use_all(sources, GROUP_READ);
	for (size_t i = 0; i < sources->n_groups; i++)
		readings[i] = sources->groups[i].reading;
}

void sources_watch_power(struct sources *sources)
{
	use_all(sources, GROUP_WATCH);
}
