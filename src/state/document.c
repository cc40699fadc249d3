// SPDX-License-Identifier: GPL-2.0-only
/* Reads state documents: JSON, checked against the table of members. */
#include "state/document.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/units.h"
#include "settings/locations.h"

#define MAX_KEYS      8 /* of a path; the longest has fewer */
#define RATIO_DIGITS  16
#define IN_NO_ENTRY   SIZE_MAX
#define SHOWN_BYTES   80 /* of a key or value, in a message */
#define PRINTED_REALS JSON_REAL_PRECISION(15)

/* The document that is being read, and the position in it. */
struct reader {
	struct document document;
	size_t entry; /* IN_NO_ENTRY: outside "settings" */
	const char *keys[MAX_KEYS]; /* the path of the value */
	size_t n_keys;
	char *problem;
};

/* Stores a problem as one line. Returns -EINVAL or -ENOMEM. */
static int keep_problem(struct reader *reader, struct buffer *message)
{
	if (!message->has_failed)
		printable_clean(message->data, message->length);
	reader->problem = buffer_steal(message, NULL);
	return reader->problem ? -EINVAL : -ENOMEM;
}

/* Stores a problem of the value that is being read. Returns -EINVAL or -ENOMEM. */
static int refuse(struct reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(struct reader *reader, const char *format, ...)
{
	_cleanup_buffer_ struct buffer message = { 0 };
	const char *dot = "";
	va_list arguments;

	buffer_print(&message, "%s: ", reader->document.file);
	if (reader->entry != IN_NO_ENTRY) {
		buffer_print(&message, "settings[%zu]", reader->entry);
		dot = ".";
	}
	for (size_t i = 0; i < reader->n_keys; i++) {
		buffer_print(&message, "%s%.*s", dot, SHOWN_BYTES, reader->keys[i]);
		dot = ".";
	}
	if (*dot)
		buffer_print(&message, ": ");
	va_start(arguments, format);
	buffer_append_format(&message, format, arguments);
	va_end(arguments);
	return keep_problem(reader, &message);
}

/* Stores the problem that a value is not what was expected. Returns as refuse(). */
static int refuse_value(struct reader *reader, const json_t *value, const char *expected)
{
	_cleanup_free_ char *text = NULL;

	if (!value)
		return refuse(reader, "is missing; it must be %s", expected);
	if (json_is_object(value) || json_is_array(value))
		return refuse(reader, "must be %s, not %s", expected,
			      json_is_object(value) ? "an object" : "a list");
	text = json_dumps(value, JSON_ENCODE_ANY | PRINTED_REALS);
	if (!text)
		return -ENOMEM;
	return refuse(reader, "must be %s, not %.*s%s", expected, SHOWN_BYTES, text,
		      strlen(text) > SHOWN_BYTES ? "..." : "");
}

/* Returns true if the key is the last part of the path, or the complete path. */
static bool is_end(const char *path, const char *key)
{
	const char *dot = strrchr(path, '.');

	return dot && *key && (strcmp(dot + 1, key) == 0 || strcmp(path, key) == 0);
}

/* Appends the paths of members that have this name, with " or " between. */
static void append_elsewhere(struct buffer *to, const char *key)
{
	size_t n = 0;

	for (enum setting_id id = 0; id < N_SETTINGS; id++) {
		const char *path = setting_get(id)->path;

		if (is_end(path, key)) {
			buffer_append_string(to, n++ ? " or " : "");
			buffer_append_string(to, path);
		}
	}
}

/* Returns the end of a message: "; did you mean min-mhz?" from the known members, which commas and
 * blanks separate; "; did you mean cpufreq.turbo?" if another object has the key; or "". A new
 * text; NULL: no memory. */
static char *find_meant(const char *key, const char *known)
{
	_cleanup_buffer_ struct buffer elsewhere = { 0 };
	_cleanup_free_ char *words = strdup(known);
	const char *near = words ? nearest_of_words(words, key) : NULL;

	append_elsewhere(&elsewhere, key);
	if (buffer_text(&elsewhere) && *buffer_text(&elsewhere))
		return strchr(key, '.')
			       ? text_format("; each part between dots is an object of its own")
			       : text_format("; did you mean %s?", buffer_text(&elsewhere));
	return near ? text_format("; did you mean %s?", near) : strdup("");
}

static int refuse_unknown(struct reader *reader, const char *key, const char *known)
{
	_cleanup_free_ char *meant = find_meant(key, known);

	reader->keys[reader->n_keys++] = key;
	return refuse(reader, "unknown member; known here: %s%s", known, meant ?: "");
}

/* Stores the problem that a member of the present object is not what was expected. */
static int refuse_member(struct reader *reader, const char *key, const json_t *value,
			 const char *expected)
{
	reader->keys[reader->n_keys++] = key;
	return refuse_value(reader, value, expected);
}

/* Reads a number in thousandths. Returns false if it is negative, too large, or has more than three
 * decimals. */
static bool read_thousandths(const json_t *value, uint64_t *ret_number)
{
	const double most = (double)UINT32_MAX * KHZ_PER_MHZ;
	double scaled = json_number_value(value) * KHZ_PER_MHZ;
	double whole, rest;

	if (!json_is_number(value) || !(scaled >= 0 && scaled <= most))
		return false;
	whole = (double)(uint64_t)(scaled + 0.5);
	rest = scaled - whole;
	/* a decimal fraction is not exact in binary */
	if (rest > 1e-6 || rest < -1e-6)
		return false;
	*ret_number = (uint64_t)whole;
	return true;
}

static bool read_whole(const json_t *value, uint64_t *ret_number)
{
	uint64_t number;

	if (!read_thousandths(value, &number) || number % 1000)
		return false;
	*ret_number = number / 1000;
	return true;
}

static bool read_ratios(const json_t *value, uint64_t *ret_ratios)
{
	const char *text = json_string_value(value) ?: "";

	return strlen(text) == RATIO_DIGITS + 2 && strncmp(text, "0x", 2) == 0 &&
	       number_parse_hex(text, ret_ratios) == 0;
}

/* Reads a value of the member's type. Returns false if it has another type or is not possible. */
static bool read_typed(const struct reader *reader, enum setting_id id, const json_t *json,
		       struct state_value *value)
{
	const enum setting_type type = setting_get(id)->type;
	bool is_any = reader->document.is_past;

	switch (type) {
	case SETTING_TYPE_BOOLEAN:
		value->kind = STATE_BOOLEAN;
		value->number = json_is_true(json);
		if (is_any && json_is_string(json)) /* only a part of it was on */
			*value = value_of_word(json_string_value(json));
		return json_is_boolean(json) || value->kind == STATE_WORD;
	case SETTING_TYPE_NUMBER:
		value->kind = STATE_NUMBER;
		return read_whole(json, &value->number) &&
		       (is_any || state_value_is_possible(id, value));
	case SETTING_TYPE_DECIMAL:
	case SETTING_TYPE_MHZ:
	case SETTING_TYPE_HUNDREDS:
		value->kind = type == SETTING_TYPE_DECIMAL ? STATE_DECIMAL : STATE_KHZ;
		return read_thousandths(json, &value->number) &&
		       (is_any || state_value_is_possible(id, value));
	case SETTING_TYPE_RATIOS:
		value->kind = STATE_RATIOS;
		return read_ratios(json, &value->number);
	case SETTING_TYPE_TEXT:
		value->kind = STATE_WORD;
		value->text = json_string_value(json);
		return value->text && state_value_is_possible(id, value);
	default:
		return false;
	}
}

/* Returns the word of the list that equals the text, or NULL. Both may be NULL. */
static const char *find_word(const char *const *words, const char *text)
{
	for (; text && words && *words; words++) {
		if (strcmp(*words, text) == 0)
			return *words;
	}
	return NULL;
}

static void append_range(struct buffer *to, const struct setting *member)
{
	char min[NUMBER_MHZ_SIZE], max[NUMBER_MHZ_SIZE];

	if (member->type == SETTING_TYPE_NUMBER) {
		if (member->step)
			buffer_print(to, "a multiple of %" PRIu32 " ", member->step);
		else
			buffer_print(to, "a whole number ");
		buffer_print(to, "from %" PRIu64 " to %" PRIu64, member->min, member->max);
		return;
	}
	number_format_mhz((uint32_t)member->min, min);
	number_format_mhz((uint32_t)member->max, max);
	if (member->type == SETTING_TYPE_HUNDREDS)
		buffer_print(to, "a multiple of 100 MHz from %s to %s", min, max);
	else
		buffer_print(to, "%s with up to three decimals from %s to %s", member->unit, min,
			     max);
}

/* Appends a description of the values that the member takes. */
static void append_expected(struct buffer *to, const struct setting *member, bool takes_words,
			    bool takes_others)
{
	const char *const *words = takes_words ? member->words : NULL;

	for (size_t i = 0; words && words[i]; i++) {
		bool is_last =
			!words[i + 1] && (!takes_others || member->type == SETTING_TYPE_WORD);

		buffer_print(to, "%s\"%s\"", i == 0 ? "" : is_last ? " or " : ", ", words[i]);
	}
	if (!takes_others || member->type == SETTING_TYPE_WORD)
		return;
	if (words)
		buffer_print(to, " or ");
	switch (member->type) {
	case SETTING_TYPE_BOOLEAN:
		buffer_print(to, "true or false");
		break;
	case SETTING_TYPE_RATIOS:
		buffer_print(to, "\"0x\" and %d hexadecimal digits", RATIO_DIGITS);
		break;
	case SETTING_TYPE_TEXT:
		buffer_print(to, "a name of 1 to %d printable characters", STATE_MAX_TEXT);
		break;
	default:
		append_range(to, member);
	}
}

static bool is_of_cpus(const struct selector *on)
{
	return on->kind == SELECTOR_CPUS || on->kind == SELECTOR_OTHER;
}

/* Refuses a selector that can never name places of the member's kind. */
static int check_scope(struct reader *reader, const struct setting *member,
		       const struct selector *on)
{
	const char *remedy = "\"all\", \"package-N\" or \"cpu SET\"";

	switch (on->kind) {
	case SELECTOR_ALL:
		return 0;
	case SELECTOR_MACHINE:
		if (member->place == PLACE_MACHINE)
			return 0;
		break;
	case SELECTOR_PACKAGE:
		if (member->place != PLACE_MACHINE)
			return 0;
		break;
	default:
		if (member->place >= PLACE_CORE)
			return 0;
	}
	if (member->place == PLACE_MACHINE)
		remedy = "\"machine\"";
	else if (member->place < PLACE_CORE)
		remedy = "\"all\" or \"package-N\"";
	return refuse(reader, "is set for %s; put it into an entry for %s",
		      place_kind_scope(member->place), remedy);
}

/* Notes that the last value of the entry is a setting of Speed Select. */
static void note_sst(struct document *document, size_t entry)
{
	bool is_optional = document->entries[entry].is_optional;

	if (document->has_sst || (document->names_sst && is_optional))
		return;
	document->names_sst = true;
	document->has_sst = !is_optional;
	document->sst_entry = entry;
	document->sst_value = document->entries[entry].n_values - 1;
}

/* Reads the value of a member, whose path is in reader->keys. */
static int read_member(struct reader *reader, enum setting_id id, const json_t *json)
{
	struct document_entry *entry = &reader->document.entries[reader->entry];
	const struct setting *member = setting_get(id);
	bool is_split = member->flags & SETTING_ON_DOMAINS;
	bool takes_words = !is_split || !is_of_cpus(&entry->on);
	bool takes_others = !is_split || is_of_cpus(&entry->on);
	_cleanup_buffer_ struct buffer expected = { 0 };
	int err = check_scope(reader, member, &entry->on);
	struct entry_value *value;
	const char *word;

	if (err)
		return err;
	value = array_add(&entry->values, &entry->n_values, sizeof(*value));
	if (!value)
		return -ENOMEM;
	value->setting = id;
	reader->document.sets[id] = true;
	value->value.entry = (uint32_t)reader->entry;
	if (member->flags & SETTING_IN_CLOS)
		value->clos = (uint32_t)(reader->keys[2][0] - '0');
	if (member->flags & SETTING_IN_IDLE_STATE)
		value->idle_state = reader->keys[2];
	word = takes_words ? find_word(member->words, json_string_value(json)) : NULL;
	if (word) {
		value->value.kind = STATE_WORD;
		value->value.text = word;
	}
	if (word || (takes_others && read_typed(reader, id, json, &value->value))) {
		/* only Speed Select reports the CPUs of a level */
		if (member->flags & SETTING_OF_SST || (word && is_split))
			note_sst(&reader->document, reader->entry);
		return 0;
	}
	append_expected(&expected, member, takes_words, takes_others);
	if (is_split)
		buffer_print(&expected, takes_words ? " (in an entry for CPUs: true or false)"
						    : " (in an entry for \"all\" or a package: "
						      "\"follow-level\")");
	return refuse_value(reader, json, buffer_text(&expected));
}

/* Returns the rest of the path, without the dot, if the key is its first part; else NULL. */
static const char *match_part(const char *path, const char *key)
{
	size_t length = strcspn(path, ".");
	bool is_match;

	if (length == 1 && path[0] == 'N')
		is_match = key[0] >= '0' && key[0] < '0' + SST_CLOS_COUNT && !key[1];
	else if (length == 4 && strncmp(path, "NAME", length) == 0)
		is_match = key[0];
	else
		is_match = strlen(key) == length && strncmp(path, key, length) == 0;
	if (!is_match)
		return NULL;
	return path + length + (path[length] == '.');
}

/* Appends the different first parts of paths to a message. */
static void append_parts(struct buffer *to, const char *const *paths)
{
	const char *last = NULL;

	for (size_t i = 0; i < N_SETTINGS; i++) {
		size_t length = paths[i] ? strcspn(paths[i], ".") : 0;

		if (!length ||
		    (last && strcspn(last, ".") == length && strncmp(last, paths[i], length) == 0))
			continue;
		if (length == 1)
			buffer_print(to, "\"0\" to \"%d\"", SST_CLOS_COUNT - 1);
		else if (strcmp(paths[i], "NAME") == 0)
			buffer_print(to, "names of idle states");
		else
			buffer_print(to, "%s%.*s", last ? ", " : "", (int)length, paths[i]);
		last = paths[i];
	}
}

/* Reads the members of an object. For each setting, paths has the part of its path below the
 * object, or NULL if it is elsewhere. An entry also has keys that are not settings. */
static int read_members(struct reader *reader, json_t *object, const char *const *paths)
{
	const char *key;
	json_t *value;

	json_object_foreach (object, key, value) {
		const char *below[N_SETTINGS] = { 0 };
		enum setting_id found = N_SETTINGS;
		int err;

		if (!reader->n_keys && (strcmp(key, "for") == 0 || strcmp(key, "comment") == 0 ||
					strcmp(key, "optional") == 0))
			continue;
		for (size_t i = N_SETTINGS; i-- > 0;) {
			below[i] = paths[i] ? match_part(paths[i], key) : NULL;
			if (below[i])
				found = (enum setting_id)i;
		}
		if (found == N_SETTINGS) {
			_cleanup_buffer_ struct buffer known = { 0 };

			if (!reader->n_keys)
				buffer_print(&known, "for, comment, optional, ");
			append_parts(&known, paths);
			return refuse_unknown(reader, key, buffer_text(&known));
		}
		reader->keys[reader->n_keys++] = key;
		if (!*below[found])
			err = read_member(reader, found, value);
		else if (json_is_object(value))
			err = read_members(reader, value, below);
		else
			err = refuse_value(reader, value, "an object");
		if (err)
			return err;
		reader->n_keys--;
	}
	return 0;
}

/* Reads "name-NUMBER" and the blank after it, and moves *text past them. */
static bool read_part(const char **text, const char *name, uint32_t *ret_number)
{
	size_t length = strlen(name);
	const char *end = *text + length;
	uint64_t number;

	if (strncmp(*text, name, length) != 0 || number_parse_digits(&end, 10, &number) < 0 ||
	    number > UINT32_MAX)
		return false;
	if (*end == ' ' && end[1])
		end++;
	else if (*end)
		return false;
	*text = end;
	*ret_number = (uint32_t)number;
	return true;
}

/* Returns whether the text is a selector. */
static bool read_selector(const char *text, struct selector *on)
{
	on->text = text;
	if (strcmp(text, "machine") == 0 || strcmp(text, "all") == 0) {
		on->kind = text[0] == 'm' ? SELECTOR_MACHINE : SELECTOR_ALL;
		return true;
	}
	if (strcmp(text, "cpu other") == 0) {
		on->kind = SELECTOR_OTHER;
		return true;
	}
	if (strncmp(text, "cpu ", 4) == 0) {
		on->kind = SELECTOR_CPUS;
		on->cpus = text + 4;
		return on->cpus[strspn(on->cpus, " ")];
	}
	on->kind = SELECTOR_PACKAGE;
	if (!read_part(&text, "package-", &on->package))
		return false;
	on->has_die = read_part(&text, "die-", &on->die);
	on->has_power_domain = read_part(&text, "powerdomain-", &on->power_domain);
	on->has_cluster = read_part(&text, "cluster-", &on->cluster);
	on->has_uncore = read_part(&text, "uncore-", &on->uncore);
	return !*text;
}

/* Returns true if a number of a selector has leading zeros: each location has only one name. PCI
 * addresses may have them. */
static bool has_padded_number(const char *text)
{
	for (const char *at = text; *at; at++) {
		bool is_first = at == text || !isalnum((unsigned char)at[-1]);

		if (is_first && strncmp(at, "near:", strlen("near:")) == 0)
			at += strcspn(at, ",") - 1;
		else if (is_first && at[0] == '0' && isdigit((unsigned char)at[1]))
			return true;
	}
	return false;
}

static int check_comment(struct reader *reader, const json_t *object)
{
	const json_t *comment = json_object_get(object, "comment");

	return comment && !json_is_string(comment)
		       ? refuse_member(reader, "comment", comment, "a string")
		       : 0;
}

/* Refuses a selector under the key "on", which YAML reads as true. */
static int refuse_on(struct reader *reader, const json_t *object)
{
	static const char *const keys[] = { "on", "true", "True" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!json_object_get(object, keys[i]))
			continue;
		reader->keys[reader->n_keys++] = keys[i];
		return refuse(reader, "unknown member; write \"for\"%s",
			      i == 0 ? "" : " (YAML reads on without quotes as true)");
	}
	return 0;
}

