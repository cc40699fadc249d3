// SPDX-License-Identifier: GPL-2.0-only
/* Reads the values of settings of a machine: all values of Speed Select together, then one file
 * after the other. A value that is not found is marked as not available. */
#include <errno.h>

#include "base/cleanup.h"
#include "settings/families.h"

/* Converts the text of a file to a value, and keeps a copy of a word. */
static int take_text(struct state_machine *state, enum setting_id id, const char *text,
		     struct state_value *value)
{
	const struct setting *member = setting_get(id);

	*value = value_of_text(id, text);
	if (value->kind != STATE_WORD)
		return 0;
	if (!*value->text || (member->type != SETTING_TYPE_TEXT && !member->words)) {
		*value = value_of_error(-EINVAL);
		return 0;
	}
	value->text = state_machine_keep(state, value->text);
	return value->text ? 0 : -ENOMEM;
}

/* Reads a setting that is the value of one file. */
static int read_file(const struct setting_reading *at, struct state_value *value)
{
	const struct setting_request request = {
		.setting = at->row->setting,
		.cpu = at->place->cpu,
	};
	_cleanup_free_ char *text = NULL;
	int err;

	if (setting_get(request.setting)->flags & SETTING_ONLINE_ONLY &&
	    !topology_can_ask(&at->state->machine->topology, request.cpu))
		return 0;
	err = files_read_line(at->state->machine->host->files, setting_path(&request).text, &text);
	if (!err)
		return take_text(at->state, request.setting, text, value);
	*value = value_of_file_error(err);
	return err == -ENOMEM ? err : 0;
}

static int read_place(const struct setting_reading *at, struct state_value *value)
{
	const struct setting *setting = setting_get(at->row->setting);

	if (setting->read)
		return setting->read(at, value);
	return setting->file ? read_file(at, value) : 0;
}

int state_read(struct state_machine *state, struct state_rows *rows)
{
	int err = 0;

	if (state->platform && state->platform->has_levels)
		err = sst_read(state, rows);
	/* in reverse order: SST-BF can depend on the frequency limits */
	for (size_t i = rows->count; i-- > 0 && !err;) {
		const struct state_row *row = &rows->list[i];
		const struct place_list *places = row->places;

		for (size_t j = 0; j < places->count && !err; j++) {
			struct state_value *value = &row->values[j];

			if (value->kind != STATE_ASKED)
				continue;
			err = read_place(&(struct setting_reading){ state, rows, row,
								    &places->list[j] },
					 value);
			if (value->kind == STATE_ASKED)
				value->kind = STATE_LACKING;
		}
	}
	return err;
}
