/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds how the machine differs from a state document, and plans the changes that set it. */
#ifndef STATE_COMPARE_H
#define STATE_COMPARE_H

#include "state/wanted.h"

/* A setting of one location that is not as it should be. */
struct difference {
	size_t row; /* index in the wanted rows */
	size_t place; /* index in the places of the row */
	struct state_value is; /* STATE_NONE: unknown before the CPU is online */
	struct state_value wanted;
	bool is_reset; /* the document does not name it: a change of the level resets it */
	/* the value matches now, but a change of the plan alters it: the new mode of intel_pstate
	 * resets it; or it matches perhaps only by the base frequency (turbo is off) or by the
	 * highest frequency, which changes */
	bool is_lost;
};

struct comparison {
	struct wanted_state *wanted; /* owned by the caller; its words are resolved to values */
	struct setting_view view;
	/* resets first, then by row and place; NULL: all is planned */
	struct difference *list;
	size_t count;
};

#define _cleanup_comparison_ __attribute__((cleanup(comparison_done)))

/* Reads the settings that a resolved document names, resolves its words for the state after apply,
 * and checks that state. is_planned: changes of the level are predicted first. Problems go to the
 * report of wanted: settings that cannot be read or that the machine or the level lacks, and values
 * that contradict each other. If the document is wrong or for another machine, nothing is read.
 * *comparison must be empty. Returns 0 with the differences that could be found; or -ENOMEM.
 * comparison_done() is needed in any case. */
int comparison_make(struct wanted_state *wanted, bool is_planned, struct comparison *comparison);
void comparison_done(struct comparison *comparison);

/* Return the wanted row and the location of a difference. */
const struct state_row *comparison_row(const struct comparison *comparison,
				       const struct difference *difference);
const struct place *comparison_place(const struct comparison *comparison,
				     const struct difference *difference);

/* Returns the differences as a new object, by location and setting. Each has the present value
 * under is_key and the wanted value under wanted_key. Equal neighbours share one object. NULL: no
 * memory. */
json_t *comparison_to_json(const struct comparison *comparison, const char *is_key,
			   const char *wanted_key);

/* Appends "no longer high priority: cores of CPUs 8-63", if cores leave CLOS 0 and 1 (output.md,
 * "Terse results"). Returns 0 or -ENOMEM. */
int comparison_write_demoted(const struct comparison *comparison, struct buffer *to);

/* Appends each difference as a line: "PLACE SETTING: IS", the text between, "WANTED". Equal CPUs of
 * a package share a line, and so do equal power domains of a die. Returns 0 or -ENOMEM. */
int comparison_write(const struct comparison *comparison, const char *between, struct buffer *to);

/* What comparison_plan() plans: all, or one stage. The second stage can be read only after the
 * first one is carried out. */
enum comparison_stage {
	STAGE_CPUS = 1, /* CPUs come online, the level, the mode of intel_pstate */
	STAGE_SETTINGS = 2, /* the rest */
	STAGE_ALL = STAGE_CPUS | STAGE_SETTINGS
};

/* Adds the changes that remove the differences, in the order of docs/spec/state.md, "Apply". Frees
 * the list of differences when all are planned. Reports problems. Returns 0 or -ENOMEM. */
int comparison_plan(struct comparison *comparison, enum comparison_stage stage,
		    struct change_list *changes);

/* Returns true if the second stage can be read only after the first one is carried out. */
bool comparison_needs_stages(const struct comparison *comparison);

#endif
