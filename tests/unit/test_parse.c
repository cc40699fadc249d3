// SPDX-License-Identifier: GPL-2.0-only
/* The parser, by whole command lines: each vector is the words and a picture of all that came out
 * of them (values of global options, feature and command, values of its options, help, mistake,
 * notes). Follows commands.md, "Options before the feature". */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "cli/parse.h"
#include "sample_commands.h"

struct vector {
	const char *words[16];
	const char *picture;
};

static void picture_value(const struct option *option, const void *values, FILE *to)
{
	const void *place = (const char *)values + option->offset;

	fprintf(to, "%s", option->name);
	switch (option->kind) {
	case OPTION_KIND_FLAG:
	case OPTION_KIND_CHOICE:
		break;
	case OPTION_KIND_NUMBER:
	case OPTION_KIND_MHZ:
	case OPTION_KIND_DECIMAL:
	case OPTION_KIND_TIME:
		fprintf(to, "=%" PRIu64, ((const struct option_number *)place)->value);
		break;
	case OPTION_KIND_HEX:
		fprintf(to, "=0x%" PRIx64, ((const struct option_number *)place)->value);
		break;
	case OPTION_KIND_WORD:
		fprintf(to, "=%s", option->words[((const struct option_number *)place)->value]);
		break;
	case OPTION_KIND_TEXT:
		fprintf(to, "=%s", *(const char *const *)place);
		break;
	case OPTION_KIND_CPUS:
		fputs("=", to);
		cpuset_write_ranges(&((const struct option_cpus *)place)->names.numbers, to);
		break;
	case OPTION_KIND_TEXTS:
		for (size_t i = 0; i < ((const struct option_texts *)place)->count; i++)
			fprintf(to, "=%s", ((const struct option_texts *)place)->list[i]);
		break;
	case OPTION_KIND_REST:
		for (char *const *word = ((const struct option_rest *)place)->words; *word; word++)
			fprintf(to, "=%s", *word);
		break;
	}
	fputs(" ", to);
}

static void picture_values(const struct option *table, const void *values, FILE *to)
{
	for (; values && table && table->name; table++)
		if (option_is_given(table, values))
			picture_value(table, values, to);
}

static void picture_result(const struct parse_result *result, FILE *to)
{
	static const char *const help[] = { "", "help-top ", "help-all ", "help-feature ",
					    "help-command " };

	if (result->feature)
		fprintf(to, "%s ", result->feature->name);
	if (result->command) {
		fprintf(to, "%s ", result->command->name);
		picture_values(result->command->options, result->arguments, to);
	}
	fputs(help[result->help], to);
	if (result->mistake)
		fprintf(to, "! %s ", result->mistake);
	for (size_t i = 0; i < result->notes.count; i++)
		fprintf(to, "# %s ", result->notes.list[i]);
	for (size_t i = 0; i < result->warnings.count; i++)
		fprintf(to, "~ %s ", result->warnings.list[i]);
}

struct sample_file {
	const char *file;
	bool quick;
};

struct sample_files {
	struct option_texts files;
	bool quick;
};

struct sample_run {
	struct option_texts loads;
	struct option_rest command;
};

static const struct option file_options[] = {
	{ 0, "file", "FILE", "file", OPTION_TEXT(struct sample_file, file), .required = true,
	  .positional = true },
	{ 'q', "quick", NULL, "in a hurry", OPTION_FLAG(struct sample_file, quick) },
	{ 0 },
};
static const struct option run_options[] = {
	{ 0, "load", "KIND", "busy", OPTION_TEXTS(struct sample_run, loads) },
	{ 0, "command", "-- COMMAND...", "run it", OPTION_REST(struct sample_run, command) },
	{ 0 },
};
static const struct option files_options[] = {
	{ 0, "file", "FILE...", "files", OPTION_TEXTS(struct sample_files, files), .required = true,
	  .positional = true },
	{ 'q', "quick", NULL, "in a hurry", OPTION_FLAG(struct sample_files, quick) },
	{ 0 },
};
static const struct command file_commands[] = {
	{ .name = "run",
	  .summary = "with a command",
	  .flags = COMMAND_ANY_MACHINE | COMMAND_IS_NEW,
	  .options = run_options,
	  .arguments_size = sizeof(struct sample_run) },
	{ .name = "check",
	  .summary = "compare",
	  .flags = COMMAND_ANY_MACHINE | COMMAND_IS_NEW,
	  .options = file_options,
	  .arguments_size = sizeof(struct sample_file) },
	{ .name = "merge",
	  .summary = "several",
	  .flags = COMMAND_ANY_MACHINE | COMMAND_IS_NEW,
	  .options = files_options,
	  .arguments_size = sizeof(struct sample_files) },
	{ 0 },
};
static const struct command file_features[] = {
	{ "state", "Documents", .commands = file_commands },
	{ 0 },
};

