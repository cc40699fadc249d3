// SPDX-License-Identifier: GPL-2.0-only
/* Makes and undoes changes (commands.md, "Safety of every setting command"). A group is one change,
 * or the neighbours of a batch. Each group is written and, after a wait, read back, since hardware
 * and kernel may accept a write and do otherwise. Writes that have, or may have, taken effect are
 * recorded for undoing. All memory is allocated before the first write; only the reason of a
 * failure may be missing. */
#include "change/transaction.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/wait.h"
#include "isst_abi.h"

#define TRY_DISTANCE_US 1000
#define UNDO_PATIENCE   4 /* times as many tries: hardware may be slow in undoing, too */
#define MIN_TRIES       3 /* a signal that stops the program may interrupt one or two requests */
#define UNDO_TRIES      3 /* at least for a mailbox command while undoing */
#define UNDO_WAITS      250 /* most waits of a round of reading back, for all its changes */
#define SECOND_ROUND_US 100000 /* before the second try of changes that could not be undone */

struct check {
	const struct change *change;
	bool is_undone; /* the value before the change is expected; else the value after it */
	const char *text; /* of a file: what was written if it is not the change's value; or NULL */
	uint64_t found; /* the number that was read, or that of the change's value */
	int error; /* 0: the value is as expected; -EIO: it is not; other: it could not be read */
	/* a new text of what was found: with an error, or if the value is in force but limited;
	 * else NULL */
	char *reason;
};

struct transaction {
	const struct change_list *list;
	const struct transaction_environment *environment; /* of the last stage */
	size_t n_changes; /* those of the list when the last stage began */
	size_t next;
	size_t next_announcement;
	struct target_io io;
	const struct wait_stop *stop; /* ends the wait between two tries of reading back; or NULL */
	struct target_request *requests; /* of the largest group */
	struct check *checks;
	const char *text; /* what was written to a file if it is not the change's value */
	/* by change: what was read just before it was made; NULL: nothing is read first */
	struct target_value *found;
	size_t n_read; /* changes before this index were read, if they are read first */
	bool is_undoing;
	unsigned int undo_waits; /* that are left in this round of undoing */
	bool has_reopened; /* the device was lost, and was opened again */
	struct transaction_outcome outcome;
};

/* Returns true if reading shows whether the change has taken effect. */
static bool can_check(const struct change *change)
{
	return !change->target.is_not_read_back && change->has_old_value;
}

static bool is_check_due(const struct check *check, unsigned int attempt)
{
	const struct change *change = check->change;
	unsigned int tries = change->tries;

	/* if the old value is unknown, any value is right */
	if (change->target.is_not_read_back || (check->is_undone && !change->has_old_value))
		return false;
	if (check->is_undone && tries > 1)
		tries *= UNDO_PATIENCE;
	return attempt == 1 || (check->error && attempt <= tries);
}

static bool is_other_text(const struct check *check, const char *found)
{
	const char *other_text = check->change->other_text;

	return !check->is_undone && other_text && strcmp(found, other_text) == 0;
}

/* Returns true for a number that the kernel has lowered, but not below `lowered`. */
static bool is_lowered(uint64_t lowered, const char *found, const char *wanted)
{
	uint64_t number, most;

	return lowered && !number_parse_file(found, &number) && !number_parse_file(wanted, &most) &&
	       number >= lowered && number < most;
}

static void take_answer(struct check *check, const struct target_request *request)
{
	const struct change *change = check->change;
	const struct target_value *found = &request->value;
	struct target_value wanted = check->is_undone ? change->old_value : change->value;

	free(steal(check->reason));
	check->error = request->error;
	if (request->error) {
		check->reason = text_format("cannot be read back: %s",
					    target_error_text(request->target, request->error));
		return;
	}
	check->found = found->number;
	if (check->text)
		wanted.text = check->text;
	check->error = target_compare(
		&change->target, found, &wanted,
		check->is_undone || !change->has_old_value ? NULL : &change->old_value,
		&check->reason);
	if (check->error && found->text &&
	    (is_other_text(check, found->text) ||
	     is_lowered(change->lowered, found->text, wanted.text))) {
		free(steal(check->reason));
		check->error = 0;
	}
}

