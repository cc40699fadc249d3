/* SPDX-License-Identifier: GPL-2.0-only */
/* The stages of a setting command that follow its handler. */
#ifndef RUN_SETTING_H
#define RUN_SETTING_H

#include "run/context.h"
#include "settings/follow.h"

/* Plans the requests of context->plan.wanted, and reports what could not be read. If there is no
 * problem, shows the changes in a dry run, or carries out all or none of them. Then puts the
 * results of each target and of the locations that context->plan.wanted names. Returns 0 or
 * -ENOMEM. */
int setting_run(struct context *context);

/* Writes the map of CPUs, which keeps the places of those that go offline. Returns whether it could
 * be written; if not, that is reported. */
bool setting_keep_map(struct context *context);

/* Notes levels as record_note_levels(), so that the daemon does not follow them. Returns 0, also
 * after a failure, which is reported; or -ENOMEM. */
int setting_note_levels(struct context *context, const struct follow_domain *domains, size_t count,
			const struct cpuset *before);

/* To be called by handlers that set single CPUs of complete domains (-o, --auto). Refuses the
 * command if the core of a CPU of a target's package is unknown. Offline CPUs without a known
 * location are left out, which is reported; under the name isst, the command is refused.
 * consequence describes what happens to these CPUs ("they stay offline"). Returns 0 or -ENOMEM. */
int setting_report_unknown_places(struct context *context, const char *consequence);

#endif
