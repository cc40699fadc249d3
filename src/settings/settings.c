// SPDX-License-Identifier: GPL-2.0-only
/* The table of settings, and the order in which requests for them become changes. */
#include "settings/settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "host/cpufreq.h"
#include "host/cpuidle.h"
#include "settings/file_change.h"
#include "settings/pstate.h"
#include "settings/scaling.h"
#include "settings/uncore.h"

enum { NUMBER_SIZE = 24 };

static const struct location of_machine = {
	.package = LOCATION_NO_PACKAGE,
	.cpu = LOCATION_NO_CPU,
};

/* The value as it is written to a file. */
static const char *format_value(const struct setting_request *request, char number[NUMBER_SIZE])
{
	switch (setting_get(request->setting)->type) {
	case SETTING_BOOLEAN:
		return request->value.on ? "1" : "0";
	case SETTING_NUMBER:
		snprintf(number, NUMBER_SIZE, "%" PRIu64, request->value.number);
		return number;
	default:
		return request->value.text;
	}
}

struct file_path setting_path(const struct setting_request *request)
{
	const struct setting *setting = setting_get(request->setting);
	bool is_uncore = setting->scope == SETTING_OF_UNCORE;
	struct file_path path;

	if (setting->scope == SETTING_OF_CPU)
		return files_cpu_path(request->cpu, "%s", setting->file);
	snprintf(path.text, sizeof(path.text), "%s/%s",
		 is_uncore ? request->uncore->path : FILES_CPUS, setting->file);
	return path;
}

/* Adds the write of a file. After a change of the mode of intel_pstate it is undone when the mode
 * is the old one again, and a file that only the new mode has needs nothing else. */
static int add_file(const struct setting_environment *environment,
		    const struct setting_request *request, struct change change)
{
	struct change_list *changes = environment->changes;
	struct files *files = environment->machine->host->files;
	const struct change *mode;
	struct change_undo undo;
	int err;

	if (!request->always)
		return file_change_add(changes, files, change);
	err = file_change_add_always(changes, files, change);
	mode = err == -ENOENT ? pstate_find_change(changes) : NULL;
	if (!mode)
		return err;
	undo = (struct change_undo){ .target = mode->target, .value = mode->old_value };
	change.undo = &undo;
	change.n_undo = 1;
	return change_list_add(changes, &change);
}

/* A setting that is the value of one kernel file. */
static int plan_file(const struct setting_environment *environment, struct setting_request *request)
{
	const struct setting *setting = setting_get(request->setting);
	const struct file_path path = setting_path(request);
	char number[NUMBER_SIZE];
	const char *text = format_value(request, number);
	const struct cpufreq_policy *policy = request->policy;
	/* what the file holds, if it was read before */
	const char *old_text = !policy                                ? NULL
			       : request->setting == SETTING_GOVERNOR ? policy->governor
			       : request->setting == SETTING_EPP      ? policy->epp
								      : policy->epb;
	struct change change = {
		.location = of_machine,
		.what = setting->what,
		.target = file_target(path.text,
				      setting->type == SETTING_TEXT ? FILE_TEXT : FILE_NUMBER),
		.value = { .text = text },
		.old_value = { .text = old_text },
		.has_old_value = old_text,
	};

	if (request->setting == SETTING_EPP)
		change.other_text = cpufreq_find_epp_name(text);
	if (request->setting == SETTING_EPP && strcmp(text, "default") == 0)
		change.target = file_target(path.text, FILE_ANY);
	if (setting->scope == SETTING_OF_CPU)
		change.location = location_of_cpu(environment->machine, request->cpu);
	else if (setting->scope == SETTING_OF_UNCORE)
		change.location = uncore_location(request->uncore);
	if (setting->is_online_only &&
	    cpuset_has(&environment->machine->topology.coming, request->cpu))
		return change_list_add(environment->changes,
				       &(struct change){
					       .location = change.location,
					       .what = change.what,
					       .target = file_target(path.text, FILE_ANY),
					       .new_text = text,
				       });
	return add_file(environment, request, change);
}

