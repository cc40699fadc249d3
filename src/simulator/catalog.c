// SPDX-License-Identifier: GPL-2.0-only
/* Finds and lists platform files. Only the embedded guide is always available: the installed
 * directory may be missing, and that of a build tree is used only if nobody but root and the user
 * can have made it. */
#include "simulator/catalog.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
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
#define BUILD_TREE     "../../platforms" /* from the directory of the program */
#define MAX_FILE_BYTES (16U << 20)

static bool ends_in_suffix(const char *name)
{
	size_t length = strlen(name);

	return length >= strlen(SUFFIX) && strcmp(name + length - strlen(SUFFIX), SUFFIX) == 0;
}

static bool is_trusted(const char *directory)
{
	struct stat status;

	if (stat(directory, &status) < 0 || !S_ISDIR(status.st_mode))
		return false;
	return (status.st_uid == geteuid() || status.st_uid == 0) && !(status.st_mode & S_IWOTH);
}

/* The platforms of the build tree that the program is in, resolved; NULL if there is none. */
static char *find_build_tree(void)
{
	_cleanup_free_ char *program = realpath("/proc/self/exe", NULL), *path = NULL;
	char *slash = program ? strrchr(program, '/') : NULL;
	char *resolved;

	if (!slash)
		return NULL;
	path = text_format("%.*s/%s", (int)(slash - program), program, BUILD_TREE);
	resolved = path ? realpath(path, NULL) : NULL;
	if (resolved && is_trusted(resolved))
		return resolved;
	free(resolved);
	return NULL;
}

int catalog_find_directories(char ***ret_directories)
{
	char **directories = calloc(3, sizeof(*directories));

	if (!directories)
		return -ENOMEM;
	directories[0] = strdup(PLATFORM_DIRECTORY);
	if (!directories[0]) {
		free(directories);
		return -ENOMEM;
	}
	directories[1] = find_build_tree();
	*ret_directories = directories;
	return 0;
}

void catalog_free_directories(char ***directories)
{
	for (char **directory = *directories; directory && *directory; directory++)
		free(*directory);
	free(*directories);
	*directories = NULL;
}

static int read_text(const char *path, char **ret_text, size_t *ret_length)
{
	_cleanup_close_ int fd = -1;
	struct stat about;

	/* Opening a device can have an effect. */
	if (stat(path, &about) < 0)
		return -errno;
	if (!S_ISREG(about.st_mode))
		return S_ISDIR(about.st_mode) ? -EISDIR : -EINVAL;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &about) < 0)
		return -errno;
	if (!S_ISREG(about.st_mode))
		return -EINVAL;
	return fileio_read_whole(fd, MAX_FILE_BYTES, ret_text, ret_length);
}

/* Reads the file; its path is the name for messages. */
static int find_path(const char *path, char **ret_file_name, char **ret_text, size_t *ret_length,
		     char **ret_message)
{
	_cleanup_free_ char *file_name = strdup(path);
	int err = file_name ? read_text(path, ret_text, ret_length) : -ENOMEM;

	if (err) {
		*ret_message = text_format("%s: %s", path,
					   err == -EINVAL ? "is no regular file" : strerror(-err));
		return err;
	}
	*ret_file_name = steal_pointer(file_name);
	return 0;
}

static int find_guide(char **ret_file_name, char **ret_text, size_t *ret_length)
{
	_cleanup_free_ char *file_name = strdup(GUIDE SUFFIX);
	char *text = strndup((const char *)catalog_guide_text, catalog_guide_length);

	if (!file_name || !text) {
		free(text);
		return -ENOMEM;
	}
	*ret_file_name = steal_pointer(file_name);
	*ret_text = text;
	*ret_length = catalog_guide_length;
	return 0;
}

/* Finds the file of a name; *ret_path is NULL if there is none. Returns 0 or -ENOMEM. */
static int find_file(char *const *directories, const char *name, char **ret_path)
{
	for (; *directories; directories++) {
		_cleanup_free_ char *path = text_format("%s/%s" SUFFIX, *directories, name);

		if (!path)
			return -ENOMEM;
		if (access(path, F_OK) == 0) {
			*ret_path = steal_pointer(path);
			return 0;
		}
	}
	*ret_path = NULL;
	return 0;
}

