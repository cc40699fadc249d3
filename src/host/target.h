/* SPDX-License-Identifier: GPL-2.0-only */
/* A thing that can be written is a type: a table of operations, and where it is. Files are at
 * the end of this header, the requests of Speed Select in sst/. What carries changes out knows none
 * of them by name. */
#ifndef HOST_TARGET_H
#define HOST_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/channel.h"
#include "host/files.h"

struct host;

#define TARGET_NUMBERS 5

/* What is written or read: the text of a file; a number, as of a register; or several small
 * numbers, in an order that the target defines, of which the first one is number, too. What is not
 * used is 0. Plans have tens of thousands of values: it has no gaps that it does not need. */
struct target_value {
	const char *text;
	union {
		struct {
			uint64_t number;
			uint16_t after_number; /* 0, also where only number is initialized */
		};
		uint16_t numbers[TARGET_NUMBERS];
	};
	uint32_t other_bits; /* of a register: written as they were read, and not compared */
};

/* What can be written, and where. Members that the type does not need are 0. */
struct write_target {
	const struct target_ops *ops;
	const char *path; /* of a file or directory */
	uint32_t cpu; /* any online CPU of the power domain or package: the driver finds it so */
	uint32_t package; /* the two for drivers that do not find it by a CPU */
	uint32_t power_domain;
	uint16_t index; /* a register, CLOS, core, ...: as the type says */
	bool is_not_read_back; /* it may read otherwise than it was written */
	uint64_t data; /* as the type says */
};

/* What targets are written and read by. */
struct target_io {
	struct channel channel; /* to the driver; without a transport, there is none */
	struct files *files;
	void *commands; /* room for the commands of the largest batch, CHANNEL_COMMAND_SIZE each */
	int *errors; /* and for their errors */
};

/* One element of a batch: all are written, or all are read. */
struct target_request {
	const struct write_target *target;
	struct target_value value; /* what to write, or what was read; a text is a new one then */
	int error; /* 0 or a negative errno */
};

/* Why a write probably failed. */
struct target_cause {
	int error; /* a negative errno that says more than the one of the write, or that one */
	const char *text; /* static; NULL: nothing more is known */
};

/* See the members of struct target_ops. */
typedef int target_compare_function(const struct write_target *target,
				    const struct target_value *found,
				    const struct target_value *wanted,
				    const struct target_value *before, char **ret_reason);
typedef char *target_format_function(const struct write_target *target,
				     const struct target_value *value);

struct target_ops {
	/* Writes or reads one value. Returns 0 or a negative errno. NULL for a type with batch. A
	 * text that is read is a new one. */
	int (*run)(struct target_io *io, const struct write_target *target,
		   struct target_value *value, bool writes);
	/* Writes or reads all in order, if the driver can do many at once; or NULL. If
	 * io->channel.stop_at_error, requests after one that failed are not sent: -ECANCELED. */
	void (*batch)(struct target_io *io, struct target_request *requests, size_t count,
		      bool writes);
	/* Is found what was written? Returns 0; or -EIO with *ret_reason a new text, "it is 3,
	 * expected 4" (NULL: no memory). If 0 comes with a reason, the value is in force, but
	 * limited. before: the value before the write; NULL: unknown, or wanted is that value
	 * again. NULL: numbers and texts must be equal. */
	target_compare_function *compare;
	/* The value reads limited, as compare said: does the target take writes at all? Writes
	 * other values and at last the wanted one again, and reads it to *found. Returns as
	 * compare, or a negative errno of the requests. NULL: a limited value needs no proof. */
	int (*confirm)(struct target_io *io, const struct write_target *target,
		       const struct target_value *wanted, struct target_value *found,
		       char **ret_reason);
	/* A value for people, as a new text; NULL: no memory. */
	target_format_function *format;
	/* Where the value goes, for --dry-run: "cpu-0 msr 0x1ad"; the same. */
	target_format_function *format_place;
	/* An errno in words (static text). NULL: strerror(). */
	const char *(*error_text)(int error);
	/* Why a write of the value probably failed. Files need neither host nor channel. NULL:
	 * nothing more is known than error. */
	struct target_cause (*find_cause)(const struct write_target *target,
					  const struct target_value *value, int error,
					  struct host *host, const struct channel *channel);
	/* May a write that failed so have taken effect? -EINTR and -EIO always mean that it may.
	 * NULL: no other does. */
	bool (*is_uncertain)(int error);
	/* Does the error mean that the target has the value already? NULL: none does. */
	bool (*has_value)(const struct target_value *value, int error);
	bool needs_driver; /* without one, everything fails with -ENODEV */
	bool is_named_by_cpu; /* member cpu of the target is used */
};

/* Prepares for batches of up to `most` requests. channel may be NULL: no driver. Returns 0 or
 * -ENOMEM. */
int target_io_init(struct target_io *io, const struct channel *channel, struct files *files,
		   size_t most);
/* Frees what it holds, and leaves nothing. */
void target_io_done(struct target_io *io);

/* Can two targets be in one batch? */
bool target_is_like(const struct write_target *left, const struct write_target *right);

/* Writes (or reads) requests[0..count-1] in order, neighbours that are equal together. If writing,
 * those of a batch after one that failed are not written: -ECANCELED. Texts that were read are the
 * caller's. */
void target_run(struct target_io *io, struct target_request *requests, size_t count, bool writes);

/* Writes one value. Returns 0 or a negative errno: -ENODEV without a driver; others of the target.
 */
int target_write(struct target_io *io, const struct write_target *target,
		 const struct target_value *value);

/* Frees the text of a value that was read. */
void target_value_done(struct target_value *value);

/* Reads one value, whose text is a new one. Returns as target_write(). */
int target_read(struct target_io *io, const struct write_target *target,
		struct target_value *ret_value);

/* As ops->compare. */
int target_compare(const struct write_target *target, const struct target_value *found,
		   const struct target_value *wanted, const struct target_value *before,
		   char **ret_reason);

/* As ops->find_cause; the text is never NULL. */
struct target_cause target_find_cause(const struct write_target *target,
				      const struct target_value *value, int error,
				      struct host *host, const struct channel *channel);

/* As ops->error_text. */
const char *target_error_text(const struct write_target *target, int error);

/* Are two values of one type the same? */
bool target_value_equal(const struct target_value *left, const struct target_value *right);

/* Kernel files and directories as targets (sysfs.md). */

/* How a file is compared with what was written to it. */
enum file_content {
	FILE_ANY, /* not at all: the kernel may show another value */
	FILE_NUMBER, /* as a number; as a text if one of the two is none */
	FILE_TEXT,
	FILE_LOCKED_NUMBER, /* as a number that BIOS may keep as it is */
	/* The same, of which hardware keeps the nearest that it can. */
	FILE_POWER_LIMIT, /* uW */
	FILE_POWER_WINDOW /* us */
};

/* A file. Its value is a text. path must live as long as the target. */
struct write_target file_target(const char *path, enum file_content content);

/* A directory, which is made or removed. Its value is number: 1 present, 0 absent. */
struct write_target directory_target(const char *path);

/* Is it a directory? */
bool target_is_directory(const struct write_target *target);

/* The probable cause of a negative errno of writing or reading the file at path. */
struct target_cause file_target_cause(const char *path, int error);

#endif
