/* SPDX-License-Identifier: GPL-2.0-only */
/* The program as a whole, run in this process. */
#ifndef FUZZ_WHOLE_PROGRAM_H
#define FUZZ_WHOLE_PROGRAM_H

#include "fuzz.h"
#include "host/host.h"

/* Runs a command line, words with a blank between them (the text is cut up), on that host. Returns
 * the exit status. */
int fuzz_program_run(struct host *host, char *words);

/* What the last run wrote to stdout, as a new text; returns its length. */
size_t fuzz_program_output(char **ret_text);

#endif
