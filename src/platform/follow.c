// SPDX-License-Identifier: GPL-2.0-only
/*
 * The part of a level change that is Linux's (commands.md, "perf-profile (SST-PP)"; hardware.md,
 * sections 5 to 7). CPUs come online before others go, so that the machine is never left with
 * fewer than either level has; limits are opened last.
 */
#include "platform/follow.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "plan/cgroup.h"
#include "plan/hotplug.h"
#include "plan/scaling.h"
#include "plan/uncore.h"

#define KHZ_PER_MHZ           1000
#define FAMILY_WITHOUT_UNCORE 19 /* its firmware looks after the fabric (commands.md) */

static const struct cgroup_owner cpu0_group; /* 0-0-0 */

static void fail(struct follow_domain *domain, int err, const char *what, uint32_t cpu)
{
	if (domain->error)
		return;
	domain->error = err;
	domain->what = what;
	domain->cpu = cpu;
}

/* Why a part of a level's uncore range is not known. */
enum uncore_reason { REPORTED_AS_ZERO, DRIVER_REFUSES, FIRMWARE_REFUSES };

#define BY_REASON(before, after)                                                       \
	{                                                                              \
		[REPORTED_AS_ZERO] = before "it is reported as 0" after,               \
		[DRIVER_REFUSES] = before "the driver does not report it" after,       \
		[FIRMWARE_REFUSES] = before "the firmware refuses to report it" after, \
	}

static const char *const range_notes[] =
	BY_REASON("its uncore frequency range is not known, as ", "; the present one is kept");

static const char *const lower_notes[] =
	BY_REASON("the lower limit of its uncore frequency is not known, as ",
		  "; the present one is kept, or lowered to the upper limit if it is above that");

static enum uncore_reason find_reason(const struct sst_level *level)
{
	if (level->uncore_error == -EINVAL)
		return DRIVER_REFUSES;
	return level->uncore_error ? FIRMWARE_REFUSES : REPORTED_AS_ZERO;
}

/* What of a level's uncore range is not set, err being what planning it returned. */
static const char *find_uncore_note(const struct platform *platform, const struct sst_level *level,
				    const struct uncore_range *range, int err)
{
	const struct sst_fabric *uncore = &level->uncore;

	if (err == -ENOENT && uncore_has_directory(platform->machine, range))
		return range_notes[find_reason(level)];
	if (err == -ENOENT && (uncore->min_mhz || uncore->max_mhz))
		return "its uncore frequency range is not set: this kernel has no directory for it "
		       "in /sys/devices/system/cpu/intel_uncore_frequency";
	if (!err && !uncore->min_mhz)
		return lower_notes[find_reason(level)];
	if (!err && !uncore->max_mhz)
		return "the upper limit of its uncore frequency is not known; the present one is "
		       "kept";
	return NULL;
}

static int plan_uncore(const struct platform *platform, struct plan *plan,
		       struct follow_domain *domains, size_t count)
{
	if (platform->machine->identity.family == FAMILY_WITHOUT_UNCORE)
		return 0;
	for (size_t i = 0; i < count; i++) {
		const struct power_domain *domain = domains[i].domain;
		const struct sst_fabric *uncore = &domains[i].level->uncore;
		const struct uncore_range range = {
			.package = domain->package,
			.die = domain->die,
			.power_domain = domain->id,
			.min_mhz = uncore->min_mhz,
			.max_mhz = uncore->max_mhz,
		};
		int err = uncore_plan_range(plan, platform->machine, &range);

		if (err == -ENOMEM)
			return err;
		domains[i].uncore_note = find_uncore_note(platform, domains[i].level, &range, err);
		if (err && err != -ENOENT)
			fail(&domains[i], err, "uncore range", CPUSET_NONE);
	}
	return 0;
}

/* Adds the CPUs of a domain that its level does not enable: not those whose core is unknown. */
static int add_disabled(const struct platform *platform, const struct follow_domain *domain,
			struct cpuset *set)
{
	_cleanup_cpuset_ struct cpuset disabled = { 0 };
	int err = cpuset_copy(&disabled, &domain->domain->cpus);

	cpuset_remove_all(&disabled, &domain->level->enabled_cpus);
	cpuset_remove_all(&disabled, &platform->unknown_cores);
	return err ?: cpuset_add_all(set, &disabled);
}

