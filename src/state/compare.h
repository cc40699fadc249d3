/* SPDX-License-Identifier: GPL-2.0-only */
/* How the machine differs from what a state document wants, and the requests that set it. */
#ifndef STATE_COMPARE_H
#define STATE_COMPARE_H

#include "state/wanted.h"

/* One setting of one place that is not as it should be. */
struct difference {
	size_t row; /* of the wanted rows */
	size_t place; /* of the places of its member */
	struct state_value is; /* STATE_NONE: unknown before the CPU is online */
	struct state_value wanted;
	bool is_reset; /* the document does not name it: a change of the level resets it */
	/* it is as wanted until the new mode of intel_pstate resets it, or perhaps only by the base
	 * frequency, without turbo, or by the highest one, which moves */
	bool is_lost;
};

struct comparison {
	struct wanted_state *wanted; /* the caller's; its words are resolved to values */
	struct setting_view view;
	/* first what is reset, then in the order of rows and places; NULL: all is planned */
	struct difference *list;
	size_t count;
};

#define _cleanup_comparison_ __attribute__((cleanup(comparison_done)))

/* Reads what a resolved document names, resolves its words for the state after apply, and checks
 * that state. Without is_planned the differences are those from the state as it is. Problems go to
 * the report of wanted: what cannot be read, what the machine or the level lacks, values that
 * contradict each other. After one of resolving, as it is for another machine or wrong, nothing is
 * read. *comparison is empty before. Returns 0 with the differences that could be found; or
 * -ENOMEM. comparison_done() is needed in any case. */
int comparison_make(struct wanted_state *wanted, bool is_planned, struct comparison *comparison);
void comparison_done(struct comparison *comparison);

/* The wanted row, and the place, of a difference. */
const struct state_row *comparison_row(const struct comparison *comparison,
				       const struct difference *difference);
const struct place *comparison_place(const struct comparison *comparison,
				     const struct difference *difference);

/* The differences as a new object, by place and setting: each has the value that is, and the one
 * that is wanted, under these keys. Neighbours with equal values share their objects. NULL: no
 * memory. */
json_t *comparison_to_json(const struct comparison *comparison, const char *is_key,
			   const char *wanted_key);

/* Appends "no longer high priority: cores of CPUs 8-63", if cores leave CLOS 0 and 1 (output.md,
 * "Terse results"). Returns 0 or -ENOMEM. */
int comparison_write_demoted(const struct comparison *comparison, struct buffer *to);

/* Appends them as lines "PLACE SETTING: IS", between, "WANTED"; CPUs of a package and power domains
 * of a die that are equal share a line. Returns 0 or -ENOMEM. */
int comparison_write(const struct comparison *comparison, const char *between, struct buffer *to);

/* What comparison_plan() plans: all, or the stages of which the second one can be read only when
 * the first one is carried out. */
enum comparison_stage {
	STAGE_CPUS = 1, /* CPUs come online, the level, the mode of intel_pstate */
	STAGE_SETTINGS = 2, /* the rest */
	STAGE_ALL = STAGE_CPUS | STAGE_SETTINGS
};

/* Adds the changes that remove the differences, in the order of docs/spec/state.md, "Apply",
 * and frees their list once all is planned. Problems go to the report. Returns 0 or -ENOMEM. */
int comparison_plan(struct comparison *comparison, enum comparison_stage stage,
		    struct change_list *changes);

/* Must the first stage be carried out before the second can be read? */
bool comparison_needs_stages(const struct comparison *comparison);

#endif
