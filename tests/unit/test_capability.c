// SPDX-License-Identifier: GPL-2.0-only
/* CAP_SYS_ADMIN of this process, compared with what the kernel reports; and a process without it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sys/capability.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "host/host.h"

/* Bit CAP_SYS_ADMIN of CapEff in /proc/self/status. */
static int kernel_says(void)
{
	_cleanup_free_ char *text = NULL;
	const char *line;
	size_t length;

	assert_int_equal(fileio_read("/proc/self/status", 0, &text, &length), 0);
	line = strstr(text, "\nCapEff:");
	assert_non_null(line);
	return (int)(strtoull(line + strlen("\nCapEff:"), NULL, 16) >> CAP_SYS_ADMIN & 1);
}

static void test_matches_the_kernel(void **test)
{
	(void)test;
	assert_int_equal(capability_has_sys_admin(), kernel_says());
}

static void set_effective(cap_flag_value_t value)
{
	static const cap_value_t sys_admin = CAP_SYS_ADMIN;
	cap_t capabilities = cap_get_proc();

	assert_non_null(capabilities);
	assert_int_equal(cap_set_flag(capabilities, CAP_EFFECTIVE, 1, &sys_admin, value), 0);
	assert_int_equal(cap_set_proc(capabilities), 0);
	assert_int_equal(cap_free(capabilities), 0);
}

/* A capability that is permitted but not effective does not count: nor does being root. */
static void test_permitted_only(void **test)
{
	bool had = capability_has_sys_admin() == 1;

	(void)test;
	set_effective(CAP_CLEAR);
	assert_int_equal(kernel_says(), 0);
	assert_int_equal(capability_has_sys_admin(), 0);
	if (!had)
		return;
	set_effective(CAP_SET);
	assert_int_equal(capability_has_sys_admin(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matches_the_kernel),
		cmocka_unit_test(test_permitted_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
