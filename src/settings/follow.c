// SPDX-License-Identifier: GPL-2.0-only
/* Plans how Linux follows a level change (commands.md, "perf-profile (SST-PP)"; hardware.md,
 * sections 5 to 7). CPUs come online before others go offline, so the machine never has fewer CPUs
 * than either level; limits are opened last. */
#include "settings/follow.h"

#include <errno.h>
#include <inttypes.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "settings/cgroup.h"
#include "settings/hotplug.h"
#include "settings/scaling.h"
#include "settings/uncore.h"
#include "settings/sst.h"

#define FAMILY_WITHOUT_UNCORE 19 /* its firmware controls the fabric (commands.md) */

static const struct location cpu0_group; /* 0-0-0 */

static void fail(struct follow_domain *domain, int err, const char *what, uint32_t cpu)
{
	if (domain->error)
		return;
	domain->error = err;
	domain->what = what;
	domain->cpu = cpu;
}

/* Why a part of a level's uncore range is unknown. */
enum uncore_reason { REPORTED_AS_ZERO, DRIVER_REFUSES, FIRMWARE_REFUSES };

#define BY_REASON(before, after)                                                       \
	{                                                                              \
		[REPORTED_AS_ZERO] = before "it is reported as 0" after,               \
		[DRIVER_REFUSES] = before "the driver does not report it" after,       \
		[FIRMWARE_REFUSES] = before "the firmware refuses to report it" after, \
	}

static const char *const range_notes[] =
	BY_REASON("its uncore frequency range is unknown, as ", "; the present one is kept");

static const char *const lower_notes[] =
	BY_REASON("the lower limit of its uncore frequency is unknown, as ",
		  "; the present one is kept, or lowered to the upper limit if it is above that");

/* Returns which part of a level's uncore range is not set, and why; or NULL. err: the result of
 * planning the range. */
static const char *find_uncore_note(const struct sst_level *level, bool has_directory, int err)
{
	const struct sst_fabric *uncore = &level->uncore;
	enum uncore_reason reason = level->uncore_error == -EINVAL ? DRIVER_REFUSES
				    : level->uncore_error          ? FIRMWARE_REFUSES
								   : REPORTED_AS_ZERO;

	if (err == -ENOENT && has_directory)
		return range_notes[reason];
	if (err == -ENOENT && (uncore->min_mhz || uncore->max_mhz))
		return "its uncore frequency range is not set: this kernel has no directory of its "
		       "own for it in /sys/devices/system/cpu/intel_uncore_frequency";
	if (!err && !uncore->min_mhz)
		return lower_notes[reason];
	if (!err && !uncore->max_mhz)
		return "the upper limit of its uncore frequency is unknown; the present one is "
		       "kept";
	return NULL;
}

static int plan_uncore(const struct follow *follow)
{
	struct machine *machine = follow->platform->machine;
	_cleanup_uncore_units_ struct uncore_units units = { 0 };
	int read_error;

	if (machine->identity.family == FAMILY_WITHOUT_UNCORE)
		return 0;
	read_error = uncore_read_units(machine->host->files, false, &units);
	if (read_error == -ENOMEM)
		return read_error;
	if (read_error == -ENOENT)
		read_error = 0;
	for (size_t i = 0; i < follow->count; i++) {
		struct follow_domain *domain = &follow->domains[i];
		const struct uncore_range range = {
			.package = domain->domain->package,
			.die = domain->domain->die,
			.power_domain = domain->domain->id,
			.min_mhz = domain->level->uncore.min_mhz,
			.max_mhz = domain->level->uncore.max_mhz,
		};
		bool has_directory;
		int err = uncore_plan_range(follow->changes, &units, read_error, &range,
					    &has_directory);

		if (err == -ENOMEM)
			return err;
		domain->uncore_note = find_uncore_note(domain->level, has_directory, err);
		if (err && err != -ENOENT)
			fail(domain, err, "uncore range", CPUSET_NONE);
	}
	return 0;
}

