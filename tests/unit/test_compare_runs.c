// SPDX-License-Identifier: GPL-2.0-only
/* Saved measurements compared: which files are runs of one group, when there is an interval, what
 * is warned of, and what of the settings differs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "host/run_directory.h"
#include "measure/compare.h"

#define SETTINGS(entries) \
	"{\"format\": \"intel-speed-select-state\", \"version\": 1, \"settings\": [" entries "]}"
#define OFF "{\"for\": \"all\", \"base-freq\": {\"enabled\": false}}"
#define ON  "{\"for\": \"all\", \"base-freq\": {\"enabled\": true}}"
#define FILE_OF(command, kernel, entries, body)                                            \
	"{\"format\": \"intel-speed-select-run\", \"version\": 1, \"command\": \"" command \
	"\", \"kernel\": \"" kernel "\", \"program\": \"0.1\", \"processor\": \"P\", "     \
	"\"state\": " SETTINGS(entries) ", " body "}"
#define RUN(kernel, entries, load, mhz) \
	FILE_OF("run", kernel, entries, \
		"\"cpus\": [{\"cpu\": 0, \"mhz\": " mhz ", \"load\": \"" load "\"}]")
#define GIVEN(words, cpu)           \
	FILE_OF("run", "6.12", OFF, \
		"\"given-work\": [" words "], \"cpus\": [{\"cpu\": " cpu ", \"mhz\": 2600}]")
#define LONG(seconds, entries)          \
	FILE_OF("run", "6.12", entries, \
		"\"seconds\": " seconds ", \"cpus\": [{\"cpu\": 0, \"mhz\": 2600}]")
#define TRY                                                        \
	FILE_OF("try", "6.12", OFF,                                \
		"\"work\": [\"scalar\"], \"document\": " SETTINGS( \
			ON) ", \"samples\": ["                     \
			    "{\"with\": false, \"mhz\": 2600}, {\"with\": true, \"mhz\": 3000}]")

#define MOST_FILES 6

struct expected {
	const char *files[MOST_FILES]; /* their texts */
	const char *found; /* "files/runs;" of each group, then its parts */
};

