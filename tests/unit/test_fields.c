// SPDX-License-Identifier: GPL-2.0-only
/* Values of each kind, and which are left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "temporary.h"
#include "base/cleanup.h"
#include "base/cpuset.h"
#include "output/output.h"

static int set_up(void **test)
{
	*test = temporary_make();
	return 0;
}

static int tear_down(void **test)
{
	temporary_remove(*test);
	return 0;
}

static const struct {
	uint32_t number;
	uint32_t khz;
	const char *word;
	const char *cpus;
	const char *result;
} cases[] = {
	{ 4294967295, 25500000, "enabled", "0-1,33",
	  " number:4294967295\n unit:4294967295 MHz\n mhz:25500\n word:enabled\n count:3\n"
	  " mask:00000002,00000003\n list:0,1,33\n" },
	{ 0, 0, NULL, "",
	  " number:0\n unit:0 MHz\n count:0\n mask:00000000,00000000\n list:none\n" },
	{ 1, 100000, "", "5",
	  " number:1\n unit:1 MHz\n mhz:100\n word:\n count:1\n mask:00000000,00000020\n list:5\n" },
};

static void check_case(const char *path, size_t number)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	struct output *output;

	assert_int_equal(cpulist_parse(cases[number].cpus, &cpus), 0);
	assert_int_equal(output_open(OUTPUT_TEXT, path, false, &output), 0);
	output_set_mask_words(output, 2);
	output_number(output, "number", cases[number].number, "");
	output_number(output, "unit", cases[number].number, " MHz");
	output_known_mhz(output, "mhz", cases[number].khz);
	output_known_text(output, "word", cases[number].word);
	output_number(output, "count", cpuset_count(&cpus), "");
	output_cpu_mask(output, "mask", &cpus);
	output_cpu_list(output, "list", &cpus);
	assert_int_equal(output_finish(output), 0);
	output_close(&output);
	temporary_assert_text(path, cases[number].result);
}

static void test_records(void **test)
{
	_cleanup_free_ char *path = temporary_path(*test, "results");

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_case(path, i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_records, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