int follow_add_disabled(const struct platform *platform, const struct power_domain *domain,
			const struct sst_level *level, struct cpuset *cpus)
{
	_cleanup_cpuset_ struct cpuset disabled = { 0 };
	int err = cpuset_copy(&disabled, &domain->cpus);

	if (err)
		return err;
	cpuset_remove_all(&disabled, &level->enabled_cpus);
	cpuset_remove_all(&disabled, &platform->unknown_cores);
	return cpuset_add_all(cpus, &disabled);
}

/* Removes the groups of the domains. Their CPUs are released, or go offline now. The group of CPU
 * 0, which may be that of a domain, too, stays if the level does not enable CPU 0 (disables_cpu0),
 * or if CPU 0 is in another domain. */
static int plan_release(const struct follow *follow, bool disables_cpu0)
{
	const struct machine *machine = follow->platform->machine;
	bool have_cpu0 = false;
	int err = 0;

	for (size_t i = 0; i < follow->count; i++)
		have_cpu0 = have_cpu0 || cpuset_has(&follow->domains[i].domain->cpus, 0);
	if (!disables_cpu0 && have_cpu0)
		err = cgroup_plan_release(follow->changes, machine, &cpu0_group);
	for (size_t i = 0; i < follow->count && !err; i++) {
		const struct location owner = domains_location(follow->domains[i].domain);

		if (owner.package || owner.die || owner.power_domain)
			err = cgroup_plan_release(follow->changes, machine, &owner);
	}
	return err;
}

/* Isolates the CPUs of one domain that its level does not enable. */
static int isolate(const struct follow *follow, struct follow_domain *domain)
{
	const struct machine *machine = follow->platform->machine;
	const struct location owner = domains_location(domain->domain);
	_cleanup_cpuset_ struct cpuset disabled = { 0 };
	uint32_t taken;
	int err = follow_add_disabled(follow->platform, domain->domain, domain->level, &disabled);

	if (!err)
		err = cgroup_find_taken(machine->host->files, &disabled, &taken);
	if (err)
		return err;
	if (taken == CPUSET_NONE)
		return cgroup_plan_isolate(follow->changes, machine, &owner, &disabled);
	fail(domain, -EBUSY, "isolation (already isolated by another control group's partition)",
	     taken);
	return 0;
}

/* Takes CPUs offline, and finds CPUs that cannot go offline. The workaround isolates CPU 0, which
 * many kernels cannot take offline. */
static int plan_offline(const struct follow *follow, struct cpuset *off)
{
	const struct machine *machine = follow->platform->machine;
	bool disables_cpu0 = cpuset_has(off, 0);
	bool isolates_cpu0 = follow->cpu0_workaround && disables_cpu0;
	_cleanup_cpuset_ struct cpuset cpu0 = { 0 }, kept = { 0 };
	int err = plan_release(follow, disables_cpu0);

	if (!err && isolates_cpu0) {
		cpuset_remove(off, 0);
		err = cpuset_add(&cpu0, 0)
			      ? -ENOMEM
			      : cgroup_plan_isolate(follow->changes, machine, &cpu0_group, &cpu0);
	}
	if (!err)
		err = hotplug_plan_offline(follow->changes, machine, off, &kept);
	for (size_t i = 0; i < follow->count && !err; i++) {
		struct follow_domain *domain = &follow->domains[i];

		err = cpuset_copy(&domain->kept, &kept);
		cpuset_keep(&domain->kept, &domain->domain->cpus);
	}
	return err;
}

