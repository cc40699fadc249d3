// SPDX-License-Identifier: GPL-2.0-only
/* Writes the stream of nodes as indented lines or as one JSON object. output_open() decides once
 * which form it has, and whether errors are lines on stderr or part of the results (output.md,
 * "Where it goes").
 *
 * Text: level 1 has one blank, level n > 1 has 2 x (n - 1). A location has several levels, and CPUs
 * with equal values are one list. JSON: a location is one member, named by its path; every value is
 * a string; members keep the order in which they were put. */
#include "output/output.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "output/fold.h"

#define MOST_LEVELS 16 /* more than any command has */

struct output {
	bool is_json;
	struct sink sink;
	bool keeps_messages; /* errors and notes are among the results */
	bool is_held; /* results are dropped */
	bool is_left; /* another process writes the results */
	bool has_failed; /* memory was short */
	int flush_error; /* a negative errno */
	size_t mask_words;
	struct buffer text; /* of the name, value or message that is being put */
	struct buffer lines; /* of the text, or of the JSON that is made at the end */
	unsigned int level; /* of the node that is open */
	unsigned int place_level; /* of the open location; 0: none */
	json_t *open[MOST_LEVELS]; /* JSON: the open nodes by level; only the first is owned */
	unsigned int n_messages; /* in JSON */
	struct output_place group; /* the open location; its cpu is the first of cpus */
	bool is_folded; /* text: locations wait until something else is put */
	bool is_kept; /* the open location will wait */
	struct fold fold; /* the locations that wait */
	bool dies_differ; /* for fold_join() */
	size_t nodes_start; /* in lines: of the open location */
	json_t *mark; /* JSON: an object of one member, which comes first; or NULL */
	char *mark_line; /* text: the first line; or NULL */
	bool is_document;
};

int output_open(enum output_format format, const char *path, bool to_stdout,
		struct output **ret_output)
{
	struct output *output = calloc(1, sizeof(*output));
	struct sink sink = sink_choose(path, to_stdout);

	if (!output)
		return -ENOMEM;
	if (format == OUTPUT_JSON && output_make_json(output)) {
		free(output);
		return -ENOMEM;
	}
	/* A path may be a standard stream, such as /dev/stdout: the output of other programs there
	 * must be kept. */
	if (sink.kind == SINK_PATH && sink_is_stream(&sink, stderr))
		sink.kind = SINK_STDERR;
	else if (sink.kind == SINK_PATH && sink_is_stream(&sink, stdout))
		sink.kind = SINK_STDOUT;
	output->sink = sink;
	output->keeps_messages =
		sink.kind == SINK_STDERR || (output->is_json && sink_is_stream(&sink, stderr));
	output->mask_words = 1;
	*ret_output = output;
	return 0;
}

int output_make_json(struct output *output)
{
	if (!output->is_json)
		output->open[0] = json_object();
	output->is_json = output->open[0];
	return output->is_json ? 0 : -ENOMEM;
}

int output_mark(struct output *output, const char *member, const char *value, const char *line)
{
	json_decref(output->mark);
	free(output->mark_line);
	output->mark = value ? json_pack("{s:s}", member, value) : NULL;
	output->mark_line = value ? text_format("%s\n", line) : NULL;
	return !value || (output->mark && output->mark_line) ? 0 : -ENOMEM;
}

void output_close(struct output **output)
{
	if (*output) {
		json_decref((*output)->mark);
		free((*output)->mark_line);
		json_decref((*output)->open[0]);
		fold_done(&(*output)->fold);
		buffer_done(&(*output)->text);
		buffer_done(&(*output)->lines);
		free(*output);
	}
	*output = NULL;
}

const struct sink *output_sink(const struct output *output)
{
	return &output->sink;
}

bool output_is_json(const struct output *output)
{
	return output->is_json;
}

void output_set_mask_words(struct output *output, size_t n_words)
{
	output->mask_words = n_words;
}

void output_set_fold(struct output *output, bool dies_differ)
{
	output->is_folded = true;
	output->dies_differ = dies_differ;
}

void output_hold(struct output *output, bool is_held)
{
	output->is_held = is_held;
}

/* Formats into the stream's own text, in place of the text before. */
static void __attribute__((format(printf, 2, 0)))
format_text(struct output *output, const char *format, va_list args)
{
	buffer_clear(&output->text);
	buffer_append_format(&output->text, format, args);
	if (output->text.data)
		printable_clean(output->text.data, output->text.length);
}

static void put_places(struct output *output);

/* Puts the waiting locations before something else is put. */
static void end_places(struct output *output)
{
	if (output->fold.count && output->level == 0)
		put_places(output);
}

