/* SPDX-License-Identifier: GPL-2.0-only */
/* The end of a setting command that needs no Speed Select. */
#ifndef FEATURES_MACHINE_SETTING_H
#define FEATURES_MACHINE_SETTING_H

#include "cli/context.h"
#include "plan/plan.h"

/* Which results it has: node {set: success}, for the machine, each CPU, each of these places. */
struct machine_setting {
	const char *node;
	bool of_cpus;
	bool of_machine;
	const struct output_place *places; /* without CPUs: dies or power domains */
	size_t n_places;
};

/*
 * Does nothing if something was refused; shows the context's plan if --dry-run is given; else
 * carries it out and reports it, with results. *ret_is_set: all of it was carried out. Returns 0 or
 * -ENOMEM.
 */
int machine_setting_finish(struct context *context, const struct machine_setting *setting,
			   bool *ret_is_set);

#endif
