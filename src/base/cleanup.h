/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes of variables that own something: the variable is released when it goes out of scope,
 * on every path. steal() passes the ownership on. */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#define _cleanup_(release) __attribute__((cleanup(release)))
#define _cleanup_free_     _cleanup_(cleanup_free)
#define _cleanup_close_    _cleanup_(cleanup_close)
#define _cleanup_fclose_   _cleanup_(cleanup_fclose)

/* Returns the pointer or structure in variable and leaves NULL, or zero bytes, there. */
#define steal(variable)                                    \
	({                                                 \
		__typeof__(variable) stolen_ = (variable); \
		(variable) = (__typeof__(variable)){ 0 };  \
		stolen_;                                   \
	})

static inline void cleanup_free(void *pointer)
{
	void *owned;

	memcpy(&owned, pointer, sizeof(owned)); /* a pointer of any type */
	free(owned);
}

static inline void cleanup_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_fclose(FILE **file)
{
	if (*file)
		fclose(*file);
}

/* Returns the descriptor in *fd and leaves -1 there. */
static inline int steal_fd(int *fd)
{
	int stolen = *fd;

	*fd = -1;
	return stolen;
}

#endif