static int read_entry(struct reader *reader, json_t *object)
{
	struct document_entry *entry = &reader->document.entries[reader->entry];
	const char *paths[N_SETTINGS];
	const json_t *value;
	int err;

	if (!json_is_object(object))
		return refuse_value(reader, object, "an object");
	err = refuse_on(reader, object);
	if (err)
		return err;
	value = json_object_get(object, "for");
	if (!json_is_string(value) || !read_selector(json_string_value(value), &entry->on))
		return refuse_member(reader, "for", value,
				     "\"machine\", \"all\", \"package-N\" (and \"die-N\", "
				     "\"powerdomain-N\", \"cluster-N\", \"uncore-N\" in this "
				     "order), \"cpu SET\" or \"cpu other\"");
	if (has_padded_number(entry->on.text))
		return refuse_member(reader, "for", value,
				     "a selector whose numbers have no leading zeros");
	value = json_object_get(object, "optional");
	if (value && !json_is_boolean(value))
		return refuse_member(reader, "optional", value, "true or false");
	entry->is_optional = json_is_true(value);
	err = check_comment(reader, object);
	if (err)
		return err;
	for (size_t i = 0; i < N_SETTINGS; i++)
		paths[i] = setting_get((enum setting_id)i)->path;
	err = read_members(reader, object, paths);
	if (err)
		return err;
	if (!json_object_get(object, "offline-by") || json_object_get(object, "online"))
		return 0;
	reader->keys[reader->n_keys++] = "offline-by";
	return refuse(reader, "must be in an entry with \"online\"");
}

