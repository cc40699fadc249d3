// SPDX-License-Identifier: GPL-2.0-only
/* Reads the files of cpuN/cpuidle/stateM and of umwait_control, and chooses states by name or by
 * latency (sysfs.md, "cpuidle"). States are in the order of their numbers, from light to deep. */
#include "host/cpuidle.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

#define STATE_PREFIX "state"
#define US_PER_S     1000000

/* A file, and the member for its text or number. */
struct member {
	const char *name;
	size_t offset;
	bool is_usage; /* of a number */
};

#define STATE(file, member) .name = (file), .offset = offsetof(struct cpuidle_state, member)

static const struct member state_texts[] = {
	{ STATE("name", name) },
	{ STATE("desc", desc) },
	{ STATE("default_status", default_status) },
};

static const struct member state_numbers[] = {
	{ STATE("latency", latency_us) },
	{ STATE("residency", residency_us) },
	{ STATE("usage", usage), .is_usage = true },
	{ STATE("time", time_us), .is_usage = true },
	{ STATE("disable", disabled) },
};

#define MACHINE(file, member) .name = (file), .offset = offsetof(struct cpuidle_machine, member)

/* Of two files for one member the first one that is there counts. */
static const struct member machine_texts[] = {
	{ MACHINE(FILES_CPUS "/cpuidle/current_driver", driver) },
	{ MACHINE(CPUIDLE_GOVERNOR, governor) },
	{ MACHINE(FILES_CPUS "/cpuidle/current_governor_ro", governor) },
	{ MACHINE(FILES_CPUS "/cpuidle/available_governors", governors) },
	{ MACHINE(CPUIDLE_ENABLE_C02, enable_c02) },
	{ MACHINE(CPUIDLE_UMWAIT_MAX_TIME, max_time) },
};

static void *member_of(void *record, const struct member *member)
{
	return (char *)record + member->offset;
}

static bool is_absent(int err)
{
	return err == -ENOENT || err == -ENODEV;
}

/* Reads a text that may be absent, into *text which is NULL. */
static int read_text(struct files *files, const char *path, char **text)
{
	int err = files_read_line(files, path, text);

	return is_absent(err) ? 0 : err;
}

static int read_state(struct files *files, uint32_t cpu, bool with_usage,
		      struct cpuidle_state *state)
{
	char path[FILES_CPU_PATH_SIZE];
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(state_texts); i++) {
		files_format_cpu_path(path, cpu, "cpuidle/" STATE_PREFIX "%" PRIu32 "/%s",
				      state->number, state_texts[i].name);
		err = read_text(files, path, member_of(state, &state_texts[i]));
		if (err)
			return err;
	}
	for (size_t i = 0; i < ARRAY_SIZE(state_numbers); i++) {
		if (state_numbers[i].is_usage && !with_usage)
			continue;
		files_format_cpu_path(path, cpu, "cpuidle/" STATE_PREFIX "%" PRIu32 "/%s",
				      state->number, state_numbers[i].name);
		err = files_read_number(files, path, member_of(state, &state_numbers[i]));
		if (err && !is_absent(err))
			return err;
	}
	return state->name ? 0 : -ENOENT;
}

/* Is it "stateM"? */
static bool parse_name(const char *name, uint32_t *ret_number)
{
	uint64_t number;

	if (strncmp(name, STATE_PREFIX, strlen(STATE_PREFIX)) != 0 ||
	    number_parse(name + strlen(STATE_PREFIX), 0, UINT32_MAX, &number))
		return false;
	*ret_number = (uint32_t)number;
	return true;
}

static int compare_states(const void *left_pointer, const void *right_pointer)
{
	const struct cpuidle_state *left = left_pointer, *right = right_pointer;

	return left->number < right->number ? -1 : left->number > right->number;
}

