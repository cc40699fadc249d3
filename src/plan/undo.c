// SPDX-License-Identifier: GPL-2.0-only
/*
 * Taking one step back (commands.md, "Safety of every setting command"). What counts is how it
 * reads afterwards: a write that failed but reads as before is undone, one that went well but does
 * not is not.
 */
#include "plan/undo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/wait.h"

#define MIN_TRIES 3 /* a signal that stopped the program may still interrupt a request or two */

static int write_word(const struct checker *checker, const struct plan_write *write, uint64_t value)
{
	struct send_word word = { .write = write, .value = value };

	sender_send(checker->sender, &word, 1, true);
	return word.error;
}

int undo_write(const struct checker *checker, const struct plan_write *write, uint64_t value,
	       const char *text)
{
	switch (write->kind) {
	case PLAN_MAILBOX:
	case PLAN_MMIO:
	case PLAN_MSR:
	case PLAN_TPMI:
		return write_word(checker, write, value);
	case PLAN_FILE:
		if (!text) /* a step that is only shown (struct plan_write) */
			return -EINVAL;
		return files_write(checker->files, write->path, text);
	case PLAN_MAKE_DIRECTORY:
		return files_make_directory(checker->files, write->path);
	case PLAN_REMOVE_DIRECTORY:
		return files_remove_directory(checker->files, write->path);
	case PLAN_SAY:
		return 0;
	}
	return -EINVAL;
}

/* As undo_write, again where a signal came between; the channel has tries of its own. */
static int insist(const struct checker *checker, const struct plan_write *write, uint64_t value,
		  const char *text)
{
	int err, tries = MIN_TRIES;

	do
		err = undo_write(checker, write, value, text);
	while (err == -EINTR && --tries > 0);
	return err;
}

/* Removing what is not there, or making what is, has done what it was to do. */
static int forgive(enum plan_kind kind, int err)
{
	if ((kind == PLAN_REMOVE_DIRECTORY && err == -ENOENT) ||
	    (kind == PLAN_MAKE_DIRECTORY && err == -EEXIST))
		return 0;
	return err;
}

/* What takes a step back that has no undo of its own. */
static int write_back(const struct checker *checker, const struct plan_step *step)
{
	struct plan_write write = step->write;

	if (write.kind == PLAN_MAKE_DIRECTORY)
		write.kind = PLAN_REMOVE_DIRECTORY;
	else if (write.kind == PLAN_REMOVE_DIRECTORY)
		write.kind = PLAN_MAKE_DIRECTORY;
	else if (!step->old_text)
		return -ENODATA;
	return forgive(write.kind, insist(checker, &write, step->old_value, step->old_text));
}

/* Does the place that the step wrote to read as before? */
static bool reads_as_before(const struct checker *checker, const struct plan_step *step)
{
	struct check check = { .step = step, .undone = true };

	if (!check_can_tell(step))
		return false;
	check_run(checker, &check, 1);
	free(check.reason);
	return !check.error;
}

/* The first of several may be refused because all is as before, such as a level that never came. */
static int take_back(const struct checker *checker, const struct plan_step *step)
{
	int err = 0;

	if (step->n_undo == 0)
		return write_back(checker, step);
	for (size_t i = 0; i < step->n_undo && !err; i++) {
		const struct plan_write *write = &step->undo[i];

		err = insist(checker, write, write->value, write->text);
		if (err && i == 0 && step->n_undo > 1 && reads_as_before(checker, step))
			err = 0;
	}
	return err;
}

/* Copies a reason; where memory is short there is none. */
static int give_up(int err, const char *reason, char **ret_reason)
{
	*ret_reason = strdup(reason);
	return err;
}

/* Reads back what undoing wrote beside that which the step's own check is about. */
static int check_beside(const struct checker *checker, const struct plan_step *step,
			char **ret_reason)
{
	for (size_t i = 0; i < step->n_undo_checks; i++) {
		const struct plan_step probe = { .check = step->undo_checks[i] };
		struct check check = { .step = &probe };

		check_run(checker, &check, 1);
		if (check.error) {
			*ret_reason = check.reason;
			return check.error;
		}
	}
	return 0;
}

/* May a failed write back be forgiven, as the check tells all that there is to know? */
static bool is_judged(const struct plan_step *step)
{
	return step->n_undo <= 1 && check_can_tell(step);
}

int undo_step(const struct checker *checker, const struct plan_step *step, char **ret_reason)
{
	struct check check = { .step = step, .undone = true };
	int err;

	if (step->not_undoable)
		return give_up(-ENOTSUP, "it cannot be undone", ret_reason);
	err = take_back(checker, step);
	if (err == -ENODATA && !step->old_text && step->n_undo == 0)
		return give_up(err, "what was there before is not known", ret_reason);
	if (!err)
		wait_us(step->settle_us);
	if (!err || is_judged(step))
		check_run(checker, &check, 1);
	if (err && (check.error || !is_judged(step))) {
		free(check.reason);
		*ret_reason = NULL;
		return err;
	}
	*ret_reason = check.reason;
	return check.error ?: check_beside(checker, step, ret_reason);
}
