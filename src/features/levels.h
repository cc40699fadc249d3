/* SPDX-License-Identifier: GPL-2.0-only */
/* Performance levels of the domains of a command: reading, errors, and the nodes of SST-BF and
 * SST-TF. */
#ifndef FEATURES_LEVELS_H
#define FEATURES_LEVELS_H

#include "cli/option.h"
#include "run/context.h"
#include "settings/settings.h"
#include "sst/expected.h"

/* Levels of the domains of a context. */
struct levels {
	struct platform_pp_query *pp; /* by domain */
	struct platform_level_query *queries; /* domain by domain, ascending */
	size_t n_queries;
	size_t *first; /* by domain: its first query; one more entry ends the last */
	bool are_current; /* of each domain its current level */
};

#define LEVELS_ALL UINT32_MAX

#define _cleanup_levels_ __attribute__((cleanup(levels_done)))

/* Reads a level (0 to 7), or all levels if the option is not given (or NULL), of every domain, with
 * these parts (enum platform_part). A level above the highest of every domain is a usage error, put
 * out here. Returns 0, or -ENOMEM. */
int levels_read(struct context *context, const struct option_number *level, unsigned int parts,
		struct levels *ret_levels);
void levels_done(void *data);

/* Reads the current level of every domain. What cannot be read becomes an error in the context.
 * Returns 0 or -ENOMEM. */
int levels_read_current(struct context *context, unsigned int parts, struct levels *ret_levels);

/* The first part of switching a feature, the setting of a path: reads the current
 * level of every domain, with these parts, and reports the domains whose level lacks the feature.
 * To switch it off there is a note, since it is off already: the domain gets no write, and one
 * without CPUs no result either. automatic: of --auto, which sets CPUs of whole domains. Returns 0
 * with *ret_levels, which context_keep() owns, or NULL if the command is refused; or -ENOMEM. */
int levels_prepare_switch(struct context *context, const char *path, bool on, bool automatic,
			  unsigned int parts, const struct levels **ret_levels);

/* If the levels lack a feature, the setting of a path, in all power domains, a note says which
 * levels of these domains have it; under the name isst alone. The note that no level has it is
 * added only if all could be read. Returns 0 or -ENOMEM. */
int levels_note_others(struct context *context, const struct levels *levels, const char *path);

/* Enters the node of a target that has SST-BF or SST-TF. A die without cores is shown, and counts
 * as no result: no core has the feature there. */
struct output_scope levels_enter(struct context *context, const struct target *target);

/* Adds a request, as context_request(), for each domain of the context that is to be set, with what
 * levels (or NULL) has of it. */
#define levels_request(context, levels, path, ...) \
	levels_add_requests(context, levels,       \
			    (struct setting_request){ setting_find(path), __VA_ARGS__ })
void levels_add_requests(struct context *context, const struct levels *levels,
			 struct setting_request request);

/* Reads SST-PP of every domain into a new array. Returns 0 or -ENOMEM. */
int levels_read_pp(struct context *context, struct platform_pp_query **ret_queries);

/* The one level that was read of a domain (an index), or NULL if the domain has no such level. */
const struct platform_level_query *levels_of_domain(const struct levels *levels, size_t domain);

/* The level that was read for a target. If it cannot be shown, NULL, and an error is put out and
 * counted. */
const struct platform_level_query *levels_get(struct context *context, const struct levels *levels,
					      const struct target *target);

/* The option -l of a command that takes one level: its struct has an option_number level. */
#define LEVELS_OPTION(type)                                                                        \
	.letter = 'l', .name = "level", .value = "LEVEL", .required = true, .from_upstream = true, \
	.help = "The performance level, 0 to 7", OPTION_NUMBER(type, level, 0, SST_MAX_LEVEL)

/* The words of an option that names a turbo-ratio level, and how help shows them; and the
 * turbo-ratio level that it names, or without it another one. */
#define LEVELS_TRL_VALUE "sse|avx2|avx512|avx512-heavy|amx|level-0..5"
extern const char *const levels_trl_words[];
uint32_t levels_trl_of(const struct option_number *word, uint32_t without);

/* Puts an error out for a target whose SST-PP or level cannot be shown (query NULL: the whole
 * domain), and counts it. Returns whether it did. */
bool levels_report_pp(struct context *context, const struct target *target,
		      const struct platform_pp_query *query);
bool levels_report(struct context *context, const struct target *target,
		   const struct platform_level_query *query);

/* Notes packages whose MSR 0x1AE differs from the sum of the turbo-ratio limits of their power
 * domains. */
void levels_note_sums(struct context *context, const struct expected *expected);

/* speed-select-base-freq-properties of a level (output.md). */
void levels_put_base_freq(struct output *output, const struct sst_base_freq *base_freq);

/* speed-select-turbo-freq-properties: bucket (0 to 7) or LEVELS_ALL, with the frequencies of one
 * turbo-ratio level (0 to platform->n_trl_levels - 1) or LEVELS_ALL; all clip frequencies. */
void levels_put_turbo_freq(struct output *output, const struct platform *platform,
			   const struct sst_turbo_freq *turbo_freq, uint32_t bucket,
			   uint32_t trl_level);

#endif
