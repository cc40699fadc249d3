/* SPDX-License-Identifier: GPL-2.0-only */
/* Help at three levels, out of the tables. */
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

#endif
