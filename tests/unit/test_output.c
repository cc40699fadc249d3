// SPDX-License-Identifier: GPL-2.0-only
/* The stream of nodes: where it goes, where messages go, what stays whole when a caller gives
 * up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>

#include "capture.h"
#include "temporary.h"
#include "base/cleanup.h"
#include "base/cpuset.h"
#include "output/output.h"

/* Both standard streams in files of their own, and a file for the results. */
struct streams {
	char *directory;
	char *path_stdout;
	char *path_stderr;
	char *path;
};

static int set_up(void **test)
{
	struct streams *streams = calloc(1, sizeof(*streams));

	assert_non_null(streams);
	streams->directory = temporary_make();
	streams->path_stdout = temporary_path(streams->directory, "stdout");
	streams->path_stderr = temporary_path(streams->directory, "stderr");
	streams->path = temporary_path(streams->directory, "results");
	*test = streams;
	return 0;
}

static int tear_down(void **test)
{
	struct streams *streams = *test;

	temporary_remove(streams->directory);
	free(streams->path_stdout);
	free(streams->path_stderr);
	free(streams->path);
	free(streams);
	return 0;
}

static const struct output_place places[] = {
	{ .package = 0, .die = 0, .power_domain = OUTPUT_NOT_SHOWN, .cpu = 0 },
	{ .package = 1, .die = 1, .power_domain = OUTPUT_NOT_SHOWN, .cpu = 4 },
};

/* Gives up in the middle of the first place; every scope must close. */
static int put_place(struct output *output, const struct output_place *place, bool gives_up)
{
	_cleanup_scope_ struct output_scope in_place = output_enter_place(output, place, NULL);
	_cleanup_scope_ struct output_scope level = output_enter(output, "level-%d", 3);

	output_value(output, "count", "%u", 4U);
	if (gives_up) {
		_cleanup_scope_ struct output_scope bucket = output_enter(output, "bucket-0");

		output_error(output, "no answer of package %d", 0);
		return -EIO;
	}
	output_note(output, "%s", "rounded down");
	output_value(output, "rate", "%u MHz", 2600U);
	return 0;
}

static void put_all(struct output *output)
{
	output_information(output, "level 0 only");
	put_place(output, &places[0], true);
	put_place(output, &places[1], false);
}

#define TEXT_0 " package-0\n  die-0\n    cpu-0\n      level-3\n        count:4\n        bucket-0\n"
#define TEXT_1 " package-1\n  die-1\n    cpu-4\n      level-3\n        count:4\n"
#define TEXT_2 "        rate:2600 MHz\n"
#define ERROR  "Error: no answer of package 0\n"
#define NOTE   "Information: rounded down\n"

#define TEXT_ALONE  "Information: level 0 only\n" TEXT_0 TEXT_1 TEXT_2
#define TEXT_SHARED "Information: level 0 only\n" TEXT_0 ERROR TEXT_1 NOTE TEXT_2

#define JSON_INFORMATION "{\n  \"Information:0\": {\n    \"message\": \"level 0 only\"\n  },\n"
#define JSON_0                                                 \
	"  \"package-0:die-0:cpu-0\": {\n    \"level-3\": {\n" \
	"      \"count\": \"4\",\n      \"bucket-0\": {}\n    }\n  },\n"
#define JSON_ERROR "  \"Error1\": {\n    \"message\": \"no answer of package 0\"\n  },\n"
#define JSON_1                                                 \
	"  \"package-1:die-1:cpu-4\": {\n    \"level-3\": {\n" \
	"      \"count\": \"4\",\n      \"rate\": \"2600 MHz\"\n    }\n  }"
#define JSON_NOTE ",\n  \"Information:2\": {\n    \"message\": \"rounded down\"\n  }"

#define JSON_ALONE  JSON_INFORMATION JSON_0 JSON_1 "\n}\n"
#define JSON_SHARED JSON_INFORMATION JSON_0 JSON_ERROR JSON_1 JSON_NOTE "\n}\n"