static const struct option figures_options[] = {
	{ 0, "file", "FILE", "where to", OPTION_TEXT(struct sample_file, file) },
	{ 'q', "quick", NULL, "in a hurry", OPTION_FLAG(struct sample_file, quick) },
	{ 0 },
};
static const struct command figures_commands[] = {
	{ .name = "show",
	  .summary = "all figures",
	  .flags = COMMAND_ANY_MACHINE | COMMAND_IS_NEW | COMMAND_IS_IMPLIED,
	  .options = figures_options,
	  .arguments_size = sizeof(struct sample_file) },
	{ 0 },
};
static const struct command figures_features[] = {
	{ "figures", "Figures", .commands = figures_commands },
	{ 0 },
};

static const struct command *features = sample_features;

/* Parses and returns the picture, a new string without a blank at its end. */
static char *picture(const char *const *words, bool strict)
{
	const struct parse_tables tables = {
		.features = features,
		.global = sample_global_options,
		.strict = strict,
	};
	struct sample_global global = { 0 };
	struct parse_result result;
	char *argv[18] = { (char *)(uintptr_t) "isst" };
	char *text = NULL;
	size_t size;
	int argc = 1;
	FILE *to;

	while (words[argc - 1]) {
		argv[argc] = (char *)(uintptr_t)words[argc - 1];
		argc++;
	}
	assert_int_equal(parse_command_line(&tables, &global, argc - 1, argv + 1, &result), 0);
	to = open_memstream(&text, &size);
	assert_non_null(to);
	picture_values(sample_global_options, &global, to);
	picture_result(&result, to);
	fclose(to);
	if (size > 0)
		text[size - 1] = '\0';
	parse_result_done(&result);
	parse_free_values(sample_global_options, &global);
	assert_null(global.cpus.names.numbers.words);
	return text;
}

static void check_as(const struct vector *vectors, size_t n_vectors, bool strict)
{
	for (size_t i = 0; i < n_vectors; i++) {
		_cleanup_free_ char *text = picture(vectors[i].words, strict);

		if (strcmp(text, vectors[i].picture) != 0)
			print_error("vector %zu\n", i);
		assert_string_equal(text, vectors[i].picture);
	}
}

static void check(const struct vector *vectors, size_t n_vectors)
{
	check_as(vectors, n_vectors, true);
}

static void test_forms_of_options(void **state)
{
	static const struct vector vectors[] = {
		{ { NULL }, "" },
		{ { "-i" }, "info" },
		{ { "--info" }, "info" },
		{ { "-info" }, "info" },
		{ { "-di" }, "debug info" },
		{ { "-d", "-i" }, "debug info" },
		{ { "-id", "-f", "json" }, "debug format=json info" },
		{ { "-c", "0" }, "cpu=0" },
		{ { "-c0" }, "cpu=0" },
		{ { "-cpu", "0" }, "cpu=0" },
		{ { "--cpu", "0" }, "cpu=0" },
		{ { "--cpu=0" }, "cpu=0" },
		{ { "-cpu=0" }, "cpu=0" },
		{ { "-oFILE" }, "out=FILE" },
		{ { "-o", "-" }, "out=-" },
		{ { "-out", "x" }, "out=x" },
		{ { "-oob" }, "oob" },
		{ { "-do-" }, "debug out=-" },
		{ { "--out=a=b" }, "out=a=b" },
		{ { "-dfjson" }, "debug format=json" },
		{ { "--list-platforms" }, "list-platforms" },
		{ { "--simulate", "guide", "--simulate-state", "d", "--simulate-reset" },
		  "simulate=guide simulate-state=d simulate-reset" },
		{ { "--describe" }, "describe" },
		{ { "perf-profile", "info" }, "perf-profile info" },
		{ { "perf-profile", "info", "-l", "3" }, "perf-profile info level=3" },
		{ { "perf-profile", "info", "-l3" }, "perf-profile info level=3" },
		{ { "perf-profile", "info", "--level=3" }, "perf-profile info level=3" },
		{ { "perf-profile", "info", "-l=3" }, "perf-profile info level=3" },
		{ { "perf-profile", "set-config-level", "-ol", "1" },
		  "perf-profile set-config-level level=1 online" },
		{ { "perf-profile", "set-config-level", "-ol1" },
		  "perf-profile set-config-level level=1 online" },
		{ { "-c", "0-3", "core-power", "assoc", "--clos", "3" },
		  "cpu=0-3 core-power assoc clos=3" },
		{ { "-d", "--", "perf-profile", "info", "-l", "0" },
		  "debug perf-profile info level=0" },
		{ { "perf-profile", "info", "-l", "0", "--" }, "perf-profile info level=0" },
	};

	(void)state;
	check(vectors, ARRAY_SIZE(vectors));
}

