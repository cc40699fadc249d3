// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hardware and kernel silently do otherwise: a word is compared in the bits that matter, a file by
 * its number or its text (commands.md, "Safety of every setting command"; sysfs.md). What is found
 * instead becomes the reason.
 */
#include "plan/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/wait.h"

#define TRY_DISTANCE_US 1000
#define UNDO_PATIENCE   4

/* Keeps what was found; a reason that finds no memory is none. */
static void __attribute__((format(printf, 3, 4)))
note(struct check *check, int err, const char *format, ...)
{
	va_list args;

	free(check->reason);
	check->error = err;
	va_start(args, format);
	if (vasprintf(&check->reason, format, args) < 0)
		check->reason = NULL;
	va_end(args);
}

static void note_success(struct check *check)
{
	free(check->reason);
	check->reason = NULL;
	check->error = 0;
}

bool check_can_tell(const struct plan_step *step)
{
	const struct plan_check *check = &step->check;

	switch (check->kind) {
	case PLAN_CHECK_NONE:
		return false;
	case PLAN_CHECK_WORD:
	case PLAN_CHECK_LIMITS:
		return (check->value ^ check->old_value) & check->mask;
	case PLAN_CHECK_NUMBER:
	case PLAN_CHECK_TEXT:
		return step->old_text;
	}
	return false;
}

/* Hardware that was too slow for a step may be as slow in taking it back. */
static unsigned int tries_of(const struct check *check)
{
	unsigned int tries = check->step->check.tries;

	return check->undone && tries > 1 ? UNDO_PATIENCE * tries : tries;
}

static bool is_due(const struct check *check, unsigned int attempt)
{
	return attempt == 1 || (check->error && attempt <= tries_of(check));
}

static bool is_word_due(const struct check *check, unsigned int attempt)
{
	enum plan_check_kind kind = check->step->check.kind;

	return (kind == PLAN_CHECK_WORD || kind == PLAN_CHECK_LIMITS) && is_due(check, attempt);
}

#define BUCKETS 8 /* of turbo-ratio limits */

static unsigned int ratio_of(uint64_t limits, unsigned int bucket)
{
	return limits >> 8 * bucket & 0xff;
}

uint64_t check_lower_limits(uint64_t left, uint64_t right)
{
	uint64_t lower = 0;

	for (unsigned int bucket = 0; bucket < BUCKETS; bucket++) {
		unsigned int a = ratio_of(left, bucket), b = ratio_of(right, bucket);

		lower |= (uint64_t)(a < b ? a : b) << 8 * bucket;
	}
	return lower;
}

/* Is every ratio of limits at most that of most? */
static bool are_within(uint64_t limits, uint64_t most)
{
	return check_lower_limits(limits, most) == limits;
}

/*
 * Does the found value show that the write took effect, and firmware limits it? No ratio is higher
 * than was written, none lower than the level would make it. The old value shows a lost write,
 * unless it is what the level makes of the written one.
 */
static bool is_limited(const struct plan_check *wanted, uint64_t found)
{
	uint64_t by_level = check_lower_limits(wanted->value, wanted->level_limits);

	if (!are_within(found, wanted->value))
		return false;
	if (!wanted->has_level_limits)
		return found != wanted->old_value;
	return found == by_level || (found != wanted->old_value && are_within(by_level, found));
}

static void compare_limits(struct check *check, uint64_t found)
{
	const struct plan_check *wanted = &check->step->check;
	bool is_of_level = wanted->has_level_limits &&
			   found == check_lower_limits(wanted->value, wanted->level_limits);

	if (found == wanted->value)
		note_success(check);
	else if (is_limited(wanted, found))
		note(check, 0, "0x%" PRIx64 " was written, 0x%" PRIx64 " is in force: %s limits it",
		     wanted->value, found, is_of_level ? "the level" : "firmware");
	else
		note(check, -EIO, "0x%" PRIx64 " was written, 0x%" PRIx64 " is in force",
		     wanted->value, found);
}

