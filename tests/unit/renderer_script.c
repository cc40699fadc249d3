// SPDX-License-Identifier: GPL-2.0-only
/* Scripts for renderers; both renderers go through the same steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "renderer_script.h"

static void make_step(struct renderer *renderer, const struct render_step *step)
{
	const struct renderer_ops *ops = renderer->ops;
	const struct output_cell cells[] = {
		{ .name = "a", .value = step->value },
		{ .name = "b", .value = step->value },
	};

	switch (step->does) {
	case PLACE:
		ops->enter_place(renderer, &step->place);
		break;
	case ENTER:
		ops->enter(renderer, step->name);
		break;
	case LEAVE:
		ops->leave(renderer);
		break;
	case VALUE:
		ops->value(renderer, step->name, step->value);
		break;
	case SENTENCE:
		ops->sentence(renderer, step->sentence, step->name, step->value);
		break;
	case ROW:
		ops->row(renderer, step->sentence, step->name, cells, ARRAY_SIZE(cells));
		break;
	case MESSAGE:
		ops->message(renderer, step->name, step->value);
		break;
	case END:
		break;
	}
}

void renderer_script_check(int (*make)(struct renderer **ret_renderer),
			   const struct render_case *render)
{
	_cleanup_free_ char *text = NULL;
	struct renderer *renderer;
	size_t length = 0;

	assert_int_equal(make(&renderer), 0);
	for (size_t i = 0; i < RENDER_STEPS && render->steps[i].does != END; i++) {
		make_step(renderer, &render->steps[i]);
		if (renderer->has_failed)
			fail_msg("%s: step %zu", render->what, i);
	}
	text = renderer->ops->finish(renderer, &length);
	assert_non_null(text);
	renderer->ops->free(renderer);
	if (strcmp(text, render->result) != 0)
		fail_msg("%s:\n%s", render->what, text);
	assert_int_equal(length, strlen(render->result));
}