static void test_prefixes(void **state)
{
	static const struct vector vectors[] = {
		{ { "--form", "json" }, "format=json" },
		{ { "--d" }, "debug" },
		{ { "--de" }, "debug" },
		{ { "--del", "3" }, "poll-interval=3 delay=3" },
		{ { "--delay", "3" }, "poll-interval=3 delay=3" },
		{ { "--delay=3" }, "poll-interval=3 delay=3" },
		{ { "--po", "3" }, "poll-interval=3 delay=3" },
		{ { "--dr" }, "dry-run" },
		{ { "--list" }, "list-platforms" },
		{ { "--o", "x" }, "! --o: ambiguous; could be --out, --oob" },
		{ { "-pa", "7" }, "pause=7" },
		{ { "--cpu0" }, "cpu0-workaround" },
		{ { "--cp" }, "! --cp: ambiguous; could be --cpu, --cpu0-workaround" },
		{ { "--p", "3", "-i" },
		  "info ! --p: ambiguous; could be --pause, --poll-interval" },
		{ { "--simul", "guide" },
		  "! --simul: ambiguous; could be --simulate, --simulate-state, --simulate-reset" },
		{ { "--he" }, "help-top" },
		{ { "--descr" }, "! --descr: unknown option" },
		{ { "turbo-freq", "info", "--le", "1", "--b", "2", "-trl-t", "sse" },
		  "turbo-freq info level=1 bucket=2 trl-type=sse" },
		{ { "core-power", "config", "--c", "1", "--m", "5" },
		  "core-power config clos=1 ! --m: ambiguous; could be --min, --max" },
	};

	(void)state;
	check(vectors, ARRAY_SIZE(vectors));
}

static void test_given_twice(void **state)
{
	static const struct vector vectors[] = {
		{ { "-d", "-d" }, "debug" },
		{ { "-f", "json", "-f", "text" }, "format=text" },
		{ { "-o", "a", "--out=b" }, "out=b" },
		{ { "perf-profile", "info", "-l", "1", "--level", "2" },
		  "perf-profile info level=2" },
	};

	(void)state;
	check(vectors, ARRAY_SIZE(vectors));
}

/* The kernel tree's tool accepts blanks around the members of -c, and a comma at the end; isst does
 * not. */
static void test_blanks_of_a_list(void **state)
{
	static const struct vector vectors[] = {
		{ { "-c", "0,1," }, "cpu=0-1" },
		{ { "-c", "0, 1, 2" }, "cpu=0-2" },
		{ { "-c", "0-3," }, "cpu=0-3" },
		{ { "-c", " 1" }, "cpu=1" },
		{ { "--cpu= 1 ,\t3..5 , " }, "cpu=1,3-5" },
		{ { "-c", "1,,2" }, "! -c 1,,2: a number was expected" },
		{ { "-c", "1, ,2" }, "! -c 1, ,2: a number was expected" },
		{ { "-c", "1,," }, "! -c 1,,: a number was expected at the end" },
		{ { "-c", ",1" }, "! -c ,1: a number was expected" },
		{ { "-c", "," }, "! -c ,: the list is empty" },
		{ { "-c", " " }, "! -c  : the list is empty" },
		{ { "-c", "" }, "! -c \"\": the list is empty" },
		{ { "-c", "1 2" },
		  "! -c 1 2: only numbers, ranges and commas belong there, such as 0-3,8" },
		{ { "-c", "1\n" },
		  "! -c 1\\x0a: only numbers, ranges and commas belong there, such as 0-3,8" },
	};
	static const struct vector strict[] = {
		{ { "-c", "0,1," }, "! -c 0,1,: a number was expected at the end" },
		{ { "-c", "0, 1" }, "! -c 0, 1: a number was expected" },
		{ { "-c", " 1" }, "! -c  1: a number was expected" },
		{ { "-c", "1 ,2" },
		  "! -c 1 ,2: only numbers, ranges and commas belong there, such as 0-3,8" },
	};

	(void)state;
	check_as(vectors, ARRAY_SIZE(vectors), false);
	check(strict, ARRAY_SIZE(strict));
}

