// SPDX-License-Identifier: GPL-2.0-only
/* The steps before and after a handler, the same for every command (commands.md). */
#include "cli/dispatch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/context.h"
#include "cli/progress.h"

static enum status report(struct output *output, int err, const char *message)
{
	output_error(output, "%s", message ?: strerror(-err));
	return status_from_errno(err);
}

static void put_banner(const struct machine *machine)
{
	printf("Intel(R) Speed Select Technology\n");
	printf("Executing on CPU model:%u[0x%x]\n", machine->identity.model,
	       machine->identity.model);
	fflush(stdout);
}

/* The CPUs as a new list with ranges, or NULL where memory is short. */
static char *list_cpus(const struct cpuset *cpus)
{
	char *list = NULL;
	size_t length;
	FILE *to = open_memstream(&list, &length);

	if (!to)
		return NULL;
	cpuset_write_ranges(cpus, to);
	if (fclose(to) == 0)
		return list;
	free(list);
	return NULL;
}

/* Notes the offline CPUs of which nobody knows where they are (hardware.md, section 5). */
static void note_unplaced(const struct context *context)
{
	const struct topology *topology = &context->machine->topology;
	_cleanup_cpuset_ struct cpuset lost = { 0 };
	_cleanup_free_ char *list = NULL;

	if (cpuset_copy(&lost, &topology->present))
		return;
	cpuset_remove_all(&lost, &topology->placed);
	if (cpuset_is_empty(&lost))
		return;
	list = list_cpus(&lost);
	output_note(
		context->output,
		"CPUs %s are offline, and no map of this boot tells where they belong; they are "
		"missing from counts and lists",
		list ?: "");
}

/* Cascade Lake-N tells priorities by cpufreq, which is silent for offline CPUs. */
static void note_unknown_priority(const struct context *context)
{
	const struct topology *topology = &context->machine->topology;
	_cleanup_cpuset_ struct cpuset offline = { 0 };
	_cleanup_free_ char *list = NULL;

	if (!context->platform->bios_fixed || cpuset_copy(&offline, &topology->placed))
		return;
	cpuset_remove_all(&offline, &topology->online);
	if (cpuset_is_empty(&offline))
		return;
	list = list_cpus(&offline);
	output_note(context->output,
		    "CPUs %s are offline: whether they are high-priority ones is not known",
		    list ?: "");
}

/*
 * A command that lists CPUs fails for the domains that have CPUs whose core nobody tells: their
 * lists are not whole. A domain of which no core is known is not shown at all.
 */
static void report_unknown_cores(struct context *context)
{
	for (size_t i = 0; i < context->n_domains; i++) {
		const struct power_domain *domain = context->domains[i];
		const struct target *target = context_find_target(context, i);
		_cleanup_cpuset_ struct cpuset lost = { 0 };
		_cleanup_free_ char *list = NULL;

		if (!target || cpuset_copy(&lost, &context->platform->unknown_cores))
			continue;
		cpuset_keep(&lost, &domain->cpus);
		if (cpuset_is_empty(&lost))
			continue;
		list = list_cpus(&lost);
		context_fail(context, target,
			     context->machine->topology.places[cpuset_next(&lost, 0)].core_error,
			     "CPUs %s are missing from lists, their cores are not known",
			     list ?: "");
		if (cpuset_equal(&lost, &domain->cpus))
			context_drop_domain(context, i);
	}
}

static enum status run_on_targets(const struct dispatch *dispatch, struct context *context)
{
	bool by_domain = cpuset_is_empty(&dispatch->globals->cpus);
	bool shows_cpus = dispatch->command->flags & COMMAND_SHOWS_CPUS;
	int err;

	if (context->n_targets == 0) {
		output_error(context->output, "no power domain with an online CPU was found");
		return STATUS_REFUSED;
	}
	if (by_domain || shows_cpus)
		note_unplaced(context);
	if (shows_cpus) {
		note_unknown_priority(context);
		report_unknown_cores(context);
	}
	err = dispatch->command->run(context, dispatch->arguments);
	if (err)
		return report(context->output, err, NULL);
	return context_status(context);
}

static enum status run_command(const struct dispatch *dispatch, struct context *context)
{
	const struct cpuset *cpus = &dispatch->globals->cpus;
	int err;

	if (context->platform->bios_fixed && !(dispatch->command->flags & COMMAND_ON_BIOS_FIXED)) {
		context_lack(
			context, NULL,
			"%s: on this platform everything is set in BIOS; there are perf-profile "
			"info and base-freq info",
			dispatch->name);
		return context_status(context);
	}
	output_set_mask_words(context->output, topology_mask_words(&context->machine->topology));
	err = context_choose_targets(context, cpuset_is_empty(cpus) ? NULL : cpus);
	if (err)
		return report(context->output, err, NULL);
	return context->tally.usage ? context_status(context) : run_on_targets(dispatch, context);
}

/* Where -d writes to: not into a JSON document, should all streams be one file. */
static FILE *choose_trace(const struct dispatch *dispatch)
{
	FILE *trace = output_shares(dispatch->output, stdout) ? stderr : stdout;

	if (!dispatch->globals->debug)
		return NULL;
	if (dispatch->globals->format.index == OUTPUT_JSON &&
	    output_shares(dispatch->output, trace)) {
		output_note(dispatch->output, "no trace: it would stand in the JSON document");
		return NULL;
	}
	return trace;
}

enum status dispatch_run(const struct dispatch *dispatch)
{
	struct context context = { .output = dispatch->output };
	_cleanup_free_ char *message = NULL;
	struct progress progress = progress_start(dispatch->globals->format.index != OUTPUT_JSON ||
						  !output_shares(dispatch->output, stderr));
	struct platform_options options = {
		.tries = dispatch->globals->tries.given
				 ? (unsigned int)dispatch->globals->tries.value
				 : GLOBALS_DEFAULT_TRIES,
		.pause_ms = (unsigned int)dispatch->globals->pause_ms.value,
		.progress = progress_update,
		.progress_data = &progress,
	};
	enum status status;
	int err;

	options.trace = choose_trace(dispatch);
	err = machine_open(dispatch->host, &context.machine, &message);
	if (err)
		return report(dispatch->output, err, message);
	if (dispatch->banner)
		put_banner(context.machine);
	err = platform_open(context.machine, &options, &context.platform, &message);
	status = err ? report(dispatch->output, err, message) : run_command(dispatch, &context);
	progress_end(&progress);
	context_done(&context);
	platform_close(&context.platform);
	machine_close(&context.machine);
	return status;
}
