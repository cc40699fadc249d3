// SPDX-License-Identifier: GPL-2.0-only
/* Records as tables of fields: each kind, and what is left out when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "temporary.h"
#include "base/cleanup.h"
#include "base/cpuset.h"
#include "output/output.h"

static int set_up(void **test)
{
	*test = temporary_make();
	return 0;
}

static int tear_down(void **test)
{
	temporary_remove(*test);
	return 0;
}

struct record {
	bool has_first;
	bool has_second;
	uint32_t number;
	uint32_t mhz;
	const char *word;
	struct cpuset cpus;
};

static const struct field always_fields[] = {
	{ .name = "number", FIELD_AS_NUMBER(struct record, number) },
	{ .name = "mhz", FIELD_AS_MHZ(struct record, mhz) },
	{ .name = "word", FIELD_AS_WORD(struct record, word) },
	{ .name = "count", FIELD_AS_CPUS(struct record, cpus, FIELD_CPU_COUNT) },
	{ .name = "mask", FIELD_AS_CPUS(struct record, cpus, FIELD_CPU_MASK) },
	{ .name = "list", FIELD_AS_CPUS(struct record, cpus, FIELD_CPU_LIST) },
};

static const struct field omitting_fields[] = {
	{ .name = "number", FIELD_AS_NUMBER(struct record, number), .omit_zero = true },
	{ .name = "mhz", FIELD_AS_MHZ(struct record, mhz), .omit_zero = true },
	{ .name = "word", FIELD_AS_WORD(struct record, word), .omit_zero = true },
	{ .name = "count", FIELD_AS_CPUS(struct record, cpus, FIELD_CPU_COUNT), .omit_zero = true },
	{ .name = "mask", FIELD_AS_CPUS(struct record, cpus, FIELD_CPU_MASK), .omit_zero = true },
	{ .name = "list", FIELD_AS_CPUS(struct record, cpus, FIELD_CPU_LIST), .omit_zero = true },
};

static const struct field conditional_fields[] = {
	{ .name = "first",
	  FIELD_AS_NUMBER(struct record, number),
	  FIELD_IF(struct record, has_first) },
	{ .name = "second",
	  FIELD_AS_WORD(struct record, word),
	  FIELD_IF(struct record, has_second) },
	{ .name = "both",
	  FIELD_AS_MHZ(struct record, mhz),
	  FIELD_IF(struct record, has_second),
	  .omit_zero = true },
};

struct record_case {
	const struct field *fields;
	size_t n_fields;
	struct record record;
	const char *cpus;
	const char *result;
};

#define FIELDS(table) .fields = (table), .n_fields = ARRAY_SIZE(table)

static const struct record_case cases[] = {
	{ FIELDS(always_fields),
	  .record = { .number = 4294967295, .mhz = 25500, .word = "enabled" }, .cpus = "0-1,33",
	  .result = " number:4294967295\n mhz:25500 MHz\n word:enabled\n count:3\n"
		    " mask:00000002,00000003\n list:0,1,33\n" },
	{ FIELDS(always_fields), .record = { .word = "" }, .cpus = "",
	  .result = " number:0\n mhz:0 MHz\n word:\n count:0\n mask:00000000,00000000\n"
		    " list:none\n" },
	{ FIELDS(omitting_fields), .cpus = "", .result = "" },
	{ FIELDS(omitting_fields), .record = { .number = 1, .mhz = 100, .word = "" }, .cpus = "5",
	  .result = " number:1\n mhz:100 MHz\n word:\n count:1\n mask:00000000,00000020\n"
		    " list:5\n" },
	{ FIELDS(omitting_fields), .record = { .mhz = 800 }, .cpus = "",
	  .result = " mhz:800 MHz\n" },
	{ FIELDS(conditional_fields), .record = { .number = 1, .mhz = 2, .word = "w" }, .cpus = "",
	  .result = "" },
	{ FIELDS(conditional_fields), .record = { .has_first = true, .mhz = 2, .word = "w" },
	  .cpus = "", .result = " first:0\n" },
	{ FIELDS(conditional_fields),
	  .record = { .has_second = true, .number = 1, .mhz = 2, .word = "w" }, .cpus = "",
	  .result = " second:w\n both:2 MHz\n" },
	{ FIELDS(conditional_fields),
	  .record = { .has_first = true, .has_second = true, .number = 1, .word = "w" }, .cpus = "",
	  .result = " first:1\n second:w\n" },
	{ .fields = always_fields, .n_fields = 0, .cpus = "", .result = "" },
	{ .fields = always_fields, .n_fields = 1, .cpus = "", .result = " number:0\n" },
};

static void check_record(const char *path, const struct record_case *records)
{
	struct record record = records->record;
	struct output *output;

	assert_int_equal(cpulist_parse(records->cpus, &record.cpus), 0);
	assert_int_equal(output_open(OUTPUT_TEXT, path, false, &output), 0);
	output_set_mask_words(output, 2);
	fields_put(output, records->fields, records->n_fields, &record);
	assert_int_equal(output_finish(output), 0);
	output_close(&output);
	cpuset_done(&record.cpus);
	temporary_assert_text(path, records->result);
}

static void test_records(void **test)
{
	_cleanup_free_ char *path = temporary_path(*test, "results");

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_record(path, &cases[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_records, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
