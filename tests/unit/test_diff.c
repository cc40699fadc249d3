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
#include "host/run_directory.h"
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
	_cleanup_items_ struct items a = { 0 }, b = { 0 };
	_cleanup_buffer_ struct buffer lines = { 0 };
	_cleanup_json_ json_t *differences = NULL;

	assert_int_equal(items_init(&a, left, false), 0);
	assert_int_equal(items_init(&b, right, false), 0);
	assert_int_equal(diff_make(&a, &b, &differences), 0);
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

#define PLACES                                                                             \
	"\"/sys/devices/system/cpu/cpu#/topology/physical_package_id\": {\"0-1\": \"2\"}," \
	"\"/sys/devices/system/cpu/cpu#/topology/die_id\": {\"0\": \"1\", \"1\": \"0\"}"

/* What is in the second recording alone, too; the register of a package is at the package, that of
 * a CPU's power domain at its die. */
static void test_places(void **state)
{
	static const char recording[] =
		"{\"recorded\": {\"files\": {" PLACES "%s}, \"requests\": [\"msr read: "
		"logical_cpu:0 msr:0x1ad data:0x%s\", \"mmio read: logical_cpu:0 reg:0x24 "
		"value:0x%s0000\", \"mmio read: logical_cpu:0 reg:0x28 value:0x10001\"]}}";
	_cleanup_free_ char *left = text_format(recording, "", "1f", "1");
	_cleanup_free_ char *right = text_format(recording, ", \"/proc/x\": \"1\"", "20", "2");

	(void)state;
	assert_lines(json_loads(left, 0, NULL), json_loads(right, 0, NULL),
		     "package-2 msr msr 0x1ad: data: 0x1f -> 0x20\n"
		     "package-2 die-1 core-1 clos: 1 -> 2\n"
		     "machine /proc/x: absent -> 1\n");
}

/* Words of the mailbox, and the lines about their figures; CPU 1 is in die 0 of package 2. */
static void test_figures(void **state)
{
	static const struct {
		const char *asked; /* command to request data */
		unsigned int left, right;
		const char *lines; /* without the place */
	} words[] = {
		{ "command:0x7f sub_command:0x0 parameter:0x0 req_data:0x0", 0x80000401, 0x81030402,
		  "version: 1 -> 2|current_level: 0 -> 3|locked: false -> true" },
		{ "command:0x7f sub_command:0x1 parameter:0x0 req_data:0x3", 0x1, 0x20003,
		  "level-3 base_freq: false -> true|level-3 base_freq_on: false -> true" },
		{ "command:0x7f sub_command:0x3 parameter:0x0 req_data:0x0", 0x1a00cd, 0x1b80cc,
		  "level-0 tdp_w: 205 -> 204|level-0 tdp_ratio: 26 -> 27" },
		{ "command:0x7f sub_command:0x6 parameter:0x0 req_data:0x104", 0x0, 0x5,
		  "level-4 cores 32-63: \"\" -> 32,34" },
		{ "command:0x7f sub_command:0x7 parameter:0x0 req_data:0x10000", 0x1e1f2021,
		  0x1e1f2020,
		  "level-0 turbo mhz 1 0-3: [3300,3200,3100,3000] -> [3200,3200,3100,3000]" },
		{ "command:0x7f sub_command:0xc parameter:0x0 req_data:0x10000", 0x8001018,
		  0x9001018, "level-0 uncore_mhz min: 800 -> 900" },
		{ "command:0x94 sub_command:0x3 parameter:0x0 req_data:0x0", 0x1, 0x10001,
		  "core_power enabled: false -> true" },
		{ "command:0xd0 sub_command:0x1 parameter:0x2 req_data:0x0", 0xff0000, 0xff0a35,
		  "clos-2 epp: 0 -> 5|clos-2 weight: 0 -> 3|clos-2 min_mhz: 0 -> 1000" },
	};
	static const char recording[] =
		"{\"recorded\": {\"files\": {" PLACES "}, \"requests\": [\"mbox: logical_cpu:1 %s "
		"resp_data:0x%x\"]}}";

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		_cleanup_free_ char *left = text_format(recording, words[i].asked, words[i].left);
		_cleanup_free_ char *right = text_format(recording, words[i].asked, words[i].right);
		_cleanup_free_ char *lines = strdup(words[i].lines);
		_cleanup_buffer_ struct buffer expected = { 0 };
		_cleanup_free_ char *last = NULL, *asked = strdup(words[i].asked);
		char *rest = lines, *line;

		while ((line = strsep(&rest, "|"))) {
			_cleanup_free_ char *whole = text_format("package-2 die-0 %s\n", line);

			buffer_append_string(&expected, whole);
		}
		for (char *at = asked; *at; at++)
			*at = *at == ':' ? ' ' : *at;
		last = text_format("package-2 die-0 mbox %s: resp_data: 0x%x -> 0x%x\n", asked,
				   words[i].left, words[i].right);
		buffer_append_string(&expected, last);
		assert_lines(json_loads(left, 0, NULL), json_loads(right, 0, NULL),
			     buffer_text(&expected));
	}
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
		cmocka_unit_test(test_answers), cmocka_unit_test(test_cpu_out_of_range),
		cmocka_unit_test(test_places),  cmocka_unit_test(test_figures),
		cmocka_unit_test(test_offline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
