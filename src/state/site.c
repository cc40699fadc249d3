// SPDX-License-Identifier: GPL-2.0-only
/* Compares the machine with the state document of its site, and counts what differs. */
#include "state/site.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "state/compare.h"

void site_drift_done(struct site_drift *drift)
{
	free(drift->problem);
	*drift = (struct site_drift){ 0 };
}

int site_compare(const struct machine *machine, struct platform *platform, struct output *output,
		 struct state_machine *state, struct site_drift *ret_drift)
{
	_cleanup_(report_done) struct report report = { .output = output, .is_held = true };
	const char *file = machine->host->state_file, *problem;
	_cleanup_document_ struct document document = { 0 };
	_cleanup_wanted_ struct wanted_state wanted = { 0 };
	_cleanup_comparison_ struct comparison comparison = { 0 };
	int err;

	*ret_drift = (struct site_drift){ 0 };
	err = file ? document_read_file(file, &document, &ret_drift->problem) : -ENOENT;
	if (err)
		return err == -ENOTDIR ? -ENOENT : err;
	if (document.has_sst && !platform) {
		ret_drift->problem =
			strdup("it has settings of Speed Select, which cannot be read");
		return ret_drift->problem ? 0 : -ENOMEM;
	}
	err = state_machine_init(state, machine, platform, true);
	if (!err)
		err = wanted_resolve(&wanted, &document, state, &report);
	if (!err)
		err = comparison_make(&wanted, false, &comparison);
	if (err)
		return err;
	problem = report_first_problem(&report);
	ret_drift->count = comparison.count;
	ret_drift->problem = problem ? strdup(problem) : NULL;
	return problem && !ret_drift->problem ? -ENOMEM : 0;
}
