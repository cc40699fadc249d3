// SPDX-License-Identifier: GPL-2.0-only
/* Reads profiles: finds the file, and checks its content with tables of members. */
#include "profile/profile.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "host/host.h"
#include "base/fileio.h"
#include "base/json_fields.h"
#include "base/nearest.h"

#define SUFFIX         ".json"
#define MAX_NAME       30 /* of an item: a column of the output */
#define MAX_TEXT       300
#define MAX_ALTERNATES 32

/* A profile while it is read. */
struct draft {
	struct profile profile;
	uint32_t format;
	uint32_t version;
	uint32_t cpus;
};

struct source_draft {
	const char *texts[SOURCE_PROCESS + 1]; /* by enum source_kind */
	uint32_t part;
	bool has_part;
};

static const char *const remedies[] = { "command", "sysctl", "boot", "bios", "other", NULL };

static const char *const expectations[] = {
	[EXPECT_IS] = "is",
	[EXPECT_NOT] = "not",
	[EXPECT_ANY_OF] = "any-of",
	[EXPECT_AT_LEAST] = "at-least",
	[EXPECT_AT_MOST] = "at-most",
	[EXPECT_INCLUDES_CPUS] = "includes-cpus",
	[EXPECT_EXCLUDES_CPUS] = "excludes-cpus",
	[EXPECT_PRESENT] = "present",
};

/* Joins words for a message: "a, b, c". */
static void join(struct buffer *to, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		buffer_append_string(to, i ? ", " : "");
		buffer_append_string(to, words[i]);
	}
}

static void read_sentence(struct json_reader *reader, json_t *value, void *to)
{
	const char **text = to;

	*text = json_read_text(reader, value);
	if (!reader->err && (**text == '\0' || strlen(*text) > MAX_TEXT))
		json_refuse(reader, NULL, "must have 1 to %d bytes", MAX_TEXT);
}

static void read_item_name(struct json_reader *reader, json_t *value, void *to)
{
	const char **text = to;
	size_t length = 0;

	*text = json_read_text(reader, value);
	while (*text && (islower((unsigned char)(*text)[length]) ||
			 isdigit((unsigned char)(*text)[length]) || (*text)[length] == '-'))
		length++;
	if (!reader->err && (length == 0 || length > MAX_NAME || (*text)[length]))
		json_refuse(reader, NULL, "must be 1 to %d lower-case letters, digits and dashes",
			    MAX_NAME);
}

/* Sources. */

static void take_setting(struct json_reader *reader, struct profile_source *source)
{
	const struct setting *setting;

	source->setting = setting_find(source->name);
	setting = source->setting < N_SETTINGS ? setting_get(source->setting) : NULL;
	if (!setting || strcmp(setting->path, source->name) != 0)
		json_refuse(reader, "setting",
			    "\"%s\" is not a setting; settings are the members of state documents, "
			    "such as cpufreq.governor",
			    source->name);
	else if (setting->flags & (SETTING_IN_CLOS | SETTING_IN_IDLE_STATE) ||
		 setting->type == SETTING_TYPE_RATIOS)
		json_refuse(reader, "setting",
			    "\"%s\" cannot be an item: it is not one value of a place",
			    source->name);
}

static void take_fact(struct json_reader *reader, struct profile_source *source)
{
	_cleanup_buffer_ struct buffer names = { 0 };

	source->fact = fact_find(source->name);
	if (source->fact)
		return;
	for (const struct fact *fact = facts; fact->name; fact++) {
		buffer_append_string(&names, fact == facts ? "" : ", ");
		buffer_append_string(&names, fact->name);
	}
	json_refuse(reader, "fact", "\"%s\" is an unknown fact; there are %s", source->name,
		    buffer_text(&names));
}

