// SPDX-License-Identifier: GPL-2.0-only
/* Scripts for outputs; both formats go through the same steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "renderer_script.h"
#include "shown.h"

/* The scopes that are open, outermost first. */
struct scopes {
	struct output_scope list[RENDER_STEPS];
	size_t count;
};

static void make_step(struct output *output, const struct render_step *step, struct scopes *scopes)
{
	switch (step->does) {
	case PLACE:
		scopes->list[scopes->count++] = output_enter_place(output, &step->place, NULL);
		break;
	case ENTER:
		scopes->list[scopes->count++] = output_enter(output, "%s", step->name);
		break;
	case LEAVE:
		assert_true(scopes->count > 0);
		output_leave(&scopes->list[--scopes->count]);
		break;
	case VALUE:
		output_value(output, step->name, "%s", step->value);
		break;
	case SENTENCE:
		if (step->sentence)
			output_sentence(output, "%s", step->sentence);
		if (step->name)
			output_member(output, step->name, step->value);
		break;
	case MESSAGE:
		output_message(output, step->name, "%s", step->value);
		break;
	case END:
		break;
	}
}

static void make_steps(struct output *output, void *data)
{
	const struct render_case *render = *(const struct render_case **)data;
	struct scopes scopes = { .count = 0 };

	for (size_t i = 0; i < RENDER_STEPS && render->steps[i].does != END; i++)
		make_step(output, &render->steps[i], &scopes);
}

void renderer_script_check(enum output_format format, const struct render_case *render)
{
	_cleanup_free_ char *text = shown(format, make_steps, &render);

	if (strcmp(text, render->result) != 0)
		fail_msg("%s:\n%s", render->what, text);
}