/* Puts a line of text: the name, if there is one, and the stream's own text. */
static void put_line(struct output *output, const char *name)
{
	struct buffer *lines = &output->lines;

	end_places(output);
	if (output->level == 0)
		buffer_append_char(lines, ' ');
	for (unsigned int i = 0; i < output->level; i++)
		buffer_append_string(lines, "  ");
	if (name) {
		buffer_append_string(lines, name);
		buffer_append_char(lines, ':');
	}
	buffer_append(lines, buffer_text(&output->text), output->text.length);
	buffer_append_char(lines, '\n');
}

/* Opens a node. The stream's own text is its name. */
static void enter(struct output *output)
{
	const char *name = buffer_text(&output->text);
	json_t *present = output->open[output->level], *object;

	if (!output->is_json) {
		put_line(output, NULL);
		output->level++;
		return;
	}
	object = json_object_get(present, name);
	/* A node may be entered again, such as a location for each of its CPUs. A node that CPUs
	 * share is copied first. */
	if (!json_is_object(object) || object->refcount > 1) {
		object = json_is_object(object) ? json_deep_copy(object) : json_object();
		if (json_object_set_new_nocheck(present, name, object) < 0)
			object = NULL;
	}
	if (object && output->level + 1 < MOST_LEVELS)
		output->open[++output->level] = object;
	else
		output->has_failed = true;
}

/* Ends a part of a location. In text, each part is a node. */
static void end_part(struct output *output)
{
	if (output->is_json)
		return;
	enter(output);
	buffer_clear(&output->text);
}

/* Adds a part of a location to the stream's text. word: shown for OUTPUT_NO_ID, or NULL. numbers:
 * shown in place of id, unless NULL or empty. */
static void add_part(struct output *output, const char *name, int64_t id, const char *word,
		     const struct cpuset *numbers)
{
	struct buffer *text = &output->text;

	if (id == OUTPUT_NOT_SHOWN)
		return;
	if (text->length)
		buffer_append_char(text, ':');
	buffer_append_string(text, name);
	if (id == OUTPUT_NO_ID && word) {
		buffer_append_string(text, word);
	} else {
		buffer_append_string(text, id < 0 ? "--" : "-");
		if (id >= 0 && numbers && !cpuset_is_empty(numbers))
			cpuset_append_ranges(numbers, text);
		else
			buffer_append_number(text, id < 0 ? -(uint64_t)id : (uint64_t)id);
	}
	end_part(output);
}

/* Makes the path of a location the stream's own text (JSON), or enters its nodes (text). joined:
 * the numbers of several locations (NULL: there is one). */
static void add_place(struct output *output, const struct output_place *place,
		      const struct fold_entry *joined)
{
	/* JSON has words only if power domains are part of a location. */
	bool has_words = !output->is_json || place->power_domain != OUTPUT_NOT_SHOWN;
	const struct cpuset *cpus = output->is_json ? NULL : place->cpus;

	buffer_clear(&output->text);
	add_part(output, "package", place->package, NULL, joined ? &joined->packages : NULL);
	add_part(output, "die", place->die, has_words ? "-IO" : NULL,
		 joined ? &joined->dies : NULL);
	add_part(output, "powerdomain", place->power_domain, NULL,
		 joined ? &joined->power_domains : NULL);
	add_part(output, "cpu", place->cpu, has_words ? "-None" : NULL,
		 joined ? &joined->cpus : cpus);
}

/* Puts the waiting locations. Those with equal nodes are put as one. */
static void put_places(struct output *output)
{
	struct fold fold = output->fold;
	struct buffer text = output->text;

	output->fold = (struct fold){ 0 };
	output->text = (struct buffer){ 0 };
	if (fold_join(&fold, output->dies_differ))
		output->has_failed = true;
	for (size_t i = 0; i < fold.count; i++) {
		const struct fold_entry *entry = &fold.entries[i];

		if (entry->is_joined)
			continue;
		add_place(output, &entry->place, entry);
		output->level = 0;
		buffer_append_string(&output->lines, entry->nodes);
	}
	fold_done(&fold);
	buffer_done(&output->text);
	output->text = text;
}

/* Lets the open location wait: the next ones may have equal nodes. */
static void keep_place(struct output *output)
{
	struct buffer *lines = &output->lines;

	if (lines->has_failed ||
	    fold_add(&output->fold, &output->group, buffer_text(lines) + output->nodes_start)) {
		output->has_failed = true;
		return;
	}
	buffer_truncate(lines, output->nodes_start);
}

