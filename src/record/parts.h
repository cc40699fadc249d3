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
	int open_error; /* of the device: a negative errno; or 0 */
	bool is_short_of_memory;
};

/* Makes a host that is `inner`, except that every request to its device and the answer are kept in
 * asked. It refuses to send what changes the machine (-EPERM), and sends nothing twice that was
 * answered. */
struct host *asked_host_new(struct host *inner, struct asked *asked);
void asked_host_free(struct host **host);

void asked_done(struct asked *asked);

/* Sends every request that reading commands can send. Returns 0, -EINTR or -ENOMEM. */
int asked_walk(struct platform *platform, const struct asked *asked);

/* Files (files.c). */

/* What commands read, and how (paths.c). */
enum path_flag {
	PATH_IS_DIRECTORY = 1 << 0, /* its names are read */
	PATH_VARIES = 1 << 1, /* by itself: counts, present frequencies, uptime, interrupts */
	PATH_NEEDS_PCI = 1 << 2, /* only with --pci */
	PATH_ONLY_LISTS = 1 << 3, /* the names that match the next rows, no others, are kept */
	PATH_IS_PRIVATE = 1 << 4, /* left out of a recording that is shared */
	PATH_OF_DRIVER = 1 << 5, /* the kernel has one value for all CPUs of a core type */
	PATH_OF_DEVICE = 1 << 6 /* the rows with this are registers of one device of the CPU */
};

struct record_path {
	/* "#" is the number of each present CPU, a part with "*" each name of the directory that
	 * matches it. */
	const char *path;
	unsigned int flags;
	/* Makes the text to record from the text that was read, a new one; NULL: no memory. Without
	 * a filter (NULL) the text is recorded unchanged. */
	char *(*filter)(const char *text);
	/* The same, in place of filter, if the recording is shared; NULL: filter. */
	char *(*share_filter)(const char *text);
};

extern const struct record_path record_paths[];
extern const size_t n_record_paths;

/* The row of a path in a recording ("#" in it, or not), or NULL. */
const struct record_path *record_find_path(const char *path);

/* The files of a machine. */
struct kernel_files {
	json_t *object; /* by path, as the member `files` */
	size_t n_denied;
};

/* Reads all, of these CPUs, some of which are online. Returns 0, -EINTR, -ENOMEM. */
int kernel_files_read(struct files *files, const struct cpuset *cpus, const struct cpuset *online,
		      const struct record_options *options, struct kernel_files *ret_files);
void kernel_files_done(struct kernel_files *files);

/* JSON (layout.c). */

/* A JSON value as text with one item a line: what fits into a line is one (layout.c). */
void layout_append(struct buffer *to, const json_t *value, unsigned int indent);

#endif
