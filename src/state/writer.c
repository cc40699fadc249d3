// SPDX-License-Identifier: GPL-2.0-only
/* Collects the entries of a document value by value, and formats the document: one entry per line,
 * broken at 100 columns. */
#include "state/writer.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/json_fields.h"
#include "state/document.h"

#define COLUMNS     100
#define INDENT      6 /* of the lines after the first line of an entry */
#define IDLE_STATES "cpuidle.states." /* a name follows, which may have dots: "C0.2" */

struct writer_entry {
	char *on;
	json_t *object;
};

bool writer_can_have_key(const char *name)
{
	_cleanup_json_ json_t *text = json_string(name);

	return text && *name;
}

/* Returns the object under a key, or a new one that it adds; NULL: no memory. */
static json_t *enter(json_t *object, const char *key)
{
	json_t *inner = json_object_get(object, key);

	if (!inner && json_object_set_new(object, key, json_object()))
		return NULL;
	return json_object_get(object, key);
}

int writer_put(json_t *entry, const char *name, json_t *value)
{
	_cleanup_free_ char *path = strdup(name);
	bool is_state = strncmp(name, IDLE_STATES, strlen(IDLE_STATES)) == 0;
	char *last = path && is_state ? path + strlen(IDLE_STATES) : NULL, *key = path, *dot;

	for (; key && entry && key != last && (dot = strchr(key, '.')); key = dot + 1) {
		*dot = '\0';
		entry = enter(entry, key);
	}
	if (key && entry)
		return json_object_set_new(entry, key, value) ? -ENOMEM : 0;
	json_decref(value);
	return -ENOMEM;
}

int writer_put_value(json_t *entry, const struct state_row *row, const struct state_value *value)
{
	_cleanup_free_ char *name = state_row_format_name(row);

	return name ? writer_put(entry, name, state_value_to_json(value)) : -ENOMEM;
}

/* Returns the entry of the present feature for the selector; adds it if it is missing. Takes
 * ownership of the text. NULL: no memory. */
static json_t *find_entry(struct writer *writer, char *on)
{
	_cleanup_free_ char *text = on;
	struct writer_entry *entry;

	for (size_t i = writer->first; on && i < writer->n_entries; i++) {
		if (strcmp(writer->entries[i].on, on) == 0)
			return writer->entries[i].object;
	}
	entry = on ? array_add(&writer->entries, &writer->n_entries, sizeof(*entry)) : NULL;
	if (!entry)
		return NULL;
	*entry = (struct writer_entry){ steal(text), json_object() };
	if (!entry->object || json_object_set_new(entry->object, "for", json_string(on)))
		return NULL;
	return entry->object;
}

int writer_add(struct writer *writer, char *on, const struct state_row *row,
	       const struct state_value *value)
{
	json_t *object = find_entry(writer, on);

	return object ? writer_put_value(object, row, value) : -ENOMEM;
}

void writer_start_feature(struct writer *writer)
{
	writer->first = writer->n_entries;
}

/* Appends JSON in one line, broken after commas. */
static void append_broken(struct buffer *to, const char *json)
{
	size_t column = 4;

	buffer_append_string(to, "\n    ");
	while (*json) {
		bool is_string = false;
		size_t length = 0;

		while (json[length] && (is_string || json[length] != ',')) {
			if (json[length] == '\\' && json[length + 1])
				length++;
			else if (json[length] == '"')
				is_string = !is_string;
			length++;
		}
		length += json[length] == ',';
		/* the line also has the comma after the entry */
		if (column > INDENT && column + length + !json[length] > COLUMNS) {
			size_t blank = *json == ' ';

			json += blank;
			length -= blank;
			buffer_append_string(to, "\n      ");
			column = INDENT;
		}
		buffer_append(to, json, length);
		column += length;
		json += length;
	}
}

/* Appends the JSON of an object, in one line or broken after commas. */
static int append_object(struct buffer *to, const json_t *object, bool is_broken)
{
	_cleanup_free_ char *text = json_dumps(object, JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));

	if (!text)
		return -ENOMEM;
	if (is_broken)
		append_broken(to, text);
	else
		buffer_append_string(to, text);
	return 0;
}

static json_t *make_require(const struct machine *machine, bool has_model)
{
	const struct topology *topology = &machine->topology;
	bool is_intel = machine->identity.generation != GENERATION_OTHER_VENDOR;
	_cleanup_cpuset_ struct cpuset packages = { 0 };

	if (topology_find_packages(topology, &packages))
		return NULL;
	if (!has_model)
		return json_pack("{s:i, s:i}", "packages", (int)cpuset_count(&packages), "cpus",
				 (int)cpuset_count(&topology->present));
	return json_pack("{s:s*, s:i, s:i, s:i, s:i}", "vendor", is_intel ? "GenuineIntel" : NULL,
			 "family", (int)machine->identity.family, "model",
			 (int)machine->identity.model, "packages", (int)cpuset_count(&packages),
			 "cpus", (int)cpuset_count(&topology->present));
}

static int append_incomplete(struct buffer *text, const char *lacks_platform)
{
	bool is_absent =
		strncmp(lacks_platform, PLATFORM_NO_DRIVER, strlen(PLATFORM_NO_DRIVER)) == 0;
	_cleanup_free_ char *what =
		text_format("Speed Select: %s", is_absent ? "no driver is loaded" : lacks_platform);
	_cleanup_json_ json_t *value = what ? json_string(what) : NULL;
	_cleanup_free_ char *quoted =
		value ? json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;

	buffer_append_string(text, "  \"incomplete\": [");
	buffer_append_string(text, quoted ?: "");
	buffer_append_string(text, "],\n");
	return quoted ? 0 : -ENOMEM;
}

char *writer_format(const struct writer *writer, const struct machine *machine,
		    enum writer_require require)
{
	_cleanup_json_ json_t *object = NULL;
	_cleanup_buffer_ struct buffer text = { 0 };
	int err = 0;

	buffer_append_string(&text, "{\n  \"format\": \"" DOCUMENT_FORMAT "\", \"version\": 1,\n");
	if (require) {
		object = make_require(machine, require == WRITER_REQUIRES_ALL);
		buffer_append_string(&text, "  \"require\": ");
		err = object ? append_object(&text, object, false) : -ENOMEM;
		buffer_append_string(&text, ",\n");
	}
	if (writer->lacks_platform && !err)
		err = append_incomplete(&text, writer->lacks_platform);
	buffer_append_string(&text, "  \"settings\": [");
	for (size_t i = 0; i < writer->n_entries && !err; i++) {
		buffer_append_string(&text, i ? "," : "");
		err = append_object(&text, writer->entries[i].object, true);
	}
	buffer_append_string(&text, writer->n_entries ? "\n  ]\n}\n" : "]\n}\n");
	return err ? NULL : buffer_steal(&text, NULL);
}

void writer_done(struct writer *writer)
{
	for (size_t i = 0; i < writer->n_entries; i++) {
		free(writer->entries[i].on);
		json_decref(writer->entries[i].object);
	}
	free(writer->entries);
	*writer = (struct writer){ 0 };
}