int catalog_find_in(char *const *directories, const char *name, char **ret_file_name,
		    char **ret_text, size_t *ret_length, char **ret_message)
{
	_cleanup_free_ char *path = NULL;
	int err;

	*ret_message = NULL;
	if (strchr(name, '/') || ends_in_suffix(name))
		return find_path(name, ret_file_name, ret_text, ret_length, ret_message);
	if (strcmp(name, GUIDE) == 0)
		return find_guide(ret_file_name, ret_text, ret_length);
	err = find_file(directories, name, &path);
	if (err)
		return err;
	if (path)
		return find_path(path, ret_file_name, ret_text, ret_length, ret_message);
	*ret_message =
		text_format("%s: no platform has this name (--list-platforms shows them)", name);
	return -ENOENT;
}

int catalog_find(const char *name, char **ret_file_name, char **ret_text, size_t *ret_length,
		 char **ret_message)
{
	_cleanup_(catalog_free_directories) char **directories = NULL;
	int err = catalog_find_directories(&directories);

	*ret_message = NULL;
	if (err)
		return err;
	return catalog_find_in(directories, name, ret_file_name, ret_text, ret_length, ret_message);
}

static bool list_has(const struct host_choices *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->list[i].name, name) == 0)
			return true;
	}
	return false;
}

/* Reads the description of the platform, or what is wrong with its file. */
static int describe(const char *name, char **ret_description)
{
	_cleanup_free_ char *file_name = NULL, *text = NULL, *problem = NULL;
	char *const nowhere[] = { NULL };
	struct sim_platform *platform;
	char *description;
	size_t length;
	int err;

	err = catalog_find_in(nowhere, name, &file_name, &text, &length, &problem);
	if (!err)
		err = platform_file_parse(file_name, text, length, &platform, &problem);
	if (err && (err == -ENOMEM || !problem))
		return -ENOMEM;
	if (err) {
		description = text_format("cannot be read: %s", problem);
	} else {
		description = steal_pointer(platform->description);
		platform_file_free(platform);
	}
	if (!description)
		return -ENOMEM;
	*ret_description = description;
	return 0;
}

static bool is_one_line(const char *text)
{
	for (const char *at = text; *at; at++) {
		if (iscntrl((unsigned char)*at))
			return false;
	}
	return *text;
}

/* Reads the description alone, whatever the rest of the file is; NULL if it has none. */
static int describe_briefly(const char *name, char **ret_description)
{
	_cleanup_free_ char *file_name = NULL, *text = NULL, *problem = NULL;
	char *const nowhere[] = { NULL };
	const char *description;
	json_t *platform;
	size_t length;
	int err = catalog_find_in(nowhere, name, &file_name, &text, &length, &problem);

	if (err)
		return err == -ENOMEM ? err : 0;
	platform = json_loadb(text, length, 0, NULL);
	description = json_string_value(json_object_get(platform, "description"));
	if (description && is_one_line(description)) {
		*ret_description = strdup(description);
		err = *ret_description ? 0 : -ENOMEM;
	}
	json_decref(platform);
	return err;
}

/* Adds the platform that catalog_find_in() finds by a path or as the guide, under a name. */
static int list_add(struct host_choices *list, bool brief, const char *name, const char *where)
{
	struct host_choice *longer, *choice;

	longer = reallocarray(list->list, list->count + 1, sizeof(*longer));
	if (!longer)
		return -ENOMEM;
	list->list = longer;
	choice = &longer[list->count++];
	*choice = (struct host_choice){ .name = strdup(name) };
	if (!choice->name)
		return -ENOMEM;
	return (brief ? describe_briefly : describe)(where, &choice->description);
}

/* Adds the platform of a file unless its name is in the list, or cannot be a platform's. */
static int add_file(struct host_choices *list, bool brief, const char *directory, const char *file)
{
	_cleanup_free_ char *name = NULL, *path = NULL;

	if (file[0] == '.' || !ends_in_suffix(file))
		return 0;
	name = strndup(file, strlen(file) - strlen(SUFFIX));
	path = text_format("%s/%s", directory, file);
	if (!name || !path)
		return -ENOMEM;
	return list_has(list, name) ? 0 : list_add(list, brief, name, path);
}

static int add_directory(struct host_choices *list, bool brief, const char *directory)
{
	const struct dirent *entry;
	DIR *stream = opendir(directory);
	int err = 0;

	if (!stream)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	while (!err && (entry = readdir(stream)))
		err = add_file(list, brief, directory, entry->d_name);
	closedir(stream);
	return err;
}

static int compare_names(const void *left, const void *right)
{
	const struct host_choice *a = left, *b = right;

	return strcmp(a->name, b->name);
}

int catalog_list(char *const *directories, bool brief, struct host_choices *ret_choices)
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
