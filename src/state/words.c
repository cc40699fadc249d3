// SPDX-License-Identifier: GPL-2.0-only
/* Resolves the words of a state document, such as "base" and "max", to values for the state after
 * apply. */
#include <errno.h>
#include <string.h>

#include "state/compare.h"

/* Resolves a value to the one that it means here. Words of files, and those of CPUs that are
 * still offline, stay. Returns 0, or why it cannot: -ENODATA: nothing reports it. */
static int resolve(struct setting_view *view, const struct state_row *row, size_t place,
		   struct state_value *value)
{
	const struct setting *setting = setting_get(row->setting);
	struct state_value resolved = *value;
	int err = setting->resolve ? setting->resolve(view, row, place, &resolved) : 0;

	if (err)
		return err;
	resolved.entry = value->entry;
	resolved.is_implied = value->is_implied;
	resolved.is_past = value->is_past;
	*value = resolved;
	return 0;
}

int comparison_resolve_words(struct setting_view *view)
{
	struct state_rows *rows = view->wanted;

	for (size_t i = 0; i < rows->count; i++) {
		struct state_row *row = &rows->list[i];

		for (size_t j = 0; j < row->places->count; j++) {
			struct state_value *value = &row->values[j];
			const char *word = value->kind == STATE_WORD ? value->text : NULL;
			int err = value->kind == STATE_NONE ? 0 : resolve(view, row, j, value);

			if (err == -ENOMEM)
				return err;
			if (!err)
				continue;
			view->report_value(view, row, j,
					   err == -ENODATA || err == -ENOENT || err == -ENOTSUP
						   ? REPORT_UNSUPPORTED
						   : report_kind_of(err),
					   "\"%s\" is unknown here: %s", word,
					   err == -ENODATA || err == -ENOENT || err == -ENOTSUP
						   ? "nothing reports such a value"
						   : strerror(-err));
			value->kind = STATE_NONE;
		}
	}
	return 0;
}
