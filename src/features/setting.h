/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every setting command does around its plan: the current level read and checked, and at the
 * end the plan shown or carried out, with a result for each target.
 */
#ifndef FEATURES_SETTING_H
#define FEATURES_SETTING_H

#include "cli/context.h"
#include "plan/plan.h"

/* The domains of a context at their current levels. */
struct setting {
	struct platform_pp_query *pp; /* by domain */
	struct platform_level_query *levels; /* by domain: the current one */
	size_t n_domains;
};

#define _cleanup_setting_ __attribute__((cleanup(setting_done)))

/*
 * Reads SST-PP and, with these parts, the current level of every domain. What cannot be read
 * becomes an error in the context. Returns 0 or -ENOMEM.
 */
int setting_init(struct context *context, unsigned int parts, struct setting *ret_setting);
void setting_done(struct setting *setting);

/* Of --auto, for setting_report_unplaced(). */
#define SETTING_AUTO_CONSEQUENCE                                                                  \
	"their cores keep the CLOS that they have, which is 0 after a start, the one of highest " \
	"priority, and their frequency limits"

enum setting_feature { SETTING_BASE_FREQ, SETTING_TURBO_FREQ };

/* Reports the domains whose current level lacks the feature. */
void setting_check_feature(struct context *context, const struct setting *setting,
			   enum setting_feature feature);

/*
 * The same before switching it off: in a domain that lacks the feature it is off already, which is
 * a note, and the domain gets no write. A domain without CPUs is passed over.
 */
void setting_note_absent_feature(struct context *context, const struct setting *setting,
				 enum setting_feature feature);

/*
 * Adds the steps that switch the feature in every domain, and leave the other as it is. What cannot
 * be read becomes an error in the context. Returns 0 or -ENOMEM.
 */
int setting_plan_feature(struct context *context, const struct setting *setting,
			 enum setting_feature feature, enum platform_switch wanted);

/*
 * Are the writes of the context's plan to be made? Not where something is refused, not in a
 * rehearsal, and not in a dry run, which is shown here.
 */
bool setting_is_to_be_made(struct context *context);

/* Has any target failed, lacked something or been refused so far? Then nothing may be written. */
bool setting_is_refused(const struct context *context);

/* A new array of one wish for each domain (as context_new_queries()), or NULL. Of a domain that is
 * left out it has no domain.
 */
void *setting_new_wishes(const struct context *context, size_t wish_size);

/* Reports an error of a domain's wish as one of its first target. */
void setting_report_wish(struct context *context, size_t domain, int err, const char *what);

/* Which result a command has: FEATURE {COMMAND: success}, and that of turbo-freq enable --auto. */
struct setting_result {
	const char *node;
	const char *leaf;
	const char *auto_node; /* or NULL: a last node for no CPU in particular */
	bool by_cpu; /* it sets single CPUs: a failure of one is not that of the others */
	bool takes_cpus_offline; /* the map of CPUs is written first */
};

/*
 * Called by commands that set single CPUs of whole domains (-o, --auto): refuses the command if
 * the core of a CPU of a target's package is unknown. Offline CPUs whose places are not known are
 * left out, which is reported, and refused under the name isst. consequence is what follows for
 * them ("they stay offline"). Returns 0 or -ENOMEM.
 */
int setting_report_unplaced(struct context *context, const char *consequence);

/*
 * The end of the command: nothing where something was refused; the context's plan shown where
 * --dry-run is given; else the plan carried out, reported, and a result put for each target.
 * Returns 0 or -ENOMEM.
 */
int setting_finish(struct context *context, const struct setting_result *result);

#endif
