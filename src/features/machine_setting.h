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
 * Nothing where something was refused; the context's plan shown where --dry-run is given; else it
 * is carried out and reported, with results. *ret_is_set tells whether all of it was carried out.
 * Returns 0 or -ENOMEM.
 */
int machine_setting_finish(struct context *context, const struct machine_setting *setting,
			   bool *ret_is_set);

#endif
