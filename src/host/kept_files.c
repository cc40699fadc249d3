// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the text or the error of each file that is read, in a tree that is sorted by path. For dry
 * runs, keeps the text of each file that is assumed to be written. */
#include "host/kept_files.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

struct kept_files {
	struct files files; /* must be first: callers have a pointer to it */
	struct files *inner;
	const char *names;
	void *tree; /* of struct kept_file */
	bool assumes; /* a write changes only the tree */
	struct buffer unknown; /* if assumes: names of files that other writes change */
	char *unknown_read; /* the first file that was read although it is unknown */
};

struct kept_file {
	const char *path; /* points into content */
	const char *text; /* follows path in content */
	size_t length;
	int error;
	bool is_unknown;
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

/* Keeps the text or the error of a file, and replaces an earlier one. If memory is short, nothing
 * is kept, and the file is read again later. */
static int keep(struct kept_files *kept, const char *path, const char *text, size_t length,
		int error)
{
	const size_t size = strlen(path) + 1;
	struct kept_file *file = malloc(sizeof(*file) + size + length + 1);
	struct kept_file **found;

	if (!file)
		return -ENOMEM;
	*file = (struct kept_file){
		.path = file->content,
		.text = file->content + size,
		.length = length,
		.error = error,
		.is_unknown = !text && !error,
	};
	memcpy(file->content, path, size);
	if (text)
		memcpy(file->content + size, text, length + 1);
	found = tsearch(file, &kept->tree, compare);
	if (found && *found != file)
		free(*found);
	if (found)
		*found = file;
	else
		free(file);
	return found ? 0 : -ENOMEM;
}

static bool is_kept(const struct kept_files *kept, const char *path)
{
	const char *name = strrchr(path, '/');

	return strcmp(kept->names, "*") == 0 || (name && files_has_word(kept->names, name + 1));
}

/* Returns what is kept of a file, or NULL. Remembers the first file with unknown contents. */
static const struct kept_file *const *find(struct kept_files *kept, const char *path)
{
	const struct kept_file key = { .path = path };
	const struct kept_file *const *found = tfind(&key, &kept->tree, compare);
	const char *name = strrchr(path, '/');
	bool is_unknown =
		found ? (*found)->is_unknown : name && files_has_word(kept->unknown.data, name + 1);

	if (is_unknown && !kept->unknown_read)
		kept->unknown_read = strdup(path);
	return is_unknown ? NULL : found;
}

static int kept_read(struct files *files, const char *path, size_t limit, char **ret_text,
		     size_t *ret_length)
{
	struct kept_files *kept = kept_files_of(files);
	const bool keeps = limit == 0 && is_kept(kept, path);
	const struct kept_file *const *found = keeps || kept->assumes ? find(kept, path) : NULL;
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

	if (kept->assumes)
		return keep(kept, path, text, strlen(text), 0);
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
	struct kept_files *kept = kept_files_of(files);

	return kept->assumes ? -ENOTSUP : files_change_directory(kept->inner, path, makes);
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
	buffer_done(&kept->unknown);
	free(kept->unknown_read);
	free(kept);
}

int kept_files_assume(struct files *inner, struct files **ret_files)
{
	int err = kept_files_open(inner, "", ret_files);

	if (!err)
		kept_files_of(*ret_files)->assumes = true;
	return err;
}

int kept_files_forget(struct files *files, const char *names)
{
	struct kept_files *kept = kept_files_of(files);

	if (*names == '/')
		return keep(kept, names, NULL, 0, 0);
	buffer_append_string(&kept->unknown, names);
	buffer_append_char(&kept->unknown, ' ');
	return kept->unknown.has_failed ? -ENOMEM : 0;
}

const char *kept_files_unknown(struct files *files)
{
	return kept_files_of(files)->unknown_read;
}
