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
#include "plan/run.h"
#include "planned.h"

#define CPU_ROOT "/sys/devices/system/cpu/"

void planned_open_files(struct planned *planned, struct files *files)
{
	*planned = (struct planned){ .host.files = files };
	planned->machine.host = &planned->host;
	assert_int_equal(plan_new(&planned->plan), 0);
}

void planned_renew(struct planned *planned)
{
	topology_done(&planned->machine.topology);
	assert_int_equal(topology_read(planned->host.files, &planned->machine.topology), 0);
	plan_free(&planned->plan);
	assert_int_equal(plan_new(&planned->plan), 0);
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
	plan_free(&planned->plan);
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

void planned_assert(struct planned *planned, const struct planned_step *steps, size_t count)
{
	size_t found;
	const struct plan_step *planned_steps = plan_steps(planned->plan, &found);

	for (size_t i = 0; i < found && i < count; i++) {
		const struct plan_step *step = &planned_steps[i];

		assert_int_equal(step->write.kind, steps[i].kind);
		assert_path(i, step->write.path, steps[i].path);
		assert_same(i, "text", step->write.text, steps[i].text);
		assert_same(i, "old text", step->old_text, steps[i].old_text);
		assert_int_equal(step->check.kind, steps[i].check);
		assert_same(i, "announcement", step->announce, steps[i].announce);
		assert_non_null(step->what);
	}
	assert_int_equal(found, count);
}

size_t planned_count(const struct planned *planned)
{
	size_t count;

	plan_steps(planned->plan, &count);
	return count;
}

void planned_run(struct planned *planned, int error, const char *reason)
{
	_cleanup_run_outcome_ struct run_outcome outcome = { 0 };
	const struct run_environment environment = { .files = planned->host.files };

	assert_int_equal(run_plan(planned->plan, &environment, &outcome), 0);
	assert_int_equal(outcome.failed ? outcome.failure.error : 0, error);
	assert_int_equal(outcome.n_not_undone, 0);
	if (!reason)
		return;
	assert_non_null(outcome.failure.reason);
	if (!strstr(outcome.failure.reason, reason))
		fail_msg("\"%s\" is not in \"%s\"", reason, outcome.failure.reason);
}
