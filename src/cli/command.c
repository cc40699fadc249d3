// SPDX-License-Identifier: GPL-2.0-only
/*
 * Features and commands by name. Names are matched whole: a prefix of one is no command.
 * Follows commands.md, "Features and commands".
 */
#include "cli/command.h"

#include <string.h>

const struct feature *command_find_feature(const struct feature_list *list, const char *name)
{
	for (size_t i = 0; i < list->n_features; i++)
		if (strcmp(list->features[i]->name, name) == 0)
			return list->features[i];
	return NULL;
}

const struct command *command_find(const struct feature *feature, const char *name)
{
	for (size_t i = 0; i < feature->n_commands; i++)
		if (strcmp(feature->commands[i].name, name) == 0)
			return &feature->commands[i];
	return NULL;
}
