// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of steps. It owns what they point to: a step that was added holds on to nothing of the
 * caller's (commands.md, "Safety of every setting command").
 */
#include "plan/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define CHUNK_SIZE  16384
#define N_RECENT    8
#define MOST_RECENT 32 /* bytes: longer texts, which are paths, hardly repeat */

/* A piece of memory that copies are cut from. */
struct chunk {
	struct chunk *older;
	size_t used;
	size_t size;
	max_align_t data[];
};

/* A plan for a large machine has tens of thousands of steps, most of whose texts are the same. */
struct plan {
	struct plan_step *steps;
	size_t n_steps;
	size_t steps_size;
	struct chunk *chunks; /* all that steps point to; the newest first */
	const char *recent[N_RECENT]; /* short texts that were kept lately, or NULL */
	size_t next_recent;
	uint32_t last_batch;
};

/* Makes room for one more step. */
static int grow_steps(struct plan *plan)
{
	size_t wanted = plan->steps_size + plan->steps_size / 2 + 32;
	struct plan_step *larger;

	if (plan->n_steps < plan->steps_size)
		return 0;
	larger = reallocarray(plan->steps, wanted, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	plan->steps = larger;
	plan->steps_size = wanted;
	return 0;
}

static int add_chunk(struct plan *plan, size_t length)
{
	size_t size = length > CHUNK_SIZE ? length : CHUNK_SIZE;
	struct chunk *chunk = malloc(sizeof(*chunk) + size);

	if (!chunk)
		return -ENOMEM;
	*chunk = (struct chunk){ .older = plan->chunks, .size = size };
	plan->chunks = chunk;
	return 0;
}

/* Frees the copies made since the newest chunk was that one, used so far. */
static void drop_copies(struct plan *plan, const struct chunk *newest, size_t used)
{
	while (plan->chunks != newest) {
		struct chunk *dropped = plan->chunks;

		plan->chunks = dropped->older;
		free(dropped);
	}
	if (plan->chunks)
		plan->chunks->used = used;
	memset(plan->recent, 0, sizeof(plan->recent));
}

/* Keeps a copy of length bytes at a multiple of alignment. NULL where memory is short. */
static void *keep(struct plan *plan, const void *data, size_t length, size_t alignment)
{
	size_t start =
		plan->chunks ? (plan->chunks->used + alignment - 1) / alignment * alignment : 0;
	void *copy;

	if (!plan->chunks || start > plan->chunks->size || length > plan->chunks->size - start) {
		if (add_chunk(plan, length))
			return NULL;
		start = 0;
	}
	copy = (char *)plan->chunks->data + start;
	memcpy(copy, data, length);
	plan->chunks->used = start + length;
	return copy;
}

static const char *find_recent(const struct plan *plan, const char *text)
{
	for (size_t i = 0; i < N_RECENT; i++) {
		if (plan->recent[i] && strcmp(plan->recent[i], text) == 0)
			return plan->recent[i];
	}
	return NULL;
}

/* Makes *text, which may be NULL, the plan's. */
static int keep_text(struct plan *plan, const char **text)
{
	const char *kept = *text ? find_recent(plan, *text) : NULL;
	size_t size;

	if (!*text || kept) {
		*text = kept;
		return 0;
	}
	size = strlen(*text) + 1;
	*text = keep(plan, *text, size, 1);
	if (!*text)
		return -ENOMEM;
	if (size <= MOST_RECENT)
		plan->recent[plan->next_recent++ % N_RECENT] = *text;
	return 0;
}

static int keep_write(struct plan *plan, struct plan_write *write)
{
	return keep_text(plan, &write->path) ?: keep_text(plan, &write->text);
}

static int keep_undo(struct plan *plan, struct plan_step *step)
{
	struct plan_write *undo;
	int err = 0;

	if (step->n_undo == 0) {
		step->undo = NULL;
		return 0;
	}
	undo = keep(plan, step->undo, step->n_undo * sizeof(*undo), _Alignof(max_align_t));
	if (!undo)
		return -ENOMEM;
	for (size_t i = 0; i < step->n_undo && !err; i++)
		err = keep_write(plan, &undo[i]);
	step->undo = undo;
	return err;
}

static int keep_undo_checks(struct plan *plan, struct plan_step *step)
{
	struct plan_check *checks;
	int err = 0;

	if (step->n_undo_checks == 0) {
		step->undo_checks = NULL;
		return 0;
	}
	checks = keep(plan, step->undo_checks, step->n_undo_checks * sizeof(*checks),
		      _Alignof(max_align_t));
	if (!checks)
		return -ENOMEM;
	for (size_t i = 0; i < step->n_undo_checks && !err; i++)
		err = keep_write(plan, &checks[i].read);
	step->undo_checks = checks;
	return err;
}

static int keep_step(struct plan *plan, struct plan_step *step)
{
	int err = keep_text(plan, &step->what) ?: keep_write(plan, &step->write);

	err = err ?: keep_text(plan, &step->fallback_text) ?: keep_text(plan, &step->old_text);
	err = err ?: keep_text(plan, &step->new_text) ?: keep_text(plan, &step->announce);
	err = err ?: keep_write(plan, &step->check.read);
	return err ?: keep_undo(plan, step) ?: keep_undo_checks(plan, step);
}

int plan_new(struct plan **ret_plan)
{
	struct plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return -ENOMEM;
	*ret_plan = plan;
	return 0;
}

void plan_free(struct plan **plan)
{
	if (*plan) {
		drop_copies(*plan, NULL, 0);
		free((*plan)->steps);
		free(*plan);
	}
	*plan = NULL;
}

int plan_add(struct plan *plan, const struct plan_step *step)
{
	struct plan_step kept = *step;
	const struct chunk *newest = plan->chunks;
	size_t used = newest ? newest->used : 0;
	int err = grow_steps(plan) ?: keep_step(plan, &kept);

	if (err) {
		drop_copies(plan, newest, used);
		return err;
	}
	plan->steps[plan->n_steps++] = kept;
	return 0;
}

void plan_set_cpu(struct plan *plan, size_t step, uint32_t cpu)
{
	plan->steps[step].write.cpu = cpu;
}

const struct plan_step *plan_steps(const struct plan *plan, size_t *ret_count)
{
	*ret_count = plan->n_steps;
	return plan->steps;
}

void plan_make_optional(struct plan *plan)
{
	for (size_t i = 0; i < plan->n_steps; i++)
		plan->steps[i].optional = true;
}

uint32_t plan_new_batch(struct plan *plan)
{
	return ++plan->last_batch;
}
