// SPDX-License-Identifier: GPL-2.0-only
/* Takes the machine's lock for a setting command. Before anything is planned, undoes what a killed
 * command or measurement has left half done. */
#include "run/writer.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "state/assumption.h"
#include "state/recovery.h"

enum status writer_end_stopped(struct context *context, bool has_written)
{
	report_add(&context->report, REPORT_REFUSED, "a stop was requested");
	if (!has_written)
		context_note(context, NULL, "nothing had been changed before that");
	return STATUS_REFUSED;
}

/* Reports that another process holds the lock. */
static enum status report_holder(struct context *context, const char *holder)
{
	enum recovery_state state;
	_cleanup_free_ char *owner = recovery_describe(context->request->host, &state);
	bool is_measurement = state == RECOVERY_TEMPORARY && owner;

	report_add(&context->report, REPORT_REFUSED,
		   "another instance is setting this machine: %s%s%s", holder ?: "another process",
		   is_measurement ? ", for a while: " : "", is_measurement ? owner : "");
	context->attempt.is_busy = true;
	return STATUS_BUSY;
}

/* A user with the capability who may not write to the run directory gets a note and no lock. */
enum status writer_take_lock(struct context *context, struct lock **ret_lock)
{
	const char *directory = context->request->host->run_directory;
	struct report *report = &context->report;
	_cleanup_free_ char *holder = NULL, *problem = NULL;
	int err = lock_take(directory, context->attempt.is_later ? 0 : LOCK_WAIT_MS,
			    context->plan.execution.environment.stop, ret_lock, &holder);

	switch (err) {
	case 0:
		return STATUS_DONE;
	case -EACCES:
		report_add(report, REPORT_NOTE,
			   "no lock could be acquired in %s (%s): another instance could set this "
			   "machine at the same time",
			   directory, strerror(-err));
		return STATUS_DONE;
	case -EINTR:
		return writer_end_stopped(context, false);
	case -EBUSY:
		return report_holder(context, holder);
	}
	problem = lock_problem(directory, err);
	report_add(report, REPORT_REFUSED, "the lock in %s cannot be acquired: %s", directory,
		   problem ?: strerror(-err));
	return status_from_errno(err);
}

#define NOT_LISTED "the writes of the command itself are not listed: "

/* A dry run lists what the command would first undo of an interrupted command. It plans from the
 * state after undoing, but not if that state is unknown. */
static void preview_undoing(struct context *context, const char *owner)
{
	struct execution *execution = &context->plan.execution;
	_cleanup_recovery_ struct recovery recovery = { 0 };

	recovery_preview(context->request->host, &recovery, &execution->assumption);
	execution->has_recovered = true;
	execution->unended = recovery.unended;
	execution->is_unlisted = false;
	context_note(context, NULL, "the command would first undo the interrupted command (%s): %s",
		     owner, recovery.undone ?: "nothing");
	if (recovery.changed)
		context_note(context, NULL, RECOVERY_CHANGED_TEXT, owner, recovery.changed);
	if (recovery.failed)
		context_refuse(context, NULL,
			       NOT_LISTED "it would end before them, with something not undone: %s",
			       recovery.failed);
	else if (recovery.unassumed)
		context_refuse(context, NULL,
			       NOT_LISTED "they depend on the state after that, and undoing %s "
					  "changes other settings, too",
			       recovery.unassumed);
}

bool writer_knows_state(struct context *context)
{
	struct execution *execution = &context->plan.execution;
	const char *unknown = assumption_find_unknown(execution->assumption);

	if (unknown && !execution->is_unlisted)
		context_refuse(context, NULL,
			       NOT_LISTED "they depend on %s, which may change when the "
					  "interrupted command is undone",
			       unknown);
	execution->is_unlisted = unknown;
	return !unknown;
}

void writer_note_others(struct context *context)
{
	bool is_dry = context->request->writes && context->request->globals->dry_run;
	enum recovery_state state;
	_cleanup_free_ char *owner = recovery_describe(context->request->host, &state);

	switch (state) {
	case RECOVERY_NONE:
	case RECOVERY_RUNNING:
		break;
	case RECOVERY_UNUSABLE:
		if (is_dry)
			context_refuse(context, NULL, "%s", owner ?: strerror(ENOMEM));
		else
			context_note(context, NULL, "%s", owner ?: strerror(ENOMEM));
		break;
	case RECOVERY_TEMPORARY:
		context_note(context, NULL, "settings are changed for a while by %s", owner ?: "?");
		break;
	case RECOVERY_CUT_OFF:
		if (is_dry) {
			preview_undoing(context, owner ?: "?");
			break;
		}
		context_note(context, NULL,
			     "a command was interrupted while it was changing settings (%s): its "
			     "changes are undone by the next setting command or by state restore",
			     owner ?: "?");
		break;
	case RECOVERY_FOLLOWING:
		context_note(context, NULL, RECOVERY_FOLLOWING_TEXT, owner ?: "?");
		break;
	case RECOVERY_UNKNOWN:
		context_note(context, NULL, "not ended: running, or interrupted: %s%s",
			     owner ?: "?",
			     is_dry ? "; what is shown is planned from the present state" : "");
		break;
	}
}

enum status writer_recover(struct context *context)
{
	_cleanup_recovery_ struct recovery recovery = { 0 };
	_cleanup_free_ char *message = NULL;
	int err = recovery_run(context->request->host, &context->plan.execution.journaled.journal,
			       &recovery, &message);

	if (err) {
		report_add(&context->report, REPORT_REFUSED, "%s", message ?: strerror(-err));
		return STATUS_REFUSED;
	}
	if (!recovery.is_found)
		return STATUS_DONE;
	/* the fast cores are published again after the command */
	context->plan.execution.is_withdrawn = true;
	context->plan.execution.has_recovered = true;
	if (recovery.undone)
		context_note(context, NULL, "undone: command %s: %zu change%s: %s", recovery.owner,
			     recovery.n_undone, recovery.n_undone == 1 ? "" : "s", recovery.undone);
	else if (!recovery.changed && !recovery.failed && !recovery.is_own)
		context_note(context, NULL, "command %s was interrupted%s", recovery.owner,
			     recovery.is_forward ? "" : ", and had changed nothing");
	if (recovery.changed)
		context_note(context, NULL, RECOVERY_CHANGED_TEXT, recovery.owner,
			     recovery.changed);
	if (!recovery.failed)
		return STATUS_DONE;
	report_add(&context->report, REPORT_REFUSED, "not undone of %s: %s%s", recovery.owner,
		   recovery.failed,
		   recovery.is_left ? "; the next setting command tries it again" : "");
	return STATUS_REFUSED;
}

enum status writer_begin(struct context *context, struct lock **ret_lock)
{
	const struct host *host = context->request->host;
	_cleanup_lock_ struct lock *lock = NULL;
	enum status status;

	if (host->ops->has_capability(context->request->host) <= 0) {
		report_add(&context->report, REPORT_NOT_PERMITTED,
			   "setting needs the capability CAP_SYS_ADMIN, which this process does "
			   "not have: run it as root; in a container give it this capability");
		return STATUS_NOT_PERMITTED;
	}
	status = writer_take_lock(context, &lock);
	if (status == STATUS_DONE && lock)
		status = writer_recover(context);
	if (status == STATUS_DONE)
		*ret_lock = steal(lock);
	return status;
}
