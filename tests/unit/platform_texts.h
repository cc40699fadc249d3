/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts of platform files for tests: read, and changed by the path of a member. Whatever cannot be
 * done fails the test. */
#ifndef UNIT_PLATFORM_TEXTS_H
#define UNIT_PLATFORM_TEXTS_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/fileio.h"
#include "simulator/platform_file.h"

/* The text of platforms/NAME.json, from the directory in PLATFORM_FILES. */
char *platform_texts_read(const char *name);

/* The same as a JSON value. */
json_t *platform_texts_load(const char *name);

/* One value or member on each line. */
char *platform_texts_dump(const json_t *json);

/* The value at a path, which must be there. */
json_t *platform_texts_at(json_t *root, const char *path);

/* Sets the value at a path; an index one past the end of an array appends. value is taken over. */
void platform_texts_set(json_t *root, const char *path, json_t *value);

/* Sets the value at a path to that of a JSON text. */
void platform_texts_edit(json_t *root, const char *path, const char *text);

/* Parses what must be a good platform. */
struct sim_platform *platform_texts_parse(const char *text);

/* The same of a JSON value. */
struct sim_platform *platform_texts_make(const json_t *json);

/* Checks that a dumped value is refused with that message about that member. */
void platform_texts_check_refused(const json_t *json, const char *path, const char *words);

#endif
