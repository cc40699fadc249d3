// SPDX-License-Identifier: GPL-2.0-only
/* What differs between two recordings: answers of the driver, damaged lines among them. Under the
 * address sanitizer it also shows that comparing keeps no memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/cpuset.h"
#include "record/diff.h"

/* A recording of a machine with one answer: that of GET_PHY_ID for a CPU. */
static json_t *record_answer(uint32_t cpu, const char *answer)
{
	_cleanup_free_ char *line = text_format("phys id: logical_cpu:%u %s", cpu, answer);

	return json_pack("{s:{s:{}, s:[s]}}", "recorded", "files", "requests", line);
}

/* The differences between two recordings, as lines. */
static void assert_lines(json_t *left, json_t *right, const char *expected)
{
	_cleanup_buffer_ struct buffer lines = { 0 };
	_cleanup_json_ json_t *differences = NULL;

	assert_int_equal(diff_make(left, right, false, &differences), 0);
	diff_append_lines(differences, &lines);
	assert_string_equal(buffer_text(&lines), expected);
	json_decref(left);
	json_decref(right);
}

static void test_answers(void **state)
{
	(void)state;
	assert_lines(record_answer(3, "physical_cpu:0x6"), record_answer(3, "physical_cpu:0x6"),
		     "");
	assert_lines(record_answer(3, "physical_cpu:0x6"), record_answer(3, "physical_cpu:0x8"),
		     "cpu-3 phys id: physical_cpu: 0x6 -> 0x8\n");
}

/* A CPU that no machine has: no list is made for all CPUs below it. */
static void test_cpu_out_of_range(void **state)
{
	(void)state;
	assert_lines(record_answer(CPUSET_MAX_CPU, "physical_cpu:0x6"),
		     record_answer(CPUSET_MAX_CPU + 1, "physical_cpu:0x6"),
		     "cpu-1048576 phys id: physical_cpu: absent -> 0x6\n"
		     "cpu-1048575 phys id: physical_cpu: 0x6 -> absent\n");
}

/* What is in the second recording alone, too; the register of a package is at the package. */
static void test_places(void **state)
{
	static const char recording[] =
		"{\"interface\": {\"kind\": \"mailbox\"}, \"topology\": {\"packages\":"
		" [{\"domains\": [{\"die\": 0}, {\"die\": 1}]}], \"cpus\": [[0, 1, 0, 0]]},"
		" \"recorded\": {\"files\": {%s}, \"requests\": [\"msr read: "
		"logical_cpu:0 msr:0x1ad data:0x%s\"]}}";
	_cleanup_free_ char *left = text_format(recording, "", "1f");
	_cleanup_free_ char *right = text_format(recording, "\"/proc/x\": \"1\"", "20");

	(void)state;
	assert_lines(json_loads(left, 0, NULL), json_loads(right, 0, NULL),
		     "package-0 msr msr 0x1ad: data: 0x1f -> 0x20\n"
		     "machine /proc/x: absent -> 1\n");
}

/* The other files of a CPU come and go with it. */
static void test_offline(void **state)
{
	static const char recording[] =
		"{\"recorded\": {\"requests\": [], \"files\": {"
		"\"/sys/devices/system/cpu/cpu#/online\": {\"0\": \"1\", \"1\": \"%d\"},"
		"\"/sys/devices/system/cpu/cpu#/x\": {\"0\": \"%d\", \"1\": \"%d\"}}}}";
	_cleanup_free_ char *left = text_format(recording, 1, 5, 5);
	_cleanup_free_ char *right = text_format(recording, 0, 6, 7);

	(void)state;
	assert_lines(json_loads(left, 0, NULL), json_loads(right, 0, NULL),
		     "cpu-1 online: 1 -> 0\ncpu-0 x: 5 -> 6\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_cpu_out_of_range),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_offline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
