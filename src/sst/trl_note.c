// SPDX-License-Identifier: GPL-2.0-only
/* Follows the turbo-ratio limits of a package through the change journal. */
#include "sst/trl_note.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "change/journal.h"
#include "host/run_directory.h"

#define NAME "turbo-mode.trl" /* in the table of settings, and therefore in the journal */

struct value {
	bool is_known;
	uint64_t ratios;
};

/* What is known of the package at a line of the journal. */
struct note {
	char place[32];
	struct value written, read_back;
	/* of the transaction that is being read */
	struct value was, now;
	bool is_changed; /* the transaction changed the MSR, possibly only by changing the level */
};

static struct value parse(const json_t *value)
{
	const char *text = json_string_value(value);
	struct value parsed = { 0 };

	parsed.is_known = text && !number_parse_hex(text, &parsed.ratios);
	return parsed;
}

/* Returns true if a change, or an element of an end line's array, is about the limits of the
 * package. */
static bool is_about(const struct note *note, const json_t *entry)
{
	const char *setting = json_get_text(entry, "setting");
	const char *place = json_get_text(entry, "for");

	return setting && place && strcmp(setting, NAME) == 0 && strcmp(place, note->place) == 0;
}

static int read_begin(struct note *note, struct journal_line *line)
{
	json_t *change;
	int err;

	while ((err = journal_line_next(line, &change)) > 0) {
		_cleanup_json_ json_t *owned = change;

		if (!is_about(note, owned))
			continue;
		if (!note->is_changed)
			note->was = parse(json_object_get(owned, "was"));
		note->now = parse(json_object_get(owned, "now"));
		note->is_changed = true;
	}
	return err;
}

static const json_t *find(const struct note *note, const json_t *array)
{
	const json_t *entry;
	size_t i;

	json_array_foreach (array, i, entry) {
		if (is_about(note, entry))
			return entry;
	}
	return NULL;
}

/* The MSR has its earlier value again, unless the undo failed. */
static void end_undone(struct note *note)
{
	if (note->written.is_known && note->read_back.is_known && note->was.is_known &&
	    note->read_back.ratios == note->was.ratios)
		return;
	note->written = note->read_back = note->was;
}

static void read_end(struct note *note, const json_t *members)
{
	const char *outcome = json_get_text(members, "outcome");
	const json_t *read = find(note, json_object_get(members, "read"));
	bool is_left = find(note, json_object_get(members, "left"));

	if (note->is_changed && strcmp(outcome, JOURNAL_DONE) != 0 && !is_left) {
		end_undone(note);
	} else if (note->is_changed && note->now.is_known) {
		note->written = note->read_back = note->now;
		if (read)
			note->read_back = parse(json_object_get(read, "read"));
	}
	note->is_changed = false;
}

int trl_note_read(struct files *files, const char *run_directory, uint32_t package,
		  uint64_t *ret_written, uint64_t *ret_read_back)
{
	_cleanup_journal_reader_ struct journal_reader *reader = NULL;
	struct note note = { 0 };
	struct journal_line line;
	int err = journal_reader_open(files, run_directory, &reader);

	if (err)
		return err;
	snprintf(note.place, sizeof(note.place), "package-%" PRIu32, package);
	while ((err = journal_reader_next(reader, &line)) > 0) {
		if (line.kind == JOURNAL_BEGIN)
			err = read_begin(&note, &line);
		else if (line.kind == JOURNAL_END)
			read_end(&note, line.members);
		if (err < 0)
			break;
	}
	if (err)
		return err;
	/* a transaction without an end, also this one, counts as done */
	if (note.is_changed && note.now.is_known)
		note.written = note.read_back = note.now;
	if (!note.written.is_known)
		return -ENOENT;
	*ret_written = note.written.ratios;
	*ret_read_back = note.read_back.is_known ? note.read_back.ratios : note.written.ratios;
	return 0;
}
