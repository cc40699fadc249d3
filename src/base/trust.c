// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trust goes by the owner and by who else may write. What is asked about is what a descriptor or a
 * link itself shows: never a name that may mean something else a moment later.
 */
#include "base/trust.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fileio.h"

#define OVERFLOW_USER 65534

/* Are we where root's files may show no owner? Users there are not those of the whole machine. */
static bool is_in_namespace(void)
{
	_cleanup_free_ char *map = NULL;
	unsigned long inside, outside;
	size_t length;
	char *rest;

	if (fileio_read("/proc/self/uid_map", 256, &map, &length))
		return false;
	inside = strtoul(map, &rest, 10);
	outside = strtoul(rest, &rest, 10);
	return inside != 0 || outside != 0 || strtoul(rest, NULL, 10) < OVERFLOW_USER;
}

bool trust_user(uid_t user)
{
	return user == 0 || user == geteuid() || (user == OVERFLOW_USER && is_in_namespace());
}

bool trust_alone(const struct stat *about)
{
	return trust_user(about->st_uid) && !(about->st_mode & (S_IWGRP | S_IWOTH));
}