static void test_values(void **state)
{
	static const struct vector vectors[] = {
		{ { "-c", "1,2,4..6,8-10" }, "cpu=1-2,4-6,8-10" },
		{ { "-c", "5-5" }, "cpu=5" },
		{ { "-c", "65537" }, "cpu=65537" },
		{ { "-c", "" }, "! -c \"\": the list is empty" },
		{ { "--cpu=" }, "! --cpu \"\": the list is empty" },
		{ { "-c", "1,,2" }, "! -c 1,,2: a number was expected" },
		{ { "-c", "5-3" }, "! -c 5-3: a range runs from the lower to the higher number" },
		{ { "-c", "99999999" }, "! -c 99999999: the CPU number is too large" },
		{ { "-c", "1\n\xff" },
		  "! -c 1\\x0a\\xff: only numbers, ranges and commas belong there, such as 0-3,8" },
		{ { "-f", "jsonx" }, "! -f jsonx: text or json was expected; did you mean json?" },
		{ { "-f", "j" }, "! -f j: text or json was expected" },
		{ { "-f", "" }, "! -f \"\": text or json was expected" },
		{ { "-o", "" }, "! -o \"\": it may not be empty" },
		{ { "-o", "-i" }, "out=-i" },
		{ { "-p", "5" }, "pause=5" },
		{ { "-r5" }, "retry=5" },
		{ { "-r", "5" }, "retry=5" },
		{ { "--retry", "-1" }, "! --retry -1: a number from 1 to 100 was expected" },
		{ { "--retry", "0" }, "! --retry 0: a number from 1 to 100 was expected" },
		{ { "-r", "3x" }, "! -r 3x: a number from 1 to 100 was expected" },
		{ { "--pause=-5" }, "! --pause -5: a number from 1 to 10000 was expected" },
		{ { "-w", "0" }, "! -w 0: a number of 1 or more was expected" },
		{ { "--delay", "0" }, "! --delay 0: a number of 1 or more was expected" },
		{ { "--debug=1" }, "! --debug takes no value" },
		{ { "-d", "--help=1" }, "debug ! --help takes no value" },
		{ { "-c" }, "! -c needs a value (LIST)" },
		{ { "-dc" }, "debug ! -c needs a value (LIST)" },
		{ { "--out" }, "! --out needs a value (FILE)" },
		{ { "perf-profile", "info", "-l", "9" },
		  "perf-profile info ! -l 9: a number from 0 to 7 was expected" },
		{ { "perf-profile", "set-config-level", "-l", "258" },
		  "perf-profile set-config-level ! -l 258: a number from 0 to 7 was expected" },
		{ { "perf-profile", "info", "-l", "-1" },
		  "perf-profile info ! -l -1: a number from 0 to 7 was expected" },
		{ { "turbo-freq", "info", "-l", "0", "-b", "255" },
		  "turbo-freq info level=0 ! -b 255: a number from 0 to 7 was expected" },
		{ { "turbo-freq", "info", "-l", "0", "-r", "ssefoo" },
		  "turbo-freq info level=0 ! -r ssefoo: sse, avx2 or avx512 was expected" },
		{ { "turbo-freq", "info", "-l", "0", "--trl-type", "avx51" },
		  "turbo-freq info level=0 ! --trl-type avx51: sse, avx2 or avx512 was expected; did "
		  "you mean avx512?" },
		{ { "turbo-freq", "info", "-l", "0", "-r", "avx512" },
		  "turbo-freq info level=0 trl-type=avx512" },
		{ { "turbo-mode", "set-trl", "-t", "0X10" }, "turbo-mode set-trl trl=0x10" },
		{ { "turbo-mode", "set-trl", "-t", "0xffffffffffffffff" },
		  "turbo-mode set-trl trl=0xffffffffffffffff" },
		{ { "turbo-mode", "set-trl", "-t", "10" },
		  "turbo-mode set-trl ! -t 10: 0x and 1 to 16 hex digits were expected" },
		{ { "turbo-mode", "set-trl", "-t", "0x11111111111111111" },
		  "turbo-mode set-trl ! -t 0x11111111111111111: 0x and 1 to 16 hex digits were "
		  "expected" },
		{ { "core-power", "config", "--clos", "4" },
		  "core-power config ! --clos 4: a number from 0 to 3 was expected" },
		{ { "core-power", "config", "--clos", "1", "-m", "0" },
		  "core-power config clos=1 ! -m 0: a number from 1 to 25500 was expected" },
	};

	(void)state;
	check(vectors, ARRAY_SIZE(vectors));
}

static void test_flags_swallow_nothing(void **state)
{
	static const struct vector vectors[] = {
		{ { "--cgroupv2", "perf-profile", "info" }, "cgroupv2 perf-profile info" },
		{ { "--cpu0-workaround", "perf-profile", "info" },
		  "cpu0-workaround perf-profile info" },
		{ { "perf-profile", "set-config-level", "-l", "1", "--online" },
		  "perf-profile set-config-level level=1 online" },
		{ { "perf-profile", "set-config-level", "--online", "-l", "1" },
		  "perf-profile set-config-level level=1 online" },
	};

	(void)state;
	check(vectors, ARRAY_SIZE(vectors));
}

