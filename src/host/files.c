// SPDX-License-Identifier: GPL-2.0-only
/* Reads and writes the real kernel files, and parses the usual contents of all kinds of files.
 * Commands read and write thousands of attributes, so each needs few system calls: one read if
 * sysfs allows this, the descriptor of a write to read back, and one close_range() for many files
 * (sysfs.md, "Reading and writing an attribute"). Attributes that are read repeatedly can stay
 * open. */
#include "host/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/cpuset.h"
#include "base/fileio.h"
#include "base/number.h"

#define MOST_USED 128
#define SPARE     256 /* descriptors that open attributes leave free */

/* Files that do not change before the next boot are read once. */
static const char *const constant_paths[] = {
	"/proc/sys/kernel/random/boot_id",
	"/proc/sys/kernel/osrelease",
};
#define N_CONSTANTS ARRAY_SIZE(constant_paths)

struct real_files {
	struct files files; /* must be first: callers have a pointer to it */
	int used[MOST_USED]; /* descriptors to be closed */
	size_t n_used;
	/* The file that was written last, and its descriptor, which is in used; -1: none is open.
	 */
	char *written_path;
	int written_fd;
	/* The device whose register was read last, and its descriptor or the errno of open(). */
	char *device_path;
	int device_fd;
	char *constants[N_CONSTANTS]; /* NULL: not read yet */
	void *open; /* a tree of struct open_file */
	rlim_t end_open; /* limit of their descriptors; 0: no more stay open */
};

/* An attribute that stays open. */
struct open_file {
	int fd;
	const char *path; /* points into content */
	char content[];
};

static struct real_files *real_files_of(struct files *files)
{
	return (struct real_files *)(void *)files;
}

/* Closes the descriptors first to last, which are all ours. Uses one system call if the C library
 * and the kernel (5.9) have it and nothing forbids it. */
static void close_run(int first, int last)
{
#ifdef CLOSE_RANGE_CLOEXEC /* the header that defines it has close_range(), too */
	if (first < last && close_range((unsigned int)first, (unsigned int)last, 0) == 0)
		return;
#endif
	for (int fd = first; fd <= last; fd++)
		close(fd);
}

static int compare_descriptors(const void *left, const void *right)
{
	return *(const int *)left - *(const int *)right;
}

static void close_used(struct real_files *real)
{
	size_t first = 0;

	real->written_fd = -1;
	free(steal(real->device_path));
	qsort(real->used, real->n_used, sizeof(*real->used), compare_descriptors);
	for (size_t i = 0; i < real->n_used; i++) {
		if (i + 1 < real->n_used && real->used[i + 1] == real->used[i] + 1)
			continue;
		close_run(real->used[first], real->used[i]);
		first = i + 1;
	}
	real->n_used = 0;
}

/* Opens a file. close_used() closes it later, together with others. If these files use up the
 * descriptors, they are closed first. Returns a descriptor or a negative errno. */
static int open_file(struct real_files *real, const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0 && errno == EMFILE && real->n_used > 0) {
		close_used(real);
		fd = open(path, flags | O_CLOEXEC);
	}
	if (fd < 0)
		return -errno;
	if (real->n_used == MOST_USED)
		close_used(real);
	real->used[real->n_used++] = fd;
	return fd;
}

/* Opens a device of registers. Takes ownership of path. Returns a descriptor or negative errno. */
static int open_device(struct real_files *real, char *path)
{
	if (!real->device_path || strcmp(real->device_path, path) != 0) {
		const int fd = open_file(real, path, O_RDONLY);

		free(real->device_path);
		real->device_path = path;
		real->device_fd = fd;
	} else {
		free(path);
	}
	return real->device_fd;
}

/* Reads an MSR; path is from files_msr_path(). Returns as ops->read; -EIO: no such MSR. */
static int read_msr(struct real_files *real, const char *path, char **ret_text, size_t *ret_length)
{
	const char *at = strchr(path, '@');
	char *device;
	uint64_t msr, value;
	ssize_t length;
	int fd;

	if (!at || number_parse_hex(at + 1, &msr) || msr > UINT32_MAX)
		return -ENOENT;
	device = strndup(path, (size_t)(at - path));
	fd = device ? open_device(real, device) : -ENOMEM;
	if (fd < 0)
		return fd;
	length = pread(fd, &value, sizeof(value), (off_t)msr);
	if (length != sizeof(value))
		return length < 0 ? -errno : -EIO;
	*ret_text = text_format("0x%016" PRIx64 "\n", value);
	*ret_length = *ret_text ? strlen(*ret_text) : 0;
	return *ret_text ? 0 : -ENOMEM;
}

