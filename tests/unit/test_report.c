// SPDX-License-Identifier: GPL-2.0-only
/*
 * The words for what became of a plan (commands.md, "Safety of every setting command"): the failure
 * with its place and cause, what was undone in few words, what could not be in a line each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "cli/report.h"
#include "cli/step_groups.h"
#include "shown.h"

#define OF_DIE(die_)                                            \
	{                                                       \
		.package = 0, .die = (die_), .cpu = PLAN_NO_CPU \
	}
#define OF_CPU(cpu_)                        \
	{                                   \
		.package = 0, .cpu = (cpu_) \
	}
#define OF_MACHINE                                             \
	{                                                      \
		.package = PLAN_NO_PACKAGE, .cpu = PLAN_NO_CPU \
	}
#define FILE_AT(path_, text_)                                       \
	{                                                           \
		.kind = PLAN_FILE, .path = (path_), .text = (text_) \
	}

/* The steps that outcomes speak of, by their index. */
static const struct plan_step steps[] = {
	{ .subject = OF_DIE(1), .what = "SST-TF", .old_text = "off", .new_text = "on" },
	{ .subject = OF_CPU(5),
	  .what = "scaling_max_freq",
	  .write = FILE_AT("/scaling_max_freq", "3500000"),
	  .old_text = "2400000" },
	{ .subject = OF_MACHINE,
	  .what = "cgroup",
	  .write = { .kind = PLAN_MAKE_DIRECTORY, .path = "/g" } },
	{ .subject = { .package = PLAN_NO_PACKAGE, .cpu = 7 },
	  .what = "online",
	  .write = FILE_AT("/cpu7/online", "0"),
	  .old_text = "1" },
	{ .subject = OF_DIE(0), .what = "CLOS 0", .write.kind = PLAN_MMIO, .new_text = "EPP 0" },
	{ .subject = OF_DIE(0), .what = "CLOS 1", .write.kind = PLAN_MMIO, .new_text = "EPP 1" },
	{ .subject = OF_DIE(0), .what = "CLOS 2", .write.kind = PLAN_MMIO, .new_text = "EPP 2" },
	{ .subject = OF_DIE(1), .what = "CLOS 0", .write.kind = PLAN_MMIO, .new_text = "EPP 0" },
	{ .subject = OF_CPU(6),
	  .what = "scaling_max_freq",
	  .write = FILE_AT("/scaling_max_freq", "3500000"),
	  .old_text = "2400000" },
	{ .subject = OF_CPU(9),
	  .what = "scaling_max_freq",
	  .write = FILE_AT("/scaling_max_freq", "3500000"),
	  .old_text = "2400000" },
};

#define MOST 4

struct failure_case {
	size_t step;
	int error;
	const char *reason;
};

static const struct report_case {
	bool succeeded;
	struct failure_case failure;
	size_t n_undone, undone[MOST];
	size_t n_not_undone;
	struct failure_case not_undone[MOST];
	size_t n_notes;
	struct failure_case notes[MOST];
	const char *text;
	enum status status;
} cases[] = {
	{ .succeeded = true, .text = "", .status = STATUS_DONE },
	{ .succeeded = true,
	  .n_notes = 1,
	  .notes = { { 0, -ENXIO, NULL } },
	  .text = "Information: package-0 die-1: SST-TF: the firmware refused the request, or the "
		  "CPU is offline (ENXIO); going on without it\n",
	  .status = STATUS_DONE },
	{ .succeeded = true,
	  .n_notes = 1,
	  .notes = { { 0, 0, "0xff was written, 0x1f is in force: the level limits it" } },
	  .text = "Information: package-0 die-1: SST-TF: 0xff was written, 0x1f is in force: the "
		  "level limits it\n",
	  .status = STATUS_DONE },
	{ .failure = { 1, -EIO, "the kernel made it 2400000" },
	  .n_undone = 1,
	  .undone = { 0 },
	  .n_notes = 1,
	  .notes = { { 0, 0, "0xff was written, 0x1f is in force: the level limits it" } },
	  .text = "Error: package-0 die-0 cpu-5: scaling_max_freq: the kernel made it 2400000\n"
		  "Information: undone: 1 write: SST-TF of package-0 die-1\n",
	  .status = STATUS_REFUSED },
	{ .failure = { 0, -ENXIO, NULL },
	  .text = "Error: package-0 die-1: SST-TF: the firmware refused the request, or the CPU is "
		  "offline (ENXIO)\nInformation: nothing had been changed before that\n",
	  .status = STATUS_REFUSED },
	{ .failure = { 1, -EIO, "the kernel made it 2400000" },
	  .n_undone = 2,
	  .undone = { 1, 0 },
	  .text = "Error: package-0 die-0 cpu-5: scaling_max_freq: the kernel made it 2400000\n"
		  "Information: undone: 2 writes: SST-TF of package-0 die-1, scaling_max_freq of "
		  "CPU 5 in package-0 die-0\n",
	  .status = STATUS_REFUSED },
	{ .failure = { 2, -EACCES, NULL },
	  .n_undone = 1,
	  .undone = { 0 },
	  .text = "Error: cgroup: Permission denied\n"
		  "Information: undone: 1 write: SST-TF of package-0 die-1\n",
	  .status = STATUS_NOT_PERMITTED },
	{ .failure = { 3, -EPERM, NULL },
	  .text = "Error: cpu-7: online: the kernel does not permit it, as it does not for second "
		  "threads of cores while SMT is off (smt/control)\n"
		  "Information: nothing had been changed before that\n",
	  .status = STATUS_NOT_PERMITTED },
	{ .failure = { 0, -ENOTTY, NULL },
	  .text = "Error: package-0 die-1: SST-TF: the driver module for this request is not loaded "
		  "(ENOTTY)\nInformation: nothing had been changed before that\n",
	  .status = STATUS_UNSUPPORTED },
	{ .failure = { 3, -EPERM, "the program was told to stop" },
	  .n_not_undone = 4,
	  .not_undone = { { 2, -EBUSY, NULL },
			  { 1, -EIO, "the kernel made it 800000" },
			  { 0, -EBUSY, NULL },
			  { 4, -ENODATA, "what was there before is not known" } },
	  .text = "Error: cpu-7: online: the program was told to stop\n"
		  "Error: cgroup: not undone: Device or resource busy; present was written\n"
		  "Error: package-0 die-0 cpu-5: scaling_max_freq: not undone: the kernel made it "
		  "800000; it was 2400000, and 3500000 was written\n"
		  "Error: package-0 die-1: SST-TF: not undone: it stayed busy (EBUSY); it is "
		  "worth trying again; it was off, and on was written\n"
		  "Error: package-0 die-0: CLOS 0: not undone: what was there before is not known; "
		  "EPP 0 was written\n",
	  .status = STATUS_REFUSED },
};

