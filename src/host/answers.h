/* SPDX-License-Identifier: GPL-2.0-only */
/* A cache of the driver's answers, so that a command sends no request twice. */
#ifndef HOST_ANSWERS_H
#define HOST_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct answers;

/* Returns NULL if memory is short. */
struct answers *answers_new(void);

/* Frees *answers, which may be NULL, and leaves NULL. */
void answers_free(struct answers **answers);

/* Called before a write: drops all answers and stops caching. answers may be NULL. */
void answers_end(struct answers *answers);

/* Starts caching again, after writing. answers may be NULL. */
void answers_begin(struct answers *answers);

/* Was that asked before? request is the driver's number, asked the structure or the command, of
 * size bytes, as it is before it is sent. If so, overwrites it with the answer and sets *ret_error
 * to 0 or the negative errno that the driver gave. */
bool answers_find(const struct answers *answers, uint32_t request, void *asked, size_t size,
		  int *ret_error);

/* Caches an answer: asked is the request, answer the structure after it, both of size bytes. Errors
 * after which a request may be repeated (-EBUSY, -EINTR, -ECANCELED) are not cached, nor is
 * anything if memory is short: the request is then sent again. */
void answers_keep(struct answers *answers, uint32_t request, const void *asked, const void *answer,
		  size_t size, int error);

#endif
