/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures in JSON objects, and windows of measure run made of them. */
#ifndef UNIT_FIGURES_H
#define UNIT_FIGURES_H

#include <errno.h>
#include <jansson.h>
#include <stdio.h>

#include "measure/results.h"

/* The value of a figure; -ENODATA if it is missing. */
static inline int figure_get(const json_t *object, const char *name, double *ret_value)
{
	const json_t *value = json_object_get(object, name);

	if (!json_is_number(value))
		return -ENODATA;
	*ret_value = json_number_value(value);
	return 0;
}

/* Why it is missing, or NULL. */
static inline const char *figure_reason(const json_t *object, const char *name)
{
	char key[96];

	snprintf(key, sizeof(key), "%s-reason", name);
	return json_string_value(json_object_get(object, key));
}

/* Reads a window; its texts are those of the object. Returns whether it is sound. */
static inline bool window_read(json_t *object, struct run_window *ret_window)
{
	struct json_reader reader = { .file_name = "window", .ignores_others = true };
	_cleanup_free_ char *problem = NULL;

	json_read_fields(&reader, object, run_window_fields, ret_window);
	return json_reader_finish(&reader, &problem) == 0;
}

#endif
