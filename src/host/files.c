// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's files as they are, and readers of their usual contents for every kind of files.
 * Commands read and write attributes by the thousand, so each costs few system calls: one read
 * if sysfs allows that, the descriptor of a write for reading back, and one close_range() for
 * many files (sysfs.md, "Reading and writing an attribute"). */
#include "host/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/cpuset.h"
#include "base/fileio.h"
#include "base/number.h"

#define ATTRIBUTES "/sys/devices/"
#define MOST_USED  32

struct real_files {
	struct files files; /* first: what callers hold */
	int used[MOST_USED]; /* descriptors to be closed */
	size_t n_used;
	/* The file that was written last, open for reading back; -1: none. */
	int written_fd;
	char *written_path;
};

static struct real_files *real_files_of(struct files *files)
{
	return (struct real_files *)(void *)files;
}

/* Closes them by one call if the C library and the kernel (5.9) have it, and nothing forbids it. */
static bool close_together(int first, int last)
{
#ifdef CLOSE_RANGE_CLOEXEC /* of the C library's header, with the function itself */
	return close_range((unsigned int)first, (unsigned int)last, 0) == 0;
#else
	(void)first;
	(void)last;
	return false;
#endif
}

static int compare_descriptors(const void *left, const void *right)
{
	return *(const int *)left - *(const int *)right;
}

/* Closes descriptors whose numbers follow each other: every number between them is ours. */
static void close_run(const int *run, size_t length)
{
	if (length > 1 && close_together(run[0], run[length - 1]))
		return;
	for (size_t i = 0; i < length; i++)
		close(run[i]);
}

static void close_used(struct real_files *real)
{
	const int *used = real->used;
	size_t length;

	qsort(real->used, real->n_used, sizeof(*real->used), compare_descriptors);
	for (size_t first = 0; first < real->n_used; first += length) {
		length = 1;
		while (first + length < real->n_used &&
		       used[first + length] == used[first] + (int)length)
			length++;
		close_run(&used[first], length);
	}
	real->n_used = 0;
}

/* Takes over a descriptor, which is closed later, together with others. */
static void close_later(struct real_files *real, int fd)
{
	if (real->n_used == MOST_USED)
		close_used(real);
	real->used[real->n_used++] = fd;
}

static void forget_written(struct real_files *real)
{
	if (real->written_fd >= 0)
		close_later(real, real->written_fd);
	real->written_fd = -1;
	free(steal_pointer(real->written_path));
}

/* Returns a descriptor or a negative errno. Our own unclosed files do not use up the numbers. */
static int open_file(struct real_files *real, const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0 && errno == EMFILE && real->n_used > 0) {
		close_used(real);
		fd = open(path, flags | O_CLOEXEC);
	}
	return fd < 0 ? -errno : fd;
}

static int real_read(struct files *files, const char *path, size_t limit, char **ret_text,
		     size_t *ret_length)
{
	struct real_files *real = real_files_of(files);
	int fd = open_file(real, path, O_RDONLY), err;

	if (fd < 0)
		return fd;
	if (limit == 0 && strncmp(path, ATTRIBUTES, strlen(ATTRIBUTES)) == 0)
		err = fileio_read_attribute(fd, ret_text, ret_length);
	else
		err = fileio_read_fd(fd, limit, ret_text, ret_length);
	close_later(real, fd);
	return err;
}

/* Opens a file for writing, and for reading too if that is allowed. */
static int open_for_writing(struct real_files *real, const char *path, bool *ret_readable)
{
	int fd = open_file(real, path, O_RDWR | O_TRUNC);

	*ret_readable = fd >= 0;
	if (fd >= 0 || fd == -ENOENT)
		return fd;
	return open_file(real, path, O_WRONLY | O_TRUNC);
}

/* Keeps the descriptor for reading back. If memory is short, the file is opened again. */
static void keep_written(struct real_files *real, const char *path, int fd)
{
	real->written_path = strdup(path);
	if (real->written_path)
		real->written_fd = fd;
	else
		close_later(real, fd);
}

static int real_write(struct files *files, const char *path, const char *text)
{
	struct real_files *real = real_files_of(files);
	bool readable;
	ssize_t written;
	int fd, err = 0;

	forget_written(real);
	fd = open_for_writing(real, path, &readable);
	if (fd < 0)
		return fd;
	/* One write: the kernel takes each write() as a whole value. */
	written = write(fd, text, strlen(text));
	if (written < 0)
		err = -errno;
	else if ((size_t)written != strlen(text))
		err = -EIO;
	if (readable)
		keep_written(real, path, fd);
	else
		close_later(real, fd);
	return err;
}

/* If reading by the descriptor of the write fails, since the file was replaced, it is opened again.
 */
static int real_read_back(struct files *files, const char *path, char **ret_text,
			  size_t *ret_length)
{
	struct real_files *real = real_files_of(files);

	if (real->written_fd >= 0 && strcmp(real->written_path, path) == 0 &&
	    fileio_read_attribute(real->written_fd, ret_text, ret_length) == 0)
		return 0;
	return real_read(files, path, 0, ret_text, ret_length);
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
	.read_back = real_read_back,
	.list = real_list,
	.make_directory = real_make_directory,
	.remove_directory = real_remove_directory,
};

int files_open_real(struct files **ret_files)
{
	struct real_files *real = malloc(sizeof(*real));

	if (!real)
		return -ENOMEM;
	*real = (struct real_files){ .files.ops = &real_ops, .written_fd = -1 };
	*ret_files = &real->files;
	return 0;
}

void files_close_real(struct files **files)
{
	if (*files) {
		forget_written(real_files_of(*files));
		close_used(real_files_of(*files));
		free(real_files_of(*files));
	}
	*files = NULL;
}

static void trim(char *text, size_t length)
{
	while (length > 0 && strchr(" \t\n", text[length - 1]))
		text[--length] = '\0';
}

int files_read_line(struct files *files, const char *path, char **ret_text)
{
	size_t length;
	char *text;
	int err = files->ops->read(files, path, 0, &text, &length);

	if (err)
		return err;
	trim(text, length);
	*ret_text = text;
	return 0;
}

int files_read_back(struct files *files, const char *path, char **ret_text)
{
	size_t length;
	char *text;
	int err;

	if (!files->ops->read_back)
		return files_read_line(files, path, ret_text);
	err = files->ops->read_back(files, path, &text, &length);
	if (err)
		return err;
	trim(text, length);
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

bool files_has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	while (text && *text) {
		size_t here = strcspn(text, " \t\n");

		if (here == length && length > 0 && strncmp(text, word, length) == 0)
			return true;
		text += here + strspn(text + here, " \t\n");
	}
	return false;
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

void files_format_cpu_path(char path[FILES_CPU_PATH_SIZE], uint32_t cpu, const char *format, ...)
{
	int length = snprintf(path, FILES_CPU_PATH_SIZE, FILES_CPUS "/cpu%" PRIu32 "/", cpu);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(path + length, (size_t)(FILES_CPU_PATH_SIZE - length), format, arguments);
	va_end(arguments);
}
