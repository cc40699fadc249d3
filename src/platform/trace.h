/* SPDX-License-Identifier: GPL-2.0-only */
/* What -d shows beside the requests themselves. */
#ifndef PLATFORM_TRACE_H
#define PLATFORM_TRACE_H

#include <stdio.h>

#include "platform/platform.h"

/*
 * Writes a line for each online CPU: where it is and which core of which PUNIT. The form is that of
 * commands.md, option -d: programs match it.
 */
void trace_write_map(FILE *trace, const struct platform *platform);

#endif