static void compare_word(struct check *check, const struct send_word *word)
{
	const struct plan_check *wanted = &check->step->check;
	uint64_t value = (check->undone ? wanted->old_value : wanted->value) & wanted->mask;
	uint64_t found = word->value & wanted->mask;

	if (word->error)
		note(check, word->error, "cannot be read back: %s",
		     channel_error_text(word->error));
	else if (wanted->kind == PLAN_CHECK_LIMITS && !check->undone)
		compare_limits(check, found);
	else if (found != value)
		note(check, -EIO, "reads 0x%" PRIx64 ", not 0x%" PRIx64, found, value);
	else
		note_success(check);
}

/* All words that are due, together. */
static void check_words(const struct checker *checker, struct check *checks, size_t count,
			unsigned int attempt)
{
	size_t n_words = 0, next = 0;

	for (size_t i = 0; i < count; i++) {
		const struct plan_write *read = &checks[i].step->check.read;

		if (is_word_due(&checks[i], attempt))
			checker->words[n_words++] = (struct send_word){
				.write = read,
				.reads = true,
				.value = read->value,
			};
	}
	sender_send(checker->sender, checker->words, n_words, false);
	for (size_t i = 0; i < count; i++) {
		if (is_word_due(&checks[i], attempt))
			compare_word(&checks[i], &checker->words[next++]);
	}
}

/* Is the text a number, and which? */
static bool is_number(const struct check *check, const char *text, uint64_t *ret_number)
{
	return check->step->check.kind == PLAN_CHECK_NUMBER &&
	       number_parse_file(text, ret_number) == 0;
}

static void compare_number(struct check *check, const char *found, uint64_t wanted)
{
	uint64_t number;

	if (!is_number(check, found, &number))
		note(check, -EIO, "reads \"%s\"", found);
	else if (number != wanted)
		note(check, -EIO, "the kernel made it %" PRIu64, number);
	else
		note_success(check);
}

static size_t trimmed_length(const char *text)
{
	size_t length = strlen(text);

	while (length > 0 && strchr(" \t\n", text[length - 1]))
		length--;
	return length;
}

static bool is_text(const char *found, const char *wanted)
{
	size_t length = wanted ? trimmed_length(wanted) : 0;

	return wanted && strlen(found) == length && strncmp(found, wanted, length) == 0;
}

static void compare_text(struct check *check, const char *found, const char *wanted)
{
	const char *other = check->undone ? NULL : check->step->check.read.text;

	if (is_text(found, wanted) || is_text(found, other))
		note_success(check);
	else
		note(check, -EIO, *found ? "%s" : "it is empty%s", found);
}

static void compare_file(struct check *check, const char *found)
{
	const struct plan_step *step = check->step;
	const char *wanted = check->undone ? step->old_text : check->text ?: step->write.text;
	uint64_t number = 0;

	if (!check->undone && step->check.kind == PLAN_CHECK_NUMBER && step->check.value)
		compare_number(check, found, step->check.value);
	else if (is_number(check, wanted, &number))
		compare_number(check, found, number);
	else
		compare_text(check, found, wanted);
}

static void check_file(const struct checker *checker, struct check *check)
{
	_cleanup_free_ char *found = NULL;
	int err;

	/* What was there before is not known: whatever is there now will do. */
	if (check->undone && !check->step->old_text)
		return;
	err = files_read_back(checker->files, check->step->write.path, &found);
	if (err)
		note(check, err, "cannot be read back: %s", strerror(-err));
	else
		compare_file(check, found);
}

static void check_due(const struct checker *checker, struct check *checks, size_t count,
		      unsigned int attempt)
{
	check_words(checker, checks, count, attempt);
	for (size_t i = 0; i < count; i++) {
		enum plan_check_kind kind = checks[i].step->check.kind;

		if ((kind == PLAN_CHECK_NUMBER || kind == PLAN_CHECK_TEXT) &&
		    is_due(&checks[i], attempt))
			check_file(checker, &checks[i]);
	}
}

void check_run(const struct checker *checker, struct check *checks, size_t count)
{
	unsigned int attempt = 1;
	bool again;

	do {
		if (attempt > 1 && wait_us_or_stop(checker->stop, TRY_DISTANCE_US))
			return;
		check_due(checker, checks, count, attempt++);
		again = false;
		for (size_t i = 0; i < count; i++)
			again = again || is_due(&checks[i], attempt);
	} while (again);
}
