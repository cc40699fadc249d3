/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A plan: every write of a command as data, in order, before the first one is made (commands.md,
 * "Safety of every setting command"). --dry-run shows it, plan_run() carries it out: both read the
 * same steps. A write that would change nothing does not become a step.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum plan_kind {
	PLAN_MAILBOX,
	PLAN_MMIO,
	PLAN_MSR,
	PLAN_TPMI,
	PLAN_FILE,
	PLAN_MAKE_DIRECTORY,
	PLAN_REMOVE_DIRECTORY,
	PLAN_SAY /* no write: the step is its announcement alone; --dry-run leaves it out */
};

/* One write: where it goes and what. Members that its kind does not need stay 0. */
struct plan_write {
	enum plan_kind kind;
	uint32_t cpu; /* mailbox, MMIO, MSR: the CPU that names the power domain or package */
	uint16_t command; /* mailbox */
	uint16_t sub_command;
	uint32_t parameter; /* mailbox; TPMI: the CLOS or the core, where it is about one */
	uint32_t address; /* register or MSR; TPMI: the request, ISST_* */
	uint32_t package; /* TPMI */
	uint32_t power_domain; /* TPMI */
	uint64_t value; /* mailbox: the request data; TPMI: a word of tpmi_words.h */
	const char *path; /* file or directory */
	/* of a file; NULL: not known before the CPU is online, such a step can only be shown */
	const char *text;
};

/* How a step is read back. */
enum plan_check_kind {
	PLAN_CHECK_NONE,
	PLAN_CHECK_WORD, /* by the read at .read: the bits of mask are value, undone: old_value */
	/*
	 * The same for turbo-ratio limits. Firmware may limit what is set by the level
	 * (hardware.md, section 3), which is not a failure but a note; undone: old_value.
	 */
	PLAN_CHECK_LIMITS,
	PLAN_CHECK_NUMBER, /* a file: the number that was written, or .value where that is not 0 */
	/* a file: the text that was written, or .read.text where that is not NULL; undone: old_text
	 */
	PLAN_CHECK_TEXT
};

struct plan_check {
	enum plan_check_kind kind;
	struct plan_write read; /* PLAN_CHECK_WORD: what to send; its value is the request data */
	uint64_t mask;
	uint64_t value;
	uint64_t old_value;
	bool has_level_limits; /* PLAN_CHECK_LIMITS: the level's own ratios are known */
	uint64_t level_limits;
	unsigned int tries; /* 1 ms apart; 0 is 1; of undoing four times as many, where above 1 */
};

#define PLAN_NO_CPU UINT32_MAX

#define PLAN_NO_PACKAGE UINT32_MAX

/*
 * What a step is about, for messages: "package-0 die-1", the power domain where such ids are known,
 * and the CPU where it is of one CPU.
 */
struct plan_subject {
	uint32_t package; /* or PLAN_NO_PACKAGE: of the whole machine */
	uint32_t die;
	bool die_is_io; /* it is called "die-IO" */
	bool die_is_unknown; /* it is left out */
	bool has_power_domain;
	uint32_t power_domain;
	uint32_t cpu; /* or PLAN_NO_CPU */
};

/*
 * A step as it is added: texts and arrays are copied. old_text and new_text are what is shown;
 * old_text NULL: not known before; new_text NULL: what is written is shown. Undoing writes
 * old_value (old_text for a file) to the same place, or, where given, the n_undo writes at undo in
 * order; a directory is removed or made again. What is not undoable, or has no old_text and no
 * undo, is left as it is and counts as not undone. Undoing is right when check tells so and each of
 * the n_undo_checks words reads its value.
 */
struct plan_step {
	struct plan_subject subject;
	/* "CLOS 1", "scaling_max_freq": the same words for like steps but for a last number */
	const char *what;
	struct plan_write write;
	/* a file: tried in place of write.text where the kernel knows no such word (-EINVAL) */
	const char *fallback_text;
	uint64_t old_value;
	const char *old_text;
	const char *new_text;
	const struct plan_write *undo;
	size_t n_undo;
	const struct plan_check *undo_checks; /* PLAN_CHECK_WORD */
	size_t n_undo_checks;
	struct plan_check check;
	/*
	 * A file that can be read only when earlier steps are done: it is read just before it is
	 * written, and that is old_text then. The step is passed over where there is no such file,
	 * or its number is at least enough; 0: none is.
	 */
	bool late;
	uint64_t enough;
	int ignored_error; /* a negative errno that makes its failure a note; or 0 */
	bool optional; /* its failure is a note, not the plan's */
	bool not_undoable;
	uint32_t settle_us; /* to wait after it, done or undone, before it is read back */
	uint32_t batch; /* neighbours of one kind, not files, with this number above 0 go out
			   together */
	const char *announce; /* "online cpu 5": said when it is done */
};

struct plan;

#define _cleanup_plan_ __attribute__((cleanup(plan_free)))

/* Returns 0 or -ENOMEM. */
int plan_new(struct plan **ret_plan);

/* Frees *plan, which may be NULL, and leaves NULL. */
void plan_free(struct plan **plan);

/* Adds a step at the end. Returns 0, or -ENOMEM with the plan as it was. */
int plan_add(struct plan *plan, const struct plan_step *step);

/* Changes the CPU by which a step's write names its domain, in a plan that is only shown. */
void plan_set_cpu(struct plan *plan, size_t step, uint32_t cpu);

/* The steps so far; valid until the next is added. */
const struct plan_step *plan_steps(const struct plan *plan, size_t *ret_count);

/* Lets every step so far fail alone: its failure is a note then. */
void plan_make_optional(struct plan *plan);

/* A number for the batch of steps to be added next, unused so far. */
uint32_t plan_new_batch(struct plan *plan);

#endif
