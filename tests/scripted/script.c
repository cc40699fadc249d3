// SPDX-License-Identifier: GPL-2.0-only
/* The scripted transport: a failure names the step, the entry, what was asked and what expected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>

#include "script.h"

struct script {
	struct transport transport;
	const struct script_step *steps;
	size_t n_steps;
	size_t next;
};

static void describe(const struct entry *entry, char *text, size_t size)
{
	snprintf(text, size, "cpu %u command 0x%x/0x%x place 0x%x %s data 0x%" PRIx64, entry->cpu,
		 entry->command, entry->sub_command, entry->place, entry->write ? "write" : "read",
		 entry->data);
}

static void check_entry(size_t step, size_t index, const struct entry *asked,
			const struct entry *expected)
{
	char found[128], wanted[128];

	if (entry_equal(asked, expected))
		return;
	describe(asked, found, sizeof(found));
	describe(expected, wanted, sizeof(wanted));
	fail_msg("step %zu, entry %zu: asked %s; expected %s", step, index, found, wanted);
}

static int script_request(struct transport *transport, uint32_t request, void *argument)
{
	struct script *script = (struct script *)transport;
	size_t number = script->next, count = entry_count(request, argument), done;
	const struct script_step *step;

	if (number == script->n_steps)
		fail_msg("request 0x%x with %zu entries after the last step", request, count);
	step = &script->steps[script->next++];
	if (request != step->request || count != step->n_entries)
		fail_msg("step %zu: request 0x%x with %zu entries; expected 0x%x with %zu", number,
			 request, count, step->request, step->n_entries);
	for (size_t i = 0; i < count; i++) {
		struct entry asked = entry_read(request, argument, i);

		check_entry(number, i, &asked, &step->entries[i]);
	}
	done = step->result < 0 ? 0 : (size_t)step->result < count ? (size_t)step->result : count;
	for (size_t i = 0; i < done; i++)
		entry_answer(request, argument, i, step->entries[i].answer);
	return step->result == SCRIPT_ALL ? (int)count : step->result;
}

static void script_close(struct transport *transport)
{
	free(transport);
}

static const struct transport_ops script_ops = {
	.request = script_request,
	.close = script_close,
};

struct transport *script_open(const struct script_step *steps, size_t n_steps)
{
	struct script *script = calloc(1, sizeof(*script));

	assert_non_null(script);
	*script = (struct script){
		.transport.ops = &script_ops,
		.steps = steps,
		.n_steps = n_steps,
	};
	return &script->transport;
}

void script_finish(struct transport **transport)
{
	const struct script *script = (const struct script *)*transport;
	size_t next = script->next, n_steps = script->n_steps;

	transport_close(transport);
	if (next < n_steps)
		fail_msg("%zu of %zu steps were used", next, n_steps);
}
