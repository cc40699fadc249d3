/* SPDX-License-Identifier: GPL-2.0-only */
/* A directory of a test's own. What goes wrong here fails the test. */
#ifndef UNIT_TEMPORARY_H
#define UNIT_TEMPORARY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Makes a directory below $TMPDIR, or the current one, that everybody may enter; its whole path. */
char *temporary_make(void);

/* Removes a directory with all that is in it, and frees its path. */
void temporary_remove(char *directory);

/* "directory/name" as a new string. */
char *temporary_path(const char *directory, const char *name);

/* Makes a file with this text and exactly this mode. */
void temporary_write(const char *path, const char *text, mode_t mode);

/* The whole file must hold this text. */
void temporary_assert_text(const char *path, const char *text);

/* How many entries a directory has. */
size_t temporary_count(const char *directory);

/* The permission bits of a file; a link is not followed. */
mode_t temporary_mode(const char *path);

/* Drops root's rights, if the process has them; and takes them back. */
void temporary_drop_rights(void);
void temporary_regain_rights(void);

#endif
