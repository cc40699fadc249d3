// SPDX-License-Identifier: GPL-2.0-only
/* --all-cpus-online: CPUs come online by the first changes of the command, so that a failure takes
 * them offline again. Before that a trial run plans the command for the CPUs that will be online:
 * it finds problems before anything is written, and is what a dry run shows. */
#include "run/online.h"

#include <errno.h>

#include "base/cleanup.h"
#include "host/cpu_map.h"
#include "settings/hotplug.h"

#define SMT_OFF "since SMT is off (/sys/devices/system/cpu/smt/control)"

void online_note_threads(struct context *context)
{
	const struct topology *topology = &context->machine->topology;
	_cleanup_cpuset_ struct cpuset threads = { 0 };
	_cleanup_free_ char *list = NULL;

	if (topology_find_threads(topology, &threads) || cpuset_is_empty(&threads))
		return;
	list = cpuset_format_ranges(&threads);
	if (cpuset_is_empty(&topology->coming))
		context_note(
			context, NULL,
			"--all-cpus-online: only second threads of cores are offline, and they "
			"stay so, " SMT_OFF);
	else
		context_note(context, NULL,
			     "--all-cpus-online: CPUs %s are second threads of cores, and stay "
			     "offline, " SMT_OFF,
			     list ?: "");
}

int online_plan(struct context *context)
{
	struct topology *topology = &context->machine->topology;
	_cleanup_cpuset_ struct cpuset threads = { 0 };

	if (topology_find_threads(topology, &threads) ||
	    cpuset_copy(&topology->coming, &topology->present))
		return -ENOMEM;
	cpuset_remove_all(&topology->coming, &topology->online);
	cpuset_remove_all(&topology->coming, &threads);
	return hotplug_plan_online(context->plan, context->machine, &topology->coming);
}

/* In a dry run: notes the CPUs of which nothing can be shown. */
static int note_unknown(struct context *context)
{
	const struct topology *topology = &context->machine->topology;
	const struct platform *platform = context->platform;
	_cleanup_cpuset_ struct cpuset unknown = { 0 };
	_cleanup_free_ char *list = NULL;

	if (cpuset_copy(&unknown, &topology->coming))
		return -ENOMEM;
	cpuset_remove_all(&unknown, &topology->online);
	for (size_t i = 0; platform && i < platform->domains.n_domains; i++) {
		const struct power_domain *domain = &platform->domains.domains[i];

		/* nothing can be planned before one of its CPUs is online */
		if (domain->cpu == CPUSET_NONE && !platform->shows_power_domains &&
		    cpuset_add_all(&unknown, &domain->cpus))
			return -ENOMEM;
	}
	if (cpuset_is_empty(&unknown))
		return 0;
	list = cpuset_format_ranges(&unknown);
	context_note(context, NULL,
		     "CPUs %s are offline: what is written for them, or for their power domains, "
		     "is known only when they are online, and is not shown",
		     list ?: "");
	return 0;
}

int online_expect(struct context *context)
{
	struct machine *machine = context->machine;
	struct topology *topology = &machine->topology;
	_cleanup_cpuset_ struct cpuset expected = { 0 };

	/* As platform_open() does. Without a valid map the packages and cores of offline CPUs stay
	 * unknown. */
	if (!context->platform &&
	    cpu_map_apply(machine->host->files, machine->host->run_directory, topology) == -ENOMEM)
		return -ENOMEM;
	if (cpuset_copy(&expected, &topology->coming))
		return -ENOMEM;
	if (context->platform)
		cpuset_keep(&expected, &topology->placed);
	if (cpuset_add_all(&topology->online, &expected))
		return -ENOMEM;
	return note_unknown(context);
}

/* The lowest CPU that will be online in the domain of a CPU: requests name the domain by it. */
static uint32_t find_naming_cpu(const struct context *context, uint32_t cpu)
{
	const struct power_domain *domain = domains_find(&context->platform->domains, cpu);

	cpuset_foreach (other, &domain->cpus) {
		if (cpuset_has(&context->machine->topology.online, other))
			return other;
	}
	return cpu;
}

void online_name_cpus(struct context *context)
{
	size_t count;
	const struct change *changes = change_list_get(context->plan, &count);

	for (size_t i = 0; i < count; i++) {
		uint32_t cpu = changes[i].location.cpu;

		if (changes[i].target.ops->is_named_by_cpu)
			change_list_set_cpu(context->plan, i,
					    cpu != LOCATION_NO_CPU
						    ? cpu
						    : find_naming_cpu(context,
								      changes[i].target.cpu));
	}
}
