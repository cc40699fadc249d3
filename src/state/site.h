/* SPDX-License-Identifier: GPL-2.0-only */
/* How the machine differs from the state document of its site (docs/spec/state.md, "Document"),
 * for commands that show this among other things. */
#ifndef STATE_SITE_H
#define STATE_SITE_H

#include "output/report.h"
#include "settings/locations.h"

struct site_drift {
	size_t count; /* of differences that were found */
	char *problem; /* why the comparison is not complete; NULL: it is */
};

void site_drift_done(struct site_drift *drift);

/* Compares the machine with the document without any output. *state becomes the machine that was
 * compared, so that its values need not be read again. It needs state_machine_done() in any case.
 * Returns 0; -ENOENT if the site has no document, or its directory is missing; -EINVAL if the
 * document is wrong, with problem; another negative errno of reading it; -ENOMEM. */
int site_compare(const struct machine *machine, struct platform *platform, struct output *output,
		 struct state_machine *state, struct site_drift *ret_drift);

#endif
