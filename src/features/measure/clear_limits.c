// SPDX-License-Identifier: GPL-2.0-only
/* Clears the limit reasons of the hardware before a measurement. Reasons that are set afterwards
 * are new (measure.md, "Sources, rights, traps"). */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "features/measure/common.h"
#include "host/change_log.h"
#include "instruments/limit_reasons.h"
#include "run/context.h"

static void report_failure(struct context *context, const char *path, int err)
{
	if (err == -EACCES)
		context_refuse(context, NULL, "--clear-limits: %s may be used by root only", path);
	else if (err == -EPERM)
		context_refuse(context, NULL,
			       "--clear-limits: %s: the kernel does not permit it, as under "
			       "lockdown",
			       path);
	else
		context_refuse(context, NULL, "--clear-limits: %s: %s", path, strerror(-err));
}

static void send_line(struct context *context, size_t n_files)
{
	const struct globals *globals = context->request->globals;

	change_log_send(context->request->host, globals->argc, globals->argv,
			"clears the limit reasons of %zu power domain%s", n_files,
			n_files == 1 ? "" : "s");
}

int measurement_clear_limits(struct measurement *measurement, bool logs)
{
	struct context *context = measurement->context;
	struct files *files = context->machine->host->files;
	_cleanup_(files_free_names) char **paths = NULL;
	size_t n_cleared = 0;
	int err;

	if (context->request->globals->dry_run) {
		context_note(context, NULL, "--clear-limits: limit reasons are not cleared");
		return 0;
	}
	err = limit_reasons_find(files, &paths);
	if (err == -ENOMEM)
		return err;
	if (err == -ENOENT || (!err && !paths[0])) {
		context_lack(context, NULL,
			     "--clear-limits: " SOURCES_NO_LIMITS " (" LIMIT_REASONS_DIRECTORY
			     "/tpmi-*/plr)");
		return 0;
	}
	if (err)
		report_failure(context, LIMIT_REASONS_DIRECTORY, err);
	for (char **path = paths; !err && *path; path++) {
		err = limit_reasons_clear(files, *path);
		if (err)
			report_failure(context, *path, err);
		else
			n_cleared++;
	}
	if (n_cleared && logs)
		send_line(context, n_cleared);
	measurement->job.sources.limits_are_clear = !err;
	return err == -ENOMEM ? err : 0;
}
