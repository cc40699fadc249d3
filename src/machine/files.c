// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's files as they are, and readers of their usual contents for every kind of files. */
#include "machine/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/cpulist.h"
#include "base/fileio.h"
#include "base/number.h"

static int real_read(struct files *files, const char *path, size_t limit, char **ret_text,
		     size_t *ret_length)
{
	(void)files;
	return fileio_read(path, limit, ret_text, ret_length);
}

static int real_write(struct files *files, const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	ssize_t written;

	(void)files;
	if (fd < 0)
		return -errno;
	/* One write: the kernel takes each write() as a whole value. */
	written = write(fd, text, strlen(text));
	if (written < 0)
		return -errno;
	return (size_t)written == strlen(text) ? 0 : -EIO;
}

static int keep_name(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int compare_names(const struct dirent **left, const struct dirent **right)
{
	return strcmp((*left)->d_name, (*right)->d_name);
}

static int real_list(struct files *files, const char *path, char ***ret_names)
{
	struct dirent **entries;
	char **names;
	int count = scandir(path, &entries, keep_name, compare_names);
	bool complete = true;

	(void)files;
	if (count < 0)
		return -errno;
	names = calloc((size_t)count + 1, sizeof(*names));
	for (int i = 0; i < count; i++) {
		if (names)
			names[i] = strdup(entries[i]->d_name);
		complete = complete && names && names[i];
		free(entries[i]);
	}
	free(entries);
	if (!names || !complete) {
		files_free_names(&names);
		return -ENOMEM;
	}
	*ret_names = names;
	return 0;
}

static int real_make_directory(struct files *files, const char *path)
{
	(void)files;
	return mkdir(path, 0755) < 0 ? -errno : 0;
}

static int real_remove_directory(struct files *files, const char *path)
{
	(void)files;
	return rmdir(path) < 0 ? -errno : 0;
}

static const struct files_ops real_ops = {
	.read = real_read,
	.write = real_write,
	.list = real_list,
	.make_directory = real_make_directory,
	.remove_directory = real_remove_directory,
};

struct files *files_real(void)
{
	static const struct files real = { .ops = &real_ops };

	return (struct files *)(uintptr_t)&real; /* it has no state to change */
}

int files_read_line(struct files *files, const char *path, char **ret_text)
{
	size_t length;
	char *text;
	int err = files->ops->read(files, path, 0, &text, &length);

	if (err)
		return err;
	while (length > 0 && strchr(" \t\n", text[length - 1]))
		text[--length] = '\0';
	*ret_text = text;
	return 0;
}

int files_read_number(struct files *files, const char *path, uint64_t *ret_value)
{
	_cleanup_free_ char *text = NULL;
	int err = files_read_line(files, path, &text);

	if (err)
		return err;
	return number_parse_file(text, ret_value);
}

int files_read_cpus(struct files *files, const char *path, struct cpuset *ret_set)
{
	_cleanup_free_ char *text = NULL;
	int err = files_read_line(files, path, &text);

	if (err)
		return err;
	return cpulist_parse(text, ret_set);
}

int files_write(struct files *files, const char *path, const char *text)
{
	return files->ops->write(files, path, text);
}

int files_list(struct files *files, const char *path, char ***ret_names)
{
	return files->ops->list(files, path, ret_names);
}

int files_make_directory(struct files *files, const char *path)
{
	return files->ops->make_directory(files, path);
}

int files_remove_directory(struct files *files, const char *path)
{
	return files->ops->remove_directory(files, path);
}

void files_free_names(char ***names)
{
	for (size_t i = 0; *names && (*names)[i]; i++)
		free((*names)[i]);
	free(*names);
	*names = NULL;
}