static bool is_stopped_again(const struct transaction *transaction)
{
	return wait_is_stopped_again(transaction->environment->stop);
}

/* Waits before reading back once more. Returns false if there are no more tries. */
static bool wait_for_try(struct transaction *transaction)
{
	if (transaction->is_undoing &&
	    (is_stopped_again(transaction) || transaction->undo_waits-- == 0)) {
		transaction->undo_waits = 0;
		return false;
	}
	return !wait_us_or_stop(transaction->stop, TRY_DISTANCE_US);
}

/* Reads back the changes of checks[0..count-1] together, and fills in error, which must be 0
 * before, and reason. Reads each as often as its change allows, or until a stop is requested. A
 * change that is not read back has error 0. */
static void run_checks(struct transaction *transaction, struct check *checks, size_t count)
{
	struct target_request *requests = transaction->requests;

	for (unsigned int attempt = 1;; attempt++) {
		size_t n_requests = 0, next = 0;

		for (size_t i = 0; i < count; i++) {
			if (is_check_due(&checks[i], attempt))
				requests[n_requests++] = (struct target_request){
					.target = &checks[i].change->target,
				};
		}
		if (n_requests == 0 || (attempt > 1 && !wait_for_try(transaction)))
			return;
		target_run(&transaction->io, requests, n_requests, false);
		for (size_t i = 0; i < count; i++) {
			if (!is_check_due(&checks[i], attempt))
				continue;
			take_answer(&checks[i], &requests[next]);
			target_value_done(&requests[next++].value);
		}
	}
}

/* Writes again if a signal interrupts a write; the channel has its own tries. */
static int write_with_retries(struct transaction *transaction, const struct write_target *target,
			      const struct target_value *value)
{
	int err, tries = MIN_TRIES;

	do
		err = target_write(&transaction->io, target, value);
	while (err == -EINTR && --tries > 0);
	if (err && target->ops->has_value && target->ops->has_value(value, err))
		return 0;
	return err;
}

/* Writes the old value, or makes the writes that undo the change. The first of several may be
 * refused because the change has not taken effect: this is not a failure. */
static int write_back(struct transaction *transaction, const struct change *change)
{
	int err = 0;

	if (change->n_undo == 0)
		return change->has_old_value ? write_with_retries(transaction, &change->target,
								  &change->old_value)
					     : -ENODATA;
	for (size_t i = 0; i < change->n_undo && !err; i++) {
		const struct change_undo *undo = &change->undo[i];

		err = write_with_retries(transaction, &undo->target, &undo->value);
		if (err && i == 0 && change->n_undo > 1 && can_check(change)) {
			struct check check = { .change = change, .is_undone = true };

			run_checks(transaction, &check, 1);
			free(check.reason);
			err = check.error ? err : 0;
		}
	}
	return err;
}

/* Undoes a change and reads it back. Only the value counts: if it is as before, even a failed write
 * has undone the change. Returns 0; or a negative errno with *ret_reason, a new text with details,
 * or NULL: -ENOTSUP (it cannot be undone), -ENODATA (the value before is unknown), -EIO (the value
 * is not as before), others of the write. */
