// SPDX-License-Identifier: GPL-2.0-only
/* Structures to JSON objects and back, by tables of fields. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/json_fields.h"

struct row {
	const char *name;
	struct figure mhz, count;
};

struct result {
	uint32_t cpu;
	bool has_slow, is_slow;
	const char *note, *driver;
	struct figure watts, gap;
	struct texts reasons;
	struct cpuset cpus, numbers;
	uint64_t kinds[3];
	struct row *rows;
	size_t n_rows;
	json_t *other;
	double seconds;
};

static const char *const kinds[] = { "good", "bad", "lost", NULL };
static const struct json_field row_fields[] = {
	{ JSON_FIELD(struct row, name, "name"), .is_optional = true },
	{ JSON_FIELD(struct row, mhz, "mhz") },
	{ JSON_FIELD(struct row, count, "count"), .is_signed = true },
	{ 0 },
};
static const struct json_field fields[] = {
	{ JSON_FIELD(struct result, cpu, "cpu"), .max = 100 },
	{ JSON_FIELD(struct result, is_slow, "slow"), .is_optional = true,
	  .has = offsetof(struct result, has_slow) },
	{ JSON_FIELD(struct result, note, "note"), .is_optional = true },
	{ JSON_FIELD(struct result, driver, "driver"), .is_nullable = true, .is_optional = true },
	{ JSON_FIELD(struct result, watts, "watts") },
	{ JSON_FIELD(struct result, gap, "gap") },
	{ JSON_FIELD(struct result, reasons, "reasons") },
	{ JSON_FIELD(struct result, cpus, "cpus"), .max = 100 },
	{ JSON_FIELD_AS(struct result, numbers, "numbers", JSON_NUMBERS) },
	{ JSON_FIELD_AS(struct result, kinds, "kinds", JSON_COUNTS), .words = kinds, .max = 3 },
	{ JSON_ROWS_OF(struct result, rows, "rows", n_rows, row_fields), .is_optional = true,
	  .min = 1 },
	{ JSON_FIELD(struct result, other, "other"), .is_optional = true },
	{ JSON_FIELD(struct result, seconds, "seconds") },
	{ 0 },
};

static const struct {
	const char *text, *problem; /* NULL: written as it was read */
} vectors[] = {
	{ "{\"cpu\": 7, \"driver\": null, \"watts\": null, \"watts-reason\": \"no PMU\", "
	  "\"reasons\": [], \"cpus\": \"\", \"numbers\": [], \"kinds\": {}, \"seconds\": 0.5}",
	  NULL },
	{ "{\"cpu\": 7, \"slow\": false, \"note\": \"n\", \"driver\": \"d\", \"watts\": 1.5, "
	  "\"watts-source\": \"PMU\", \"gap\": 3, \"reasons\": [\"a\", \"b\"], \"cpus\": \"0-3,7\", "
	  "\"numbers\": [1, 4], \"kinds\": {\"bad\": 2}, \"rows\": [{\"name\": \"x\", \"mhz\": 1.0}, "
	  "{\"count\": -2}], \"other\": {\"a\": [1]}, \"seconds\": -1.0}",
	  NULL },
	{ "{\"cpu\": 7, \"watts\": \"1\"}",
	  "watts: must be null or a number that is not negative" },
	{ "{\"cpu\": 7, \"watts\": -1}", "watts: must be null or a number that is not negative" },
	{ "{\"cpu\": 7, \"reasons\": [1]}", "reasons: must be a list of strings" },
	{ "{\"cpu\": 7, \"reasons\": [], \"cpus\": \"\", \"numbers\": [-1]}",
	  "numbers: must be a list of CPU numbers" },
	{ "{\"cpu\": 7, \"reasons\": [], \"cpus\": \"\", \"numbers\": [], \"kinds\": 1}",
	  "kinds: must be an object" },
	{ "{\"cpu\": 7, \"reasons\": [], \"cpus\": \"\", \"numbers\": [], \"kinds\": {}, "
	  "\"rows\": [{}, {\"mhz\": {}}]}",
	  "rows[1].mhz: must be null or a number that is not negative" },
	{ "{\"cpu\": 7, \"reasons\": [], \"cpus\": \"\", \"numbers\": [], \"kinds\": {}, "
	  "\"seconds\": \"\"}",
	  "seconds: must be a number" },
};

static void reads_and_writes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct json_reader reader = { .file_name = "it", .ignores_others = true };
		_cleanup_json_ json_t *json = json_loads(vectors[i].text, 0, NULL);
		_cleanup_json_ json_t *again = NULL;
		_cleanup_free_ char *problem = NULL;
		struct result result = { 0 };

		assert_non_null(json);
		json_read_fields(&reader, json, fields, &result);
		json_reader_finish(&reader, &problem);
		again = json_write_fields(fields, &result);
		if (!vectors[i].problem && problem)
			fail_msg("%zu: %s", i, problem);
		if (!vectors[i].problem && !json_equal(json, again))
			fail_msg("%zu: %s", i, json_dumps(again, 0));
		if (vectors[i].problem &&
		    (!problem || strcmp(problem + strlen("it: "), vectors[i].problem) != 0))
			fail_msg("%zu: %s", i, problem ? problem : "no problem");
		json_free_fields(fields, &result);
		assert_null(result.rows);
	}
}

/* Numbers that are null, words of bits, and lists of a fixed room. */
struct sparse {
	uint32_t node, mhz, words;
	struct {
		uint32_t cpu, khz;
	} part;
	struct cpuset sets[2];
	struct {
		uint32_t cores[3], mhz[3];
	} buckets;
};

