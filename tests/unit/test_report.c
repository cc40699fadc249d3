// SPDX-License-Identifier: GPL-2.0-only
/* The words for what became of a plan (commands.md, "Safety of every setting command"): the failure
 * with its place and cause, what was undone in few words, what could not be in a line each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "host/target.h"
#include "run/carry_out.h"
#include "shown.h"
#include "sst/mailbox/mailbox.h"
#include "sst/mailbox/words.h"

#define OF_DIE(die_)                                                \
	{                                                           \
		.package = 0, .die = (die_), .cpu = LOCATION_NO_CPU \
	}
#define OF_CPU(cpu_)                        \
	{                                   \
		.package = 0, .cpu = (cpu_) \
	}
#define OF_MACHINE                                                     \
	{                                                              \
		.package = LOCATION_NO_PACKAGE, .cpu = LOCATION_NO_CPU \
	}
#define N_CHANGES 10

/* The changes that outcomes are about, by their index. */
static void make_changes(struct change changes[N_CHANGES])
{
	const struct change clos = {
		.location = OF_DIE(0),
		.what = "CLOS 0",
		.target = mailbox_target(false, PLATFORM_TARGET_CLOS, 0, 0),
		.value = word_decode(&word_clos, 0),
	};
	const struct change limit = {
		.location = OF_CPU(5),
		.what = "scaling_max_freq",
		.target = file_target("/scaling_max_freq", FILE_NUMBER),
		.value = { .text = "3500000" },
		.old_value = { .text = "2400000" },
		.has_old_value = true,
	};
	const struct change made[N_CHANGES] = {
		{ .location = OF_DIE(1),
		  .what = "SST-CP",
		  .target = mailbox_target(false, PLATFORM_TARGET_CORE_POWER, 0, 0),
		  .value = { .number = 1 },
		  .has_old_value = true },
		limit,
		{ .location = OF_MACHINE,
		  .what = "cgroup",
		  .target = directory_target("/g"),
		  .value = { .number = 1 },
		  .has_old_value = true },
		{ .location = { .package = LOCATION_NO_PACKAGE, .cpu = 7 },
		  .what = "online",
		  .target = file_target("/sys/devices/system/cpu/cpu7/online", FILE_NUMBER),
		  .value = { .text = "0" },
		  .old_value = { .text = "1" },
		  .has_old_value = true },
		clos,
		clos,
		clos,
		clos,
		limit,
		limit,
	};

	memcpy(changes, made, sizeof(made));
	changes[5].what = "CLOS 1";
	changes[6].what = "CLOS 2";
	changes[7].location.die = 1;
	changes[8].location.cpu = 6;
	changes[9].location.cpu = 9;
}

#define MOST 4

struct failure_case {
	size_t change;
	int error;
	const char *reason;
};

static const struct report_case {
	bool succeeded;
	struct failure_case failure;
	size_t n_rolled_back, undone[MOST];
	size_t n_not_rolled_back;
	struct failure_case not_rolled_back[MOST];
	size_t n_notes;
	struct failure_case notes[MOST];
	const char *text;
	enum status status;
} cases[] = {
	{ .succeeded = true, .text = "", .status = STATUS_DONE },
	{ .succeeded = true,
	  .n_notes = 1,
	  .notes = { { 0, -ENXIO, NULL } },
	  .text = "Information: package-0 die-1: SST-CP: the firmware refused the request, or the "
		  "CPU is offline (ENXIO); continuing without it\n",
	  .status = STATUS_DONE },
	{ .succeeded = true,
	  .n_notes = 1,
	  .notes = { { 0, 0, "0xff was written, 0x1f is in force: the level limits it" } },
	  .text = "Information: package-0 die-1: SST-CP: 0xff was written, 0x1f is in force: the "
		  "level limits it\n",
	  .status = STATUS_DONE },
	{ .failure = { 1, -EIO, "the kernel made it 2400000" },
	  .n_rolled_back = 1,
	  .undone = { 0 },
	  .n_notes = 1,
	  .notes = { { 0, 0, "0xff was written, 0x1f is in force: the level limits it" } },
	  .text = "Error: package-0 die-0 cpu-5: scaling_max_freq: the kernel made it 2400000\n"
		  "Information: undone: 1 write: SST-CP of package-0 die-1\n",
	  .status = STATUS_REFUSED },
	{ .failure = { 0, -ENXIO, NULL },
	  .text = "Error: package-0 die-1: SST-CP: the firmware refused the request, or the CPU is "
		  "offline (ENXIO)\nInformation: nothing had been changed before that\n",
	  .status = STATUS_REFUSED },
	{ .failure = { 1, -EIO, "the kernel made it 2400000" },
	  .n_rolled_back = 2,
	  .undone = { 1, 0 },
	  .text = "Error: package-0 die-0 cpu-5: scaling_max_freq: the kernel made it 2400000\n"
		  "Information: undone: 2 writes: SST-CP of package-0 die-1, scaling_max_freq of "
		  "CPU 5 in package-0 die-0\n",
	  .status = STATUS_REFUSED },
	{ .failure = { 2, -EACCES, NULL },
	  .n_rolled_back = 1,
	  .undone = { 0 },
	  .text = "Error: cgroup: Permission denied\n"
		  "Information: undone: 1 write: SST-CP of package-0 die-1\n",
	  .status = STATUS_NOT_PERMITTED },
	{ .failure = { 3, -EPERM, NULL },
	  .text = "Error: cpu-7: online: the kernel does not permit it, as it does not for second "
		  "threads of cores while SMT is off (smt/control)\n"
		  "Information: nothing had been changed before that\n",
	  .status = STATUS_NOT_PERMITTED },
	{ .failure = { 0, -ENOTTY, NULL },
	  .text = "Error: package-0 die-1: SST-CP: the driver module for this request is not loaded "
		  "(ENOTTY)\nInformation: nothing had been changed before that\n",
	  .status = STATUS_UNSUPPORTED },
	{ .failure = { 3, -EPERM, "a stop was requested" },
	  .n_not_rolled_back = 4,
	  .not_rolled_back = { { 2, -EBUSY, NULL },
			       { 1, -EIO, "the kernel made it 800000" },
			       { 0, -EBUSY, NULL },
			       { 4, -ENODATA, "what was there before is unknown" } },
	  .text = "Error: cpu-7: online: a stop was requested\n"
		  "Error: cgroup: not undone: Device or resource busy; it was absent, and present was "
		  "written\n"
		  "Error: package-0 die-0 cpu-5: scaling_max_freq: not undone: the kernel made it "
		  "800000; it was 2400000, and 3500000 was written\n"
		  "Error: package-0 die-1: SST-CP: not undone: it stayed busy (EBUSY); "
		  "try again; it was off, and on was written\n"
		  "Error: package-0 die-0: CLOS 0: not undone: what was there before is unknown; "
		  "epp:0 weight:0 min:0 MHz max:0 MHz desired:0 MHz was written\n",
	  .status = STATUS_REFUSED },
};

