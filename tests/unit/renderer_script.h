/* SPDX-License-Identifier: GPL-2.0-only */
/* What goes into a renderer as a table of steps, and what must come out. */
#ifndef UNIT_RENDERER_SCRIPT_H
#define UNIT_RENDERER_SCRIPT_H

#include "output/renderer.h"

#define RENDER_STEPS 20

enum render_does { END, PLACE, ENTER, LEAVE, VALUE, SENTENCE, ROW, MESSAGE };

struct render_step {
	enum render_does does;
	struct output_place place;
	const char *sentence; /* of a row: its line */
	const char *name; /* of a message: its kind */
	const char *value; /* of a row: of both its cells, "a" and "b" */
};

struct render_case {
	const char *what; /* for the message when it fails */
	struct render_step steps[RENDER_STEPS]; /* up to the first END */
	const char *result;
};

/* Sends the steps through a renderer that make() makes; what it hands out must be the result. */
void renderer_script_check(int (*make)(struct renderer **ret_renderer),
			   const struct render_case *render);

#endif
