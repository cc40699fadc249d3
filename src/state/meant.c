// SPDX-License-Identifier: GPL-2.0-only
/* Finds the member of a state document that an unknown one may mean. */
#include "state/meant.h"

#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/nearest.h"
#include "settings/settings.h"

/* Is the key the last part of the path, or the whole path? */
static bool is_end(const char *path, const char *key)
{
	const char *dot = strrchr(path, '.');

	return dot && *key && (strcmp(dot + 1, key) == 0 || strcmp(path, key) == 0);
}

/* The members of other objects that have this name, commas between. */
static void append_elsewhere(struct buffer *to, const char *key)
{
	size_t n = 0;

	for (enum setting_id id = 0; id < N_SETTINGS; id++) {
		const char *path = setting_get(id)->path;

		if (is_end(path, key)) {
			buffer_append_string(to, n++ ? " or " : "");
			buffer_append_string(to, path);
		}
	}
}

char *member_meant(const char *key, const char *known)
{
	_cleanup_buffer_ struct buffer elsewhere = { 0 };
	_cleanup_free_ char *words = strdup(known);
	const char *near = words ? nearest_of_words(words, key) : NULL;

	append_elsewhere(&elsewhere, key);
	if (buffer_text(&elsewhere) && *buffer_text(&elsewhere))
		return strchr(key, '.')
			       ? text_format("; each part between dots is an object of its own")
			       : text_format("; did you mean %s?", buffer_text(&elsewhere));
	return near ? text_format("; did you mean %s?", near) : strdup("");
}