/* Accepts only paths of /proc and /sys, since results show the content of the file. */
static void take_file(struct json_reader *reader, struct profile_source *source)
{
	const char *path = source->name, *cpu = strstr(path, "{cpu}");
	bool is_inside = strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0;

	source->is_of_cpu = cpu;
	if (!is_inside || strstr(path, "/../") || path[strlen(path) - 1] == '/')
		json_refuse(reader, "file", "\"%s\" is not a file below /proc or /sys", path);
	else if (strpbrk(cpu ? cpu + strlen("{cpu}") : path, "{}") ||
		 (cpu && memchr(path, '{', (size_t)(cpu - path))))
		json_refuse(reader, "file", "{cpu} may be in it once, and no other braces");
}

static void take_word(struct json_reader *reader, struct profile_source *source, const char *member)
{
	for (const char *at = source->name; *at; at++) {
		if (!isgraph((unsigned char)*at) || *at == '=' || *at == '/') {
			json_refuse(reader, member, "\"%s\" must be one word without = and /",
				    source->name);
			return;
		}
	}
}

static void read_source(struct json_reader *reader, json_t *value, void *to)
{
	static const char *const names[] = { "setting", "fact", "file", "parameter", "process" };
	static const char *const parts[] = { "selected", NULL };
	static const struct json_field fields[] = {
		{ JSON_FIELD(struct source_draft, texts[SOURCE_SETTING], "setting"),
		  .is_optional = true },
		{ JSON_FIELD(struct source_draft, texts[SOURCE_FACT], "fact"),
		  .is_optional = true },
		{ JSON_FIELD(struct source_draft, texts[SOURCE_FILE], "file"),
		  .is_optional = true },
		{ JSON_FIELD(struct source_draft, texts[SOURCE_PARAMETER], "parameter"),
		  .is_optional = true },
		{ JSON_FIELD(struct source_draft, texts[SOURCE_PROCESS], "process"),
		  .is_optional = true },
		{ JSON_FIELD_AS(struct source_draft, part, "part", JSON_WORD), .words = parts,
		  .is_optional = true, .has = offsetof(struct source_draft, has_part) },
		{ 0 },
	};
	struct profile_source *source = to;
	struct source_draft draft = { 0 };
	size_t n_given = 0;

	json_read_fields(reader, value, fields, &draft);
	for (enum source_kind kind = 0; kind < ARRAY_SIZE(names); kind++) {
		if (!draft.texts[kind])
			continue;
		*source = (struct profile_source){ .kind = kind, .name = draft.texts[kind] };
		n_given++;
	}
	if (reader->err)
		return;
	if (n_given != 1) {
		json_refuse(reader, NULL,
			    "must have one of setting, fact, file, parameter, process");
		return;
	}
	source->is_selected = draft.has_part;
	if (draft.has_part && source->kind != SOURCE_FILE)
		json_refuse(reader, "part", "needs \"file\"");
	if (source->kind == SOURCE_SETTING)
		take_setting(reader, source);
	else if (source->kind == SOURCE_FACT)
		take_fact(reader, source);
	else if (source->kind == SOURCE_FILE)
		take_file(reader, source);
	else
		take_word(reader, source, names[source->kind]);
}

/* Refuses a member; known: all that are accepted, with commas and blanks between them. */
static void refuse_unknown(struct json_reader *reader, const char *name, const char *known)
{
	_cleanup_free_ char *words = strdup(known);
	const char *nearest = words ? nearest_of_words(words, name) : NULL;

	json_refuse(reader, name, "is unknown here; known are %s%s%s%s", known,
		    nearest ? "; did you mean " : "", nearest ?: "", nearest ? "?" : "");
}

/* Expectations. */

static void read_expectation(struct json_reader *reader, json_t *value, void *to)
{
	struct profile_expectation *expectation = to;
	_cleanup_buffer_ struct buffer known = { 0 };
	const char *name;
	json_t *member;

	join(&known, expectations, ARRAY_SIZE(expectations));
	if (!json_is_object(value) || json_object_size(value) != 1) {
		json_refuse(reader, NULL, "must be an object with one of %s", buffer_text(&known));
		return;
	}
	json_object_foreach (value, name, member) {
		for (size_t i = 0; i < ARRAY_SIZE(expectations); i++) {
			if (strcmp(expectations[i], name) == 0) {
				*expectation =
					(struct profile_expectation){ (enum expectation_kind)i,
								      member };
				return;
			}
		}
		refuse_unknown(reader, name, buffer_text(&known));
	}
}

