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
	bool is_portable; /* packages and named sets in place of CPU numbers, "require" for these
			     only */
	const struct cpuset *cpus; /* only members of CPUs, cores and policies, of these; or NULL */
	/* whose base_frequency is not read, since the kernel would ask them: while turbo is off,
	 * their upper limit is left out; or NULL */
	const struct cpuset *not_asked;
	/* why Speed Select could not be asked on a machine that has it; or NULL */
	const char *lacks_platform;
};

/* What was not written as it is. */
struct export_remark {
	char *text; /* a place and a setting, "package-0 turbo-mode.trl"; of a note, a sentence */
	int error; /* why it could not be read, a negative errno; 0: a note */
};

struct export_remarks {
	struct export_remark *list;
	size_t count;
};

#define _cleanup_export_remarks_ __attribute__((cleanup(export_remarks_done)))

void export_remarks_done(struct export_remarks *remarks);

/* Does the document miss settings of Speed Select that could not be asked? */
bool export_is_incomplete(const struct export_options *options);

/* Reads the state and makes its document, whose text is the same for equal states: *ret_text is
 * new. What could not be read is left out and named in remarks, which are to be released also on
 * failure. state needs its files. Returns 0 or -ENOMEM. */
int export_make(struct state_machine *state, const struct export_options *options, char **ret_text,
		struct export_remarks *remarks);

#endif
