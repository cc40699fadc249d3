// SPDX-License-Identifier: GPL-2.0-only
/* Lines and tables laid out for screens of several widths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "output/screen.h"

static char *format_double(const json_t *row)
{
	json_int_t number = json_integer_value(json_object_get(row, "number"));

	return number ? text_format("%d twice", (int)number) : NULL;
}

static const struct screen_column columns[] = {
	{ "name", .key = "name" },
	{ "number", .key = "number" },
	{ "absent", .key = "absent" },
	{ "doubled", .format = format_double, .rank = 2 },
	{ "twice", .key = "number", .instead_of = "doubled" },
	{ "on", .key = "on", .rank = 1 },
	{ "CPUs", .key = "cpus", .is_list = true },
};

static const char rows_text[] =
	"[{\"name\": \"a\", \"number\": 5, \"absent\": null, \"on\": true,"
	"  \"cpus\": \"0-3,8-11,16-19,24-27,32-35,40-43,48-51\"},"
	" {\"name\": \"long name\", \"number\": 12000, \"on\": false, \"cpus\": \"4\"}]";

static void check(unsigned int width, const char *expected)
{
	_cleanup_screen_ struct screen screen = { .width = width };
	json_t *rows = json_loads(rows_text, 0, NULL);

	assert_non_null(rows);
	screen_put_table(&screen, "Table", rows, columns, ARRAY_SIZE(columns));
	json_decref(rows);
	assert_string_equal(buffer_text(&screen.text), expected);
}

static void test_wide(void **state)
{
	(void)state;
	check(100,
	      "Table        name       number  doubled      on   CPUs\n"
	      "             a               5  5 twice      on   0-3,8-11,16-19,24-27,32-35,40-43,48-51\n"
	      "             long name   12000  12000 twice  off  4\n");
}

/* The list folds after commas, as long as it has room for some numbers. */
static void test_folded(void **state)
{
	(void)state;
	check(88,
	      "Table        name       number  doubled      on   CPUs\n"
	      "             a               5  5 twice      on   0-3,8-11,16-19,24-27,32-35,40-43,48-51\n"
	      "             long name   12000  12000 twice  off  4\n");
	check(80, "Table        name       number  doubled      on   CPUs\n"
		  "             a               5  5 twice      on   0-3,8-11,16-19,24-27,32-35,\n"
		  "                                                  40-43,48-51\n"
		  "             long name   12000  12000 twice  off  4\n");
}

/* Without such room the list goes below its row. */
static void test_below(void **state)
{
	(void)state;
	check(60, "Table        name       number  doubled      on\n"
		  "             a               5  5 twice      on\n"
		  "               0-3,8-11,16-19,24-27,32-35,40-43,48-51\n"
		  "             long name   12000  12000 twice  off\n"
		  "               4\n");
}

/* Narrow screens have the label above the table. */
static void test_narrow(void **state)
{
	(void)state;
	check(59, "Table\n"
		  "  name       number  doubled      on\n"
		  "  a               5  5 twice      on\n"
		  "    0-3,8-11,16-19,24-27,32-35,40-43,48-51\n"
		  "  long name   12000  12000 twice  off\n"
		  "    4\n");
}

/* The column of the highest rank goes first, and another one takes its place. */
static void test_left_out(void **state)
{
	(void)state;
	check(36, "Table\n"
		  "  name       number  twice  on\n"
		  "  a               5      5  on\n"
		  "    0-3,8-11,16-19,24-27,32-35,\n"
		  "    40-43,48-51\n"
		  "  long name   12000  12000  off\n"
		  "    4\n");
	check(29, "Table\n"
		  "  name       number  twice\n"
		  "  a               5      5\n"
		  "    0-3,8-11,16-19,24-27,\n"
		  "    32-35,40-43,48-51\n"
		  "  long name   12000  12000\n"
		  "    4\n");
}

/* A list of more lines than wanted ends in dots, for which there is room. */
static void test_cut(void **state)
{
	static const struct {
		unsigned int lines;
		const char *expected;
	} vectors[] = {
		{ 1, "  a               5      5\n"
		     "    0-3,8-11,16-19,24-27,...\n" },
		{ 2, "  a               5      5\n"
		     "    0-3,8-11,16-19,24-27,\n"
		     "    32-35,40-43,48-51\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		_cleanup_screen_ struct screen screen = { .width = 29,
							  .list_lines = vectors[i].lines };
		json_t *rows = json_loads(rows_text, 0, NULL);

		screen_put_table(&screen, NULL, rows, columns, ARRAY_SIZE(columns));
		json_decref(rows);
		assert_non_null(strstr(buffer_text(&screen.text), vectors[i].expected));
	}
}

