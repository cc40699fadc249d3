/* SPDX-License-Identifier: GPL-2.0-only */
/* Whom a file must belong to so that nobody else has a say in what becomes of it. */
#ifndef BASE_TRUST_H
#define BASE_TRUST_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Is it us, or root? In a user namespace root's files may show the number of those who have none
 * there (proc_sys_kernel(5), overflowuid): then that one, too.
 */
bool trust_user(uid_t user);

/* Does it belong to such a user, and may nobody else write to it, not even its group? */
bool trust_alone(const struct stat *about);

#endif
