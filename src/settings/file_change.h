/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes that write one value to one kernel file (sysfs.md). */
#ifndef SETTINGS_FILE_CHANGE_H
#define SETTINGS_FILE_CHANGE_H

#include "change/change.h"
#include "host/target.h"

/* Adds a change that writes a text to a file; none if the file has the text, or other_text. With
 * always, or if the target is not read back, adds it in any case: an earlier change may alter the
 * file. Reads the file if change has no old value. Returns 0; -ENOMEM; or the negative errno of
 * reading, with no change added. */
int file_change_add(struct change_list *changes, struct files *files, struct change change,
		    bool always);

/* Two files of a directory that hold the limits of a frequency in kHz. */
struct file_limits {
	struct location location;
	struct change_subject subject; /* of the lower limit; the next setting is the upper limit */
	const char *selector; /* as in struct change */
	struct khz_range ends; /* of the range, "min" and "max" in documents; 0: unknown */
	const char *directory;
	const char *min_name;
	const char *max_name;
	unsigned int tries; /* as in struct change */
	unsigned int flags; /* enum file_limit_flag */
};

enum file_limit_flag {
	/* limits that do not differ are written, too: an earlier change may alter them */
	FILE_LIMITS_ALWAYS = 1 << 0,
	/* earlier changes move the highest frequency, so only LIMIT_NONE_KHZ will equal it; undoing
	   removes an upper limit that equals the present highest frequency */
	FILE_LIMITS_MOVE = 1 << 1
};

/* The kernel shows this upper limit as the present highest frequency. */
#define LIMIT_NONE_KHZ  INT32_MAX
#define LIMIT_NONE_TEXT "2147483647"

/* Adds a change for one limit if it differs, or with FILE_LIMITS_ALWAYS. Returns 0 or -ENOMEM. */
int file_change_add_khz(struct change_list *changes, const struct file_limits *limits,
			const char *name, uint32_t old_khz, uint32_t khz);

/* Adds the changes for both limits in an order that keeps the lower one at or below the upper one:
 * the upper one first, unless it goes below the old lower one. Returns 0 or -ENOMEM. */
int file_change_add_range(struct change_list *changes, const struct file_limits *limits,
			  const struct khz_range *old, const struct khz_range *wanted);

#endif
