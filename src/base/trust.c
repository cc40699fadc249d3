// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trust goes by the owner and by who else may write. What is asked about is what a descriptor or a
 * link itself shows: never a name that may mean something else a moment later.
 */
#include "base/trust.h"

#include <unistd.h>

#include "base/cleanup.h"

#define OVERFLOW_USER 65534

/* Are we where root's files may show no owner? */
static bool is_in_namespace(void)
{
	_cleanup_fclose_ FILE *map = fopen("/proc/self/uid_map", "re");
	unsigned long inside, outside, count;

	if (!map || fscanf(map, "%lu %lu %lu", &inside, &outside, &count) != 3)
		return false;
	return inside != 0 || outside != 0 || count < OVERFLOW_USER;
}

bool trust_user(uid_t user)
{
	return user == 0 || user == geteuid() || (user == OVERFLOW_USER && is_in_namespace());
}

bool trust_alone(const struct stat *about)
{
	return trust_user(about->st_uid) && !(about->st_mode & (S_IWGRP | S_IWOTH));
}
