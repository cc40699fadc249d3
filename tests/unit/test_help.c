// SPDX-License-Identifier: GPL-2.0-only
/* Help at three levels and the description of the command line: everything that the tables hold is
 * there, hidden options are not in help, and no line passes column 80. Follows commands.md,
 * "Options before the feature". */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/cleanup.h"
#include "cli/globals.h"
#include "cli/help.h"
#include "features/features.h"
#include "sample_commands.h"

#define N_PERF_PROFILE 0
#define N_CORE_POWER   3

static const struct parse_tables tables = {
	.features = sample_features,
	.global = sample_global_options,
};

static char *help_of(const struct parse_tables *of, const struct parse_result *asked)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	help_write("isst", of, asked, to);
	fclose(to);
	return text;
}

static char *help_text(enum parse_help level, size_t feature_index, size_t command_index)
{
	const struct command *feature = &sample_features[feature_index];
	const struct parse_result asked = {
		.help = level,
		.feature = feature,
		.command = &feature->commands[command_index],
	};

	return help_of(&tables, &asked);
}

static char *description_text(void)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	assert_int_equal(help_describe(&tables, to), 0);
	fclose(to);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void assert_lines_fit(const char *text)
{
	while (*text != '\0') {
		const size_t length = strcspn(text, "\n");

		assert_true(length <= 80);
		assert_true(length == 0 || text[length - 1] != ' ');
		text += length;
		assert_int_equal(*text, '\n');
		text++;
	}
}

static void assert_lists(const char *text, const struct option *table)
{
	for (; table && table->name; table++) {
		char name[64];

		snprintf(name, sizeof(name), "--%s%s%s", table->name, table->value ? " " : "",
			 table->value ?: "");
		if (table->hidden)
			assert_null(strstr(text, name));
		else
			assert_has(text, name);
	}
	assert_has(text, "-h, --help");
}

static void test_top(void **state)
{
	_cleanup_free_ char *text = help_text(PARSE_HELP_ALL, 0, 0);

	(void)state;
	assert_ptr_equal(strstr(text, "Usage: isst [OPTIONS] FEATURE COMMAND [COMMAND OPTIONS]\n"),
			 text);
	assert_lines_fit(text);
	assert_lists(text, sample_global_options);
	for (const struct command *feature = sample_features; feature->name; feature++) {
		assert_has(text, feature->name);
		assert_has(text, feature->summary);
	}
	assert_has(text, "Exit status: 0 done; 1 refused by hardware or kernel; 2 usage;");
}

/* The short help is on one screen, with every feature and the common options alone. */
static void test_short(void **state)
{
	const struct parse_tables whole = { .features = features, .global = globals_options };
	const struct parse_result asked = { .help = PARSE_HELP_TOP };
	_cleanup_free_ char *text = help_of(&whole, &asked);
	size_t lines = 0;

	(void)state;
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_true(lines <= 23); /* and the prompt */
	assert_lines_fit(text);
	for (const struct command *feature = features; feature->name; feature++)
		assert_has(text, feature->name);
	assert_has(text, "\n  -c, --cpu LIST");
	assert_has(text, "--json");
	assert_null(strstr(text, "--retry"));
	assert_has(text, "isst --help all lists all");
}

static void test_top_columns(void **state)
{
	_cleanup_free_ char *text = help_text(PARSE_HELP_ALL, 0, 0);

	(void)state;
	assert_has(text, "\n  -d, --debug               trace every request\n");
	assert_has(text, "\n      --dry-run             print the writes, make none\n");
	assert_has(text, "\n  -w, --poll-interval SECONDS\n"
			 "                            poll instead of listening\n");
	assert_has(
		text,
		"  -c, --cpu LIST            act on these logical CPUs: 1,2,4..6,8-10; without it\n"
		"                            a command runs once for each power domain\n");
	assert_has(text, "\n  -h, --help                Show this help\n");
}

static void test_top_without_simulator(void **state)
{
	static const struct option plain[] = { { .letter = 'd',
						 .name = "debug",
						 .help = "trace every request",
						 OPTION_FLAG(struct sample_global, debug) },
					       { 0 } };
	const struct parse_tables without = { .features = sample_features, .global = plain };
	const struct parse_result asked = { .help = PARSE_HELP_ALL };
	_cleanup_free_ char *text = help_of(&without, &asked);

	(void)state;
	assert_null(strstr(text, "simulate"));
	assert_has(text, "\n  -d, --debug  trace every request\n  -h, --help   Show this help\n");
}

