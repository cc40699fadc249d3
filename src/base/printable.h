/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes texts from outside safe for terminals and logs. */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stddef.h>

/*
 * Replaces each control character (newlines and escapes among them) and each byte that is not UTF-8
 * by a question mark, in place. Other characters stay as they are.
 */
void printable_clean(char *text, size_t length);

#endif