/* CPUs that the levels enable come online; other CPUs go offline, or are isolated. */
static int plan_cpus(struct follow *follow)
{
	const struct machine *machine = follow->platform->machine;
	_cleanup_cpuset_ struct cpuset on = { 0 }, off = { 0 };
	int err;

	for (size_t i = 0; i < follow->count; i++) {
		const struct follow_domain *domain = &follow->domains[i];

		if (cpuset_add_all(&on, &domain->level->enabled_cpus) ||
		    follow_add_disabled(follow->platform, domain->domain, domain->level, &off))
			return -ENOMEM;
	}
	if (follow->returning)
		cpuset_keep(&on, follow->returning);
	err = hotplug_plan_online(follow->changes, machine, &on);
	if (!err)
		err = sst_plan_trl_again(&(struct setting_environment){ follow->platform, machine,
									follow->changes },
					 NULL);
	if (!err && (follow->cgroup || follow->cpu0_workaround)) {
		err = cgroup_check(machine->host->files, &follow->problem);
		if (err && err != -ENOTSUP)
			follow->problem = "/sys/fs/cgroup";
	}
	if (err)
		return err;
	if (!follow->cgroup)
		return plan_offline(follow, &off);
	for (size_t i = 0; i < follow->count && !err; i++)
		err = isolate(follow, &follow->domains[i]);
	return err;
}

/* Opens the upper limits that would keep CPUs below the new base frequency; skips threads that stay
 * offline. If no CPU has cpufreq, no limit is opened; if only some CPUs lack the files, this is an
 * error. */
static int plan_limits(const struct follow *follow)
{
	const struct machine *machine = follow->platform->machine;
	_cleanup_cpuset_ struct cpuset threads = { 0 }, missing = { 0 };
	bool is_turbo_off;
	int err = scaling_read_turbo(machine->host->files, &is_turbo_off);

	for (size_t i = 0; i < follow->count && err; i++)
		fail(&follow->domains[i], err, CPUFREQ_NO_TURBO, CPUSET_NONE);
	if (err)
		return 0;
	err = topology_find_threads(&machine->topology, &threads);
	for (size_t i = 0; i < follow->count && !err; i++) {
		struct follow_domain *domain = &follow->domains[i];
		uint32_t base_khz = domain->level->base_mhz * KHZ_PER_MHZ;

		cpuset_foreach (cpu, &domain->level->enabled_cpus) {
			bool is_online = cpuset_has(&machine->topology.online, cpu);

			if (cpuset_has(&threads, cpu) || (!is_online && follow->returning &&
							  !cpuset_has(follow->returning, cpu)))
				continue;
			err = scaling_plan_open_max(follow->changes, machine, cpu, base_khz,
						    is_turbo_off);
			if (err == -ENOENT)
				err = cpuset_add(&missing, cpu);
			if (err == -ENOMEM)
				return err;
			if (err)
				fail(domain, err, "frequency limits", cpu);
			err = 0;
		}
	}
	if (err || cpuset_is_empty(&missing) || !scaling_is_available(machine))
		return err;
	for (size_t i = 0; i < follow->count; i++) {
		cpuset_foreach (cpu, &follow->domains[i].domain->cpus) {
			if (cpuset_has(&missing, cpu))
				fail(&follow->domains[i], -ENOENT, "scaling_max_freq", cpu);
		}
	}
	return 0;
}

int follow_plan(struct follow *follow)
{
	int err = 0;

	follow_domains_done(follow->domains, follow->count);
	if (follow->parts & FOLLOW_UNCORE)
		err = plan_uncore(follow);
	if (!err && follow->parts & FOLLOW_CPUS)
		err = plan_cpus(follow);
	if (!err && follow->parts & FOLLOW_LIMITS)
		err = plan_limits(follow);
	return err;
}

void follow_domains_done(struct follow_domain *domains, size_t count)
{
	for (size_t i = 0; i < count && domains; i++)
		cpuset_done(&domains[i].kept);
}

char *follow_describe_kept(const struct platform *platform, uint32_t cpu, uint32_t level)
{
	if (hotplug_has_file(platform->machine, cpu) > 0)
		return text_format("performance level %" PRIu32 " does not enable CPU %" PRIu32
				   ", which stays online: it is the last CPU of this machine",
				   level, cpu);
	return text_format("performance level %" PRIu32 " does not enable CPU %" PRIu32
			   ", which stays online: this kernel has no "
			   "/sys/devices/system/cpu/cpu%" PRIu32
			   "/online to take it offline by; %s--cgroupv2 isolates it",
			   level, cpu, cpu, cpu == 0 ? "--cpu0-workaround or " : "");
}
