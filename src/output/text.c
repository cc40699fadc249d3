// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nodes as indented lines (output.md, "Text"): level 1 has one blank, level n > 1 has 2 x (n - 1).
 * The quirks of that form live here: a place is several levels, an IO die and a missing CPU are
 * words, package--1 has a minus of its own,
 * CPUs that are alike are one list.
 */
#include "output/renderer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct text {
	struct renderer renderer;
	FILE *to;
	char *text;
	size_t length;
	unsigned int level; /* of the node that is open */
	unsigned int place_levels; /* how many of them one place takes */
};

static void indent(struct text *text)
{
	unsigned int level = text->level + 1;

	fprintf(text->to, "%*s", level == 1 ? 1 : (int)(2 * (level - 1)), "");
}

static void open_id(struct text *text, const char *name, int64_t id)
{
	indent(text);
	fprintf(text->to, "%s-%" PRId64 "\n", name, id);
	text->level++;
}

static void open_word(struct text *text, const char *name)
{
	indent(text);
	fprintf(text->to, "%s\n", name);
	text->level++;
}

/* "cpu-0,2-31" */
static void open_cpus(struct text *text, const struct cpuset *cpus)
{
	indent(text);
	fputs("cpu-", text->to);
	cpuset_write_ranges(cpus, text->to);
	fputc('\n', text->to);
	text->level++;
}

static int text_enter_place(struct renderer *renderer, const struct output_place *place)
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
	return 0;
}

static int text_enter(struct renderer *renderer, const char *name)
{
	open_word((struct text *)renderer, name);
	return 0;
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

static int text_value(struct renderer *renderer, const char *name, const char *value)
{
	struct text *text = (struct text *)renderer;

	indent(text);
	fprintf(text->to, "%s:%s\n", name, value);
	return 0;
}

static int text_sentence(struct renderer *renderer, const char *sentence, const char *name,
			 const char *value)
{
	(void)name;
	(void)value;
	if (sentence)
		fprintf(((struct text *)renderer)->to, "%s\n", sentence);
	return 0;
}

static int text_row(struct renderer *renderer, const char *line, const char *name,
		    const struct output_cell *cells, size_t n_cells)
{
	struct text *text = (struct text *)renderer;

	(void)name;
	(void)cells;
	(void)n_cells;
	if (!line)
		return 0;
	indent(text);
	fprintf(text->to, "%s\n", line);
	return 0;
}

static int text_message(struct renderer *renderer, const char *kind, const char *message)
{
	fprintf(((struct text *)renderer)->to, "%s: %s\n", kind, message);
	return 0;
}

static int text_finish(struct renderer *renderer, char **ret_text, size_t *ret_length)
{
	struct text *text = (struct text *)renderer;
	int failed = fclose(text->to);

	text->to = NULL;
	if (failed)
		return -ENOMEM;
	*ret_text = text->text;
	*ret_length = text->length;
	text->text = NULL;
	return 0;
}

static void text_free(struct renderer *renderer)
{
	struct text *text = (struct text *)renderer;

	if (text->to)
		fclose(text->to);
	free(text->text);
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
	text->to = open_memstream(&text->text, &text->length);
	if (!text->to) {
		free(text);
		return -ENOMEM;
	}
	*ret_renderer = &text->renderer;
	return 0;
}
