// SPDX-License-Identifier: GPL-2.0-only
/* Finds and lists platform files. Only the embedded guide is always available. The installed
 * directory may be missing. The directory of a build tree is used only if nobody but root and the
 * user can have made it. */
#include "simulator/catalog.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include <jansson.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/fileio.h"
#include "simulator/platform_file.h"

#define GUIDE          "guide"
#define SUFFIX         ".json"
#define MAX_FILE_BYTES (16U << 20)

static bool ends_in_suffix(const char *name)
{
	size_t length = strlen(name);

	return length >= strlen(SUFFIX) && strcmp(name + length - strlen(SUFFIX), SUFFIX) == 0;
}

/* Reads the file; *ret_file_name is its path. Opens only regular files: opening a device can have
 * an effect. */
static int find_path(const char *path, char **ret_file_name, char **ret_text, size_t *ret_length,
		     char **ret_message)
{
	_cleanup_free_ char *file_name = strdup(path);
	_cleanup_close_ int fd = -1;
	const char *problem = NULL;
	struct stat about;
	int err = file_name ? 0 : -ENOMEM;

	if (!err && stat(path, &about) < 0)
		err = -errno;
	if (!err && S_ISREG(about.st_mode)) {
		fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &about) < 0)
			err = -errno;
	}
	if (!err && S_ISDIR(about.st_mode)) {
		err = -EISDIR;
	} else if (!err && !S_ISREG(about.st_mode)) {
		err = -EINVAL;
		problem = "is not a regular file";
	}
	if (!err)
		err = fileio_read_whole(fd, MAX_FILE_BYTES, ret_text, ret_length);
	if (err)
		*ret_message = text_format("%s: %s", path, problem ? problem : strerror(-err));
	else
		*ret_file_name = steal(file_name);
	return err;
}

static bool is_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

int catalog_find_in(const char *const *directories, const char *name, char **ret_file_name,
		    char **ret_text, size_t *ret_length, char **ret_message)
{
	*ret_message = NULL;
	if (strchr(name, '/') || ends_in_suffix(name))
		return find_path(name, ret_file_name, ret_text, ret_length, ret_message);
	if (strcmp(name, GUIDE) == 0) {
		*ret_file_name = strdup(GUIDE SUFFIX);
		*ret_text = strndup((const char *)catalog_guide_text, catalog_guide_length);
		*ret_length = catalog_guide_length;
		return *ret_file_name && *ret_text ? 0 : -ENOMEM;
	}
	for (; *directories; directories++) {
		_cleanup_free_ char *path = text_format("%s/%s" SUFFIX, *directories, name);

		if (!path)
			return -ENOMEM;
		if (access(path, F_OK) == 0)
			return find_path(path, ret_file_name, ret_text, ret_length, ret_message);
	}
	*ret_message =
		text_format("%s: no platform has this name (--list-platforms shows them)%s%s", name,
			    is_file(name) ? "; the file is ./" : "", is_file(name) ? name : "");
	return -ENOENT;
}

/* Returns a description for the list, with the estimates (or NULL); NULL: no memory. */
static char *describe(const char *description, bool is_recorded, const char *estimates)
{
	return text_format("%s%s%s%s", description, is_recorded ? " (recorded)" : "",
			   estimates ? "; estimates: " : "", estimates ?: "");
}

/* Sets only the description, without a check of the other members; NULL if it is not one line. */
static int describe_briefly(const char *text, size_t length, char **ret_description)
{
	json_t *platform = json_loadb(text, length, 0, NULL);
	const char *description = json_string_value(json_object_get(platform, "description"));
	bool is_one_line = description && *description;
	int err = 0;

	for (const char *at = description; is_one_line && *at; at++)
		is_one_line = !iscntrl((unsigned char)*at);
	if (is_one_line) {
		*ret_description =
			describe(description, json_object_get(platform, "recorded"), NULL);
		err = *ret_description ? 0 : -ENOMEM;
	}
	json_decref(platform);
	return err;
}

/* Adds a platform, unless its name is in the list. where is the path of its file, or the guide. */
static int list_add(struct host_choices *list, bool brief, const char *name, const char *where)
{
	_cleanup_free_ char *file_name = NULL, *text = NULL, *problem = NULL;
	const char *const nowhere[] = { NULL };
	struct sim_platform *platform;
	struct host_choice *choice;
	size_t length = 0;
	int err;

	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->list[i].name, name) == 0)
			return 0;
	}
	choice = array_add(&list->list, &list->count, sizeof(*choice));
	if (!choice)
		return -ENOMEM;
	choice->name = strdup(name);
	if (!choice->name)
		return -ENOMEM;
	err = catalog_find_in(nowhere, where, &file_name, &text, &length, &problem);
	if (err == -ENOMEM)
		return err;
	if (brief)
		return err ? 0 : describe_briefly(text, length, &choice->description);
	if (!err)
		err = platform_file_parse(file_name, text, length, &platform, &problem);
	if (!err) {
		choice->description =
			describe(platform->description, platform->recording, platform->estimates);
		platform_file_free(platform);
	} else if (problem) {
		choice->description = text_format("cannot be read: %s", problem);
	}
	return choice->description ? 0 : -ENOMEM;
}

/* Adds the platforms of a directory. Skips files that cannot be the file of a platform. */
static int add_directory(struct host_choices *list, bool brief, const char *directory)
{
	const struct dirent *entry;
	DIR *stream = opendir(directory);
	int err = 0;

	if (!stream)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	while (!err && (entry = readdir(stream))) {
		_cleanup_free_ char *name = NULL, *path = NULL;

		if (entry->d_name[0] == '.' || !ends_in_suffix(entry->d_name))
			continue;
		name = strndup(entry->d_name, strlen(entry->d_name) - strlen(SUFFIX));
		path = text_format("%s/%s", directory, entry->d_name);
		err = name && path ? list_add(list, brief, name, path) : -ENOMEM;
	}
	closedir(stream);
	return err;
}

static int compare_names(const void *left, const void *right)
{
	const struct host_choice *a = left, *b = right;

	return strcmp(a->name, b->name);
}

int catalog_list(const char *const *directories, bool brief, struct host_choices *ret_choices)
{
	struct host_choices list = { 0 };
	int err = list_add(&list, brief, GUIDE, GUIDE);

	for (; !err && *directories; directories++)
		err = add_directory(&list, brief, *directories);
	if (err) {
		host_choices_done(&list);
		return err;
	}
	qsort(list.list, list.count, sizeof(*list.list), compare_names);
	*ret_choices = list;
	return 0;
}
