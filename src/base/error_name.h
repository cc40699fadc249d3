/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's names of error numbers, which, unlike their texts, are the same everywhere. */
#ifndef BASE_ERROR_NAME_H
#define BASE_ERROR_NAME_H

#include <stddef.h>

/* The name of a negative errno, "ENOENT"; NULL: it is not in the table. */
const char *error_name(int error);

/* The negative errno of the name that text has in its first length bytes; 0: no such name. */
int error_find(const char *text, size_t length);

#endif