/* Returns where the text of a constant file is kept; NULL for another file. */
static char **find_constant(struct real_files *real, const char *path)
{
	for (size_t i = 0; i < N_CONSTANTS; i++) {
		if (strcmp(path, constant_paths[i]) == 0)
			return &real->constants[i];
	}
	return NULL;
}

static int compare_open(const void *left, const void *right)
{
	return strcmp(((const struct open_file *)left)->path,
		      ((const struct open_file *)right)->path);
}

static void close_open(void *data)
{
	struct open_file *file = data;

	if (file->fd >= 0)
		close(file->fd);
	free(file);
}

/* Opens an attribute that stays open. Returns NULL on failure. */
static struct open_file *add_open(struct real_files *real, const char *path)
{
	const size_t size = strlen(path) + 1;
	struct open_file *file = real->end_open ? malloc(sizeof(*file) + size) : NULL;

	if (!file)
		return NULL;
	*file = (struct open_file){ open(path, O_RDONLY | O_CLOEXEC), file->content };
	memcpy(file->content, path, size);
	/* open() returns the lowest free descriptor, so all below it are in use */
	if (file->fd >= 0 && (rlim_t)file->fd >= real->end_open)
		real->end_open = 0;
	if (file->fd >= 0 && real->end_open && tsearch(file, &real->open, compare_open))
		return file;
	close_open(file);
	return NULL;
}

/* Reads an attribute through its open descriptor. Returns false if this fails: the CPU may have
 * gone offline and online again since the file was opened. */
static bool read_open(struct real_files *real, const char *path, char **ret_text,
		      size_t *ret_length)
{
	const struct open_file key = { .path = path };
	struct open_file *const *found = tfind(&key, &real->open, compare_open);
	struct open_file *file = found ? *found : add_open(real, path);

	if (!file)
		return false;
	if (fileio_read_attribute(file->fd, ret_text, ret_length) == 0)
		return true;
	tdelete(file, &real->open, compare_open);
	close_open(file);
	return false;
}

static bool is_attribute(const char *path)
{
	static const char *const directories[] = { "/sys/devices/", "/sys/class/", "/proc/sys/" };

	for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
		if (strncmp(path, directories[i], strlen(directories[i])) == 0)
			return true;
	}
	return false;
}

static int read_file(struct real_files *real, const char *path, size_t limit, char **ret_text,
		     size_t *ret_length)
{
	int fd;

	/* If the file was replaced after the write, this fails, and the file is opened again. */
	if (limit == 0 && real->written_fd >= 0 && strcmp(real->written_path, path) == 0 &&
	    fileio_read_attribute(real->written_fd, ret_text, ret_length) == 0)
		return 0;
	if (strncmp(path, FILES_MSRS, strlen(FILES_MSRS)) == 0)
		return read_msr(real, path, ret_text, ret_length);
	if (limit == 0 && is_attribute(path) && read_open(real, path, ret_text, ret_length))
		return 0;
	fd = open_file(real, path, O_RDONLY);
	if (fd < 0)
		return fd;
	if (limit == 0 && is_attribute(path))
		return fileio_read_attribute(fd, ret_text, ret_length);
	return fileio_read_fd(fd, limit, ret_text, ret_length);
}

static int real_read(struct files *files, const char *path, size_t limit, char **ret_text,
		     size_t *ret_length)
{
	struct real_files *real = real_files_of(files);
	char **constant = find_constant(real, path), *text;

	if (!constant)
		return read_file(real, path, limit, ret_text, ret_length);
	if (!*constant) {
		int err = read_file(real, path, 0, constant, ret_length);

		if (err)
			return err;
	}
	text = strdup(*constant);
	if (!text)
		return -ENOMEM;
	*ret_text = text;
	*ret_length = strlen(text);
	return 0;
}

