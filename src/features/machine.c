// SPDX-License-Identifier: GPL-2.0-only
/* machine: the whole machine at once (docs/spec/record.md). */
#include "features/machine.h"

#include "features/features.h"
#include "output/screen.h"

#define MACHINE_FLAGS (COMMAND_ANY_MACHINE | COMMAND_ASKS_SST | COMMAND_IS_NEW)

static const struct option summary_options[] = {
	{ 0, "width", "COLUMNS", "Fit this width; else that of the terminal, or 80",
	  OPTION_NUMBER(struct machine_summary_arguments, width, SCREEN_MIN_WIDTH, 1000) },
	{ 0 },
};

static const char *const profile_words[] = { "latency", "realtime", "throughput", NULL };

static const struct option check_options[] = {
	{ 0, "profile", "PROFILE", "realtime, latency, throughput, one of the site, or a file",
	  OPTION_TEXT(struct machine_check_arguments, profile), .words = profile_words,
	  .required = true, .positional = true, .path = OPTION_PATH_FILE },
	{ 0 },
};

static const struct option record_options[] = {
	{ 0, "list", NULL, "Print what would be read, and read nothing",
	  OPTION_FLAG(struct machine_record_arguments, list) },
	{ 0, "pci", NULL, "Also the addresses of PCI devices and the CPUs next to them",
	  OPTION_FLAG(struct machine_record_arguments, pci) },
	{ 0 },
};

#define RECORDING(field, value, text)                                                      \
	{                                                                                  \
		0, #field, value, text, OPTION_TEXT(struct machine_diff_arguments, field), \
			.required = true, .positional = true, .path = OPTION_PATH_FILE     \
	}

static const struct option diff_options[] = {
	RECORDING(left, "A", "A recording, of machine record"),
	RECORDING(right, "B", "Another one, of another machine or date"),
	{ 0, "all", NULL, "Also what changes by itself: counts, present frequencies, interrupts",
	  OPTION_FLAG(struct machine_diff_arguments, all) },
	{ 0 },
};

const struct command machine_commands[] = {
	{ "summary", "Show on one screen what this machine is, what is set, and what stands out",
	  MACHINE_FLAGS | COMMAND_NOT_OF_CPUS, summary_options,
	  sizeof(struct machine_summary_arguments),
	  .about =
		  "Works without Speed Select, and says what it could not read. JSON has all figures; text leaves some out where there is no room.",
	  .run = machine_summary },
	{ "record", "Write all that commands can read of this machine as a platform file",
	  COMMAND_ANY_MACHINE | COMMAND_IS_NEW | COMMAND_NOT_OF_CPUS, record_options,
	  sizeof(struct machine_record_arguments),
	  .about =
		  "Changes nothing. The result is a platform file, by which any command can be run on the recorded machine. It has no host name, serial number, network address or time of day. -o FILE writes it to a file.",
	  .run = machine_record },
	{ "diff", "Show what differs between two recordings, by place and name",
	  COMMAND_ANY_MACHINE | COMMAND_IS_NEW | COMMAND_NOT_OF_CPUS, diff_options,
	  sizeof(struct machine_diff_arguments),
	  .about = "Exit status 6 means that something differs.", .run = machine_diff },
	{ "check", "Show which settings do not fit a purpose, and what to do about each",
	  MACHINE_FLAGS, check_options, sizeof(struct machine_check_arguments),
	  .about =
		  "Judges the CPUs of --cpu, without it the isolated ones (throughput: all that are online), and the machine. Exit status 6 means that something differs.",
	  .run = machine_check },
	{ 0 },
};
