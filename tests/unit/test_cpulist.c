// SPDX-License-Identifier: GPL-2.0-only
/* CPU lists: the kernel's form and the form of -c, what each takes and refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "base/cpuset.h"

#define HIGHEST "1048575"
#define BEYOND  "1048576"

struct list_case {
	const char *text;
	int err;
	const char *ranges; /* the set, in the kernel's form */
	const char *problem; /* words that the message must have, or NULL */
};

static void check_set(const char *text, const struct cpuset *set, const char *ranges)
{
	_cleanup_free_ char *found = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&found, &length);

	assert_non_null(to);
	cpuset_write_ranges(set, to);
	assert_int_equal(fclose(to), 0);
	if (strcmp(found, ranges) != 0)
		fail_msg("\"%s\": the set is \"%s\", not \"%s\"", text, found, ranges);
}

static void check_result(const struct list_case *list, int err, const struct cpuset *set)
{
	if (err != list->err)
		fail_msg("\"%s\": %d, not %d", list->text, err, list->err);
	if (err)
		assert_null(set->words); /* untouched */
	else
		check_set(list->text, set, list->ranges);
}

static void test_kernel_form(void **test)
{
	static const struct list_case cases[] = {
		{ .text = "", .ranges = "" },
		{ .text = "\n", .ranges = "" },
		{ .text = "0", .ranges = "0" },
		{ .text = "0\n", .ranges = "0" },
		{ .text = "0-3,8-11\n", .ranges = "0-3,8-11" },
		{ .text = "0,128\n", .ranges = "0,128" },
		{ .text = "5-5\n", .ranges = "5" },
		{ .text = "8,3,2,1\n", .ranges = "1-3,8" },
		{ .text = "0-3,2-5,4\n", .ranges = "0-5" },
		{ .text = "00,007\n", .ranges = "0,7" },
		{ .text = "0-8191\n", .ranges = "0-8191" },
		{ .text = HIGHEST, .ranges = HIGHEST },
		{ .text = BEYOND, .err = -ERANGE },
		{ .text = "0-" BEYOND, .err = -ERANGE },
		{ .text = "0-4294967295", .err = -ERANGE },
		{ .text = "99999999999999999999999", .err = -ERANGE },
		{ .text = "3-2", .err = -EINVAL },
		{ .text = "0-3-5", .err = -EINVAL },
		{ .text = "0..3", .err = -EINVAL },
		{ .text = "1,,2", .err = -EINVAL },
		{ .text = ",1", .err = -EINVAL },
		{ .text = "1,", .err = -EINVAL },
		{ .text = "1,\n", .err = -EINVAL },
		{ .text = "1-", .err = -EINVAL },
		{ .text = "-1", .err = -EINVAL },
		{ .text = "1 2", .err = -EINVAL },
		{ .text = " 1", .err = -EINVAL },
		{ .text = "1\n\n", .err = -EINVAL },
		{ .text = "1\n2", .err = -EINVAL },
		{ .text = "\n1", .err = -EINVAL },
		{ .text = "abc", .err = -EINVAL },
		{ .text = "0x1", .err = -EINVAL },
		{ .text = "0-31:1/2", .err = -EINVAL },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_cpuset_ struct cpuset set = { 0 };

		check_result(&cases[i], cpulist_parse(cases[i].text, &set), &set);
	}
}

static void test_user_form(void **test)
{
	static const struct list_case cases[] = {
		{ .text = "0", .ranges = "0" },
		{ .text = "1,2,4..6,8-10", .ranges = "1-2,4-6,8-10" },
		{ .text = "5-5", .ranges = "5" },
		{ .text = "5..5", .ranges = "5" },
		{ .text = "3,3,3", .ranges = "3" },
		{ .text = "7,1", .ranges = "1,7" },
		{ .text = "0-4095", .ranges = "0-4095" },
		{ .text = HIGHEST, .ranges = HIGHEST },
		{ .text = BEYOND, .err = -ERANGE, .problem = "too large" },
		{ .text = "1.." BEYOND, .err = -ERANGE, .problem = "too large" },
		{ .text = "18446744073709551617", .err = -ERANGE, .problem = "too large" },
		{ .text = "", .err = -EINVAL, .problem = "empty" },
		{ .text = ",", .err = -EINVAL, .problem = "number" },
		{ .text = "1,,2", .err = -EINVAL, .problem = "number" },
		{ .text = "1,", .err = -EINVAL, .problem = "number" },
		{ .text = ",1", .err = -EINVAL, .problem = "number" },
		{ .text = "1..", .err = -EINVAL, .problem = "number" },
		{ .text = "1-", .err = -EINVAL, .problem = "number" },
		{ .text = "-1", .err = -EINVAL, .problem = "number" },
		{ .text = "..3", .err = -EINVAL, .problem = "number" },
		{ .text = "1-..3", .err = -EINVAL, .problem = "number" },
		{ .text = "1...3", .err = -EINVAL, .problem = "number" },
		{ .text = " 1", .err = -EINVAL, .problem = "number" },
		{ .text = "all", .err = -EINVAL, .problem = "number" },
		{ .text = "6..4", .err = -EINVAL, .problem = "lower to the higher" },
		{ .text = "10-9", .err = -EINVAL, .problem = "lower to the higher" },
		{ .text = "1.3", .err = -EINVAL, .problem = "only numbers" },
		{ .text = "1\n", .err = -EINVAL, .problem = "only numbers" },
		{ .text = "1 ,2", .err = -EINVAL, .problem = "only numbers" },
		{ .text = "1;2", .err = -EINVAL, .problem = "only numbers" },
		{ .text = "0-3-5", .err = -EINVAL, .problem = "only numbers" },
		{ .text = "0x1", .err = -EINVAL, .problem = "only numbers" },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_cpuset_ struct cpuset set = { 0 };
		const char *problem = NULL;

		check_result(&cases[i], cpulist_parse_user(cases[i].text, &set, &problem), &set);
		if (cases[i].problem && (!problem || !strstr(problem, cases[i].problem)))
			fail_msg("\"%s\": the problem is \"%s\"", cases[i].text, problem ?: "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_form),
		cmocka_unit_test(test_user_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
