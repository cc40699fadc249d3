// SPDX-License-Identifier: GPL-2.0-only
/* Metrics as text: order, escapes, numbers, families without samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "output/exposition.h"

enum { LEVEL, ENERGY, NOTHING, N_FAMILIES };

static const struct exposition_family families[N_FAMILIES] = {
	[LEVEL] = { .name = "isst_level", .help = "The level, by \"name\"\\\nof it" },
	[ENERGY] = { .name = "isst_energy_joules_total", .help = "Energy", .is_counter = true },
	[NOTHING] = { .name = "isst_nothing", .help = "Nothing" },
};

static void check(const struct exposition *exposition, const char *expected)
{
	_cleanup_buffer_ struct buffer text = { 0 };

	assert_int_equal(exposition_write(exposition, &text), 0);
	assert_string_equal(buffer_text(&text), expected);
}

static void test_families(void **state)
{
	_cleanup_exposition_ struct exposition exposition;

	(void)state;
	assert_int_equal(exposition_init(&exposition, families, N_FAMILIES), 0);
	check(&exposition, "# EOF\n");
	/* samples of a family are together, whatever the order in which they came */
	exposition_add(&exposition, ENERGY, 1, "package", "0", NULL);
	exposition_add(&exposition, LEVEL, 4, NULL);
	exposition_add(&exposition, ENERGY, 2, "package", exposition_number(10).text, "domain",
		       "dram", NULL);
	check(&exposition, "# HELP isst_level The level, by \"name\"\\\\\\nof it\n"
			   "# TYPE isst_level gauge\n"
			   "isst_level 4\n"
			   "# HELP isst_energy_joules_total Energy\n"
			   "# TYPE isst_energy_joules_total counter\n"
			   "isst_energy_joules_total{package=\"0\"} 1\n"
			   "isst_energy_joules_total{package=\"10\",domain=\"dram\"} 2\n"
			   "# EOF\n");
}

static void test_labels(void **state)
{
	_cleanup_exposition_ struct exposition exposition;

	(void)state;
	assert_int_equal(exposition_init(&exposition, families, N_FAMILIES), 0);
	exposition_add(&exposition, NOTHING, 0, "a", NULL, "b", "x\"y\\z\n", "c", NULL, NULL);
	exposition_add(&exposition, NOTHING, 1, "a", NULL, NULL);
	exposition_add(&exposition, NOTHING, 2, "a", "", NULL);
	check(&exposition, "# HELP isst_nothing Nothing\n"
			   "# TYPE isst_nothing gauge\n"
			   "isst_nothing{b=\"x\\\"y\\\\z\\n\"} 0\n"
			   "isst_nothing 1\n"
			   "isst_nothing{a=\"\"} 2\n"
			   "# EOF\n");
}

static void check_value(double value, const char *expected)
{
	_cleanup_exposition_ struct exposition exposition;
	_cleanup_free_ char *text = text_format("# HELP isst_nothing Nothing\n"
						"# TYPE isst_nothing gauge\n"
						"isst_nothing %s\n# EOF\n",
						expected);

	assert_int_equal(exposition_init(&exposition, families, N_FAMILIES), 0);
	exposition_add(&exposition, NOTHING, value, NULL);
	check(&exposition, text);
}

static void check_parts(uint64_t number, uint64_t units, const char *expected)
{
	_cleanup_exposition_ struct exposition exposition;
	_cleanup_free_ char *text = text_format("# HELP isst_nothing Nothing\n"
						"# TYPE isst_nothing gauge\n"
						"isst_nothing %s\n# EOF\n",
						expected);

	assert_int_equal(exposition_init(&exposition, families, N_FAMILIES), 0);
	exposition_add_parts(&exposition, NOTHING, number, units, NULL);
	check(&exposition, text);
}

static void test_values(void **state)
{
	(void)state;
	check_value(0, "0");
	check_value(2.6e9, "2600000000");
	check_value(0.1, "0.1");
	check_value(1.0 / 3, "0.3333333333333333");
	check_value(1763877600, "1763877600");
	check_parts(0, 1000000, "0");
	check_parts(205500000, 1000000, "205.5");
	check_parts(7, 1000000, "0.000007");
	check_parts(262143328850, 1000000, "262143.32885");
	check_parts(UINT64_MAX, 1000000, "18446744073709.551615");
	check_parts(1200, 1000, "1.2");
	check_parts(5, 1, "5");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
