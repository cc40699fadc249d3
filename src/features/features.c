// SPDX-License-Identifier: GPL-2.0-only
/* The list of features. */
#include "features/features.h"

#include "base/cleanup.h"

static const struct feature *const features[] = {
	&perf_profile_feature, &base_freq_feature, &turbo_freq_feature, &core_power_feature,
	&turbo_mode_feature,   &cpufreq_feature,   &cpuidle_feature,    &uncore_feature,
};

struct feature_list features_all(void)
{
	return (struct feature_list){ .features = features, .n_features = ARRAY_SIZE(features) };
}
