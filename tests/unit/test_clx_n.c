// SPDX-License-Identifier: GPL-2.0-only
/* The TDP ratio out of a model name (hardware.md, section 7). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "sst/platform.h"

static void test_ratio(void **test)
{
	static const struct {
		const char *name;
		uint32_t ratio;
	} cases[] = {
		{ .name = "Intel(R) Xeon(R) Gold 6230N CPU @ 2.30GHz", .ratio = 23 },
		{ .name = "Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz", .ratio = 23 },
		{ .name = "Intel(R) Xeon(R) Gold 5218N CPU @ 2.00GHz", .ratio = 20 },
		{ .name = "Intel(R) Xeon(R) Bronze 3206R CPU @ 1.90GHz", .ratio = 19 },
		{ .name = "CPU @ 0.80GHz", .ratio = 8 },
		{ .name = "CPU @ 10.45GHz", .ratio = 104 },
		{ .name = "CPU @2.3GHz", .ratio = 23 },
		{ .name = "CPU @   2.3GHz", .ratio = 23 },
		{ .name = "@ 3.5", .ratio = 35 },
		{ .name = "" },
		{ .name = "@" },
		{ .name = "CPU @ " },
		{ .name = "CPU @ GHz" },
		{ .name = "CPU @ 2GHz" },
		{ .name = "CPU @ 2." },
		{ .name = "CPU @ 2.GHz" },
		{ .name = "CPU @ two.3GHz" },
		{ .name = "CPU @ -2.3GHz" },
		{ .name = "CPU @ 99999999999999999999.9GHz" },
		{ .name = "INTEL(R) XEON(R) PLATINUM 8592+" },
		{ .name = "Intel(R) Xeon(R) Gold 6230N 2.30GHz" },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t ratio = clx_n_parse_ratio(cases[i].name);

		if (ratio != cases[i].ratio)
			fail_msg("\"%s\": %u, not %u", cases[i].name, ratio, cases[i].ratio);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ratio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