/* Makes the list of states, with their numbers alone. */
static int list_states(struct files *files, uint32_t cpu, struct cpuidle_cpu *ret_cpu)
{
	_cleanup_(files_free_names) char **names = NULL;
	char path[FILES_CPU_PATH_SIZE];
	size_t count = 0;
	int err;

	files_format_cpu_path(path, cpu, "cpuidle");
	err = files_list(files, path, &names);
	if (err)
		return is_absent(err) ? -ENOENT : err;
	while (names[count])
		count++;
	ret_cpu->states = calloc(count + 1, sizeof(*ret_cpu->states));
	if (!ret_cpu->states)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (parse_name(names[i], &ret_cpu->states[ret_cpu->n_states].number))
			ret_cpu->n_states++;
	}
	qsort(ret_cpu->states, ret_cpu->n_states, sizeof(*ret_cpu->states), compare_states);
	return ret_cpu->n_states ? 0 : -ENOENT;
}

int cpuidle_read_cpu(struct files *files, uint32_t cpu, bool with_usage,
		     struct cpuidle_cpu *ret_cpu)
{
	_cleanup_cpuidle_cpu_ struct cpuidle_cpu read = { 0 };
	char path[FILES_CPU_PATH_SIZE];
	int err = list_states(files, cpu, &read);

	if (err)
		return err;
	for (size_t i = 0; i < read.n_states; i++) {
		err = read_state(files, cpu, with_usage, &read.states[i]);
		if (err)
			return err;
	}
	files_format_cpu_path(path, cpu, CPUIDLE_RESUME_LATENCY);
	err = read_text(files, path, &read.resume_latency);
	if (err)
		return err;
	*ret_cpu = read;
	read = (struct cpuidle_cpu){ 0 };
	return 0;
}

void cpuidle_cpu_done(struct cpuidle_cpu *cpu)
{
	for (size_t i = 0; i < cpu->n_states; i++) {
		free(cpu->states[i].name);
		free(cpu->states[i].desc);
		free(cpu->states[i].default_status);
	}
	free(cpu->states);
	free(cpu->resume_latency);
	*cpu = (struct cpuidle_cpu){ 0 };
}

static bool text_equal(const char *left, const char *right)
{
	return left && right ? strcmp(left, right) == 0 : left == right;
}

static bool state_equal(const struct cpuidle_state *left, const struct cpuidle_state *right,
			bool with_usage)
{
	return left->number == right->number && left->latency_us == right->latency_us &&
	       left->residency_us == right->residency_us && left->disabled == right->disabled &&
	       text_equal(left->name, right->name) && text_equal(left->desc, right->desc) &&
	       text_equal(left->default_status, right->default_status) &&
	       (!with_usage || (left->usage == right->usage && left->time_us == right->time_us));
}

bool cpuidle_cpu_equal(const struct cpuidle_cpu *left, const struct cpuidle_cpu *right,
		       bool with_usage)
{
	if (left->n_states != right->n_states ||
	    !text_equal(left->resume_latency, right->resume_latency))
		return false;
	for (size_t i = 0; i < left->n_states; i++) {
		if (!state_equal(&left->states[i], &right->states[i], with_usage))
			return false;
	}
	return true;
}

void cpuidle_subtract(struct cpuidle_cpu *cpu, const struct cpuidle_cpu *before)
{
	for (size_t i = 0; i < cpu->n_states && i < before->n_states; i++) {
		if (cpu->states[i].number != before->states[i].number)
			return;
		cpu->states[i].usage -= before->states[i].usage;
		cpu->states[i].time_us -= before->states[i].time_us;
	}
}

int cpuidle_read_machine(struct files *files, struct cpuidle_machine *ret_machine)
{
	_cleanup_cpuidle_machine_ struct cpuidle_machine machine = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(machine_texts); i++) {
		char **text = member_of(&machine, &machine_texts[i]);
		int err = *text ? 0 : read_text(files, machine_texts[i].name, text);

		if (err)
			return err;
	}
	*ret_machine = machine;
	machine = (struct cpuidle_machine){ 0 };
	return 0;
}

