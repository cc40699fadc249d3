// SPDX-License-Identifier: GPL-2.0-only
/* Nodes as indented lines (output.md, "Text"): level 1 has one blank, level n > 1 has 2 x (n - 1).
 * Peculiar to this form: a place is several levels, an IO die and a missing CPU are words,
 * package--1 has a minus of its own, and CPUs that are alike are one list. */
#include "output/renderer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"

struct text {
	struct renderer renderer;
	struct buffer buffer;
	unsigned int level; /* of the node that is open */
	unsigned int place_levels; /* how many of them one place takes */
};

static void indent(struct text *text)
{
	if (text->level == 0)
		buffer_append_char(&text->buffer, ' ');
	for (unsigned int i = 0; i < text->level; i++)
		buffer_append_string(&text->buffer, "  ");
}

static void end_line(struct text *text, const char *line)
{
	buffer_append_clean(&text->buffer, line);
	buffer_append_char(&text->buffer, '\n');
}

static void open_word(struct text *text, const char *name)
{
	indent(text);
	end_line(text, name);
	text->level++;
}

static void open_id(struct text *text, const char *name, int64_t id)
{
	char word[40];

	snprintf(word, sizeof(word), "%s-%" PRId64, name, id);
	open_word(text, word);
}

/* "cpu-0,2-31" */
static void open_cpus(struct text *text, const struct cpuset *cpus)
{
	indent(text);
	buffer_append_string(&text->buffer, "cpu-");
	cpuset_append_ranges(cpus, &text->buffer);
	buffer_append_char(&text->buffer, '\n');
	text->level++;
}

static void text_enter_place(struct renderer *renderer, const struct output_place *place)
{
	struct text *text = (struct text *)renderer;

	open_id(text, "package", place->package);
	if (place->die == OUTPUT_NO_ID)
		open_word(text, "die-IO");
	else if (place->die != OUTPUT_NOT_SHOWN)
		open_id(text, "die", place->die);
	if (place->power_domain != OUTPUT_NOT_SHOWN)
		open_id(text, "powerdomain", place->power_domain);
	if (place->cpus)
		open_cpus(text, place->cpus);
	else if (place->cpu == OUTPUT_NO_ID)
		open_word(text, "cpu-None");
	else if (place->cpu != OUTPUT_NOT_SHOWN)
		open_id(text, "cpu", place->cpu);
	text->place_levels = text->level;
}

static void text_enter(struct renderer *renderer, const char *name)
{
	open_word((struct text *)renderer, name);
}

static void text_leave(struct renderer *renderer)
{
	struct text *text = (struct text *)renderer;

	if (text->level == text->place_levels) {
		text->level = 0;
		text->place_levels = 0;
	} else {
		text->level--;
	}
}

static void text_value(struct renderer *renderer, const char *name, const char *value)
{
	struct text *text = (struct text *)renderer;

	indent(text);
	buffer_append_string(&text->buffer, name);
	buffer_append_char(&text->buffer, ':');
	end_line(text, value);
}

static void text_sentence(struct renderer *renderer, const char *sentence, const char *name,
			  const char *value)
{
	(void)name;
	(void)value;
	if (sentence)
		end_line((struct text *)renderer, sentence);
}

static void text_row(struct renderer *renderer, const char *line, const char *name,
		     const struct output_cell *cells, size_t n_cells)
{
	struct text *text = (struct text *)renderer;

	(void)name;
	(void)cells;
	(void)n_cells;
	if (line) {
		indent(text);
		end_line(text, line);
	}
}

static void text_message(struct renderer *renderer, const char *kind, const char *message)
{
	struct text *text = (struct text *)renderer;

	buffer_append_string(&text->buffer, kind);
	buffer_append_string(&text->buffer, ": ");
	end_line(text, message);
}

static char *text_finish(struct renderer *renderer, size_t *ret_length)
{
	return buffer_steal(&((struct text *)renderer)->buffer, ret_length);
}

static void text_free(struct renderer *renderer)
{
	struct text *text = (struct text *)renderer;

	buffer_done(&text->buffer);
	free(text);
}

static const struct renderer_ops text_ops = {
	.enter_place = text_enter_place,
	.enter = text_enter,
	.leave = text_leave,
	.value = text_value,
	.sentence = text_sentence,
	.row = text_row,
	.message = text_message,
	.finish = text_finish,
	.free = text_free,
};

int renderer_new_text(struct renderer **ret_renderer)
{
	struct text *text = calloc(1, sizeof(*text));

	if (!text)
		return -ENOMEM;
	text->renderer.ops = &text_ops;
	*ret_renderer = &text->renderer;
	return 0;
}
