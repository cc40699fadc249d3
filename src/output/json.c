// SPDX-License-Identifier: GPL-2.0-only
/* Nodes as one JSON object (output.md, "JSON"): a place is one member, named by its path; every
 * value is a string; members keep the order in which they came. finish() always returns a
 * whole document. */
#include "output/renderer.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"

struct json {
	struct renderer renderer;
	json_t **open; /* the objects that are open, outermost first; borrowed but for the first */
	size_t n_open;
	size_t size;
	unsigned int messages;
	struct buffer text; /* of the name or value that is being put */
	struct output_place group; /* with cpus: several CPUs are open together, at group_level */
	size_t group_level;
};

static json_t *present(struct json *json)
{
	return json->open[json->n_open - 1];
}

static void push(struct json *json, json_t *object)
{
	if (json->n_open == json->size) {
		size_t size = json->size ? json->size * 2 : 8;
		json_t **open = realloc(json->open, size * sizeof(*open));

		if (!open) {
			json->renderer.has_failed = true;
			return;
		}
		json->open = open;
		json->size = size;
	}
	json->open[json->n_open++] = object;
}

/* The text without control characters and bytes that are not UTF-8; valid until the next call. */
static const char *clean(struct json *json, const char *text)
{
	buffer_clear(&json->text);
	buffer_append_clean(&json->text, text);
	return buffer_text(&json->text);
}

static json_t *make_string(struct json *json, const char *text)
{
	clean(json, text);
	return json->text.has_failed
		       ? NULL
		       : json_stringn_nocheck(buffer_text(&json->text), json->text.length);
}

static void enter(struct json *json, const char *name)
{
	json_t *object = json_object_get(present(json), name);

	/* A node may be entered again, as a place is for each CPU of it; one that CPUs share is
	 * then no longer shared. */
	if (!json_is_object(object) || object->refcount > 1) {
		object = json_is_object(object) ? json_deep_copy(object) : json_object();
		if (json_object_set_new_nocheck(present(json), name, object) < 0) {
			json->renderer.has_failed = true;
			return;
		}
	}
	push(json, object);
}

static void json_enter(struct renderer *renderer, const char *name)
{
	struct json *json = (struct json *)renderer;

	enter(json, clean(json, name));
}

static void append_id(struct buffer *path, const char *name, int64_t id)
{
	if (path->length)
		buffer_append_char(path, ':');
	buffer_append_string(path, name);
	buffer_append_string(path, id < 0 ? "--" : "-");
	buffer_append_number(path, id < 0 ? -(uint64_t)id : (uint64_t)id);
}

/* Makes the path of a place, which is valid until the next text is made. */
static const char *make_path(struct json *json, const struct output_place *place)
{
	struct buffer *path = &json->text;

	buffer_clear(path);
	append_id(path, "package", place->package);
	if (place->die == OUTPUT_NO_ID && place->power_domain != OUTPUT_NOT_SHOWN)
		buffer_append_string(path, ":die-IO");
	else if (place->die != OUTPUT_NOT_SHOWN)
		append_id(path, "die", place->die);
	if (place->power_domain != OUTPUT_NOT_SHOWN)
		append_id(path, "powerdomain", place->power_domain);
	if (place->cpu == OUTPUT_NO_ID && place->power_domain != OUTPUT_NOT_SHOWN)
		buffer_append_string(path, ":cpu-None");
	else if (place->cpu != OUTPUT_NOT_SHOWN)
		append_id(path, "cpu", place->cpu);
	return buffer_text(path);
}

static void json_enter_place(struct renderer *renderer, const struct output_place *place)
{
	struct json *json = (struct json *)renderer;
	struct output_place first = *place;

	if (place->cpus)
		first.cpu = cpuset_next(place->cpus, 0);
	enter(json, make_path(json, &first));
	if (place->cpus && !json->renderer.has_failed) {
		json->group = first;
		json->group_level = json->n_open;
	}
}

/* The first CPU of a group is complete: the others share it. */
static void share_with_group(struct json *json)
{
	struct output_place place = json->group;
	json_t *object = present(json);

	cpuset_foreach (cpu, json->group.cpus) {
		if (cpu == json->group.cpu)
			continue;
		place.cpu = cpu;
		if (json_object_set_nocheck(json->open[0], make_path(json, &place), object) < 0)
			json->renderer.has_failed = true;
	}
}

static void json_leave(struct renderer *renderer)
{
	struct json *json = (struct json *)renderer;

	if (json->group.cpus && json->n_open == json->group_level) {
		share_with_group(json);
		json->group = (struct output_place){ 0 };
	}
	if (json->n_open > 1)
		json->n_open--;
}

static void json_value(struct renderer *renderer, const char *name, const char *value)
{
	struct json *json = (struct json *)renderer;
	json_t *string = make_string(json, value);

	if (!string || json_object_set_new(present(json), name, string) < 0)
		json->renderer.has_failed = true;
}

static void json_sentence(struct renderer *renderer, const char *sentence, const char *name,
			  const char *value)
{
	(void)sentence;
	if (name)
		json_value(renderer, name, value);
}

static void json_row(struct renderer *renderer, const char *line, const char *name,
		     const struct output_cell *cells, size_t n_cells)
{
	(void)line;
	json_enter(renderer, name);
	for (size_t i = 0; i < n_cells; i++)
		json_value(renderer, cells[i].name, cells[i].value);
	json_leave(renderer);
}

static void json_message(struct renderer *renderer, const char *kind, const char *message)
{
	struct json *json = (struct json *)renderer;
	const char *separator = strcmp(kind, "Error") == 0 ? "" : ":";
	_cleanup_free_ char *name = text_format("%s%s%u", kind, separator, json->messages++);
	json_t *object = json_pack("{s:o}", "message", make_string(json, message));

	if (json_object_set_new(json->open[0], name, object) < 0)
		json->renderer.has_failed = true;
}

static int append_piece(const char *piece, size_t length, void *lines)
{
	buffer_append(lines, piece, length);
	return 0;
}

static char *json_finish(struct renderer *renderer, size_t *ret_length)
{
	struct json *json = (struct json *)renderer;
	_cleanup_buffer_ struct buffer lines = { 0 };

	if (renderer->has_failed || json->text.has_failed ||
	    json_dump_callback(json->open[0], append_piece, &lines, JSON_INDENT(2)) < 0)
		return NULL;
	buffer_append_char(&lines, '\n');
	return buffer_steal(&lines, ret_length);
}

static void json_free(struct renderer *renderer)
{
	struct json *json = (struct json *)renderer;

	if (json->n_open)
		json_decref(json->open[0]);
	buffer_done(&json->text);
	free(json->open);
	free(json);
}

static const struct renderer_ops json_ops = {
	.enter_place = json_enter_place,
	.enter = json_enter,
	.leave = json_leave,
	.value = json_value,
	.sentence = json_sentence,
	.row = json_row,
	.message = json_message,
	.finish = json_finish,
	.free = json_free,
};

int renderer_new_json(struct renderer **ret_renderer)
{
	struct json *json = calloc(1, sizeof(*json));
	json_t *document = json_object();

	if (json && document)
		push(json, document);
	if (!json || !json->n_open) {
		json_decref(document);
		free(json);
		return -ENOMEM;
	}
	json->renderer.ops = &json_ops;
	*ret_renderer = &json->renderer;
	return 0;
}
