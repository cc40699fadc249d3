/* SPDX-License-Identifier: GPL-2.0-only */
/* --all-cpus-online: every CPU of the machine, before the command. */
#ifndef CLI_ONLINE_H
#define CLI_ONLINE_H

#include "cli/context.h"

/*
 * Brings every present CPU online, or with --dry-run shows that it would; then reads the machine
 * again into *machine, since CPUs have places now. What fails becomes an error in the output and is
 * undone. Returns the exit status so far.
 */
enum status online_bring_all(struct context *context, struct machine **machine);

#endif