static const struct json_field part_fields[] = {
	{ .name = "cpu", .kind = JSON_U32, .is_nullable = true, .null = UINT32_MAX, .max = 100 },
	{ .name = "khz", .kind = JSON_U32, .offset = sizeof(uint32_t), .max = 100 },
	{ 0 },
};
static const struct json_field bucket_fields[] = {
	{ .name = "cores", .kind = JSON_U32, .max = 100 },
	{ .name = "mhz", .kind = JSON_U32, .offset = 3 * sizeof(uint32_t), .max = 100 },
	{ 0 },
};
static const struct json_field set = { .kind = JSON_CPUS, .max = 100 };
static const struct json_field bucket = { .kind = JSON_PART, .fields = bucket_fields };
static const struct json_field sparse_fields[] = {
	{ JSON_FIELD(struct sparse, node, "node"), .is_nullable = true, .null = UINT32_MAX,
	  .max = 100 },
	{ JSON_FIELD(struct sparse, mhz, "mhz"), .is_nullable = true, .max = 100 },
	{ JSON_FIELD_AS(struct sparse, words, "words", JSON_WORDS), .words = kinds },
	{ JSON_FIELD_AS(struct sparse, part, "part", JSON_PART), .is_nullable = true,
	  .fields = part_fields },
	{ JSON_ARRAY(struct sparse, sets, "sets", 0, 2, &set) },
	{ JSON_FIELD_AS(struct sparse, buckets, "buckets", JSON_LIST), .max = 3, .element = &bucket,
	  .element_size = sizeof(uint32_t) },
	{ 0 },
};

static const struct {
	const char *text, *problem; /* NULL: written as it was read */
	uint32_t node, cpu;
} sparse_vectors[] = {
	{ "{\"node\": null, \"mhz\": null, \"words\": [], \"part\": null, \"sets\": [], "
	  "\"buckets\": []}",
	  NULL, UINT32_MAX, UINT32_MAX },
	{ "{\"node\": 0, \"mhz\": 5, \"words\": [\"good\", \"lost\"], \"part\": {\"cpu\": 0, "
	  "\"khz\": 0}, \"sets\": [\"1-2\", \"4\"], \"buckets\": [{\"cores\": 1, \"mhz\": 2}, "
	  "{\"cores\": 3, \"mhz\": 4}]}",
	  NULL, 0, 0 },
	{ "{\"node\": 101}", "node: must be from 0 to 100, not 101", 0, 0 },
	{ "{\"node\": 1, \"mhz\": 1, \"words\": [\"worse\"]}",
	  "words: must be one of \"good\", \"bad\", \"lost\", not \"worse\"", 1, 0 },
	{ "{\"node\": 1, \"mhz\": 1, \"words\": \"good\"}", "words: must be a list", 1, 0 },
};

static void reads_what_is_null(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sparse_vectors); i++) {
		struct json_reader reader = { .file_name = "it" };
		_cleanup_json_ json_t *json = json_loads(sparse_vectors[i].text, 0, NULL);
		_cleanup_json_ json_t *again = NULL;
		_cleanup_free_ char *problem = NULL;
		struct sparse sparse = { 0 };

		json_read_fields(&reader, json, sparse_fields, &sparse);
		json_reader_finish(&reader, &problem);
		if (sparse_vectors[i].problem) {
			assert_string_equal(problem + strlen("it: "), sparse_vectors[i].problem);
			continue;
		}
		assert_null(problem);
		assert_int_equal(sparse.node, sparse_vectors[i].node);
		assert_int_equal(sparse.part.cpu, sparse_vectors[i].cpu);
		again = json_write_fields(sparse_fields, &sparse);
		if (!json_equal(json, again))
			fail_msg("%zu: %s", i, json_dumps(again, 0));
		json_free_fields(sparse_fields, &sparse);
		assert_true(cpuset_is_empty(&sparse.sets[0]));
	}
}

/* Members are written in the order of the table. */
static void keeps_the_order(void **state)
{
	_cleanup_json_ json_t *json = json_loads(vectors[1].text, 0, NULL), *again = NULL;
	_cleanup_free_ char *text = json_dumps(json, 0), *written = NULL;
	struct json_reader reader = { .file_name = "it", .ignores_others = true };
	struct result result = { 0 };

	(void)state;
	json_read_fields(&reader, json, fields, &result);
	again = json_write_fields(fields, &result);
	written = json_dumps(again, 0);
	assert_string_equal(written, text);
	json_free_fields(fields, &result);
}

static void rounds_figures(void **state)
{
	const struct figure rounded = figure_make(-0.04, 1, "s"), none = figure_make(NAN, 1, "s");
	const struct figure high = figure_make_exact(3900), missing = figure_make_missing("why");
	_cleanup_free_ char *one = figure_range(&high, &missing);
	_cleanup_free_ char *two = figure_range(&rounded, &high);

	(void)state;
	assert_true(rounded.value == 0 && !signbit(rounded.value));
	assert_string_equal(rounded.about, "s");
	assert_false(figure_is_known(&none));
	assert_string_equal(figure_why(&missing), "why");
	assert_null(figure_why(&high));
	assert_true(figure_make(1.25049, 3, NULL).value == 1.25);
	assert_string_equal(one, "3900");
	assert_string_equal(two, "0-3900");
	assert_null(figure_range(&missing, &high));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_and_writes),
		cmocka_unit_test(reads_what_is_null),
		cmocka_unit_test(keeps_the_order),
		cmocka_unit_test(rounds_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
