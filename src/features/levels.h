/* SPDX-License-Identifier: GPL-2.0-only */
/* Handles performance levels of the domains of a command: reading, errors, and the nodes of SST-BF
 * and SST-TF. */
#ifndef FEATURES_LEVELS_H
#define FEATURES_LEVELS_H

#include "cli/option.h"
#include "run/context.h"
#include "settings/settings.h"
#include "sst/expected.h"

/* Levels of the domains of a context. */
struct levels {
	struct platform_pp_query *pp; /* by domain */
	struct platform_level_query *queries; /* sorted by domain, then ascending */
	size_t n_queries;
	size_t *first; /* by domain: its first query; one more entry ends the last */
	bool are_current; /* each domain has its current level */
};

#define LEVELS_ALL UINT32_MAX

#define _cleanup_levels_ __attribute__((cleanup(levels_done)))

/* Reads a level (0 to 7) of every domain, or all levels if the option is not given (or NULL), with
 * these parts (enum platform_part). Reports a level above the highest of every domain as a usage
 * error. Returns 0, or -ENOMEM. */
int levels_read(struct context *context, const struct option_number *level, unsigned int parts,
		struct levels *ret_levels);
void levels_done(void *data);

/* Reads the current level of every domain. Reports what cannot be read as an error in the context.
 * Returns 0 or -ENOMEM. */
int levels_read_current(struct context *context, unsigned int parts, struct levels *ret_levels);

/* Prepares to switch a feature, the setting of a path: reads the current level of every domain,
 * with these parts, and reports the domains whose level lacks the feature. If the feature is
 * switched off, this is only a note, since it is off already: the domain gets no write, and without
 * CPUs no result. automatic: for --auto, which sets CPUs of complete domains. Returns 0 with
 * *ret_levels, which context_keep() owns, or NULL if the command is refused; or -ENOMEM. */
int levels_prepare_switch(struct context *context, const char *path, bool on, bool automatic,
			  unsigned int parts, const struct levels **ret_levels);

/* If the levels lack a feature, the setting of a path, in all power domains, notes the levels of
 * these domains that have it, but only under the name isst. Notes that no level has it only if all
 * levels could be read. Returns 0 or -ENOMEM. */
int levels_note_others(struct context *context, const struct levels *levels, const char *path);

/* Enters the node of a target that has SST-BF or SST-TF. A die without cores is shown, but is not
 * counted as a result, since no core there has the feature. */
struct output_scope levels_enter(struct context *context, const struct target *target);

/* Adds a request, like context_request(), for each domain of the context that is to be set, with
 * its data from levels (or NULL). */
#define levels_request(context, levels, path, ...) \
	levels_add_requests(context, levels,       \
			    (struct setting_request){ setting_find(path), __VA_ARGS__ })
void levels_add_requests(struct context *context, const struct levels *levels,
			 struct setting_request request);

/* Reads SST-PP of every domain into a new array. Returns 0 or -ENOMEM. */
int levels_read_pp(struct context *context, struct platform_pp_query **ret_queries);

/* Returns the level read of a domain (an index), or NULL if the domain has no such level. */
const struct platform_level_query *levels_of_domain(const struct levels *levels, size_t domain);

/* Returns the level that was read for a target. If it cannot be shown, reports and counts an error,
 * and returns NULL. */
const struct platform_level_query *levels_get(struct context *context, const struct levels *levels,
					      const struct target *target);

/* The option -l of a command that takes one level: its struct has an option_number level. */
#define LEVELS_OPTION(type)                                                                        \
	.letter = 'l', .name = "level", .value = "LEVEL", .required = true, .from_upstream = true, \
	.help = "The performance level, 0 to 7", OPTION_NUMBER(type, level, 0, SST_MAX_LEVEL)

/* The words of an option that names a turbo-ratio level, and their form in help. levels_trl_of()
 * returns the level that word names; if no word is given, the parameter without. */
#define LEVELS_TRL_VALUE "sse|avx2|avx512|avx512-heavy|amx|level-0..5"
extern const char *const levels_trl_words[];
uint32_t levels_trl_of(const struct option_number *word, uint32_t without);

/* Reports and counts an error for a target whose SST-PP or level cannot be shown (query NULL: the
 * complete domain). Returns true if there is an error. */
bool levels_report_pp(struct context *context, const struct target *target,
		      const struct platform_pp_query *query);
bool levels_report(struct context *context, const struct target *target,
		   const struct platform_level_query *query);

/* Notes packages whose MSR 0x1AE differs from the sum of the turbo-ratio limits of their power
 * domains. */
void levels_note_sums(struct context *context, const struct expected *expected);

/* Puts speed-select-base-freq-properties of a level (output.md). */
void levels_put_base_freq(struct output *output, const struct sst_base_freq *base_freq);

/* Puts speed-select-turbo-freq-properties: bucket (0 to 7) or LEVELS_ALL, with the frequencies of
 * one turbo-ratio level (0 to platform->n_trl_levels - 1) or LEVELS_ALL; all clip frequencies. */
void levels_put_turbo_freq(struct output *output, const struct platform *platform,
			   const struct sst_turbo_freq *turbo_freq, uint32_t bucket,
			   uint32_t trl_level);

#endif
