// SPDX-License-Identifier: GPL-2.0-only
/* Plans the write of a kernel file: only if the file has another value (sysfs.md). */
#include "settings/file_change.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

/* Does the file, which has this text, have the wanted value? */
static bool has_value(const struct file_change *change, const char *text)
{
	uint64_t number, wanted;

	if (change->always || change->content == FILE_ANY)
		return false;
	if (change->content == FILE_NUMBER && !number_parse_file(text, &number) &&
	    !number_parse_file(change->text, &wanted))
		return number == wanted;
	return strcmp(text, change->text) == 0 ||
	       (change->other_text && strcmp(text, change->other_text) == 0);
}

int file_change_add(struct change_list *changes, struct files *files,
		    const struct file_change *change)
{
	_cleanup_free_ char *text = NULL;
	int err = change->old_text ? 0 : files_read_line(files, change->path, &text);
	const char *old_text = change->old_text ?: text;

	if (err || has_value(change, old_text))
		return err;
	return change_list_add(changes,
			       &(struct change){
				       .location = change->location,
				       .what = change->what,
				       .target = file_target(change->path, change->content),
				       .value = { .text = change->text },
				       .old_value = { .text = old_text },
				       .has_old_value = true,
				       .other_text = change->other_text,
				       .tries = change->tries,
				       .ignored_error = change->ignored_error,
				       .announcement = change->announcement,
			       });
}

int file_change_add_coming(struct change_list *changes, const struct file_change *change)
{
	return change_list_add(changes, &(struct change){
						.location = change->location,
						.what = change->what,
						.target = file_target(change->path, FILE_ANY),
						.new_text = change->text,
					});
}