static void test_paragraph(void **state)
{
	_cleanup_screen_ struct screen screen = { .width = 40 };

	(void)state;
	screen_put(&screen, "Label", "words that fold at blanks, and lists 1,2,3,4,5,6,7");
	screen_put_format(&screen, NULL, "%d\x1b[31m", 7);
	screen_put(&screen, "A label of any length", "and its text");
	assert_string_equal(buffer_text(&screen.text), "Label        words that fold at blanks,\n"
						       "             and lists 1,2,3,4,5,6,7\n"
						       "             7?[31m\n"
						       "A label of any length and its text\n");
}

static void test_command(void **state)
{
	_cleanup_screen_ struct screen screen = { .width = 40 };

	(void)state;
	screen_put_command(&screen, NULL, "Remedy: ", "isst -c 0-3,8-11 cpufreq set --max max");
	screen_put_command(&screen, "setting", "", "isst cpufreq set --governor performance");
	assert_string_equal(buffer_text(&screen.text),
			    "             Remedy: isst -c 0-3,8-11 cpufreq set --max max\n"
			    "setting      isst cpufreq set --governor performance\n");
}

static void test_values(void **state)
{
	static const struct {
		const char *json;
		const char *expected; /* NULL: no text */
	} vectors[] = {
		{ "true", "on" },       { "false", "off" },
		{ "2600", "2600" },     { "2794.75", "2794.75" },
		{ "\"text\"", "text" }, { "[\"a\", \"b\", 3]", "a, b, 3" },
		{ "[]", "" },           { "null", NULL },
		{ "{}", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		json_t *value = json_loads(vectors[i].json, JSON_DECODE_ANY, NULL);
		_cleanup_free_ char *text = screen_format_value(value);

		json_decref(value);
		if (!text != !vectors[i].expected ||
		    (text && strcmp(text, vectors[i].expected) != 0))
			fail_msg("%s is %s", vectors[i].json, text ?: "nothing");
	}
	assert_null(screen_format_value(NULL));
}

#define BAR(label, text, value)              \
	{                                    \
		label, text, value, false, 0 \
	}

static void check_bars(unsigned int width, const char *label, const struct screen_bar *bars,
		       size_t n_bars, const char *expected)
{
	_cleanup_screen_ struct screen screen = { .width = width };

	screen_put_bars(&screen, label, bars, n_bars);
	assert_string_equal(buffer_text(&screen.text), expected);
}

/* The longest bar has all the room, the shortest one column; empty ones are left out at the ends,
 * and shortened between. */
static void test_bars(void **state)
{
	static const struct screen_bar bars[] = {
		BAR("0-1", "0", 0),      BAR("1-2", "1", 1),     BAR("2-5", "1000", 1000),
		BAR("5-10", "0", 0),     BAR("10-20", "0", 0),   BAR("20-50", "500", 500),
		BAR("50-100", "0", 0),   BAR("100-200", "0", 0), BAR("200-500", "0", 0),
		BAR("500-1000", "2", 2), BAR("1000-", "0", 0),
	};

	(void)state;
	check_bars(60, "us", bars, ARRAY_SIZE(bars),
		   "us                1-2     1  #\n"
		   "                  2-5  1000  ###############################\n"
		   "                 5-10     0\n"
		   "                10-20     0\n"
		   "                20-50   500  ################\n"
		   "                  ...\n"
		   "             500-1000     2  #\n");
	check_bars(40, "us", bars, ARRAY_SIZE(bars),
		   "us\n"
		   "       1-2     1  #\n"
		   "       2-5  1000  ######################\n"
		   "      5-10     0\n"
		   "     10-20     0\n"
		   "     20-50   500  ###########\n"
		   "       ...\n"
		   "  500-1000     2  #\n");
	check_bars(80, "us", bars, 1, "");
	check_bars(80, "us", NULL, 0, "");
}

/* A mark is after a bar of the same value, in a longer one, or apart from a shorter one. */
static void test_marks(void **state)
{
	static const struct screen_bar bars[] = {
		{ "1", "", 20, true, 20 }, { "2-3", "", 10, true, 20 },
		{ "4", "", 20, true, 10 }, { "5", "", 0, true, 10 },
		BAR("6", "", 10),
	};

	(void)state;
	check_bars(40, NULL, bars, ARRAY_SIZE(bars),
		   "    1  ################################|\n"
		   "  2-3  ################                |\n"
		   "    4  ################|###############\n"
		   "    5                  |\n"
		   "    6  ################\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wide),      cmocka_unit_test(test_folded),
		cmocka_unit_test(test_below),     cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_left_out),  cmocka_unit_test(test_cut),
		cmocka_unit_test(test_paragraph), cmocka_unit_test(test_command),
		cmocka_unit_test(test_values),    cmocka_unit_test(test_bars),
		cmocka_unit_test(test_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