static unsigned int count_parts(const struct output_place *place)
{
	const int64_t parts[] = { place->package, place->die, place->power_domain, place->cpu };
	unsigned int count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		count += parts[i] != OUTPUT_NOT_SHOWN;
	return count;
}

struct output_scope output_enter_place(struct output *output, const struct output_place *place,
				       const char *name)
{
	const struct output_scope scope = { output, output->level };

	if (output->is_held)
		return (struct output_scope){ 0 };
	output->group = *place;
	if (place->cpus)
		output->group.cpu = cpuset_next(place->cpus, 0);
	output->is_kept = output->is_folded && !output->is_json && output->level == 0;
	output->nodes_start = output->lines.length;
	if (output->is_kept)
		output->level = count_parts(&output->group);
	else
		add_place(output, &output->group, NULL);
	if (output->is_json)
		enter(output);
	output->place_level = output->level;
	if (name)
		output_enter(output, "%s", name);
	return scope;
}

struct output_scope output_enter(struct output *output, const char *format, ...)
{
	const struct output_scope scope = { output, output->level };
	va_list args;

	if (output->is_held)
		return (struct output_scope){ 0 };
	va_start(args, format);
	format_text(output, format, args);
	va_end(args);
	enter(output);
	return scope;
}

/* JSON: the other CPUs of a group share the complete node of the first one. */
static void share_with_group(struct output *output)
{
	struct output_place place = output->group;

	cpuset_foreach (cpu, output->group.cpus) {
		place.cpu = cpu;
		if (cpu == output->group.cpu)
			continue;
		add_place(output, &place, NULL);
		if (json_object_set_nocheck(output->open[0], buffer_text(&output->text),
					    output->open[output->place_level]) < 0)
			output->has_failed = true;
	}
}

void output_leave(struct output_scope *scope)
{
	struct output *output = scope->output;

	if (!output)
		return;
	scope->output = NULL;
	output->level = scope->level;
	if (output->level >= output->place_level)
		return;
	if (output->is_json && output->group.cpus)
		share_with_group(output);
	else if (output->is_kept)
		keep_place(output);
	output->place_level = 0;
}

static json_t *make_string(const struct output *output)
{
	return json_stringn_nocheck(buffer_text(&output->text), output->text.length);
}

/* Puts the stream's own text as a value. */
static void put_value(struct output *output, const char *name)
{
	if (output->is_held)
		return;
	if (!output->is_json)
		put_line(output, name);
	else if (json_object_set_new(output->open[output->level], name, make_string(output)) < 0)
		output->has_failed = true;
}

void output_value(struct output *output, const char *name, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	format_text(output, format, args);
	va_end(args);
	put_value(output, name);
}

void output_known_text(struct output *output, const char *name, const char *text)
{
	if (text)
		output_value(output, name, "%s", text);
}

void output_known_mhz(struct output *output, const char *name, uint32_t khz)
{
	char mhz[NUMBER_MHZ_SIZE];

	if (!khz)
		return;
	number_format_mhz(khz, mhz);
	output_value(output, name, "%s", mhz);
}

void output_known_mhz_range(struct output *output, const char *name, uint32_t khz,
			    uint32_t high_khz)
{
	char low[NUMBER_MHZ_SIZE], high[NUMBER_MHZ_SIZE], key[64];
	const bool is_range = khz && khz < high_khz;

	snprintf(key, sizeof(key), "%s(MHz)", name);
	if (!is_range || output->is_json) {
		output_known_mhz(output, key, khz);
		snprintf(key, sizeof(key), "%s-high(MHz)", name);
		output_known_mhz(output, key, is_range ? high_khz : 0);
		return;
	}
	number_format_mhz(khz, low);
	number_format_mhz(high_khz, high);
	output_value(output, key, "%s-%s", low, high);
}

void output_number(struct output *output, const char *name, uint64_t number, const char *unit)
{
	buffer_clear(&output->text);
	buffer_append_number(&output->text, number);
	buffer_append_string(&output->text, unit);
	put_value(output, name);
}

void output_cpu_mask(struct output *output, const char *name, const struct cpuset *cpus)
{
	buffer_clear(&output->text);
	cpuset_append_mask(cpus, output->mask_words, &output->text);
	put_value(output, name);
}

void output_cpu_list(struct output *output, const char *name, const struct cpuset *cpus)
{
	buffer_clear(&output->text);
	cpuset_append_list(cpus, &output->text);
	put_value(output, name);
}

void output_member(struct output *output, const char *name, const char *value)
{
	if (output->is_json)
		output_value(output, name, "%s", value);
}

