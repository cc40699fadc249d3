// SPDX-License-Identifier: GPL-2.0-only
/* --dry-run: a line for each write of every kind, in text and in JSON (commands.md, "Safety"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <string.h>

#include "base/cleanup.h"
#include "change/change.h"
#include "host/target.h"
#include "run/carry_out.h"
#include "shown.h"
#include "sst/limits.h"
#include "sst/mailbox/mailbox.h"
#include "sst/mailbox/words.h"

#define CPU5 "/sys/devices/system/cpu/cpu5"

static const struct {
	const char *line, *where, *old, *new;
} cases[] = {
	{ .line = " cpu-0 mailbox 0x7f/0x08 performance level: 0 -> 1\n",
	  .where = "cpu-0 mailbox 0x7f/0x08",
	  .old = "0",
	  .new = "1" },
	{ .line = " cpu-14 mailbox 0xd0/0x01 parameter 0x101 CLOS 1: unknown -> "
		  "epp:0 weight:0 min:0 MHz max:unlimited desired:0 MHz\n",
	  .where = "cpu-14 mailbox 0xd0/0x01 parameter 0x101",
	  .old = "unknown",
	  .new = "epp:0 weight:0 min:0 MHz max:unlimited desired:0 MHz" },
	{ .line = " cpu-3 mmio 0x08 CLOS 0: epp:0 weight:0 min:0 MHz max:0 MHz desired:0 MHz -> "
		  "epp:0 weight:0 min:800 MHz max:0 MHz desired:0 MHz\n",
	  .where = "cpu-3 mmio 0x08",
	  .old = "epp:0 weight:0 min:0 MHz max:0 MHz desired:0 MHz",
	  .new = "epp:0 weight:0 min:800 MHz max:0 MHz desired:0 MHz" },
	{ .line = " cpu-0 msr 0x1ad turbo-ratio limits: 0x1f -> 0xffffffffffffffff\n",
	  .where = "cpu-0 msr 0x1ad",
	  .old = "0x1f",
	  .new = "0xffffffffffffffff" },
	{ .line = " " CPU5 "/online online: 0 -> 1\n",
	  .where = CPU5 "/online",
	  .old = "0",
	  .new = "1" },
	{ .line = " mkdir /sys/fs/cgroup/0-0-0 cgroup: absent -> present\n",
	  .where = "mkdir /sys/fs/cgroup/0-0-0",
	  .old = "absent",
	  .new = "present" },
	{ .line = " rmdir /sys/fs/cgroup/0-0-0 cgroup: present -> absent\n",
	  .where = "rmdir /sys/fs/cgroup/0-0-0",
	  .old = "present",
	  .new = "absent" },
};

/* What the cases show, in their order. */
static void make_changes(struct change changes[ARRAY_SIZE(cases)])
{
	const struct change made[] = {
		{ .what = "performance level",
		  .target = mailbox_target(false, PLATFORM_TARGET_LEVEL, 0, 0),
		  .value = { .number = 1 },
		  .has_old_value = true },
		{ .what = "CLOS 1",
		  .target = mailbox_target(true, PLATFORM_TARGET_CLOS, 14, 1),
		  .value = word_decode(&word_clos, 0xff0000) },
		{ .what = "CLOS 0",
		  .target = mailbox_target(false, PLATFORM_TARGET_CLOS, 3, 0),
		  .value = word_decode(&word_clos, 0x800),
		  .has_old_value = true },
		{ .what = "turbo-ratio limits",
		  .target = limits_target(0, 0),
		  .value = { .number = UINT64_MAX },
		  .old_value = { .number = 0x1f },
		  .has_old_value = true },
		{ .what = "online",
		  .target = file_target(CPU5 "/online", FILE_NUMBER),
		  .value = { .text = "1" },
		  .old_value = { .text = "0" },
		  .has_old_value = true },
		{ .what = "cgroup",
		  .target = directory_target("/sys/fs/cgroup/0-0-0"),
		  .value = { .number = 1 },
		  .has_old_value = true },
		{ .what = "cgroup",
		  .target = directory_target("/sys/fs/cgroup/0-0-0"),
		  .old_value = { .number = 1 },
		  .has_old_value = true },
	};

	memcpy(changes, made, sizeof(made));
}