static void test_unknown_words(void **state)
{
	static const struct vector vectors[] = {
		{ { "--bogus" }, "! --bogus: unknown option" },
		{ { "--bogus=\x1b" }, "! --bogus: unknown option" },
		{ { "--formt", "json" }, "! --formt: unknown option; did you mean --format?" },
		{ { "--inof" }, "! --inof: unknown option; did you mean --info?" },
		{ { "--dealy", "3" }, "! --dealy: unknown option; did you mean --delay?" },
		{ { "-x" }, "! -x: unknown option" },
		{ { "--=3" }, "! --: unknown option" },
		{ { "-dx" }, "debug ! -dx: unknown option -x" },
		{ { "-" },
		  "! -: unknown feature; the features are perf-profile, base-freq, turbo-freq, "
		  "core-power, turbo-mode" },
		{ { "perf-profle", "info" },
		  "! perf-profle: unknown feature; did you mean perf-profile?" },
		{ { "turbo-made" }, "! turbo-made: unknown feature; did you mean turbo-mode?" },
		{ { "perf", "info" }, "! perf: unknown feature; did you mean perf-profile?" },
		{ { "versoin" }, "! versoin: unknown feature; did you mean version?" },
		{ { "set-config-level", "3" },
		  "! set-config-level: unknown feature; it is a command of perf-profile" },
		{ { "enable" },
		  "! enable: unknown feature; it is a command of base-freq, turbo-freq, "
		  "core-power" },
		{ { "\xe2\x80\x93"
		    "c",
		    "2", "perf-profile", "info" },
		  "! \\xe2\\x80\\x93c: it begins with a typographic dash, and "
		  "options begin with hyphens" },
		{ { "core-power", "enable", "--dryrun" },
		  "core-power enable ! --dryrun: unknown option; did you mean --dry-run?" },
		{ { "core-power", "help" }, "core-power help-feature" },
		{ { "", "info" },
		  "! \"\": unknown feature; the features are perf-profile, base-freq, "
		  "turbo-freq, core-power, turbo-mode" },
		{ { "--", "-d" },
		  "! -d: unknown feature; the features are perf-profile, base-freq, "
		  "turbo-freq, core-power, turbo-mode" },
		{ { "base-freq" }, "base-freq ! base-freq needs a command: info, enable" },
		{ { "base-freq", "inf" },
		  "base-freq ! inf: unknown command of base-freq; did you mean info?" },
		{ { "base-freq", "set" },
		  "base-freq ! set: unknown command; base-freq has info, enable" },
		{ { "base-freq", "-l", "0", "info" },
		  "base-freq info ! -l is not an option here; after the command it is --level" },
		{ { "base-freq", "-b", "0", "info" },
		  "oob base-freq ! -b is not an option here; before the feature or after the command it is --oob" },
		{ { "base-freq", "--level", "0", "info" },
		  "base-freq info ! --level belongs after the command" },
		{ { "base-freq", "--levle", "0", "info" },
		  "base-freq ! --levle: unknown option; did you mean --level?" },
		{ { "--levle", "0", "base-freq", "info" },
		  "base-freq info ! --levle: unknown option; did you mean --level?" },
		{ { "base-freq", "info", "-levle", "0" },
		  "base-freq info ! -levle: unknown option; did you mean --level?" },
		{ { "help", "set-config-level" }, "perf-profile set-config-level help-command" },
		{ { "help", "enable" },
		  "! several features have the command enable: help base-freq enable, help turbo-freq enable, help "
		  "core-power enable" },
		{ { "--unfa" }, "! --unfa: unknown option" },
		{ { "help", "--levle" }, "! --levle: unknown option" },
		{ { "help", "base-freq", "--levle" }, "base-freq ! --levle: unknown option" },
		{ { "core-power", "disable", "now" }, "core-power disable ! now: unexpected word" },
		{ { "perf-profile", "info", "-l", "0", "1", "2" },
		  "perf-profile info level=0 ! 1: unexpected word; perf-profile info has --level" },
		{ { "perf-profile", "set-config-level", "3" },
		  "perf-profile set-config-level ! 3: unexpected word; did you mean --level 3?" },
		{ { "core-power", "assoc", "clos", "3" },
		  "core-power assoc ! clos: unexpected word; did you mean --clos?" },
		{ { "perf-profile", "info", "--", "-l", "0" },
		  "perf-profile info ! -l: unexpected word; perf-profile info has --level" },
		{ { "core-power", "disable", "--bogus" },
		  "core-power disable ! --bogus: core-power disable has no such option" },
		{ { "core-power", "config", "--clos", "0", "--wieght", "3" },
		  "core-power config clos=0 ! --wieght: unknown option; did you mean --weight?" },
	};

	(void)state;
	check(vectors, ARRAY_SIZE(vectors));
}

