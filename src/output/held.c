// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a command puts out while it is only planned: results are of no use, messages are, when the
 * command is refused.
 */
#include "output/held.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/renderer.h"

struct message {
	const char *kind;
	char *text;
};

struct held {
	struct renderer renderer; /* first, so that one pointer is both */
	struct renderer *other;
	struct message *messages;
	size_t n_messages;
};

static int drop_place(struct renderer *renderer, const struct output_place *place)
{
	(void)renderer;
	(void)place;
	return 0;
}

static int drop_node(struct renderer *renderer, const char *name)
{
	(void)renderer;
	(void)name;
	return 0;
}

static void leave(struct renderer *renderer)
{
	(void)renderer;
}

static int drop_value(struct renderer *renderer, const char *name, const char *value)
{
	(void)renderer;
	(void)name;
	(void)value;
	return 0;
}

static int drop_sentence(struct renderer *renderer, const char *sentence, const char *name,
			 const char *value)
{
	(void)sentence;
	return drop_value(renderer, name, value);
}

static int drop_row(struct renderer *renderer, const char *line, const char *name,
		    const struct output_cell *cells, size_t n_cells)
{
	(void)cells;
	(void)n_cells;
	return drop_value(renderer, name, line);
}

/* Nothing is finished, or freed, through the renderer: output_release() comes before. */
static const struct renderer_ops ops = {
	.enter_place = drop_place,
	.enter = drop_node,
	.leave = leave,
	.value = drop_value,
	.sentence = drop_sentence,
	.row = drop_row,
	.message = drop_value, /* a message that is part of the results */
};

int held_new(struct renderer **renderer, struct held **ret_held)
{
	struct held *held = calloc(1, sizeof(*held));

	if (!held)
		return -ENOMEM;
	held->renderer.ops = &ops;
	held->other = *renderer;
	*renderer = &held->renderer;
	*ret_held = held;
	return 0;
}

struct renderer *held_give_back(const struct held *held)
{
	return held->other;
}

int held_add(struct held *held, const char *kind, const char *message)
{
	_cleanup_free_ char *text = strdup(message);
	struct message *messages;

	if (!text)
		return -ENOMEM;
	messages = reallocarray(held->messages, held->n_messages + 1, sizeof(*messages));
	if (!messages)
		return -ENOMEM;
	held->messages = messages;
	messages[held->n_messages++] =
		(struct message){ .kind = kind, .text = steal_pointer(text) };
	return 0;
}

size_t held_count(const struct held *held)
{
	return held->n_messages;
}

const char *held_kind(const struct held *held, size_t index)
{
	return held->messages[index].kind;
}

const char *held_message(const struct held *held, size_t index)
{
	return held->messages[index].text;
}

void held_free(struct held *held)
{
	for (size_t i = 0; i < held->n_messages; i++)
		free(held->messages[i].text);
	free(held->messages);
	free(held);
}
