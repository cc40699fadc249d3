/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading performance levels for the targets of a command: which levels there are, what is wrong
 * with the one that was asked for, and their figures. Shared by the features that take -l.
 */
#ifndef FEATURES_LEVELS_H
#define FEATURES_LEVELS_H

#include "cli/context.h"

/* Levels of the domains of a context. */
struct levels {
	struct platform_pp_query *pp; /* by domain */
	struct platform_level_query *queries; /* domain by domain, ascending */
	size_t n_queries;
	size_t *first; /* by domain: its first query; one more entry ends the last */
};

#define LEVELS_ALL UINT32_MAX

#define _cleanup_levels_ __attribute__((cleanup(levels_done)))

/*
 * Reads level (0 to 7), or LEVELS_ALL, of every domain, with these parts (enum platform_part). A
 * level above the highest of every domain is a usage error, put out here. Returns 0, or -ENOMEM.
 */
int levels_read(struct context *context, uint32_t level, unsigned int parts,
		struct levels *ret_levels);
void levels_done(struct levels *levels);

/* Reads SST-PP of every domain into a new array. Returns 0 or -ENOMEM. */
int levels_read_pp(struct context *context, struct platform_pp_query **ret_queries);

/* The one level that was read of a domain (an index), or NULL where the domain ends below it. */
const struct platform_level_query *levels_of_domain(const struct levels *levels, size_t domain);

/* Reads SST-CP, without CLOS, of every domain into a new array. Returns 0 or -ENOMEM. */
int levels_read_core_power(struct context *context, struct platform_core_power_query **ret_queries);

/*
 * Reads one level of every domain and calls show for each target of which it could be read; the
 * others become errors here. Returns 0 or -ENOMEM.
 */
int levels_show(struct context *context, uint32_t level, unsigned int parts,
		void (*show)(struct context *context, const struct target *target,
			     const struct platform_level_query *query, const void *arguments),
		const void *arguments);

/* The same, of levels that were read. */
void levels_put(struct context *context, const struct levels *levels,
		void (*show)(struct context *context, const struct target *target,
			     const struct platform_level_query *query, const void *arguments),
		const void *arguments);

/* The option -l of a command that takes one level: its struct has an option_number level. */
#define LEVELS_OPTION(type)                                                                   \
	.letter = 'l', .name = "level", .value = "LEVEL", .required = true, .historic = true, \
	.help = "The performance level, 0 to 7", OPTION_NUMBER(type, level, 0, SST_MAX_LEVEL)

/*
 * Puts an error out for a target whose SST-PP or level cannot be shown (query NULL: the whole
 * domain), and counts it. Returns whether it did.
 */
bool levels_report_pp(struct context *context, const struct target *target,
		      const struct platform_pp_query *query);
bool levels_report(struct context *context, const struct target *target,
		   const struct platform_level_query *query);

#endif
