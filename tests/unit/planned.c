// SPDX-License-Identifier: GPL-2.0-only
/* A machine, a plan for it, and the run of that plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "change/transaction.h"
#include "planned.h"

#define CPU_ROOT "/sys/devices/system/cpu/"

void planned_open_files(struct planned *planned, struct files *files)
{
	*planned = (struct planned){ .host.files = files };
	planned->machine.host = &planned->host;
}

void planned_renew(struct planned *planned)
{
	topology_done(&planned->machine.topology);
	assert_int_equal(topology_read(planned->host.files, &planned->machine.topology), 0);
	change_list_done(&planned->plan);
}

void planned_open(struct planned *planned, const char *platform, const char *faults)
{
	struct sysfs_machine simulated;

	sysfs_machine_load(&simulated, platform);
	sysfs_machine_start(&simulated, faults);
	planned_open_files(planned, simulated.files);
	planned->simulated = simulated;
	planned_renew(planned);
}

void planned_close(struct planned *planned)
{
	change_list_done(&planned->plan);
	topology_done(&planned->machine.topology);
	if (planned->simulated.state)
		sysfs_machine_close(&planned->simulated);
}

static void assert_same(size_t number, const char *what, const char *found, const char *wanted)
{
	if (!found != !wanted || (found && strcmp(found, wanted) != 0))
		fail_msg("step %zu: %s is \"%s\", not \"%s\"", number, what, found ?: "NULL",
			 wanted ?: "NULL");
}

static void assert_path(size_t number, const char *found, const char *wanted)
{
	_cleanup_free_ char *whole = NULL;

	if (wanted)
		assert_true(asprintf(&whole, "%s%s", *wanted == '/' ? "" : CPU_ROOT, wanted) > 0);
	assert_same(number, "path", found, whole);
}

static void assert_type(const struct write_target *target, const struct planned_step *step)
{
	struct write_target wanted =
		step->kind == PLANNED_FILE ? file_target("", step->content) : directory_target("");

	assert_ptr_equal(target->ops, wanted.ops);
	assert_int_equal(target->is_not_read_back, wanted.is_not_read_back);
}

void planned_assert(struct planned *planned, const struct planned_step *steps, size_t count)
{
	size_t found = planned->plan.n_changes;
	const struct change *planned_steps = planned->plan.changes;

	for (size_t i = 0; i < found && i < count; i++) {
		const struct change *step = &planned_steps[i];

		assert_type(&step->target, &steps[i]);
		assert_path(i, step->target.path, steps[i].path);
		if (steps[i].kind == PLANNED_FILE)
			assert_same(i, "text", step->value.text, steps[i].text);
		else
			assert_int_equal(step->value.number, steps[i].kind == PLANNED_MAKE);
		assert_same(i, "old text", step->old_value.text, steps[i].old_text);
		assert_same(i, "announcement", step->announcement, steps[i].announcement);
		assert_non_null(step->what);
	}
	assert_int_equal(found, count);
}

size_t planned_count(const struct planned *planned)
{
	size_t count;

	count = planned->plan.n_changes;
	return count;
}

void planned_run(struct planned *planned, int error, const char *reason)
{
	_cleanup_transaction_outcome_ struct transaction_outcome outcome = { 0 };
	const struct transaction_environment environment = { .files = planned->host.files };

	assert_int_equal(transaction_run(&planned->plan, &environment, &outcome), 0);
	assert_int_equal(outcome.failed ? outcome.failure.error : 0, error);
	assert_int_equal(outcome.n_not_rolled_back, 0);
	if (!reason)
		return;
	assert_non_null(outcome.failure.reason);
	if (!strstr(outcome.failure.reason, reason))
		fail_msg("\"%s\" is not in \"%s\"", reason, outcome.failure.reason);
}
