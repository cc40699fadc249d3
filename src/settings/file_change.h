/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes that write one value to one kernel file (sysfs.md). */
#ifndef SETTINGS_FILE_CHANGE_H
#define SETTINGS_FILE_CHANGE_H

#include "change/change.h"
#include "host/target.h"

/* Adds a change of a file, with a text as its value; none if the file has that value, or
 * other_text, unless always: an earlier change may alter it. Without an old value the file is read.
 * Returns 0; the negative errno of reading, with no change added; -ENOMEM. */
int file_change_add(struct change_list *changes, struct files *files, struct change change,
		    bool always);

/* Two files of a directory that hold the limits of a frequency in kHz. */
struct file_limits {
	struct location location;
	struct change_subject subject; /* of the lower one; the next setting is the upper one's */
	const char *selector; /* as in struct change */
	struct khz_range ends; /* of the range, which have words in documents; 0: unknown */
	const char *directory;
	const char *min_name;
	const char *max_name;
	unsigned int tries; /* as in struct change */
	unsigned int flags; /* enum file_limit_flag */
};

enum file_limit_flag {
	/* written also if they do not differ: an earlier change may alter them */
	FILE_LIMITS_ALWAYS = 1 << 0,
	/* earlier changes move the highest frequency, so that only a limit of LIMIT_NONE_KHZ will
	 * equal it; undoing removes an upper limit that equals the highest frequency now */
	FILE_LIMITS_MOVE = 1 << 1
};

/* A limit that reads as the highest frequency of now. */
#define LIMIT_NONE_KHZ  INT32_MAX
#define LIMIT_NONE_TEXT "2147483647"

/* Adds the change of one limit, none if it does not differ. Returns 0 or -ENOMEM. */
int file_change_add_khz(struct change_list *changes, const struct file_limits *limits,
			const char *name, uint32_t old_khz, uint32_t khz);

/* The same for both limits, in the order that keeps the lower one at or below the upper one: the
 * upper one first, unless the whole range goes down. */
int file_change_add_range(struct change_list *changes, const struct file_limits *limits,
			  const struct khz_range *old, const struct khz_range *wanted);

#endif
