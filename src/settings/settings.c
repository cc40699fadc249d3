// SPDX-License-Identifier: GPL-2.0-only
/* The table of settings, and the order in which requests for them become changes. */
#include "settings/settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/cpufreq.h"
#include "host/cpuidle.h"
#include "settings/file_change.h"
#include "settings/scaling.h"
#include "settings/uncore.h"

enum { NUMBER_SIZE = 24 };

/* SST-BF and SST-TF; SST-BF where BIOS sets it is a matter of frequency limits. */
static int plan_feature(const struct setting_environment *environment,
			struct setting_request *requests, size_t count)
{
	if (!environment->platform->is_clx_n)
		return sst_plan_feature(environment, requests, count);
	for (size_t i = 0; i < count; i++) {
		int err = scaling_plan_base_freq(environment->changes, environment->machine,
						 &requests[i].domain->cpus, requests[i].value.on);

		if (err == -ENOMEM)
			return err;
		requests[i].error = err;
		requests[i].failed = "frequency limits";
	}
	return 0;
}

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

void setting_write_path(const struct setting_request *request, char path[FILES_CPU_PATH_SIZE])
{
	const struct setting *setting = setting_get(request->setting);

	if (setting->scope == SETTING_OF_CPU)
		files_format_cpu_path(path, request->cpu, "%s", setting->file);
	else if (setting->scope == SETTING_OF_UNCORE)
		snprintf(path, FILES_CPU_PATH_SIZE, "%s/%s", request->uncore->path, setting->file);
	else
		snprintf(path, FILES_CPU_PATH_SIZE, FILES_CPUS "/%s", setting->file);
}

/* What the file of a request holds, if it was read before; or NULL. */
static const char *find_old_text(const struct setting_request *request)
{
	if (!request->policy)
		return NULL;
	switch (request->setting) {
	case SETTING_GOVERNOR:
		return request->policy->governor;
	case SETTING_EPP:
		return request->policy->epp;
	case SETTING_EPB:
		return request->policy->epb;
	default:
		return NULL;
	}
}

static int plan_file(const struct setting_environment *environment,
		     const struct setting_request *request)
{
	const struct setting *setting = setting_get(request->setting);
	char path[FILES_CPU_PATH_SIZE], number[NUMBER_SIZE];
	struct file_change change = {
		.location = { .package = LOCATION_NO_PACKAGE, .cpu = LOCATION_NO_CPU },
		.path = path,
		.what = setting->what,
		.text = format_value(request, number),
		.content = setting->type == SETTING_TEXT ? FILE_TEXT : FILE_NUMBER,
		.old_text = find_old_text(request),
		.always = request->always,
	};

	if (request->setting == SETTING_EPP) {
		change.other_text = cpufreq_find_epp_name(change.text);
		if (strcmp(change.text, "default") == 0)
			change.content = FILE_ANY;
	}
	setting_write_path(request, path);
	if (setting->scope == SETTING_OF_CPU)
		change.location = location_of_cpu(environment->machine, request->cpu);
	else if (setting->scope == SETTING_OF_UNCORE)
		change.location = uncore_location(request->uncore);
	if (setting->is_online_only &&
	    cpuset_has(&environment->machine->topology.coming, request->cpu))
		return file_change_add_coming(environment->changes, &change);
	return file_change_add(environment->changes, environment->machine->host->files, &change);
}

