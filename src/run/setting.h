/* SPDX-License-Identifier: GPL-2.0-only */
/* The stages of a setting command that follow its handler. */
#ifndef RUN_SETTING_H
#define RUN_SETTING_H

#include "run/context.h"
#include "settings/follow.h"

/* Plans what context->plan.wanted has, and reports what could not be read. Without a
 * problem so far it then shows the changes in a dry run, or carries them out, all or nothing, and
 * puts the results: of each target and of the places that context->plan.wanted names.
 * Returns 0 or -ENOMEM.
 */
int setting_run(struct context *context);

/* Writes the map of CPUs, which keeps the places of those that go offline. Returns whether it could
 * be written; if not, that is reported. */
bool setting_keep_map(struct context *context);

/* Notes levels as record_note_levels(), so that the daemon does not follow them. Returns 0, also
 * after a failure, which is reported; or -ENOMEM. */
int setting_note_levels(struct context *context, const struct follow_domain *domains, size_t count,
			const struct cpuset *before);

/* Called by the handlers of commands that set single CPUs of whole domains (-o, --auto): refuses
 * the command if the core of a CPU of a target's package is unknown. Offline CPUs whose places
 * are unknown are left out, which is reported, and refused under the name isst. consequence is what
 * follows for them ("they stay offline"). Returns 0 or -ENOMEM. */
int setting_report_unknown_places(struct context *context, const char *consequence);

#endif
