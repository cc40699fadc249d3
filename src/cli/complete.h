/* SPDX-License-Identifier: GPL-2.0-only */
/* Shell completion, out of the tables. */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include <stdio.h>

#include "cli/command.h"

/*
 * Completion: words are what stands after the program's name so far, the last one (perhaps empty)
 * the one to complete. Writes a candidate a line. platform_names (NULL-terminated, may be NULL) are
 * the candidates of options that take a platform.
 */
void complete_write(const struct feature_list *list, const struct option *global,
		    const char *const *platform_names, int n_words, char **words, FILE *to);

#endif
