/* SPDX-License-Identifier: GPL-2.0-only */
/* Shell completion, out of the tables. */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include <stdio.h>

#include "cli/command.h"
#include "machine/host.h"

/*
 * Completion: words are what stands after the program's name so far, the last one (perhaps empty)
 * the one to complete. Writes a line for each candidate: the candidate and, where the tables say
 * what it is, a tab and that. A line that begins with a tab has no candidate: it says that a "file"
 * or a "directory" may stand there as well. list_platforms (may be NULL), called only for an option
 * that takes a platform, lists its candidates, their descriptions as cheaply as they can be had.
 */
void complete_write(const struct feature_list *list, const struct option *global,
		    int (*list_platforms)(bool brief, struct host_choices *ret_choices),
		    int n_words, char **words, FILE *to);

#endif
