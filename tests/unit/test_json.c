// SPDX-License-Identifier: GPL-2.0-only
/* JSON: one whole document, members in order, every value a string. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "renderer_script.h"

#define PLACE_OF(package_, die_, domain_, cpu_)    \
	{                                          \
		.does = PLACE, .place = {          \
			.package = (package_),     \
			.die = (die_),             \
			.power_domain = (domain_), \
			.cpu = (cpu_)              \
		}                                  \
	}

static uint64_t group_words[] = { 5 };
static const struct cpuset group = { .words = group_words, .n_words = 1 };

static const struct render_case cases[] = {
	{ .what = "CPUs that are alike are members one by one",
	  .steps = { { .does = PLACE,
		       .place = { .power_domain = OUTPUT_NOT_SHOWN, .cpus = &group } },
		     { .does = ENTER, .name = "n" },
		     { .does = VALUE, .name = "a", .value = "1" },
		     { .does = LEAVE },
		     { .does = LEAVE },
		     PLACE_OF(0, 0, OUTPUT_NOT_SHOWN, 1),
		     { .does = VALUE, .name = "b", .value = "2" },
		     { .does = LEAVE } },
	  .result = "{\n"
		    "  \"package-0:die-0:cpu-0\": {\n"
		    "    \"n\": {\n"
		    "      \"a\": \"1\"\n"
		    "    }\n"
		    "  },\n"
		    "  \"package-0:die-0:cpu-2\": {\n"
		    "    \"n\": {\n"
		    "      \"a\": \"1\"\n"
		    "    }\n"
		    "  },\n"
		    "  \"package-0:die-0:cpu-1\": {\n"
		    "    \"b\": \"2\"\n"
		    "  }\n"
		    "}\n" },
	{ .what = "CPUs that are alike differ when one of them is entered again",
	  .steps = { { .does = PLACE,
		       .place = { .power_domain = OUTPUT_NOT_SHOWN, .cpus = &group } },
		     { .does = ENTER, .name = "n" },
		     { .does = VALUE, .name = "a", .value = "1" },
		     { .does = LEAVE },
		     { .does = LEAVE },
		     PLACE_OF(0, 0, OUTPUT_NOT_SHOWN, 2),
		     { .does = ENTER, .name = "n" },
		     { .does = VALUE, .name = "b", .value = "2" } },
	  .result = "{\n"
		    "  \"package-0:die-0:cpu-0\": {\n"
		    "    \"n\": {\n"
		    "      \"a\": \"1\"\n"
		    "    }\n"
		    "  },\n"
		    "  \"package-0:die-0:cpu-2\": {\n"
		    "    \"n\": {\n"
		    "      \"a\": \"1\",\n"
		    "      \"b\": \"2\"\n"
		    "    }\n"
		    "  }\n"
		    "}\n" },
	{ .what = "nothing", .result = "{}\n" },
	{ .what = "a place is one member",
	  .steps = { PLACE_OF(0, 0, OUTPUT_NOT_SHOWN, 0),
		     { .does = VALUE, .name = "get-config-levels", .value = "4" },
		     { .does = LEAVE },
		     PLACE_OF(1, 1, OUTPUT_NOT_SHOWN, 14),
		     { .does = VALUE, .name = "get-config-levels", .value = "4" },
		     { .does = LEAVE } },
	  .result = "{\n"
		    "  \"package-0:die-0:cpu-0\": {\n"
		    "    \"get-config-levels\": \"4\"\n"
		    "  },\n"
		    "  \"package-1:die-1:cpu-14\": {\n"
		    "    \"get-config-levels\": \"4\"\n"
		    "  }\n"
		    "}\n" },
	{ .what = "nodes below nodes, and back; order is kept",
	  .steps = { PLACE_OF(0, 0, OUTPUT_NOT_SHOWN, 0),
		     { .does = ENTER, .name = "z" },
		     { .does = VALUE, .name = "y", .value = "1" },
		     { .does = ENTER, .name = "x" },
		     { .does = VALUE, .name = "w", .value = "" },
		     { .does = LEAVE },
		     { .does = VALUE, .name = "a", .value = "2" },
		     { .does = LEAVE },
		     { .does = VALUE, .name = "b", .value = "3" },
		     { .does = LEAVE } },
	  .result = "{\n"
		    "  \"package-0:die-0:cpu-0\": {\n"
		    "    \"z\": {\n"
		    "      \"y\": \"1\",\n"
		    "      \"x\": {\n"
		    "        \"w\": \"\"\n"
		    "      },\n"
		    "      \"a\": \"2\"\n"
		    "    },\n"
		    "    \"b\": \"3\"\n"
		    "  }\n"
		    "}\n" },
	{ .what = "power domains, without a CPU, of an IO die",
	  .steps = { PLACE_OF(0, 0, 1, 43),
		     { .does = LEAVE },
		     PLACE_OF(0, 0, 3, OUTPUT_NO_ID),
		     { .does = LEAVE },
		     PLACE_OF(0, OUTPUT_NO_ID, 4, OUTPUT_NO_ID),
		     { .does = LEAVE } },
	  .result = "{\n"
		    "  \"package-0:die-0:powerdomain-1:cpu-43\": {},\n"
		    "  \"package-0:die-0:powerdomain-3:cpu-None\": {},\n"
		    "  \"package-0:die-IO:powerdomain-4:cpu-None\": {}\n"
		    "}\n" },
	{ .what = "a result for no CPU in particular",
	  .steps = { PLACE_OF(-1, OUTPUT_NO_ID, OUTPUT_NOT_SHOWN, OUTPUT_NO_ID),
		     { .does = ENTER, .name = "turbo-freq --auto" },
		     { .does = VALUE, .name = "enable", .value = "success" },
		     { .does = LEAVE },
		     { .does = LEAVE } },
	  .result = "{\n"
		    "  \"package--1:die--1:cpu--1\": {\n"
		    "    \"turbo-freq --auto\": {\n"
		    "      \"enable\": \"success\"\n"
		    "    }\n"
		    "  }\n"
		    "}\n" },
	{ .what = "the same on a machine that shows power domains",
	  .steps = { PLACE_OF(-1, OUTPUT_NO_ID, OUTPUT_NO_ID, OUTPUT_NO_ID), { .does = LEAVE } },
	  .result = "{\n"
		    "  \"package--1:die-IO:powerdomain--1:cpu-None\": {}\n"
		    "}\n" },
	{ .what = "long numbers",
	  .steps = { PLACE_OF(4294967295, 4294967295, 4294967295, 4294967295) },
	  .result =
		  "{\n"
		  "  \"package-4294967295:die-4294967295:powerdomain-4294967295:cpu-4294967295\": {}\n"
		  "}\n" },
	{ .what = "a node entered again goes on",
	  .steps = { PLACE_OF(0, 0, OUTPUT_NOT_SHOWN, 0),
		     { .does = ENTER, .name = "level-0" },
		     { .does = VALUE, .name = "a", .value = "1" },
		     { .does = LEAVE },
		     { .does = LEAVE },
		     PLACE_OF(0, 0, OUTPUT_NOT_SHOWN, 0),
		     { .does = ENTER, .name = "level-0" },
		     { .does = VALUE, .name = "b", .value = "2" },
		     { .does = LEAVE },
		     { .does = LEAVE } },
	  .result = "{\n"
		    "  \"package-0:die-0:cpu-0\": {\n"
		    "    \"level-0\": {\n"
		    "      \"a\": \"1\",\n"
		    "      \"b\": \"2\"\n"
		    "    }\n"
		    "  }\n"
		    "}\n" },
	{ .what = "messages are members of the document and share a counter",
	  .steps = { { .does = MESSAGE, .name = "Error", .value = "one" },
		     { .does = MESSAGE, .name = "Information", .value = "two" },
		     PLACE_OF(0, 0, OUTPUT_NOT_SHOWN, 0),
		     { .does = MESSAGE, .name = "Error", .value = "three" },
		     { .does = VALUE, .name = "a", .value = "1" },
		     { .does = LEAVE },
		     { .does = MESSAGE, .name = "Information", .value = "two" } },
	  .result = "{\n"
		    "  \"Error0\": {\n    \"message\": \"one\"\n  },\n"
		    "  \"Information:1\": {\n    \"message\": \"two\"\n  },\n"
		    "  \"package-0:die-0:cpu-0\": {\n    \"a\": \"1\"\n  },\n"
		    "  \"Error2\": {\n    \"message\": \"three\"\n  },\n"
		    "  \"Information:3\": {\n    \"message\": \"two\"\n  }\n"
		    "}\n" },
	{ .what = "sentences",
	  .steps = { { .does = SENTENCE,
		       .sentence = "Intel(R) SST-PP is supported",
		       .name = "perf-profile",
		       .value = "supported" },
		     { .does = SENTENCE, .name = "max-level", .value = "3" },
		     { .does = SENTENCE, .sentence = "Only a sentence" } },
	  .result = "{\n"
		    "  \"perf-profile\": \"supported\",\n"
		    "  \"max-level\": \"3\"\n"
		    "}\n" },
	{ .what = "text is quoted, and has no control characters",
	  .steps = { { .does = VALUE, .name = "a\"b", .value = "1\n\t\\ \x01 \xc3\xa4" } },
	  .result = "{\n  \"a\\\"b\": \"1??\\\\ ? \\u00E4\"\n}\n" },
	{ .what = "text that is no UTF-8 does not spoil the document",
	  .steps = { { .does = VALUE,
		       .name = "file",
		       .value = "a\xff"
				"b\xc3" },
		     { .does = MESSAGE, .name = "Error", .value = "no file /tmp/\xe4" } },
	  .result = "{\n"
		    "  \"file\": \"a?b?\",\n"
		    "  \"Error0\": {\n    \"message\": \"no file /tmp/?\"\n  }\n"
		    "}\n" },
	{ .what = "left open",
	  .steps = { { .does = ENTER, .name = "a" },
		     { .does = ENTER, .name = "b" },
		     { .does = VALUE, .name = "c", .value = "1" } },
	  .result = "{\n  \"a\": {\n    \"b\": {\n      \"c\": \"1\"\n    }\n  }\n}\n" },
};

static void test_render(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		renderer_script_check(OUTPUT_JSON, &cases[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_render),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
