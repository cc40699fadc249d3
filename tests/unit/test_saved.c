// SPDX-License-Identifier: GPL-2.0-only
/* Files of --save: which figures they have, and what is refused with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "measure/saved.h"
#include "temporary.h"

#define HEAD(kind)                                                                            \
	"{\"format\": \"intel-speed-select-run\", \"version\": 1, \"command\": \"" kind "\"," \
	" \"kernel\": \"6.12\", \"program\": \"0.1\", \"processor\": \"P\","                  \
	" \"state\": " STATE ", "
#define STATE "{\"format\": \"intel-speed-select-state\", \"version\": 1, \"settings\": []}"

struct expected {
	const char *text;
	const char *figures; /* "NAME=VALUE VALUE;...", the second side after "|" */
};

static const struct expected expectations[] = {
	{ HEAD("run") "\"seconds\": 10, \"cpus\": ["
		      "{\"busy-percent\": 50, \"mhz\": 3000}, {\"busy-percent\": 25, \"mhz\": 1500},"
		      "{\"busy-percent\": 0, \"mhz\": null, \"mhz-reason\": \"idle\"}],"
		      "\"packages\": [{\"watts\": 10, \"joules\": 100}, {\"watts\": 5.5, "
		      "\"joules\": null}],"
		      "\"pipe\": {\"usecs-per-op\": 6.1, \"ops-per-second\": 164000}}",
	  "usecs-per-op=6.1;ops-per-second=164000;mhz=2500;watts=15.5;" },
	/* the frequency of the command alone; no power at all */
	{ HEAD("run") "\"cpus\": [{\"mhz\": null}], \"packages\": [], "
		      "\"process\": {\"seconds\": 2.5, \"mhz\": 1800}}",
	  "seconds=2.5;mhz=1800;" },
	{ HEAD("run") "\"cpus\": [], \"intervals\": ["
		      "{\"cpus\": [], \"packages\": [{\"watts\": 10}]}, {\"cpus\": []},"
		      "{\"cpus\": [], \"packages\": [{\"watts\": 12}]}]}",
	  "watts=10 12;" },
	{ HEAD("wake") "\"cpus\": [{\"cpu\": 3, \"rows\": ["
		       "{\"state\": \"C1\", \"gap-us\": 100, \"p50-us\": 2.5, \"p99-us\": 4},"
		       "{\"state\": \"POLL\", \"requested\": \"C1\", \"gap-us\": 100, "
		       "\"p50-us\": 2},"
		       "{\"state\": \"C6\", \"gap-us\": 100, \"p50-us\": null}]}]}",
	  "p50-us of C1 after 100 us=2.5;p99-us of C1 after 100 us=4;" },
	{ HEAD("wake") "\"cpus\": ["
		       "{\"cpu\": 3, \"rows\": [{\"state\": \"C1\", \"gap-us\": 9, \"p50-us\": 2}]},"
		       "{\"cpu\": 4, \"rows\": [{\"state\": \"C1\", \"gap-us\": 9, \"p50-us\": 3}]}]}",
	  "cpu-3 p50-us of C1 after 9 us=2;cpu-4 p50-us of C1 after 9 us=3;" },
	/* a state that could not be measured has no gap */
	{ HEAD("wake") "\"cpus\": [{\"cpu\": 3, \"rows\": [{\"state\": \"C6\", \"p50-us\": null, "
		       "\"p50-us-reason\": \"latency limit 50 us\", \"exit-latency-us\": 290}]}]}",
	  "" },
	{ HEAD("jitter") "\"cpus\": [{\"cpu\": 1, \"mean-us\": 3, \"max-us\": 40.5}]}",
	  "mean-us=3;max-us=40.5;" },
	{ HEAD("ladder") "\"steps\": ["
			 "{\"cores\": 1, \"groups\": [{\"measured-mhz\": 3200}], \"packages\": []},"
			 "{\"cores\": 2, \"groups\": [{\"measured-mhz\": 3200}, "
			 "{\"measured-mhz\": 2600}, {\"measured-mhz\": null}]}]}",
	  "mhz with 1 cores=3200;mhz with 2 cores=2600;" },
	{ HEAD("try") "\"document\": " STATE ", \"samples\": ["
		      "{\"with\": false, \"seconds\": 1, \"watts\": null},"
		      "{\"with\": true, \"seconds\": 2}, {\"with\": true, \"seconds\": 3},"
		      "{\"with\": false, \"seconds\": 4, \"watts\": 9}]}",
	  "seconds=1 4;watts=9;|seconds=2 3;" },
};

