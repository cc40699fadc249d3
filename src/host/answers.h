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

/* Frees *answers, which may be NULL, and sets it to NULL. */
void answers_free(struct answers **answers);

/* Called before a write: drops all answers and stops caching. answers may be NULL. */
void answers_end(struct answers *answers);

/* Starts caching again, after writing. answers may be NULL. */
void answers_begin(struct answers *answers);

/* Finds the answer to an earlier request. request is the driver's number; asked is the structure or
 * the command before it is sent, of size bytes. Returns true if the answer is cached: asked then
 * contains the answer, and *ret_error is 0 or the negative errno of the driver. */
bool answers_find(const struct answers *answers, uint32_t request, void *asked, size_t size,
		  int *ret_error);

/* Caches an answer. asked is the request, and answer is the structure after it; both have size
 * bytes. The errors -EBUSY, -EINTR and -ECANCELED are not cached, because the request may be
 * repeated. If memory is short, nothing is cached, and the request is sent again. */
void answers_keep(struct answers *answers, uint32_t request, const void *asked, const void *answer,
		  size_t size, int error);

#endif
