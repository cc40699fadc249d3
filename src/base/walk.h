/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Going along a path that leads through directories of other users: the directory where it ends is
 * opened, so that what is done in it afterwards cannot be led elsewhere.
 */
#ifndef BASE_WALK_H
#define BASE_WALK_H

#include <stdbool.h>

/* Where a path ends; an end of all zero bytes but directory_fd -1 holds nothing. */
struct walk_end {
	int directory_fd;
	char *name; /* without a slash; "." where the path ends in one */
	bool is_magic; /* the name is a link of procfs: the kernel alone knows where it leads */
};

#define WALK_END_NONE              \
	{                          \
		.directory_fd = -1 \
	}

#define _cleanup_walk_end_ __attribute__((cleanup(walk_end_done)))

enum walk_flag {
	WALK_REFUSE_LAST_LINK = 1 << 0, /* the path may not end in a link: -ELOOP */
	/* A directory that everybody may write to must be sticky, whether the name is there or not,
	 * and what stands in it belong to a trusted user: -EPERM */
	WALK_REFUSE_PLANTED = 1 << 1,
	WALK_MAKE = 1 << 2 /* directories on the way that are missing are made, mode 0700 */
};

/*
 * Goes along path (relative: from the current directory) and follows links of trusted users
 * (trust_user()); the name at its end need not exist. Returns 0; -EPERM for a link of another user,
 * or one with several names where everybody may make them; -ELOOP for more than 40 links;
 * -ENAMETOOLONG; or a negative errno of opening one of the directories.
 */
int walk_path(const char *path, unsigned int flags, struct walk_end *ret_end);

/* Closes and frees what it holds. */
void walk_end_done(struct walk_end *end);

#endif