static void append_side(struct buffer *text, const struct saved_side *side)
{
	for (size_t i = 0; i < side->n_figures; i++) {
		const struct saved_figure *figure = &side->figures[i];

		assert_ptr_equal(saved_side_find(side, figure->name), figure);
		buffer_append_string(text, figure->name);
		for (size_t j = 0; j < figure->n_values; j++) {
			_cleanup_free_ char *value =
				text_format("%s%.6g", j ? " " : "=", figure->values[j]);

			buffer_append_string(text, value);
		}
		buffer_append_string(text, ";");
	}
}

static void has_these_figures(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expectations); i++) {
		_cleanup_saved_run_ struct saved_run run = { 0 };
		_cleanup_buffer_ struct buffer text = { 0 };
		_cleanup_free_ char *problem = NULL;
		const char *json = expectations[i].text;

		if (saved_run_parse("a.json", json, strlen(json), &run, &problem))
			fail_msg("%zu: %s", i, problem);
		assert_null(problem);
		append_side(&text, &run.sides[SAVED_WITHOUT]);
		if (run.kind == SAVED_RUN_TRY) {
			buffer_append_string(&text, "|");
			append_side(&text, &run.sides[SAVED_WITH]);
		}
		if (strcmp(buffer_text(&text), expectations[i].figures) != 0)
			fail_msg("%zu: %s", i, buffer_text(&text));
		assert_string_equal(run.about.kernel, "6.12");
		assert_string_equal(run.about.program, "0.1");
		assert_string_equal(run.about.processor, "P");
		assert_non_null(json_object_get(run.state, "settings"));
		assert_true((run.document != NULL) == (run.kind == SAVED_RUN_TRY));
	}
}

