/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the present state of a machine as a document (docs/spec/state.md, "Document"). */
#ifndef STATE_EXPORT_H
#define STATE_EXPORT_H

#include <stdio.h>

#include "settings/view.h"

struct export_options {
	/* NULL-terminated feature words and names of members, or their beginnings ("cpufreq",
	 * "cpufreq.epp", "core-power.clos"); NULL: everything */
	const char *const *only;
	bool is_portable; /* names replace CPU numbers; "require" only if some remain */
	const struct cpuset *cpus; /* only settings of these and their cores and policies */
	/* CPUs whose base_frequency is not read, since the kernel would query them. While turbo is
	 * off, their upper limit is left out. NULL: none */
	const struct cpuset *not_asked;
	/* why Speed Select cannot be queried on a machine that has it; or NULL */
	const char *lacks_platform;
};

/* A setting that is left out, or that is written with another value. */
struct export_remark {
	char *text; /* a location and setting, "package-0 turbo-mode.trl"; of a note, a sentence */
	int error; /* why it could not be read, a negative errno; 0: a note */
};

struct export_remarks {
	struct export_remark *list;
	size_t count;
};

#define _cleanup_export_remarks_ __attribute__((cleanup(export_remarks_done)))

void export_remarks_done(struct export_remarks *remarks);

/* Returns true if the document lacks settings since Speed Select could not be queried. */
bool export_is_incomplete(const struct export_options *options);

/* Reads the state and makes its document, a new text in *ret_text. Equal states give equal texts.
 * Settings that could not be read are left out and named in remarks. The caller releases remarks,
 * also after a failure. state needs its files. Returns 0 or -ENOMEM. */
int export_make(struct state_machine *state, const struct export_options *options, char **ret_text,
		struct export_remarks *remarks);

#endif
