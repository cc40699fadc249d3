/* SPDX-License-Identifier: GPL-2.0-only */
/* Help at three levels and completion, out of the tables. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"

/* All options before the feature and all features. program is the name that we were called by. */
void help_write_top(const char *program, const struct feature_list *list,
		    const struct option *global, FILE *to);

/* The commands of one feature. */
void help_write_feature(const char *program, const struct feature *feature, FILE *to);

/* One command and its options. */
void help_write_command(const char *program, const struct feature *feature,
			const struct command *command, FILE *to);

/*
 * Completion: words are what stands after the program's name so far, the last one (perhaps empty)
 * the one to complete. Writes a candidate a line. platform_names (NULL-terminated, may be NULL) are
 * the candidates of options that take a platform.
 */
void help_write_candidates(const struct feature_list *list, const struct option *global,
			   const char *const *platform_names, int n_words, char **words, FILE *to);

/* The whole command line as JSON: features, commands, options. Returns 0 or -ENOMEM, -EIO. */
int help_write_description(const struct feature_list *list, const struct option *global, FILE *to);

#endif
