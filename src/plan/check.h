/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading back what was written, or what was undone. */
#ifndef PLAN_CHECK_H
#define PLAN_CHECK_H

#include "machine/files.h"
#include "plan/plan.h"
#include "plan/send.h"

struct check {
	const struct plan_step *step;
	bool undone; /* is it as before the step? Else: is it as the step makes it? */
	const char *text; /* of a file: what was written, where it is not the step's text */
	int error; /* 0: it is; -EIO: it is otherwise; other: it could not be read */
	/* a new text of what was found: with an error, or if firmware limits what was written; else
	 * NULL */
	char *reason;
};

struct checker {
	struct sender *sender;
	struct files *files;
	const struct wait_stop *stop; /* ends the wait between two tries; or NULL */
	struct send_word *words; /* room for as many as are checked at once */
};

/* The lower ratio of each bucket of two words of turbo-ratio limits, eight ratios of 8 bits. */
uint64_t check_lower_limits(uint64_t left, uint64_t right);

/* Can a check tell whether the step has taken effect? Not where there is none. */
bool check_can_tell(const struct plan_step *step);

/*
 * Reads back what checks[0..count-1] ask for, whose error is 0, and fills in error and reason:
 * words together, each as often as its step allows, or until the program is asked to stop. A step
 * without a check has error 0.
 */
void check_run(const struct checker *checker, struct check *checks, size_t count);

#endif
