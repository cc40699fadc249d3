// SPDX-License-Identifier: GPL-2.0-only
/* Paths are those of messages, such as "sst.levels[1].cores". */
#include "platform_texts.h"

#include <errno.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fileio.h"

/* The text of platforms/NAME.json. */
char *platform_texts_read(const char *name)
{
	const char *directory = getenv("PLATFORM_FILES");
	char *path, *text;
	size_t length;

	assert_true(asprintf(&path, "%s/%s.json", directory ?: "platforms", name) >= 0);
	assert_int_equal(fileio_read(path, 0, &text, &length), 0);
	free(path);
	return text;
}

json_t *platform_texts_load(const char *name)
{
	char *text = platform_texts_read(name);
	json_t *json = json_loads(text, 0, NULL);

	assert_non_null(json);
	free(text);
	return json;
}

/* One value or member on each line. */
char *platform_texts_dump(const json_t *json)
{
	char *text = json_dumps(json, JSON_INDENT(1));

	assert_non_null(text);
	return text;
}

/* Cuts the last step off a path: "a.b[2]" gives "a.b" and "[2]"; "a" gives "" and "a". */
static size_t parent_length(const char *path)
{
	const char *dot = strrchr(path, '.'), *bracket = strrchr(path, '[');

	if (!dot && !bracket)
		return 0;
	return (size_t)((!dot || (bracket && bracket > dot) ? bracket : dot) - path);
}

/* The value at a path, which must be there. */
json_t *platform_texts_at(json_t *root, const char *path)
{
	size_t length = parent_length(path);
	const char *last = path + length + (path[length] == '.');
	json_t *parent, *value;
	char *parent_path;

	if (*path == '\0')
		return root;
	parent_path = strndup(path, length);
	assert_non_null(parent_path);
	parent = platform_texts_at(root, parent_path);
	free(parent_path);
	value = *last == '[' ? json_array_get(parent, strtoul(last + 1, NULL, 10))
			     : json_object_get(parent, last);
	if (!value)
		fail_msg("%s is not in the file", path);
	return value;
}

/* Sets the value at a path; an index one past the end of an array appends. value is taken over. */
void platform_texts_set(json_t *root, const char *path, json_t *value)
{
	size_t length = parent_length(path);
	const char *last = path + length + (path[length] == '.');
	char *parent_path = strndup(path, length);
	json_t *parent;
	int err;

	assert_non_null(parent_path);
	assert_non_null(value);
	parent = platform_texts_at(root, parent_path);
	free(parent_path);
	if (*last != '[')
		err = json_object_set_new(parent, last, value);
	else if (strtoul(last + 1, NULL, 10) == json_array_size(parent))
		err = json_array_append_new(parent, value);
	else
		err = json_array_set_new(parent, strtoul(last + 1, NULL, 10), value);
	assert_int_equal(err, 0);
}

/* Sets the value at a path to that of a JSON text. */
void platform_texts_edit(json_t *root, const char *path, const char *text)
{
	platform_texts_set(root, path, json_loads(text, JSON_DECODE_ANY, NULL));
}

/* Parses what must be a good platform. */
struct sim_platform *platform_texts_parse(const char *text)
{
	struct sim_platform *platform;
	char *message = NULL;
	int err = platform_file_parse("FILE", text, strlen(text), &platform, &message);

	if (err)
		fail_msg("%d: %s", err, message);
	return platform;
}

/* The same of a JSON value. */
struct sim_platform *platform_texts_make(const json_t *json)
{
	char *text = platform_texts_dump(json);
	struct sim_platform *platform = platform_texts_parse(text);

	free(text);
	return platform;
}

/* Checks that a dumped value is refused with that message about that member. */
void platform_texts_check_refused(const json_t *json, const char *path, const char *words)
{
	char *text = platform_texts_dump(json), *message = NULL, *start;
	struct sim_platform *platform = NULL;

	assert_int_equal(platform_file_parse("FILE", text, strlen(text), &platform, &message),
			 -EINVAL);
	assert_null(platform);
	assert_non_null(message);
	assert_true(asprintf(&start, "FILE: %s%s", path, *path ? ": " : "") >= 0);
	if (strncmp(message, start, strlen(start)) != 0 || !strstr(message, words) ||
	    strchr(message, '\n'))
		fail_msg("\"%s\" is not \"%s\" and \"%s\"", message, start, words);
	free(start);
	free(message);
	free(text);
}