void cpuidle_machine_done(struct cpuidle_machine *machine)
{
	free(machine->driver);
	free(machine->governor);
	free(machine->governors);
	free(machine->enable_c02);
	free(machine->max_time);
	*machine = (struct cpuidle_machine){ 0 };
}

int cpuidle_read_uptime(struct files *files, uint64_t *ret_us)
{
	_cleanup_free_ char *text = NULL;
	char *end;
	double seconds;
	int err = files_read_line(files, "/proc/uptime", &text);

	if (err)
		return err;
	seconds = strtod(text, &end);
	if (end == text || !(seconds > 0) || seconds > 1e12)
		return -EINVAL;
	*ret_us = (uint64_t)(seconds * US_PER_S);
	return 0;
}

static bool has_name(const struct cpuidle_state *state, const char *name, size_t length)
{
	return strlen(state->name) == length && strncmp(state->name, name, length) == 0;
}

static int refuse_name(const char *name, size_t length, char **ret_wrong)
{
	*ret_wrong = strndup(name, length);
	return *ret_wrong ? -ENOENT : -ENOMEM;
}

/* Enables or disables all states of each name. */
static int choose_names(const struct cpuidle_cpu *cpu, const char *names, bool value,
			bool *disabled, char **ret_wrong)
{
	while (names) {
		size_t length = strcspn(names, ",");
		bool found = false;

		for (size_t i = 0; i < cpu->n_states; i++) {
			if (!has_name(&cpu->states[i], names, length))
				continue;
			disabled[i] = value;
			found = true;
		}
		if (!found)
			return refuse_name(names, length, ret_wrong);
		names = names[length] ? names + length + 1 : NULL;
	}
	return 0;
}

/* Of two states with one name the deeper one counts. */
static int choose_deepest(const struct cpuidle_cpu *cpu, const char *name, bool *disabled,
			  char **ret_wrong)
{
	size_t n_enabled = 0;

	for (size_t i = 0; i < cpu->n_states; i++) {
		if (strcmp(cpu->states[i].name, name) == 0)
			n_enabled = i + 1;
	}
	if (n_enabled == 0)
		return refuse_name(name, strlen(name), ret_wrong);
	for (size_t i = 0; i < cpu->n_states; i++)
		disabled[i] = i >= n_enabled;
	return 0;
}

int cpuidle_choose(const struct cpuidle_choice *choice, const struct cpuidle_cpu *cpu,
		   bool *disabled, char **ret_wrong)
{
	int err;

	for (size_t i = 0; i < cpu->n_states; i++)
		disabled[i] = choice->has_max_latency
				      ? cpu->states[i].latency_us > choice->max_latency_us
				      : cpu->states[i].disabled != 0;
	if (choice->deepest) {
		err = choose_deepest(cpu, choice->deepest, disabled, ret_wrong);
		if (err)
			return err;
	}
	err = choose_names(cpu, choice->enable, false, disabled, ret_wrong);
	if (err)
		return err;
	return choose_names(cpu, choice->disable, true, disabled, ret_wrong);
}

char *cpuidle_find_conflict(const struct cpuidle_choice *choice)
{
	for (const char *name = choice->enable; name; name = strchr(name, ',')) {
		size_t length;

		name += *name == ',';
		length = strcspn(name, ",");
		for (const char *other = choice->disable; other; other = strchr(other, ',')) {
			other += *other == ',';
			if (strcspn(other, ",") == length && strncmp(name, other, length) == 0)
				return strndup(name, length);
		}
	}
	return NULL;
}

char *cpuidle_format_names(const struct cpuidle_cpu *cpu)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	if (!to)
		return NULL;
	for (size_t i = 0; i < cpu->n_states; i++)
		fprintf(to, "%s%s", i ? ", " : "", cpu->states[i].name);
	return fclose(to) ? NULL : steal_pointer(text);
}
