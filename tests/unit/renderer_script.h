/* SPDX-License-Identifier: GPL-2.0-only */
/* What goes into an output as a table of steps, and what must come out. */
#ifndef UNIT_RENDERER_SCRIPT_H
#define UNIT_RENDERER_SCRIPT_H

#include "output/output.h"

#define RENDER_STEPS 20

enum render_does { END, PLACE, ENTER, LEAVE, VALUE, SENTENCE, MESSAGE };

struct render_step {
	enum render_does does;
	struct output_place place;
	const char *sentence;
	const char *name; /* of a message: its kind */
	const char *value;
};

struct render_case {
	const char *what; /* for the message when it fails */
	struct render_step steps[RENDER_STEPS]; /* up to the first END */
	const char *result;
};

/* Puts the steps into an output of that format; what comes out must be the result. */
void renderer_script_check(enum output_format format, const struct render_case *render);

#endif
