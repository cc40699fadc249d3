/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line for programs, out of the tables. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include <stdio.h>

#include "cli/command.h"

/* The whole command line as JSON: features, commands, options. Returns 0 or -ENOMEM, -EIO. */
int describe_write(const struct feature_list *list, const struct option *global, FILE *to);

#endif
