// SPDX-License-Identifier: GPL-2.0-only
/* The table of options before the feature (commands.md, "Options before the feature"). */
#include "cli/globals.h"

#define QUOTE(text)  #text
#define IN_WORDS(it) QUOTE(it)

static const char *const formats[] = { "text", "json", NULL };

#define COMMON_OPTIONS                                                                                  \
	{ .letter = 'c',                                                                                \
	  .name = "cpu",                                                                                \
	  .value = "LIST",                                                                              \
	  .historic = true,                                                                             \
	  .help = "Act on these logical CPUs: 1,2,4..6,8-10. Without it a command runs once for "       \
		  "each power domain",                                                                  \
	  OPTION_CPUS(struct globals, cpus) },                                                          \
		{ .letter = 'd',                                                                        \
		  .name = "debug",                                                                      \
		  .historic = true,                                                                     \
		  .help = "Trace every request to the hardware and its answer",                         \
		  OPTION_FLAG(struct globals, debug) },                                                 \
		{ .letter = 'f',                                                                        \
		  .name = "format",                                                                     \
		  .value = "text|json",                                                                 \
		  .historic = true,                                                                     \
		  .help = "Output format; text is the default",                                         \
		  OPTION_WORD(struct globals, format, formats) },                                       \
		{ .letter = 'i',                                                                        \
		  .name = "info",                                                                       \
		  .historic = true,                                                                     \
		  .help = "Show what this platform and its driver support",                             \
		  OPTION_FLAG(struct globals, info) },                                                  \
		{ .letter = 'o',                                                                        \
		  .name = "out",                                                                        \
		  .value = "FILE",                                                                      \
		  .historic = true,                                                                     \
		  .help = "Write the results to FILE, whole or not at all; - is stdout",                \
		  OPTION_TEXT(struct globals, out) },                                                   \
		{ .letter = 'p',                                                                        \
		  .name = "pause",                                                                      \
		  .value = "MS",                                                                        \
		  .historic = true,                                                                     \
		  .help = "Pause between two mailbox commands, in milliseconds",                        \
		  OPTION_NUMBER(struct globals, pause_ms, 0, 60000) },                                  \
		{ .letter = 'r',                                                                        \
		  .name = "retry",                                                                      \
		  .value = "N",                                                                         \
		  .historic = true,                                                                     \
		  .help = "Tries of a mailbox command that finds the firmware busy; default " IN_WORDS( \
			  GLOBALS_DEFAULT_TRIES),                                                       \
		  OPTION_NUMBER(struct globals, tries, 1, 100) },                                       \
		{ .letter = 'v',                                                                        \
		  .name = "version",                                                                    \
		  .historic = true,                                                                     \
		  .help = "Show the version",                                                           \
		  OPTION_FLAG(struct globals, version) },                                               \
		{ .name = "complete",                                                                   \
		  .hidden = true,                                                                       \
		  .help = "Candidates for shell completion of the "                                     \
			  "words behind --",                                                            \
		  OPTION_FLAG(struct globals, complete) },                                              \
	{                                                                                               \
		.name = "describe", .hidden = true, .help = "The whole command line as JSON",           \
		OPTION_FLAG(struct globals, describe)                                                   \
	}

static const struct option simulator_options[] = {
	COMMON_OPTIONS,
	{ .name = "simulate",
	  .value = "NAME|FILE",
	  .platform_name = true,
	  .help = "Use the simulated machine of that platform file instead of this one",
	  OPTION_TEXT(struct globals, simulate) },
	{ .name = "simulate-state",
	  .value = "DIR",
	  .help = "Keep what is set on the simulated machine in DIR",
	  OPTION_TEXT(struct globals, simulate_state) },
	{ .name = "simulate-reset",
	  .help = "Forget first what was set on the simulated machine",
	  OPTION_FLAG(struct globals, simulate_reset) },
	{ .name = "list-platforms",
	  .help = "List the machines that can be simulated",
	  OPTION_FLAG(struct globals, list_platforms) },
	OPTIONS_END,
};

static const struct option plain_options[] = { COMMON_OPTIONS, OPTIONS_END };

const struct option *globals_options(bool with_simulator)
{
	return with_simulator ? simulator_options : plain_options;
}
