// SPDX-License-Identifier: GPL-2.0-only
/* The settings "online" and "offline-by": which CPUs are online, and how others go offline. */
#include <errno.h>
#include <string.h>

#include "settings/cgroup.h"
#include "settings/families.h"
#include "settings/hotplug.h"

/* Reads once which CPUs this program's groups isolate. */
static int read_isolated(struct state_machine *state)
{
	if (!state->has_isolated)
		state->isolated_error =
			cgroup_read_isolated(state->machine->host->files, &state->isolated);
	state->has_isolated = true;
	return state->isolated_error;
}

/* A CPU that a group of this program isolates counts as offline. */
static int read_cpu(const struct setting_reading *at, struct state_value *value)
{
	struct state_machine *state = at->state;
	uint32_t cpu = at->place->cpu;
	int err = read_isolated(state);
	bool is_isolated = cpuset_has(&state->isolated, cpu);

	if (at->row->setting == SETTING_ONLINE)
		*value =
			value_of(STATE_BOOLEAN,
				 cpuset_has(&state->machine->topology.online, cpu) && !is_isolated);
	else
		*value = err ? value_of_error(err)
			     : value_of_word(is_isolated ? "cgroup" : "hotplug");
	return err == -ENOMEM ? err : 0;
}

int online_find(const struct state_machine *state, const struct state_rows *wanted,
		struct cpuset *online, struct cpuset *pending, struct cpuset *isolated)
{
	const struct topology *topology = &state->machine->topology;
	const struct place_list *cpus = &state->places[PLACE_CPU];
	const struct state_row *row = state_rows_find(wanted, SETTING_ONLINE, 0, NULL);
	const struct state_row *how = state_rows_find(wanted, SETTING_OFFLINE_BY, 0, NULL);

	if (cpuset_copy(online, &topology->online))
		return -ENOMEM;
	for (size_t i = 0; row && i < cpus->count; i++) {
		uint32_t cpu = cpus->list[i].cpu;
		bool is_isolated = how && value_is_word(&how->values[i], "cgroup");

		if (row->values[i].kind != STATE_BOOLEAN)
			continue;
		/* an isolated CPU stays online for the kernel */
		if (row->values[i].number || is_isolated) {
			if (cpuset_add(online, cpu))
				return -ENOMEM;
		} else {
			cpuset_remove(online, cpu);
		}
		if (!row->values[i].number && is_isolated && cpuset_add(isolated, cpu))
			return -ENOMEM;
	}
	if (cpuset_copy(pending, online))
		return -ENOMEM;
	cpuset_remove_all(pending, &topology->online);
	return 0;
}

/* For a CPU that is online after apply, "offline-by" does not matter. */
static bool match_way(const struct setting_view *view, const struct state_row *row, size_t place,
		      const struct state_value *is)
{
	const struct state_value online = view_expect(view, SETTING_ONLINE, 0, place);

	(void)row;
	(void)is;
	return online.kind != STATE_BOOLEAN || online.number;
}

/* CPU 0 often cannot go offline. */
static void check_offline(const struct setting_view *view)
{
	const struct topology *topology = &view->state->machine->topology;

	if (cpuset_has(&topology->online, 0) && !cpuset_has(view->online, 0) &&
	    hotplug_has_file(view->state->machine, 0) == 0)
		report_add(view->report, view->is_planned ? REPORT_REFUSED : REPORT_NOTE,
			   "%s: CPU 0 cannot go offline on this machine; set \"offline-by\": "
			   "\"cgroup\" beside \"online\": false for it",
			   view->file);
}

static const char *const online_words[] = { "follow-level", NULL };
static const char *const offline_words[] = { "hotplug", "cgroup", NULL };

static const char *const offline_parts[] = { SETTING_PART_CONTROLLERS, SETTING_PART_GROUP,
					     SETTING_PART_CPUS, SETTING_PART_PARTITION, NULL };

static const enum setting_id level[] = { SETTING_LEVEL, N_SETTINGS };

#define ROW(id) [(id)-SETTING_ONLINE]

const struct setting online_settings[] = {
	ROW(SETTING_ONLINE) = { "online", NULL, PLACE_CPU, SETTING_TYPE_BOOLEAN, SETTING_RANK_NONE,
				.words = online_words, .flags = SETTING_ON_DOMAINS,
				.about =
					"CPUs online; of power domains: those that the level enables",
				.reset = "\"follow-level\"", .read = read_cpu,
				.check = check_offline, .level_part = PLATFORM_CPUS,
				.exported_by = level },
	ROW(SETTING_OFFLINE_BY) = { "offline-by", NULL, PLACE_CPU, SETTING_TYPE_WORD,
				    SETTING_RANK_NONE, .words = offline_words,
				    .about = "how CPUs beside \"online\" go offline",
				    .parts = offline_parts, .read = read_cpu, .match = match_way },
};

const struct state_row online_row = { .setting = SETTING_ONLINE };
const struct state_row offline_by_row = { .setting = SETTING_OFFLINE_BY };
