// SPDX-License-Identifier: GPL-2.0-only
/* Lists the features. */
#include "features/features.h"

const struct command features[] = {
	{ "perf-profile", "Intel(R) SST-PP: performance levels",
	  .commands = perf_profile_commands },
	{ "base-freq", "Intel(R) SST-BF: higher base frequency for some cores",
	  .commands = base_freq_commands },
	{ "turbo-freq", "Intel(R) SST-TF: higher turbo frequencies for some cores",
	  .commands = turbo_freq_commands },
	{ "core-power", "Intel(R) SST-CP: priorities of cores", .commands = core_power_commands },
	{ "turbo-mode", "Turbo, by frequency limits and turbo-ratio limits",
	  .commands = turbo_mode_commands },
	{ "cpufreq", "Frequency limits, governors, energy hints; on any machine",
	  .commands = cpufreq_commands },
	{ "cpuidle", "Idle states, wake-up latency, C0.2; on any machine",
	  .commands = cpuidle_commands },
	{ "uncore", "Uncore frequency limits; on any machine that has them",
	  .commands = uncore_commands },
	{ "power", "Power limits of packages, DRAM and the machine; on any machine",
	  .commands = power_commands },
	{ "priority", "Which cores are fast, for programs without privilege",
	  .commands = priority_commands },
	{ "state", "A node's settings as one document: apply, check, restore",
	  .commands = state_commands },
	{ "measure", "Measure frequency, power and latency of this machine",
	  .commands = measure_commands },
	{ "machine", "Overview of this machine: hardware, settings, findings",
	  .commands = machine_commands },
	{ "metrics", "Present state as metrics for Prometheus", .commands = metrics_commands },
	{ 0 },
};
