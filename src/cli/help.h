/* SPDX-License-Identifier: GPL-2.0-only */
/* Help at three levels, out of the tables. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"

/* How to begin, on six lines. program is the name that we were called by. */
void help_write_begin(const char *program, FILE *to);

/* Features, common options and examples, in 24 lines. */
void help_write_top(const char *program, const struct feature_list *list,
		    const struct option *global, FILE *to);

/* All features, all global options, and the exit statuses. */
void help_write_all(const char *program, const struct feature_list *list,
		    const struct option *global, FILE *to);

/* The commands of one feature. */
void help_write_feature(const char *program, const struct feature *feature, FILE *to);

/* One command and its options. */
void help_write_command(const char *program, const struct feature *feature,
			const struct command *command, FILE *to);

#endif
