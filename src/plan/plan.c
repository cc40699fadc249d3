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

struct plan {
	struct plan_step *steps;
	size_t n_steps;
	size_t steps_size;
	void **copies; /* all that steps point to */
	size_t n_copies;
	size_t copies_size;
	uint32_t last_batch;
};

/* Makes room for one more element. */
static int grow(void **array, size_t *size, size_t count, size_t element_size)
{
	size_t wanted = *size ? *size * 2 : 32;
	void *larger;

	if (count < *size)
		return 0;
	larger = reallocarray(*array, wanted, element_size);
	if (!larger)
		return -ENOMEM;
	*array = larger;
	*size = wanted;
	return 0;
}

static void drop_copies(struct plan *plan, size_t kept)
{
	while (plan->n_copies > kept)
		free(plan->copies[--plan->n_copies]);
}

/* Keeps a copy of length bytes. NULL where memory is short. */
static void *keep(struct plan *plan, const void *data, size_t length)
{
	_cleanup_free_ void *copy = NULL;
	void *copies = plan->copies;
	int err = grow(&copies, &plan->copies_size, plan->n_copies, sizeof(*plan->copies));

	plan->copies = copies;
	if (err)
		return NULL;
	copy = malloc(length);
	if (!copy)
		return NULL;
	memcpy(copy, data, length);
	plan->copies[plan->n_copies++] = copy;
	return steal_pointer(copy);
}

/* Makes *text, which may be NULL, the plan's. */
static int keep_text(struct plan *plan, const char **text)
{
	if (!*text)
		return 0;
	*text = keep(plan, *text, strlen(*text) + 1);
	return *text ? 0 : -ENOMEM;
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
	undo = keep(plan, step->undo, step->n_undo * sizeof(*undo));
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
	checks = keep(plan, step->undo_checks, step->n_undo_checks * sizeof(*checks));
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
		drop_copies(*plan, 0);
		free((*plan)->copies);
		free((*plan)->steps);
		free(*plan);
	}
	*plan = NULL;
}

int plan_add(struct plan *plan, const struct plan_step *step)
{
	struct plan_step kept = *step;
	size_t n_copies = plan->n_copies;
	void *steps = plan->steps;
	int err = grow(&steps, &plan->steps_size, plan->n_steps, sizeof(*plan->steps));

	plan->steps = steps;
	err = err ?: keep_step(plan, &kept);
	if (err) {
		drop_copies(plan, n_copies);
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
