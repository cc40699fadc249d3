// SPDX-License-Identifier: GPL-2.0-only
/* Names of error numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/error_name.h"

static void test_name(void **state)
{
	(void)state;
	assert_string_equal(error_name(-ENXIO), "ENXIO");
	assert_null(error_name(-100000));
	assert_null(error_name(0));
}

static void test_find(void **state)
{
	(void)state;
	assert_int_equal(error_find("ENOENT", 6), -ENOENT);
	assert_int_equal(error_find("ENOENTS", 7), 0);
	assert_int_equal(error_find("ENO", 3), 0);
	assert_int_equal(error_find("", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name),
		cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
