/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of error numbers. They are the same on all systems, unlike the texts of error numbers. */
#ifndef BASE_ERROR_NAME_H
#define BASE_ERROR_NAME_H

#include <stddef.h>

/* Returns the name of a negative errno, "ENOENT"; NULL: it is not in the table. */
const char *error_name(int error);

/* Finds the negative errno whose name is in the first length bytes of text; 0: no such name. */
int error_find(const char *text, size_t length);

#endif
