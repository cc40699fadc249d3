/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine's kernel files (/proc/cpuinfo, /sys/...), by absolute path: the real ones, the
 * simulator's or a test's. sysfs.md says how they behave. */
#ifndef HOST_FILES_H
#define HOST_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct files;
struct cpuset;

struct files_ops {
	/* Reads a file: all of it, or up to limit bytes if limit is not 0. *ret_text is a new
	 * string (zero-terminated, *ret_length bytes before that). The file that was written last
	 * may be read by the descriptor of that write. Returns 0 or the negative errno of open() or
	 * read(), or -ENOMEM. */
	int (*read)(struct files *files, const char *path, size_t limit, char **ret_text,
		    size_t *ret_length);
	/* Writes text in one write(). Returns 0 or the negative errno of open() or write(). */
	int (*write)(struct files *files, const char *path, const char *text);
	/* Lists a directory: *ret_names is a new NULL-terminated array of names in ascending byte
	 * order, "." and ".." left out, to be freed with files_free_names().
	 * Returns 0, the negative errno of opendir(), or -ENOMEM. */
	int (*list)(struct files *files, const char *path, char ***ret_names);
	/* Makes or removes a directory. Returns 0 or the negative errno of mkdir() or rmdir(). */
	int (*change_directory)(struct files *files, const char *path, bool makes);
	/* Closes descriptors that are kept open to be closed together. NULL: none are. */
	void (*rest)(struct files *files);
	/* From now on attributes that are read stay open, up to the limit of open files, and are
	 * read again by their descriptors; or closes them all. NULL: none are kept open. */
	void (*keep_open)(struct files *files, bool on);
};

/* Implementations begin with this. */
struct files {
	const struct files_ops *ops;
};

/* Opens the files of the machine that we run on. A few descriptors stay open until they can be
 * closed together. Returns 0 or -ENOMEM. */
int files_open_real(struct files **ret_files);

/* Closes and frees *files, which may be NULL, and leaves NULL. */
void files_close_real(struct files **files);

/* Reads a whole file as text, trailing newline and blanks cut off. Errors as ops->read. */
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

/* The files of a structure that are there, but have no value that can be read: why, a negative
 * errno, by the members of their list; 0: the file is absent, or its value is there. */
struct files_unread {
	int16_t errors[FILES_MOST_MEMBERS];
};

/* A file, and the member of a structure for its text (a new one) or number. */
struct file_member {
	const char *name;
	size_t offset;
	enum { FILE_MEMBER_TEXT, FILE_MEMBER_U32, FILE_MEMBER_U64, FILE_MEMBER_NUMBER } kind;
	bool varies; /* by itself, as a count of events does */
	bool is_needed; /* if the file is there, it has to be readable */
	uint32_t unit; /* that a uint32_t is multiplied by; 0: none */
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
	/* Does an error of reading mean that there is no value? NULL: none does. Of members that
	 * are needed, EIO, EACCES and EPERM never do. */
	bool (*is_absent)(int error);
	/* Where the structure has its struct files_unread; 0: nowhere. */
	size_t unread;
};

/* Reads the files into a structure whose members are 0; each has prefix before its name. Members
 * without a value stay 0; of two files for one member, the first with a value counts. Those that
 * vary are read only if with_varying. Returns 0; -EINVAL for an invalid number; another negative
 * errno of reading; -ENOMEM. Members without a value whose file is there are unread. After a
 * failure the structure has no texts, and nothing but the file that failed is unread. */
int files_read_members(struct files *files, const char *prefix, const struct file_members *members,
		       bool with_varying, void *structure);

/* Have two structures the same values, those that vary apart unless with_varying? */
bool files_members_equal(const struct file_members *members, const void *left, const void *right,
			 bool with_varying);

/* Does an error of reading mean that there is no such file, or that the kernel has no value for it
 * (sysfs.md, "EPB")? */
bool files_is_absent(int error);

/* The meaning of such an error of reading: static text, or that of strerror(). */
const char *files_describe_unread(int error);

/* Why the file of that name is unread, a negative errno, or 0; directories do not count. */
int files_find_unread(const struct file_members *members, const struct files_unread *unread,
		      const char *name);

/* The reasons of unread files, one after the other: the one after previous, at first 0; 0: there is
 * none. */
int files_next_unread(const struct files_unread *unread, int previous);

/* The files that are unread for that reason: "scaling_min_freq, base_frequency", and
 * "intel_pstate/status" of the whole machine. A new text; NULL: there are none, or memory is
 * short. */
char *files_format_unread(const struct file_members *members, const struct files_unread *unread,
			  int error);

/* Frees the texts and leaves NULL. */
void files_free_members(const struct file_members *members, void *structure);

/* Is word one of the words of a file's text, which are separated by blanks? text may be NULL. */
bool files_has_word(const char *text, const char *word);

/* The operations of the same names; see struct files_ops. */
int files_write(struct files *files, const char *path, const char *text);
int files_list(struct files *files, const char *path, char ***ret_names);
int files_change_directory(struct files *files, const char *path, bool makes);
void files_rest(struct files *files);
void files_keep_open(struct files *files, bool on);
/* Frees what files_list() gave, which may be NULL, and leaves NULL. */
void files_free_names(char ***names);

/* An MSR is read as a file that has its value as text, 0x and 16 digits: "/dev/cpu/5/msr@0x771" is
 * what /dev/cpu/5/msr has at the offset 0x771. */
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
