/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of the feature word machine: handlers and their arguments. */
#ifndef FEATURES_MACHINE_MACHINE_H
#define FEATURES_MACHINE_MACHINE_H

#include "run/context.h"

/* machine summary (record.md, "summary"): a handler, as struct command has it. */
int machine_summary(struct context *context);

struct machine_summary_arguments {
	struct option_number width;
};

/* machine record (record.md, "record"). */
int machine_record(struct context *context);

struct machine_record_arguments {
	bool list;
	bool pci;
	const char *share; /* a file, or NULL */
};

/* machine diff (record.md, "diff"). */
int machine_diff(struct context *context);

struct machine_diff_arguments {
	const char *left;
	const char *right;
	bool all;
};

/* machine check (record.md, "check"). */
int machine_check(struct context *context);

extern const char *const machine_profiles[]; /* names of the installed profiles; NULL ends them */

struct machine_check_arguments {
	const char *profile; /* a name or a path */
};

/* machine verify (record.md, "verify"). */
int machine_verify(struct context *context);

struct machine_verify_arguments {
	bool measure;
	const char *save; /* a file, or NULL */
};

/* machine choose (choose.md, "machine choose"). */
int machine_choose(struct context *context);

struct machine_choose_arguments {
	struct option_number cores;
	struct option_number mhz;
	struct option_number isa; /* one of levels_trl_words; not given: SSE */
	struct option_number others_mhz;
	struct option_number watts;
	const char *near;
	struct option_number node;
	bool spread;
	bool pack;
	bool allow_offline;
	struct option_number pick;
	bool explain;
	const char *state; /* a file, or NULL */
};

#endif
