/* SPDX-License-Identifier: GPL-2.0-only */
/* How the stream of nodes is formatted: one table of operations for text, one for JSON. */
#ifndef OUTPUT_RENDERER_H
#define OUTPUT_RENDERER_H

#include "output/output.h"

struct renderer;

struct renderer_ops {
	int (*enter_place)(struct renderer *renderer, const struct output_place *place);
	int (*enter)(struct renderer *renderer, const char *name);
	void (*leave)(struct renderer *renderer);
	int (*value)(struct renderer *renderer, const char *name, const char *value);
	int (*sentence)(struct renderer *renderer, const char *sentence, const char *name,
			const char *value);
	int (*row)(struct renderer *renderer, const char *line, const char *name,
		   const struct output_cell *cells, size_t n_cells);
	/* A message at the present point: kind is "Error", "Warning" or "Information". */
	int (*message)(struct renderer *renderer, const char *kind, const char *message);
	/* Hands out all of it as a new string. */
	int (*finish)(struct renderer *renderer, char **ret_text, size_t *ret_length);
	void (*free)(struct renderer *renderer);
};

/* Implementations begin with this. All operations return 0 or a negative errno. */
struct renderer {
	const struct renderer_ops *ops;
};

/* Make one. Both return 0 or -ENOMEM; free it by its operation. */
int renderer_new_text(struct renderer **ret_renderer);
int renderer_new_json(struct renderer **ret_renderer);

#endif