static void test_misplaced_options(void **state)
{
	static const struct vector vectors[] = {
		{ { "core-power", "disable", "--dry-run" }, "dry-run core-power disable" },
		{ { "core-power", "disable", "-dry-run" }, "dry-run core-power disable" },
		{ { "core-power", "disable", "-dry" }, "dry-run core-power disable" },
		{ { "core-power", "disable", "-cpu=3" }, "cpu=3 core-power disable" },
		{ { "core-power", "disable", "-de" }, "debug core-power disable" },
		{ { "core-power", "--dry-run", "disable" }, "dry-run core-power disable" },
		{ { "core-power", "--cpu", "3", "disable", "--format=json" },
		  "cpu=3 format=json core-power disable" },
		{ { "core-power", "-d", "disable" },
		  "debug core-power disable ! -d is not an option here; before the feature or after the "
		  "command it is --debug" },
		{ { "perf-profile", "info", "-f", "json" },
		  "format=json perf-profile info ! -f is not an option here; before the feature it is --format" },
		{ { "perf-profile", "info", "--out=x", "-l", "2" },
		  "out=x perf-profile info level=2" },
		{ { "--level", "0", "perf-profile", "info" },
		  "perf-profile info ! --level belongs after the command" },
		{ { "-m", "0", "-f", "json", "perf-profile", "info" },
		  "format=json perf-profile info ! -m is not an option here; after the command it is --max" },
	};

	(void)state;
	check(vectors, ARRAY_SIZE(vectors));
}

static void test_required_options(void **state)
{
	static const struct vector vectors[] = {
		{ { "turbo-freq", "info" },
		  "turbo-freq info ! turbo-freq info needs --level LEVEL" },
		{ { "turbo-freq", "info", "-b", "1" },
		  "turbo-freq info bucket=1 ! turbo-freq info needs --level LEVEL" },
		{ { "core-power", "config", "-w", "3" },
		  "core-power config weight=3 ! core-power config needs --clos CLOS" },
	};

	(void)state;
	check(vectors, ARRAY_SIZE(vectors));
}

/* A word of its own, in any order with the options; as it is after "--". */
static void test_positional(void **state)
{
	static const struct vector vectors[] = {
		{ { "state", "check", "a.json" }, "state check file=a.json" },
		{ { "state", "check", "-" }, "state check file=-" },
		{ { "state", "check", "-q", "a.json" }, "state check file=a.json quick" },
		{ { "state", "check", "a.json", "-q" }, "state check file=a.json quick" },
		{ { "state", "check", "--", "-q" }, "state check file=-q" },
		{ { "state", "check", "-q", "--", "--file" }, "state check file=--file quick" },
		{ { "state", "check" }, "state check ! state check needs FILE: file" },
		{ { "state", "check", "-q" }, "state check quick ! state check needs FILE: file" },
		{ { "state", "check", "a.json", "b.json" },
		  "state check file=a.json ! b.json: unexpected word; state check has --quick" },
		{ { "state", "check", "--file", "a.json" },
		  "state check file=a.json ! --file: state check has no such option; it has --quick" },
		{ { "state", "check", "-z.json" },
		  "state check ! -z.json: state check has no such option; it has --quick" },
		{ { "state", "check", "" }, "state check ! FILE \"\": it may not be empty" },
		{ { "state", "merge", "a" }, "state merge file=a" },
		{ { "state", "merge", "a", "-q", "b" }, "state merge file=a=b quick" },
		{ { "state", "merge", "-q" },
		  "state merge quick ! state merge needs FILE...: files" },
	};

	(void)state;
	features = file_features;
	check_as(vectors, ARRAY_SIZE(vectors), true);
	check_as(vectors, ARRAY_SIZE(vectors), false);
	features = sample_features;
}

/* The word of a command that is the only one of its feature can be left out. */
static void test_implied(void **state)
{
	static const struct vector vectors[] = {
		{ { "figures" }, "figures show" },
		{ { "figures", "show" }, "figures show" },
		{ { "figures", "--file", "a" }, "figures show file=a" },
		{ { "figures", "show", "--file", "a" }, "figures show file=a" },
		{ { "figures", "-q", "--debug" }, "debug figures show quick" },
		{ { "figures", "--file", "show" }, "figures show file=show" },
		{ { "figures", "shown" },
		  "figures show ! shown: unexpected word; figures show has --file, --quick" },
		{ { "figures", "--fast" },
		  "figures show ! --fast: figures show has no such option; it has --file, --quick" },
		{ { "figures", "--help" }, "figures show help-command" },
		{ { "figures", "help" }, "figures help-feature" },
		{ { "help", "figures" }, "figures show help-command" },
		{ { "help", "figures", "show" }, "figures show help-command" },
	};

	(void)state;
	features = figures_features;
	check_as(vectors, ARRAY_SIZE(vectors), true);
	check_as(vectors, ARRAY_SIZE(vectors), false);
	features = sample_features;
}

