// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nodes as one JSON object (output.md, "JSON"): a place is one member, named by its path; every
 * value is a string; members keep the order in which they came. Whatever happens, what finish()
 * hands out is a whole document.
 */
#include "output/renderer.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

struct json {
	struct renderer renderer;
	json_t **open; /* the objects that are open, outermost first; borrowed but for the first */
	size_t n_open;
	size_t size;
	unsigned int messages;
	struct output_place group; /* with cpus: several CPUs are open together, at group_level */
	size_t group_level;
	int error; /* of leaving, which cannot tell */
};

static json_t *present(struct json *json)
{
	return json->open[json->n_open - 1];
}

static int push(struct json *json, json_t *object)
{
	if (json->n_open == json->size) {
		size_t size = json->size ? json->size * 2 : 8;
		json_t **open = realloc(json->open, size * sizeof(*open));

		if (!open)
			return -ENOMEM;
		json->open = open;
		json->size = size;
	}
	json->open[json->n_open++] = object;
	return 0;
}

/* A text need not be UTF-8, as a file's name: then all that is not ASCII shows as "?". */
static json_t *make_string(const char *text)
{
	_cleanup_free_ char *ascii = NULL;
	json_t *string = json_string(text);

	if (string)
		return string;
	ascii = strdup(text);
	for (char *at = ascii; at && *at; at++) {
		if (*at & 0x80)
			*at = '?';
	}
	return json_string(ascii);
}

static int json_enter(struct renderer *renderer, const char *name)
{
	struct json *json = (struct json *)renderer;
	json_t *object = json_object_get(present(json), name);

	/* A node may be entered again, as a place is for each CPU of it. */
	if (!json_is_object(object)) {
		object = json_object();
		if (json_object_set_new(present(json), name, object) < 0)
			return -ENOMEM;
	}
	return push(json, object);
}

static void append_id(char *path, size_t size, const char *name, int64_t id)
{
	size_t used = strlen(path);

	snprintf(path + used, size - used, "%s%s-%" PRId64, used ? ":" : "", name, id);
}

enum { PATH_SIZE = 160 }; /* four names and four numbers of at most 20 digits */

static void write_path(const struct output_place *place, char path[PATH_SIZE])
{
	size_t used;

	path[0] = '\0';
	append_id(path, PATH_SIZE, "package", place->package);
	used = strlen(path);
	if (place->die == OUTPUT_NO_ID && place->power_domain != OUTPUT_NOT_SHOWN)
		snprintf(path + used, PATH_SIZE - used, ":die-IO");
	else if (place->die != OUTPUT_NOT_SHOWN)
		append_id(path, PATH_SIZE, "die", place->die);
	if (place->power_domain != OUTPUT_NOT_SHOWN)
		append_id(path, PATH_SIZE, "powerdomain", place->power_domain);
	used = strlen(path);
	if (place->cpu == OUTPUT_NO_ID && place->power_domain != OUTPUT_NOT_SHOWN)
		snprintf(path + used, PATH_SIZE - used, ":cpu-None");
	else if (place->cpu != OUTPUT_NOT_SHOWN)
		append_id(path, PATH_SIZE, "cpu", place->cpu);
}

static int json_enter_place(struct renderer *renderer, const struct output_place *place)
{
	struct json *json = (struct json *)renderer;
	struct output_place first = *place;
	char path[PATH_SIZE];
	int err;

	if (place->cpus)
		first.cpu = cpuset_next(place->cpus, 0);
	write_path(&first, path);
	err = json_enter(renderer, path);
	if (!err && place->cpus) {
		json->group = first;
		json->group_level = json->n_open;
	}
	return err;
}

/* The first CPU of a group is complete: the others get the same. */
static int copy_to_group(struct json *json)
{
	struct output_place place = json->group;
	json_t *object = present(json);

	cpuset_foreach (cpu, json->group.cpus) {
		char path[PATH_SIZE];

		if (cpu == json->group.cpu)
			continue;
		place.cpu = cpu;
		write_path(&place, path);
		if (json_object_set_new(json->open[0], path, json_deep_copy(object)) < 0)
			return -ENOMEM;
	}
	return 0;
}

static void json_leave(struct renderer *renderer)
{
	struct json *json = (struct json *)renderer;

	if (json->group.cpus && json->n_open == json->group_level) {
		json->error = json->error ?: copy_to_group(json);
		json->group = (struct output_place){ 0 };
	}
	if (json->n_open > 1)
		json->n_open--;
}

static int json_value(struct renderer *renderer, const char *name, const char *value)
{
	json_t *string = make_string(value);

	if (!string || json_object_set_new(present((struct json *)renderer), name, string) < 0)
		return -ENOMEM;
	return 0;
}

static int json_sentence(struct renderer *renderer, const char *sentence, const char *name,
			 const char *value)
{
	(void)sentence;
	return name ? json_value(renderer, name, value) : 0;
}

static int json_row(struct renderer *renderer, const char *line, const char *name,
		    const struct output_cell *cells, size_t n_cells)
{
	int err = json_enter(renderer, name);

	(void)line;
	if (err)
		return err;
	for (size_t i = 0; i < n_cells && !err; i++)
		err = json_value(renderer, cells[i].name, cells[i].value);
	json_leave(renderer);
	return err;
}

static int json_message(struct renderer *renderer, const char *kind, const char *message)
{
	struct json *json = (struct json *)renderer;
	_cleanup_free_ char *name = NULL;
	const char *separator = strcmp(kind, "Error") == 0 ? "" : ":";
	json_t *object = json_pack("{s:o}", "message", make_string(message));

	if (!object || asprintf(&name, "%s%s%u", kind, separator, json->messages++) < 0) {
		json_decref(object);
		return -ENOMEM;
	}
	return json_object_set_new(json->open[0], name, object) < 0 ? -ENOMEM : 0;
}

static int json_finish(struct renderer *renderer, char **ret_text, size_t *ret_length)
{
	struct json *json = (struct json *)renderer;
	_cleanup_free_ char *text = json_dumps(json->open[0], JSON_INDENT(2));
	char *lines;
	int length;

	if (!text || json->error)
		return -ENOMEM;
	length = asprintf(&lines, "%s\n", text);
	if (length < 0)
		return -ENOMEM;
	*ret_text = lines;
	*ret_length = (size_t)length;
	return 0;
}

static void json_free(struct renderer *renderer)
{
	struct json *json = (struct json *)renderer;

	if (json->n_open)
		json_decref(json->open[0]);
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

	if (!json || !document || push(json, document)) {
		json_decref(document);
		free(json);
		return -ENOMEM;
	}
	json->renderer.ops = &json_ops;
	*ret_renderer = &json->renderer;
	return 0;
}
