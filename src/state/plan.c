// SPDX-License-Identifier: GPL-2.0-only
/* Turns the differences from a state document into changes. Settings of one location that are
 * written together, such as both limits of a frequency, become one request. The table of settings
 * has the order of the others. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "settings/cgroup.h"
#include "settings/families.h"
#include "settings/hotplug.h"
#include "settings/sst.h"
#include "state/compare.h"

/* The order of the list: resets first, then by row and location. */
static int compare(const void *left_pointer, const void *right_pointer)
{
	const struct difference *left = left_pointer, *right = right_pointer;

	if (left->is_reset != right->is_reset)
		return left->is_reset ? -1 : 1;
	return number_compare(left->row, right->row) ?: number_compare(left->place, right->place);
}

/* Returns true if an earlier difference has the same location and group: its request sets both. */
static bool has_earlier(const struct comparison *comparison, const struct difference *difference)
{
	const struct difference *list = comparison->list;
	const struct state_row *rows = comparison->wanted->rows.list;
	const struct state_row *row = &rows[difference->row];

	if (!setting_get(row->setting)->group)
		return false;
	for (size_t i = 0; i < difference->row; i++) {
		const struct difference key = { .row = i, .place = difference->place };

		if (rows[i].clos == row->clos && rows[i].idle_state == row->idle_state &&
		    setting_group(rows[i].setting) == setting_group(row->setting) &&
		    bsearch(&key, list, (size_t)(difference - list), sizeof(key), compare))
			return true;
	}
	return false;
}

/* Adds the request for a difference. */
static void add_request(struct comparison *comparison, const struct difference *difference,
			struct setting_list *requests)
{
	const struct state_row *row = comparison_row(comparison, difference);
	const struct place *place = comparison_place(comparison, difference);
	const struct setting *setting = setting_get(row->setting);
	_cleanup_free_ char *text = NULL;
	struct setting_request request = {
		.setting = setting_group(row->setting),
		.domain = place->domain,
		.cpu = place->cpu,
		.uncore = place->uncore,
		.zone = place->zone,
		.always = difference->is_lost,
	};

	if (setting->file && setting_is_text(setting)) {
		text = state_value_format(&difference->wanted);
		request.value.text =
			text ? state_machine_keep(comparison->wanted->state, text) : NULL;
		if (!request.value.text)
			requests->is_incomplete = true;
	} else if (difference->wanted.kind == STATE_BOOLEAN) {
		request.value.on = difference->wanted.number;
	} else {
		request.value.number = difference->wanted.number;
	}
	if (setting->request)
		setting->request(&comparison->view, row, difference->place, &request, requests);
	else
		setting_list_add(requests, &request);
}

static bool is_of_stage(enum setting_id member, enum comparison_stage stage)
{
	bool is_first = setting_get(member)->rank <= SETTING_RANK_PSTATE;

	return stage & (is_first ? STAGE_CPUS : STAGE_SETTINGS);
}

/* Reports a request that has no change since it failed or its domain has no SST-CP. */
static void report_request(const struct wanted_state *wanted, const struct setting_request *request)
{
	const struct setting *setting = setting_get(request->setting);
	const struct platform *platform = wanted->state->platform;
	const char *what = request->failed ?: setting->what, *cause;
	_cleanup_free_ char *place = NULL;
	struct location location;

	if (!request->error && !request->is_absent)
		return;
	location = setting_location(request, wanted->state->machine);
	place = location_format_cpu(&location);
	if (!request->error) {
		report_add(wanted->report, REPORT_UNSUPPORTED, "%s: core-power is not supported",
			   place ?: "a power domain");
		return;
	}
	if (setting_is_machine_file(request->failed))
		cause = files_describe_unread(request->error);
	else if (setting_is_of_domains(setting))
		cause = platform_find_cause(platform, request->error).text;
	else
		cause = strerror(-request->error);
	report_add(wanted->report, report_kind_of(request->error), "%s%s%s: %s", place ?: "",
		   place && *place ? ": " : "", what, cause);
}

/* Plans the differences of a stage that have a rank from first to last. */
static int plan_ranks(struct comparison *comparison, enum comparison_stage stage,
		      enum setting_rank first, enum setting_rank last, struct change_list *changes)
{
	const struct wanted_state *wanted = comparison->wanted;
	const struct setting_environment environment = {
		.platform = wanted->state->platform,
		.machine = wanted->state->machine,
		.changes = changes,
	};
	_cleanup_setting_list_ struct setting_list requests = { 0 };
	int err;