struct stream_case {
	enum output_format format;
	const char *path; /* "@" is the test's file, "@stderr" what stderr leads to */
	bool to_stdout;
	bool one_stream; /* stderr goes where stdout goes */
	const char *in_stdout, *in_stderr, *in_file; /* NULL: there is no such file */
};

static const struct stream_case stream_cases[] = {
	{ .format = OUTPUT_TEXT, .in_stdout = "", .in_stderr = TEXT_SHARED },
	{ .format = OUTPUT_JSON, .in_stdout = "", .in_stderr = JSON_SHARED },
	{ .format = OUTPUT_TEXT,
	  .to_stdout = true,
	  .in_stdout = TEXT_ALONE,
	  .in_stderr = ERROR NOTE },
	{ .format = OUTPUT_JSON,
	  .to_stdout = true,
	  .in_stdout = JSON_ALONE,
	  .in_stderr = ERROR NOTE },
	{ .format = OUTPUT_JSON, .path = "-", .in_stdout = JSON_ALONE, .in_stderr = ERROR NOTE },
	{ .format = OUTPUT_JSON,
	  .path = "-",
	  .one_stream = true,
	  .in_stdout = JSON_SHARED,
	  .in_stderr = "" },
	{ .format = OUTPUT_TEXT,
	  .path = "-",
	  .one_stream = true,
	  .in_stdout = ERROR NOTE TEXT_ALONE,
	  .in_stderr = "" },
	{ .format = OUTPUT_TEXT,
	  .path = "@",
	  .in_stdout = "",
	  .in_stderr = ERROR NOTE,
	  .in_file = TEXT_ALONE },
	{ .format = OUTPUT_JSON,
	  .path = "@",
	  .to_stdout = true,
	  .in_stdout = "",
	  .in_stderr = ERROR NOTE,
	  .in_file = JSON_ALONE },
	{ .format = OUTPUT_JSON, .path = "/dev/stderr", .in_stdout = "", .in_stderr = JSON_SHARED },
	{ .format = OUTPUT_TEXT,
	  .path = "/dev/stderr",
	  .to_stdout = true,
	  .in_stdout = "",
	  .in_stderr = TEXT_SHARED },
	{ .format = OUTPUT_JSON, .path = "@stderr", .in_stdout = "", .in_stderr = JSON_SHARED },
	{ .format = OUTPUT_JSON,
	  .path = "/dev/stdout",
	  .in_stdout = JSON_ALONE,
	  .in_stderr = ERROR NOTE },
};

static const char *find_path(const struct streams *streams, const char *path)
{
	if (path && strcmp(path, "@") == 0)
		return streams->path;
	return path && strcmp(path, "@stderr") == 0 ? streams->path_stderr : path;
}

/* Returns what output_finish() returns. */
static int run_streams(const struct streams *streams, const struct stream_case *stream)
{
	const char *path_stderr = stream->one_stream ? streams->path_stdout : streams->path_stderr;
	struct capture out = capture_start(STDOUT_FILENO, streams->path_stdout);
	struct capture err = capture_start(STDERR_FILENO, path_stderr);
	struct output *output;
	int result = output_open(stream->format, find_path(streams, stream->path),
				 stream->to_stdout, &output);

	if (!result) {
		put_all(output);
		result = output_finish(output);
		output_close(&output);
	}
	capture_stop(&err);
	capture_stop(&out);
	return result;
}

static void test_streams(void **test)
{
	const struct streams *streams = *test;

	for (size_t i = 0; i < ARRAY_SIZE(stream_cases); i++) {
		const struct stream_case *stream = &stream_cases[i];

		print_message("stream case %zu\n", i);
		temporary_write(streams->path_stdout, "", 0644);
		temporary_write(streams->path_stderr, "", 0644);
		assert_int_equal(run_streams(streams, stream), 0);
		temporary_assert_text(streams->path_stdout, stream->in_stdout);
		temporary_assert_text(streams->path_stderr, stream->in_stderr);
		if (stream->in_file)
			temporary_assert_text(streams->path, stream->in_file);
		assert_int_equal(temporary_count(streams->directory), stream->in_file ? 3 : 2);
		assert_int_equal(unlink(streams->path_stdout), 0);
		assert_int_equal(unlink(streams->path_stderr), 0);
		if (stream->in_file)
			assert_int_equal(unlink(streams->path), 0);
	}
}

