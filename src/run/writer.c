// SPDX-License-Identifier: GPL-2.0-only
/* Takes the machine's lock for a command that sets something, and first of all puts back what an
 * interrupted measurement left changed: the state at boot, which the first setting command saves,
 * must not be that of a measurement. */
#include "run/writer.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "measure/borrowed.h"

enum status writer_end_stopped(struct context *context, bool has_written)
{
	report_add(&context->report, REPORT_REFUSED, "the program was asked to stop");
	if (!has_written)
		context_note(context, NULL, "nothing had been changed before that");
	return STATUS_REFUSED;
}

/* Another process holds the lock. */
static enum status report_holder(struct context *context, const char *holder)
{
	_cleanup_free_ char *borrows = borrowed_describe_holder(context->options->host, holder);

	report_add(&context->report, REPORT_REFUSED,
		   "another instance is setting this machine: %s%s%s",
		   holder ?: "its name is not known", borrows ? ": " : "", borrows ?: "");
	context->is_busy = true;
	return STATUS_BUSY;
}

/* A user who has the capability but may not write to the run directory goes on without the lock,
 * with a note. */
enum status writer_take_lock(struct context *context, struct lock **ret_lock)
{
	const char *directory = context->options->host->run_directory;
	struct report *report = &context->report;
	_cleanup_free_ char *holder = NULL, *problem = NULL;
	int err = lock_take(directory, context->is_later_attempt ? 0 : LOCK_WAIT_MS,
			    context->execution.environment.stop, ret_lock, &holder);

	switch (err) {
	case 0:
		return STATUS_DONE;
	case -EACCES:
		report_add(report, REPORT_NOTE,
			   "no lock could be taken in %s (%s): nothing keeps another instance from "
			   "setting this machine at the same time",
			   directory, strerror(-err));
		return STATUS_DONE;
	case -EINTR:
		return writer_end_stopped(context, false);
	case -EBUSY:
		return report_holder(context, holder);
	}
	problem = lock_problem(directory, err);
	report_add(report, REPORT_REFUSED, "the lock in %s cannot be taken: %s", directory,
		   problem ?: strerror(-err));
	return status_from_errno(err);
}

static void note_interrupted(struct context *context, bool has_lock)
{
	const struct host *host = context->options->host;
	_cleanup_free_ char *text = NULL;
	int err = run_note_read(host->files, host->run_directory, has_lock, &text);

	if (!err && text)
		context_note(context, NULL,
			     "an earlier instance (%s) ended while it was writing: what it was to "
			     "set may be incomplete, and is best set again",
			     text);
}

void writer_note_others(struct context *context)
{
	_cleanup_free_ char *borrows = borrowed_describe(context->options->host);

	note_interrupted(context, false);
	if (borrows)
		context_note(context, NULL, "%s", borrows);
}

void writer_report_borrowed(struct context *context, const struct borrowed_outcome *outcome,
			    int err)
{
	if (outcome->changed)
		context_note(context, NULL,
			     "somebody else has changed since what %s had borrowed; left as it is: "
			     "%s",
			     outcome->owner ?: "a measurement", outcome->changed);
	if (outcome->gone)
		context_note(context, NULL, "no longer there, so not put back: %s", outcome->gone);
	/* shown also after the program was asked to stop */
	if (outcome->failed)
		report_add(&context->report, REPORT_REFUSED,
			   "not put back: %s; try again with measure restore", outcome->failed);
	else if (err)
		report_add(&context->report, REPORT_REFUSED,
			   "borrowed.json in %s cannot be removed: %s",
			   context->options->host->run_directory, run_directory_problem(err));
}

/* Puts back what a measurement that was interrupted has borrowed, under the lock, and reports what
 * became of it. Returns STATUS_DONE, also if there was nothing; or STATUS_REFUSED if something
 * could not be put back: then nothing may be set. */
static enum status mend(struct context *context)
{
	struct host *host = context->options->host;
	_cleanup_borrowed_outcome_ struct borrowed_outcome outcome = { 0 };
	int err = borrowed_mend(host, &outcome);

	if (err && !outcome.owner && err != -ENOMEM) {
		context_warn(context, NULL,
			     "borrowed.json in %s cannot be used (%s): whether an interrupted "
			     "measurement left settings changed is not known; look at them, and "
			     "remove the file",
			     host->run_directory, run_directory_problem(err));
		return STATUS_DONE;
	}
	if (outcome.put_back)
		context_note(context, NULL,
			     "%s, ended before it put back what it had changed; put "
			     "back now: %s",
			     outcome.owner ?: "a measurement", outcome.put_back);
	writer_report_borrowed(context, &outcome, err);
	return err ? STATUS_REFUSED : STATUS_DONE;
}

enum status writer_begin(struct context *context, struct lock **ret_lock)
{
	const struct host *host = context->options->host;
	_cleanup_lock_ struct lock *lock = NULL;
	enum status status;

	if (host->ops->has_capability(context->options->host) <= 0) {
		report_add(&context->report, REPORT_NOT_PERMITTED,
			   "setting needs the capability CAP_SYS_ADMIN, which this process does "
			   "not have");
		return STATUS_NOT_PERMITTED;
	}
	status = writer_take_lock(context, &lock);
	if (status != STATUS_DONE)
		return status;
	note_interrupted(context, lock != NULL);
	status = mend(context);
	if (status == STATUS_DONE)
		*ret_lock = steal(lock);
	return status;
}
