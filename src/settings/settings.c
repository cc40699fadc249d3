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
#include "base/number.h"
#include "host/powercap.h"
#include "settings/families.h"
#include "settings/file_change.h"
#include "settings/pstate.h"

enum { NUMBER_SIZE = 24 };

static const struct location of_machine = {
	.package = LOCATION_NO_PACKAGE,
	.cpu = LOCATION_NO_CPU,
};

/* Formats the value as it is written to a file. */
static const char *format_value(const struct setting_request *request, char number[NUMBER_SIZE])
{
	const struct setting *setting = setting_get(request->setting);

	if (setting->type == SETTING_TYPE_BOOLEAN)
		return request->value.on ? "1" : "0";
	if (setting_is_text(setting))
		return request->value.text;
	snprintf(number, NUMBER_SIZE, "%" PRIu64, request->value.number);
	return number;
}

struct file_path setting_path(const struct setting_request *request)
{
	const struct setting *setting = setting_get(request->setting);
	bool is_uncore = setting->place == PLACE_UNCORE;
	struct file_path path;

	if (setting->place >= PLACE_CORE)
		return files_cpu_path(request->cpu, "%s", setting->file);
	snprintf(path.text, sizeof(path.text), "%s/%s",
		 is_uncore ? request->uncore->path : FILES_CPUS, setting->file);
	return path;
}

struct location setting_location(const struct setting_request *request,
				 const struct machine *machine)
{
	if (setting_is_machine_file(request->failed))
		return of_machine;
	switch (setting_get(request->setting)->place) {
	case PLACE_MACHINE:
		return of_machine;
	case PLACE_PACKAGE:
	case PLACE_DOMAIN:
		return domains_location(request->domain);
	case PLACE_UNCORE:
		return uncore_location(request->uncore);
	case PLACE_ZONE:
		return power_zone_location(request->zone);
	default:
		return location_of_cpu(machine, request->cpu);
	}
}

int setting_add_file(const struct setting_environment *environment,
		     const struct setting_request *request, struct change change)
{
	struct change_list *changes = environment->changes;
	struct files *files = environment->machine->host->files;
	const struct change *mode;
	struct change_undo undo;
	int err;

	err = file_change_add(changes, files, change, request->always);
	mode = err == -ENOENT && request->always ? pstate_find_change(changes) : NULL;
	if (!mode)
		return err;
	undo = (struct change_undo){ .target = mode->target, .value = mode->old_value };
	change.undo = &undo;
	change.n_undo = 1;
	return change_list_add(changes, &change);
}

int setting_plan_file(const struct setting_environment *environment,
		      const struct setting_request *request, enum file_content content,
		      const struct change *known)
{
	const struct setting *setting = setting_get(request->setting);
	const struct file_path path = setting_path(request);
	_cleanup_free_ char *selector =
		request->uncore ? uncore_format_selector(request->uncore) : NULL;
	char number[NUMBER_SIZE];
	struct change change = *known;

	change.location = setting_location(request, environment->machine);
	change.what = setting->what;
	change.subject = subject_of(request->setting);
	if (setting->flags & SETTING_ONLINE_ONLY &&
	    cpuset_has(&environment->machine->topology.pending, request->cpu))
		return change_list_add(environment->changes,
				       &(struct change){
					       .location = change.location,
					       .what = change.what,
					       .subject = change.subject,
					       .target = file_target(path.text, FILE_ANY),
					       .new_text = format_value(request, number),
				       });
	change.selector = selector;
	change.target = file_target(path.text, content);
	change.value.text = format_value(request, number);
	return setting_add_file(environment, request, change);
}

/* Plans a setting that is the value of one kernel file. */
static int plan_file(const struct setting_environment *environment, struct setting_request *request)
{
	return setting_plan_file(environment, request,
				 setting_is_text(setting_get(request->setting)) ? FILE_TEXT
										: FILE_NUMBER,
				 &(struct change){ 0 });
}