/* Plans settings that are the value of one kernel file each. */
static int plan_files(const struct setting_environment *environment,
		      struct setting_request *requests, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		requests[i].error = plan_file(environment, &requests[i]);
		if (requests[i].error == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

/* Turbo is switched by intel_pstate or, with other drivers, by boost. */
static int plan_turbo(const struct setting_environment *environment,
		      struct setting_request *requests, size_t count)
{
	struct files *files = environment->machine->host->files;

	for (size_t i = 0; i < count; i++) {
		struct file_change change = {
			.location = { .package = LOCATION_NO_PACKAGE, .cpu = LOCATION_NO_CPU },
			.path = CPUFREQ_NO_TURBO,
			.what = "no_turbo",
			.text = requests[i].value.on ? "0" : "1",
			.content = FILE_NUMBER,
		};
		int err = file_change_add(environment->changes, files, &change);

		if (err == -ENOENT) {
			change.path = CPUFREQ_BOOST;
			change.what = "boost";
			change.text = requests[i].value.on ? "1" : "0";
			err = file_change_add(environment->changes, files, &change);
		}
		if (err == -ENOMEM)
			return err;
		requests[i].error = err;
		requests[i].failed = change.what;
	}
	return 0;
}

/* Adds a change of one limit of a CPU that is still to come online. */
static int add_coming_limit(const struct setting_environment *environment, uint32_t cpu,
			    const char *name, const char *file, uint32_t khz)
{
	char path[FILES_CPU_PATH_SIZE], number[NUMBER_SIZE];

	snprintf(number, sizeof(number), "%" PRIu32, khz);
	files_format_cpu_path(path, cpu, "cpufreq/%s", name);
	return file_change_add_coming(environment->changes,
				      &(struct file_change){
					      .location =
						      location_of_cpu(environment->machine, cpu),
					      .path = path,
					      .what = name,
					      .text = file ?: number,
				      });
}

static int plan_coming_limits(const struct setting_environment *environment,
			      const struct setting_request *request)
{
	uint32_t min_khz = request->value.range.min_khz, max_khz = request->value.range.max_khz;
	const char *min_file = request->value.range.min_file;
	const char *max_file = request->value.range.max_file;
	int err = 0;

	if (max_file || max_khz != UINT32_MAX)
		err = add_coming_limit(environment, request->cpu, "scaling_max_freq", max_file,
				       max_khz);
	if (err || (!min_file && !min_khz))
		return err;
	return add_coming_limit(environment, request->cpu, "scaling_min_freq", min_file, min_khz);
}

/* Limits that are values of other files of the CPU, which are read now. */
static int plan_limits_of_files(const struct setting_environment *environment,
				struct setting_request *request, const struct scaling_turbo *turbo)
{
	struct change_list *changes = environment->changes;
	const struct machine *machine = environment->machine;
	int err = 0;

	if (request->value.range.raises)
		return scaling_plan_raise(changes, machine, request->cpu,
					  request->value.range.base_khz, turbo);
	request->failed = request->value.range.max_file ?: request->value.range.min_file;
	if (request->value.range.max_file)
		err = scaling_plan_max_as(changes, machine, request->cpu,
					  request->value.range.max_file);
	if (!err && request->value.range.min_file)
		err = scaling_plan_min_as(changes, machine, request->cpu,
					  request->value.range.min_file);
	return err;
}

static int plan_limits(const struct setting_environment *environment,
		       struct setting_request *request, const struct scaling_turbo *turbo)
{
	const struct topology *topology = &environment->machine->topology;
	const struct scaling_range wanted = { request->value.range.min_khz,
					      request->value.range.max_khz };
	struct scaling_range old;

	if (!request->policy)
		return plan_limits_of_files(environment, request, turbo);
	if (cpuset_has(&topology->coming, request->cpu))
		return plan_coming_limits(environment, request);
	old = (struct scaling_range){ request->policy->min_khz, request->policy->max_khz };
	return scaling_plan_change(environment->changes, environment->machine, request->cpu, &old,
				   &wanted);
}

/* A CPU that is still to come online gets its files then. Without cpufreq there is nothing to set;
 * a CPU without the files that others have is an error. */
static bool may_lack_files(const struct setting_environment *environment,
			   const struct setting_request *request, bool is_cpufreq_missing)
{
	return request->is_optional &&
	       (is_cpufreq_missing ||
		cpuset_has(&environment->machine->topology.coming, request->cpu));
}

static int plan_frequency_limits(const struct setting_environment *environment,
				 struct setting_request *requests, size_t count)
{
	bool is_cpufreq_missing = false, is_cpufreq_known = false;
	struct scaling_turbo turbo = { 0 };

	if (requests[0].value.range.raises)
		turbo = scaling_read_turbo(environment->machine->host->files);
	for (size_t i = 0; i < count; i++) {
		int err = plan_limits(environment, &requests[i], &turbo);

		if (err == -ENOMEM)
			return err;
		if (err == -ENOENT && requests[i].is_optional && !is_cpufreq_known) {
			is_cpufreq_missing = !scaling_is_available(environment->machine);
			is_cpufreq_known = true;
		}
		if (err == -ENOENT && may_lack_files(environment, &requests[i], is_cpufreq_missing))
			err = 0;
		requests[i].error = err;
	}
	return 0;
}

/* Whether each state may be used, as it was just read. */
static int plan_idle_states(const struct setting_environment *environment,
			    struct setting_request *requests, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct cpuidle_state *state = requests[i].idle_state;
		_cleanup_free_ char *what = NULL;
		char path[FILES_CPU_PATH_SIZE];
		int err;

		if (requests[i].value.on == !state->disabled)
			continue;
		if (asprintf(&what, "disable of %s", state->name) < 0) {
			what = NULL;
			return -ENOMEM;
		}
		files_format_cpu_path(path, requests[i].cpu, "cpuidle/state%" PRIu32 "/disable",
				      state->number);
		err = file_change_add(
			environment->changes, NULL,
			&(struct file_change){
				.location = location_of_cpu(environment->machine, requests[i].cpu),
				.path = path,
				.what = what,
				.text = requests[i].value.on ? "0" : "1",
				.old_text = state->disabled ? "1" : "0",
				.content = FILE_NUMBER,
			});
		if (err)
			return err;
	}
	return 0;
}

static int plan_uncore_limits(const struct setting_environment *environment,
			      struct setting_request *requests, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct location location = uncore_location(requests[i].uncore);
		int err = uncore_plan_limits(environment->changes, &location, requests[i].uncore,
					     requests[i].value.range.min_khz,
					     requests[i].value.range.max_khz);

		if (err)
			return err;
	}
	return 0;
}

