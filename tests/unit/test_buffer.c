// SPDX-License-Identifier: GPL-2.0-only
/* Texts that grow, numbers and printf forms in them, and texts made printable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <inttypes.h>

#include "base/buffer.h"
#include "base/cleanup.h"

static void test_numbers(void **state)
{
	static const uint64_t numbers[] = { 0, 9, 10, 4294967295, 4294967296, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		_cleanup_buffer_ struct buffer buffer = { 0 };
		char wanted[24];

		snprintf(wanted, sizeof(wanted), "%" PRIu64, numbers[i]);
		buffer_append_number(&buffer, numbers[i]);
		assert_string_equal(buffer_text(&buffer), wanted);
		assert_int_equal(buffer.length, strlen(wanted));
	}
}

static void test_shell_words(void **state)
{
	static const char *const vectors[][2] = {
		{ "/etc/x-1.json", "/etc/x-1.json" },
		{ "", "''" },
		{ "a b", "'a b'" },
		{ "it's", "'it'\\''s'" },
		{ "$HOME", "'$HOME'" },
		{ "~", "'~'" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		_cleanup_buffer_ struct buffer buffer = { 0 };

		buffer_append_shell_word(&buffer, vectors[i][0]);
		assert_string_equal(buffer_text(&buffer), vectors[i][1]);
	}
}

static void test_growing(void **state)
{
	_cleanup_buffer_ struct buffer buffer = { 0 };
	_cleanup_free_ char *text = NULL;
	size_t length = 1;

	(void)state;
	assert_string_equal(buffer_text(&buffer), "");
	text = buffer_steal(&buffer, &length);
	assert_string_equal(text, "");
	assert_int_equal(length, 0);
	for (size_t i = 1; i <= 5000; i++) {
		buffer_append_char(&buffer, 'a');
		buffer_append(&buffer, "      ", i % 7);
		buffer_append_string(&buffer, "bc");
		assert_int_equal(strlen(buffer_text(&buffer)), buffer.length);
		assert_true(buffer.size > buffer.length);
	}
	buffer_clear(&buffer);
	assert_string_equal(buffer_text(&buffer), "");
	buffer_append_string(&buffer, "again");
	free(text);
	text = buffer_steal(&buffer, &length);
	assert_string_equal(text, "again");
	assert_int_equal(length, 5);
	assert_null(buffer.data);
}

static void __attribute__((format(printf, 2, 3)))
assert_format(const char *wanted, const char *format, ...)
{
	_cleanup_buffer_ struct buffer buffer = { 0 };
	va_list args;

	buffer_append_string(&buffer, "before ");
	va_start(args, format);
	buffer_append_format(&buffer, format, args);
	va_end(args);
	assert_int_equal(strncmp(buffer_text(&buffer), "before ", 7), 0);
	assert_string_equal(buffer_text(&buffer) + 7, wanted);
}

static void test_formats(void **state)
{
	(void)state;
	assert_format("", "%s", "");
	assert_format("plain", "plain");
	assert_format("level-3 of 4", "level-%u of %" PRIu32, 3U, (uint32_t)4);
	assert_format("a 18446744073709551615 b 5", "%s %" PRIu64 " b %zu", "a", UINT64_MAX,
		      (size_t)5);
	/* A format that only printf supports is appended correctly at every position. */
	assert_format("a 7 0x1f -1", "%s %u 0x%x %d", "a", 7U, 31U, -1);
	assert_format("100% of 1.50", "100%% of %.2f", 1.5);
	assert_format("  5", "%3u", 5U);
	assert_format("12345678901", "%lld", 12345678901LL);
}

static void test_printable(void **state)
{
	static const char *const vectors[][2] = {
		{ "", "" },
		{ "powersave", "powersave" },
		{ "performance powersave ondemand", "performance powersave ondemand" },
		{ "\033]0;x\007", "?]0;x?" },
		{ "1234567\n", "1234567?" },
		{ "12345678\x7f", "12345678?" },
		{ "12345\x7f"
		  "78",
		  "12345?78" },
		{ "tab\tand\rmore", "tab?and?more" },
		{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80" },
		{ "\xc2\x9b"
		  "2J",
		  "??2J" }, /* CSI in one character */
		{ "\xc2\xa0", "\xc2\xa0" },
		{ "\x9b"
		  "2J",
		  "?2J" },
		{ "a\xff"
		  "b\xc3",
		  "a?b?" },
		{ "\xc0\x9b\xe0\x80\x9b", "?????" }, /* longer than it must be */
		{ "\xed\xa0\x80", "???" }, /* a surrogate */
		{ "\xf4\x90\x80\x80\xf5\x80\x80\x80", "????????" }, /* beyond the last character */
		{ "\xe2\x82"
		  "x",
		  "??x" },
		/* what turns the direction of writing: U+061C, U+200E, U+202A, U+202E, U+2066,
		   U+2069 */
		{ "\xd8\x9c|\xe2\x80\x8e|\xe2\x80\xaa|\xe2\x80\xae|\xe2\x81\xa6|\xe2\x81\xa9",
		  "??|???|???|???|???|???" },
		{ "\xe2\x80\x8f\xe2\x80\xa8\xe2\x80\xa9",
		  "?????????" }, /* U+200F, U+2028, U+2029 */
		{ "\xd8\x9b\xe2\x80\x90\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa\xe2\x82\xac",
		  "\xd8\x9b\xe2\x80\x90\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa\xe2\x82\xac" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		_cleanup_buffer_ struct buffer buffer = { 0 };
		char *text = strdup(vectors[i][0]);

		assert_non_null(text);
		printable_clean(text, strlen(text));
		assert_string_equal(text, vectors[i][1]);
		free(text);
		buffer_append_string(&buffer, "\n");
		buffer_append_clean(&buffer, vectors[i][0]);
		assert_string_equal(buffer_text(&buffer) + 1, vectors[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),     cmocka_unit_test(test_growing),
		cmocka_unit_test(test_shell_words), cmocka_unit_test(test_formats),
		cmocka_unit_test(test_printable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
