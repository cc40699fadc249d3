// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the text of each file that is read, or the error, in a tree by path. */
#include "host/kept_files.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

struct kept_files {
	struct files files; /* first: what callers hold */
	struct files *inner;
	const char *names;
	void *tree; /* of struct kept_file */
};

struct kept_file {
	const char *path; /* in content */
	const char *text; /* follows it */
	size_t length;
	int error;
	char content[];
};

static struct kept_files *kept_files_of(struct files *files)
{
	return (struct kept_files *)(void *)files;
}

static int compare(const void *left, const void *right)
{
	return strcmp(((const struct kept_file *)left)->path,
		      ((const struct kept_file *)right)->path);
}

/* Keeps what was read of a file. Nothing is kept if memory is short: it is read again then. */
static void keep(struct kept_files *kept, const char *path, const char *text, size_t length,
		 int error)
{
	const size_t size = strlen(path) + 1;
	struct kept_file *file = malloc(sizeof(*file) + size + length + 1);
	struct kept_file *const *found;

	if (!file)
		return;
	*file = (struct kept_file){
		.path = file->content,
		.text = file->content + size,
		.length = length,
		.error = error,
	};
	memcpy(file->content, path, size);
	if (text)
		memcpy(file->content + size, text, length + 1);
	found = tsearch(file, &kept->tree, compare);
	if (!found || *found != file)
		free(file);
}

static bool is_kept(const struct kept_files *kept, const char *path)
{
	const char *name = strrchr(path, '/');

	return strcmp(kept->names, "*") == 0 || (name && files_has_word(kept->names, name + 1));
}

static int kept_read(struct files *files, const char *path, size_t limit, char **ret_text,
		     size_t *ret_length)
{
	struct kept_files *kept = kept_files_of(files);
	const struct kept_file key = { .path = path };
	const bool keeps = limit == 0 && is_kept(kept, path);
	const struct kept_file *const *found = keeps ? tfind(&key, &kept->tree, compare) : NULL;
	char *text = NULL;
	size_t length = 0;
	int err = found ? (*found)->error
			: kept->inner->ops->read(kept->inner, path, limit, &text, &length);

	if (!found && keeps && err != -ENOMEM)
		keep(kept, path, text, length, err);
	if (err)
		return err;
	if (found) {
		length = (*found)->length;
		text = malloc(length + 1);
		if (!text)
			return -ENOMEM;
		memcpy(text, (*found)->text, length + 1);
	}
	*ret_text = text;
	*ret_length = length;
	return 0;
}

static int kept_write(struct files *files, const char *path, const char *text)
{
	struct kept_files *kept = kept_files_of(files);

	tdestroy(kept->tree, free);
	kept->tree = NULL;
	return kept->inner->ops->write(kept->inner, path, text);
}

static int kept_list(struct files *files, const char *path, char ***ret_names)
{
	return files_list(kept_files_of(files)->inner, path, ret_names);
}

static int kept_change_directory(struct files *files, const char *path, bool makes)
{
	return files_change_directory(kept_files_of(files)->inner, path, makes);
}

static void kept_rest(struct files *files)
{
	files_rest(kept_files_of(files)->inner);
}

int kept_files_open(struct files *inner, const char *names, struct files **ret_files)
{
	static const struct files_ops ops = {
		.read = kept_read,
		.write = kept_write,
		.list = kept_list,
		.change_directory = kept_change_directory,
		.rest = kept_rest,
	};
	struct kept_files *kept = malloc(sizeof(*kept));

	if (!kept)
		return -ENOMEM;
	*kept = (struct kept_files){ .files.ops = &ops, .inner = inner, .names = names };
	*ret_files = &kept->files;
	return 0;
}

void kept_files_close(struct files *files)
{
	struct kept_files *kept = kept_files_of(files);

	tdestroy(kept->tree, free);
	free(kept);
}
