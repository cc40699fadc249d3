// SPDX-License-Identifier: GPL-2.0-only
/* Command lines, a word a line, as the program's parser and its completion read them. */
#include <string.h>

#include "base/cleanup.h"
#include "cli/globals.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "features/features.h"
#include "fuzz.h"

#define MOST_WORDS 32

static void check_lines(const struct parse_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		FUZZ_REQUIRE(*lines->list[i] && !strchr(lines->list[i], '\n'));
}

static void check_result(const struct parse_result *result)
{
	FUZZ_REQUIRE(!result->command || result->feature);
	FUZZ_REQUIRE(!result->command || result->arguments || result->help != PARSE_HELP_NONE);
	FUZZ_REQUIRE(!result->mistake || (*result->mistake && !strchr(result->mistake, '\n')));
	FUZZ_REQUIRE(result->help == PARSE_HELP_NONE || !result->mistake);
	check_lines(&result->notes);
	check_lines(&result->warnings);
}

static void parse(bool strict, int argc, char **argv)
{
	const struct parse_tables tables = { features, globals_options, strict };
	struct globals globals = { 0 };
	struct parse_result result;

	FUZZ_REQUIRE(parse_command_line(&tables, &globals, argc - 1, argv + 1, &result) == 0);
	check_result(&result);
	parse_result_done(&result);
	parse_free_values(globals_options, &globals);
}

static int list_platforms(bool brief, struct host_choices *ret_choices)
{
	struct host_choice *list = calloc(2, sizeof(*list));

	FUZZ_REQUIRE(brief && list);
	list[0] = (struct host_choice){ strdup("guide"), strdup("made up") };
	list[1] = (struct host_choice){ strdup("guide-2"), NULL };
	*ret_choices = (struct host_choices){ .list = list, .count = 2 };
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct parse_tables tables = { features, globals_options, false };
	struct fuzz_input input = { .data = data, .left = size };
	char program[] = "isst", *argv[MOST_WORDS + 2] = { program };
	int argc = 1;

	while (argc <= MOST_WORDS && (argv[argc] = fuzz_line(&input)))
		argc++;
	argv[argc] = NULL;
	parse(true, argc, argv);
	parse(false, argc, argv);
	if (argc > 1)
		help_complete(&tables, list_platforms, argc - 1, argv + 1, fuzz_sink());
	for (int i = 1; i < argc; i++)
		free(argv[i]);
	return 0;
}