static int undo_change(struct transaction *transaction, const struct change *change,
		       char **ret_reason)
{
	struct check check = { .change = change, .is_undone = true };
	/* reading back shows all that undoing does */
	bool is_readable = change->n_undo <= 1 && can_check(change);
	int err;

	if (change->not_undoable) {
		*ret_reason = strdup("it cannot be undone");
		return -ENOTSUP;
	}
	err = write_back(transaction, change);
	if (err == -ENODATA && !change->has_old_value && change->n_undo == 0) {
		*ret_reason = strdup("what was there before is unknown");
		return err;
	}
	if (!err)
		wait_us_or_stop(NULL, change->settle_us);
	if (!err || is_readable)
		run_checks(transaction, &check, 1);
	if (err && (check.error || !is_readable)) {
		free(check.reason);
		*ret_reason = NULL;
		return err;
	}
	/* what undoing wrote besides the target of the change */
	for (size_t i = 0; i < change->n_undo && !check.error; i++) {
		const struct change_undo *undo = &change->undo[i];
		const struct change probe = { .target = undo->target,
					      .value = undo->value,
					      .tries = change->tries };

		if (!undo->is_checked)
			continue;
		free(check.reason);
		check = (struct check){ .change = &probe };
		run_checks(transaction, &check, 1);
	}
	*ret_reason = check.reason;
	return check.error;
}

/* Returns how many changes from first on are written together. */
static size_t group_size(const struct transaction *transaction, size_t first)
{
	const struct change *change = &transaction->list->changes[first];
	size_t count = 1;

	if (change->batch == 0)
		return 1;
	while (first + count < transaction->n_changes && change[count].batch == change->batch &&
	       target_is_like(&change[count].target, &change->target))
		count++;
	return count;
}

/* Lengthens an array of n_before elements to count, the new ones zero. Sets *err on failure. */
static void *lengthen(void *array, size_t n_before, size_t count, size_t size, int *err)
{
	char *longer = reallocarray(array, count ?: 1, size);

	if (!longer) {
		*err = -ENOMEM;
		return array;
	}
	memset(longer + n_before * size, 0, ((count ?: 1) - n_before) * size);
	return longer;
}

/* Adds the changes since the last stage, and sets up channel and memory for the largest group. */
static int prepare(struct transaction *transaction,
		   const struct transaction_environment *environment)
{
	struct transaction_outcome *outcome = &transaction->outcome;
	size_t before = transaction->n_changes, now = transaction->list->n_changes;
	bool has_found = transaction->found;
	size_t most = 1, count;
	struct target_io io;
	int err = 0;

	for (size_t i = before; i < now; i++)
		has_found = has_found || transaction->list->changes[i].is_read_first;
	transaction->environment = environment;
	outcome->effects = lengthen(outcome->effects, before, now, sizeof(*outcome->effects), &err);
	if (has_found)
		transaction->found = lengthen(transaction->found, transaction->found ? before : 0,
					      now, sizeof(*transaction->found), &err);
	outcome->rolled_back =
		lengthen(outcome->rolled_back, 0, now, sizeof(*outcome->rolled_back), &err);
	outcome->not_rolled_back =
		lengthen(outcome->not_rolled_back, 0, now, sizeof(*outcome->not_rolled_back), &err);
	outcome->notes =
		lengthen(outcome->notes, outcome->n_notes, now, sizeof(*outcome->notes), &err);
	if (err)
		return err;
	transaction->n_changes = outcome->n_effects = now;
	for (size_t first = 0; first < now; first += count) {
		count = group_size(transaction, first);
		most = count > most ? count : most;
	}
	transaction->requests =
		lengthen(transaction->requests, 0, most, sizeof(*transaction->requests), &err);
	transaction->checks =
		lengthen(transaction->checks, 0, most, sizeof(*transaction->checks), &err);
	if (err || target_io_init(&io, environment->channel, environment->files, most))
		return -ENOMEM;
	target_io_done(&transaction->io);
	transaction->io = io;
	transaction->stop = environment->stop;
	return 0;
}

int transaction_new(const struct change_list *list, struct transaction **ret_transaction)
{
	struct transaction *transaction = calloc(1, sizeof(*transaction));

	if (!transaction)
		return -ENOMEM;
	transaction->list = list;
	*ret_transaction = transaction;
	return 0;
}

