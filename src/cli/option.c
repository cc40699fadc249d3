// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walking a table of options. The option -h stands behind the last entry of every table, so that
 * the parser, help and completion all meet it without each table listing it.
 * Follows commands.md, "Options before the feature".
 */
#include "cli/option.h"

const struct option option_help = {
	.letter = 'h',
	.name = "help",
	.help = "Show this help",
	.kind = OPTION_KIND_FLAG,
	.historic = true,
};

const struct option *option_first(const struct option *table)
{
	return table && table->name ? table : &option_help;
}

const struct option *option_next(const struct option *option)
{
	if (option == &option_help)
		return NULL;
	return option[1].name ? option + 1 : &option_help;
}
