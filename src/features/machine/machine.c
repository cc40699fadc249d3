// SPDX-License-Identifier: GPL-2.0-only
/* machine: commands about the complete machine (docs/spec/record.md). */
#include "features/machine/machine.h"

#include "features/features.h"
#include "features/levels.h"
#include "output/screen.h"

#define MACHINE_FLAGS (COMMAND_ANY_MACHINE | COMMAND_ASKS_SST | COMMAND_IS_NEW)

static const struct option summary_options[] = {
	{ 0, "width", "COLUMNS", "Columns to fit into (default: those of the terminal, or 80)",
	  OPTION_NUMBER(struct machine_summary_arguments, width, SCREEN_MIN_WIDTH, 1000) },
	{ 0 },
};

const char *const machine_profiles[] = { "latency", "realtime", "throughput", NULL };

static const struct option check_options[] = {
	{ 0, "profile", "PROFILE", "realtime, latency, throughput, one of the site, or a file",
	  OPTION_TEXT(struct machine_check_arguments, profile), .words = machine_profiles,
	  .required = true, .positional = true, .path = OPTION_PATH_FILE },
	{ 0 },
};

static const struct option record_options[] = {
	{ 0, "list", NULL, "Print what would be read, and read nothing",
	  OPTION_FLAG(struct machine_record_arguments, list) },
	{ 0, "share", "FILE",
	  "Write a recording that can be sent to others, and list what it contains",
	  OPTION_TEXT(struct machine_record_arguments, share), .path = OPTION_PATH_FILE },
	{ 0, "pci", NULL, "Also the addresses of PCI devices and the CPUs next to them",
	  OPTION_FLAG(struct machine_record_arguments, pci) },
	{ 0 },
};

static const struct option verify_options[] = {
	{ 0, "measure", NULL, "Also keep cores busy, and compare their frequencies (seconds)",
	  OPTION_FLAG(struct machine_verify_arguments, measure) },
	{ 0, "save", "FILE", "Write the table and a recording to a file that can be sent to others",
	  OPTION_TEXT(struct machine_verify_arguments, save), .path = OPTION_PATH_FILE },
	{ 0 },
};

#define RECORDING(field, value, text)                                                      \
	{                                                                                  \
		0, #field, value, text, OPTION_TEXT(struct machine_diff_arguments, field), \
			.required = true, .positional = true, .path = OPTION_PATH_FILE     \
	}

static const struct option diff_options[] = {
	RECORDING(left, "A", "A recording, of machine record"),
	RECORDING(right, "B", "The second recording, of another machine or date"),
	{ 0, "all", NULL,
	  "Also compare values that change by themselves: counts, present frequencies, interrupts",
	  OPTION_FLAG(struct machine_diff_arguments, all) },
	{ 0 },
};

#define HIGHEST_MHZ 25500
#define MOST_WATTS  65535
#define MOST_ROWS   1000