void transaction_free(struct transaction **transaction_pointer)
{
	struct transaction *transaction = *transaction_pointer;

	if (!transaction)
		return;
	target_io_done(&transaction->io);
	free(transaction->requests);
	free(transaction->checks);
	for (size_t i = 0; i < transaction->n_changes && transaction->found; i++)
		target_value_done(&transaction->found[i]);
	free(transaction->found);
	transaction_outcome_done(&transaction->outcome);
	free(transaction);
	*transaction_pointer = NULL;
}

/* Records a failed change; an optional one only gives a note. Takes ownership of the reason. */
static void fail(struct transaction *transaction, size_t index, int err, char *reason)
{
	struct transaction_failure failure = { .change = (uint32_t)index,
					       .error = (int16_t)err,
					       .reason = reason };
	const struct change *change = &transaction->list->changes[index];
	struct transaction_outcome *outcome = &transaction->outcome;

	if (change->is_optional || (err && err == change->ignored_error)) {
		outcome->notes[outcome->n_notes++] = failure;
	} else if (outcome->failed) {
		free(reason);
	} else {
		outcome->failed = true;
		outcome->failure = failure;
	}
}

/* From now on no wait ends early, so that changes can be read back and undone. */
static void ignore_stop(struct transaction *transaction)
{
	transaction->stop = NULL;
	transaction->io.channel.stop = NULL;
}

static bool is_stopped(const struct transaction *transaction)
{
	return wait_is_stopped(transaction->environment->stop);
}

/* Records that a stop was requested before or during this change. */
static void fail_stopped(struct transaction *transaction, size_t index)
{
	struct transaction_outcome *outcome = &transaction->outcome;

	if (outcome->failed)
		return;
	outcome->failed = true;
	outcome->failure = (struct transaction_failure){
		.change = (uint32_t)index,
		.error = -EINTR,
		.reason = strdup("a stop was requested"),
	};
}

/* Finds out which changes with an uncertain write, the first and perhaps others of its group, have
 * taken effect: those whose value is not as before. If that cannot be read, the first has. */
static void find_effects(struct transaction *transaction, size_t first, size_t count)
{
	const struct wait_stop *stop = transaction->stop;
	const struct wait_stop *channel_stop = transaction->io.channel.stop;

	ignore_stop(transaction);
	for (size_t i = 0; i < count; i++)
		transaction->checks[i] = (struct check){
			.change = &transaction->list->changes[first + i],
			.is_undone = true,
		};
	run_checks(transaction, transaction->checks, count);
	transaction->stop = stop;
	transaction->io.channel.stop = channel_stop;
	for (size_t i = 0; i < count; i++) {
		bool is_known = can_check(&transaction->list->changes[first + i]);

		if (is_known ? transaction->checks[i].error != 0 : i == 0)
			transaction->outcome.effects[first + i].state = TRANSACTION_MADE;
		free(transaction->checks[i].reason);
	}
}

static void flush(const struct transaction *transaction)
{
	if (transaction->environment->flush)
		transaction->environment->flush(transaction->environment->data);
}

static void announce(const struct transaction *transaction, const char *text)
{
	if (transaction->environment->announce && transaction->environment->shows_changes)
		transaction->environment->announce(transaction->environment->data, text);
}

/* Reports the announcements whose changes are done. */
static void announce_due(struct transaction *transaction)
{
	const struct change_list *list = transaction->list;
	size_t *next = &transaction->next_announcement;

	for (; *next < list->n_announcements; (*next)++) {
		if (list->announcements[*next].n_before > transaction->next)
			return;
		announce(transaction, list->announcements[*next].text);
	}
}

/* A value that is in force, but limited, reads like a lost write; some targets can distinguish
 * them. */