/* The kinds of values that a source can have. */
enum values {
	VALUES_BOOLEAN,
	VALUES_NUMBER, /* or one of some words */
	VALUES_TEXT,
	VALUES_ANY /* of a file or parameter: a text, which may be a number */
};

static enum values values_of(const struct profile_source *source)
{
	enum state_kind kind = STATE_WORD;

	switch (source->kind) {
	case SOURCE_SETTING:
		switch (setting_get(source->setting)->type) {
		case SETTING_TYPE_BOOLEAN:
			return VALUES_BOOLEAN;
		case SETTING_TYPE_WORD:
		case SETTING_TYPE_TEXT:
			return VALUES_TEXT;
		default:
			return VALUES_NUMBER;
		}
	case SOURCE_FACT:
		kind = source->fact->kind;
		return kind == STATE_BOOLEAN  ? VALUES_BOOLEAN
		       : kind == STATE_NUMBER ? VALUES_NUMBER
					      : VALUES_TEXT;
	case SOURCE_PROCESS:
		return VALUES_BOOLEAN;
	default:
		return VALUES_ANY;
	}
}

/* Is the text a word that the source can have? */
static bool is_word(const struct profile_source *source, const char *text)
{
	const char *const *words =
		source->kind == SOURCE_SETTING ? setting_get(source->setting)->words : NULL;

	if (!text || strlen(text) > MAX_TEXT)
		return false;
	if (values_of(source) == VALUES_ANY || (values_of(source) == VALUES_TEXT && !words))
		return true;
	while (words && *words && strcmp(*words, text) != 0)
		words++;
	return words && *words;
}

/* Is the JSON value a number that a source can have? MHz are compared in kHz. */
static bool is_count(const json_t *value)
{
	return json_is_integer(value) && json_integer_value(value) >= 0 &&
	       json_integer_value(value) <= INT64_MAX / KHZ_PER_MHZ;
}

/* Refuses a value that the source can never have. */
static void check_value(struct json_reader *reader, const struct profile_source *source,
			const char *member, const json_t *value)
{
	enum values values = values_of(source);
	bool is_number = is_count(value);
	bool fits = values == VALUES_BOOLEAN ? json_is_boolean(value)
					     : is_word(source, json_string_value(value)) ||
						       (is_number && values != VALUES_TEXT);

	if (!fits)
		json_refuse(reader, member, "must be %s that is possible for %s",
			    values == VALUES_BOOLEAN  ? "true or false, all"
			    : values == VALUES_NUMBER ? "a number or word"
						      : "a string",
			    source->name);
}

static void check_list(struct json_reader *reader, const struct profile_item *item,
		       const char *member)
{
	size_t count = json_array_size(item->expectation.value), i;
	const json_t *element;

	if (count < 1 || count > MAX_ALTERNATES) {
		json_refuse(reader, member, "must be a list of 1 to %d values", MAX_ALTERNATES);
		return;
	}
	json_array_foreach (item->expectation.value, i, element)
		check_value(reader, &item->source, member, element);
}

