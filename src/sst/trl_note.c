// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the notes of writes to the turbo-ratio-limit MSR: {"packages": {"0": {"written": "0x...",
 * "read": "0x..."}}}. The values are texts, since JSON numbers hold no 64 bits. */
#include "sst/trl_note.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/number.h"
#include "host/run_directory.h"
#include "sst/limits.h"

#define MOST_PACKAGE sizeof("4294967295")
#define MOST_VALUE   sizeof("0x0123456789abcdef")

static const struct run_file note_file = {
	.name = "trl.json",
	.format = "intel-speed-select turbo-ratio limits",
};

/* Reads the object of all packages. Returns as run_file_read(). */
static int read_packages(struct files *files, const char *run_directory, json_t **ret_packages)
{
	_cleanup_json_ json_t *root = NULL;
	json_t *packages;
	int err = run_file_read(files, run_directory, &note_file, &root);

	if (err)
		return err;
	if (json_unpack(root, "{s:o !}", "packages", &packages) || !json_is_object(packages))
		return -EBADMSG;
	*ret_packages = json_incref(packages);
	return 0;
}

int trl_note_read(struct files *files, const char *run_directory, uint32_t package,
		  uint64_t *ret_written, uint64_t *ret_read_back)
{
	_cleanup_json_ json_t *packages = NULL;
	int err = read_packages(files, run_directory, &packages);
	const char *written, *read_back;
	uint64_t written_value, read_value;
	char name[MOST_PACKAGE];
	json_t *note;

	if (err)
		return err;
	snprintf(name, sizeof(name), "%" PRIu32, package);
	note = json_object_get(packages, name);
	if (!note)
		return -ENOENT;
	if (json_unpack(note, "{s:s, s:s !}", "written", &written, "read", &read_back) ||
	    number_parse_hex(written, &written_value) || number_parse_hex(read_back, &read_value))
		return -EBADMSG;
	*ret_written = written_value;
	*ret_read_back = read_value;
	return 0;
}

int trl_note_write(struct files *files, const char *run_directory, uint32_t package,
		   uint64_t written, uint64_t read_back)
{
	char name[MOST_PACKAGE], written_text[MOST_VALUE], read_text[MOST_VALUE];
	_cleanup_json_ json_t *packages = NULL;

	if (read_packages(files, run_directory, &packages))
		packages = json_object();
	snprintf(name, sizeof(name), "%" PRIu32, package);
	snprintf(written_text, sizeof(written_text), "0x%016" PRIx64, written);
	snprintf(read_text, sizeof(read_text), "0x%016" PRIx64, read_back);
	if (json_object_set_new(packages, name,
				json_pack("{s:s, s:s}", "written", written_text, "read",
					  read_text)) < 0)
		return -ENOMEM;
	return run_file_write(files, run_directory, &note_file,
			      json_pack("{s:O}", "packages", packages));
}

/* The MSR has its earlier value again. */
static int note_restored(struct files *files, const char *run_directory, uint32_t package,
			 uint64_t value)
{
	uint64_t written, read_back;

	if (trl_note_read(files, run_directory, package, &written, &read_back) == 0 &&
	    read_back == value)
		return 0;
	return trl_note_write(files, run_directory, package, value, value);
}

/* Notes what undoing a change of something else has restored: a change of level resets the limits.
 */
static int note_undo(struct files *files, const char *run_directory, const struct change *change)
{
	int err = 0;

	for (size_t i = 0; i < change->n_undo && !err; i++) {
		const struct change_undo *undo = &change->undo[i];

		if (limits_is_target(&undo->target))
			err = note_restored(files, run_directory, change->location.package,
					    undo->value.number);
	}
	return err;
}

int trl_note_update(struct files *files, const char *run_directory,
		    const struct change_list *changes, const struct transaction_outcome *outcome)
{
	int err = 0;

	for (size_t i = 0; i < outcome->n_effects && !err; i++) {
		const struct change *change = &changes->changes[i];
		const struct transaction_effect *effect = &outcome->effects[i];
		uint32_t package = change->location.package;
		uint64_t value = change->value.number;

		if (!limits_is_target(&change->target)) {
			if (effect->state == TRANSACTION_UNDONE ||
			    effect->state == TRANSACTION_NOT_UNDONE)
				err = note_undo(files, run_directory, change);
		} else if (effect->state == TRANSACTION_MADE) {
			err = trl_note_write(files, run_directory, package, value,
					     effect->read_back);
		} else if (effect->state == TRANSACTION_UNDONE) {
			err = note_restored(files, run_directory, package,
					    change->old_value.number);
		} else if (effect->state == TRANSACTION_NOT_UNDONE) {
			err = trl_note_write(files, run_directory, package, value, value);
		}
	}
	return err;
}