/* All cases, with an announcement in front of each, which is not shown. */
static struct change_list make_plan(void)
{
	struct change changes[ARRAY_SIZE(cases)];
	struct change_list plan = { 0 };

	make_changes(changes);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(change_list_announce(&plan, "online cpu 0"), 0);
		assert_int_equal(change_list_add(&plan, &changes[i]), 0);
	}
	return plan;
}

static void put(struct output *output, void *plan)
{
	assert_int_equal(carry_out_show(output, plan, true), 0);
}

static void test_text(void **state)
{
	_cleanup_change_list_ struct change_list plan = make_plan();
	_cleanup_free_ char *text = shown(OUTPUT_TEXT, put, &plan), *wanted = NULL;
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
	_cleanup_change_list_ struct change_list plan = make_plan();
	_cleanup_free_ char *text = shown(OUTPUT_JSON, put, &plan);
	json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	struct change changes[ARRAY_SIZE(cases)];

	(void)state;
	make_changes(changes);
	assert_int_equal(json_object_size(document), ARRAY_SIZE(cases));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *what, *where, *old, *new;
		char name[16];

		snprintf(name, sizeof(name), "write-%zu", i);
		assert_int_equal(json_unpack(json_object_get(document, name),
					     "{s:s, s:s, s:s, s:s !}", "what", &what, "where",
					     &where, "old", &old, "new", &new),
				 0);
		assert_string_equal(what, changes[i].what);
		assert_string_equal(where, cases[i].where);
		assert_string_equal(old, cases[i].old);
		assert_string_equal(new, cases[i].new);
	}
	json_decref(document);
}

/* Associations of two packages, limits of CPUs, and a write that is alone. */
static struct change_list make_like_steps(void)
{
	struct change core = {
		.location = { .die_is_unknown = true },
		.target = mailbox_target(false, PLATFORM_TARGET_ASSOCIATION, 0, 0),
		.value = { .number = 3 },
		.has_old_value = true,
	};
	struct change limit = {
		.what = "scaling_max_freq",
		.target = file_target(CPU5 "/x", FILE_NUMBER),
		.value = { .text = "2600000" },
		.old_value = { .text = "3200000" },
		.has_old_value = true,
	};
	struct change changes[ARRAY_SIZE(cases)];
	struct change_list plan = { 0 };

	make_changes(changes);
	for (uint32_t cpu = 0; cpu < 8; cpu++) {
		char what[32];

		snprintf(what, sizeof(what), "association of core %u", cpu % 4 + 8);
		core.what = what;
		core.location.cpu = cpu;
		core.location.package = cpu / 4;
		core.old_value.number = cpu == 2;
		limit.location.cpu = cpu;
		assert_int_equal(change_list_add(&plan, &core), 0);
		assert_int_equal(change_list_add(&plan, &limit), 0);
	}
	assert_int_equal(change_list_add(&plan, &changes[0]), 0);
	return plan;
}

static void put_folded(struct output *output, void *plan)
{
	assert_int_equal(carry_out_show(output, plan, false), 0);
}

static void test_folds_like_writes(void **state)
{
	_cleanup_change_list_ struct change_list plan = make_like_steps();
	_cleanup_free_ char *text = shown(OUTPUT_TEXT, put_folded, &plan);
	_cleanup_free_ char *document = shown(OUTPUT_JSON, put_folded, &plan);
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
		_cleanup_change_list_ struct change_list plan = { 0 };
		_cleanup_free_ char *text = NULL;

		if (says)
			assert_int_equal(change_list_announce(&plan, "online cpu 0"), 0);
		text = shown(OUTPUT_TEXT, put, &plan);
		assert_string_equal(text, "Information: there is nothing to write\n");
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
