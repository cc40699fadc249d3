// SPDX-License-Identifier: GPL-2.0-only
/* What the words of CLOS limits mean at a level (state.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "sst/values.h"

#define UNTOUCHED 77

static const struct sst_level level = {
	.base_mhz = 2600,
	.turbo.mhz = { { 3200, 3400, 3100 }, { 3900 } },
};
static const struct sst_level silent = { .base_mhz = 0 }; /* it reports no frequency */

static const struct {
	const char *word;
	bool is_upper;
	const struct sst_level *level;
	int error;
	uint32_t mhz;
} vectors[] = {
	{ "min", false, &level, 0, 0 },
	{ "min", false, NULL, 0, 0 },
	{ "base", false, &level, 0, 2600 },
	{ "base", true, &level, 0, 2600 },
	{ "base", false, NULL, -ENODATA, UNTOUCHED },
	{ "base", true, &silent, -ENODATA, UNTOUCHED },
	{ "max", false, &level, 0, 3400 },
	{ "max", false, NULL, -ENODATA, UNTOUCHED },
	{ "max", false, &silent, -ENODATA, UNTOUCHED },
	{ "max", true, &level, 0, 25500 },
	{ "max", true, NULL, 0, 25500 },
};

static void test_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		uint32_t mhz = UNTOUCHED;
		int err = value_find_clos_limit(vectors[i].word, vectors[i].is_upper,
						vectors[i].level, &mhz);

		if (err != vectors[i].error || mhz != vectors[i].mhz)
			fail_msg("vector %zu, %s: %d and %u MHz", i, vectors[i].word, err, mhz);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_words) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
