/* SPDX-License-Identifier: GPL-2.0-only */
/* TPMI requests as lines of a trace (-d). */
#ifndef TRANSPORT_TRACE_TPMI_H
#define TRANSPORT_TRACE_TPMI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Writes a line for a TPMI request that was done and the structure at argument as it came back, a
 * line for each entry of CLOS_ASSOC. Returns whether request is one of them.
 */
bool trace_tpmi_request(FILE *to, uint32_t request, const void *argument);

#endif
