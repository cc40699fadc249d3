/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests of the Speed Select device as bytes, for the stand-in's log. */
#ifndef STANDIN_REQUESTS_H
#define STANDIN_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "host/transport.h"

bool requests_is_ours(unsigned long request);

/* Hands a request to transport and returns what that returns. With log_file, a line is added there:
 * the request's number, the result, and the structure before and after in hex. */
int requests_carry_out(struct transport *transport, uint32_t request, void *argument,
		       const char *log_file);

#endif
