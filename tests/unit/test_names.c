// SPDX-License-Identifier: GPL-2.0-only
/* What a wrong name of a feature or a command may mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "cli/names.h"
#include "sample_commands.h"

static const char *const others[] = { "version", "help", NULL };

struct vector {
	const char *word, *names;
};

static void check(char *(*list)(const char *word), const struct vector *vector)
{
	for (; vector->word; vector++) {
		_cleanup_free_ char *names = list(vector->word);

		print_message("%s\n", vector->word);
		assert_string_equal(names, vector->names);
	}
}

static char *list_meant(const char *word)
{
	return names_list_meant(sample_features, others, word);
}

static char *list_about(const char *word)
{
	return names_list_about(sample_features, word);
}

static char *list_owners(const char *word)
{
	return names_list_owners(sample_features, word);
}

static void test_meant(void **state)
{
	static const struct vector vectors[] = {
		{ "turbo", "turbo-freq, turbo-mode" }, /* all that begin with it */
		{ "perf", "perf-profile" },
		{ "b", "base-freq" },
		{ "turbo-freq", "turbo-freq" },
		{ "turbo-made", "turbo-mode" }, /* the nearest */
		{ "versoin", "version" },
		{ "urbo", "" },
		{ "bogus", "" },
		{ "", "" },
		{ 0 },
	};

	(void)state;
	check(list_meant, vectors);
}

static void test_about(void **state)
{
	static const struct vector vectors[] = {
		{ "SST-TF", "turbo-freq" },
		{ "sst-tf", "turbo-freq" },
		{ "frequencies", "base-freq, turbo-freq" },
		{ "cores", "core-power" },
		{ "Intel", "perf-profile, base-freq, turbo-freq, core-power" },
		{ "SST-T", "" }, /* no part of a word */
		{ "ores", "" },
		{ "of", "" }, /* too short */
		{ "", "" },
		{ 0 },
	};

	(void)state;
	check(list_about, vectors);
}

static void test_owners(void **state)
{
	static const struct vector vectors[] = {
		{ "set-config-level", "perf-profile" },
		{ "enable", "base-freq, turbo-freq, core-power" },
		{ "base-freq", "" },
		{ 0 },
	};

	(void)state;
	check(list_owners, vectors);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_meant),
		cmocka_unit_test(test_about),
		cmocka_unit_test(test_owners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