static void confirm(struct transaction *transaction, struct check *check)
{
	const struct change *change = check->change;
	const struct write_target *target = &change->target;
	struct target_value found = { .number = check->found };

	if (check->error || !check->reason || !target->ops->confirm)
		return;
	free(steal(check->reason));
	check->error = target->ops->confirm(&transaction->io, target, &change->value, &found,
					    &check->reason);
	check->found = found.number;
	if (check->error && !check->reason)
		check->reason = text_format("cannot be checked by a second write: %s",
					    target_error_text(target, check->error));
}

/* Waits until a group has taken effect, reads it back, and announces it. */
static void check_group(struct transaction *transaction, size_t first, size_t count)
{
	struct transaction_outcome *outcome = &transaction->outcome;
	struct check *checks = transaction->checks;
	uint32_t longest_us = 0;

	for (size_t i = 0; i < count; i++) {
		const struct change *change = &transaction->list->changes[first + i];
		uint32_t settle_us = change->settle_us;

		longest_us = settle_us > longest_us ? settle_us : longest_us;
		checks[i] = (struct check){ .change = change,
					    .text = transaction->text,
					    .found = change->value.number };
	}
	if (longest_us && wait_us_or_stop(transaction->environment->stop, longest_us)) {
		fail_stopped(transaction, first);
		return;
	}
	run_checks(transaction, checks, count);
	for (size_t i = 0; i < count; i++)
		confirm(transaction, &checks[i]);
	for (size_t i = 0; i < count; i++) {
		const char *announcement = checks[i].change->announcement;
		char *reason = checks[i].reason;

		outcome->effects[first + i].read_back = checks[i].found;
		if (checks[i].error && is_stopped(transaction)) {
			free(reason); /* reading back may have ended early */
			fail_stopped(transaction, first + i);
		} else if (checks[i].error) {
			fail(transaction, first + i, checks[i].error, reason);
		} else {
			if (reason)
				outcome->notes[outcome->n_notes++] = (struct transaction_failure){
					.change = (uint32_t)(first + i), .reason = reason
				};
			if (announcement) {
				announce(transaction, announcement);
				flush(transaction);
			}
		}
	}
}

/* Records changes before they are written. Returns whether they may be written. */
static bool record(struct transaction *transaction, size_t first, size_t count)
{
	const struct transaction_environment *environment = transaction->environment;
	struct transaction_outcome *outcome = &transaction->outcome;
	struct transaction_failure failure = { .change = (uint32_t)first, .is_of_record = true };

	if (!environment->record || count == 0)
		return true;
	failure.error =
		(int16_t)environment->record(environment->record_data, transaction->list, first,
					     count, transaction->found, &failure.reason);
	if (!failure.error)
		return true;
	outcome->failed = true;
	outcome->failure = failure;
	return false;
}

/* Reads the file of a change that is read first. Frees the text if the change is left out. */
static void read_one(struct transaction *transaction, size_t index)
{
	const struct change *change = &transaction->list->changes[index];
	struct target_value *value = &transaction->found[index];
	uint64_t number = 0;
	int err = target_read(&transaction->io, &change->target, value);

	if (err == -ENOENT)
		return; /* there is nothing to write */
	if (!err)
		err = number_parse_file(value->text, &number);
	if (err)
		fail(transaction, index, err, NULL);
	if (err || (change->sufficient && number >= change->sufficient) ||
	    (change->is_left_if_equal && strcmp(value->text, change->value.text) == 0))
		target_value_done(value);
}

/* Reads the files of neighbours that are to be read just before they are written, and records
 * them. Returns whether the next change is to be made. */
static bool is_due(struct transaction *transaction)
{
	const struct change *changes = transaction->list->changes;
	size_t first = transaction->next, end = first;

	if (!changes[first].is_read_first)
		return true;
	if (first >= transaction->n_read) {
		while (end < transaction->n_changes && changes[end].is_read_first &&
		       !transaction->outcome.failed)
			read_one(transaction, end++);
		transaction->n_read = end;
		if (transaction->outcome.failed || !record(transaction, first, end - first))
			return false;
	}
	if (transaction->found[first].text)
		return true;
	transaction->next++;
	return false;
}

