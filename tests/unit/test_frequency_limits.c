// SPDX-License-Identifier: GPL-2.0-only
/* Which limit of a CPU's frequency binds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "features/cpufreq_explain.h"

/* The default of every member of a case. */
#define USUAL                                                                                \
	.lowest_khz = 800000, .highest_khz = 3200000, .min_khz = 800000, .max_khz = 3200000, \
	.base_khz = 2600000

static const struct {
	const char *what;
	struct frequency_facts facts;
	const char *upper; /* NULL: there is none */
	uint32_t upper_khz;
	const char *lower;
	uint32_t lower_khz;
} vectors[] = {
	{ "nothing known", { 0 }, NULL, 0, NULL, 0 },
	{ "nothing set", { USUAL }, "highest-possible", 3200000, "lowest-possible", 800000 },
	{ "scaling limits",
	  { .lowest_khz = 800000,
	    .highest_khz = 3200000,
	    .min_khz = 1000000,
	    .max_khz = 2000000,
	    .max_percent = 100 },
	  "scaling-maximum",
	  2000000,
	  "scaling-minimum",
	  1000000 },
	{ "percent",
	  { USUAL, .min_percent = 50, .max_percent = 75 },
	  "max_perf_pct",
	  2400000,
	  "min_perf_pct",
	  1600000 },
	{ "active cores",
	  { USUAL, .turbo_limit_khz = 3000000 },
	  "turbo-ratio-limit",
	  3000000,
	  "lowest-possible",
	  800000 },
	{ "turbo off",
	  { USUAL, .turbo_off = true, .turbo_limit_khz = 3000000 },
	  "no_turbo",
	  2600000,
	  "lowest-possible",
	  800000 },
	{ "turbo off, with SST-BF",
	  { USUAL, .turbo_off = true, .base_freq_khz = 2800000, .level_base_khz = 2600000 },
	  "no_turbo",
	  2800000,
	  "lowest-possible",
	  800000 },
	{ "turbo off, no base frequency of cpufreq",
	  { .highest_khz = 3200000, .turbo_off = true, .level_base_khz = 2400000 },
	  "no_turbo",
	  2400000,
	  NULL,
	  0 },
	{ "a class of service",
	  { USUAL, .clos_min_khz = 1500000, .clos_max_khz = 2500000 },
	  "clos-max",
	  2500000,
	  "clos-min",
	  1500000 },
	{ "SST-TF, high priority",
	  { USUAL, .turbo_freq_khz = 3100000 },
	  "turbo-freq-bucket",
	  3100000,
	  "lowest-possible",
	  800000 },
	{ "SST-TF, low priority",
	  { USUAL, .clip_khz = 2300000, .clos_max_khz = 2500000 },
	  "turbo-freq-clip",
	  2300000,
	  "lowest-possible",
	  800000 },
	{ "of equal ones that of the hardware",
	  { USUAL, .clip_khz = 2300000, .clos_max_khz = 2300000 },
	  "turbo-freq-clip",
	  2300000,
	  "lowest-possible",
	  800000 },
};

static void assert_binding(const char *what, const struct frequency_limit *limit, const char *name,
			   uint32_t khz)
{
	if (!limit != !name || (limit && (strcmp(limit->name, name) != 0 || limit->khz != khz)))
		fail_msg("%s: %s at %u", what, limit ? limit->name : "none",
			 limit ? limit->khz : 0);
}

static void test_binding(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct frequency_limit limits[FREQUENCY_LIMITS];
		size_t count = frequency_limits_collect(&vectors[i].facts, limits);

		assert_binding(vectors[i].what,
			       frequency_limits_binding(limits, count, FREQUENCY_UPPER),
			       vectors[i].upper, vectors[i].upper_khz);
		assert_binding(vectors[i].what,
			       frequency_limits_binding(limits, count, FREQUENCY_LOWER),
			       vectors[i].lower, vectors[i].lower_khz);
	}
}

/* All facts there are make a limit each, and all kinds of them. */
static void test_all(void **state)
{
	const struct frequency_facts facts = {
		USUAL,
		.min_percent = 30,
		.max_percent = 90,
		.turbo_off = true,
		.level_base_khz = 1,
		.base_freq_khz = 2,
		.clos_min_khz = 3,
		.clos_max_khz = 4,
		.turbo_limit_khz = 5,
		.turbo_freq_khz = 6,
		.clip_khz = 7,
	};
	struct frequency_limit limits[FREQUENCY_LIMITS];
	size_t count = frequency_limits_collect(&facts, limits), n_guaranteed = 0;

	(void)state;
	assert_int_equal(count, 15);
	for (size_t i = 0; i < count; i++)
		n_guaranteed += limits[i].kind == FREQUENCY_GUARANTEED;
	assert_int_equal(n_guaranteed, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_binding),
		cmocka_unit_test(test_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
