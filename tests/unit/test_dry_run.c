// SPDX-License-Identifier: GPL-2.0-only
/* --dry-run: a line for each write of every kind, in text and in JSON (commands.md, "Safety"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "cli/dry_run.h"
#include "plan/plan.h"
#include "shown.h"

#define CPU5 "/sys/devices/system/cpu/cpu5"

static const struct {
	struct plan_step step;
	const char *line, *where, *old, *new;
} cases[] = {
	{ .step = { .what = "performance level",
		    .write = { .kind = PLAN_MAILBOX,
			       .command = 0x7f,
			       .sub_command = 8,
			       .value = 1 },
		    .old_text = "0",
		    .new_text = "1" },
	  .line = " cpu-0 mailbox 0x7f/0x08 performance level: 0 -> 1\n",
	  .where = "cpu-0 mailbox 0x7f/0x08",
	  .old = "0",
	  .new = "1" },
	{ .step = { .what = "CLOS 1",
		    .write = { .kind = PLAN_MAILBOX,
			       .cpu = 14,
			       .command = 0xd0,
			       .sub_command = 1,
			       .parameter = 0x101,
			       .value = 0xff00 } },
	  .line = " cpu-14 mailbox 0xd0/0x01 parameter 0x101 CLOS 1: unknown -> 0xff00\n",
	  .where = "cpu-14 mailbox 0xd0/0x01 parameter 0x101",
	  .old = "unknown",
	  .new = "0xff00" },
	{ .step = { .what = "CLOS 0",
		    .write = { .kind = PLAN_MMIO, .cpu = 3, .address = 0x8 },
		    .old_text = "min 0 MHz",
		    .new_text = "min 800 MHz" },
	  .line = " cpu-3 mmio 0x08 CLOS 0: min 0 MHz -> min 800 MHz\n",
	  .where = "cpu-3 mmio 0x08",
	  .old = "min 0 MHz",
	  .new = "min 800 MHz" },
	{ .step = { .what = "turbo-ratio limits",
		    .write = { .kind = PLAN_MSR, .address = 0x1ad, .value = UINT64_MAX },
		    .old_text = "0x1f" },
	  .line = " cpu-0 msr 0x1ad turbo-ratio limits: 0x1f -> 0xffffffffffffffff\n",
	  .where = "cpu-0 msr 0x1ad",
	  .old = "0x1f",
	  .new = "0xffffffffffffffff" },
	{ .step = { .what = "online",
		    .write = { .kind = PLAN_FILE, .path = CPU5 "/online", .text = "1" },
		    .old_text = "0" },
	  .line = " " CPU5 "/online online: 0 -> 1\n",
	  .where = CPU5 "/online",
	  .old = "0",
	  .new = "1" },
	{ .step = { .what = "cgroup",
		    .write = { .kind = PLAN_MAKE_DIRECTORY, .path = "/sys/fs/cgroup/0-0-0" } },
	  .line = " mkdir /sys/fs/cgroup/0-0-0 cgroup: absent -> present\n",
	  .where = "mkdir /sys/fs/cgroup/0-0-0",
	  .old = "absent",
	  .new = "present" },
	{ .step = { .what = "cgroup",
		    .write = { .kind = PLAN_REMOVE_DIRECTORY, .path = "/sys/fs/cgroup/0-0-0" } },
	  .line = " rmdir /sys/fs/cgroup/0-0-0 cgroup: present -> absent\n",
	  .where = "rmdir /sys/fs/cgroup/0-0-0",
	  .old = "present",
	  .new = "absent" },
};

static const struct plan_step saying = { .what = "online", .write.kind = PLAN_SAY };

/* All cases, with something that is only said in front of each. */
static struct plan *make_plan(void)
{
	struct plan *plan;

	assert_int_equal(plan_new(&plan), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(plan_add(plan, &saying), 0);
		assert_int_equal(plan_add(plan, &cases[i].step), 0);
	}
	return plan;
}

static void put(struct output *output, void *plan)
{
	assert_int_equal(dry_run_put(output, plan, true), ARRAY_SIZE(cases));
}

