/* SPDX-License-Identifier: GPL-2.0-only */
/* One write on its way, and one step taken back. */
#ifndef PLAN_UNDO_H
#define PLAN_UNDO_H

#include "plan/check.h"

/*
 * Makes one write with value (of a mailbox, register or MSR) or text (of a file). Returns 0, or a
 * negative errno as in struct send_word or machine/files.h.
 */
int undo_write(const struct checker *checker, const struct plan_write *write, uint64_t value,
	       const char *text);

/*
 * Takes a step back and reads it back. Returns 0; or a negative errno with *ret_reason a new text
 * that says more, or NULL: -ENOTSUP (the step cannot be undone), -ENODATA (what was there before is
 * not known), -EIO (it does not read as before), others of the write.
 */
int undo_step(const struct checker *checker, const struct plan_step *step, char **ret_reason);

#endif