static int find_disabled(const struct platform *platform, const struct follow_domain *domains,
			 size_t count, struct cpuset *ret_set)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = add_disabled(platform, &domains[i], ret_set);
	return err;
}

/* Those that the levels enable; where returning is given, of these those alone. */
static int find_enabled(const struct follow_domain *domains, size_t count,
			const struct cpuset *returning, struct cpuset *ret_set)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = cpuset_add_all(ret_set, &domains[i].level->enabled_cpus);
	if (returning)
		cpuset_keep(ret_set, returning);
	return err;
}

static struct cgroup_owner owner_of(const struct power_domain *domain)
{
	return (struct cgroup_owner){
		.package = domain->package,
		.die = domain->die,
		.power_domain = domain->id,
	};
}

/*
 * CPU 0 cannot go offline on many kernels: it is isolated, and taken out of what goes offline. Its
 * group may be that of a domain, too.
 */
static int plan_cpu0(const struct platform *platform, struct plan *plan, struct cpuset *off)
{
	_cleanup_cpuset_ struct cpuset cpu0 = { 0 };
	int err;

	cpuset_remove(off, 0);
	err = cpuset_add(&cpu0, 0);
	return err ?: cgroup_plan_isolate(plan, platform->machine, &cpu0_group, &cpu0);
}

static bool is_cpu0_group(const struct cgroup_owner *owner)
{
	return owner->package == cpu0_group.package && owner->die == cpu0_group.die &&
	       owner->power_domain == cpu0_group.power_domain;
}

static bool have_cpu0(const struct follow_domain *domains, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (cpuset_has(&domains[i].domain->cpus, 0))
			return true;
	}
	return false;
}

/*
 * Removes the groups of the domains, whose CPUs come back or go offline now. The group of CPU 0
 * stays if the level does not enable CPU 0 (disables_cpu0), or if CPU 0 is in another domain.
 */
static int plan_release(const struct platform *platform, struct plan *plan,
			const struct follow_domain *domains, size_t count, bool disables_cpu0)
{
	int err = 0;

	if (!disables_cpu0 && have_cpu0(domains, count))
		err = cgroup_plan_release(plan, platform->machine, &cpu0_group);
	for (size_t i = 0; i < count && !err; i++) {
		const struct cgroup_owner owner = owner_of(domains[i].domain);

		if (!is_cpu0_group(&owner))
			err = cgroup_plan_release(plan, platform->machine, &owner);
	}
	return err;
}

static int isolate(const struct platform *platform, struct plan *plan, struct follow_domain *follow)
{
	const struct cgroup_owner owner = owner_of(follow->domain);
	_cleanup_cpuset_ struct cpuset disabled = { 0 };
	int err = add_disabled(platform, follow, &disabled);
	uint32_t taken = CPUSET_NONE;

	err = err ?: cgroup_find_taken(platform->machine->host->files, &disabled, &taken);
	if (!err && taken != CPUSET_NONE)
		fail(follow, -EBUSY, "isolation (it is in another control group's partition)",
		     taken);
	if (err || taken != CPUSET_NONE)
		return err;
	return cgroup_plan_isolate(plan, platform->machine, &owner, &disabled);
}

static int check_cgroup(const struct platform *platform, const char **ret_problem)
{
	int err = cgroup_check(platform->machine->host->files, ret_problem);

	if (err && err != -ENOTSUP)
		*ret_problem = "/sys/fs/cgroup";
	return err;
}

static int plan_cpus(const struct platform *platform, struct plan *plan,
		     struct follow_domain *domains, size_t count,
		     const struct follow_options *options, const char **ret_problem)
{
	_cleanup_cpuset_ struct cpuset on = { 0 }, off = { 0 };
	int err = find_enabled(domains, count, options->returning, &on);

	err = err ?: find_disabled(platform, domains, count, &off);
	err = err ?: hotplug_plan_online(plan, platform->machine, &on);
	if (!err && (options->cgroup || options->cpu0_workaround))
		err = check_cgroup(platform, ret_problem);
	for (size_t i = 0; i < count && options->cgroup && !err; i++)
		err = isolate(platform, plan, &domains[i]);
	if (err || options->cgroup)
		return err;
	err = plan_release(platform, plan, domains, count, cpuset_has(&off, 0));
	if (!err && options->cpu0_workaround && cpuset_has(&off, 0))
		err = plan_cpu0(platform, plan, &off);
	return err ?: hotplug_plan_offline(plan, platform->machine, &off);
}