static int real_write(struct files *files, const char *path, const char *text)
{
	struct real_files *real = real_files_of(files);
	ssize_t written;
	int fd = open_file(real, path, O_RDWR | O_TRUNC);

	free(real->written_path);
	real->written_path = fd >= 0 ? strdup(path) : NULL;
	real->written_fd = real->written_path ? fd : -1; /* -1: a read opens the file again */
	if (fd < 0 && fd != -ENOENT)
		fd = open_file(real, path, O_WRONLY | O_TRUNC);
	if (fd < 0)
		return fd;
	/* The kernel treats each write() as a complete value. */
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

static int real_change_directory(struct files *files, const char *path, bool makes)
{
	(void)files;
	return (makes ? mkdir(path, 0755) : rmdir(path)) < 0 ? -errno : 0;
}

static void real_rest(struct files *files)
{
	close_used(real_files_of(files));
}

static void real_keep_open(struct files *files, bool on)
{
	struct real_files *real = real_files_of(files);
	struct rlimit limit;

	tdestroy(real->open, close_open);
	real->open = NULL;
	real->end_open = 0;
	if (on && getrlimit(RLIMIT_NOFILE, &limit) == 0)
		real->end_open =
			limit.rlim_cur - (limit.rlim_cur / 2 < SPARE ? limit.rlim_cur / 2 : SPARE);
}

static const struct files_ops real_ops = {
	.keep_open = real_keep_open,
	.rest = real_rest,
	.read = real_read,
	.write = real_write,
	.list = real_list,
	.change_directory = real_change_directory,
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
		struct real_files *real = real_files_of(*files);

		real_keep_open(*files, false);
		close_used(real);
		free(real->written_path);
		for (size_t i = 0; i < N_CONSTANTS; i++)
			free(real->constants[i]);
		free(real);
	}
	*files = NULL;
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

	return err ? err : number_parse_file(text, ret_value);
}

int files_read_cpus(struct files *files, const char *path, struct cpuset *ret_set)
{
	_cleanup_free_ char *text = NULL;
	int err = files_read_line(files, path, &text);

	return err ? err : cpulist_parse(text, ret_set);
}

/* Returns the number of a member; for a text or a struct file_number, whether it has a value. */
static uint64_t number_of(const struct file_member *member, const void *structure)
{
	const char *at = (const char *)structure + member->offset;

	switch (member->kind) {
	case FILE_MEMBER_U32:
		return *(const uint32_t *)(const void *)at;
	case FILE_MEMBER_U64:
		return *(const uint64_t *)(const void *)at;
	case FILE_MEMBER_NUMBER:
		return ((const struct file_number *)(const void *)at)->is_known;
	case FILE_MEMBER_TEXT:
		break;
	}
	return *(char *const *)(const void *)at != NULL;
}

static char **text_of(const struct file_member *member, const void *structure)
{
	return (char **)((uintptr_t)structure + member->offset);
}

static int read_member(struct files *files, const char *path, const struct file_member *member,
		       void *structure)
{
	char *to = (char *)structure + member->offset;
	uint32_t unit = member->unit ?: 1;
	uint64_t value;
	int err;

	if (member->kind == FILE_MEMBER_TEXT)
		return files_read_line(files, path, text_of(member, structure));
	err = files_read_number(files, path, &value);
	if (err)
		return err;
	if (member->kind == FILE_MEMBER_U64) {
		*(uint64_t *)(void *)to = value;
		return 0;
	}
	if (value > UINT32_MAX / unit)
		return -EINVAL;
	if (member->kind == FILE_MEMBER_NUMBER)
		*(struct file_number *)(void *)to =
			(struct file_number){ .is_known = true, .value = (uint32_t)value };
	else
		*(uint32_t *)(void *)to = (uint32_t)value * unit;
	return 0;
}

static bool is_absent(const struct file_members *members, const struct file_member *member, int err)
{
	if (member->is_needed && (err == -EIO || err == -EACCES || err == -EPERM))
		return false;
	return members->is_absent && members->is_absent(err);
}

bool files_is_absent(int error)
{
	return error == -ENOENT || error == -ENXIO || error == -ENODEV || error == -EOPNOTSUPP ||
	       error == -EAGAIN;
}

const char *files_describe_unread(int error)
{
	return error == -EINVAL ? "not a number" : strerror(-error);
}

static struct files_unread *unread_of(const struct file_members *members, void *structure)
{
	return members->unread ? (void *)((char *)structure + members->unread) : NULL;
}

/* Stores the error of a member without a value. Ignores it if the file or its value is absent, or
 * if the CPU is offline (EBUSY). */
