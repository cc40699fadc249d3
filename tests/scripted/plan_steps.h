/* SPDX-License-Identifier: GPL-2.0-only */
/* What a plan is expected to be made of. */
#ifndef SCRIPTED_PLAN_STEPS_H
#define SCRIPTED_PLAN_STEPS_H

#include "mailbox_bench.h"
#include "change/change.h"

/* What a write, or a read, sends to the driver; request 0: nothing. */
struct wanted_request {
	uint32_t request;
	struct entry entry;
};

/* How a change is read back: the bits of mask count, and must be value, or old_value before. */
struct wanted_check {
	struct wanted_request read;
	uint64_t mask;
	uint64_t value;
	uint64_t old_value;
	unsigned int tries;
	uint64_t level_limits;
};

/* A change; what is left out is expected to be 0. */
struct wanted_step {
	const char *what;
	uint32_t package;
	uint32_t cpu; /* of the location: 1 is CPU 0; 0: no CPU */
	struct wanted_request write;
	uint64_t old_value; /* what undoing sends, if old_text is given */
	const char *old_text; /* or NULL: the value before is not known */
	const char *new_text;
	struct wanted_request undo[3];
	size_t n_undo;
	struct wanted_check undo_checks[2]; /* of all of undo but the first */
	size_t n_undo_checks;
	struct wanted_check check;
	bool optional;
	bool not_undoable;
	bool undone_last;
	uint32_t settle_us;
	bool batched; /* with its neighbours that are batched too */
};

#define WANTED_CPU(number) (1U + (number))

#define WRITE_WORD(on_cpu, with_command, with_sub, with_parameter, with_data) \
	{                                                                     \
		.request = ISST_IF_MBOX_COMMAND, .entry = {                   \
			.cpu = (on_cpu),                                      \
			.command = (with_command),                            \
			.sub_command = (with_sub),                            \
			.place = (with_parameter),                            \
			.data = (with_data)                                   \
		}                                                             \
	}
#define READ_WORD WRITE_WORD
#define WRITE_MMIO(on_cpu, at, with_data)             \
	{                                             \
		.request = ISST_IF_IO_CMD, .entry = { \
			.cpu = (on_cpu),              \
			.place = (at),                \
			.write = true,                \
			.data = (with_data)           \
		}                                     \
	}
#define READ_MMIO(on_cpu, at)                                                         \
	{                                                                             \
		.request = ISST_IF_IO_CMD, .entry = {.cpu = (on_cpu), .place = (at) } \
	}
#define WRITE_MSR(on_cpu, at, with_data)                   \
	{                                                  \
		.request = ISST_IF_MSR_COMMAND, .entry = { \
			.cpu = (on_cpu),                   \
			.place = (at),                     \
			.write = true,                     \
			.data = (with_data)                \
		}                                          \
	}
#define READ_MSR(on_cpu, at)                                                               \
	{                                                                                  \
		.request = ISST_IF_MSR_COMMAND, .entry = {.cpu = (on_cpu), .place = (at) } \
	}

/* Are the steps of the plan these, in this order? */
void plan_steps_assert(const struct change_list *plan, const struct wanted_step *wanted,
		       size_t count);

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
	int errors[2]; /* of the first two requests */
};

#define VECTOR_SCRIPT(array) .script = (array), .n_script = ARRAY_SIZE(array)
#define VECTOR_STEPS(array)  .steps = (array), .n_steps = ARRAY_SIZE(array)

/* Plans the requests, and gives the errors of the first two. */
typedef void plan_vector_make(struct mailbox_bench *bench, struct change_list *plan,
			      const void *requests, int errors[2]);

void plan_vector_run(const struct plan_vector *vector, plan_vector_make *make,
		     const void *requests);

#endif
