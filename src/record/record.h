/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording: everything that reading commands can read of a machine, as a platform file
 * (intel-speed-select-platform(5), "Recorded answers"). */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "base/buffer.h"
#include "base/wait.h"
#include "host/host.h"

struct record_options {
	bool with_pci; /* PCI addresses, and the CPUs next to them */
	bool is_shared; /* for others: without command line and names that people chose */
	const struct wait_stop *stop; /* or NULL */
	/* Called with the steps done and their total; a step is a file of a CPU. May be NULL. */
	void (*progress)(void *data, size_t done, size_t total);
	void *progress_data;
};

/* The parts that a recording lacks. */
struct record_remarks {
	char *no_platform; /* why Speed Select is missing, a new sentence; or NULL */
	size_t n_denied; /* requests and files that this user may not read */
};

/* Records the machine of host. Sends no request that changes anything, and no request twice.
 * *ret_text is a new text; *remarks is what is missing, also on failure. Returns 0; -EINTR when the
 * program must stop; -ENOMEM; or a negative errno if the machine cannot be read at all, and
 * *ret_message is a new sentence (or NULL). */
int record_make(struct host *host, const struct record_options *options, char **ret_text,
		struct record_remarks *remarks, char **ret_message);

void record_remarks_done(struct record_remarks *remarks);

/* Appends the contents of a recording, whose text is given: a line for each kind of request, and a
 * line for each file with a value. Returns 0, -EINVAL if text is no recording, or -ENOMEM. */
int record_list_contents(const char *text, struct buffer *to);

/* Appends what record_make() would read: a line for each file or kind of request. Returns 0 or
 * -ENOMEM. */
int record_list(bool with_pci, struct buffer *to);

#endif
