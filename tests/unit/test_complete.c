// SPDX-License-Identifier: GPL-2.0-only
/* Completion: what may follow the words typed so far. Candidates are compared as one line, blank
 * between. Follows commands.md, "Options before the feature". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "cli/help.h"
#include "sample_commands.h"

struct vector {
	const char *words[12]; /* the last one is being completed */
	const char *candidates;
};

#define N_PLATFORMS 3

static const char *const platform_names[N_PLATFORMS][2] = {
	{ "guide", "made up" },
	{ "gnr-6980p-2s", "two sockets" },
	{ "icx-8360y-2s", NULL },
};
static size_t n_listed; /* how often they were */

static int platforms(bool brief, struct host_choices *ret_choices)
{
	struct host_choice *list = calloc(N_PLATFORMS, sizeof(*list));

	assert_non_null(list);
	assert_true(brief);
	n_listed++;
	for (size_t i = 0; i < N_PLATFORMS; i++) {
		list[i].name = strdup(platform_names[i][0]);
		if (platform_names[i][1])
			list[i].description = strdup(platform_names[i][1]);
	}
	*ret_choices = (struct host_choices){ .list = list, .count = N_PLATFORMS };
	return 0;
}

/* Where the platform files cannot be listed. */
static int no_platforms(bool brief, struct host_choices *ret_choices)
{
	(void)brief;
	(void)ret_choices;
	return -EACCES;
}

/* What is written, a new string. */
static char *write_all(int (*choices)(bool, struct host_choices *), const char *const *words)
{
	char *argv[12] = { NULL };
	const struct parse_tables tables = {
		.features = sample_features,
		.global = sample_global_options,
	};
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	int n_words = 0;

	assert_non_null(to);
	for (; words[n_words]; n_words++)
		argv[n_words] = (char *)(uintptr_t)words[n_words];
	help_complete(&tables, choices, n_words, argv, to);
	fclose(to);
	return text;
}

/* The candidates without their descriptions, blanks for newlines, a new string. */
static char *complete(int (*choices)(bool, struct host_choices *), const char *const *words)
{
	char *text = write_all(choices, words);
	char *to = text;

	for (const char *from = text; *from != '\0';) {
		size_t line = strcspn(from, "\n"), candidate = strcspn(from, "\t\n");

		/* A line without a candidate is shown whole. */
		if (candidate == 0)
			candidate = line;
		memmove(to, from, candidate);
		to += candidate;
		from += line + (from[line] == '\n');
		*to++ = ' ';
	}
	to[to > text ? -1 : 0] = '\0';
	return text;
}

static void check(const struct vector *vectors, size_t n_vectors)
{
	for (size_t i = 0; i < n_vectors; i++) {
		_cleanup_free_ char *text = complete(platforms, vectors[i].words);

		assert_string_equal(text, vectors[i].candidates);
	}
}

static void test_words(void **state)
{
	static const struct vector vectors[] = {
		{ { NULL },
		  "perf-profile base-freq turbo-freq core-power turbo-mode help version" },
		{ { "" }, "perf-profile base-freq turbo-freq core-power turbo-mode help version" },
		{ { "tu" }, "turbo-freq turbo-mode" },
		{ { "x" }, "" },
		{ { "-d", "-c", "0", "c" }, "core-power" },
		{ { "-dc", "0", "c" }, "core-power" },
		{ { "-c0", "c" }, "core-power" },
		{ { "--cpu=0", "c" }, "core-power" },
		{ { "--", "c" }, "core-power" },
		{ { "core-power", "" }, "info enable disable config get-config assoc" },
		{ { "core-power", "g" }, "get-config" },
		{ { "core-pow", "" }, "" },
		{ { "core-power", "nothing", "" }, "" },
		{ { "help", "" }, "perf-profile base-freq turbo-freq core-power turbo-mode" },
		{ { "help", "base-freq", "e" }, "enable" },
		{ { "help", "get" }, "get-config-levels get-config" },
		{ { "help", "i" }, "" }, /* several features have it: help would not say more */
		{ { "help", "assoc" }, "assoc" },
	};

	(void)state;
	check(vectors, ARRAY_SIZE(vectors));
}

static void test_options(void **state)
{
	static const struct vector vectors[] = {
		{ { "--si" }, "--simulate --simulate-state --simulate-reset" },
		{ { "--f" }, "--format" },
		{ { "--del" }, "--delay" },
		{ { "--desc" }, "" },
		{ { "-x" }, "" },
		{ { "-d" }, "-d" },
		{ { "-dc" }, "-dc" },
		{ { "-dx" }, "" },
		{ { "--", "-" }, "" },
		{ { "perf-profile", "-" }, "-h --help" },
		{ { "turbo-freq", "info", "-" }, "-l --level -b --bucket -r --trl-type -h --help" },
		{ { "turbo-freq", "info", "--" }, "--level --bucket --trl-type --help" },
		{ { "turbo-freq", "info", "" }, "--level --bucket --trl-type --help" },
		{ { "--", "turbo-freq", "info", "--l" }, "--level --list-platforms" },
		{ { "turbo-freq", "info", "--l" }, "--level --list-platforms" },
		{ { "turbo-freq", "info", "x" }, "" },
		{ { "turbo-freq", "info", "--", "" }, "" },
		{ { "core-power", "info", "--" }, "--help" },
		{ { "core-power", "info", "--f" }, "--format" },
		{ { "core-power", "--f" }, "--format" },
	};

	(void)state;
	check(vectors, ARRAY_SIZE(vectors));
}

