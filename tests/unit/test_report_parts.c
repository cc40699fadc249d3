// SPDX-License-Identifier: GPL-2.0-only
/* The parts that reports are made of: escaping, tables, scales and their ticks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/cleanup.h"
#include "report/html.h"
#include "report/svg.h"

static void test_escaping(void **state)
{
	static const struct {
		const char *text, *escaped;
	} vectors[] = {
		{ "", "" },
		{ "plain text", "plain text" },
		{ "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;" },
		{ "\" onload=\"x", "&quot; onload=&quot;x" },
		{ "it's & that", "it&#39;s &amp; that" },
		{ "a\nb\x1b[31m", "a?b?[31m" },
		{ "\xc3\xa4 \xff", "\xc3\xa4 ?" },
		{ "%s%n", "%s%n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		_cleanup_buffer_ struct buffer to = { 0 };

		html_put(&to, "%s", vectors[i].text);
		assert_string_equal(buffer_text(&to), vectors[i].escaped);
	}
}

static void test_format(void **state)
{
	const char *volatile missing = NULL;
	_cleanup_buffer_ struct buffer to = { 0 };

	(void)state;
	html_put(&to, "<a b=\"%s\">%d %u %zu %c %.1f %.*f 100%%%s</a>", "<", -3, 4u, (size_t)5, 'x',
		 2.25, 3, 1.0 / 3, missing);
	assert_string_equal(buffer_text(&to), "<a b=\"&lt;\">-3 4 5 x 2.2 0.333 100%</a>");
	buffer_clear(&to);
	html_put(&to, "%.0f", 1.7e308); /* has 309 digits */
	assert_int_equal(to.length, 309);
}

/* What is put into a script element cannot end it, and is the same to a reader of JSON. */
static void test_json(void **state)
{
	_cleanup_buffer_ struct buffer to = { 0 };
	json_t *value = json_pack("{s:s, s:f}", "</script><!--", "<b>&amp;\xe2\x80\xa8", "n", 0.1);
	json_t *read;

	(void)state;
	html_put_json(&to, value);
	assert_null(strpbrk(buffer_text(&to), "<>&"));
	read = json_loads(buffer_text(&to), 0, NULL);
	assert_true(json_equal(value, read));
	json_decref(read);
	json_decref(value);
}

static void test_table(void **state)
{
	static const struct html_column columns[] = { HTML_COLUMN("name", HTML_TEXT),
						      HTML_COLUMN("W", HTML_NUMBER) };
	const struct figure watts = figure_make_missing("a > b");
	_cleanup_buffer_ struct buffer to = { 0 };
	struct html_table table = html_begin_table(&to, "x & y", columns, ARRAY_SIZE(columns));

	(void)state;
	for (int i = 0; i < 2; i++) {
		html_put_cell(&table, "%s", "<i>");
		html_put_figure(&table, &watts, 1);
	}
	html_end_table(&table);
	assert_non_null(strstr(buffer_text(&to), "<caption>x &amp; y</caption>"));
	assert_non_null(
		strstr(buffer_text(&to),
		       "<th scope=\"row\" class=\"\">&lt;i&gt;</th><td class=\"n\">" HTML_NONE
		       "</td></tr>"));
	/* the reason once */
	assert_non_null(strstr(buffer_text(&to), "<li>W: a &gt; b</li>\n</ul>"));
}

static void test_scale(void **state)
{
	const struct scale linear = { 2000, 4000, 10, 390, false };
	const struct scale logarithmic = { 1, 10000, 0, 400, true };

	(void)state;
	assert_true(fabs(scale_at(&linear, 3000) - 200) < 1e-9);
	assert_true(fabs(scale_at(&linear, 0) - 10) < 1e-9);
	assert_true(fabs(scale_at(&linear, 1e300) - 390) < 1e-9);
	assert_true(fabs(scale_at(&logarithmic, 100) - 200) < 1e-9);
	assert_true(fabs(scale_at(&logarithmic, 0) - 0) < 1e-9);
}

/* Ticks are round, few, ascending, and enclose the values. */
static void test_ticks(void **state)
{
	static const struct {
		double low, high;
		bool is_log;
		double first, last;
		size_t count;
	} vectors[] = {
		{ 0, 195.3, false, 0, 200, 5 },
		{ 2600, 3200, false, 2600, 3200, 4 },
		{ 2570, 3200, false, 2400, 3200, 5 },
		{ 3100, 3100, false, 3100, 3500, 5 },
		{ 0, 0, false, 0, 1, 6 },
		{ 0.12, 0.19, false, 0.12, 0.2, 5 },
		{ 2, 1124, true, 1, 10000, 5 },
		{ 1, 1, true, 1, 10, 2 },
		{ 0.02, 5, true, 0.01, 10, 4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct scale_ticks ticks =
			scale_choose_ticks(vectors[i].low, vectors[i].high, 6, vectors[i].is_log);

		print_message("%g to %g\n", vectors[i].low, vectors[i].high);
		assert_int_equal(ticks.count, vectors[i].count);
		assert_true(fabs(ticks.list[0] - vectors[i].first) < 1e-9);
		assert_true(fabs(ticks.list[ticks.count - 1] - vectors[i].last) < 1e-9);
	}
	/* however large or small the values are */
	for (int power = -12; power < 300; power += 7) {
		const double low = pow(10, power), high = 7.3 * low;

		for (int is_log = 0; is_log < 2; is_log++) {
			const struct scale_ticks ticks = scale_choose_ticks(low, high, 6, is_log);

			assert_in_range(ticks.count, 2, SCALE_TICKS);
			assert_true(ticks.list[0] <= low * (1 + 1e-9));
			assert_true(ticks.list[ticks.count - 1] >= high * (1 - 1e-9));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escaping), cmocka_unit_test(test_format),
		cmocka_unit_test(test_json),     cmocka_unit_test(test_table),
		cmocka_unit_test(test_scale),    cmocka_unit_test(test_ticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