/* A file that stdout is appended to is a stream by any name: nothing in it may get lost. */
static void test_appended_stdout(void **test)
{
	const struct streams *streams = *test;
	const char *names[] = { "/dev/stdout", streams->path_stdout };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct stream_case stream = { .format = OUTPUT_TEXT, .path = names[i] };

		temporary_write(streams->path_stdout, "what was there\n", 0644);
		assert_int_equal(run_streams(streams, &stream), 0);
		temporary_assert_text(streams->path_stdout, "what was there\n" TEXT_ALONE);
		assert_int_equal(unlink(streams->path_stdout), 0);
	}
}

/* The file is not touched before all is known; giving up leaves the old one. */
static void test_nothing_before_finish(void **test)
{
	const struct streams *streams = *test;
	struct output *output;

	temporary_write(streams->path, "old", 0600);
	assert_int_equal(output_open(OUTPUT_JSON, streams->path, false, &output), 0);
	output_information(output, "half of it");
	temporary_assert_text(streams->path, "old");
	output_close(&output);
	assert_null(output);
	output_close(&output);
	temporary_assert_text(streams->path, "old");
	assert_int_equal(output_open(OUTPUT_TEXT, streams->path, false, &output), 0);
	assert_int_equal(output_finish(output), 0);
	output_close(&output);
	temporary_assert_text(streams->path, "");
	assert_int_equal(temporary_mode(streams->path), 0600);
}

static void test_finish_errors(void **test)
{
	_cleanup_free_ char *missing = NULL;
	const struct streams *streams = *test;
	const struct {
		const char *path;
		int err;
	} cases[] = {
		{ .path = "/dev/full", .err = -ENOSPC },
		{ .path = streams->directory, .err = -EISDIR },
		{ .path = missing = temporary_path(streams->directory, "a/b"), .err = -ENOENT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct output *output;

		assert_int_equal(output_open(OUTPUT_JSON, cases[i].path, false, &output), 0);
		output_information(output, "words");
		assert_int_equal(output_finish(output), cases[i].err);
		output_close(&output);
	}
}

static void put_cpus(struct output *output, size_t n_words, const char *list)
{
	_cleanup_cpuset_ struct cpuset cpus = { 0 };

	assert_int_equal(cpulist_parse(list, &cpus), 0);
	if (n_words)
		output_set_mask_words(output, n_words);
	output_number(output, "count", cpuset_count(&cpus), "");
	output_cpu_mask(output, "mask", &cpus);
	output_cpu_list(output, "list", &cpus);
}

static void test_cpus(void **test)
{
	static const struct {
		size_t n_words; /* 0: not reported */
		const char *list, *result;
	} cases[] = {
		{ .list = "0-3", .result = " count:4\n mask:0000000f\n list:0,1,2,3\n" },
		{ .list = "", .result = " count:0\n mask:00000000\n list:none\n" },
		{ .n_words = 2,
		  .list = "0-1,32",
		  .result = " count:3\n mask:00000001,00000003\n list:0,1,32\n" },
		{ .n_words = 3,
		  .list = "",
		  .result = " count:0\n mask:00000000,00000000,00000000\n list:none\n" },
		{ .n_words = 4,
		  .list = "31,64,127",
		  .result = " count:3\n mask:80000000,00000001,00000000,80000000\n"
			    " list:31,64,127\n" },
	};
	const struct streams *streams = *test;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct output *output;

		assert_int_equal(output_open(OUTPUT_TEXT, streams->path, false, &output), 0);
		put_cpus(output, cases[i].n_words, cases[i].list);
		assert_int_equal(output_finish(output), 0);
		output_close(&output);
		temporary_assert_text(streams->path, cases[i].result);
	}
}