static const struct expected rows[] = {
	{ { RUN("6.12", OFF, "scalar", "2600"), RUN("6.12", ON, "scalar", "3000") },
	  "0/1 | 1/1 mhz 15.3846 null null null, base-freq.enabled {all: false} {all: true}" },
	/* three runs of each side, in any order */
	{ { RUN("6.12", OFF, "scalar", "2600"), RUN("6.12", ON, "scalar", "3000"),
	    RUN("6.12", OFF, "scalar", "2601"), RUN("6.12", ON, "scalar", "3001"),
	    RUN("6.12", OFF, "scalar", "2602"), RUN("6.12", ON, "scalar", "3002") },
	  "0,2,4/3 | 1,3,5/3 mhz 15.3787 15.2839 15.4736 more, sessions, base-freq.enabled {all: "
	  "false} {all: true}" },
	/* the same settings: one group, without a verdict, however many there are */
	{ { RUN("6.12", OFF, "scalar", "2600"), RUN("6.12", OFF, "scalar", "2600") },
	  "0,1/2 mhz 2600 2600 2600" },
	{ { RUN("6.12", OFF, "scalar", "2500"), RUN("6.12", OFF, "scalar", "2500"),
	    RUN("6.12", OFF, "scalar", "2500"), RUN("6.12", OFF, "scalar", "3600"),
	    RUN("6.12", OFF, "scalar", "3600"), RUN("6.12", OFF, "scalar", "3600") },
	  "0,1,2,3,4,5/6 mhz 3000 2500 3600" }, /* the geometric mean */
	/* two runs of a side are too few for a verdict */
	{ { RUN("6.12", OFF, "scalar", "2600"), RUN("6.12", OFF, "scalar", "2601"),
	    RUN("6.12", OFF, "scalar", "2602"), RUN("6.12", ON, "scalar", "3001"),
	    RUN("6.12", ON, "scalar", "3001") },
	  "0,1,2/3 | 3,4/2 mhz 15.3787 null null null, base-freq.enabled {all: false} {all: true}" },
	{ { LONG("10.0", OFF), LONG("60.0", ON) },
	  "0/1 | 1/1 mhz 0 null null null, another length: 60 s, not 10, base-freq.enabled {all: "
	  "false} {all: true}" },
	{ { LONG("10.0", OFF), LONG("10.001", ON) },
	  "0/1 | 1/1 mhz 0 null null null, base-freq.enabled {all: false} {all: true}" },
	{ { RUN("6.12", OFF, "scalar", "2600"), RUN("6.18", OFF, "scalar", "2600") },
	  "0/1 | 1/1 mhz 0 null null null, another kernel: 6.18, not 6.12" },
	{ { RUN("6.12", OFF, "scalar", "2600"), RUN("6.12", OFF, "avx2", "2600") },
	  "0/1 | 1/1 mhz 0 null null null, other work: avx2, not scalar" },
	/* what was given, and where it was measured, are the work */
	{ { GIVEN("\"--load\", \"scalar:0-3\"", "0"), GIVEN("\"--load\", \"scalar:0-5\"", "0") },
	  "0/1 | 1/1 mhz 0 null null null, other work: scalar:0-5, not scalar:0-3" },
	{ { GIVEN("\"--pipe\", \"3,4\"", "0"), GIVEN("\"--pipe\", \"5,6\"", "0") },
	  "0/1 | 1/1 mhz 0 null null null, other work: pipe 5,6, not pipe 3,4" },
	{ { GIVEN("\"--load\", \"avx2:1\", \"--\", \"a\", \"--load\"", "0"),
	    GIVEN("\"--load\", \"avx2:1\", \"--\", \"a\", \"1\"", "0") },
	  "0/1 | 1/1 mhz 0 null null null, other work: avx2:1, command a 1, not avx2:1, command a "
	  "--load" },
	{ { GIVEN("\"--load\", \"scalar\"", "0"), GIVEN("\"--load\", \"scalar\"", "7") },
	  "0/1 | 1/1 mhz 0 null null null, other CPUs: 7, not 0" },
	{ { GIVEN("\"--load\", \"scalar:0-3\"", "0"), GIVEN("\"--load\", \"scalar:0-3\"", "0") },
	  "0,1/2 mhz 2600 2600 2600" },
	/* both sides of a trial, and a run with the settings of one */
	{ { TRY },
	  "0 without/1 | 0 with/1 mhz 15.3846 null null null, base-freq.enabled {all: "
	  "false} {all: false, tried on all: true}" },
	{ { TRY, RUN("6.12", OFF, "scalar", "2600") },
	  "0 without/1 | 0 with/1 mhz 15.3846 null null null, base-freq.enabled {all: false} {all: "
	  "false, tried on all: true} | 1/1 mhz 0 null null null" },
};

static void append_value(struct buffer *text, const json_t *value)
{
	_cleanup_free_ char *shown = json_is_string(value) ? strdup(json_string_value(value))
				     : json_is_real(value)
					     ? text_format("%.6g", json_real_value(value))
					     : json_dumps(value, JSON_ENCODE_ANY);

	buffer_append_string(text, " ");
	buffer_append_string(text, shown);
}

static void append_group(struct buffer *text, const json_t *group)
{
	const json_t *file;
	size_t i;

	json_array_foreach (json_object_get(group, "files"), i, file) {
		buffer_append_string(text, i ? "," : "");
		buffer_append_string(text, json_string_value(file));
	}
	if (!json_is_null(json_object_get(group, "side")))
		append_value(text, json_object_get(group, "side"));
	buffer_append_string(text, "/");
	buffer_append_number(text, (uint64_t)json_integer_value(json_object_get(group, "runs")));
}

static void append_places(struct buffer *text, const json_t *places)
{
	const char *on, *comma = "";
	json_t *value;

	buffer_append_string(text, " {");
	json_object_foreach ((json_t *)(uintptr_t)places, on, value) {
		buffer_append_string(text, comma);
		buffer_append_string(text, on);
		buffer_append_string(text, ":");
		append_value(text, value);
		comma = ", ";
	}
	buffer_append_string(text, "}");
}

