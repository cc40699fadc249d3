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

/* Puts a note with a list of CPUs in it. */
static void note_cpus(struct output *output, const char *before, const struct cpuset *cpus,
		      const char *after)
{
	_cleanup_free_ char *list = NULL;
	size_t length;
	FILE *to = open_memstream(&list, &length);

	if (!to)
		return;
	cpuset_write_ranges(cpus, to);
	if (fclose(to) == 0)
		output_note(output, "%s%s%s", before, list, after);
}

/* What counts and lists will not show (hardware.md, section 5). */
static void note_missing(struct context *context)
{
	const struct topology *topology = &context->machine->topology;
	_cleanup_cpuset_ struct cpuset lost = { 0 };

	if (cpuset_copy(&lost, &topology->present))
		return;
	cpuset_remove_all(&lost, &topology->placed);
	if (!cpuset_is_empty(&lost))
		note_cpus(context->output, "CPUs ", &lost,
			  " are offline, and no map of this boot tells where they belong; they are "
			  "missing from counts and lists");
	if (!cpuset_is_empty(&context->platform->unknown_cores))
		note_cpus(context->output, "the driver tells no core for CPUs ",
			  &context->platform->unknown_cores, "; they are missing from lists");
}

static enum status run_command(const struct dispatch *dispatch, struct context *context)
{
	const struct globals *globals = dispatch->globals;
	const struct cpuset *cpus = cpuset_is_empty(&globals->cpus) ? NULL : &globals->cpus;
	unsigned int flags = dispatch->command->flags;
	int err;

	if (context->platform->bios_fixed && !(flags & COMMAND_ON_BIOS_FIXED)) {
		context_lack(
			context, NULL,
			"%s: on this platform everything is set in BIOS; there are perf-profile "
			"info and base-freq info",
			dispatch->name);
		return context_status(context);
	}
	output_set_mask_words(context->output, topology_mask_words(&context->machine->topology));
	err = context_choose_targets(context, cpus);
	if (!err && !context->tally.usage) {
		if (flags & COMMAND_SHOWS_CPUS)
			note_missing(context);
		err = dispatch->command->run(context, dispatch->arguments);
	}
	if (err)
		return report(context->output, err, NULL);
	return context_status(context);
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

	if (dispatch->globals->debug)
		options.trace = output_shares(dispatch->output, stdout) ? stderr : stdout;
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
