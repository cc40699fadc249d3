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
	bool is_shared; /* to be given away: without command line and names that people chose */
	const struct wait_stop *stop; /* or NULL */
	/* Called with the number of files and CPUs that are done, and of all; may be NULL. */
	void (*progress)(void *data, size_t done, size_t total);
	void *progress_data;
};

/* What a recording lacks. */
struct record_remarks {
	char *no_platform; /* why there is nothing of Speed Select, a new sentence; or NULL */
	size_t n_denied; /* requests and files that this user may not read */
};

/* Records the machine of host; no request is sent that changes anything, and none twice. *ret_text
 * is a new text, *remarks what is missing, also on failure. Returns 0; -EINTR when the program is
 * asked to stop; -ENOMEM; or a negative errno with *ret_message a new sentence (or NULL): the
 * machine cannot be read at all. */
int record_make(struct host *host, const struct record_options *options, char **ret_text,
		struct record_remarks *remarks, char **ret_message);

void record_remarks_done(struct record_remarks *remarks);

/* Appends what a recording (its text) has: a line for each kind of request, and one for each file
 * with a value. Returns 0, -EINVAL if it is none, or -ENOMEM. */
int record_list_contents(const char *text, struct buffer *to);

/* Appends what record_make() would read: a line for each file or kind of request. Returns 0 or
 * -ENOMEM. */
int record_list(bool with_pci, struct buffer *to);

#endif
