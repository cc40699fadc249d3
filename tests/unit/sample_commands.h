/* SPDX-License-Identifier: GPL-2.0-only */
/* A command line shaped like the real one, for the tests of src/cli. Nothing here can be run. */
#ifndef TESTS_SAMPLE_COMMANDS_H
#define TESTS_SAMPLE_COMMANDS_H

#include "cli/command.h"

struct sample_global {
	struct option_cpus cpus;
	struct option_number format;
	const char *out, *simulate, *simulate_state;
	struct option_number pause_ms, retry, delay_s;
	bool debug, info, version, all_online, oob, no_daemon, cgroup, cpu0;
	bool dry_run, simulate_reset, list_platforms, describe;
};

struct sample_level {
	struct option_number level;
	bool online, automatic;
};

struct sample_turbo {
	struct option_number level, bucket, trl;
	struct option_number level_name;
	bool automatic;
};

struct sample_clos {
	struct option_number clos, epp, weight, min_mhz, max_mhz, desired_mhz, priority;
};

extern const struct option sample_global_options[]; /* and an end */
extern const size_t n_sample_global_options;
extern const struct command sample_features[]; /* and an end */

#endif
