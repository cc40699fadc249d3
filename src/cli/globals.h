/* SPDX-License-Identifier: GPL-2.0-only */
/* Options before the feature (commands.md). */
#ifndef CLI_GLOBALS_H
#define CLI_GLOBALS_H

#include "cli/option.h"

#define GLOBALS_DEFAULT_TRIES 3

struct globals {
	struct option_cpus cpus;
	struct option_number format;
	const char *out;
	struct option_number pause_ms;
	struct option_number tries;
	bool debug;
	bool info;
	bool version;
	bool list_platforms;
	bool simulate_reset;
	const char *simulate;
	const char *simulate_state;
	bool dry_run;
	bool each;
	bool all_cpus_online;
	bool known_cpus_only;
	bool cgroup;
	bool cpu0_workaround;
	bool oob;
	bool no_daemon;
	struct option_number interval_s;
	bool complete;
	bool describe;
	/* Not options: the complete command line. */
	int argc;
	char *const *argv;
};

/* The table, with an end. It has the options of the simulator even in a build without it. */
extern const struct option globals_options[];

#endif