static const struct expected wrongs[] = {
	{ "", "a.json: the file is empty" },
	{ "{\n\"a\": }", "a.json:2: " },
	{ "[]", "a.json: must be an object" },
	{ "{}", "a.json: format: is missing" },
	{ "{\"format\": \"intel-speed-select-state\", \"version\": 1, \"settings\": []}",
	  "a.json: this is a state document; a file that a measure command wrote with --save is "
	  "needed" },
	{ "{\"format\": \"intel-speed-select-profile\"}",
	  "a.json: this is a profile of machine check; " },
	{ "{\"format\": \"intel-speed-select-verify\"}",
	  "a.json: this is a result of machine verify; " },
	{ "{\"format\": \"intel-speed-select-journal\"}", "a.json: this is a change journal; " },
	{ "{\"schema\": 1}", "a.json: this is a platform file, such as machine record writes; " },
	{ "hello", "a.json:1: this is not a JSON document, which begins with {" },
	{ "{\"format\":", "a.json:1: the file ends too early: it is not complete" },
	{ "{\"format\": \"intel-speed-select-run\", \"version\": 2}",
	  "a.json: version: must be 1, not 2" },
	{ "{\"format\": \"intel-speed-select-run\", \"version\": 1, \"command\": \"why\"}",
	  "a.json: command: must be one of \"run\", \"wake\"" },
	{ "{\"format\": \"intel-speed-select-run\", \"version\": 1, \"command\": \"run\", "
	  "\"program\": \"1\", \"kernel\": 6}",
	  "a.json: kernel: must be a string" },
	{ "{\"format\": \"intel-speed-select-run\", \"version\": 1, \"command\": \"run\", "
	  "\"program\": \"1\"}",
	  "a.json: state: is missing" },
	{ "{\"format\": \"intel-speed-select-run\", \"version\": 1, \"command\": \"run\", "
	  "\"program\": \"1\", \"state\": {\"format\": \"x\"}, \"cpus\": []}",
	  "a.json: state: format: " },
	{ HEAD("run") "\"cpus\": {}}", "a.json: cpus: must be a list" },
	{ HEAD("run") "\"cpus\": [1]}", "a.json: cpus[0]: must be an object" },
	{ HEAD("run") "\"cpus\": [{\"mhz\": 1}, {\"mhz\": \"3\"}]}",
	  "a.json: cpus[1].mhz: must be null or a number that is not negative" },
	{ HEAD("run") "\"cpus\": [{\"busy-percent\": -1}]}", "a.json: cpus[0].busy-percent: " },
	{ HEAD("run") "\"cpus\": [], \"packages\": [{\"watts\": []}]}",
	  "a.json: packages[0].watts: " },
	{ HEAD("run") "\"cpus\": [], \"packages\": [{\"watts\": 1e999}]}", "a.json:1: " },
	{ HEAD("run") "\"cpus\": [], \"pipe\": 3}", "a.json: pipe: must be an object" },
	{ HEAD("run") "\"cpus\": [], \"intervals\": [{\"cpus\": [{\"mhz\": {}}]}]}",
	  "a.json: intervals[0].cpus[0].mhz: " },
	{ HEAD("run") "\"cpus\": [], \"intervals\": []}", "a.json: intervals: " },
	{ HEAD("wake") "\"cpus\": [{\"rows\": []}]}", "a.json: cpus[0].cpu: " },
	{ HEAD("wake") "\"cpus\": [{\"cpu\": 9999999999, \"rows\": []}]}",
	  "a.json: cpus[0].cpu: " },
	{ HEAD("wake") "\"cpus\": [{\"cpu\": 1}]}", "a.json: cpus[0].rows: is missing" },
	{ HEAD("wake") "\"cpus\": [{\"cpu\": 1, \"rows\": [{\"state\": \"\\u001b[2J\"}]}]}",
	  "a.json: cpus[0].rows[0].state: must not contain control characters" },
	{ HEAD("wake") "\"cpus\": [{\"cpu\": 1, \"rows\": ["
		       "{\"state\": \"C1\", \"gap-us\": 1, \"p50-us\": 1},"
		       "{\"state\": \"C1\", \"gap-us\": 1, \"p50-us\": 1}]}]}",
	  "a.json: cpus[0].rows[1]: \"p50-us of C1 after 1 us\" is given twice" },
	{ HEAD("jitter") "\"cpus\": [{\"cpu\": 1, \"cycles\": -1}]}", "a.json: cpus[0].cycles: " },
	{ HEAD("wake") "\"cpus\": [{\"cpu\": 1, \"rows\": [{\"state\": \"C1\", \"p50-us\": true}]}]}",
	  "a.json: cpus[0].rows[0].p50-us: must be null or a number that is not negative" },
	{ HEAD("jitter") "\"cpus\": null}", "a.json: cpus: must be a list" },
	{ HEAD("ladder") "\"steps\": [{\"groups\": []}]}", "a.json: steps[0].cores: " },
	{ HEAD("ladder") "\"steps\": [{\"cores\": 1, \"groups\": [{\"measured-mhz\": true}]}]}",
	  "a.json: steps[0].groups[0].measured-mhz: " },
	{ HEAD("try") "\"samples\": []}", "a.json: document: is missing" },
	{ HEAD("try") "\"document\": " STATE ", \"samples\": [{\"seconds\": 1}]}",
	  "a.json: samples[0].with: is missing" },
	{ HEAD("try") "\"document\": " STATE ", \"samples\": [{\"with\": 1}]}",
	  "a.json: samples[0].with: must be true or false" },
	{ HEAD("try") "\"document\": {}, \"samples\": [{\"with\": true}]}",
	  "a.json: document: format: " },
};