	for (size_t i = 0; i < comparison->count; i++) {
		const struct difference *difference = &comparison->list[i];
		const struct state_row *row = comparison_row(comparison, difference);
		enum setting_rank rank = setting_get(row->setting)->rank;

		if (!difference->is_reset && is_of_stage(row->setting, stage) && rank >= first &&
		    rank <= last && !has_earlier(comparison, difference))
			add_request(comparison, difference, &requests);
	}
	/* the differences are many, and no longer needed */
	if (last == SETTING_RANK_LAST) {
		free(comparison->list);
		comparison->list = NULL;
	}
	err = settings_plan(&requests, &environment);
	for (size_t i = 0; i < requests.count && !err; i++) {
		const struct setting_request *request = &requests.requests[i];

		if (i == 0 || !setting_is_machine_file(request->failed) ||
		    !setting_is_machine_file(requests.requests[i - 1].failed))
			report_request(wanted, request);
	}
	return err;
}

/* Plans idle states last and separately, to need less memory: each CPU has several. */
static int plan_requests(struct comparison *comparison, enum comparison_stage stage,
			 struct change_list *changes)
{
	int err = plan_ranks(comparison, stage, SETTING_RANK_LEVEL, SETTING_RANK_IDLE_MACHINE,
			     changes);

	if (!err && stage & STAGE_SETTINGS)
		err = plan_ranks(comparison, stage, SETTING_RANK_IDLE_CPU, SETTING_RANK_LAST,
				 changes);
	return err;
}

/* Reports CPUs that cannot come online: second threads of cores while SMT is off. */
static int check_threads(const struct wanted_state *wanted)
{
	_cleanup_cpuset_ struct cpuset threads = { 0 };
	_cleanup_free_ char *list = NULL;

	if (topology_find_threads(&wanted->state->machine->topology, &threads))
		return -ENOMEM;
	cpuset_keep(&threads, &wanted->pending);
	if (cpuset_is_empty(&threads))
		return 0;
	list = cpuset_format_ranges(&threads);
	report_add(wanted->report, REPORT_REFUSED,
		   "%s: CPUs %s cannot come online, because SMT is off "
		   "(/sys/devices/system/cpu/smt/control)",
		   wanted->document->file, list ?: "?");
	return 0;
}

/* Splits the CPUs that come online: those that the present levels enable come online before the
 * level changes, the others after it. */
static int split_pending(const struct wanted_state *wanted, struct cpuset *before,
			 struct cpuset *after)
{
	const struct place_list *domains = &wanted->state->places[PLACE_DOMAIN];
	struct platform *platform = wanted->state->platform;

	if (cpuset_copy(before, &wanted->pending))
		return -ENOMEM;
	for (size_t i = 0; i < domains->count && !cpuset_is_empty(&wanted->pending); i++) {
		struct platform_level_query query = {
			.domain = domains->list[i].domain,
			.level = wanted->levels[i].pp.current_level,
			.pp_enabled = wanted->levels[i].pp.enabled,
		};
		int err;

		if (!wanted->levels[i].is_changed)
			continue;
		err = platform->ops->read_levels(platform, PLATFORM_CPUS, &query, 1);
		cpuset_foreach (cpu, &query.domain->cpus) {
			if (!err && cpuset_has(before, cpu) &&
			    (query.error || !cpuset_has(&query.info.enabled_cpus, cpu))) {
				cpuset_remove(before, cpu);
				err = cpuset_add(after, cpu);
			}
		}
		sst_level_done(&query.info);
		if (err)
			return err;
	}
	return 0;
}

/* Plans a control group for the isolated CPUs of each power domain, or of each die without Speed
 * Select. If none are isolated, the group is removed. */
