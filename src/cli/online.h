/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --all-cpus-online: the first steps of the command's own plan (commands.md, "Options before the
 * feature").
 */
#ifndef CLI_ONLINE_H
#define CLI_ONLINE_H

#include "cli/context.h"

/*
 * Adds to context->plan the steps that bring every present CPU online, and notes those CPUs in
 * topology.coming: no second threads while SMT is off. Returns 0 or -ENOMEM.
 */
int online_plan(struct context *context);

/* After online_plan(): notes the second threads that stay offline because SMT is off. */
void online_note_threads(const struct context *context);

/*
 * In a rehearsal of a setting command: from now on the CPUs that are coming count as online, if
 * their places are known (all of them, if no platform is open). Notes the others in a dry run.
 * Returns 0 or -ENOMEM.
 */
int online_expect(struct context *context);

/*
 * Before a rehearsed plan is shown: names power domains in its writes by the CPUs that will name
 * them when all CPUs are online.
 */
void online_name_cpus(struct context *context);

#endif
