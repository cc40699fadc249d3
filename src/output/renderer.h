/* SPDX-License-Identifier: GPL-2.0-only */
/* How the stream of nodes is formatted: one table of operations for text, one for JSON. */
#ifndef OUTPUT_RENDERER_H
#define OUTPUT_RENDERER_H

#include "output/output.h"

struct renderer;

struct renderer_ops {
	void (*enter_place)(struct renderer *renderer, const struct output_place *place);
	void (*enter)(struct renderer *renderer, const char *name);
	void (*leave)(struct renderer *renderer);
	void (*value)(struct renderer *renderer, const char *name, const char *value);
	void (*sentence)(struct renderer *renderer, const char *sentence, const char *name,
			 const char *value);
	void (*row)(struct renderer *renderer, const char *line, const char *name,
		    const struct output_cell *cells, size_t n_cells);
	/* A message at the present point: kind is "Error", "Warning" or "Information". */
	void (*message)(struct renderer *renderer, const char *kind, const char *message);
	/* Hands out all of it as a new string; NULL: memory is or was short. */
	char *(*finish)(struct renderer *renderer, size_t *ret_length);
	void (*free)(struct renderer *renderer);
};

/* Implementations begin with this. */
struct renderer {
	const struct renderer_ops *ops;
	bool has_failed; /* memory was short */
};

/* Make one. Both return 0 or -ENOMEM; free it by its operation. */
int renderer_new_text(struct renderer **ret_renderer);
int renderer_new_json(struct renderer **ret_renderer);

#endif
