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

static void make_step(struct output *output, const struct render_step *step)
{
	switch (step->does) {
	case PLACE:
		output_enter_place(output, &step->place);
		break;
	case ENTER:
		output_enter(output, "%s", step->name);
		break;
	case LEAVE:
		output_leave(&(struct output_scope){ .output = output });
		break;
	case VALUE:
		output_value(output, step->name, "%s", step->value);
		break;
	case SENTENCE:
		output_fact(output, step->sentence, step->name, step->value);
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

	for (size_t i = 0; i < RENDER_STEPS && render->steps[i].does != END; i++)
		make_step(output, &render->steps[i]);
}

void renderer_script_check(enum output_format format, const struct render_case *render)
{
	_cleanup_free_ char *text = shown(format, make_steps, &render);

	if (strcmp(text, render->result) != 0)
		fail_msg("%s:\n%s", render->what, text);
}