/* Returns a new text if a write failed with err because the device was lost; else NULL. */
static char *explain_loss(const struct transaction *transaction, const struct change *change,
			  int err)
{
	if (err != -ENODEV || !change->target.ops->needs_driver ||
	    !transport_is_lost(transaction->io.channel.transport))
		return NULL;
	return strdup(ISST_DEVICE_PATH " no longer answers (ENODEV)");
}

/* Writes a group in order, up to the first change that fails, and reads back what was done. */
static void run_group(struct transaction *transaction)
{
	size_t first = transaction->next, count = group_size(transaction, first), n_done = 0;
	const struct change *changes = &transaction->list->changes[first];
	struct target_request *requests = transaction->requests;

	flush(transaction);
	transaction->text = NULL;
	for (size_t i = 0; i < count; i++)
		requests[i] = (struct target_request){
			.target = &changes[i].target,
			.value = changes[i].value,
		};
	target_run(&transaction->io, requests, count, true);
	if (requests[0].error == -EINVAL && changes->fallback_text) {
		transaction->text = changes->fallback_text;
		requests[0].value.text = transaction->text;
		target_run(&transaction->io, requests, count, true);
	}
	for (; n_done < count && !requests[n_done].error; n_done++)
		transaction->outcome.effects[first + n_done].state = TRANSACTION_MADE;
	transaction->next += n_done;
	if (n_done < count) {
		const struct target_ops *ops = changes[n_done].target.ops;
		int err = requests[n_done].error;

		/* the write may have taken effect although it failed */
		if (err == -EINTR || err == -EIO || (ops->is_uncertain && ops->is_uncertain(err)))
			find_effects(transaction, transaction->next, count - n_done);
		if (err == -EINTR && is_stopped(transaction))
			fail_stopped(transaction, transaction->next++);
		else
			fail(transaction, transaction->next++, err,
			     explain_loss(transaction, &changes[n_done], err));
	}
	if (!transaction->outcome.failed && n_done > 0)
		check_group(transaction, first, n_done);
}

static int compare_indexes(const void *left, const void *right)
{
	return number_compare(*(const size_t *)right, *(const size_t *)left);
}

/* Opens the device again, once, if it was lost. Returns whether it is open again. */
static bool reopen_lost(struct transaction *transaction)
{
	struct transport *transport = transaction->io.channel.transport;

	if (transaction->has_reopened || !transport_is_lost(transport))
		return false;
	transaction->has_reopened = true;
	return transport->ops->reopen(transport) == 0;
}

/* Undoes a change, opening the device again if that was lost. Returns as undo_change(). */
static int undo_made(struct transaction *transaction, size_t index, char **ret_reason)
{
	struct change change = transaction->list->changes[index];
	int err;

	if (is_stopped_again(transaction)) {
		*ret_reason = strdup("a stop was requested again");
		return -EINTR;
	}
	if (transaction->found && transaction->found[index].text) {
		change.old_value = transaction->found[index];
		change.has_old_value = true;
	}
	err = undo_change(transaction, &change, ret_reason);
	if (err && change.target.ops->needs_driver && reopen_lost(transaction)) {
		free(steal(*ret_reason));
		err = undo_change(transaction, &change, ret_reason);
	}
	return err;
}

static void undo_one(struct transaction *transaction, size_t index, bool is_last_round)
{
	struct transaction_outcome *outcome = &transaction->outcome;
	struct transaction_failure failure = { .change = (uint32_t)index };
	enum transaction_state *state = &outcome->effects[index].state;

	failure.error = (int16_t)undo_made(transaction, index, &failure.reason);
	if (!failure.error) {
		*state = TRANSACTION_UNDONE;
		outcome->rolled_back[outcome->n_rolled_back++] = index;
	} else if (is_last_round) {
		*state = TRANSACTION_NOT_UNDONE;
		outcome->not_rolled_back[outcome->n_not_rolled_back++] = failure;
		return;
	}
	free(failure.reason);
}

