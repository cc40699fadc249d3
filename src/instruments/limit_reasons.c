// SPDX-License-Identifier: GPL-2.0-only
/* Finds and reads the files that show why the hardware limits frequencies. */
#include "instruments/limit_reasons.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/cpuset.h"
#include "base/number.h"

#define DEVICE "tpmi-"
#define DOMAIN "domain"

static bool begins_with(const char *text, const char *beginning)
{
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* Adds the file of each power domain of a device; *paths stays NULL-terminated. */
static int add_paths(struct files *files, const char *device, char ***paths, size_t *count)
{
	_cleanup_free_ char *directory = text_format(LIMIT_REASONS_DIRECTORY "/%s/plr", device);
	_cleanup_(files_free_names) char **names = NULL;
	int err = directory ? files_list(files, directory, &names) : -ENOMEM;

	if (err)
		return err == -ENOMEM ? err : 0; /* the device has other features */
	for (char **name = names; *name; name++) {
		char *path;

		if (!begins_with(*name, DOMAIN))
			continue;
		path = text_format("%s/%s/status", directory, *name);
		if (!path || !array_add(paths, count, sizeof(**paths))) {
			free(path);
			return -ENOMEM;
		}
		(*paths)[*count - 2] = path;
	}
	return 0;
}

int limit_reasons_find(struct files *files, char ***ret_paths)
{
	_cleanup_(files_free_names) char **names = NULL, **paths = NULL;
	size_t count = 0;
	int err = files_list(files, LIMIT_REASONS_DIRECTORY, &names);

	if (!err && !array_add(&paths, &count, sizeof(*paths)))
		err = -ENOMEM;
	for (char **name = names; !err && *name; name++) {
		if (begins_with(*name, DEVICE))
			err = add_paths(files, *name, &paths, &count);
	}
	if (err)
		return err;
	*ret_paths = paths;
	paths = NULL;
	return 0;
}

/* Adds a line: "cpus: NAME NAME", "cpu12 none", "cpu12". Keeps unknown words, too: a bit without a
 * name is "UNKNOWN(10)". Returns 0 or -ENOMEM. */
static int add_line(struct limit_reasons *reasons, char *line)
{
	char *words = line + strcspn(line, " \t:"), *end = line + strlen(line);
	const char *name = line + strlen("cpu");
	uint64_t number = CPUSET_NONE;
	struct limit_line *added;

	if (!begins_with(line, "cpu"))
		return 0;
	if (*words)
		*words++ = '\0';
	if (strcmp(name, "s") != 0 && number_parse(name, 0, CPUSET_MAX_CPU, &number))
		return 0;
	for (char *at = words; *at; at++)
		*at = *at == ',' || *at == '\t' || *at == ':' ? ' ' : *at;
	words += strspn(words, " ");
	while (end > words && end[-1] == ' ')
		*--end = '\0';
	printable_clean(words, strlen(words));
	added = array_add(&reasons->list, &reasons->count, sizeof(*added));
	if (!added)
		return -ENOMEM;
	added->cpu = (uint32_t)number;
	added->reasons = strdup(strcmp(words, "none") == 0 ? "" : words);
	return added->reasons ? 0 : -ENOMEM;
}

int limit_reasons_read(struct files *files, const char *path, struct limit_reasons *ret_reasons)
{
	_cleanup_limit_reasons_ struct limit_reasons reasons = { 0 };
	_cleanup_free_ char *text = NULL;
	size_t length;
	int err = files->ops->read(files, path, 0, &text, &length);
	char *rest = text;

	if (!err && strlen(text) != length)
		err = -EINVAL;
	for (char *line; !err && (line = strsep(&rest, "\n"));)
		err = add_line(&reasons, line);
	if (!err && length && reasons.count == 0)
		err = -EINVAL;
	if (err)
		return err;
	*ret_reasons = reasons;
	reasons = (struct limit_reasons){ 0 };
	return 0;
}

int limit_reasons_clear(struct files *files, const char *path)
{
	return files_write(files, path, "0");
}

void limit_reasons_done(struct limit_reasons *reasons)
{
	for (size_t i = 0; i < reasons->count; i++)
		free(reasons->list[i].reasons);
	free(reasons->list);
	*reasons = (struct limit_reasons){ 0 };
}
