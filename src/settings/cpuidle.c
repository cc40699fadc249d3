// SPDX-License-Identifier: GPL-2.0-only
/* The settings of idle states (sysfs.md, "cpuidle"). */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "settings/families.h"
#include "settings/file_change.h"

/* Plans whether a CPU may use an idle state; request->is_disabled was just read. */
static int plan_idle_state(const struct setting_environment *environment,
			   struct setting_request *request)
{
	const struct cpuidle_state *state = request->idle_state;
	_cleanup_free_ char *what = text_format("disable of %s", state->name);
	const struct file_path path =
		files_cpu_path(request->cpu, "cpuidle/state%" PRIu32 "/disable", state->number);

	if (!what)
		return -ENOMEM;
	return setting_add_file(environment, request,
				(struct change){
					.location =
						location_of_cpu(environment->machine, request->cpu),
					.what = what,
					.subject = subject_of_part(SETTING_IDLE_STATE, state->name),
					.target = file_target(path.text, FILE_NUMBER),
					.value = { .text = request->value.on ? "0" : "1" },
					.old_value = { .text = request->is_disabled ? "1" : "0" },
					.has_old_value = true,
				});
}

int state_read_idle(struct state_machine *state)
{
	uint32_t cpu = cpuset_next(&state->machine->topology.online, 0);

	if (!state->has_idle)
		state->idle_error =
			cpuidle_read_names(state->machine->host->files, cpu, &state->idle);
	state->has_idle = true;
	return state->idle_error;
}

/* Reads whether a CPU may use the idle states of a name; several can have the same name. */
static int read_idle_state(const struct setting_reading *at, struct state_value *value)
{
	const struct cpuidle_cpu *names = &at->state->idle;
	int err = state_read_idle(at->state);

	if (err)
		*value = value_of_file_error(err);
	for (size_t i = 0; i < names->n_states && err != -ENOMEM; i++) {
		bool is_disabled;

		if (strcmp(names->states[i].name, at->row->idle_state) != 0)
			continue;
		err = cpuidle_read_disabled(at->state->machine->host->files, at->place->cpu,
					    names->states[i].number, &is_disabled);
		state_value_merge(value, err ? value_of_file_error(err)
					     : value_of(STATE_BOOLEAN, !is_disabled));
	}
	return err == -ENOMEM ? err : 0;
}

/* Finds whether an idle state is disabled on the CPU. Reads its file only if the states of that
 * name differ, or were not read. */
static int find_disabled(struct setting_view *view, const struct state_row *row, size_t place,
			 struct setting_request *request)
{
	const struct state_row *present =
		state_rows_find(&view->present, row->setting, row->clos, row->idle_state);

	if (!present || present->values[place].kind != STATE_BOOLEAN)
		return cpuidle_read_disabled(view->state->machine->host->files, request->cpu,
					     request->idle_state->number, &request->is_disabled);
	request->is_disabled = !present->values[place].number;
	return 0;
}

static void request_idle_state(struct setting_view *view, const struct state_row *row, size_t place,
			       struct setting_request *request, struct setting_list *list)
{
	const struct cpuidle_cpu *names = &view->state->idle;
	int err = state_read_idle(view->state);

	for (size_t i = 0; !err && i < names->n_states; i++) {
		request->idle_state = &names->states[i];
		if (strcmp(names->states[i].name, row->idle_state) != 0)
			continue;
		err = find_disabled(view, row, place, request);
		if (!err)
			setting_list_add(list, request);
	}
	if (err)
		report_add(view->report, report_kind_of(err),
			   "cpu-%u: its idle states cannot be read: %s", request->cpu,
			   strerror(-err));
}

static void request_latency(struct setting_view *view, const struct state_row *row, size_t place,
			    struct setting_request *request, struct setting_list *list)
{
	const struct state_value *value = &row->values[place];

	(void)view;
	if (value->kind == STATE_WORD)
		request->value.text = "0";
	else if (value->number == 0)
		request->value.text = "n/a";
	setting_list_add(list, request);
}

static const char *const latency_words[] = { "none", NULL };

#define ROW(id) [(id)-SETTING_IDLE_STATE]

const struct setting cpuidle_settings[] = {
	ROW(SETTING_IDLE_STATE) = { "cpuidle.states.NAME", "idle state", PLACE_CPU,
				    SETTING_TYPE_BOOLEAN, SETTING_RANK_IDLE_CPU,
				    .flags = SETTING_IN_IDLE_STATE,
				    .about = "true: the CPU may use the idle state",
				    .reset = "true", .plan_one = plan_idle_state,
				    .read = read_idle_state, .request = request_idle_state },
	ROW(SETTING_QOS_LATENCY) = { "cpuidle.qos-latency-us", "pm_qos_resume_latency_us",
				     PLACE_CPU, SETTING_TYPE_NUMBER, SETTING_RANK_IDLE_CPU,
				     .words = latency_words, .max = 2147483646, .unit = "us",
				     .about = "longest wake-up latency of the CPU",
				     .reset = "\"none\"", .file = "power/pm_qos_resume_latency_us",
				     .from_file = cpuidle_latency_word,
				     .request = request_latency },
	ROW(SETTING_IDLE_GOVERNOR) = { "cpuidle.governor", "current_governor", PLACE_MACHINE,
				       SETTING_TYPE_TEXT, SETTING_RANK_IDLE_MACHINE,
				       .about = "governor of idle states",
				       .file = "cpuidle/current_governor" },
	ROW(SETTING_C02) = { "cpuidle.c02", "enable_c02", PLACE_MACHINE, SETTING_TYPE_BOOLEAN,
			     SETTING_RANK_IDLE_MACHINE, .about = "the state C0.2 of umwait",
			     .file = "umwait_control/enable_c02" },
	ROW(SETTING_UMWAIT_MAX_TIME) = { "cpuidle.umwait-max-time", "max_time", PLACE_MACHINE,
					 SETTING_TYPE_NUMBER, SETTING_RANK_IDLE_MACHINE,
					 .max = UINT32_MAX - 3, .step = 4, .unit = "TSC ticks",
					 .about =
						 "longest time in umwait, a multiple of 4; 0: no limit",
					 .file = "umwait_control/max_time" },
	ROW(SETTING_C1_DEMOTION) = { "cpuidle.c1-demotion", "intel_c1_demotion", PLACE_MACHINE,
				     SETTING_TYPE_BOOLEAN, SETTING_RANK_IDLE_MACHINE,
				     .about = "let the CPU use C1 where the kernel asks for C1E",
				     .file = "cpuidle/intel_c1_demotion" },
};
