// SPDX-License-Identifier: GPL-2.0-only
/* Bringing CPUs online is a plan like any other, and all of it or nothing (commands.md, -a). */
#include "cli/online.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/carry_out.h"
#include "cli/dry_run.h"
#include "cli/stop.h"
#include "plan/hotplug.h"

static bool is_interrupted(void *data)
{
	(void)data;
	return stop_is_asked();
}

static int carry_out(struct context *context, const struct plan *plan)
{
	const struct run_environment environment = {
		.files = context->machine->host->files,
		.is_interrupted = is_interrupted,
	};
	struct run_outcome outcome = { 0 };
	int err = carry_out_plan(context, plan, &environment, &outcome);

	run_outcome_done(&outcome);
	return err;
}

static int read_again(struct machine **machine)
{
	_cleanup_free_ char *message = NULL;
	struct machine *fresh = NULL;
	int err = machine_open((*machine)->host, &fresh, &message);

	if (err)
		return err;
	machine_close(machine);
	*machine = fresh;
	return 0;
}

enum status online_bring_all(struct context *context, struct machine **machine)
{
	_cleanup_cpuset_ struct cpuset offline = { 0 };
	_cleanup_plan_ struct plan *plan = NULL;
	int err = cpuset_copy(&offline, &(*machine)->topology.present);

	cpuset_remove_all(&offline, &(*machine)->topology.online);
	err = err ?: plan_new(&plan);
	err = err ?: hotplug_plan_online(plan, *machine, &offline);
	if (!err && context->dry_run)
		context->n_planned +=
			dry_run_put(context->output, plan, context->n_planned, context->each);
	else
		err = err ?: carry_out(context, plan);
	if (!err && !context->dry_run && context_status(context) == STATUS_DONE)
		err = read_again(machine);
	if (err) {
		output_error(context->output, "CPUs cannot be brought online: %s", strerror(-err));
		return STATUS_REFUSED;
	}
	return context_status(context);
}
