/* SPDX-License-Identifier: GPL-2.0-only */
/* Declares every feature of the program. features.c lists them. */
#ifndef FEATURES_FEATURES_H
#define FEATURES_FEATURES_H

#include "cli/command.h"

/* Variants of the commands enable and disable, if they have one handler. */
enum { VARIANT_DISABLE, VARIANT_ENABLE };

extern const struct command perf_profile_commands[];
extern const struct command base_freq_commands[];
extern const struct command turbo_freq_commands[];
extern const struct command core_power_commands[];
extern const struct command turbo_mode_commands[];
extern const struct command cpufreq_commands[];
extern const struct command cpuidle_commands[];
extern const struct command machine_commands[];
extern const struct command measure_commands[];
extern const struct command metrics_commands[];
extern const struct command power_commands[];
extern const struct command priority_commands[];
extern const struct command state_commands[];
extern const struct command uncore_commands[];

/* What --info runs. */
extern const struct command info_command;

/* All features, in the order of help. */
extern const struct command features[];

#endif
