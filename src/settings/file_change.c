// SPDX-License-Identifier: GPL-2.0-only
/* Plans writes of kernel files that have another value (sysfs.md). */
#include "settings/file_change.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

enum { NUMBER_SIZE = 16 };

int file_change_add(struct change_list *changes, struct files *files, struct change change,
		    bool always)
{
	_cleanup_free_ char *text = NULL, *reason = NULL;

	if (!change.has_old_value) {
		int err = files_read_line(files, change.target.path, &text);

		if (err)
			return err;
		change.old_value.text = text;
		change.has_old_value = true;
	}
	if (!always && !change.target.is_not_read_back &&
	    (!target_compare(&change.target, &change.old_value, &change.value, NULL, &reason) ||
	     (change.other_text && strcmp(change.old_value.text, change.other_text) == 0)))
		return 0;
	return change_list_add(changes, &change);
}

/* Returns the word that documents use for a limit at an end of the range, or NULL. */
static const char *find_word(const struct file_limits *limits, bool is_max, uint32_t khz)
{
	uint32_t end_khz = is_max ? limits->ends.max_khz : limits->ends.min_khz;

	if (khz == LIMIT_NONE_KHZ || (end_khz && khz == end_khz))
		return is_max ? "max" : "min";
	return NULL;
}

int file_change_add_khz(struct change_list *changes, const struct file_limits *limits,
			const char *name, uint32_t old_khz, uint32_t khz)
{
	char text[NUMBER_SIZE], old_text[NUMBER_SIZE];
	bool is_max = strcmp(name, limits->max_name) == 0;
	bool moves = limits->flags & FILE_LIMITS_MOVE && is_max;
	bool was_open = moves && old_khz == limits->ends.max_khz;
	struct change_subject subject = limits->subject;
	struct change_undo undo;
	struct file_path path;

	if (old_khz == khz && !(limits->flags & FILE_LIMITS_ALWAYS))
		return 0;
	snprintf(path.text, sizeof(path.text), "%s/%s", limits->directory, name);
	snprintf(text, sizeof(text), "%" PRIu32, khz);
	snprintf(old_text, sizeof(old_text), "%" PRIu32, old_khz);
	subject.setting += is_max;
	undo = (struct change_undo){ .target = file_target(path.text, FILE_ANY),
				     .value = { .text = LIMIT_NONE_TEXT } };
	return change_list_add(
		changes,
		&(struct change){
			.location = limits->location,
			.what = name,
			.subject = subject,
			.selector = limits->selector,
			.word = moves && khz != LIMIT_NONE_KHZ ? NULL
							       : find_word(limits, is_max, khz),
			.old_word = find_word(limits, is_max, old_khz),
			.target = file_target(path.text,
					      khz == LIMIT_NONE_KHZ ? FILE_ANY : FILE_NUMBER),
			.value = { .text = text },
			.old_value = { .text = old_text },
			.has_old_value = true,
			.tries = limits->tries,
			.undo = &undo,
			.n_undo = was_open,
			.undo_turn = was_open ? CHANGE_UNDONE_AFTER : CHANGE_UNDONE_FIRST,
		});
}

int file_change_add_range(struct change_list *changes, const struct file_limits *limits,
			  const struct khz_range *old, const struct khz_range *wanted)
{
	bool max_first = wanted->max_khz >= old->min_khz;
	int err = 0;

	if (max_first)
		err = file_change_add_khz(changes, limits, limits->max_name, old->max_khz,
					  wanted->max_khz);
	if (!err)
		err = file_change_add_khz(changes, limits, limits->min_name, old->min_khz,
					  wanted->min_khz);
	if (err || max_first)
		return err;
	return file_change_add_khz(changes, limits, limits->max_name, old->max_khz,
				   wanted->max_khz);
}