static void test_features(void **state)
{
	(void)state;
	for (size_t i = 0; sample_features[i].name; i++) {
		const struct command *feature = &sample_features[i];
		_cleanup_free_ char *text = help_text(PARSE_HELP_FEATURE, i, 0);

		assert_lines_fit(text);
		assert_has(text, feature->summary);
		for (size_t j = 0; feature->commands[j].name; j++) {
			assert_has(text, feature->commands[j].name);
			assert_has(text, feature->commands[j].summary);
		}
	}
}

static void test_feature_whole(void **state)
{
	_cleanup_free_ char *text = help_text(PARSE_HELP_FEATURE, N_PERF_PROFILE, 0);

	(void)state;
	assert_string_equal(text, "Usage: isst [OPTIONS] perf-profile COMMAND [COMMAND OPTIONS]\n"
				  "\n"
				  "Intel(R) SST-PP: performance levels\n"
				  "\n"
				  "Commands:\n"
				  "  info               everything about a level\n"
				  "  get-config-levels  the highest level\n"
				  "  set-config-level   switch level\n"
				  "\n"
				  "COMMAND -h shows the options of a command.\n");
}

static void test_commands(void **state)
{
	(void)state;
	for (size_t i = 0; sample_features[i].name; i++) {
		const struct command *feature = &sample_features[i];

		for (size_t j = 0; feature->commands[j].name; j++) {
			_cleanup_free_ char *text = help_text(PARSE_HELP_COMMAND, i, j);

			assert_lines_fit(text);
			assert_has(text, feature->commands[j].summary);
			assert_lists(text, feature->commands[j].options);
		}
	}
}

static void test_command_whole(void **state)
{
	_cleanup_free_ char *text = help_text(PARSE_HELP_COMMAND, N_PERF_PROFILE, 2);

	(void)state;
	assert_string_equal(text,
			    "Usage: isst [OPTIONS] perf-profile set-config-level -l LEVEL [-o]\n"
			    "\n"
			    "switch level\n"
			    "\n"
			    "A level already current is left alone.\n"
			    "\n"
			    "Changes the machine and needs the capability CAP_SYS_ADMIN.\n"
			    "\n"
			    "Options:\n"
			    "  -l, --level LEVEL  SST-PP level (required)\n"
			    "  -o, --online       also bring CPUs online\n"
			    "  -h, --help         Show this help\n");
}

static void test_command_usage(void **state)
{
	_cleanup_free_ char *assoc = help_text(PARSE_HELP_COMMAND, N_CORE_POWER, 5);
	_cleanup_free_ char *config = help_text(PARSE_HELP_COMMAND, N_CORE_POWER, 3);

	(void)state;
	assert_has(assoc, "Usage: isst [OPTIONS] --cpu LIST core-power assoc --clos CLOS\n");
	assert_has(config,
		   "Usage: isst [OPTIONS] core-power config --clos CLOS [-e EPP] [-w WEIGHT]\n"
		   "       [-n MIN] [-m MAX] [-d DESIRED]\n");
}

static json_t *load_description(void)
{
	_cleanup_free_ char *text = description_text();
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	assert_non_null(root);
	return root;
}

static void test_description_options(void **state)
{
	json_t *root = load_description();
	json_t *options = json_object_get(root, "options");
	json_t *option;
	size_t i;

	(void)state;
	assert_int_equal(json_array_size(options), n_sample_global_options);
	json_array_foreach (options, i, option) {
		const struct option *entry = &sample_global_options[i];

		assert_string_equal(json_string_value(json_object_get(option, "name")),
				    entry->name);
		assert_string_equal(json_string_value(json_object_get(option, "help")),
				    entry->help);
		assert_int_equal(json_is_true(json_object_get(option, "hidden")), entry->hidden);
		assert_int_equal(json_is_true(json_object_get(option, "from_upstream")),
				 entry->from_upstream);
		assert_int_equal(json_is_string(json_object_get(option, "letter")),
				 entry->letter != 0);
	}
	json_decref(root);
}