/* Refuses an expectation that the source's values cannot be compared with. */
static void check_expectation(struct json_reader *reader, const struct profile_item *item)
{
	const struct profile_expectation *expectation = &item->expectation;
	enum values values = values_of(&item->source);
	char member[32];

	snprintf(member, sizeof(member), "expect.%s", expectations[expectation->kind]);
	switch (expectation->kind) {
	case EXPECT_IS:
	case EXPECT_NOT:
		check_value(reader, &item->source, member, expectation->value);
		return;
	case EXPECT_ANY_OF:
		check_list(reader, item, member);
		return;
	case EXPECT_AT_LEAST:
	case EXPECT_AT_MOST:
		if (values == VALUES_BOOLEAN ||
		    !(json_is_integer(expectation->value)
			      ? is_count(expectation->value)
			      : values != VALUES_NUMBER && json_is_string(expectation->value)))
			json_refuse(reader, member, "must be a number that is possible for %s%s",
				    item->source.name,
				    values == VALUES_ANY ? ", or a version as a string" : "");
		return;
	case EXPECT_INCLUDES_CPUS:
	case EXPECT_EXCLUDES_CPUS:
		if (values != VALUES_ANY || item->source.is_of_cpu)
			json_refuse(reader, member,
				    "needs a file or parameter of the whole machine");
		else if (!json_is_true(expectation->value))
			json_refuse(reader, member, "must be true");
		return;
	case EXPECT_PRESENT:
		if (values != VALUES_ANY)
			json_refuse(reader, member, "needs a file or parameter");
		else if (!json_is_boolean(expectation->value))
			json_refuse(reader, member, "must be true or false");
		return;
	}
}

/* Remedies. */

/* Returns the placeholder at the beginning of the text, or NULL. */
static const char *find_placeholder(const char *text)
{
	static const char *const placeholders[] = { "{cpus}", "{judged}", "{others}" };

	for (size_t i = 0; i < ARRAY_SIZE(placeholders); i++) {
		if (strncmp(text, placeholders[i], strlen(placeholders[i])) == 0)
			return placeholders[i];
	}
	return NULL;
}

static void read_remedy(struct json_reader *reader, json_t *value, void *to)
{
	_cleanup_buffer_ struct buffer known = { 0 };
	const json_t **remedy = to;
	const char *name;
	json_t *text;

	join(&known, remedies, ARRAY_SIZE(remedies) - 1);
	if (!json_is_object(value) || json_object_size(value) == 0)
		json_refuse(reader, NULL, "must be an object with one or more of %s",
			    buffer_text(&known));
	json_object_foreach (value, name, text) {
		const char *const *kind = remedies;
		const char *line = json_string_value(text);

		while (*kind && strcmp(*kind, name) != 0)
			kind++;
		if (!*kind)
			refuse_unknown(reader, name, buffer_text(&known));
		if (!line || *line == '\0' || strlen(line) > MAX_TEXT)
			json_refuse(reader, name, "must be a string of 1 to %d bytes", MAX_TEXT);
		for (; line && *line; line++) {
			if (iscntrl((unsigned char)*line))
				json_refuse(reader, name, "must not contain control characters");
			if (*line == '{' && !find_placeholder(line))
				json_refuse(reader, name,
					    "braces are for {cpus}, {judged} and {others}");
		}
	}
	*remedy = value;
}

static void read_item(struct json_reader *reader, json_t *value, void *to)
{
	static const struct json_field fields[] = {
		{ JSON_FIELD_AS(struct profile_item, name, "name", JSON_PART),
		  .read = read_item_name },
		{ JSON_FIELD_AS(struct profile_item, source, "read", JSON_PART),
		  .read = read_source },
		{ JSON_FIELD_AS(struct profile_item, expectation, "expect", JSON_PART),
		  .read = read_expectation },
		{ JSON_FIELD_AS(struct profile_item, effect, "effect", JSON_PART),
		  .read = read_sentence },
		{ JSON_FIELD_AS(struct profile_item, remedy, "remedy", JSON_PART),
		  .read = read_remedy },
		{ 0 },
	};
	struct profile *profile = to;
	struct profile_item *item = array_add(&profile->items, &profile->n_items, sizeof(*item));

	if (!item) {
		json_refuse_memory(reader);
		return;
	}
	json_read_fields(reader, value, fields, item);
	if (!reader->err)
		check_expectation(reader, item);
	for (size_t i = 0; i + 1 < profile->n_items && !reader->err; i++) {
		if (strcmp(profile->items[i].name, item->name) == 0)
			json_refuse(reader, "name", "\"%s\" is the name of items[%zu], too",
				    item->name, i);
	}
}

static const char *const format_words[] = { PROFILE_FORMAT, NULL };
static const char *const cpu_words[] = { "isolated", "online", NULL };

