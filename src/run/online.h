/* SPDX-License-Identifier: GPL-2.0-only */
/* --all-cpus-online: the first changes of a command bring CPUs online. */
#ifndef RUN_ONLINE_H
#define RUN_ONLINE_H

#include "run/context.h"

/* Plans in context->plan to bring every present CPU online, and sets topology.coming to those CPUs:
 * without second threads while SMT is off. Returns 0 or -ENOMEM. */
int online_plan(struct context *context);

/* After online_plan(): notes the second threads that stay offline because SMT is off. */
void online_note_threads(struct context *context);

/* In a trial run of a setting command: from now on the CPUs that are coming count as online, if
 * their packages and cores are known (all of them, if no platform is open). Notes the others in a
 * dry run. Returns 0 or -ENOMEM. */
int online_expect(struct context *context);

/* Before the changes of a trial run are shown: names power domains in them by the CPUs that will
 * name them when all CPUs are online. */
void online_name_cpus(struct context *context);

#endif
