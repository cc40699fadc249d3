/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts from outside, made fit for terminals and logs. */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stddef.h>

/*
 * Puts a question mark in place of each control character (newlines and escapes among them) and of
 * each byte that is no UTF-8. Other characters stay as they are.
 */
void printable_clean(char *text, size_t length);

#endif