static const struct json_field profile_fields[] = {
	{ JSON_FIELD_AS(struct draft, format, "format", JSON_WORD), .words = format_words },
	{ JSON_FIELD(struct draft, version, "version"), .min = PROFILE_VERSION,
	  .max = PROFILE_VERSION },
	{ JSON_FIELD_AS(struct draft, profile.description, "description", JSON_PART),
	  .read = read_sentence },
	{ JSON_FIELD_AS(struct draft, cpus, "cpus", JSON_WORD), .words = cpu_words,
	  .is_optional = true },
	{ JSON_ELEMENTS("items", 1, PROFILE_MAX_ITEMS, read_item) },
	{ 0 },
};

int profile_parse(const char *file, const char *text, size_t length, struct profile *ret_profile,
		  char **ret_problem)
{
	struct json_reader reader = { .file_name = file };
	struct draft draft = { .profile.file = strdup(file) };
	int err;

	if (!draft.profile.file)
		return -ENOMEM;
	draft.profile.json = json_reader_load(&reader, text, length);
	if (draft.profile.json)
		json_read_fields(&reader, draft.profile.json, profile_fields, &draft);
	err = json_reader_finish(&reader, ret_problem);
	if (err) {
		profile_done(&draft.profile);
		return err;
	}
	draft.profile.is_of_online = draft.cpus;
	*ret_profile = draft.profile;
	return 0;
}

void profile_done(struct profile *profile)
{
	free(profile->file);
	free(profile->items);
	json_decref(profile->json);
	*profile = (struct profile){ 0 };
}

/* Files. */

static bool is_path(const char *name)
{
	size_t length = strlen(name);

	return strchr(name, '/') ||
	       (length > strlen(SUFFIX) && strcmp(name + length - strlen(SUFFIX), SUFFIX) == 0);
}

/* Finds the first file with that name. Returns its path, a new text; NULL: none, or no memory. */
static char *find_in(const char *name, const char *const *directories)
{
	for (; *directories; directories++) {
		_cleanup_free_ char *path = text_format("%s/%s" SUFFIX, *directories, name);

		if (path && access(path, F_OK) == 0)
			return steal(path);
	}
	return NULL;
}

/* Was the directory searched before? */
static bool is_repeated(const char *const *directories, const char *const *directory)
{
	while (directories < directory && strcmp(*directories, *directory) != 0)
		directories++;
	return directories < directory;
}

/* Appends the names of all profiles, for a message. */
static void append_names(const char *const *directories, struct buffer *to)
{
	for (const char *const *directory = directories; *directory; directory++) {
		struct dirent **entries = NULL;
		int count = is_repeated(directories, directory)
				    ? 0
				    : scandir(*directory, &entries, NULL, alphasort);

		for (int i = 0; i < count; i++) {
			size_t length = strlen(entries[i]->d_name);
			_cleanup_free_ char *name =
				length > strlen(SUFFIX) ? strdup(entries[i]->d_name) : NULL;
			_cleanup_free_ char *path = NULL;

			free(entries[i]);
			if (!name || *name == '.' || !is_path(name))
				continue;
			name[length - strlen(SUFFIX)] = '\0';
			path = find_in(name, directories);
			if (!path || strncmp(path, *directory, strlen(*directory)) != 0)
				continue; /* its name is in the list */
			buffer_append_string(to, to->length ? ", " : "");
			buffer_append_string(to, name);
		}
		if (count >= 0)
			free(entries);
	}
}

int profile_read(const char *name, const char *const *directories, struct profile *ret_profile,
		 char **ret_problem)
{
	_cleanup_free_ char *path = is_path(name) ? strdup(name) : find_in(name, directories);
	_cleanup_buffer_ struct buffer names = { 0 };
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int fd = -1;
	size_t length;
	int err;

	*ret_problem = NULL;
	if (!path) {
		append_names(directories, &names);
		*ret_problem = text_format(
			"%s: no profile has this name; the profiles are %s; to use a file, "
			"write its name with a slash or as NAME" SUFFIX,
			name, names.length ? buffer_text(&names) : "none");
		return *ret_problem ? -ENOENT : -ENOMEM;
	}
	fd = fileio_open_named(path);
	err = fd < 0 ? fd : fileio_read_whole(fd, PROFILE_MAX_BYTES, &text, &length);
	if (!err)
		return profile_parse(path, text, length, ret_profile, ret_problem);
	if (err != -ENOMEM)
		*ret_problem = text_format("%s: %s", path, strerror(-err));
	return *ret_problem ? err : -ENOMEM;
}