void output_json_member(struct output *output, const char *name, json_t *value)
{
	if (!output->is_json || output->is_held)
		json_decref(value);
	else if (json_object_set_new(output->open[0], name, value) < 0)
		output->has_failed = true;
}

void output_json_members(struct output *output, json_t *object)
{
	const char *name;
	json_t *value;

	json_object_foreach (object, name, value)
		output_json_member(output, name, json_incref(value));
}

void output_text(struct output *output, const char *text)
{
	if (output->is_json || output->is_held)
		return;
	end_places(output);
	buffer_append_string(&output->lines, text);
}

void output_document(struct output *output, const char *text)
{
	if (output->is_held)
		return;
	output->is_json = false;
	output->is_document = true;
	end_places(output);
	buffer_append_string(&output->lines, text);
}

/* Puts the stream's own text as a line of text that is not indented. */
static void put_sentence(struct output *output)
{
	end_places(output);
	buffer_append(&output->lines, buffer_text(&output->text), output->text.length);
	buffer_append_char(&output->lines, '\n');
}

void output_sentence(struct output *output, const char *format, ...)
{
	va_list args;

	if (output->is_json || output->is_held)
		return;
	va_start(args, format);
	format_text(output, format, args);
	va_end(args);
	put_sentence(output);
}

/* Puts the stream's own text as a message among the results. */
static void put_message(struct output *output, const char *kind)
{
	const char *separator = strcmp(kind, "Error") == 0 ? "" : ":";
	_cleanup_free_ char *name = NULL;

	if (output->is_held)
		return;
	if (!output->is_json) {
		end_places(output);
		buffer_append_string(&output->lines, kind);
		buffer_append_string(&output->lines, ": ");
		put_sentence(output);
		return;
	}
	name = text_format("%s%s%u", kind, separator, output->n_messages++);
	if (json_object_set_new(output->open[0], name,
				json_pack("{s:o}", "message", make_string(output))) < 0)
		output->has_failed = true;
}

void output_information(struct output *output, const char *message)
{
	buffer_clear(&output->text);
	buffer_append_clean(&output->text, message);
	put_message(output, "Information");
}

void output_message(struct output *output, const char *kind, const char *format, ...)
{
	va_list args;

	if (!kind && output->is_json && output->keeps_messages)
		return;
	kind = kind ?: "Information";
	va_start(args, format);
	format_text(output, format, args);
	va_end(args);
	if (output->keeps_messages)
		put_message(output, kind);
	else
		fprintf(stderr, "%s: %s\n", kind, buffer_text(&output->text));
}

static int append_piece(const char *piece, size_t length, void *lines)
{
	buffer_append(lines, piece, length);
	return 0;
}

/* Puts the mark before the lines, or writes it to stderr before a document. */
static void put_mark(struct output *output)
{
	_cleanup_free_ char *line = steal(output->mark_line);
	struct buffer *lines = &output->lines, rest = *lines;

	if (!line || rest.length == 0)
		return;
	if (output->is_document) {
		fputs(line, stderr);
		return;
	}
	*lines = (struct buffer){ .has_failed = rest.has_failed };
	buffer_append_string(lines, line);
	buffer_append(lines, buffer_text(&rest), rest.length);
	buffer_done(&rest);
}

void output_flush(struct output *output)
{
	struct buffer *lines = &output->lines;

	if (output->is_json || output->sink.kind == SINK_PATH || output->flush_error ||
	    (output->is_kept && output->place_level))
		return;
	end_places(output);
	if (lines->has_failed || lines->length == 0)
		return;
	put_mark(output);
	output->flush_error = sink_write(&output->sink, buffer_text(lines), lines->length);
	buffer_clear(lines);
}

void output_leave_to_other(struct output *output)
{
	output->is_left = true;
}

int output_finish(struct output *output)
{
	struct buffer *lines = &output->lines;

	if (output->is_left)
		return 0;
	if (output->is_json) {
		if (output->mark && json_object_update(output->mark, output->open[0]) < 0)
			return -ENOMEM;
		if (json_dump_callback(output->mark ?: output->open[0], append_piece, lines,
				       JSON_INDENT(2) | JSON_ENSURE_ASCII |
					       JSON_REAL_PRECISION(15)) < 0)
			return -ENOMEM;
		buffer_append_char(lines, '\n');
	} else {
		end_places(output);
		put_mark(output);
	}
	if (output->has_failed || output->text.has_failed || lines->has_failed)
		return -ENOMEM;
	if (output->flush_error)
		return output->flush_error;
	return sink_write(&output->sink, buffer_text(lines), lines->length);
}
