// SPDX-License-Identifier: GPL-2.0-only
/*
 * The run of a plan: a group of steps at a time (one step, or neighbours of a batch) is written,
 * waited for and read back (commands.md, "Safety of every setting command"). Whatever has, or may
 * have, taken effect is remembered for undoing. All memory is taken before the first write; only
 * the words of a reason may be missing.
 */
#include "plan/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/wait.h"
#include "plan/check.h"
#include "plan/undo.h"

#define UNDO_TRIES 3 /* of a command, at least: undoing is not interrupted */

struct run {
	const struct plan *plan;
	const struct run_environment *environment; /* of the last stage */
	const struct plan_step *steps;
	size_t n_steps;
	size_t next;
	struct sender sender;
	struct checker checker;
	struct send_word *words; /* of the largest group */
	struct check *checks;
	const char *text; /* what was written to a file, where it is not the step's own text */
	bool *in_effect; /* by step: it has, or may have, taken effect */
	char **found; /* by step: what a late one found there; or NULL */
	struct run_outcome outcome;
};

static bool is_word(const struct plan_step *step)
{
	switch (step->write.kind) {
	case PLAN_MAILBOX:
	case PLAN_MMIO:
	case PLAN_MSR:
	case PLAN_TPMI:
		return true;
	case PLAN_FILE:
	case PLAN_MAKE_DIRECTORY:
	case PLAN_REMOVE_DIRECTORY:
	case PLAN_SAY:
		break;
	}
	return false;
}

/* How many steps from first on go out together. */
static size_t group_size(const struct run *run, size_t first)
{
	const struct plan_step *step = &run->steps[first];
	size_t count = 1;

	if (step->batch == 0 || !is_word(step))
		return 1;
	while (first + count < run->n_steps && run->steps[first + count].batch == step->batch &&
	       run->steps[first + count].write.kind == step->write.kind)
		count++;
	return count;
}

static size_t largest_group(const struct run *run)
{
	size_t largest = 1, count;

	for (size_t first = 0; first < run->n_steps; first += count) {
		count = group_size(run, first);
		largest = count > largest ? count : largest;
	}
	return largest;
}

/* Lengthens an array of n_before elements to n_steps, the new ones zero. Sets *err on failure. */
static void *lengthen(void *array, size_t n_before, size_t n_steps, size_t size, int *err)
{
	char *longer = reallocarray(array, n_steps ?: 1, size);

	if (!longer) {
		*err = -ENOMEM;
		return array;
	}
	memset(longer + n_before * size, 0, ((n_steps ?: 1) - n_before) * size);
	return longer;
}

/* Takes the channel of this stage, and memory for its largest group. */
static int prepare_groups(struct run *run)
{
	size_t most = largest_group(run);
	struct sender sender;

	if (sender_init(&sender, run->environment->channel, most))
		return -ENOMEM;
	sender_done(&run->sender);
	run->sender = sender;
	free(run->words);
	run->words = calloc(most, sizeof(*run->words));
	free(run->checks);
	run->checks = calloc(most, sizeof(*run->checks));
	run->checker = (struct checker){
		.sender = &run->sender,
		.files = run->environment->files,
		.stop = run->environment->stop,
		.words = run->words,
	};
	return run->words && run->checks ? 0 : -ENOMEM;
}

/* Takes the steps that the plan got since the last stage. */
static int prepare(struct run *run, const struct run_environment *environment)
{
	struct run_outcome *outcome = &run->outcome;
	size_t before = run->n_steps, now;
	int err = 0;

	run->environment = environment;
	run->steps = plan_steps(run->plan, &now);
	run->in_effect = lengthen(run->in_effect, before, now, sizeof(*run->in_effect), &err);
	run->found = lengthen(run->found, before, now, sizeof(*run->found), &err);
	outcome->undone = lengthen(outcome->undone, 0, now, sizeof(*outcome->undone), &err);
	outcome->not_undone =
		lengthen(outcome->not_undone, 0, now, sizeof(*outcome->not_undone), &err);
	outcome->notes =
		lengthen(outcome->notes, outcome->n_notes, now, sizeof(*outcome->notes), &err);
	if (err)
		return err;
	run->n_steps = now;
	return prepare_groups(run);
}

int run_new(const struct plan *plan, struct run **ret_run)
{
	struct run *run = calloc(1, sizeof(*run));

	if (!run)
		return -ENOMEM;
	run->plan = plan;
	*ret_run = run;
	return 0;
}

void run_free(struct run **run_pointer)
{
	struct run *run = *run_pointer;

	if (!run)
		return;
	sender_done(&run->sender);
	free(run->words);
	free(run->checks);
	free(run->in_effect);
	for (size_t i = 0; i < run->n_steps && run->found; i++)
		free(run->found[i]);
	free(run->found);
	run_outcome_done(&run->outcome);
	free(run);
	*run_pointer = NULL;
}