/* Nothing is cut off: all CPUs of a large machine, one by one. */
static void test_long_values(void **test)
{
	_cleanup_free_ char *wanted = NULL;
	_cleanup_cpuset_ struct cpuset cpus = { 0 };
	const struct streams *streams = *test;
	struct output *output;
	size_t length = 0;
	FILE *to = open_memstream(&wanted, &length);

	assert_non_null(to);
	assert_int_equal(cpulist_parse("0-8191", &cpus), 0);
	fputs(" list:0", to);
	for (unsigned int cpu = 1; cpu < 8192; cpu++)
		fprintf(to, ",%u", cpu);
	fprintf(to, "\n node-%05000d\n", 7);
	assert_int_equal(fclose(to), 0);
	assert_int_equal(output_open(OUTPUT_TEXT, streams->path, false, &output), 0);
	output_cpu_list(output, "list", &cpus);
	output_enter(output, "node-%05000d", 7);
	assert_int_equal(output_finish(output), 0);
	output_close(&output);
	temporary_assert_text(streams->path, wanted);
}

/* Text for a standard stream can be written early; a file and JSON are still replaced whole. */
static void test_flush(void **test)
{
	const struct streams *streams = *test;
	struct output *output;
	struct capture out;

	temporary_write(streams->path_stdout, "", 0644);
	out = capture_start(STDOUT_FILENO, streams->path_stdout);
	assert_int_equal(output_open(OUTPUT_TEXT, NULL, true, &output), 0);
	output_document(output, "first\n");
	output_flush(output);
	output_flush(output);
	temporary_assert_text(streams->path_stdout, "first\n");
	output_document(output, "second\n");
	assert_int_equal(output_finish(output), 0);
	output_close(&output);
	capture_stop(&out);
	temporary_assert_text(streams->path_stdout, "first\nsecond\n");

	temporary_write(streams->path, "old", 0600);
	for (int format = OUTPUT_TEXT; format <= OUTPUT_JSON; format++) {
		assert_int_equal(
			output_open((enum output_format)format, streams->path, true, &output), 0);
		output_member(output, "name", "value");
		output_sentence(output, "text");
		output_flush(output);
		temporary_assert_text(streams->path, "old");
		output_close(&output);
	}
}

/* The nodes of a place: one value. */
static void put_clos(struct output *output, const struct output_place *place, const char *clos)
{
	_cleanup_scope_ struct output_scope scope = output_enter_place(output, place, "get-assoc");

	output_value(output, "clos", "%s", clos);
}

/* Package 0 with three power domains, package 1 with two. CLOS by the letter of each; a dash: it
 * was not read. */
static void put_domains(struct output *output, const char *clos)
{
	for (int64_t i = 0; i < 5; i++) {
		const struct output_place place = { .package = i / 3,
						    .die = i / 3,
						    .power_domain = i % 3,
						    .cpu = i == 2 ? OUTPUT_NO_ID : i * 8 };
		const char text[] = { clos[i], '\0' };

		if (clos[i] == '-')
			continue;
		put_clos(output, &place, text);
	}
}

/* Places with equal nodes are one; its numbers name no place with other nodes, or without. */
static void test_fold(void **test)
{
	static const struct {
		const char *clos;
		const char *text;
	} rows[] = {
		{ "00a00", " package-0-1\n  die-0-1\n    powerdomain-0-1\n      cpu-0,8,24,32\n"
			   "        get-assoc\n          clos:0\n"
			   " package-0\n  die-0\n    powerdomain-2\n      cpu-None\n"
			   "        get-assoc\n          clos:a\n" },
		/* package 1 differs in one */
		{ "00a01", " package-0\n  die-0\n    powerdomain-0-1\n      cpu-0,8\n"
			   "        get-assoc\n          clos:0\n"
			   " package-0\n  die-0\n    powerdomain-2\n      cpu-None\n"
			   "        get-assoc\n          clos:a\n"
			   " package-1\n  die-1\n    powerdomain-0\n      cpu-24\n"
			   "        get-assoc\n          clos:0\n"
			   " package-1\n  die-1\n    powerdomain-1\n      cpu-32\n"
			   "        get-assoc\n          clos:1\n" },
		/* powerdomain-1 of package 1 has no value */
		{ "00a0-", " package-0\n  die-0\n    powerdomain-0-1\n      cpu-0,8\n"
			   "        get-assoc\n          clos:0\n"
			   " package-0\n  die-0\n    powerdomain-2\n      cpu-None\n"
			   "        get-assoc\n          clos:a\n"
			   " package-1\n  die-1\n    powerdomain-0\n      cpu-24\n"
			   "        get-assoc\n          clos:0\n" },
	};
	const struct streams *streams = *test;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct output *output;

		assert_int_equal(output_open(OUTPUT_TEXT, streams->path, true, &output), 0);
		output_set_fold(output, false);
		put_domains(output, rows[i].clos);
		assert_int_equal(output_finish(output), 0);
		output_close(&output);
		temporary_assert_text(streams->path, rows[i].text);
	}
}

