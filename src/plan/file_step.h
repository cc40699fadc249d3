/* SPDX-License-Identifier: GPL-2.0-only */
/* A step that writes one kernel file (sysfs.md, introduction: what is written is read back). */
#ifndef PLAN_FILE_STEP_H
#define PLAN_FILE_STEP_H

#include "machine/files.h"
#include "plan/plan.h"

/* What a file is to hold. Texts are copied. */
struct file_step {
	struct plan_subject subject;
	const char *path;
	const char *what; /* as in struct plan_step */
	const char *text; /* what is written */
	enum plan_check_kind check; /* NUMBER, TEXT or NONE */
	const char *other_text; /* TEXT: what the file may read as well; or NULL */
	unsigned int tries; /* as in struct plan_check */
	const char *old_text; /* what it holds, if that is known; NULL: it is read */
	bool always; /* an earlier step may change it: it is written whatever it holds now */
};

/*
 * Reads the file, if need be, and adds a step that writes it, none where it holds that already.
 * Returns 0; the negative errno of reading, with no step added; -ENOMEM.
 */
int file_step_add(struct plan *plan, struct files *files, const struct file_step *step);

/*
 * Adds the step of a CPU that is still to come online, without reading the file. The step can only
 * be shown; it is planned again when the CPU is online. Returns 0 or -ENOMEM.
 */
int file_step_add_later(struct plan *plan, const struct file_step *step);

/* Why the kernel refused a write, where that file's errno says more than its name. */
struct file_cause {
	int error; /* the same errno, or one that says more */
	const char *text; /* static; NULL: nothing more is known */
};

/* The cause of a negative errno of writing or reading the file at path (sysfs.md). */
struct file_cause file_step_cause(const char *path, int error);

#endif
