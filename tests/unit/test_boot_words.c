// SPDX-License-Identifier: GPL-2.0-only
/* Which words of the kernel's command line are kept, and names of error numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "base/error_name.h"
#include "host/boot_words.h"

static void test_kept(void **state)
{
	static const struct {
		const char *line, *kept;
	} lines[] = {
		{ "", "\n" },
		{ "\n", "\n" },
		{ "BOOT_IMAGE=/vmlinuz root=UUID=1234 ro quiet\n", "\n" },
		{ "isolcpus=2,3 quiet nohz_full=2\n", "isolcpus=2,3 nohz_full=2\n" },
		{ "  idle=poll   nosmt  ", "idle=poll nosmt\n" },
		{ "nohz nohz_fullest=1 isolcpus.x=1 xisolcpus=1", "nohz\n" },
		{ "ip=192.0.2.7 hostname=mitigations mitigations=off", "mitigations=off\n" },
		{ "intel_idle.max_cstate=1 tsc=reliable",
		  "intel_idle.max_cstate=1 tsc=reliable\n" },
		{ "nohz-full=2 isolcpus=\"2, 3\"\tro", "nohz-full=2 isolcpus=\"2, 3\"\n" },
		{ "name=\"x idle=poll\" nosmt", "nosmt\n" },
		{ "nosmt name=\"open idle=poll\n", "nosmt\n" },
		{ "nosmt -- idle=poll", "nosmt\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		_cleanup_free_ char *kept = boot_words_keep(lines[i].line);

		assert_string_equal(kept, lines[i].kept);
	}
}

static void test_errors(void **state)
{
	(void)state;
	assert_string_equal(error_name(-ENXIO), "ENXIO");
	assert_null(error_name(-100000));
	assert_null(error_name(0));
	assert_int_equal(error_find("ENOENT", 6), -ENOENT);
	assert_int_equal(error_find("ENOENTS", 7), 0);
	assert_int_equal(error_find("ENO", 3), 0);
	assert_int_equal(error_find("", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