static int read_settings(struct reader *reader, const json_t *root)
{
	const json_t *list = json_object_get(root, "settings");
	size_t count = json_array_size(list);

	if (!json_is_array(list))
		return refuse_member(reader, "settings", list, "a list of entries");
	if (count > DOCUMENT_MAX_ENTRIES) {
		reader->keys[reader->n_keys++] = "settings";
		return refuse(reader, "has %zu entries; the most is %d", count,
			      DOCUMENT_MAX_ENTRIES);
	}
	reader->document.entries = calloc(count ?: 1, sizeof(*reader->document.entries));
	if (!reader->document.entries)
		return -ENOMEM;
	reader->document.n_entries = count;
	for (reader->entry = 0; reader->entry < count; reader->entry++) {
		int err = read_entry(reader, json_array_get(list, reader->entry));

		if (err)
			return err;
	}
	reader->entry = IN_NO_ENTRY;
	return 0;
}

static int read_require(struct reader *reader, json_t *root)
{
	struct document_require *require = &reader->document.require;
	const struct {
		const char *name;
		struct file_number *to;
	} numbers[] = {
		{ "family", &require->family },
		{ "model", &require->model },
		{ "packages", &require->packages },
		{ "cpus", &require->cpus },
	};
	json_t *object = json_object_get(root, "require"), *value;
	uint64_t number;
	const char *key;

	reader->keys[reader->n_keys++] = "require";
	if (object && !json_is_object(object))
		return refuse_value(reader, object, "an object");
	json_object_foreach (object, key, value) {
		size_t i = 0;

		while (i < ARRAY_SIZE(numbers) && strcmp(numbers[i].name, key) != 0)
			i++;
		if (i == ARRAY_SIZE(numbers) && strcmp(key, "vendor") != 0)
			return refuse_unknown(reader, key, "vendor, family, model, packages, cpus");
		if (i == ARRAY_SIZE(numbers)) {
			require->vendor = json_string_value(value);
			if (!json_string_length(value))
				return refuse_member(reader, key, value, "a non-empty string");
		} else if (read_whole(value, &number)) {
			*numbers[i].to = (struct file_number){ true, (uint32_t)number };
		} else {
			return refuse_member(reader, key, value,
					     "a whole number from 0 to 4294967295");
		}
	}
	reader->n_keys--;
	return 0;
}