static void test_text(void **state)
{
	_cleanup_plan_ struct plan *plan = make_plan();
	_cleanup_free_ char *text = shown(OUTPUT_TEXT, put, plan), *wanted = NULL;
	size_t length;
	FILE *to = open_memstream(&wanted, &length);

	(void)state;
	assert_non_null(to);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		fputs(cases[i].line, to);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, wanted);
}

static void test_json(void **state)
{
	_cleanup_plan_ struct plan *plan = make_plan();
	_cleanup_free_ char *text = shown(OUTPUT_JSON, put, plan);
	json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	(void)state;
	assert_int_equal(json_object_size(document), ARRAY_SIZE(cases));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *what, *where, *old, *new;
		char name[16];

		snprintf(name, sizeof(name), "write-%zu", i);
		assert_int_equal(json_unpack(json_object_get(document, name),
					     "{s:s, s:s, s:s, s:s !}", "what", &what, "where",
					     &where, "old", &old, "new", &new),
				 0);
		assert_string_equal(what, cases[i].step.what);
		assert_string_equal(where, cases[i].where);
		assert_string_equal(old, cases[i].old);
		assert_string_equal(new, cases[i].new);
	}
	json_decref(document);
}

static void put_nothing(struct output *output, void *plan)
{
	assert_int_equal(dry_run_put(output, plan, true), 0);
}

/* Associations of two packages, limits of CPUs, and a write that is alone. */
static struct plan *make_like_steps(void)
{
	struct plan_step core = {
		.subject = { .die_is_unknown = true },
		.write = { .kind = PLAN_MMIO, .address = 0x20 },
		.old_text = "CLOS 0",
		.new_text = "CLOS 3",
	};
	struct plan_step limit = {
		.what = "scaling_max_freq",
		.write = { .kind = PLAN_FILE, .path = CPU5 "/x", .text = "2600000" },
		.old_text = "3200000",
	};
	struct plan *plan;

	assert_int_equal(plan_new(&plan), 0);
	for (uint32_t cpu = 0; cpu < 8; cpu++) {
		char what[32];

		snprintf(what, sizeof(what), "association of core %u", cpu % 4 + 8);
		core.what = what;
		core.subject.cpu = cpu;
		core.subject.package = cpu / 4;
		core.old_text = cpu == 2 ? "CLOS 1" : "CLOS 0";
		limit.subject.cpu = cpu;
		assert_int_equal(plan_add(plan, &core), 0);
		assert_int_equal(plan_add(plan, &limit), 0);
	}
	assert_int_equal(plan_add(plan, &cases[0].step), 0);
	return plan;
}

static void put_folded(struct output *output, void *plan)
{
	assert_int_equal(dry_run_put(output, plan, false), 17);
}

static void test_folds_like_writes(void **state)
{
	_cleanup_plan_ struct plan *plan = make_like_steps();
	_cleanup_free_ char *text = shown(OUTPUT_TEXT, put_folded, plan);
	_cleanup_free_ char *document = shown(OUTPUT_JSON, put_folded, plan);
	json_t *writes = json_loads(document, JSON_REJECT_DUPLICATES, NULL);

	(void)state;
	assert_string_equal(
		text, " package-0 association of cores 8-9,11: CLOS 0 -> CLOS 3 (3 writes)\n"
		      " package-0 die-0 cpus 0-7 scaling_max_freq: 3200000 -> 2600000 (8 writes)\n"
		      " cpu-0 mmio 0x20 association of core 10: CLOS 1 -> CLOS 3\n"
		      " package-1 association of cores 8-11: CLOS 0 -> CLOS 3 (4 writes)\n"
		      " cpu-0 mailbox 0x7f/0x08 performance level: 0 -> 1\n");
	assert_int_equal(json_object_size(writes), 17);
	json_decref(writes);
}

static void test_nothing(void **state)
{
	(void)state;
	for (int says = 0; says < 2; says++) {
		_cleanup_plan_ struct plan *plan = NULL;
		_cleanup_free_ char *text = NULL;

		assert_int_equal(plan_new(&plan), 0);
		if (says)
			assert_int_equal(plan_add(plan, &saying), 0);
		text = shown(OUTPUT_TEXT, put_nothing, plan);
		assert_string_equal(text, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_folds_like_writes),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
