// SPDX-License-Identifier: GPL-2.0-only
/* Text: indentation, places as levels, words for what a place lacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "renderer_script.h"

static uint64_t group_words[] = { 0x8000000d };
static const struct cpuset group = { .words = group_words, .n_words = 1 };

static const struct render_case cases[] = {
	{ .what = "CPUs that are alike are one list",
	  .steps = { { .does = PLACE,
		       .place = { .power_domain = OUTPUT_NOT_SHOWN, .cpus = &group } },
		     { .does = ENTER, .name = "cpufreq" },
		     { .does = VALUE, .name = "governor", .value = "powersave" },
		     { .does = LEAVE },
		     { .does = LEAVE },
		     { .does = ENTER, .name = "machine" },
		     { .does = LEAVE } },
	  .result = " package-0\n"
		    "  die-0\n"
		    "    cpu-0,2-3,31\n"
		    "      cpufreq\n"
		    "        governor:powersave\n"
		    " machine\n" },
	{ .what = "nothing", .result = "" },
	{ .what = "a value of a domain's CPU",
	  .steps = { { .does = PLACE,
		       .place = { .package = 0,
				  .die = 0,
				  .power_domain = OUTPUT_NOT_SHOWN,
				  .cpu = 0 } },
		     { .does = VALUE, .name = "get-config-levels", .value = "4" },
		     { .does = LEAVE } },
	  .result = " package-0\n"
		    "  die-0\n"
		    "    cpu-0\n"
		    "      get-config-levels:4\n" },
	{ .what = "nodes below nodes, and back",
	  .steps = { { .does = PLACE,
		       .place = { .package = 1,
				  .die = 10,
				  .power_domain = OUTPUT_NOT_SHOWN,
				  .cpu = 28 } },
		     { .does = ENTER, .name = "perf-profile-level-0" },
		     { .does = VALUE, .name = "cpu-count", .value = "28" },
		     { .does = ENTER, .name = "turbo-ratio-limits-sse" },
		     { .does = ENTER, .name = "bucket-0" },
		     { .does = VALUE, .name = "core-count", .value = "2" },
		     { .does = LEAVE },
		     { .does = ENTER, .name = "bucket-1" },
		     { .does = VALUE, .name = "core-count", .value = "4" },
		     { .does = LEAVE },
		     { .does = LEAVE },
		     { .does = VALUE, .name = "after", .value = "x" },
		     { .does = LEAVE },
		     { .does = LEAVE } },
	  .result = " package-1\n"
		    "  die-10\n"
		    "    cpu-28\n"
		    "      perf-profile-level-0\n"
		    "        cpu-count:28\n"
		    "        turbo-ratio-limits-sse\n"
		    "          bucket-0\n"
		    "            core-count:2\n"
		    "          bucket-1\n"
		    "            core-count:4\n"
		    "        after:x\n" },
	{ .what = "a power domain takes a level of its own",
	  .steps = { { .does = PLACE,
		       .place = { .package = 0, .die = 0, .power_domain = 1, .cpu = 43 } },
		     { .does = ENTER, .name = "core-power" },
		     { .does = VALUE, .name = "clos", .value = "0" },
		     { .does = LEAVE },
		     { .does = LEAVE },
		     { .does = PLACE,
		       .place = { .package = 0,
				  .die = OUTPUT_NO_ID,
				  .power_domain = 3,
				  .cpu = OUTPUT_NO_ID } },
		     { .does = VALUE, .name = "v", .value = "1" },
		     { .does = LEAVE } },
	  .result = " package-0\n"
		    "  die-0\n"
		    "    powerdomain-1\n"
		    "      cpu-43\n"
		    "        core-power\n"
		    "          clos:0\n"
		    " package-0\n"
		    "  die-IO\n"
		    "    powerdomain-3\n"
		    "      cpu-None\n"
		    "        v:1\n" },
	{ .what = "no CPU, but a die",
	  .steps = { { .does = PLACE,
		       .place = { .package = 1,
				  .die = 1,
				  .power_domain = 4,
				  .cpu = OUTPUT_NO_ID } },
		     { .does = LEAVE } },
	  .result = " package-1\n"
		    "  die-1\n"
		    "    powerdomain-4\n"
		    "      cpu-None\n" },
	{ .what = "a result for no CPU in particular",
	  .steps = { { .does = PLACE,
		       .place = { .package = -1,
				  .die = OUTPUT_NO_ID,
				  .power_domain = OUTPUT_NOT_SHOWN,
				  .cpu = OUTPUT_NO_ID } },
		     { .does = ENTER, .name = "turbo-freq --auto" },
		     { .does = VALUE, .name = "enable", .value = "success" },
		     { .does = LEAVE },
		     { .does = LEAVE } },
	  .result = " package--1\n"
		    "  die-IO\n"
		    "    cpu-None\n"
		    "      turbo-freq --auto\n"
		    "        enable:success\n" },
	{ .what = "the same on a machine that shows power domains",
	  .steps = { { .does = PLACE,
		       .place = { .package = -1,
				  .die = OUTPUT_NO_ID,
				  .power_domain = OUTPUT_NO_ID,
				  .cpu = OUTPUT_NO_ID } },
		     { .does = LEAVE } },
	  .result = " package--1\n"
		    "  die-IO\n"
		    "    powerdomain--1\n"
		    "      cpu-None\n" },
	{ .what = "the same place again is written again",
	  .steps = { { .does = PLACE,
		       .place = { .package = 0,
				  .die = 0,
				  .power_domain = OUTPUT_NOT_SHOWN,
				  .cpu = 0 } },
		     { .does = LEAVE },
		     { .does = PLACE,
		       .place = { .package = 0,
				  .die = 0,
				  .power_domain = OUTPUT_NOT_SHOWN,
				  .cpu = 0 } },
		     { .does = LEAVE } },
	  .result = " package-0\n  die-0\n    cpu-0\n package-0\n  die-0\n    cpu-0\n" },
	{ .what = "messages are in column 0, where they came",
	  .steps = { { .does = MESSAGE, .name = "Information", .value = "first" },
		     { .does = PLACE,
		       .place = { .package = 0,
				  .die = 0,
				  .power_domain = OUTPUT_NOT_SHOWN,
				  .cpu = 0 } },
		     { .does = MESSAGE, .name = "Error", .value = "no level 5" },
		     { .does = VALUE, .name = "a", .value = "1" },
		     { .does = LEAVE },
		     { .does = MESSAGE, .name = "Error", .value = "last" } },
	  .result = "Information: first\n"
		    " package-0\n"
		    "  die-0\n"
		    "    cpu-0\n"
		    "Error: no level 5\n"
		    "      a:1\n"
		    "Error: last\n" },
	{ .what = "sentences",
	  .steps = { { .does = SENTENCE,
		       .sentence = "Intel(R) SST-PP is supported",
		       .name = "perf-profile",
		       .value = "supported" },
		     { .does = SENTENCE, .name = "max-level", .value = "3" },
		     { .does = SENTENCE, .sentence = "Only a sentence" } },
	  .result = "Intel(R) SST-PP is supported\nOnly a sentence\n" },
	{ .what = "a node and a value outside a place",
	  .steps = { { .does = ENTER, .name = "node" },
		     { .does = VALUE, .name = "a", .value = "1" },
		     { .does = LEAVE },
		     { .does = VALUE, .name = "b", .value = "2" } },
	  .result = " node\n  a:1\n b:2\n" },
	{ .what = "text is taken as it is, but for control characters",
	  .steps = { { .does = VALUE,
		       .name = "percent %s%n",
		       .value = "100%d \"quoted\" \xc3\xa4" },
		     { .does = VALUE, .name = "a", .value = "\033[2J\n b:2\x07\xff" },
		     { .does = MESSAGE, .name = "Error", .value = "no\nfile\033" } },
	  .result = " percent %s%n:100%d \"quoted\" \xc3\xa4\n a:?[2J? b:2??\n"
		    "Error: no?file?\n" },
};

static void test_render(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		renderer_script_check(OUTPUT_TEXT, &cases[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_render),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
