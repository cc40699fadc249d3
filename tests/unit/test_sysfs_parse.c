// SPDX-License-Identifier: GPL-2.0-only
/* What is written to kernel files, read as the kernel reads it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "simulator/sysfs_parse.h"
#include "simulator/sysfs_names.h"
#include "machine/files.h"

struct number_vector {
	const char *text;
	unsigned int base;
	uint64_t max;
	int err;
	uint64_t value;
};

static const struct number_vector number_vectors[] = {
	{ "0", 0, UINT32_MAX, 0, 0 },
	{ "12\n", 0, UINT32_MAX, 0, 12 },
	{ "+12", 0, UINT32_MAX, 0, 12 },
	{ "0x1F", 0, UINT32_MAX, 0, 31 },
	{ "0X1f", 16, UINT32_MAX, 0, 31 },
	{ "1f", 16, UINT32_MAX, 0, 31 },
	{ "010", 0, UINT32_MAX, 0, 8 },
	{ "010", 10, UINT32_MAX, 0, 10 },
	{ "08", 0, UINT32_MAX, -EINVAL, 0 },
	{ "0x", 0, UINT32_MAX, -EINVAL, 0 },
	{ "0x10", 10, UINT32_MAX, -EINVAL, 0 },
	{ "", 0, UINT32_MAX, -EINVAL, 0 },
	{ "\n", 0, UINT32_MAX, -EINVAL, 0 },
	{ "-1", 0, UINT32_MAX, -EINVAL, 0 },
	{ "1 ", 0, UINT32_MAX, -EINVAL, 0 },
	{ " 1", 0, UINT32_MAX, -EINVAL, 0 },
	{ "1\n\n", 0, UINT32_MAX, -EINVAL, 0 },
	{ "2.4GHz", 0, UINT32_MAX, -EINVAL, 0 },
	{ "4294967295", 0, UINT32_MAX, 0, UINT32_MAX },
	{ "4294967296", 0, UINT32_MAX, -ERANGE, 0 },
	{ "18446744073709551615", 0, UINT64_MAX, 0, UINT64_MAX },
	{ "18446744073709551616", 0, UINT64_MAX, -ERANGE, 0 },
	{ "99999999999999999999junk", 0, UINT64_MAX, -ERANGE, 0 },
};

static void test_unsigned(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(number_vectors); i++) {
		const struct number_vector *vector = &number_vectors[i];
		uint64_t value = 77;
		int err = sysfs_parse_unsigned(vector->text, vector->base, vector->max, &value);

		if (err != vector->err || value != (err ? 77 : vector->value))
			fail_msg("\"%s\": %d", vector->text, err);
	}
}

static const struct {
	const char *text;
	int err;
	int32_t value;
} signed_vectors[] = {
	{ "-1", 0, -1 },
	{ "-0x10\n", 0, -16 },
	{ "2147483647", 0, INT32_MAX },
	{ "2147483648", -ERANGE, 0 },
	{ "-2147483648", 0, INT32_MIN },
	{ "-2147483649", -ERANGE, 0 },
	{ "--1", -EINVAL, 0 },
	{ "n/a", -EINVAL, 0 },
};

static void test_signed(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(signed_vectors); i++) {
		int32_t value = 0;
		int err = sysfs_parse_signed(signed_vectors[i].text, &value);

		if (err != signed_vectors[i].err || value != signed_vectors[i].value)
			fail_msg("\"%s\": %d", signed_vectors[i].text, err);
	}
}

static const struct {
	const char *text;
	int err;
	bool value;
} bool_vectors[] = {
	{ "1", 0, true },         { "1garbage", 0, true }, { "Y\n", 0, true },
	{ "true", 0, true },      { "on", 0, true },       { "ON\n", 0, true },
	{ "0", 0, false },        { "No", 0, false },      { "false", 0, false },
	{ "off", 0, false },      { "oFF", 0, false },     { "2", -EINVAL, false },
	{ "-1", -EINVAL, false }, { "o", -EINVAL, false }, { "", -EINVAL, false },
	{ " 1", -EINVAL, false },
};

static void test_bool(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(bool_vectors); i++) {
		bool value = false;
		int err = sysfs_parse_bool(bool_vectors[i].text, &value);

		if (err != bool_vectors[i].err || value != bool_vectors[i].value)
			fail_msg("\"%s\": %d", bool_vectors[i].text, err);
	}
}

static const struct {
	const char *text;
	int err;
	uint32_t value;
} prefix_vectors[] = {
	{ "1abc", 0, 1 },   { " 42\n", 0, 42 },   { "abc", -EINVAL, 0 },
	{ "", -EINVAL, 0 }, { "-1", -EINVAL, 0 },
};

static void test_prefix(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(prefix_vectors); i++) {
		uint32_t value = 0;

		assert_int_equal(sysfs_parse_prefix(prefix_vectors[i].text, &value),
				 prefix_vectors[i].err);
		assert_int_equal(value, prefix_vectors[i].value);
	}
}

static void test_words(void **test)
{
	char word[SYSFS_WORD_SIZE];

	(void)test;
	assert_int_equal(sysfs_parse_word("  power \n", 21, word), 0);
	assert_string_equal(word, "power");
	assert_int_equal(sysfs_parse_word("abcdef", 3, word), 0);
	assert_string_equal(word, "abc");
	assert_int_equal(sysfs_parse_word(" \n", 21, word), -EINVAL);
	assert_true(sysfs_parse_is("off", "off"));
	assert_true(sysfs_parse_is("off\n", "off"));
	assert_false(sysfs_parse_is("off ", "off"));
	assert_false(sysfs_parse_is("offline", "off"));
}

static const struct {
	const char *name;
	bool is;
	uint32_t number;
} numbered_vectors[] = {
	{ "cpu0", true, 0 },    { "cpu12", true, 12 },         { "cpu", false, 0 },
	{ "cpu012", false, 0 }, { "cpufreq", false, 0 },       { "cpu-1", false, 0 },
	{ "cp0", false, 0 },    { "cpu4294967296", false, 0 },
};

static void test_numbered(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(numbered_vectors); i++) {
		uint32_t number = 0;

		assert_int_equal(sysfs_parse_numbered(numbered_vectors[i].name, "cpu", &number),
				 numbered_vectors[i].is);
		assert_int_equal(number, numbered_vectors[i].number);
	}
}

static void test_names(void **test)
{
	_cleanup_sysfs_names_ struct sysfs_names names = { 0 };
	char **sorted = NULL;

	(void)test;
	for (unsigned int i = 0; i < 40; i++)
		assert_int_equal(sysfs_names_add_format(&names, "cpu%u", 39 - i), 0);
	assert_int_equal(sysfs_names_add(&names, "Z"), 0);
	assert_int_equal(sysfs_names_finish(&names, &sorted), 0);
	assert_string_equal(sorted[0], "Z");
	assert_string_equal(sorted[1], "cpu0");
	assert_string_equal(sorted[2], "cpu1");
	assert_string_equal(sorted[3], "cpu10");
	assert_string_equal(sorted[40], "cpu9");
	assert_null(sorted[41]);
	assert_int_equal(names.count, 0);
	files_free_names(&sorted);
	assert_int_equal(sysfs_names_finish(&names, &sorted), 0);
	assert_null(sorted[0]);
	files_free_names(&sorted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unsigned), cmocka_unit_test(test_signed),
		cmocka_unit_test(test_bool),     cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_words),    cmocka_unit_test(test_numbered),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