/* CPUs of one place may differ, and what else is put comes after the places before it. */
static void test_fold_of_cpus(void **test)
{
	const struct streams *streams = *test;
	struct output *output;

	assert_int_equal(output_open(OUTPUT_TEXT, streams->path, true, &output), 0);
	output_set_fold(output, false);
	for (int64_t cpu = 0; cpu < 8; cpu++) {
		const struct output_place place = {
			.package = cpu / 4, .die = 0, .power_domain = OUTPUT_NOT_SHOWN, .cpu = cpu
		};

		put_clos(output, &place, cpu % 2 ? "3" : "0");
	}
	output_sentence(output, "The end");
	put_clos(output, &places[0], "3");
	assert_int_equal(output_finish(output), 0);
	output_close(&output);
	temporary_assert_text(streams->path,
			      " package-0-1\n  die-0\n    cpu-0,2,4,6\n      get-assoc\n"
			      "        clos:0\n"
			      " package-0-1\n  die-0\n    cpu-1,3,5,7\n      get-assoc\n"
			      "        clos:3\n"
			      "The end\n"
			      " package-0\n  die-0\n    cpu-0\n      get-assoc\n"
			      "        clos:3\n");
}

/* Without power domains the number of a die is of its package, or of the machine: then it names one
 * die. Die 0 of package 0 and die 1 of package 1 are equal, and others were not read. */
static void test_fold_of_dies(void **test)
{
	static const char *const texts[] = {
		" package-0\n  die-0\n    get-assoc\n      clos:0\n"
		" package-1\n  die-1\n    get-assoc\n      clos:0\n",
		" package-0-1\n  die-0-1\n    get-assoc\n      clos:0\n",
	};
	const struct streams *streams = *test;

	for (int differ = 0; differ < 2; differ++) {
		struct output *output;

		assert_int_equal(output_open(OUTPUT_TEXT, streams->path, true, &output), 0);
		output_set_fold(output, differ);
		for (int64_t i = 0; i < 2; i++)
			put_clos(output,
				 &(struct output_place){ .package = i,
							 .die = i,
							 .power_domain = OUTPUT_NOT_SHOWN,
							 .cpu = OUTPUT_NOT_SHOWN },
				 "0");
		assert_int_equal(output_finish(output), 0);
		output_close(&output);
		temporary_assert_text(streams->path, texts[differ]);
	}
}

/* Leaving a scope by hand and then again at its end is leaving it once. */
static void put_left_early(struct output *output)
{
	_cleanup_scope_ struct output_scope outer = output_enter(output, "outer");
	_cleanup_scope_ struct output_scope inner = output_enter(output, "inner");

	output_leave(&inner);
	output_value(output, "a", "1");
}

static void test_left_early(void **test)
{
	const struct streams *streams = *test;
	struct output *output;

	assert_int_equal(output_open(OUTPUT_TEXT, streams->path, false, &output), 0);
	put_left_early(output);
	output_value(output, "b", "2");
	output_sentence(output, "A %s", "sentence");
	output_member(output, "member", "value");
	assert_int_equal(output_finish(output), 0);
	output_close(&output);
	temporary_assert_text(streams->path, " outer\n  inner\n  a:1\n b:2\nA sentence\n");
}