static struct plan *make_plan(void)
{
	struct plan *plan;

	assert_int_equal(plan_new(&plan), 0);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		assert_int_equal(plan_add(plan, &steps[i]), 0);
	return plan;
}

static struct run_failure *make_failures(const struct failure_case *failures, size_t count)
{
	struct run_failure *made = calloc(count + 1, sizeof(*made));

	assert_non_null(made);
	for (size_t i = 0; i < count; i++)
		made[i] = (struct run_failure){
			.step = failures[i].step,
			.error = failures[i].error,
			.reason = failures[i].reason ? strdup(failures[i].reason) : NULL,
		};
	return made;
}

static struct run_outcome make_outcome(const struct report_case *report)
{
	_cleanup_free_ struct run_failure *failure = make_failures(&report->failure, 1);
	struct run_outcome outcome = {
		.failed = !report->succeeded,
		.failure = *failure,
		.undone = calloc(MOST, sizeof(*outcome.undone)),
		.n_undone = report->n_undone,
		.not_undone = make_failures(report->not_undone, report->n_not_undone),
		.n_not_undone = report->n_not_undone,
		.notes = make_failures(report->notes, report->n_notes),
		.n_notes = report->n_notes,
	};

	assert_non_null(outcome.undone);
	for (size_t i = 0; i < report->n_undone; i++)
		outcome.undone[i] = report->undone[i];
	return outcome;
}

struct job {
	const struct report_case *report;
	enum status status;
};

static void put(struct output *output, void *data)
{
	struct job *job = data;
	_cleanup_plan_ struct plan *plan = make_plan();
	_cleanup_run_outcome_ struct run_outcome outcome = make_outcome(job->report);
	struct context context = { .output = output };

	report_outcome(&context, plan, &outcome);
	job->status = context_status(&context);
}

static void test_reports(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct job job = { .report = &cases[i] };
		_cleanup_free_ char *text = shown(OUTPUT_TEXT, put, &job);

		assert_string_equal(text, cases[i].text);
		assert_int_equal(job.status, cases[i].status);
	}
}

static void test_names(void **state)
{
	static const struct {
		size_t count, undone[ARRAY_SIZE(steps)];
		const char *names;
	} rows[] = {
		{ 0, { 0 }, "" },
		{ 1, { 4 }, "CLOS 0 of package-0 die-0" },
		{ 3, { 6, 5, 4 }, "CLOS 0 to 2 of package-0 die-0" },
		{ 2, { 6, 4 }, "CLOS 0,2 of package-0 die-0" },
		{ 4, { 7, 6, 5, 4 }, "CLOS 0 to 2 of package-0 die-0, CLOS 0 of package-0 die-1" },
		{ 2, { 8, 1 }, "scaling_max_freq of CPUs 5 to 6 in package-0 die-0" },
		{ 3, { 9, 8, 1 }, "scaling_max_freq of CPUs 5-6,9 in package-0 die-0" },
		{ 2, { 3, 2 }, "cgroup, online of CPU 7" },
		{ 3,
		  { 9, 4, 1 },
		  "scaling_max_freq of CPUs 5,9 in package-0 die-0, CLOS 0 of package-0 die-0" },
	};
	_cleanup_plan_ struct plan *plan = make_plan();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *names =
			step_groups_name_undone(plan, rows[i].undone, rows[i].count);

		assert_string_equal(names, rows[i].names);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reports),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