static const struct setting settings[N_SETTINGS] = {
	[SETTING_LEVEL] = { .name = "perf-profile.level",
			    .what = "performance level",
			    .scope = SETTING_OF_DOMAIN,
			    .type = SETTING_NUMBER,
			    .rank = SETTING_RANK_LEVEL,
			    .plan = sst_plan_level },
	[SETTING_BASE_FREQ] = { .name = "base-freq.enabled",
				.what = "base-freq",
				.scope = SETTING_OF_DOMAIN,
				.type = SETTING_BOOLEAN,
				.rank = SETTING_RANK_FEATURES_ON,
				.rank_off = SETTING_RANK_FEATURES_OFF,
				.plan = plan_feature },
	[SETTING_TURBO_FREQ] = { .name = "turbo-freq.enabled",
				 .what = "turbo-freq",
				 .scope = SETTING_OF_DOMAIN,
				 .type = SETTING_BOOLEAN,
				 .rank = SETTING_RANK_FEATURES_ON,
				 .rank_off = SETTING_RANK_FEATURES_OFF,
				 .plan = plan_feature },
	[SETTING_CORE_POWER] = { .name = "core-power.enabled",
				 .what = "core-power status",
				 .scope = SETTING_OF_DOMAIN,
				 .type = SETTING_CORE_POWER_SWITCH,
				 .rank = SETTING_RANK_CORE_POWER_ON,
				 .rank_off = SETTING_RANK_CORE_POWER_OFF,
				 .plan = sst_plan_core_power },
	[SETTING_CLOS] = { .name = "core-power.clos",
			   .what = "parameters of the CLOS",
			   .scope = SETTING_OF_DOMAIN,
			   .type = SETTING_CLOS_PARAMETERS,
			   .rank = SETTING_RANK_CLOS,
			   .plan = sst_plan_clos },
	[SETTING_ASSOC] = { .name = "core-power.assoc",
			    .what = "association to a CLOS",
			    .scope = SETTING_OF_CPU,
			    .type = SETTING_NUMBER,
			    .rank = SETTING_RANK_ASSOC,
			    .plan = sst_plan_assoc },
	[SETTING_TRL] = { .name = "turbo-mode.trl",
			  .what = "turbo-ratio limits",
			  .scope = SETTING_OF_DOMAIN,
			  .type = SETTING_RATIOS,
			  .rank = SETTING_RANK_TRL,
			  .plan = sst_plan_trl },
	[SETTING_UNCORE_LIMITS] = { .name = "uncore.limits",
				    .what = "limits of the uncore frequency",
				    .scope = SETTING_OF_UNCORE,
				    .type = SETTING_RANGE,
				    .rank = SETTING_RANK_UNCORE,
				    .plan = plan_uncore_limits },
	[SETTING_ELC_FLOOR] = { .name = "uncore.elc-floor-mhz",
				.what = UNCORE_ELC_FLOOR,
				.scope = SETTING_OF_UNCORE,
				.type = SETTING_NUMBER,
				.rank = SETTING_RANK_UNCORE,
				.plan = plan_files,
				.file = UNCORE_ELC_FLOOR },
	[SETTING_ELC_LOW_THRESHOLD] = { .name = "uncore.elc-low-threshold",
					.what = UNCORE_ELC_LOW_THRESHOLD,
					.scope = SETTING_OF_UNCORE,
					.type = SETTING_NUMBER,
					.rank = SETTING_RANK_UNCORE,
					.plan = plan_files,
					.file = UNCORE_ELC_LOW_THRESHOLD },
	[SETTING_ELC_HIGH_THRESHOLD] = { .name = "uncore.elc-high-threshold",
					 .what = UNCORE_ELC_HIGH_THRESHOLD,
					 .scope = SETTING_OF_UNCORE,
					 .type = SETTING_NUMBER,
					 .rank = SETTING_RANK_UNCORE,
					 .plan = plan_files,
					 .file = UNCORE_ELC_HIGH_THRESHOLD },
	[SETTING_ELC_HIGH_ENABLE] = { .name = "uncore.elc-high",
				      .what = UNCORE_ELC_HIGH_ENABLE,
				      .scope = SETTING_OF_UNCORE,
				      .type = SETTING_BOOLEAN,
				      .rank = SETTING_RANK_UNCORE,
				      .plan = plan_files,
				      .file = UNCORE_ELC_HIGH_ENABLE },
	[SETTING_TURBO] = { .name = "cpufreq.turbo",
			    .what = "turbo",
			    .scope = SETTING_OF_MACHINE,
			    .type = SETTING_BOOLEAN,
			    .rank = SETTING_RANK_TURBO,
			    .plan = plan_turbo },
	[SETTING_GOVERNOR] = { .name = "cpufreq.governor",
			       .what = "scaling_governor",
			       .scope = SETTING_OF_CPU,
			       .type = SETTING_TEXT,
			       .rank = SETTING_RANK_GOVERNOR,
			       .plan = plan_files,
			       .file = "cpufreq/scaling_governor",
			       .is_online_only = true },
	[SETTING_EPP] = { .name = "cpufreq.epp",
			  .what = "energy_performance_preference",
			  .scope = SETTING_OF_CPU,
			  .type = SETTING_TEXT,
			  .rank = SETTING_RANK_EPP,
			  .plan = plan_files,
			  .file = "cpufreq/energy_performance_preference",
			  .is_online_only = true },
	[SETTING_EPB] = { .name = "cpufreq.epb",
			  .what = "energy_perf_bias",
			  .scope = SETTING_OF_CPU,
			  .type = SETTING_NUMBER,
			  .rank = SETTING_RANK_EPB,
			  .plan = plan_files,
			  .file = "power/energy_perf_bias",
			  .is_online_only = true },
	[SETTING_FREQUENCY_LIMITS] = { .name = "cpufreq.limits",
				       .what = "limits of cpufreq",
				       .scope = SETTING_OF_CPU,
				       .type = SETTING_RANGE,
				       .rank = SETTING_RANK_FREQUENCY_LIMITS,
				       .plan = plan_frequency_limits },
	[SETTING_IDLE_GOVERNOR] = { .name = "cpuidle.governor",
				    .what = "current_governor",
				    .scope = SETTING_OF_MACHINE,
				    .type = SETTING_TEXT,
				    .rank = SETTING_RANK_IDLE_MACHINE,
				    .plan = plan_files,
				    .file = "cpuidle/current_governor" },
	[SETTING_IDLE_C02] = { .name = "cpuidle.c02",
			       .what = "enable_c02",
			       .scope = SETTING_OF_MACHINE,
			       .type = SETTING_BOOLEAN,
			       .rank = SETTING_RANK_IDLE_MACHINE,
			       .plan = plan_files,
			       .file = "umwait_control/enable_c02" },
	[SETTING_UMWAIT_MAX_TIME] = { .name = "cpuidle.umwait-max-time",
				      .what = "max_time",
				      .scope = SETTING_OF_MACHINE,
				      .type = SETTING_NUMBER,
				      .rank = SETTING_RANK_IDLE_MACHINE,
				      .plan = plan_files,
				      .file = "umwait_control/max_time" },
	[SETTING_IDLE_STATE] = { .name = "cpuidle.states",
				 .what = "idle state",
				 .scope = SETTING_OF_CPU,
				 .type = SETTING_BOOLEAN,
				 .rank = SETTING_RANK_IDLE_CPU,
				 .plan = plan_idle_states },
	[SETTING_QOS_LATENCY] = { .name = "cpuidle.qos-latency-us",
				  .what = "pm_qos_resume_latency_us",
				  .scope = SETTING_OF_CPU,
				  .type = SETTING_TEXT,
				  .rank = SETTING_RANK_IDLE_CPU,
				  .plan = plan_files,
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
	if (setting->rank_off && !request->value.on)
		return setting->rank_off;
	return setting->rank;
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

int settings_plan(struct setting_list *list, const struct setting_environment *environment)
{
	if (list->is_incomplete)
		return -ENOMEM;
	if (!is_in_order(list))
		qsort(list->requests, list->count, sizeof(*list->requests), compare_requests);
	for (size_t first = 0, end; first < list->count; first = end) {
		enum setting_id id = list->requests[first].setting;
		int err;

		for (end = first; end < list->count && list->requests[end].setting == id; end++)
			continue;
		err = settings[id].plan(environment, &list->requests[first], end - first);
		if (err)
			return err;
		for (size_t i = first; i < end && id == SETTING_CORE_POWER; i++) {
			if (list->requests[i].is_absent && list->requests[i].value.core_power.on)
				drop_requests(list, end, list->requests[i].domain);
		}
	}
	return 0;
}