static void test_shares(void **test)
{
	const struct streams *streams = *test;
	struct capture out = capture_start(STDOUT_FILENO, streams->path_stdout);
	struct capture err = capture_start(STDERR_FILENO, streams->path_stderr);
	const struct {
		const char *path;
		bool to_stdout, with_stdout, with_stderr;
	} cases[] = {
		{ .path = NULL, .with_stderr = true },
		{ .path = NULL, .to_stdout = true, .with_stdout = true },
		{ .path = "-", .with_stdout = true },
		{ .path = "/dev/stdout", .with_stdout = true },
		{ .path = streams->path_stdout, .with_stdout = true },
		{ .path = "/dev/stderr", .to_stdout = true, .with_stderr = true },
		{ .path = streams->path },
	};
	bool same = true;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct output *output;

		if (output_open(OUTPUT_JSON, cases[i].path, cases[i].to_stdout, &output))
			continue;
		same = same &&
		       sink_is_stream(output_sink(output), stdout) == cases[i].with_stdout &&
		       sink_is_stream(output_sink(output), stderr) == cases[i].with_stderr;
		output_close(&output);
	}
	capture_stop(&err);
	capture_stop(&out);
	assert_true(same);
}

/* Results of a machine that is not hardware say so first, or beside a document. */
struct mark_case {
	enum output_format format;
	void (*put)(struct output *output);
	const char *on_stdout;
	const char *on_stderr;
};

static void put_nothing(struct output *output)
{
	output_error(output, "refused");
}

static void put_text(struct output *output)
{
	output_text(output, "a table\n");
}

static void put_flushed(struct output *output)
{
	output_text(output, "a\n");
	output_flush(output);
	output_text(output, "b\n");
}

static void put_document(struct output *output)
{
	output_document(output, "0-3\n");
}

static void put_member(struct output *output)
{
	output_json_member(output, "rows", json_integer(1));
}

static void put_made_json(struct output *output)
{
	assert_int_equal(output_make_json(output), 0);
	put_member(output);
}

#define MARKED_JSON "{\n  \"simulated\": \"one\",\n  \"rows\": 1\n}\n"

static void test_mark(void **test)
{
	const struct streams *streams = *test;
	static const struct mark_case cases[] = {
		{ OUTPUT_TEXT, put_nothing, "", "Error: refused\n" },
		{ OUTPUT_TEXT, put_text, "simulated machine one\na table\n", "" },
		{ OUTPUT_TEXT, put_flushed, "simulated machine one\na\nb\n", "" },
		{ OUTPUT_TEXT, put_document, "0-3\n", "simulated machine one\n" },
		{ OUTPUT_TEXT, put_made_json, MARKED_JSON, "" },
		{ OUTPUT_JSON, put_member, MARKED_JSON, "" },
		{ OUTPUT_JSON, put_document, "0-3\n", "simulated machine one\n" },
		{ OUTPUT_JSON, put_nothing, "{\n  \"simulated\": \"one\"\n}\n",
		  "Error: refused\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct capture out, err;
		struct output *output;
		int result;

		temporary_write(streams->path_stdout, "", 0644);
		temporary_write(streams->path_stderr, "", 0644);
		out = capture_start(1, streams->path_stdout);
		err = capture_start(2, streams->path_stderr);
		result = output_open(cases[i].format, "-", true, &output);
		result = result ?: output_mark(output, "simulated", "other", "another line");
		result = result ?: output_mark(output, "simulated", "one", "simulated machine one");
		cases[i].put(output);
		result = result ?: output_finish(output);
		output_close(&output);
		fflush(stderr);
		capture_stop(&err);
		capture_stop(&out);
		assert_int_equal(result, 0);
		temporary_assert_text(streams->path_stdout, cases[i].on_stdout);
		temporary_assert_text(streams->path_stderr, cases[i].on_stderr);
		unlink(streams->path_stdout);
		unlink(streams->path_stderr);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_streams, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_appended_stdout, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_nothing_before_finish, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_finish_errors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_cpus, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_long_values, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_left_early, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_fold, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_fold_of_cpus, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_fold_of_dies, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_flush, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_shares, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_mark, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