static void test_values(void **state)
{
	static const struct vector vectors[] = {
		{ { "-f", "" }, "text json" },
		{ { "--format", "j" }, "json" },
		{ { "core-power", "info", "--format", "j" }, "json" },
		{ { "core-power", "--format=j" }, "--format=json" },
		{ { "core-power", "--format", "json", "d" }, "disable" },
		{ { "-df", "t" }, "text" },
		{ { "--format=" }, "--format=text --format=json" },
		{ { "--form=j" }, "--form=json" },
		{ { "--debug=" }, "" },
		{ { "--simulate", "" }, "guide gnr-6980p-2s icx-8360y-2s \tfile" },
		{ { "--simulate", "g" }, "guide gnr-6980p-2s \tfile" },
		{ { "--simulate=i" }, "--simulate=icx-8360y-2s \tfile" },
		{ { "--out", "" }, "\tfile" },
		{ { "-do", "x" }, "\tfile" },
		{ { "--simulate", "x" }, "\tfile" },
		{ { "--simulate-state", "" }, "\tdirectory" },
		{ { "--out=" }, "\tfile" },
		{ { "-ofi" }, "\tfile" },
		{ { "-c", "-" }, "" },
		{ { "-o", "--", "tu" }, "turbo-freq turbo-mode" },
		{ { "turbo-freq", "info", "-r", "avx" }, "avx2 avx512" },
		{ { "-fj" }, "-fjson" },
		{ { "-df" }, "-df" },
		{ { "turbo-freq", "info", "-l", "" }, "0 1 2 3 4 5 6 7" },
		{ { "turbo-freq", "info", "-l", "7" }, "7" },
		{ { "turbo-freq", "info", "-l", "8" }, "" },
		{ { "turbo-freq", "info", "-l3" }, "-l3" },
		{ { "turbo-freq", "info", "--level=2" }, "--level=2" },
		{ { "core-power", "assoc", "-c", "" }, "0 1 2 3" },
		{ { "-c", "" },
		  "all online package: die: node: isolated nohz-full base-freq clos: near: "
		  "siblings: core:" },
		{ { "-c", "0,package:1,!n" },
		  "0,package:1,!node: 0,package:1,!nohz-full 0,package:1,!near:" },
		{ { "-c", "^core" }, "^core:" },
		{ { "-c", "core:" }, "" },
		{ { "-c", "all" }, "all" },
		{ { "-call,iso" }, "-call,isolated" },
		{ { "--cpu=siblings:0,!on" }, "--cpu=siblings:0,!online" },
		{ { "-c", "all,!isolated", "tu" }, "turbo-freq turbo-mode" },
		{ { "core-power", "config", "--weight", "1" }, "1 10 11 12 13 14 15" },
		{ { "core-power", "config", "--min", "" }, "" },
		{ { "turbo-freq", "info", "-p", "1", "--b" }, "--bucket" },
		{ { "turbo-freq", "info", "-a", "--b" }, "--bucket" },
	};

	(void)state;
	check(vectors, ARRAY_SIZE(vectors));
}

static void test_all_global_options(void **state)
{
	static const char *const words[] = { "--", NULL };
	_cleanup_free_ char *text = complete(platforms, words);

	(void)state;
	for (const struct option *option = sample_global_options; option->name; option++) {
		char name[64];

		snprintf(name, sizeof(name), "--%s ", option->name);
		assert_int_equal(strstr(text, name) != NULL, !option->hidden);
	}
}

static void test_no_platforms(void **state)
{
	static const char *const words[] = { "--simulate", "", NULL };
	_cleanup_free_ char *text = complete(NULL, words), *failed = complete(no_platforms, words);

	(void)state;
	assert_string_equal(text, "\tfile");
	assert_string_equal(failed, "\tfile");
}

/* Platforms are listed for the value of an option that names one, and for nothing else. */
static void test_lists_when_needed(void **state)
{
	static const struct {
		const char *words[4];
		size_t n_listed;
	} vectors[] = {
		{ { "" }, 0 },
		{ { "-" }, 0 },
		{ { "--sim" }, 0 },
		{ { "turbo-freq", "" }, 0 },
		{ { "--simulate", "guide", "turbo" }, 0 },
		{ { "--simulate", "" }, 1 },
		{ { "--simulate=g" }, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		_cleanup_free_ char *text = NULL;

		n_listed = 0;
		text = write_all(platforms, vectors[i].words);
		assert_int_equal(n_listed, vectors[i].n_listed);
	}
}

static void test_descriptions(void **state)
{
	static const struct {
		const char *words[4];
		const char *written;
	} vectors[] = {
		{ { "turbo-f" }, "turbo-freq\tIntel(R) SST-TF: turbo frequencies\n" },
		{ { "turbo-freq", "inf" }, "info\tturbo frequencies\n" },
		{ { "turbo-freq", "info", "--b" }, "--bucket\tthis bucket alone\n" },
		{ { "turbo-freq", "info", "-b" }, "-b\tthis bucket alone\n" },
		{ { "--simulate", "g" }, "guide\tmade up\ngnr-6980p-2s\ttwo sockets\n\tfile\n" },
		{ { "--simulate", "i" }, "icx-8360y-2s\n\tfile\n" },
		{ { "-f", "j" }, "json\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		_cleanup_free_ char *text = write_all(platforms, vectors[i].words);

		assert_string_equal(text, vectors[i].written);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),        cmocka_unit_test(test_options),
		cmocka_unit_test(test_values),       cmocka_unit_test(test_all_global_options),
		cmocka_unit_test(test_no_platforms), cmocka_unit_test(test_lists_when_needed),
		cmocka_unit_test(test_descriptions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
