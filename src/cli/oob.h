/* SPDX-License-Identifier: GPL-2.0-only */
/* --oob: the daemon's command line, its log and its exit status (commands.md, "Daemon"). */
#ifndef CLI_OOB_H
#define CLI_OOB_H

#include "cli/globals.h"
#include "cli/status.h"

struct host;
struct output;

/*
 * Follows levels until a signal ends it. What prevents that before it is ready becomes an error in
 * the output; whether the output can be written is checked first. Returns, in the parent of a
 * background process too, the exit status: 0 after SIGTERM or SIGINT; 5 if another one runs.
 */
enum status oob_run(const struct globals *globals, struct host *host, struct output *output);

#endif