static void append_figures(struct buffer *text, const json_t *group)
{
	const json_t *one;
	size_t i;

	json_array_foreach (json_object_get(group, "figures"), i, one) {
		append_value(text, json_object_get(one, "figure"));
		append_value(text, json_object_get(one, "mean"));
		append_value(text, json_object_get(one, "lowest"));
		append_value(text, json_object_get(one, "highest"));
	}
}

static void append_comparison(struct buffer *text, json_t *comparison)
{
	static const char *const members[] = { "figure", "change-percent", "low-percent",
					       "high-percent", "result" };
	const json_t *one;
	const char *name;
	json_t *pair;
	size_t i;

	append_group(text, comparison);
	json_array_foreach (json_object_get(comparison, "figures"), i, one) {
		for (size_t j = 0; j < ARRAY_SIZE(members); j++)
			append_value(text, json_object_get(one, members[j]));
	}
	json_array_foreach (json_object_get(comparison, "warnings"), i, one) {
		buffer_append_string(text, ",");
		append_value(text, one);
	}
	if (strstr(json_string_value(json_object_get(comparison, "note")) ?: "",
		   "sessions differ by more than chance"))
		buffer_append_string(text, ", sessions");
	json_object_foreach (json_object_get(comparison, "settings"), name, pair) {
		buffer_append_string(text, ", ");
		buffer_append_string(text, name);
		append_places(text, json_object_get(pair, "reference"));
		append_places(text, json_object_get(pair, "value"));
	}
}

static void compares_groups(void **state)
{
	static const char *const names[MOST_FILES] = { "0", "1", "2", "3", "4", "5" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct saved_run runs[MOST_FILES] = { { 0 } };
		_cleanup_buffer_ struct buffer text = { 0 };
		_cleanup_json_ json_t *object = NULL;
		_cleanup_texts_ struct texts texts = { 0 };
		struct compare_result result = { 0 };
		_cleanup_free_ char *problem = NULL;
		json_t *comparison;
		size_t count = 0, j;

		for (; count < MOST_FILES && rows[i].files[count]; count++) {
			const char *file = rows[i].files[count];

			if (saved_run_parse(names[count], file, strlen(file), &runs[count],
					    &problem))
				fail_msg("%zu: %s", i, problem);
		}
		assert_int_equal(compare_runs(runs, count, &texts, &result, &problem), 0);
		object = json_write_fields(compare_result_fields, &result);
		json_free_fields(compare_result_fields, &result);
		append_group(&text, json_object_get(object, "reference"));
		append_figures(&text, json_object_get(object, "reference"));
		json_array_foreach (json_object_get(object, "comparisons"), j, comparison) {
			buffer_append_string(&text, " | ");
			append_comparison(&text, comparison);
		}
		if (strcmp(buffer_text(&text), rows[i].found) != 0)
			fail_msg("%zu: %s", i, buffer_text(&text));
		for (j = 0; j < count; j++)
			saved_run_done(&runs[j]);
	}
}

static void refuses_other_commands(void **state)
{
	static const char run[] = RUN("6.12", OFF, "scalar", "2600");
	static const char jitter[] = FILE_OF("jitter", "6.12", OFF, "\"cpus\": []");
	struct saved_run runs[2] = { { 0 } };
	_cleanup_free_ char *problem = NULL;
	struct compare_result result = { 0 };
	struct texts texts = { 0 };

	(void)state;
	assert_int_equal(saved_run_parse("a", run, strlen(run), &runs[0], &problem), 0);
	assert_int_equal(saved_run_parse("b", jitter, strlen(jitter), &runs[1], &problem), 0);
	assert_int_equal(compare_runs(runs, 2, &texts, &result, &problem), -EINVAL);
	assert_string_equal(problem, "a is of measure run, and b of measure jitter: only those of "
				     "one command can be compared");
	assert_null(result.comparisons);
	saved_run_done(&runs[0]);
	saved_run_done(&runs[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compares_groups),
		cmocka_unit_test(refuses_other_commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