/* Texts. */

char *profile_format_value(const json_t *value)
{
	if (json_is_boolean(value))
		return strdup(json_is_true(value) ? "yes" : "no");
	if (json_is_string(value))
		return strdup(*json_string_value(value) ? json_string_value(value) : "\"\"");
	return json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
}

/* Formats the values of a list: "a, b or c". */
static char *format_list(const json_t *list)
{
	_cleanup_buffer_ struct buffer text = { 0 };
	size_t count = json_array_size(list), i;
	const json_t *element;

	json_array_foreach (list, i, element) {
		_cleanup_free_ char *one = profile_format_value(element);

		buffer_append_string(&text, i == 0 ? "" : i + 1 < count ? ", " : " or ");
		buffer_append_string(&text, one ?: "");
	}
	return buffer_steal(&text, NULL);
}

const char *profile_item_unit(const struct profile_item *item)
{
	const struct profile_source *source = &item->source;

	return source->kind == SOURCE_SETTING ? setting_get(source->setting)->unit
	       : source->kind == SOURCE_FACT  ? source->fact->unit
					      : NULL;
}

json_t *profile_expectation_to_json(const struct profile_item *item)
{
	json_t *object = json_object();

	if (object && json_object_set(object, expectations[item->expectation.kind],
				      (json_t *)(uintptr_t)item->expectation.value) == 0)
		return object;
	json_decref(object);
	return NULL;
}

char *profile_format_expectation(const struct profile_item *item)
{
	const json_t *expected = item->expectation.value;
	_cleanup_free_ char *value = profile_format_value(expected);
	const char *unit = profile_item_unit(item);
	const char *blank = unit && json_is_integer(expected) ? " " : "";

	if (!value)
		return NULL;
	if (!*blank)
		unit = "";
	switch (item->expectation.kind) {
	case EXPECT_IS:
		return text_format("%s%s%s", value, blank, unit);
	case EXPECT_NOT:
		return text_format("not %s%s%s", value, blank, unit);
	case EXPECT_ANY_OF:
		return format_list(expected);
	case EXPECT_AT_LEAST:
		return text_format("at least %s%s%s", value, blank, unit);
	case EXPECT_AT_MOST:
		return text_format("at most %s%s%s", value, blank, unit);
	case EXPECT_INCLUDES_CPUS:
		return strdup("a list with these CPUs");
	case EXPECT_EXCLUDES_CPUS:
		return strdup("a list without these CPUs");
	case EXPECT_PRESENT:
		break;
	}
	return strdup(json_is_true(expected) ? "present" : "absent");
}

char *profile_format_remedy(const char *text, const struct remedy_cpus *cpus)
{
	_cleanup_cpuset_ struct cpuset others = { 0 };
	_cleanup_buffer_ struct buffer line = { 0 };

	if (cpuset_copy(&others, cpus->online))
		return NULL;
	cpuset_remove_all(&others, cpus->checked);
	while (*text) {
		const char *placeholder = *text == '{' ? find_placeholder(text) : NULL;
		const struct cpuset *set;

		if (!placeholder) {
			buffer_append_char(&line, *text++);
			continue;
		}
		text += strlen(placeholder);
		set = placeholder[1] == 'c'   ? cpus->wrong
		      : placeholder[1] == 'j' ? cpus->checked
					      : &others;
		if (cpuset_is_empty(set))
			buffer_append_string(&line, placeholder);
		else
			cpuset_append_ranges(set, &line);
	}
	return host_complete_commands(cpus->host, buffer_steal(&line, NULL));
}