/* Checks the list of texts on settings that an export could not read. */
static int check_incomplete(struct reader *reader, const json_t *root)
{
	const json_t *list = json_object_get(root, "incomplete"), *text;
	size_t i;

	if (list && !json_is_array(list))
		return refuse_member(reader, "incomplete", list, "a list of strings");
	json_array_foreach (list, i, text) {
		if (!json_string_length(text))
			return refuse_member(reader, "incomplete", list,
					     "a list of non-empty strings");
	}
	return 0;
}

/* Reads *reader->document.json. */
static int read_root(struct reader *reader)
{
	static const char *const known[] = { "format",     "version",  "comment", "require",
					     "incomplete", "settings", NULL };
	json_t *root = reader->document.json;
	json_t *value;
	uint64_t version;
	const char *key;
	int err;

	if (!json_is_object(root))
		return refuse_value(reader, root, "an object");
	value = json_object_get(root, "format");
	if (strcmp(json_string_value(value) ?: "", DOCUMENT_FORMAT) != 0)
		return refuse_member(reader, "format", value, "\"" DOCUMENT_FORMAT "\"");
	value = json_object_get(root, "version");
	if (!read_whole(value, &version) || version != DOCUMENT_VERSION)
		return refuse_member(reader, "version", value, "1");
	json_object_foreach (root, key, value) {
		if (!find_word(known, key))
			return refuse_unknown(reader, key,
					      "format, version, comment, require, "
					      "incomplete, settings");
	}
	err = check_comment(reader, root);
	if (!err)
		err = read_require(reader, root);
	if (!err)
		err = check_incomplete(reader, root);
	if (!err)
		err = read_settings(reader, root);
	return err;
}

