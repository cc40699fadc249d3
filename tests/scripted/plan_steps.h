/* SPDX-License-Identifier: GPL-2.0-only */
/* What a plan is expected to be made of. */
#ifndef SCRIPTED_PLAN_STEPS_H
#define SCRIPTED_PLAN_STEPS_H

#include "mailbox_bench.h"
#include "plan/plan.h"

/* A step; what is left out is expected to be 0, but for a path and a file's text. */
struct wanted_step {
	const char *what;
	uint32_t package;
	uint32_t cpu; /* of the subject: 1 is CPU 0; 0: no CPU */
	struct plan_write write;
	uint64_t old_value;
	const char *old_text; /* or NULL */
	const char *new_text;
	struct plan_write undo[3];
	size_t n_undo;
	struct plan_check undo_checks[2];
	size_t n_undo_checks;
	struct plan_check check;
	bool optional;
	bool not_undoable;
	uint32_t settle_us;
	bool batched; /* with its neighbours that are batched too */
};

#define WANTED_CPU(number) (1U + (number))

#define WRITE_WORD(on_cpu, with_command, with_sub, with_parameter, data)                  \
	{                                                                                 \
		.kind = PLAN_MAILBOX, .cpu = (on_cpu), .command = (with_command),         \
		.sub_command = (with_sub), .parameter = (with_parameter), .value = (data) \
	}
#define WRITE_MMIO(on_cpu, at, data)                                                 \
	{                                                                            \
		.kind = PLAN_MMIO, .cpu = (on_cpu), .address = (at), .value = (data) \
	}
#define WRITE_MSR(on_cpu, at, data)                                                 \
	{                                                                           \
		.kind = PLAN_MSR, .cpu = (on_cpu), .address = (at), .value = (data) \
	}

/* Are the steps of the plan these, in this order? */
void plan_steps_assert(const struct plan *plan, const struct wanted_step *wanted, size_t count);

/* A machine of mailbox_bench.h, what is asked of it, and what the plan must be then. */
struct plan_vector {
	uint32_t model;
	const uint32_t *core_ids;
	const struct fake_rule *rules; /* for opening it */
	size_t n_rules;
	const struct script_step *script;
	size_t n_script;
	const struct wanted_step *steps;
	size_t n_steps;
	int errors[2]; /* of the first two wishes */
};

#define VECTOR_SCRIPT(array) .script = (array), .n_script = ARRAY_SIZE(array)
#define VECTOR_STEPS(array)  .steps = (array), .n_steps = ARRAY_SIZE(array)

/* Plans the wishes, and gives the errors of the first two. */
typedef void plan_vector_make(struct mailbox_bench *bench, struct plan *plan, const void *wishes,
			      int errors[2]);

void plan_vector_run(const struct plan_vector *vector, plan_vector_make *make, const void *wishes);

#endif