static void note_unread(const struct file_members *members, size_t i, int err, void *structure)
{
	struct files_unread *unread = unread_of(members, structure);

	if (unread && !files_is_absent(err) && err != -EBUSY && err != -ENOMEM)
		unread->errors[i] = (int16_t)err;
}

int files_read_members(struct files *files, const char *prefix, const struct file_members *members,
		       bool with_varying, void *structure)
{
	for (size_t i = 0; i < members->count; i++) {
		const struct file_member *member = &members->list[i];
		_cleanup_free_ char *path = NULL;
		bool fails;
		int err;

		if ((member->varies && !with_varying) || number_of(member, structure))
			continue;
		path = text_format("%s%s", prefix, member->name);
		err = path ? read_member(files, path, member, structure) : -ENOMEM;
		if (!err)
			continue;
		fails = !is_absent(members, member, err);
		if (fails)
			files_free_members(members, structure);
		if (fails && members->unread)
			*unread_of(members, structure) = (struct files_unread){ 0 };
		note_unread(members, i, err, structure);
		if (fails)
			return err;
	}
	return 0;
}

bool files_members_equal(const struct file_members *members, const void *left, const void *right,
			 bool with_varying)
{
	for (size_t i = 0; i < members->count; i++) {
		const struct file_member *member = &members->list[i];

		if (member->varies && !with_varying)
			continue;
		if (number_of(member, left) != number_of(member, right))
			return false;
		if (member->kind == FILE_MEMBER_TEXT && number_of(member, left) &&
		    strcmp(*text_of(member, left), *text_of(member, right)) != 0)
			return false;
	}
	return true;
}

static const char *base_name(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

int files_find_unread(const struct file_members *members, const struct files_unread *unread,
		      const char *name)
{
	for (size_t i = 0; i < members->count; i++) {
		if (strcmp(base_name(members->list[i].name), base_name(name)) == 0)
			return unread->errors[i];
	}
	return 0;
}

int files_next_unread(const struct files_unread *unread, int previous)
{
	int next = INT16_MIN;

	for (size_t i = 0; i < FILES_MOST_MEMBERS; i++) {
		if (unread->errors[i] && unread->errors[i] > next &&
		    (!previous || unread->errors[i] < previous))
			next = unread->errors[i];
	}
	return next == INT16_MIN ? 0 : next;
}

char *files_format_unread(const struct file_members *members, const struct files_unread *unread,
			  int error)
{
	static const char cpus[] = FILES_CPUS "/";
	_cleanup_buffer_ struct buffer text = { 0 };

	for (size_t i = 0; i < members->count; i++) {
		const char *name = members->list[i].name;

		if (!error || unread->errors[i] != error)
			continue;
		if (text.length)
			buffer_append_string(&text, ", ");
		buffer_append_string(&text, strncmp(name, cpus, strlen(cpus)) == 0
						    ? name + strlen(cpus)
						    : base_name(name));
	}
	return text.length ? buffer_steal(&text, NULL) : NULL;
}

void files_free_members(const struct file_members *members, void *structure)
{
	for (size_t i = 0; i < members->count; i++) {
		if (members->list[i].kind == FILE_MEMBER_TEXT)
			free(steal(*text_of(&members->list[i], structure)));
	}
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

int files_change_directory(struct files *files, const char *path, bool makes)
{
	return files->ops->change_directory(files, path, makes);
}

void files_rest(struct files *files)
{
	if (files->ops->rest)
		files->ops->rest(files);
}

void files_keep_open(struct files *files, bool on)
{
	if (files->ops->keep_open)
		files->ops->keep_open(files, on);
}

void files_free_names(char ***names)
{
	for (size_t i = 0; *names && (*names)[i]; i++)
		free((*names)[i]);
	free(*names);
	*names = NULL;
}

struct file_path files_msr_path(uint32_t cpu, uint32_t msr)
{
	struct file_path path;

	snprintf(path.text, sizeof(path.text), FILES_MSRS "%" PRIu32 FILES_MSR "%" PRIx32, cpu,
		 msr);
	return path;
}

struct file_path files_cpu_path(uint32_t cpu, const char *format, ...)
{
	struct file_path path;
	size_t length =
		(size_t)snprintf(path.text, sizeof(path.text), FILES_CPUS "/cpu%" PRIu32 "/", cpu);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(path.text + length, sizeof(path.text) - length, format, arguments);
	va_end(arguments);
	return path;
}
