// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line as JSON, for scripts and for the tests that compare manual pages and docs with
 * it. Keys stand in a fixed order; what a table leaves empty has no key, but for the marks of a
 * command, which are always there. Hidden options are listed and marked.
 * Follows commands.md, "Features and commands".
 */
#include "cli/describe.h"

#include <errno.h>
#include <string.h>

#include <jansson.h>

static const char *kind_name(enum option_kind kind)
{
	switch (kind) {
	case OPTION_KIND_FLAG:
		return "flag";
	case OPTION_KIND_CHOICE:
		return "choice";
	case OPTION_KIND_NUMBER:
		return "number";
	case OPTION_KIND_MHZ:
		return "mhz";
	case OPTION_KIND_HEX:
		return "hex";
	case OPTION_KIND_WORD:
		return "word";
	case OPTION_KIND_TEXT:
		return "text";
	case OPTION_KIND_CPUS:
		return "cpus";
	}
	__builtin_unreachable();
}

/* The words of an option, or NULL where it has none (and where memory is short). */
static json_t *describe_words(const struct option *option)
{
	json_t *words = json_array();

	for (size_t i = 0; option->words[i]; i++) {
		if (json_array_append_new(words, json_string(option->words[i])) < 0) {
			json_decref(words);
			return NULL;
		}
	}
	return words;
}

/* The limits of a number; one that no reader of JSON could hold is no limit. */
static int add_limits(json_t *object, const struct option *option)
{
	int err = 0;

	if (option->min <= INT64_MAX)
		err |= json_object_set_new(object, "min", json_integer((json_int_t)option->min));
	if (option->max <= INT64_MAX)
		err |= json_object_set_new(object, "max", json_integer((json_int_t)option->max));
	return err;
}

static int add_true(json_t *object, const char *key, bool is_true)
{
	return is_true ? json_object_set_new(object, key, json_true()) : 0;
}

static json_t *describe_option(const struct option *option)
{
	const char letter[] = { option->letter, '\0' };
	json_t *object;
	int err = 0;

	object = json_pack("{s:s*, s:s, s:s*, s:s*, s:s, s:s}", "letter",
			   option->letter ? letter : NULL, "name", option->name, "alias",
			   option->alias, "value", option->value, "help", option->help, "kind",
			   kind_name(option->kind));
	if (option->kind == OPTION_KIND_WORD)
		err |= json_object_set_new(object, "words", describe_words(option));
	if (option->kind == OPTION_KIND_NUMBER || option->kind == OPTION_KIND_MHZ)
		err |= add_limits(object, option);
	err |= add_true(object, "required", option->required);
	err |= add_true(object, "historic", option->historic);
	err |= add_true(object, "platform-name", option->platform_name);
	err |= add_true(object, "hidden", option->hidden);
	if (!err)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *describe_options(const struct option *table)
{
	json_t *options = json_array();

	for (; table && table->name; table++) {
		if (json_array_append_new(options, describe_option(table)) < 0) {
			json_decref(options);
			return NULL;
		}
	}
	return options;
}

static json_t *describe_command(const struct command *command)
{
	const unsigned int flags = command->flags;

	return json_pack("{s:s, s:s, s:s*, s:b, s:b, s:b, s:o}", "name", command->name, "summary",
			 command->summary, "about", command->about, "writes",
			 (flags & COMMAND_WRITES) != 0, "needs-cpus",
			 (flags & COMMAND_NEEDS_CPUS) != 0, "on-bios-fixed",
			 (flags & COMMAND_ON_BIOS_FIXED) != 0, "options",
			 describe_options(command->options));
}

static json_t *describe_feature(const struct feature *feature)
{
	json_t *commands = json_array();

	for (size_t i = 0; i < feature->n_commands; i++) {
		if (json_array_append_new(commands, describe_command(&feature->commands[i])) < 0) {
			json_decref(commands);
			return NULL;
		}
	}
	return json_pack("{s:s, s:s, s:o}", "name", feature->name, "title", feature->title,
			 "commands", commands);
}

static json_t *describe_features(const struct feature_list *list)
{
	json_t *features = json_array();

	for (size_t i = 0; i < list->n_features; i++) {
		if (json_array_append_new(features, describe_feature(list->features[i])) < 0) {
			json_decref(features);
			return NULL;
		}
	}
	return features;
}

int describe_write(const struct feature_list *list, const struct option *global, FILE *to)
{
	json_t *root;
	bool failed;

	root = json_pack("{s:o, s:o}", "options", describe_options(global), "features",
			 describe_features(list));
	if (!root)
		return -ENOMEM;
	failed = json_dumpf(root, to, JSON_INDENT(2)) < 0 || fputs("\n", to) == EOF ||
		 fflush(to) != 0;
	json_decref(root);
	return failed ? -EIO : 0;
}