int settings_plan_each(const struct setting_environment *environment,
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

const char *place_kind_scope(enum place_kind kind)
{
	static const char *const scopes[N_PLACE_KINDS] = {
		[PLACE_MACHINE] = "the whole machine",
		[PLACE_PACKAGE] = "each package",
		[PLACE_DOMAIN] = "each power domain",
		[PLACE_UNCORE] = "each uncore",
		[PLACE_ZONE] = "each package, or each die with limits of its own",
		[PLACE_CORE] = "each core",
		[PLACE_POLICY] = "each cpufreq policy",
		[PLACE_CPU] = "each CPU",
	};

	return scopes[kind];
}

const struct setting *setting_get(enum setting_id id)
{
	static const struct {
		enum setting_id first;
		const struct setting *rows;
	} families[] = {
		{ 0, sst_settings },
		{ SETTING_ONLINE, online_settings },
		{ SETTING_CPUFREQ_MIN, cpufreq_settings },
		{ SETTING_IDLE_STATE, cpuidle_settings },
		{ SETTING_UNCORE_MIN, uncore_settings },
		{ SETTING_PL1, power_settings },
	};
	size_t family = ARRAY_SIZE(families) - 1;

	while (families[family].first > id)
		family--;
	return &families[family].rows[id - families[family].first];
}

enum setting_id setting_group(enum setting_id id)
{
	return setting_get(id)->group ?: id;
}

bool setting_is_named(enum setting_id id, const char *name)
{
	const char *path = setting_get(id)->path;
	size_t length = strlen(name);

	return length && strncmp(name, path, length) == 0 &&
	       (path[length] == '\0' || path[length] == '.');
}

bool setting_resets(enum setting_id id, enum setting_id other)
{
	unsigned int flags = setting_get(other)->flags;

	return (id == SETTING_PSTATE && flags & SETTING_RESET_BY_PSTATE) ||
	       (id == SETTING_LEVEL && flags & (SETTING_RESET_BY_LEVEL | SETTING_MOVED_BY_LEVEL)) ||
	       (id == SETTING_GOVERNOR && other == SETTING_EPP);
}

enum setting_id setting_find(const char *name)
{
	enum setting_id id = 0;

	while (id < N_SETTINGS && !setting_is_named(id, name))
		id++;
	return id;
}

const char *setting_find_unknown(const char *const *only)
{
	while (only && *only && setting_find(*only) < N_SETTINGS)
		only++;
	return only ? *only : NULL;
}

void setting_list_add(struct setting_list *list, const struct setting_request *request)
{
	if (request->setting >= N_SETTINGS) {
		list->is_incomplete = true;
		return;
	}
	if (list->count == list->size) {
		size_t size = list->size + list->size / 8 + 16;
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
	list->requests[list->count].position = (uint32_t)list->count;
	list->count++;
}

void setting_list_done(struct setting_list *list)
{
	free(list->requests);
	*list = (struct setting_list){ 0 };
}

static enum setting_rank rank_of(const struct setting_request *request)
{
	const struct setting *setting = setting_get(request->setting);

	if (request->setting == SETTING_CORE_POWER)
		return request->value.core_power.on ? setting->rank : setting->rank_off;
	if (request->is_raised)
		return SETTING_RANK_POWER_UP;
	if (setting->rank_off && !request->value.on && !request->goes_on_with_other)
		return setting->rank_off;
	return setting->rank;
}

static bool is_feature(const struct setting_request *request)
{
	return request->setting == SETTING_BASE_FREQ || request->setting == SETTING_TURBO_FREQ;
}

/* SST-BF and SST-TF of a domain are one change. If one is switched on, its rank gives the order. */
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

	return number_compare(rank_of(left), rank_of(right))
		       ?: number_compare(left->position, right->position);
}

/* Avoids a sort, which can need as much memory as the list: most lists are in order. */
static bool is_in_order(const struct setting_list *list)
{
	for (size_t i = 1; i < list->count; i++) {
		if (compare_requests(&list->requests[i - 1], &list->requests[i]) > 0)
			return false;
	}
	return true;
}

/* Drops the requests of a domain from first on: it lacks SST-CP, which they need. */
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

/* Plans requests that have the same function. A change of the mode of intel_pstate makes the kernel
 * reset settings. These are written even if they have the value now, and undone after the mode. */
static int plan_group(const struct setting_environment *environment,
		      struct setting_request *requests, size_t count)
{
	struct change_list *changes = environment->changes;
	bool is_reset = false, changes_mode = pstate_is_pending(environment->machine, changes);
	size_t first = changes->n_changes;
	int err;

	for (size_t i = 0; i < count && changes_mode; i++) {
		if (!(setting_get(requests[i].setting)->flags & SETTING_RESET_BY_PSTATE))
			continue;
		requests[i].always = true;
		is_reset = true;
	}
	err = (setting_get(requests->setting)->plan ?: settings_plan_each)(environment, requests,
									   count);
	for (size_t i = first; i < changes->n_changes && is_reset; i++)
		changes->changes[i].undo_turn = CHANGE_UNDONE_AFTER;
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

		for (end = first;
		     end < list->count &&
		     setting_get(list->requests[end].setting)->plan == setting_get(id)->plan;
		     end++)
			;
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