static void refuses_others(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrongs); i++) {
		_cleanup_saved_run_ struct saved_run run = { 0 };
		_cleanup_free_ char *problem = NULL;
		const char *json = wrongs[i].text;
		int err = saved_run_parse("a.json", json, strlen(json), &run, &problem);

		if (err != -EINVAL || !problem ||
		    strncmp(problem, wrongs[i].figures, strlen(wrongs[i].figures)) != 0)
			fail_msg("%zu: %d, %s", i, err, problem ? problem : "no problem");
		assert_null(run.json);
	}
}

/* What is unknown of the machine has a reason. */
static void keeps_reasons(void **state)
{
	static const char json[] =
		"{\"format\": \"intel-speed-select-run\", \"version\": 1, \"command\": \"jitter\", "
		"\"kernel\": null, \"kernel-reason\": \"/proc/sys/kernel/osrelease cannot be read\", "
		"\"program\": \"1\", \"state\": " STATE ", \"cpus\": []}";
	_cleanup_saved_run_ struct saved_run run = { 0 };
	_cleanup_free_ char *problem = NULL;

	(void)state;
	assert_int_equal(saved_run_parse("a.json", json, strlen(json), &run, &problem), 0);
	assert_null(run.about.kernel);
	assert_string_equal(run.about.kernel_reason, "/proc/sys/kernel/osrelease cannot be read");
	assert_null(run.about.processor);
}

/* A file that was cut at any byte is refused. */
static void refuses_parts(void **state)
{
	const char *json = expectations[0].text;

	(void)state;
	for (size_t length = 0; length < strlen(json); length++) {
		_cleanup_saved_run_ struct saved_run run = { 0 };
		_cleanup_free_ char *problem = NULL;

		assert_int_equal(saved_run_parse("a.json", json, length, &run, &problem), -EINVAL);
		assert_non_null(problem);
	}
}

static void refuses_many_figures(void **state)
{
	_cleanup_saved_run_ struct saved_run run = { 0 };
	_cleanup_buffer_ struct buffer text = { 0 };
	_cleanup_free_ char *problem = NULL;

	(void)state;
	buffer_append_string(&text, HEAD("ladder") "\"steps\": [");
	for (int i = 0; i <= SAVED_RUN_MAX_FIGURES; i++) {
		_cleanup_free_ char *step = text_format(
			"%s{\"cores\": %d, \"groups\": [{\"measured-mhz\": 1}]}", i ? "," : "", i);

		buffer_append_string(&text, step);
	}
	buffer_append_string(&text, "]}");
	assert_int_equal(saved_run_parse("a.json", text.data, text.length, &run, &problem),
			 -EINVAL);
	assert_string_equal(problem, "a.json: steps[10000]: has more than 10000 figures");
}

static void reads_files(void **state)
{
	_cleanup_saved_run_ struct saved_run run = { 0 };
	_cleanup_free_ char *problem = NULL, *of_directory = NULL, *path = NULL;
	char *directory = temporary_make();

	(void)state;
	assert_int_equal(saved_run_read("/nowhere/a.json", &run, &problem), -ENOENT);
	assert_string_equal(problem, "/nowhere/a.json: No such file or directory");
	assert_int_equal(saved_run_read("/", &run, &of_directory), -EISDIR);
	assert_string_equal(
		of_directory,
		"/: this is a directory; a file that a measure command wrote with --save is needed");
	path = temporary_path(directory, "a.json");
	temporary_write(path, expectations[0].text, 0644);
	free(steal(problem));
	assert_int_equal(saved_run_read(path, &run, &problem), 0);
	assert_null(problem);
	assert_string_equal(run.file, path);
	temporary_remove(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_these_figures),    cmocka_unit_test(refuses_others),
		cmocka_unit_test(refuses_parts),        cmocka_unit_test(keeps_reasons),
		cmocka_unit_test(refuses_many_figures), cmocka_unit_test(reads_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
