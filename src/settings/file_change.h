/* SPDX-License-Identifier: GPL-2.0-only */
/* A change that writes one value to one kernel file (sysfs.md). */
#ifndef SETTINGS_FILE_CHANGE_H
#define SETTINGS_FILE_CHANGE_H

#include "host/file_target.h"
#include "change/change.h"

/* The value that a file is to have. Texts are copied. Members of the same name as in struct change
 * mean the same. */
struct file_change {
	struct location location;
	const char *path;
	const char *what;
	const char *text; /* what is written */
	enum file_content content;
	const char *other_text; /* FILE_TEXT: what the file may read as well; or NULL */
	unsigned int tries;
	const char *old_text; /* what the file has, if that is known; NULL: it is read */
	bool always; /* written whatever the file has now: an earlier change may alter it */
	int ignored_error;
	const char *announcement;
};

/* Reads the file, if need be, and adds the change that writes it; none if it has that value.
 * Returns 0; the negative errno of reading, with no change added; -ENOMEM. */
int file_change_add(struct change_list *changes, struct files *files,
		    const struct file_change *change);

/* Adds the change for a CPU that is still to come online, without reading the file. The change can
 * only be shown; it is planned again when the CPU is online. Returns 0 or -ENOMEM. */
int file_change_add_coming(struct change_list *changes, const struct file_change *change);

#endif