int document_take(json_t *json, const char *file, bool is_past, struct document *ret_document,
		  char **ret_problem)
{
	struct reader reader = { .document = { .file = file, .json = json, .is_past = is_past },
				 .entry = IN_NO_ENTRY };
	int err = read_root(&reader);

	if (!err)
		*ret_document = reader.document;
	else
		document_done(&reader.document);
	if (err == -EINVAL)
		*ret_problem = reader.problem;
	return err;
}

int document_prepend(struct document *document, struct document *past)
{
	size_t n_past = past->n_entries, count = n_past + document->n_entries;
	struct document_entry *entries = calloc(count + 1, sizeof(*entries));

	if (!entries)
		return -ENOMEM;
	memcpy(entries, past->entries, n_past * sizeof(*entries));
	memcpy(&entries[n_past], document->entries, document->n_entries * sizeof(*entries));
	for (size_t i = n_past; i < count; i++) {
		for (size_t j = 0; j < entries[i].n_values; j++)
			entries[i].values[j].value.entry += (uint32_t)n_past;
	}
	free(document->entries);
	free(past->entries);
	document->entries = entries;
	document->n_entries = count;
	document->n_past = n_past;
	for (enum setting_id id = 0; id < N_SETTINGS; id++)
		document->sets[id] = document->sets[id] || past->sets[id];
	document->sst_entry += n_past;
	document->names_sst = document->names_sst || past->names_sst;
	document->past_json = steal(past->json);
	*past = (struct document){ 0 };
	return 0;
}

void document_done(struct document *document)
{
	for (size_t i = 0; i < document->n_entries; i++)
		free(document->entries[i].values);
	free(document->entries);
	json_decref(document->json);
	json_decref(document->past_json);
	*document = (struct document){ 0 };
}

char *document_path(const struct document *document, const struct entry_value *value)
{
	const struct state_row row = { value->setting, value->clos, value->idle_state, NULL, NULL };
	_cleanup_free_ char *name = state_row_format_name(&row);

	if (!name || value->value.entry < document->n_past)
		return steal(name);
	return text_format("settings[%zu].%s", value->value.entry - document->n_past, name);
}

struct document_entry_name document_name_entry(const struct document *document, size_t entry)
{
	struct document_entry_name name = { "" };

	if (!document->is_built_in && !document->is_past && entry >= document->n_past)
		snprintf(name.text, sizeof(name.text), "settings[%zu]: ", entry - document->n_past);
	return name;
}