/* An option may come several times; what follows "--" is another program's. */
static void test_rest(void **state)
{
	static const struct vector vectors[] = {
		{ { "state", "run" }, "state run" },
		{ { "state", "run", "--" }, "state run ! state run: no command follows --" },
		{ { "state", "run", "--load", "a", "--load=b" }, "state run load=a=b" },
		{ { "state", "run", "--load", "" },
		  "state run ! --load \"\": it may not be empty" },
		{ { "state", "run", "--", "make" }, "state run command=make" },
		{ { "state", "run", "--load", "a", "--", "make", "--load", "b", "--" },
		  "state run load=a command=make=--load=b=--" },
		{ { "state", "run", "make" },
		  "state run ! make: unexpected word; a command follows --" },
		{ { "state", "run", "make", "--", "x" },
		  "state run command=x ! make: unexpected word; a command follows --" },
	};

	(void)state;
	features = file_features;
	check_as(vectors, ARRAY_SIZE(vectors), true);
	check_as(vectors, ARRAY_SIZE(vectors), false);
	features = sample_features;
}

/* isst: -c means --cpu wherever it is. */
static void test_letter_of_cpus(void **state)
{
	static const struct vector vectors[] = {
		{ { "perf-profile", "info", "-l", "0", "-c3" }, "cpu=3 perf-profile info level=0" },
		{ { "perf-profile", "-c", "3", "info" }, "cpu=3 perf-profile info" },
		{ { "core-power", "assoc", "--clos", "1", "--cpu", "3" },
		  "cpu=3 core-power assoc clos=1" },
		{ { "core-power", "assoc", "-c1" },
		  "core-power assoc ! -c after core-power assoc could be --clos or --cpu: write "
		  "--clos CLOS, or --cpu LIST" },
		{ { "-c", "1,2", "-c", "7" }, "cpu=1-2 ! -c: the CPUs are given twice" },
		{ { "core-power", "enable", "-a" },
		  "core-power enable # core-power enable has no option -a (before the feature: --all-cpus-online)" },
		{ { "turbo-freq", "info", "-l", "0", "-t", "0x1" },
		  "turbo-freq info level=0 ! turbo-freq info has no option -t" },
	};

	(void)state;
	check(vectors, ARRAY_SIZE(vectors));
}

static void test_options_of_other_commands(void **state)
{
	static const struct vector vectors[] = {
		{ { "core-power", "enable", "-a" },
		  "core-power enable # core-power enable has no option -a (before the feature: --all-cpus-online)" },
		{ { "core-power", "enable", "--auto" },
		  "core-power enable # core-power enable has no option --auto" },
		{ { "core-power", "config", "-c", "0", "-p", "1", "--weight", "2", "--min", "800",
		    "--max", "3000" },
		  "core-power config clos=0 weight=2 min=800 max=3000 # core-power config has no option -p (before the feature: --pause)" },
		{ { "core-power", "config", "-c", "0", "-p1" },
		  "core-power config clos=0 # core-power config has no option -p (before the feature: --pause)" },
		{ { "core-power", "config", "-c", "0", "--priority=1" },
		  "core-power config clos=0 # core-power config has no option --priority" },
		{ { "turbo-freq", "info", "-l", "0", "-t", "0x1" },
		  "turbo-freq info level=0 # turbo-freq info has no option -t" },
		{ { "perf-profile", "info", "-aol", "0", "-c", "0" },
		  "perf-profile info level=0 # perf-profile info has no option -a (before the feature: --all-cpus-online) # perf-profile info has no option -o (before the feature: --out) ~ perf-profile info has no option -c (before the feature: --cpu)" },
		{ { "core-power", "disable", "-p" },
		  "core-power disable ~ core-power disable has no option -p, which has no value: it is ignored" },
	};

	(void)state;
	check_as(vectors, ARRAY_SIZE(vectors), false);
}