static const struct option choose_options[] = {
	{ 0, "cores", "N",
	  "Number of fast cores needed, of all cores or of those that --near, --node or "
	  "--cpu selects",
	  OPTION_NUMBER(struct machine_choose_arguments, cores, 1, CPUSET_MAX_CPU),
	  .required = true },
	{ 0, "mhz", "MHZ", "Lowest acceptable frequency (default: as fast as possible)",
	  OPTION_MHZ(struct machine_choose_arguments, mhz, 1, HIGHEST_MHZ) },
	{ 0, "isa", LEVELS_TRL_VALUE, "Instruction set of the frequencies (default sse)",
	  OPTION_WORD(struct machine_choose_arguments, isa, levels_trl_words) },
	{ 0, "others-mhz", "MHZ", "Lowest acceptable frequency of all other cores",
	  OPTION_MHZ(struct machine_choose_arguments, others_mhz, 1, HIGHEST_MHZ) },
	{ 0, "watts", "W", "Highest TDP of a package, in watts",
	  OPTION_NUMBER(struct machine_choose_arguments, watts, 1, MOST_WATTS) },
	{ 0, "near", "PCI", "Only cores close to this PCI device, as 0000:3b:00.0",
	  OPTION_TEXT(struct machine_choose_arguments, near) },
	{ 0, "node", "N", "Only cores of this NUMA node",
	  OPTION_NUMBER(struct machine_choose_arguments, node, 0, CPUSET_MAX_CPU) },
	{ 0, "spread", NULL, "Spread the cores evenly over all packages and power domains",
	  OPTION_FLAG(struct machine_choose_arguments, spread) },
	{ 0, "pack", NULL, "Use as few packages and power domains as possible",
	  OPTION_FLAG(struct machine_choose_arguments, pack) },
	{ 0, "allow-offline", NULL, "Also list rows that take cores offline",
	  OPTION_FLAG(struct machine_choose_arguments, allow_offline) },
	{ 0, "pick", "ROW", "Row of the table whose commands are shown (default 1)",
	  OPTION_NUMBER(struct machine_choose_arguments, pick, 1, MOST_ROWS) },
	{ 0, "explain", NULL, "Also show how the rows are ordered",
	  OPTION_FLAG(struct machine_choose_arguments, explain) },
	{ 0, "state", "FILE", "Write the row as a state document, for state apply",
	  OPTION_TEXT(struct machine_choose_arguments, state), .path = OPTION_PATH_FILE },
	{ 0 },
};

const struct command machine_commands[] = {
	{ "summary", "Show on one screen what this machine is, what is set, and findings",
	  MACHINE_FLAGS | COMMAND_NOT_OF_CPUS, summary_options,
	  sizeof(struct machine_summary_arguments),
	  .about = "Works without Speed Select, and lists what it could not read. JSON has all "
		   "figures; the text leaves out some that do not fit.",
	  .run = machine_summary, .keeps_files = "base_frequency" },
	{ "record", "Write all that commands can read of this machine as a platform file",
	  COMMAND_ANY_MACHINE | COMMAND_IS_NEW | COMMAND_NOT_OF_CPUS, record_options,
	  sizeof(struct machine_record_arguments),
	  .about =
		  "Changes nothing. The result is a platform file, by which any command can be run on the recorded machine. It has no host name, serial number, network address or time of day. -o FILE writes it to a file.",
	  .run = machine_record },
	{ "diff", "Show what differs between two recordings, by location and name",
	  COMMAND_ANY_MACHINE | COMMAND_IS_NEW | COMMAND_NOT_OF_CPUS, diff_options,
	  sizeof(struct machine_diff_arguments),
	  .about = "Exit status 6 means that something differs.", .run = machine_diff },
	{ "check", "Show which settings do not fit a purpose, and what to do about each",
	  MACHINE_FLAGS, check_options, sizeof(struct machine_check_arguments),
	  .about =
		  "Checks the machine and the CPUs of --cpu (default: the isolated ones; throughput: all that are online). Exit status 6 means that something differs.",
	  .run = machine_check, .keeps_files = "pm_qos_resume_latency_us" },
	{ "verify", "Compare what this program shows with MSRs and kernel files",
	  MACHINE_FLAGS | COMMAND_NOT_OF_CPUS, verify_options,
	  sizeof(struct machine_verify_arguments),
	  .about =
		  "Changes nothing. Compares levels, turbo-ratio limits, power and frequencies "
		  "with MSRs (needs the module msr, and root) and kernel files; each row of the "
		  "table has a verdict. Exit status 6 means that something differs, 1 that nothing "
		  "could be compared.",
	  .run = machine_verify, .keeps_files = "base_frequency" },
	{ "choose", "Choose the level, the feature and the CPUs for some fast cores",
	  COMMAND_WITHOUT_DRIVER | COMMAND_NOT_FOR_IO | COMMAND_IS_NEW, choose_options,
	  sizeof(struct machine_choose_arguments),
	  .about =
		  "Changes nothing: it ranks what can be set, and prints the CPUs and the "
		  "commands of the first row, or of the one that --pick names. The "
		  "frequencies are those with all cores busy. High-priority cores are counted per package. Exit status 3 means "
		  "that no row meets the request.",
	  .run = machine_choose, .keeps_files = "*" },
	{ 0 },
};