static void test_description_text(void **state)
{
	_cleanup_free_ char *text = description_text();

	(void)state;
	assert_has(text, "    {\n"
			 "      \"letter\": \"f\",\n"
			 "      \"name\": \"format\",\n"
			 "      \"value\": \"text|json\",\n"
			 "      \"help\": \"output format\",\n"
			 "      \"kind\": \"word\",\n"
			 "      \"words\": [\n"
			 "        \"text\",\n"
			 "        \"json\"\n"
			 "      ],\n"
			 "      \"from_upstream\": true\n"
			 "    },\n");
	assert_has(text, "      \"name\": \"poll-interval\",\n"
			 "      \"value\": \"SECONDS\",\n"
			 "      \"help\": \"poll instead of listening\",\n"
			 "      \"kind\": \"number\",\n"
			 "      \"min\": 1,\n"
			 "      \"from_upstream\": true\n");
	assert_has(text, "          \"name\": \"assoc\",\n"
			 "          \"summary\": \"put cores in a CLOS\",\n"
			 "          \"writes\": true,\n"
			 "          \"needs-cpus\": true,\n"
			 "          \"on-bios-fixed\": false,\n"
			 "          \"options\": [\n");
}

static void test_description_commands(void **state)
{
	json_t *root = load_description();
	json_t *list = json_object_get(root, "features");
	json_t *feature, *command;
	size_t i, j;

	(void)state;
	json_array_foreach (list, i, feature) {
		json_t *commands = json_object_get(feature, "commands");

		json_array_foreach (commands, j, command)
			assert_string_equal(json_string_value(json_object_get(command, "name")),
					    sample_features[i].commands[j].name);
		assert_null(sample_features[i].commands[j].name);
	}
	assert_null(sample_features[i].name);
	json_decref(root);
}

/* Words without an option: by the name of their values in help, marked in the description. */
static void test_positional(void **state)
{
	struct arguments {
		const char *from;
		const char *to;
	};
	static const struct option options[] = {
		{ .name = "from",
		  .value = "FILE",
		  .help = "a state document, or - for standard input",
		  .positional = true,
		  .required = true,
		  OPTION_TEXT(struct arguments, from) },
		{ .name = "to",
		  .value = "TARGET",
		  .help = "another one",
		  .positional = true,
		  OPTION_TEXT(struct arguments, to) },
		{ 0 },
	};
	static const struct command commands[] = {
		{ "copy", "copy a document", .options = options,
		  .arguments_size = sizeof(struct arguments) },
		{ 0 },
	};
	static const struct command list[] = {
		{ "state", "settings as one file", .commands = commands },
		{ 0 },
	};
	const struct parse_tables of = { .features = list, .global = sample_global_options };
	const struct parse_result asked = {
		.help = PARSE_HELP_COMMAND,
		.feature = list,
		.command = commands,
	};
	_cleanup_free_ char *text = help_of(&of, &asked), *description = NULL;
	size_t size;
	FILE *to = open_memstream(&description, &size);

	(void)state;
	assert_string_equal(text,
			    "Usage: isst [OPTIONS] state copy FILE [TARGET]\n"
			    "\n"
			    "copy a document\n"
			    "\n"
			    "Options:\n"
			    "  FILE        a state document, or - for standard input (required)\n"
			    "  TARGET      another one\n"
			    "  -h, --help  Show this help\n");
	assert_non_null(to);
	assert_int_equal(help_describe(&of, to), 0);
	fclose(to);
	assert_has(description, "              \"name\": \"from\",\n"
				"              \"value\": \"FILE\",\n"
				"              \"help\": \"a state document, or - for standard "
				"input\",\n"
				"              \"kind\": \"text\",\n"
				"              \"required\": true,\n"
				"              \"positional\": true\n");
	assert_has(description, "              \"help\": \"another one\",\n"
				"              \"kind\": \"text\",\n"
				"              \"positional\": true\n");
}

static void test_description_write_fails(void **state)
{
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	assert_int_equal(help_describe(&tables, full), -EIO);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_top),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_top_columns),
		cmocka_unit_test(test_top_without_simulator),
		cmocka_unit_test(test_features),
		cmocka_unit_test(test_feature_whole),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_command_whole),
		cmocka_unit_test(test_command_usage),
		cmocka_unit_test(test_description_options),
		cmocka_unit_test(test_description_text),
		cmocka_unit_test(test_description_commands),
		cmocka_unit_test(test_positional),
		cmocka_unit_test(test_description_write_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
