/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a recording while it is made: the requests that were sent, and the files that were
 * read. */
#ifndef RECORD_PARTS_H
#define RECORD_PARTS_H

#include "host/requests.h"
#include "host/run_directory.h"
#include "record/record.h"
#include "sst/platform.h"

/* Requests (asked.c). */

/* The requests of a machine and their answers, each once. */
struct asked {
	struct request_item **items; /* in the order in which they were sent */
	size_t n_items;
	void *index; /* of tsearch() */
	int open_error; /* the negative errno of opening the device; or 0 */
	bool is_short_of_memory;
};

/* Makes a host like `inner` that keeps every request to its device, and the answer, in asked. The
 * host refuses requests that change the machine (-EPERM), and sends no request again that was
 * answered. */
struct host *asked_host_new(struct host *inner, struct asked *asked);
void asked_host_free(struct host **host);

void asked_done(struct asked *asked);

/* Sends every request that reading commands can send. Returns 0, -EINTR or -ENOMEM. */
int asked_walk(struct platform *platform, const struct asked *asked);

/* Files (files.c). */

/* How a row of the table is read (paths.c). */
enum path_flag {
	PATH_IS_DIRECTORY = 1 << 0, /* the names in the directory are read */
	PATH_VARIES = 1 << 1, /* by itself: counts, present frequencies, uptime, interrupts */
	PATH_NEEDS_PCI = 1 << 2, /* only with --pci */
	PATH_ONLY_LISTS = 1 << 3, /* only names that match the next rows are kept */
	PATH_IS_PRIVATE = 1 << 4, /* left out of a recording that is shared */
	PATH_OF_DRIVER = 1 << 5, /* the kernel has one value for all CPUs of a core type */
	PATH_OF_DEVICE = 1 << 6 /* these rows are registers of one device of the CPU */
};

struct record_path {
	/* "#" stands for the number of each present CPU, a part with "*" for each name of the
	 * directory that matches. */
	const char *path;
	unsigned int flags;
	/* Makes a new text to record from the text that was read; NULL: no memory. Without a filter
	 * (NULL) the text is recorded unchanged. */
	char *(*filter)(const char *text);
	/* Used instead of filter if the recording is shared; NULL: filter is used. */
	char *(*share_filter)(const char *text);
};

extern const struct record_path record_paths[];
extern const size_t n_record_paths;

/* Returns the row of a path in a recording, which can have "#", or NULL. */
const struct record_path *record_find_path(const char *path);

/* The files of a machine. */
struct kernel_files {
	json_t *object; /* by path; the member `files` */
	size_t n_denied;
};

/* Reads all files, those of CPUs for each CPU of cpus. online: the CPUs of cpus that are online.
 * Returns 0, -EINTR, -ENOMEM. */
int kernel_files_read(struct files *files, const struct cpuset *cpus, const struct cpuset *online,
		      const struct record_options *options, struct kernel_files *ret_files);
void kernel_files_done(struct kernel_files *files);

/* JSON (layout.c). */

/* Appends a JSON value as text with one item a line. A value that fits into a line is one item. */
void layout_append(struct buffer *to, const json_t *value, unsigned int indent);

#endif
