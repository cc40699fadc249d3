// SPDX-License-Identifier: GPL-2.0-only
/* Finds the CPUs that are now in the named sets of --cpu (commands.md, "Named sets of CPUs"). CPUs
 * given by number stay in the list, even if they are offline or missing: the next stages refuse
 * them as in a plain list. */
#include "run/context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "host/channel.h"

/* Describes the failure of a request to the platform. Returns the error. */
static int fail(const struct platform *platform, int err, const char *what, char **ret_message)
{
	struct target_cause cause = platform_find_cause(platform, err);

	*ret_message = text_format("%s cannot be read: %s", what, cause.text);
	return cause.error;
}

/* Without a platform, there is no Speed Select, or the user may not open the device. */
static int fail_without_platform(const struct context *context, char **ret_message)
{
	*ret_message = text_format("this set needs Speed Select: %s",
				   context->lacks_platform ?: strerror(ENOTSUP));
	return context->platform_error ?: -ENOTSUP;
}

/* Returns true if the CPU's CLOS can be read: through the CPU itself or, if that is offline,
 * through another CPU of its domain. */
static bool has_asker(const struct platform *platform, uint32_t cpu)
{
	const struct topology *topology = &platform->machine->topology;
	const struct power_domain *domain = domains_find(&platform->domains, cpu);

	return topology_can_ask(topology, cpu) ||
	       (domain && domain->cpu != CPUSET_NONE && topology_can_ask(topology, domain->cpu) &&
		topology->places[cpu].has_physical_cpu);
}

static int add_clos(void *data, uint32_t clos, struct cpuset *cpus, char **ret_message)
{
	const struct context *context = data;
	const struct platform *platform = context->platform;
	const struct topology *topology = &context->machine->topology;
	_cleanup_free_ struct platform_query *queries =
		calloc(cpuset_count(&topology->placed) + 1, sizeof(*queries));
	size_t count = 0;
	int err;

	if (!queries)
		return -ENOMEM;
	if (!platform)
		return fail_without_platform(context, ret_message);
	if (!platform->ops->target) {
		*ret_message = text_format("this machine has no CLOS: everything is set in BIOS");
		return -ENOTSUP;
	}
	cpuset_foreach (cpu, &topology->placed) {
		if (has_asker(platform, cpu))
			queries[count++].cpu = cpu;
	}
	err = platform_read_assoc(platform, queries, count);
	for (size_t i = 0; i < count && !err; i++) {
		if (queries[i].error && topology_can_ask(topology, queries[i].cpu))
			return fail(platform, queries[i].error, "the CLOS of a CPU", ret_message);
		if (!queries[i].error && queries[i].value.number == clos)
			err = cpuset_add(cpus, queries[i].cpu);
	}
	return err;
}

/* Reads SST-BF of the current level of each domain with an online CPU. */
static int read_base_freq(const struct context *context, struct platform_level_query *levels,
			  size_t *ret_count, char **ret_message)
{
	struct platform *platform = context->platform;
	const struct domain_list *domains = &platform->domains;
	_cleanup_free_ struct platform_pp_query *pps = calloc(domains->n_domains + 1, sizeof(*pps));
	size_t count = 0;
	int err;

	if (!pps)
		return -ENOMEM;
	for (size_t i = 0; i < domains->n_domains; i++) {
		uint32_t cpu = domains->domains[i].cpu;

		if (cpu != CPUSET_NONE && topology_can_ask(&context->machine->topology, cpu))
			pps[count++].domain = &domains->domains[i];
	}
	err = platform->ops->read_pp(platform, pps, count);
	for (size_t i = 0; i < count && !err; i++) {
		if (pps[i].error)
			return fail(platform, pps[i].error, "SST-PP status", ret_message);
		levels[i].domain = pps[i].domain;
		levels[i].level = pps[i].pp.current_level;
		levels[i].pp_enabled = pps[i].pp.enabled;
	}
	*ret_count = count;
	return err ?: platform->ops->read_levels(platform, PLATFORM_BASE_FREQ, levels, count);
}

static int add_base_freq(void *data, struct cpuset *cpus, char **ret_message)
{
	const struct context *context = data;
	const struct platform *platform = context->platform;
	_cleanup_free_ struct platform_level_query *levels = NULL;
	size_t count = 0;
	int err;

	if (!platform)
		return fail_without_platform(context, ret_message);
	levels = calloc(platform->domains.n_domains + 1, sizeof(*levels));
	if (!levels)
		return -ENOMEM;
	err = read_base_freq(context, levels, &count, ret_message);
	for (size_t i = 0; i < count && !err; i++) {
		const struct sst_level *level = &levels[i].info;

		if (levels[i].error)
			err = fail(platform, levels[i].error, levels[i].failed, ret_message);
		else if (level->base_freq_supported)
			err = cpuset_add_all(cpus, &level->base_freq.high_cpus);
	}
	for (size_t i = 0; i < count; i++)
		sst_level_done(&levels[i].info);
	return err;
}

/* Reports a set that could not be resolved, or is empty. If CPUs are about to come online, a
 * missing set is only a note: it is checked again when they are online. */
static void report(struct context *context, int err, const char *message)
{
	const char *option = context->request->globals->cpus.name;
	const struct topology *topology = &context->machine->topology;
	_cleanup_cpuset_ struct cpuset unplaced = { 0 };
	enum report_kind kind = err == -ENODATA || err == -ENOENT || err == -ENOTSUP
					? REPORT_UNSUPPORTED
					: report_kind_of(err);

	if (context->is_trial && (err == -ENODATA || err == -ENOENT) &&
	    !cpuset_copy(&unplaced, &topology->pending)) {
		cpuset_remove_all(&unplaced, &topology->placed);
		if (!cpuset_is_empty(&unplaced)) {
			context_note(context, NULL,
				     "%s %s; this is checked again when the CPUs are online",
				     option, message);
			return;
		}
	}
	context_report(context, NULL, kind, "%s %s", option, message);
}

int context_resolve_cpus(struct context *context)
{
	const struct option_cpus *given = &context->request->globals->cpus;
	struct topology *topology = &context->machine->topology;
	_cleanup_cpuset_ struct cpuset online = { 0 }, left_out = { 0 };
	_cleanup_free_ char *message = NULL, *after = NULL;
	const struct cpu_names_environment environment = {
		.files = context->machine->host->files,
		.topology = topology,
		.online = &online,
		.add_clos = add_clos,
		.add_base_freq = add_base_freq,
		.data = context,
	};
	int err;

	context->targets.requested_cpus = context->request->cpus;
	if (!context->request->cpus || given->names.count == 0)
		return 0;
	/* as platform_open() does */
	if (!context->platform && !cpuset_equal(&topology->present, &topology->placed) &&
	    cpu_map_apply(environment.files, context->machine->host->run_directory, topology) ==
		    -ENOMEM)
		return -ENOMEM;
	if (cpuset_copy(&online, &topology->online) || cpuset_add_all(&online, &topology->pending))
		return -ENOMEM;
	err = cpu_names_resolve(&given->names, &environment, &context->targets.named_cpus,
				&left_out, &message);
	if (err == -ENOMEM)
		return err;
	context->targets.requested_cpus = &context->targets.named_cpus;
	if (err) {
		report(context, err, message ?: strerror(-err));
		return 0;
	}
	after = text_format(" of %s are offline, and are left out", given->name);
	context_report_cpus(context, REPORT_NOTE, "CPUs ", &left_out, after ?: "");
	return 0;
}
