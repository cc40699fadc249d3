// SPDX-License-Identifier: GPL-2.0-only
/* The settings of cpufreq and of intel_pstate (sysfs.md, "cpufreq policy", "intel_pstate"). */
#include <errno.h>
#include <string.h>

#include "host/cpufreq.h"
#include "settings/families.h"
#include "settings/pstate.h"
#include "settings/scaling.h"

/* A file of a policy or of its CPU, which may have been read. */
static int plan_policy_file(const struct setting_environment *environment,
			    struct setting_request *request)
{
	const struct cpufreq_policy *policy = request->policy;
	const char *old_text = !policy                                ? NULL
			       : request->setting == SETTING_GOVERNOR ? policy->governor
			       : request->setting == SETTING_EPP      ? policy->epp
								      : policy->epb;
	struct change change = { .old_value = { .text = old_text }, .has_old_value = old_text };
	bool is_epp = request->setting == SETTING_EPP;
	enum file_content content = request->setting == SETTING_EPB ? FILE_NUMBER : FILE_TEXT;

	if (is_epp)
		change.other_text = cpufreq_find_epp_name(request->value.text);
	if (is_epp && strcmp(request->value.text, "default") == 0)
		content = FILE_ANY;
	return setting_plan_file(environment, request, content, &change);
}

static int plan_governor(const struct setting_environment *environment,
			 struct setting_request *request)
{
	const size_t first = environment->changes->n_changes;
	int err = plan_policy_file(environment, request);

	if (err || environment->changes->n_changes == first ||
	    cpuset_has(&environment->machine->topology.coming, request->cpu) ||
	    pstate_is_pending(environment->machine, environment->changes))
		return err;
	return pstate_note_preference(environment, request);
}

/* Turbo is switched by intel_pstate or, with other drivers, by boost. */
static int plan_turbo(const struct setting_environment *environment,
		      struct setting_request *request)
{
	struct change change = {
		.location = { .package = LOCATION_NO_PACKAGE, .cpu = LOCATION_NO_CPU },
		.what = "no_turbo",
		.subject = subject_of(SETTING_TURBO),
		.target = file_target(CPUFREQ_NO_TURBO, FILE_NUMBER),
		.value = { .text = request->value.on ? "0" : "1" },
		.ignored_error = request->is_optional ? -EPERM : 0,
	};
	int err = setting_add_file(environment, request, change);

	if (err == -ENOENT) {
		change.what = "boost";
		change.target = file_target(CPUFREQ_BOOST, FILE_NUMBER);
		change.value.text = request->value.on ? "1" : "0";
		err = setting_add_file(environment, request, change);
	}
	request->failed = change.what;
	return err;
}

static const char *const limit_words[] = { "min", "base", "max", NULL };
static const char *const epp_words[] = { "performance", "balance_performance", "balance_power",
					 "power", NULL };
static const char *const pstate_words[] = { "active", "passive", NULL };

#define FILE_FLAGS (SETTING_ONLINE_ONLY | SETTING_RESET_BY_PSTATE)
#define ROW(id)    [id - SETTING_CPUFREQ_MIN]

const struct setting cpufreq_settings[] = {
	ROW(SETTING_CPUFREQ_MIN) = { "cpufreq.min-mhz", "limits of cpufreq", PLACE_POLICY,
				     SETTING_TYPE_MHZ, SETTING_RANK_FREQUENCY_LIMITS,
				     .group = SETTING_FREQUENCY_LIMITS, .words = limit_words,
				     .min = 1, .max = UINT32_MAX, .flags = SETTING_RESET_BY_PSTATE,
				     .unit = "MHz", .about = "lower frequency limit of the policy",
				     .reset = "\"min\"", .plan = scaling_plan_requests },
	ROW(SETTING_CPUFREQ_MAX) = { "cpufreq.max-mhz", NULL, PLACE_POLICY, SETTING_TYPE_MHZ,
				     SETTING_RANK_FREQUENCY_LIMITS,
				     .group = SETTING_FREQUENCY_LIMITS, .words = limit_words,
				     .min = 1, .max = UINT32_MAX, .flags = SETTING_RESET_BY_PSTATE,
				     .unit = "MHz", .about = "upper frequency limit of the policy",
				     .reset = "\"max\"" },
	ROW(SETTING_GOVERNOR) = { "cpufreq.governor", "scaling_governor", PLACE_POLICY,
				  SETTING_TYPE_TEXT, SETTING_RANK_GOVERNOR, .flags = FILE_FLAGS,
				  .about = "governor of the policy", .plan_one = plan_governor,
				  .file = "cpufreq/scaling_governor" },
	ROW(SETTING_EPP) = { "cpufreq.epp", "energy_performance_preference", PLACE_POLICY,
			     SETTING_TYPE_NUMBER, SETTING_RANK_EPP, .words = epp_words, .max = 255,
			     .flags = FILE_FLAGS,
			     .about = "energy performance preference of the policy",
			     .file = "cpufreq/energy_performance_preference",
			     .plan_one = plan_policy_file },
	ROW(SETTING_EPB) = { "cpufreq.epb", "energy_perf_bias", PLACE_CPU, SETTING_TYPE_NUMBER,
			     SETTING_RANK_EPB, .max = 15, .flags = SETTING_ONLINE_ONLY,
			     .about = "energy performance bias of the CPU",
			     .file = "power/energy_perf_bias", .plan_one = plan_policy_file },
	ROW(SETTING_TURBO) = { "cpufreq.turbo", "turbo", PLACE_MACHINE, SETTING_TYPE_BOOLEAN,
			       SETTING_RANK_TURBO, .flags = SETTING_RESET_BY_PSTATE,
			       .about = "turbo of the whole machine", .reset = "true",
			       .plan_one = plan_turbo },
	ROW(SETTING_HWP_BOOST) = { "cpufreq.hwp-boost", "hwp_dynamic_boost", PLACE_MACHINE,
				   SETTING_TYPE_BOOLEAN, SETTING_RANK_TURBO,
				   .flags = SETTING_RESET_BY_PSTATE,
				   .about =
					   "intel_pstate: raise the frequency of CPUs that waited for "
					   "input or output",
				   .file = "intel_pstate/hwp_dynamic_boost" },
	ROW(SETTING_MIN_PCT) = { "cpufreq.min-pct", "min_perf_pct", PLACE_MACHINE,
				 SETTING_TYPE_NUMBER, SETTING_RANK_PERCENT, .max = 100,
				 .flags = SETTING_RESET_BY_PSTATE, .unit = "percent",
				 .about = "intel_pstate: lower limit of all CPUs, of the highest "
					  "frequency",
				 .plan = pstate_plan_percents,
				 .file = "intel_pstate/min_perf_pct" },
	ROW(SETTING_MAX_PCT) = { "cpufreq.max-pct", "max_perf_pct", PLACE_MACHINE,
				 SETTING_TYPE_NUMBER, SETTING_RANK_PERCENT, .max = 100,
				 .flags = SETTING_RESET_BY_PSTATE, .unit = "percent",
				 .about = "intel_pstate: upper limit of all CPUs, of the highest "
					  "frequency",
				 .plan = pstate_plan_percents,
				 .file = "intel_pstate/max_perf_pct" },
	ROW(SETTING_PSTATE) = { "cpufreq.pstate", "intel_pstate status", PLACE_MACHINE,
				SETTING_TYPE_WORD, SETTING_RANK_PSTATE, .words = pstate_words,
				.about = "mode of intel_pstate", .plan = pstate_plan_mode,
				.file = "intel_pstate/status" },
};
