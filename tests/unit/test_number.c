// SPDX-License-Identifier: GPL-2.0-only
/* Strict number parsing: what is taken, what is refused and with which error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "base/number.h"

#define UNTOUCHED UINT64_C(0x5a5a5a5a5a5a5a5a)

struct number_case {
	const char *text;
	int err;
	uint64_t value;
};

static void check_result(const struct number_case *number, int err, uint64_t value)
{
	if (err != number->err)
		fail_msg("\"%s\": %d, not %d", number->text, err, number->err);
	assert_int_equal(value, err ? UNTOUCHED : number->value);
}

static void test_decimal(void **test)
{
	static const struct number_case cases[] = {
		{ .text = "0", .value = 0 },
		{ .text = "7", .value = 7 },
		{ .text = "0019", .value = 19 },
		{ .text = "18446744073709551615", .value = UINT64_MAX },
		{ .text = "000018446744073709551615", .value = UINT64_MAX },
		{ .text = "18446744073709551616", .err = -ERANGE },
		{ .text = "36893488147419103232", .err = -ERANGE },
		{ .text = "99999999999999999999999999999999999999", .err = -ERANGE },
		{ .text = "99999999999999999999999999999999x", .err = -EINVAL },
		{ .text = "", .err = -EINVAL },
		{ .text = "-1", .err = -EINVAL },
		{ .text = "+1", .err = -EINVAL },
		{ .text = " 1", .err = -EINVAL },
		{ .text = "1 ", .err = -EINVAL },
		{ .text = "1\n", .err = -EINVAL },
		{ .text = "1x", .err = -EINVAL },
		{ .text = "a", .err = -EINVAL },
		{ .text = "1f", .err = -EINVAL },
		{ .text = "0x10", .err = -EINVAL },
		{ .text = "1.5", .err = -EINVAL },
		{ .text = "1e3", .err = -EINVAL },
		{ .text = "1,2", .err = -EINVAL },
		{ .text = "\xd9\xa3", .err = -EINVAL }, /* a digit, but not of ours */
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t value = UNTOUCHED;
		int err = number_parse(cases[i].text, 0, UINT64_MAX, &value);

		check_result(&cases[i], err, value);
	}
}

static void test_decimal_bounds(void **test)
{
	static const struct {
		uint64_t min, max;
		struct number_case number;
	} cases[] = {
		{ .min = 0, .max = 7, .number = { .text = "7", .value = 7 } },
		{ .min = 0, .max = 7, .number = { .text = "8", .err = -ERANGE } },
		{ .min = 0, .max = 7, .number = { .text = "258", .err = -ERANGE } },
		{ .min = 1, .max = 100, .number = { .text = "0", .err = -ERANGE } },
		{ .min = 1, .max = 100, .number = { .text = "1", .value = 1 } },
		{ .min = 1, .max = 100, .number = { .text = "100", .value = 100 } },
		{ .min = 1, .max = 100, .number = { .text = "101", .err = -ERANGE } },
		{ .min = 5, .max = 5, .number = { .text = "5", .value = 5 } },
		{ .min = 5, .max = 5, .number = { .text = "4", .err = -ERANGE } },
		{ .min = 0, .max = UINT32_MAX, .number = { .text = "4294967296", .err = -ERANGE } },
		{ .min = 1, .max = 100, .number = { .text = "1000x", .err = -EINVAL } },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t value = UNTOUCHED;
		int err = number_parse(cases[i].number.text, cases[i].min, cases[i].max, &value);

		check_result(&cases[i].number, err, value);
	}
}

static void test_hex(void **test)
{
	static const struct number_case cases[] = {
		{ .text = "0x0", .value = 0 },
		{ .text = "0xff", .value = 0xff },
		{ .text = "0XFF", .value = 0xff },
		{ .text = "0xAbCdEf", .value = 0xabcdef },
		{ .text = "0x1a1c1d1e1f202122", .value = 0x1a1c1d1e1f202122 },
		{ .text = "0xffffffffffffffff", .value = UINT64_MAX },
		{ .text = "0x000000000000000000001", .value = 1 },
		{ .text = "0x10000000000000000", .err = -ERANGE },
		{ .text = "0x1ffffffffffffffff", .err = -ERANGE },
		{ .text = "", .err = -EINVAL },
		{ .text = "0", .err = -EINVAL },
		{ .text = "0x", .err = -EINVAL },
		{ .text = "x1", .err = -EINVAL },
		{ .text = "ff", .err = -EINVAL },
		{ .text = "10", .err = -EINVAL },
		{ .text = "00x1", .err = -EINVAL },
		{ .text = "0x0x1", .err = -EINVAL },
		{ .text = "0x-1", .err = -EINVAL },
		{ .text = "-0x1", .err = -EINVAL },
		{ .text = " 0x1", .err = -EINVAL },
		{ .text = "0x 1", .err = -EINVAL },
		{ .text = "0x1 ", .err = -EINVAL },
		{ .text = "0x1g", .err = -EINVAL },
		{ .text = "0x10000000000000000g", .err = -EINVAL },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t value = UNTOUCHED;
		int err = number_parse_hex(cases[i].text, &value);

		check_result(&cases[i], err, value);
	}
}

