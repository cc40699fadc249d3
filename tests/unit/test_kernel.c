// SPDX-License-Identifier: GPL-2.0-only
/* Releases of the kernel and which defects they can have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "host/kernel.h"

static const struct {
	const char *release;
	bool replays, dies;
} vectors[] = {
	{ "5.14.0-570.el9.x86_64", true, false },
	{ "6.12.117+deb12-amd64", true, false },
	{ "6.13.0-rc1", true, true },
	{ "6.15.11", true, true },
	{ "6.16.0", false, true },
	{ "7.1.9", false, true },
	{ "7.2.0", false, false },
	{ "10.0", false, false },
	/* What is unknown could have any defect. */
	{ NULL, true, true },
	{ "", true, true },
	{ "7", true, true },
	{ "7.x", true, true },
	{ "Linux", true, true },
};

static void knows_the_defects_of_each_release(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const char *release = vectors[i].release;

		if (kernel_has_defect(release, KERNEL_REPLAYS_LIMITS) != vectors[i].replays ||
		    kernel_has_defect(release, KERNEL_DIES_OF_UNBOUND_TPMI) != vectors[i].dies)
			fail_msg("release %s", release ?: "(unknown)");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(knows_the_defects_of_each_release) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