/* Plans requests one by one. */
static int plan_each(const struct setting_environment *environment,
		     struct setting_request *requests, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct setting *setting = setting_get(requests[i].setting);

		requests[i].error = (setting->plan_one ?: plan_file)(environment, &requests[i]);
		if (requests[i].error == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

/* Is turbo off when limits are written: by an earlier change, or now? If a change that may fail
 * switches it on, it may still be off. */
static bool is_turbo_off(const struct setting_environment *environment)
{
	const struct change_list *changes = environment->changes;

	for (size_t i = changes->n_changes; i-- > 0;) {
		const struct change *change = &changes->changes[i];

		if (change->target.path && strcmp(change->target.path, CPUFREQ_NO_TURBO) == 0)
			return strcmp(change->value.text, "1") == 0 || change->ignored_error;
	}
	return scaling_read_turbo(environment->machine->host->files).is_off;
}

/* While turbo is off, the kernel lowers limits to the base frequency, now or after the plan
 * (base_khz; 0: the same): those from changes[first] on may read so. */
static void allow_lowered(const struct setting_environment *environment, size_t first,
			  uint32_t base_khz)
{
	struct change_list *changes = environment->changes;

	for (size_t i = first; i < changes->n_changes; i++) {
		struct change *change = &changes->changes[i];
		uint32_t now_khz = 0;

		if (scaling_read_khz(environment->machine->host->files, change->location.cpu,
				     "base_frequency", &now_khz))
			now_khz = base_khz;
		change->lowered = base_khz && base_khz < now_khz ? base_khz : now_khz;
	}
}

static int plan_fixed_base_freq(const struct setting_environment *environment,
				struct setting_request *request)
{
	size_t first = environment->changes->n_changes;
	int err;

	request->failed = "frequency limits";
	err = scaling_plan_base_freq(environment->changes, environment->machine,
				     &request->domain->cpus, request->value.on, request->always);
	if (is_turbo_off(environment))
		allow_lowered(environment, first, 0);
	return err;
}

/* SST-BF and SST-TF; SST-BF where BIOS sets it is a matter of frequency limits. */
static int plan_feature(const struct setting_environment *environment,
			struct setting_request *requests, size_t count)
{
	return environment->platform->is_clx_n ? plan_each(environment, requests, count)
					       : sst_plan_feature(environment, requests, count);
}

/* Turbo is switched by intel_pstate or, with other drivers, by boost. */
static int plan_turbo(const struct setting_environment *environment,
		      struct setting_request *request)
{
	struct change change = {
		.location = of_machine,
		.what = "no_turbo",
		.target = file_target(CPUFREQ_NO_TURBO, FILE_NUMBER),
		.value = { .text = request->value.on ? "0" : "1" },
		.ignored_error = request->is_optional ? -EPERM : 0,
	};
	int err = add_file(environment, request, change);

	if (err == -ENOENT) {
		change.what = "boost";
		change.target = file_target(CPUFREQ_BOOST, FILE_NUMBER);
		change.value.text = request->value.on ? "1" : "0";
		err = add_file(environment, request, change);
	}
	request->failed = change.what;
	return err;
}

/* One limit of a CPU that is about to come online; kept_khz leaves it as it is. */
static int plan_limit_later(const struct setting_environment *environment, uint32_t cpu,
			    const char *name, const char *file, uint32_t khz, uint32_t kept_khz)
{
	char number[NUMBER_SIZE];

	if (!file && khz == kept_khz)
		return 0;
	snprintf(number, sizeof(number), "%" PRIu32, khz);
	return scaling_plan_later(environment->changes, environment->machine, cpu, name,
				  file ?: number);
}

static int plan_limits(const struct setting_environment *environment,
		       struct setting_request *request, const struct scaling_turbo *turbo)
{
	struct change_list *changes = environment->changes;
	const struct machine *machine = environment->machine;
	const struct khz_range wanted = { request->value.range.min_khz,
					  request->value.range.max_khz };
	const char *max_file = request->value.range.max_file;
	const char *min_file = request->value.range.min_file;
	struct khz_range old;
	int err = 0;

	if (request->policy && cpuset_has(&machine->topology.coming, request->cpu)) {
		err = plan_limit_later(environment, request->cpu, SCALING_MAX, max_file,
				       wanted.max_khz, UINT32_MAX);
		return err ? err
			   : plan_limit_later(environment, request->cpu, SCALING_MIN, min_file,
					      wanted.min_khz, 0);
	}
	if (request->policy) {
		old = (struct khz_range){ request->policy->min_khz, request->policy->max_khz };
		if (request->always)
			return scaling_plan_range_again(changes, machine, request->cpu, &old,
							&wanted);
		return scaling_plan_range(changes, machine, request->cpu, &old, &wanted);
	}
	if (request->value.range.raises)
		return scaling_plan_raise(changes, machine, request->cpu,
					  request->value.range.base_khz, turbo);
	if (!max_file && !min_file)
		return (request->always ? scaling_plan_range_again : scaling_plan_range)(
			changes, machine, request->cpu, NULL, &wanted);
	/* the values of other files of the CPU, which are read now */
	request->failed = max_file ?: min_file;
	if (max_file)
		err = scaling_plan_limit_as(changes, machine, request->cpu, SCALING_MAX, max_file);
	if (!err && min_file)
		err = scaling_plan_limit_as(changes, machine, request->cpu, SCALING_MIN, min_file);
	return err;
}

/* A CPU that is about to come online gets its files then. Without cpufreq there is nothing to set;
 * a CPU without the files that others have is an error. */
static int plan_frequency_limits(const struct setting_environment *environment,
				 struct setting_request *requests, size_t count)
{
	const struct topology *topology = &environment->machine->topology;
	bool is_cpufreq_missing = false, is_cpufreq_known = false;
	bool is_lowered = is_turbo_off(environment);
	struct scaling_turbo turbo = { 0 };

	if (requests[0].value.range.raises)
		turbo = scaling_read_turbo(environment->machine->host->files);
	for (size_t i = 0; i < count; i++) {
		size_t first = environment->changes->n_changes;
		int err = plan_limits(environment, &requests[i], &turbo);

		if (is_lowered)
			allow_lowered(environment, first, requests[i].value.range.base_khz);
		if (err == -ENOMEM)
			return err;
		if (err == -ENOENT && requests[i].is_optional && !is_cpufreq_known) {
			is_cpufreq_missing = !scaling_is_available(environment->machine);
			is_cpufreq_known = true;
		}
		if (err == -ENOENT && requests[i].is_optional &&
		    (is_cpufreq_missing || cpuset_has(&topology->coming, requests[i].cpu)))
			err = 0;
		requests[i].error = err;
	}
	return 0;
}

/* Whether a state may be used, as it was just read. */
static int plan_idle_state(const struct setting_environment *environment,
			   struct setting_request *request)
{
	const struct cpuidle_state *state = request->idle_state;
	_cleanup_free_ char *what = text_format("disable of %s", state->name);
	const struct file_path path =
		files_cpu_path(request->cpu, "cpuidle/state%" PRIu32 "/disable", state->number);

	if (!what)
		return -ENOMEM;
	return file_change_add(environment->changes, environment->machine->host->files,
			       (struct change){
				       .location =
					       location_of_cpu(environment->machine, request->cpu),
				       .what = what,
				       .target = file_target(path.text, FILE_NUMBER),
				       .value = { .text = request->value.on ? "0" : "1" },
				       .old_value = { .text = state->disabled ? "1" : "0" },
				       .has_old_value = true,
			       });
}

static int plan_uncore_limits(const struct setting_environment *environment,
			      struct setting_request *request)
{
	const struct location location = uncore_location(request->uncore);

	return uncore_plan_limits(environment->changes, &location, request->uncore,
				  request->value.range.min_khz, request->value.range.max_khz);
}

static const struct setting settings[N_SETTINGS] = {
	[SETTING_LEVEL] = { "perf-profile.level", "performance level", SETTING_OF_DOMAIN,
			    SETTING_NUMBER, SETTING_RANK_LEVEL, .plan = sst_plan_level },
	[SETTING_BASE_FREQ] = { "base-freq.enabled", "base-freq", SETTING_OF_DOMAIN,
				SETTING_BOOLEAN, SETTING_RANK_FEATURES_ON,
				.rank_off = SETTING_RANK_FEATURES_OFF, .plan = plan_feature,
				.plan_one = plan_fixed_base_freq },
	[SETTING_TURBO_FREQ] = { "turbo-freq.enabled", "turbo-freq", SETTING_OF_DOMAIN,
				 SETTING_BOOLEAN, SETTING_RANK_FEATURES_ON,
				 .rank_off = SETTING_RANK_FEATURES_OFF, .plan = plan_feature },
	[SETTING_CORE_POWER] = { "core-power.enabled", "core-power status", SETTING_OF_DOMAIN,
				 SETTING_CORE_POWER_SWITCH, SETTING_RANK_CORE_POWER_ON,
				 .rank_off = SETTING_RANK_CORE_POWER_OFF,
				 .plan = sst_plan_core_power },
	[SETTING_CLOS] = { "core-power.clos", "parameters of the CLOS", SETTING_OF_DOMAIN,
			   SETTING_CLOS_PARAMETERS, SETTING_RANK_CLOS, .plan = sst_plan_clos },
	[SETTING_ASSOC] = { "core-power.assoc", "association to a CLOS", SETTING_OF_CPU,
			    SETTING_NUMBER, SETTING_RANK_ASSOC, .plan = sst_plan_assoc },
	[SETTING_TRL] = { "turbo-mode.trl", "turbo-ratio limits", SETTING_OF_DOMAIN, SETTING_RATIOS,
			  SETTING_RANK_TRL, .plan = sst_plan_trl },
	[SETTING_UNCORE_LIMITS] = { "uncore.limits", "limits of the uncore frequency",
				    SETTING_OF_UNCORE, SETTING_RANGE, SETTING_RANK_UNCORE,
				    .plan_one = plan_uncore_limits },
	[SETTING_ELC_FLOOR] = { "uncore.elc-floor-mhz", UNCORE_ELC_FLOOR, SETTING_OF_UNCORE,
				SETTING_NUMBER, SETTING_RANK_UNCORE, .file = UNCORE_ELC_FLOOR },
	[SETTING_ELC_LOW_THRESHOLD] = { "uncore.elc-low-threshold", UNCORE_ELC_LOW_THRESHOLD,
					SETTING_OF_UNCORE, SETTING_NUMBER, SETTING_RANK_UNCORE,
					.file = UNCORE_ELC_LOW_THRESHOLD },
	[SETTING_ELC_HIGH_THRESHOLD] = { "uncore.elc-high-threshold", UNCORE_ELC_HIGH_THRESHOLD,
					 SETTING_OF_UNCORE, SETTING_NUMBER, SETTING_RANK_UNCORE,
					 .file = UNCORE_ELC_HIGH_THRESHOLD },
	[SETTING_ELC_HIGH_ENABLE] = { "uncore.elc-high", UNCORE_ELC_HIGH_ENABLE, SETTING_OF_UNCORE,
				      SETTING_BOOLEAN, SETTING_RANK_UNCORE,
				      .file = UNCORE_ELC_HIGH_ENABLE },
	[SETTING_PSTATE] = { "cpufreq.pstate", "intel_pstate status", SETTING_OF_MACHINE,
			     SETTING_TEXT, SETTING_RANK_PSTATE, .plan = pstate_plan_mode,
			     .file = "intel_pstate/status" },
	[SETTING_TURBO] = { "cpufreq.turbo", "turbo", SETTING_OF_MACHINE, SETTING_BOOLEAN,
			    SETTING_RANK_TURBO, .plan_one = plan_turbo,
			    .is_reset_by_pstate = true },
	[SETTING_HWP_BOOST] = { "cpufreq.hwp-boost", "hwp_dynamic_boost", SETTING_OF_MACHINE,
				SETTING_BOOLEAN, SETTING_RANK_TURBO,
				.file = "intel_pstate/hwp_dynamic_boost",
				.is_reset_by_pstate = true },
	[SETTING_MIN_PERCENT] = { "cpufreq.min-pct", "min_perf_pct", SETTING_OF_MACHINE,
				  SETTING_NUMBER, SETTING_RANK_PERCENT,
				  .plan = pstate_plan_percents, .file = "intel_pstate/min_perf_pct",
				  .is_reset_by_pstate = true },
	[SETTING_MAX_PERCENT] = { "cpufreq.max-pct", "max_perf_pct", SETTING_OF_MACHINE,
				  SETTING_NUMBER, SETTING_RANK_PERCENT,
				  .plan = pstate_plan_percents, .file = "intel_pstate/max_perf_pct",
				  .is_reset_by_pstate = true },
	[SETTING_GOVERNOR] = { "cpufreq.governor", "scaling_governor", SETTING_OF_CPU, SETTING_TEXT,
			       SETTING_RANK_GOVERNOR, .file = "cpufreq/scaling_governor",
			       .is_online_only = true, .is_reset_by_pstate = true },
	[SETTING_EPP] = { "cpufreq.epp", "energy_performance_preference", SETTING_OF_CPU,
			  SETTING_TEXT, SETTING_RANK_EPP,
			  .file = "cpufreq/energy_performance_preference", .is_online_only = true,
			  .is_reset_by_pstate = true },
	[SETTING_EPB] = { "cpufreq.epb", "energy_perf_bias", SETTING_OF_CPU, SETTING_NUMBER,
			  SETTING_RANK_EPB, .file = "power/energy_perf_bias",
			  .is_online_only = true },
	[SETTING_FREQUENCY_LIMITS] = { "cpufreq.limits", "limits of cpufreq", SETTING_OF_CPU,
				       SETTING_RANGE, SETTING_RANK_FREQUENCY_LIMITS,
				       .plan = plan_frequency_limits, .is_reset_by_pstate = true },
	[SETTING_IDLE_GOVERNOR] = { "cpuidle.governor", "current_governor", SETTING_OF_MACHINE,
				    SETTING_TEXT, SETTING_RANK_IDLE_MACHINE,
				    .file = "cpuidle/current_governor" },
	[SETTING_C1_DEMOTION] = { "cpuidle.c1-demotion", "intel_c1_demotion", SETTING_OF_MACHINE,
				  SETTING_BOOLEAN, SETTING_RANK_IDLE_MACHINE,
				  .file = "cpuidle/intel_c1_demotion" },
	[SETTING_IDLE_C02] = { "cpuidle.c02", "enable_c02", SETTING_OF_MACHINE, SETTING_BOOLEAN,
			       SETTING_RANK_IDLE_MACHINE, .file = "umwait_control/enable_c02" },
	[SETTING_UMWAIT_MAX_TIME] = { "cpuidle.umwait-max-time", "max_time", SETTING_OF_MACHINE,
				      SETTING_NUMBER, SETTING_RANK_IDLE_MACHINE,
				      .file = "umwait_control/max_time" },
	[SETTING_IDLE_STATE] = { "cpuidle.states", "idle state", SETTING_OF_CPU, SETTING_BOOLEAN,
				 SETTING_RANK_IDLE_CPU, .plan_one = plan_idle_state },
	[SETTING_QOS_LATENCY] = { "cpuidle.qos-latency-us", "pm_qos_resume_latency_us",
				  SETTING_OF_CPU, SETTING_TEXT, SETTING_RANK_IDLE_CPU,
				  .file = "power/pm_qos_resume_latency_us" },
};

const struct setting *setting_get(enum setting_id id)
{
	return &settings[id];
}

void setting_list_add(struct setting_list *list, const struct setting_request *request)
{
	if (list->count == list->size) {
		size_t size = list->size + list->size / 2 + 16;
		struct setting_request *larger =
			reallocarray(list->requests, size, sizeof(*larger));

		if (!larger) {
			list->is_incomplete = true;
			return;
		}
		list->requests = larger;
		list->size = size;
	}
	list->requests[list->count] = *request;
	list->requests[list->count].position = list->count;
	list->count++;
}

void setting_list_done(struct setting_list *list)
{
	free(list->requests);
	*list = (struct setting_list){ 0 };
}

static enum setting_rank rank_of(const struct setting_request *request)
{
	const struct setting *setting = &settings[request->setting];

	if (setting->type == SETTING_CORE_POWER_SWITCH)
		return request->value.core_power.on ? setting->rank : setting->rank_off;
	if (setting->rank_off && !request->value.on && !request->goes_on_with_other)
		return setting->rank_off;
	return setting->rank;
}

static bool is_feature(const struct setting_request *request)
{
	return request->setting == SETTING_BASE_FREQ || request->setting == SETTING_TURBO_FREQ;
}

/* SST-BF and SST-TF of a domain are one change, in the order of the one that goes on. */
static void join_features(struct setting_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct setting_request *off = &list->requests[i];

		for (size_t j = 0; j < list->count && is_feature(off) && !off->value.on; j++) {
			const struct setting_request *on = &list->requests[j];

			if (is_feature(on) && on->domain == off->domain && on->value.on)
				off->goes_on_with_other = true;
		}
	}
}

static int compare_requests(const void *left_pointer, const void *right_pointer)
{
	const struct setting_request *left = left_pointer, *right = right_pointer;
	enum setting_rank left_rank = rank_of(left), right_rank = rank_of(right);

	if (left_rank != right_rank)
		return left_rank < right_rank ? -1 : 1;
	return left->position < right->position ? -1 : left->position > right->position;
}

/* Most commands list their requests in order, and a sort can take as much memory as the list. */
static bool is_in_order(const struct setting_list *list)
{
	for (size_t i = 1; i < list->count; i++) {
		if (compare_requests(&list->requests[i - 1], &list->requests[i]) > 0)
			return false;
	}
	return true;
}

/* A domain that turns out to have no SST-CP gets nothing that needs it. */
static void drop_requests(struct setting_list *list, size_t first,
			  const struct power_domain *domain)
{
	size_t kept = first;

	for (size_t i = first; i < list->count; i++) {
		if (list->requests[i].domain != domain)
			list->requests[kept++] = list->requests[i];
	}
	list->count = kept;
}

/* Plans requests that have the same function. After a change of the mode of intel_pstate, what the
 * kernel resets with it is written even if it has the value now, and undone after the mode is. */
static int plan_group(const struct setting_environment *environment,
		      struct setting_request *requests, size_t count)
{
	struct change_list *changes = environment->changes;
	bool is_reset = false, changes_mode = pstate_is_pending(environment->machine, changes);
	size_t first = changes->n_changes;
	int err;

	for (size_t i = 0; i < count && changes_mode; i++) {
		if (!settings[requests[i].setting].is_reset_by_pstate)
			continue;
		requests[i].always = true;
		is_reset = true;
	}
	err = (settings[requests->setting].plan ?: plan_each)(environment, requests, count);
	for (size_t i = first; i < changes->n_changes && is_reset; i++)
		changes->changes[i].is_undone_last = true;
	return err;
}

int settings_plan(struct setting_list *list, const struct setting_environment *environment)
{
	if (list->is_incomplete)
		return -ENOMEM;
	join_features(list);
	if (!is_in_order(list))
		qsort(list->requests, list->count, sizeof(*list->requests), compare_requests);
	for (size_t first = 0, end; first < list->count; first = end) {
		enum setting_id id = list->requests[first].setting;
		int err;

		for (end = first; end < list->count &&
				  settings[list->requests[end].setting].plan == settings[id].plan;
		     end++)
			continue;
		err = plan_group(environment, &list->requests[first], end - first);
		if (err)
			return err;
		for (size_t i = first; i < end && id == SETTING_CORE_POWER; i++) {
			if (list->requests[i].is_absent && list->requests[i].value.core_power.on)
				drop_requests(list, end, list->requests[i].domain);
		}
	}
	return 0;
}