static void test_kernel_file(void **test)
{
	static const struct number_case cases[] = {
		{ .text = "0\n", .value = 0 },
		{ .text = "3500000\n", .value = 3500000 },
		{ .text = "12", .value = 12 },
		{ .text = "12 \t\n\n", .value = 12 },
		{ .text = "0x8f\n", .value = 0x8f },
		{ .text = "0X8F", .value = 0x8f },
		{ .text = "010\n", .value = 10 },
		{ .text = "18446744073709551615\n", .value = UINT64_MAX },
		{ .text = "18446744073709551616\n", .err = -ERANGE },
		{ .text = "0x10000000000000000\n", .err = -ERANGE },
		{ .text = "", .err = -EINVAL },
		{ .text = "\n", .err = -EINVAL },
		{ .text = "0x\n", .err = -EINVAL },
		{ .text = " 1\n", .err = -EINVAL },
		{ .text = "-1\n", .err = -EINVAL },
		{ .text = "n/a\n", .err = -EINVAL },
		{ .text = "<unsupported>\n", .err = -EINVAL },
		{ .text = "12 13\n", .err = -EINVAL },
		{ .text = "12kHz\n", .err = -EINVAL },
		{ .text = "18446744073709551616 x", .err = -EINVAL },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t value = UNTOUCHED;
		int err = number_parse_file(cases[i].text, &value);

		check_result(&cases[i], err, value);
	}
}

static void check_times(const struct number_case *cases, size_t count, bool has_default,
			uint64_t min_us, uint64_t max_us)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value = UNTOUCHED;
		int err = number_parse_time(cases[i].text, has_default, min_us, max_us, &value);

		check_result(&cases[i], err, value);
	}
}

/* Times below a second need a unit. */
static void test_time(void **test)
{
	static const struct number_case brief[] = {
		{ .text = "250us", .value = 250 },
		{ .text = "0010us", .value = 10 },
		{ .text = "1ms", .value = 1000 },
		{ .text = "2.44ms", .value = 2440 },
		{ .text = "0.5s", .value = 500000 },
		{ .text = "1s", .value = 1000000 },
		{ .text = "1", .err = -EINVAL },
		{ .text = "250", .err = -EINVAL },
		{ .text = "0", .err = -ERANGE },
		{ .text = "0.0", .err = -EINVAL },
		{ .text = "9us", .err = -ERANGE },
		{ .text = "1001ms", .err = -ERANGE },
		{ .text = "0.5us", .err = -EINVAL },
		{ .text = "1.us", .err = -EINVAL },
		{ .text = "1..5ms", .err = -EINVAL },
		{ .text = "us", .err = -EINVAL },
		{ .text = "", .err = -EINVAL },
		{ .text = "10 us", .err = -EINVAL },
		{ .text = "10usec", .err = -EINVAL },
		{ .text = "10US", .err = -EINVAL },
		{ .text = "10m", .err = -EINVAL },
		{ .text = "-10us", .err = -EINVAL },
		{ .text = "18446744073709551615s", .err = -ERANGE },
		{ .text = "18446744073709551616us", .err = -ERANGE },
	};
	static const struct number_case lasting[] = {
		{ .text = "10", .value = 10000000 }, { .text = "10s", .value = 10000000 },
		{ .text = "1.5", .value = 1500000 }, { .text = "1500ms", .value = 1500000 },
		{ .text = "0", .err = -ERANGE },     { .text = "86401", .err = -ERANGE },
		{ .text = "10x", .err = -EINVAL },
	};
	static const struct number_case zero = { .text = "0", .value = 0 };

	(void)test;
	check_times(brief, ARRAY_SIZE(brief), false, 10, 1000000);
	check_times(lasting, ARRAY_SIZE(lasting), true, 1000000, UINT64_C(86400000000));
	check_times(&zero, 1, false, 0, 1000);
}

static void test_show_time(void **test)
{
	static const struct {
		uint64_t us;
		const char *text;
	} cases[] = { { 0, "0" },          { 50, "50us" },
		      { 1000, "1ms" },     { 1500, "1500us" },
		      { 1000000, "1s" },   { 1001000, "1001ms" },
		      { 10000000, "10s" }, { UINT32_MAX, "4294967295us" } };

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[NUMBER_TIME_SIZE];

		number_format_time(cases[i].us, text);
		assert_string_equal(text, cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decimal), cmocka_unit_test(test_decimal_bounds),
		cmocka_unit_test(test_hex),     cmocka_unit_test(test_kernel_file),
		cmocka_unit_test(test_time),    cmocka_unit_test(test_show_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
