/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of CPUs in text: the kernel's form and the form of -c. */
#ifndef BASE_CPULIST_H
#define BASE_CPULIST_H

#include "base/cpuset.h"

/*
 * Reads the kernel's form: "0-3,8-11", a trailing newline allowed; an empty text is an empty set.
 * Fills ret_set (which must be empty) and returns 0, or -EINVAL (malformed), -ERANGE (a number
 * above CPUSET_MAX_CPU), -ENOMEM.
 */
int cpulist_parse(const char *text, struct cpuset *ret_set);

/*
 * Reads what a user gives to -c: "1,2,4..6,8-10". An empty list, an empty member, a reversed range
 * and anything else are refused (commands.md, "Options before the feature"); "5-5" is one CPU.
 * Fills ret_set (which must be empty) and returns 0; or -EINVAL, -ERANGE, -ENOMEM, with
 * *ret_problem a few words for the message (static text).
 */
int cpulist_parse_user(const char *text, struct cpuset *ret_set, const char **ret_problem);

#endif