/* Remembers what went wrong with a step: for an optional one a note. Takes over the reason. */
static void fail(struct run *run, size_t step, int err, char *reason)
{
	struct run_failure failure = { .step = step, .error = err, .reason = reason };
	struct run_outcome *outcome = &run->outcome;

	if (run->steps[step].optional || (err && err == run->steps[step].ignored_error)) {
		outcome->notes[outcome->n_notes++] = failure;
	} else if (outcome->failed) {
		free(reason);
	} else {
		outcome->failed = true;
		outcome->failure = failure;
	}
}

/* The write failed, but the firmware may have had it, or the kernel. */
static bool is_doubtful(const struct plan_step *step, int err)
{
	return err == -EINTR || err == -EIO || (err == -EBUSY && is_word(step)) ||
	       step->write.kind == PLAN_TPMI; /* errno says nothing there */
}

/* From now on no wait ends early, so that steps can be read back and undone. */
static void let_finish(struct run *run)
{
	run->checker.stop = NULL;
	run->sender.channel.stop = NULL;
}

static bool is_stopped(const struct run *run)
{
	return wait_is_stopped(run->environment->stop);
}

/* The program was asked to stop before, or while, this step was carried out. */
static void fail_stopped(struct run *run, size_t step)
{
	struct run_outcome *outcome = &run->outcome;

	if (outcome->failed)
		return;
	outcome->failed = true;
	outcome->failure = (struct run_failure){
		.step = step,
		.error = -EINTR,
		.reason = strdup("the program was told to stop"),
	};
}

/*
 * Which of the steps that failed in doubt, the first and perhaps those that went out with it, have
 * taken effect? So they have unless they read as before; where that cannot be told, the first has.
 */
static void find_effects(struct run *run, size_t first, size_t count)
{
	const struct wait_stop *stop = run->checker.stop, *channel_stop = run->sender.channel.stop;

	let_finish(run);
	for (size_t i = 0; i < count; i++)
		run->checks[i] = (struct check){ .step = &run->steps[first + i], .undone = true };
	check_run(&run->checker, run->checks, count);
	run->checker.stop = stop;
	run->sender.channel.stop = channel_stop;
	for (size_t i = 0; i < count; i++) {
		bool can_tell = check_can_tell(&run->steps[first + i]);

		run->in_effect[first + i] = can_tell ? run->checks[i].error : i == 0;
		free(run->checks[i].reason);
	}
}

/* Writes to a file, or makes or removes a directory. */
static int write_one(struct run *run, const struct plan_step *step)
{
	int err = undo_write(&run->checker, &step->write, 0, step->write.text);

	if (err != -EINVAL || step->write.kind != PLAN_FILE || !step->fallback_text)
		return err;
	run->text = step->fallback_text;
	return undo_write(&run->checker, &step->write, 0, run->text);
}

/* Writes a group in order. Returns how many were done; *ret_err is why the one behind was not. */
static size_t write_group(struct run *run, size_t first, size_t count, int *ret_err)
{
	const struct plan_step *steps = &run->steps[first];
	size_t n_done = 0;

	*ret_err = 0;
	run->text = NULL;
	if (!is_word(steps)) {
		*ret_err = write_one(run, steps);
		return *ret_err ? 0 : 1;
	}
	for (size_t i = 0; i < count; i++)
		run->words[i] = (struct send_word){
			.write = &steps[i].write,
			.value = steps[i].write.value,
		};
	sender_send(&run->sender, run->words, count, true);
	while (n_done < count && !run->words[n_done].error)
		n_done++;
	if (n_done < count)
		*ret_err = run->words[n_done].error;
	return n_done;
}

/* Waits until a group has taken effect; false when the program is asked to stop meanwhile. */
static bool settle(const struct run *run, size_t first, size_t count)
{
	uint32_t longest_us = 0;

	for (size_t i = first; i < first + count; i++)
		longest_us =
			run->steps[i].settle_us > longest_us ? run->steps[i].settle_us : longest_us;
	return !longest_us || !wait_us_or_stop(run->environment->stop, longest_us);
}

/* Remembers that a check failed; it may have ended early because the program is asked to stop. */
static void fail_check(struct run *run, size_t step, struct check *check)
{
	if (is_stopped(run)) {
		free(check->reason);
		fail_stopped(run, step);
	} else {
		fail(run, step, check->error, check->reason);
	}
}

static void flush(const struct run *run)
{
	if (run->environment->flush)
		run->environment->flush(run->environment->data);
}

static void announce(const struct run *run, const struct plan_step *step)
{
	if (!step->announce || !run->environment->announce)
		return;
	run->environment->announce(run->environment->data, step->announce);
	if (step->write.kind != PLAN_SAY)
		flush(run);
}

/* Announces a step that is done. Takes over the reason, if there is one: it becomes a note. */
static void succeed(struct run *run, size_t number, char *reason)
{
	struct run_outcome *outcome = &run->outcome;

	if (reason)
		outcome->notes[outcome->n_notes++] =
			(struct run_failure){ .step = number, .reason = reason };
	announce(run, &run->steps[number]);
}

