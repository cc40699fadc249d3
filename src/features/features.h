/* SPDX-License-Identifier: GPL-2.0-only */
/* Every feature of the program. A new one is declared here and listed in features.c. */
#ifndef FEATURES_FEATURES_H
#define FEATURES_FEATURES_H

#include "cli/command.h"

/* Variants of the commands enable and disable, if they have one handler. */
enum { VARIANT_DISABLE, VARIANT_ENABLE };

extern const struct feature perf_profile_feature;
extern const struct feature base_freq_feature;
extern const struct feature turbo_freq_feature;
extern const struct feature core_power_feature;
extern const struct feature turbo_mode_feature;
extern const struct feature cpufreq_feature;
extern const struct feature cpuidle_feature;
extern const struct feature uncore_feature;

/* What --info runs. */
extern const struct command info_command;

/* All features, in the order of help. */
struct feature_list features_all(void);

#endif
