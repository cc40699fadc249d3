// SPDX-License-Identifier: GPL-2.0-only
/* Words of cpufreq set: frequencies within what a policy can do, energy hints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "host/cpufreq.h"

static void test_frequency(void **state)
{
	static const struct cpufreq_policy whole = {
		.lowest_khz = 800000,
		.highest_khz = 3200000,
		.base_khz = 2600000,
	};
	static const struct cpufreq_policy bare = { 0 };
	static const struct {
		const char *text;
		const struct cpufreq_policy *policy;
		int err;
		uint32_t khz; /* 7: untouched */
	} vectors[] = {
		{ "min", &whole, 0, 800000 },
		{ "base", &whole, 0, 2600000 },
		{ "max", &whole, 0, 3200000 },
		{ "800", &whole, 0, 800000 },
		{ "3200", &whole, 0, 3200000 },
		{ "799", &whole, -ERANGE, 800000 },
		{ "3201", &whole, -ERANGE, 3200000 },
		{ "2147483", &whole, -ERANGE, 3200000 },
		{ "2147484", &whole, -EINVAL, 7 },
		{ "0", &whole, -EINVAL, 7 },
		{ "-1", &whole, -EINVAL, 7 },
		{ "2.4GHz", &whole, 0, 2400000 },
		{ "2400MHz", &whole, 0, 2400000 },
		{ "2.4THz", &whole, -EINVAL, 7 },
		{ "Base", &whole, -EINVAL, 7 },
		{ "base ", &whole, -EINVAL, 7 },
		{ "", &whole, -EINVAL, 7 },
		{ "min", &bare, -ENODATA, 7 },
		{ "base", &bare, -ENODATA, 7 },
		{ "max", &bare, -ENODATA, 7 },
		{ "1", &bare, 0, 1000 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		uint32_t khz = 7;
		int err = cpufreq_parse_limit(vectors[i].text, vectors[i].policy, &khz);

		if (err != vectors[i].err || khz != vectors[i].khz)
			fail_msg("%s: %d, %u kHz", vectors[i].text, err, khz);
	}
}

static void test_bias(void **state)
{
	static const struct {
		const char *text;
		int err;
		uint32_t bias;
	} vectors[] = {
		{ "performance", 0, 0 },
		{ "balance-performance", 0, 4 },
		{ "normal", 0, 6 },
		{ "balance-power", 0, 8 },
		{ "power", 0, 15 },
		{ "0", 0, 0 },
		{ "15", 0, 15 },
		{ "16", -EINVAL, 7 },
		{ "balance_power", -EINVAL, 7 },
		{ "0x4", -EINVAL, 7 },
		{ "", -EINVAL, 7 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		uint32_t bias = 7;

		assert_int_equal(cpufreq_parse_epb(vectors[i].text, &bias), vectors[i].err);
		assert_int_equal(bias, vectors[i].bias);
	}
}

static void test_preference_name(void **state)
{
	(void)state;
	assert_string_equal(cpufreq_find_epp_name("0"), "performance");
	assert_string_equal(cpufreq_find_epp_name("128"), "balance_performance");
	assert_string_equal(cpufreq_find_epp_name("192"), "balance_power");
	assert_string_equal(cpufreq_find_epp_name("255"), "power");
	assert_null(cpufreq_find_epp_name("1"));
	assert_null(cpufreq_find_epp_name("256"));
	assert_null(cpufreq_find_epp_name("power"));
}

static void test_has_member(void **state)
{
	static const struct {
		const char *word;
		const char *list;
		bool is_in;
	} vectors[] = {
		{ "powersave", "performance powersave", true },
		{ "power", "performance powersave", false },
		{ "power", "default power ", true },
		{ "power", "power", true },
		{ "save", "powersave", false },
		{ "", "performance  powersave", false },
		{ "power", "", false },
		{ "power", NULL, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
		assert_int_equal(files_has_word(vectors[i].list, vectors[i].word),
				 vectors[i].is_in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frequency),
		cmocka_unit_test(test_bias),
		cmocka_unit_test(test_preference_name),
		cmocka_unit_test(test_has_member),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
