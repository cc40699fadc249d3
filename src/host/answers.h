/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers of the driver that are kept and given again, so that a command asks nothing twice. */
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

/* Something is written: forgets all answers and keeps no more of them. answers may be NULL. */
void answers_end(struct answers *answers);

/* Keeps answers again: nothing is written for now. answers may be NULL. */
void answers_begin(struct answers *answers);

/* Was that asked before? request is the driver's number, asked the structure or the command, of
 * size bytes, as it is before it is sent. If so, overwrites it with the answer and sets *ret_error
 * to 0 or the negative errno that the driver gave. */
bool answers_find(const struct answers *answers, uint32_t request, void *asked, size_t size,
		  int *ret_error);

/* Keeps an answer: asked as it was before, answer as it is now, both of size bytes. An error that
 * says only that it may be tried again (-EBUSY, -EINTR, -ECANCELED) is not kept, nor is anything if
 * memory is short: it is asked again then. */
void answers_keep(struct answers *answers, uint32_t request, const void *asked, const void *answer,
		  size_t size, int error);

#endif