static void test_help(void **state)
{
	static const struct vector vectors[] = {
		{ { "-h" }, "help-top" },
		{ { "--help" }, "help-top" },
		{ { "-dh" }, "debug help-top" },
		{ { "-h", "-o", "x", "perf-profile", "info" }, "out=x perf-profile help-top" },
		{ { "-h", "bogus" }, "help-top" },
		{ { "-h", "all" }, "help-all" },
		{ { "help" }, "help-top" },
		{ { "help", "all" }, "help-all" },
		{ { "help", "bogus" },
		  "! bogus: unknown feature; the features are perf-profile, base-freq, "
		  "turbo-freq, core-power, turbo-mode" },
		{ { "help", "turbo-freq", "inof" },
		  "turbo-freq ! inof: unknown command of turbo-freq; did you mean info?" },
		{ { "help", "turbo-freq" }, "turbo-freq help-feature" },
		{ { "help", "turbo-freq", "info" }, "turbo-freq info help-command" },
		{ { "version" }, "version" },
		{ { "-f", "json", "version" }, "format=json version" },
		{ { "perf-profile", "-h" }, "perf-profile help-feature" },
		{ { "--bogus", "perf-profile", "help" }, "perf-profile ! --bogus: unknown option" },
		{ { "perf-profile", "--help", "bogus" }, "perf-profile help-feature" },
		{ { "turbo-freq", "info", "-h" }, "turbo-freq info help-command" },
		{ { "turbo-freq", "info", "-h", "--bogus" }, "turbo-freq info help-command" },
		{ { "turbo-freq", "info", "--bogus", "-h" },
		  "turbo-freq info ! --bogus: turbo-freq info has no such option; it has --level, --bucket, --trl-type" },
		{ { "perf-profile", "bogus", "-h" },
		  "perf-profile ! bogus: unknown command; perf-profile has info, "
		  "get-config-levels, set-config-level" },
		{ { "-h", "turbo-freq", "info", "-h" }, "turbo-freq help-top" },
		{ { "-c", "-h" }, "! -c -h: a number was expected" },
	};

	(void)state;
	check(vectors, ARRAY_SIZE(vectors));
}

/* What the kernel tree's tool ignores is ignored under its name, with a warning. */
static void test_old_scripts(void **state)
{
	static const struct vector vectors[] = {
		{ { "turbo-freq", "info", "-l", "0",
		    "\xe2\x80\x93"
		    "auto" },
		  "turbo-freq info level=0 ~ Garbage at the end of command: ignore "
		  "\\xe2\\x80\\x93auto; it begins with a typographic dash, and options begin with "
		  "hyphens" },
		{ { "core-power", "disable",
		    "\xe2\x80\x94"
		    "dry-run" },
		  "core-power disable ! \\xe2\\x80\\x94dry-run: it begins with a typographic dash, and "
		  "options begin with hyphens" },
		{ { "core-power", "disable", "--", "--dry-run" },
		  "core-power disable ! --dry-run: unexpected word" },
		{ { "core-power", "disable", "--clos", "--dry-run" },
		  "dry-run core-power disable ~ core-power disable has no option --clos, which has no value: it is ignored" },
		{ { "core-power", "disable", "-c", "--cpu=2" },
		  "cpu=2 core-power disable ~ core-power disable has no option -c, which has no value: it is ignored" },

		{ { "core-power", "disable", "now", "then" },
		  "core-power disable ~ Garbage at the end of command: ignore now ~ Garbage at the "
		  "end of command: ignore then" },
		{ { "core-power", "disable", "--clos" },
		  "core-power disable ~ core-power disable has no option --clos, which has no value: it is ignored" },
		{ { "core-power", "disable", "--bogus" },
		  "core-power disable ! --bogus: core-power disable has no such option" },
		{ { "core-power", "config", "-c" }, "core-power config ! -c needs a value (CLOS)" },
	};
	static const struct vector strict[] = {
		{ { "core-power", "disable", "--clos", "--dry-run" },
		  "dry-run core-power disable ! core-power disable has no option --clos" },
		{ { "core-power", "disable", "--clos" },
		  "core-power disable ! core-power disable has no option --clos" },
	};

	(void)state;
	check_as(vectors, ARRAY_SIZE(vectors), false);
	check(strict, ARRAY_SIZE(strict));
}

static void test_continues_after_a_mistake(void **state)
{
	static const struct vector vectors[] = {
		{ { "-c", "1,", "-f", "json", "-o", "y", "perf-profile", "info" },
		  "format=json out=y perf-profile info ! -c 1,: a number was expected at the end" },
		{ { "--bogus", "value", "-f", "json", "perf-profile", "info" },
		  "format=json perf-profile info ! --bogus: unknown option" },
		{ { "-f", "xml", "--retry", "-1", "-o", "y" },
		  "out=y ! -f xml: text or json was expected" },
	};

	(void)state;
	check(vectors, ARRAY_SIZE(vectors));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms_of_options),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_given_twice),
		cmocka_unit_test(test_blanks_of_a_list),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_flags_swallow_nothing),
		cmocka_unit_test(test_unknown_words),
		cmocka_unit_test(test_misplaced_options),
		cmocka_unit_test(test_required_options),
		cmocka_unit_test(test_positional),
		cmocka_unit_test(test_implied),
		cmocka_unit_test(test_rest),
		cmocka_unit_test(test_letter_of_cpus),
		cmocka_unit_test(test_options_of_other_commands),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_old_scripts),
		cmocka_unit_test(test_continues_after_a_mistake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