/*
 * Opens the upper limits that would hold CPUs below the new base frequency; threads stay offline.
 * CPUs without cpufreq files are added to missing.
 */
static int open_limits(const struct platform *platform, struct plan *plan,
		       struct follow_domain *domain, const struct cpuset *returning,
		       const struct cpuset *threads, const struct scaling_turbo *turbo,
		       struct cpuset *missing)
{
	const struct machine *machine = platform->machine;
	uint32_t base_khz = domain->level->base_mhz * KHZ_PER_MHZ;

	cpuset_foreach (cpu, &domain->level->enabled_cpus) {
		int err;

		if (cpuset_has(threads, cpu))
			continue;
		if (cpuset_has(&machine->topology.online, cpu))
			err = scaling_plan_open_max(plan, machine, cpu, base_khz, turbo);
		else if (!returning || cpuset_has(returning, cpu))
			err = scaling_plan_open_max_later(plan, machine, cpu, base_khz, turbo);
		else
			continue;
		if (err == -ENOENT)
			err = cpuset_add(missing, cpu);
		if (err == -ENOMEM)
			return err;
		if (err)
			fail(domain, err, "scaling_max_freq", cpu);
	}
	return 0;
}

/* Without cpufreq no limit is opened; a CPU without the files that others have is an error. */
static int plan_limits(const struct platform *platform, struct plan *plan,
		       struct follow_domain *domains, size_t count, const struct cpuset *returning)
{
	struct files *files = platform->machine->host->files;
	struct scaling_turbo turbo = scaling_read_turbo(files);
	_cleanup_cpuset_ struct cpuset threads = { 0 }, missing = { 0 };
	int err = topology_find_threads(files, &platform->machine->topology, &threads);

	for (size_t i = 0; i < count && !err; i++)
		err = open_limits(platform, plan, &domains[i], returning, &threads, &turbo,
				  &missing);
	if (err || cpuset_is_empty(&missing) || !scaling_is_available(platform->machine))
		return err;
	for (size_t i = 0; i < count; i++) {
		cpuset_foreach (cpu, &domains[i].domain->cpus) {
			if (cpuset_has(&missing, cpu))
				fail(&domains[i], -ENOENT, "scaling_max_freq", cpu);
		}
	}
	return 0;
}

int follow_plan(const struct platform *platform, struct plan *plan, struct follow_domain *domains,
		size_t count, const struct follow_options *options, const char **ret_problem)
{
	int err = 0;

	if (options->parts & FOLLOW_UNCORE)
		err = plan_uncore(platform, plan, domains, count);
	if (!err && options->parts & FOLLOW_CPUS)
		err = plan_cpus(platform, plan, domains, count, options, ret_problem);
	if (err || !(options->parts & FOLLOW_LIMITS))
		return err;
	return plan_limits(platform, plan, domains, count, options->returning);
}

int follow_find_kept(const struct platform *platform, const struct plan *plan,
		     const struct follow_domain *domain, const struct follow_options *options,
		     struct cpuset *ret_kept)
{
	_cleanup_cpuset_ struct cpuset disabled = { 0 };
	int err;

	if (options->cgroup)
		return 0;
	err = add_disabled(platform, domain, &disabled);
	if (options->cpu0_workaround)
		cpuset_remove(&disabled, 0);
	return err ?: hotplug_find_kept(plan, platform->machine, &disabled, ret_kept);
}

char *follow_describe_kept(const struct platform *platform, uint32_t cpu, uint32_t level)
{
	bool is_last = hotplug_has_file(platform->machine, cpu) > 0;
	char *text;
	int length;

	if (is_last)
		length = asprintf(&text,
				  "performance level %" PRIu32 " does not enable CPU %" PRIu32
				  ", which stays online: it is the last CPU of this machine",
				  level, cpu);
	else
		length = asprintf(&text,
				  "performance level %" PRIu32 " does not enable CPU %" PRIu32
				  ", which stays online: this kernel has no "
				  "/sys/devices/system/cpu/cpu%" PRIu32
				  "/online to take it offline by; %s--cgroupv2 isolates it",
				  level, cpu, cpu, cpu == 0 ? "--cpu0-workaround or " : "");
	return length < 0 ? NULL : text;
}