static int plan_groups(const struct wanted_state *wanted, struct change_list *changes)
{
	const struct machine *machine = wanted->state->machine;
	const struct platform *platform = wanted->state->platform;
	_cleanup_(domains_done) struct domain_list dies = { 0 };
	const struct domain_list *domains = platform ? &platform->domains : &dies;
	const struct state_row *row = state_rows_find(&wanted->rows, online_row.setting, 0, NULL);
	int has_groups = cgroup_has_groups(machine->host->files);
	const char *problem = NULL;
	int err = 0;

	if (!row || (has_groups <= 0 && cpuset_is_empty(&wanted->isolated)))
		return 0;
	if (!cpuset_is_empty(&wanted->isolated))
		err = cgroup_check(machine->host->files, &problem);
	if (err && err != -ENOMEM) {
		report_add(wanted->report,
			   err == -ENOTSUP ? REPORT_UNSUPPORTED : report_kind_of(err), "%s: %s",
			   wanted->document->file, problem ?: strerror(-err));
		return 0;
	}
	if (!platform)
		err = domains_init(&machine->topology, false, &dies);
	for (size_t i = 0; i < domains->n_domains && !err; i++) {
		const struct location owner = domains_location(&domains->domains[i]);
		_cleanup_cpuset_ struct cpuset isolated = { 0 };

		err = cpuset_copy(&isolated, &wanted->isolated);
		cpuset_keep(&isolated, &domains->domains[i].cpus);
		if (!err)
			err = cgroup_plan_isolate(changes, machine, &owner, &isolated);
	}
	return err;
}

/* Plans turbo-ratio limits again after CPUs come online, since older kernels restore an earlier
 * write then. A limit that is named and differs is written with the other settings instead. A stage
 * that brings no CPU online needs nothing. */
static int plan_limits_again(const struct comparison *comparison, struct change_list *changes)
{
	const struct wanted_state *wanted = comparison->wanted;
	_cleanup_cpuset_ struct cpuset named = { 0 };

	for (size_t i = 0; i < comparison->count; i++) {
		const struct difference *difference = &comparison->list[i];
		enum setting_id id = comparison_row(comparison, difference)->setting;

		if (setting_get(id)->type == SETTING_TYPE_RATIOS && !difference->is_reset &&
		    cpuset_add(&named, comparison_place(comparison, difference)->package))
			return -ENOMEM;
	}
	if (!wanted->state->platform || cpuset_is_empty(&wanted->pending))
		return 0;
	return sst_plan_trl_again(&(struct setting_environment){ wanted->state->platform,
								 wanted->state->machine, changes },
				  &named);
}

static int plan_offline(const struct wanted_state *wanted, struct change_list *changes)
{
	const struct machine *machine = wanted->state->machine;
	_cleanup_cpuset_ struct cpuset leaving = { 0 }, kept = { 0 };
	int err = cpuset_copy(&leaving, &machine->topology.online);

	cpuset_remove_all(&leaving, &wanted->online);
	if (!err)
		err = plan_groups(wanted, changes);
	if (!err)
		err = hotplug_plan_offline(changes, machine, &leaving, &kept);
	if (!err && !cpuset_is_empty(&kept)) {
		_cleanup_free_ char *list = cpuset_format_ranges(&kept);

		report_add(wanted->report, REPORT_REFUSED, "%s: CPUs %s cannot go offline",
			   wanted->document->file, list ?: "?");
	}
	return err;
}

bool comparison_needs_stages(const struct comparison *comparison)
{
	const struct wanted_state *wanted = comparison->wanted;

	for (size_t i = 0; i < comparison->count; i++) {
		enum setting_id id = comparison_row(comparison, &comparison->list[i])->setting;

		if (setting_get(id)->rank == SETTING_RANK_PSTATE)
			return true;
	}
	return !cpuset_is_empty(&wanted->pending);
}

int comparison_plan(struct comparison *comparison, enum comparison_stage stage,
		    struct change_list *changes)
{
	struct wanted_state *wanted = comparison->wanted;
	const struct machine *machine = wanted->state->machine;
	_cleanup_cpuset_ struct cpuset before = { 0 }, after = { 0 };
	int err = split_pending(wanted, &before, &after);

	if (!err)
		err = check_threads(wanted);
	if (!err && stage & STAGE_CPUS)
		err = hotplug_plan_online(changes, machine, &before);
	if (!err && stage & STAGE_CPUS)
		err = plan_requests(comparison, STAGE_CPUS, changes);
	if (!err && stage & STAGE_CPUS)
		err = hotplug_plan_online(changes, machine, &after);
	if (!err && stage & STAGE_CPUS)
		err = plan_limits_again(comparison, changes);
	if (!err && stage & STAGE_SETTINGS)
		err = plan_requests(comparison, STAGE_SETTINGS, changes);
	if (!err && stage & STAGE_SETTINGS)
		err = plan_offline(wanted, changes);
	return err;
}
