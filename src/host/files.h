/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine's kernel files (/proc/cpuinfo, /sys/...), by absolute path. They are the real files,
 * the simulator's or a test's. sysfs.md describes how the files behave. */
#ifndef HOST_FILES_H
#define HOST_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct files;
struct cpuset;

struct files_ops {
	/* Reads a complete file, or up to limit bytes if limit is not 0. *ret_text is a new
	 * zero-terminated string with *ret_length bytes. A read of the file that was written last
	 * may use the descriptor of that write. Returns 0 or the negative errno of open() or
	 * read(), or -ENOMEM. */
	int (*read)(struct files *files, const char *path, size_t limit, char **ret_text,
		    size_t *ret_length);
	/* Writes text in one write(). Returns 0 or the negative errno of open() or write(). */
	int (*write)(struct files *files, const char *path, const char *text);
	/* Lists a directory: *ret_names is a new NULL-terminated array of names in ascending byte
	 * order, without "." and "..". files_free_names() frees it. Returns 0, the negative errno
	 * of opendir(), or -ENOMEM. */
	int (*list)(struct files *files, const char *path, char ***ret_names);
	/* Makes or removes a directory. Returns 0 or the negative errno of mkdir() or rmdir(). */
	int (*change_directory)(struct files *files, const char *path, bool makes);
	/* Closes the descriptors that wait to be closed together. NULL: there are none. */
	void (*rest)(struct files *files);
	/* If on, attributes that are read from now on stay open, up to the limit of open files, and
	 * later reads use their descriptors. Otherwise closes all of them. NULL: none stay open. */
	void (*keep_open)(struct files *files, bool on);
};

/* Implementations begin with this structure. */
struct files {
	const struct files_ops *ops;
};

/* Opens the files of the machine that the program runs on. A few descriptors stay open until they
 * can be closed together. Returns 0 or -ENOMEM. */
int files_open_real(struct files **ret_files);

/* Closes and frees *files, which may be NULL, and sets it to NULL. */
void files_close_real(struct files **files);

/* Reads a complete file as text, without trailing newlines and blanks. Errors as ops->read. */
int files_read_line(struct files *files, const char *path, char **ret_text);

/* Reads a file with one number, decimal or 0x. Errors as ops->read, -EINVAL for no number. */
int files_read_number(struct files *files, const char *path, uint64_t *ret_value);

/* Reads a file with a CPU list; ret_set must be empty and stays so on failure. Errors as ops->read,
 * -EINVAL, -ERANGE. */
int files_read_cpus(struct files *files, const char *path, struct cpuset *ret_set);

/* A number from a file that may be absent or have other contents. */
struct file_number {
	bool is_known;
	uint32_t value;
};

#define FILES_MOST_MEMBERS 16

/* The errors of files that exist, but whose value cannot be read. errors[i] is the negative errno
 * of member i of the list; 0: the value was read, or the file is absent. */
struct files_unread {
	int16_t errors[FILES_MOST_MEMBERS];
};

/* A file, and the member of a structure that gets its number or its text (a new one). */
struct file_member {
	const char *name;
	size_t offset;
	enum { FILE_MEMBER_TEXT, FILE_MEMBER_U32, FILE_MEMBER_U64, FILE_MEMBER_NUMBER } kind;
	bool varies; /* the value changes by itself, as a count of events does */
	bool is_needed; /* if the file exists, it must be readable */
	uint32_t unit; /* a factor for a uint32_t; 0: none */
};

#define FILE_MEMBER(file, type, member) \
	.name = (file), .offset = offsetof(type, member),                                 \
	.kind = _Generic(((type *)0)->member,                                             \
			 char *: FILE_MEMBER_TEXT,                                        \
			 uint32_t: FILE_MEMBER_U32,                                       \
			 uint64_t: FILE_MEMBER_U64,                                       \
			 struct file_number: FILE_MEMBER_NUMBER)

struct file_members {
	const struct file_member *list;
	size_t count;
	/* Returns true if an error of reading means that there is no value. NULL: no error does.
	 * EIO, EACCES and EPERM are always failures for members with is_needed. */
	bool (*is_absent)(int error);
	/* The offset of struct files_unread in the structure; 0: it has none. */
	size_t unread;
};

/* Reads the files into the members of a structure that are 0. The path of a file is prefix and its
 * name. Members without a value stay 0. If a member has two files, the first value counts. Members
 * that vary are read only if with_varying. Returns 0; -EINVAL for an invalid number; another
 * negative errno of reading; -ENOMEM. If a file exists but its value cannot be read, its error is
 * stored in struct files_unread. After a failure, the structure has no texts, and only the file
 * that failed has an error. */
int files_read_members(struct files *files, const char *prefix, const struct file_members *members,
		       bool with_varying, void *structure);

/* Returns true if two structures are equal. Members that vary count only if with_varying. */
bool files_members_equal(const struct file_members *members, const void *left, const void *right,
			 bool with_varying);

/* Returns true if an error of reading means that the file does not exist, or that the kernel has no
 * value for it (sysfs.md, "EPB"). */
bool files_is_absent(int error);

/* Returns the meaning of an error in struct files_unread: static text, or that of strerror(). */
const char *files_describe_unread(int error);

/* Returns why the file with this name (without directories) is unread, a negative errno, or 0. */
int files_find_unread(const struct file_members *members, const struct files_unread *unread,
		      const char *name);

/* Lists the errors of unread files: returns the one after previous (at first 0); 0: no more. */
int files_next_unread(const struct files_unread *unread, int previous);

/* Returns the names of the files that are unread because of this error, as a new text:
 * "scaling_min_freq, base_frequency"; "intel_pstate/status" for a file of the complete machine.
 * NULL: no file, or memory is short. */
char *files_format_unread(const struct file_members *members, const struct files_unread *unread,
			  int error);

/* Frees the texts and sets them to NULL. */
void files_free_members(const struct file_members *members, void *structure);

/* Returns true if word is one of the words in text, which blanks separate. text may be NULL. */
bool files_has_word(const char *text, const char *word);

/* The operations of the same names; see struct files_ops. */
int files_write(struct files *files, const char *path, const char *text);
int files_list(struct files *files, const char *path, char ***ret_names);
int files_change_directory(struct files *files, const char *path, bool makes);
void files_rest(struct files *files);
void files_keep_open(struct files *files, bool on);
/* Frees *names, an array of files_list() or NULL, and sets it to NULL. */
void files_free_names(char ***names);

/* An MSR is read as a file whose text is the value, 0x and 16 digits. "/dev/cpu/5/msr@0x771" is the
 * value at offset 0x771 of /dev/cpu/5/msr. */
#define FILES_MSRS "/dev/cpu/"
#define FILES_MSR  "/msr@0x"

/* The directory of all CPUs. */
#define FILES_CPUS "/sys/devices/system/cpu"

struct file_path {
	char text[128];
};

/* The path of a file of one CPU. format is the part after cpuN, at most 90 bytes:
 * "cpufreq/scaling_max_freq". */
struct file_path files_cpu_path(uint32_t cpu, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The path of an MSR of a CPU. */
struct file_path files_msr_path(uint32_t cpu, uint32_t msr);

#endif
