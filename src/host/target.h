/* SPDX-License-Identifier: GPL-2.0-only */
/* A target is something that can be written. It has a type, which is a table of operations, and an
 * address. File targets are at the end of this header, targets of Speed Select in sst/. The code
 * that carries changes out does not depend on the types. */
#ifndef HOST_TARGET_H
#define HOST_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/channel.h"
#include "host/files.h"

struct host;

#define TARGET_NUMBERS 5

/* A value that is written or read: the text of a file; a number, as of a register; or several small
 * numbers, in an order that the target defines (the first one is also in number). Unused members
 * are 0. Plans have tens of thousands of values, so the structure has no unnecessary gaps. */
struct target_value {
	const char *text;
	union {
		struct {
			uint64_t number;
			uint16_t after_number; /* overlays numbers[4]: 0 if only number is
						  initialized */
		};
		uint16_t numbers[TARGET_NUMBERS];
	};
	uint32_t other_bits; /* of a register: written as they were read, and not compared */
};

/* A target: its type and its address. Members that the type does not need are 0. */
struct write_target {
	const struct target_ops *ops;
	const char *path; /* of a file or directory */
	uint32_t cpu; /* any online CPU; the driver finds the power domain or package with it */
	uint32_t package; /* package and power_domain are for drivers that do not use a CPU */
	uint32_t power_domain;
	uint16_t index; /* a register, CLOS, core, ...: the type defines it */
	bool is_not_read_back; /* a read may return another value than was written */
	uint64_t data; /* the type defines it */
};

/* What is needed to write and read targets. */
struct target_io {
	struct channel channel; /* to the driver; if it has no transport, there is no driver */
	struct files *files;
	void *commands; /* room for the commands of the largest batch, CHANNEL_COMMAND_SIZE each */
	int *errors; /* room for their errors */
};

/* One element of a batch. All elements are written, or all are read. */
struct target_request {
	const struct write_target *target;
	struct target_value value; /* to write, or what was read (a text is then a new one) */
	int error; /* 0 or a negative errno */
};

/* Why a write probably failed. */
struct target_cause {
	int error; /* a negative errno, which can be more precise than that of the write */
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
	/* Writes or reads all requests in order, for a driver that accepts many at once; or NULL.
	 * With io->channel.stop_at_error, requests after a failure get -ECANCELED and are not sent.
	 */
	void (*batch)(struct target_io *io, struct target_request *requests, size_t count,
		      bool writes);
	/* Compares the value that was found with the wanted value. Returns 0; or -EIO with
	 * *ret_reason a new text, "it is 3, expected 4" (NULL: no memory). 0 with a reason: the
	 * value is in effect, but limited. before: the value before the write; NULL: it is unknown,
	 * or wanted restores it. compare is NULL: numbers and texts must be equal. */
	target_compare_function *compare;
	/* Checks that the target accepts writes at all, after compare found a limited value. Writes
	 * other values and then the wanted value again, and reads it to *found. Returns as compare,
	 * or a negative errno of the requests. NULL: a limited value needs no check. */
	int (*confirm)(struct target_io *io, const struct write_target *target,
		       const struct target_value *wanted, struct target_value *found,
		       char **ret_reason);
	/* Formats a value for users, as a new text; NULL: no memory. */
	target_format_function *format;
	/* Formats the address for --dry-run, "cpu-0 msr 0x1ad", as a new text; NULL: no memory. */
	target_format_function *format_place;
	/* Returns an errno in words (static text). NULL: strerror(). */
	const char *(*error_text)(int error);
	/* Finds why a write of the value probably failed. Files need neither host nor channel.
	 * NULL: only the error is known. */
	struct target_cause (*find_cause)(const struct write_target *target,
					  const struct target_value *value, int error,
					  struct host *host, const struct channel *channel);
	/* Returns true if a write with this error may still have taken effect. -EINTR and -EIO
	 * always mean this. NULL: no other error does. */
	bool (*is_uncertain)(int error);
	/* Returns true if the error means that the target already has the value. NULL: none does.
	 */
	bool (*has_value)(const struct target_value *value, int error);
	bool needs_driver; /* without a driver, all requests fail with -ENODEV */
	bool is_named_by_cpu; /* member cpu of the target is used */
};

/* Prepares for batches of up to `most` requests. channel may be NULL: no driver. Returns 0 or
 * -ENOMEM. */
int target_io_init(struct target_io *io, const struct channel *channel, struct files *files,
		   size_t most);
/* Frees the memory of io, and sets all members to 0. */
void target_io_done(struct target_io *io);

/* Can two targets be in one batch? */
bool target_is_like(const struct write_target *left, const struct write_target *right);

/* Writes (or reads) requests[0..count-1] in order, and neighbours of one type as a batch. After a
 * failed write, the rest of its batch is not written and gets -ECANCELED. The caller frees the
 * texts that were read. */
void target_run(struct target_io *io, struct target_request *requests, size_t count, bool writes);

/* Writes one value. Returns 0; -ENODEV without a driver; or another negative errno of the target.
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

/* Returns true if two values of one type are equal. */
bool target_value_equal(const struct target_value *left, const struct target_value *right);

/* Kernel files and directories as targets (sysfs.md). */

/* How a file is compared with what was written to it. */
enum file_content {
	FILE_ANY, /* not at all: the kernel may show another value */
	FILE_NUMBER, /* as a number; as a text if the written value is not a number */
	FILE_TEXT,
	FILE_LOCKED_NUMBER, /* as a number that BIOS may have locked */
	/* The same, but hardware uses the nearest value that it can. */
	FILE_POWER_LIMIT, /* uW */
	FILE_POWER_WINDOW /* us */
};

/* A file. Its value is a text. path must live as long as the target. */
struct write_target file_target(const char *path, enum file_content content);

/* A directory, which is made or removed. Its value is number: 1 present, 0 absent. */
struct write_target directory_target(const char *path);

/* Returns true if the target is a directory. */
bool target_is_directory(const struct write_target *target);

/* Returns the probable cause of a negative errno of writing or reading the file at path. */
struct target_cause file_target_cause(const char *path, int error);

#endif