/* Tries to undo each change once. Returns whether some are left. */
static bool undo_round(struct transaction *transaction, bool is_last_round)
{
	const struct transaction_outcome *outcome = &transaction->outcome;
	bool is_left = false;

	transaction->undo_waits = UNDO_WAITS;
	for (unsigned int turn = CHANGE_UNDONE_FIRST; turn <= CHANGE_UNDONE_LAST; turn++) {
		for (size_t i = transaction->n_changes; i-- > 0;) {
			if (outcome->effects[i].state != TRANSACTION_MADE ||
			    transaction->list->changes[i].undo_turn != turn)
				continue;
			undo_one(transaction, i, is_last_round);
			is_left = is_left || outcome->effects[i].state == TRANSACTION_MADE;
		}
	}
	return is_left;
}

/* Undoes all changes. Undoing one may depend on a change that is undone later, or on time. So
 * failed ones are tried again after all others, and do not wait one by one. */
static void undo_all(struct transaction *transaction)
{
	struct transaction_outcome *outcome = &transaction->outcome;
	struct channel *channel = &transaction->io.channel;

	ignore_stop(transaction);
	transaction->is_undoing = true;
	channel->tries = channel->tries < UNDO_TRIES ? UNDO_TRIES : channel->tries;
	if (undo_round(transaction, false)) {
		if (!is_stopped_again(transaction))
			wait_us_or_stop(NULL, SECOND_ROUND_US);
		undo_round(transaction, true);
	}
	qsort(outcome->rolled_back, outcome->n_rolled_back, sizeof(*outcome->rolled_back),
	      compare_indexes);
}

int transaction_continue(struct transaction *transaction,
			 const struct transaction_environment *environment)
{
	const struct transaction_outcome *outcome = &transaction->outcome;
	size_t before = transaction->n_changes;
	int err = prepare(transaction, environment);

	if (err)
		return err;
	if (record(transaction, before, transaction->n_changes - before))
		announce_due(transaction);
	while (transaction->next < transaction->n_changes && !outcome->failed) {
		if (is_stopped(transaction))
			fail_stopped(transaction, transaction->next);
		else if (is_due(transaction))
			run_group(transaction);
		if (outcome->failed)
			break;
		announce_due(transaction);
		if (environment->progress)
			environment->progress(environment->data, transaction->next,
					      transaction->n_changes);
	}
	flush(transaction);
	if (transaction->outcome.failed && !environment->keeps_changes)
		undo_all(transaction);
	return 0;
}

void transaction_undo(struct transaction *transaction,
		      const struct transaction_environment *environment)
{
	transaction->environment = environment;
	/* The driver may have been opened again since the last change. */
	transaction->io.channel.transport =
		environment->channel ? environment->channel->transport : NULL;
	transaction->io.files = environment->files;
	undo_all(transaction);
}

void transaction_reject(struct transaction *transaction,
			const struct transaction_environment *environment, int err, char *reason)
{
	struct transaction_outcome *outcome = &transaction->outcome;

	free(outcome->failure.reason);
	outcome->failed = true;
	outcome->failure = (struct transaction_failure){
		.error = (int16_t)err,
		.is_of_record = true,
		.reason = reason,
	};
	transaction_undo(transaction, environment);
}

const struct transaction_outcome *transaction_get_outcome(const struct transaction *transaction)
{
	return &transaction->outcome;
}

int transaction_run(const struct change_list *list,
		    const struct transaction_environment *environment,
		    struct transaction_outcome *ret_outcome)
{
	_cleanup_transaction_ struct transaction *transaction = NULL;
	int err = transaction_new(list, &transaction);

	if (err)
		return err;
	err = transaction_continue(transaction, environment);
	if (err)
		return err;
	*ret_outcome = steal(transaction->outcome);
	return 0;
}