static struct change_list make_plan(void)
{
	struct change changes[N_CHANGES];
	struct change_list plan = { 0 };

	make_changes(changes);
	for (size_t i = 0; i < N_CHANGES; i++)
		assert_int_equal(change_list_add(&plan, &changes[i]), 0);
	return plan;
}

static struct transaction_failure *make_failures(const struct failure_case *failures, size_t count)
{
	struct transaction_failure *made = calloc(count + 1, sizeof(*made));

	assert_non_null(made);
	for (size_t i = 0; i < count; i++)
		made[i] = (struct transaction_failure){
			.change = (uint32_t)failures[i].change,
			.error = (int16_t)failures[i].error,
			.reason = failures[i].reason ? strdup(failures[i].reason) : NULL,
		};
	return made;
}

static struct transaction_outcome make_outcome(const struct report_case *report)
{
	_cleanup_free_ struct transaction_failure *failure = make_failures(&report->failure, 1);
	struct transaction_outcome outcome = {
		.failed = !report->succeeded,
		.failure = *failure,
		.rolled_back = calloc(MOST, sizeof(*outcome.rolled_back)),
		.n_rolled_back = report->n_rolled_back,
		.not_rolled_back =
			make_failures(report->not_rolled_back, report->n_not_rolled_back),
		.n_not_rolled_back = report->n_not_rolled_back,
		.notes = make_failures(report->notes, report->n_notes),
		.n_notes = report->n_notes,
	};

	assert_non_null(outcome.rolled_back);
	for (size_t i = 0; i < report->n_rolled_back; i++)
		outcome.rolled_back[i] = report->undone[i];
	return outcome;
}

struct job {
	const struct report_case *report;
	enum status status;
};

static void put(struct output *output, void *data)
{
	struct job *job = data;
	_cleanup_change_list_ struct change_list plan = make_plan();
	_cleanup_transaction_outcome_ struct transaction_outcome outcome =
		make_outcome(job->report);
	struct report report = { .output = output };

	carry_out_report(&report, NULL, &plan, &outcome);
	job->status = report_status(&report);
	report_done(&report);
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

/* The names of what was undone, in few words. */
static void test_names(void **state)
{
	static const struct {
		size_t count, undone[MOST];
		const char *names;
	} rows[] = {
		{ 1, { 4 }, "1 write: CLOS 0 of package-0 die-0" },
		{ 3, { 6, 5, 4 }, "3 writes: CLOS 0 to 2 of package-0 die-0" },
		{ 2, { 6, 4 }, "2 writes: CLOS 0,2 of package-0 die-0" },
		{ 4,
		  { 7, 6, 5, 4 },
		  "4 writes: CLOS 0 to 2 of package-0 die-0, CLOS 0 of package-0 die-1" },
		{ 2, { 8, 1 }, "2 writes: scaling_max_freq of CPUs 5 to 6 in package-0 die-0" },
		{ 3, { 9, 8, 1 }, "3 writes: scaling_max_freq of CPUs 5-6,9 in package-0 die-0" },
		{ 2, { 3, 2 }, "2 writes: cgroup, online of CPU 7" },
		{ 3,
		  { 9, 4, 1 },
		  "3 writes: scaling_max_freq of CPUs 5,9 in package-0 die-0, CLOS 0 of package-0 "
		  "die-0" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct report_case undone = { .failure = { 0, -ENXIO, NULL },
					      .n_rolled_back = rows[i].count };
		struct job job = { .report = &undone };
		_cleanup_free_ char *text = NULL, *wanted = NULL;

		memcpy(undone.undone, rows[i].undone, sizeof(undone.undone));
		text = shown(OUTPUT_TEXT, put, &job);
		assert_true(asprintf(&wanted, "Information: undone: %s\n", rows[i].names) > 0);
		if (!strstr(text, wanted))
			fail_msg("row %zu: \"%s\" is missing in\n%s", i, wanted, text);
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