/* Reads back what was written. */
static void check_group(struct run *run, size_t first, size_t count)
{
	for (size_t i = 0; i < count; i++)
		run->checks[i] =
			(struct check){ .step = &run->steps[first + i], .text = run->text };
	check_run(&run->checker, run->checks, count);
	for (size_t i = 0; i < count; i++) {
		if (run->checks[i].error)
			fail_check(run, first + i, &run->checks[i]);
		else
			succeed(run, first + i, run->checks[i].reason);
	}
}

/* Reads what a late step finds. Returns 0; 1 where there is nothing to write; a negative errno. */
static int look(const struct run *run, size_t step_number)
{
	const struct plan_step *step = &run->steps[step_number];
	char **found = &run->found[step_number];
	uint64_t number;
	int err = files_read_line(run->environment->files, step->write.path, found);

	if (err)
		return err == -ENOENT ? 1 : err;
	err = number_parse_file(*found, &number);
	return err ?: step->enough && number >= step->enough;
}

/* Prepares the next step, if it is a late one. Returns whether it is to be run. */
static bool is_due(struct run *run)
{
	int err = run->steps[run->next].late ? look(run, run->next) : 0;

	if (err < 0)
		fail(run, run->next, err, NULL);
	if (err)
		run->next++;
	return err == 0;
}

static void run_group(struct run *run)
{
	size_t first = run->next, count = group_size(run, first), n_done;
	int err;

	if (run->steps[first].write.kind != PLAN_SAY)
		flush(run);
	n_done = write_group(run, first, count, &err);
	for (size_t i = 0; i < n_done; i++)
		run->in_effect[first + i] = run->steps[first + i].write.kind != PLAN_SAY;
	run->next += n_done;
	if (err) {
		if (is_doubtful(&run->steps[run->next], err))
			find_effects(run, run->next, count - n_done);
		if (err == -EINTR && is_stopped(run))
			fail_stopped(run, run->next++);
		else
			fail(run, run->next++, err, NULL);
	}
	if (run->outcome.failed || n_done == 0)
		return;
	if (settle(run, first, n_done))
		check_group(run, first, n_done);
	else
		fail_stopped(run, first);
}

static void undo_all(struct run *run)
{
	struct run_outcome *outcome = &run->outcome;
	struct channel *channel = &run->sender.channel;

	let_finish(run);
	channel->tries = channel->tries < UNDO_TRIES ? UNDO_TRIES : channel->tries;
	for (size_t i = run->n_steps; i-- > 0;) {
		struct plan_step step;
		char *reason;
		int err;

		if (!run->in_effect[i])
			continue;
		run->in_effect[i] = false;
		step = run->steps[i];
		step.old_text = step.old_text ?: run->found[i];
		err = undo_step(&run->checker, &step, &reason);
		if (err)
			outcome->not_undone[outcome->n_not_undone++] =
				(struct run_failure){ .step = i, .error = err, .reason = reason };
		else
			outcome->undone[outcome->n_undone++] = i;
	}
}

static void run_steps(struct run *run)
{
	const struct run_environment *environment = run->environment;
	void *data = environment->data;

	while (run->next < run->n_steps && !run->outcome.failed) {
		if (is_stopped(run)) {
			fail_stopped(run, run->next);
			return;
		}
		if (is_due(run))
			run_group(run);
		if (environment->progress && !run->outcome.failed)
			environment->progress(data, run->next, run->n_steps);
	}
}

int run_continue(struct run *run, const struct run_environment *environment)
{
	int err = prepare(run, environment);

	if (err)
		return err;
	run_steps(run);
	flush(run);
	if (run->outcome.failed && !environment->keeps)
		undo_all(run);
	return 0;
}

void run_undo(struct run *run, const struct run_environment *environment)
{
	size_t n_steps;

	run->environment = environment;
	run->steps = plan_steps(run->plan, &n_steps); /* it may have moved since the last stage */
	undo_all(run);
}

const struct run_outcome *run_get_outcome(const struct run *run)
{
	return &run->outcome;
}

int run_plan(const struct plan *plan, const struct run_environment *environment,
	     struct run_outcome *ret_outcome)
{
	_cleanup_run_ struct run *run = NULL;
	int err = run_new(plan, &run);

	err = err ?: run_continue(run, environment);
	if (err)
		return err;
	*ret_outcome = run->outcome;
	run->outcome = (struct run_outcome){ 0 };
	return 0;
}

static void free_reasons(struct run_failure *failures, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(failures[i].reason);
	free(failures);
}

void run_outcome_done(struct run_outcome *outcome)
{
	free(outcome->failure.reason);
	free(outcome->undone);
	free_reasons(outcome->not_undone, outcome->n_not_undone);
	free_reasons(outcome->notes, outcome->n_notes);
	*outcome = (struct run_outcome){ 0 };
}
