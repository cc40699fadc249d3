/* SPDX-License-Identifier: GPL-2.0-only */
/* The stages that setting commands share: requests planned, and changes shown or carried out, with
 * a result for each place. */
#ifndef FEATURES_SETTING_H
#define FEATURES_SETTING_H

#include "features/levels.h"
#include "run/context.h"
#include "settings/settings.h"

/* Adds the request for each domain of the context that is to be set, with what levels (or NULL) has
 * of it. */
void setting_add_domains(const struct context *context, struct setting_list *list,
			 const struct levels *levels, struct setting_request request);

/* Plans the requests, as settings_plan(), reports what could not be read, and empties the list.
 * Returns 0 or -ENOMEM. */
int setting_plan(struct context *context, struct setting_list *list);

/* Has any target failed, lacked something or been refused so far? Then nothing may be written. */
bool setting_is_refused(const struct context *context);

/* What setting_report_unplaced() says with --auto. */
#define SETTING_AUTO_CONSEQUENCE                                                                  \
	"their cores keep the CLOS that they have, which is 0 after a start, the one of highest " \
	"priority, and their frequency limits"

/* Called by commands that set single CPUs of whole domains (-o, --auto): refuses the command if
 * the core of a CPU of a target's package is unknown. Offline CPUs whose places are not known are
 * left out, which is reported, and refused under the name isst. consequence is what follows for
 * them ("they stay offline"). Returns 0 or -ENOMEM. */
int setting_report_unplaced(struct context *context, const char *consequence);

/* The results of a command, each FEATURE {COMMAND: success}: of every target, if the command has
 * targets, and of what is given here. */
struct setting_result {
	const char *node;
	const char *leaf;
	const char *auto_node; /* or NULL: a last node for no CPU in particular */
	bool by_cpu; /* targets are set one by one: a failure of one is not that of the others */
	bool of_machine; /* one of the machine */
	bool of_cpus; /* one of each CPU of the context */
	const struct output_place *places; /* one of each die or power domain */
	size_t n_places;
	bool takes_cpus_offline; /* the map of CPUs is written first */
};

/* The end of a setting command: does nothing if something was refused; shows the context's changes
 * in a dry run; else carries them out, reports, and puts the results. Returns 0 or -ENOMEM. */
int setting_finish(struct context *context, const struct setting_result *result);

/* After setting_finish(): were all changes carried out? */
bool setting_is_done(const struct context *context);

#endif
