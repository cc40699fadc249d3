// SPDX-License-Identifier: GPL-2.0-only
/* What an option takes as a number: with its unit or without, and never a part of the text. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "cli/option.h"

struct numbers {
	struct option_number number;
};

static const struct option percent = {
	0, "max-pct", "PCT", "", OPTION_NUMBER(struct numbers, number, 0, 100), .unit = "%",
};
static const struct option watts = {
	0, "limit", "W", "", OPTION_DECIMAL(struct numbers, number, 0, 1000000, NULL), .unit = "W",
};
static const struct option clock_rate = {
	0, "max", "MHZ", "", OPTION_MHZ(struct numbers, number, 0, 10000),
};
static const struct option mask = {
	0, "mask", "HEX", "", OPTION_HEX(struct numbers, number),
};

/* Reads the text into *ret_value, or returns -EINVAL. */
static int read_text(const struct option *option, const char *text, uint64_t *ret_value)
{
	struct numbers numbers = { 0 };
	struct option_text problem;
	int err = option_read(option, option->name, text, &numbers, &problem);

	assert_int_equal(err != 0, problem.text[0] != '\0');
	assert_int_equal(err == 0, numbers.number.given);
	*ret_value = numbers.number.value;
	return err;
}

static void test_units(void **state)
{
	static const struct {
		const struct option *option;
		const char *text;
		int err;
		uint64_t value;
	} vectors[] = {
		{ &percent, "50", 0, 50 },        { &percent, "50%", 0, 50 },
		{ &percent, "50 %", -EINVAL, 0 }, { &percent, "50%%", -EINVAL, 0 },
		{ &percent, "%", -EINVAL, 0 },    { &percent, "50W", -EINVAL, 0 },
		{ &percent, "", -EINVAL, 0 },     { &watts, "250.5W", 0, 250500 },
		{ &watts, "W", -EINVAL, 0 },      { &mask, "0x1f", 0, 0x1f },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		uint64_t value;

		assert_int_equal(read_text(vectors[i].option, vectors[i].text, &value),
				 vectors[i].err);
		assert_int_equal(value, vectors[i].value);
	}
}

/* A number after 1,100 zeros is refused, or read whole; never cut. */
static void test_long_numbers(void **state)
{
	static const struct {
		const struct option *option;
		const char *end;
		uint64_t value;
	} vectors[] = {
		{ &percent, "50", 50 },        { &percent, "50%", 50 },
		{ &watts, "250", 250000 },     { &watts, "250W", 250000 },
		{ &clock_rate, "2100", 2100 }, { &clock_rate, "2100MHz", 2100 },
	};
	char text[1200];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct option *option = vectors[i].option;
		uint64_t value, expected;

		assert_int_equal(read_text(option, vectors[i].end, &expected), 0);
		memset(text, '0', 1100);
		stpcpy(text + 1100, vectors[i].end);
		if (!read_text(option, text, &value))
			assert_int_equal(value, expected);
		else
			assert_int_equal(value, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_long_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
