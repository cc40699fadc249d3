// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of cpuN/cpuidle/stateM (sysfs.md, "cpuidle"). States come in the order of their
 * numbers, which is from light to deep.
 */
#include "machine/cpuidle.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

#define CPU_ROOT     "/sys/devices/system/cpu"
#define STATE_PREFIX "state"
#define US_PER_S     1000000

enum { PATH_SIZE = 112 };

static bool is_absent(int err)
{
	return err == -ENOENT || err == -ENODEV;
}

static int read_text(struct files *files, const char *path, char **text)
{
	int err = files_read_line(files, path, text);

	return is_absent(err) ? 0 : err;
}

/* What one state has to tell: a text or a number. */
struct member {
	const char *name;
	char **text;
	uint64_t *number;
	bool is_usage;
};

static int read_member(struct files *files, uint32_t cpu, uint32_t number,
		       const struct member *member)
{
	char path[PATH_SIZE];
	int err;

	snprintf(path, sizeof(path),
		 CPU_ROOT "/cpu%" PRIu32 "/cpuidle/" STATE_PREFIX "%" PRIu32 "/%s", cpu, number,
		 member->name);
	if (member->text)
		return read_text(files, path, member->text);
	err = files_read_number(files, path, member->number);
	return is_absent(err) ? 0 : err;
}

static int read_state(struct files *files, uint32_t cpu, bool with_usage,
		      struct cpuidle_state *state)
{
	const struct member members[] = {
		{ .name = "name", .text = &state->name },
		{ .name = "desc", .text = &state->desc },
		{ .name = "default_status", .text = &state->default_status },
		{ .name = "latency", .number = &state->latency_us },
		{ .name = "residency", .number = &state->residency_us },
		{ .name = "usage", .number = &state->usage, .is_usage = true },
		{ .name = "time", .number = &state->time_us, .is_usage = true },
		{ .name = "disable", .number = &state->disabled },
	};
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(members) && !err; i++) {
		if (with_usage || !members[i].is_usage)
			err = read_member(files, cpu, state->number, &members[i]);
	}
	return err ?: state->name ? 0 : -ENOENT;
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
	char path[PATH_SIZE];
	size_t count = 0;
	int err;

	snprintf(path, sizeof(path), CPU_ROOT "/cpu%" PRIu32 "/cpuidle", cpu);
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
	char path[PATH_SIZE];
	int err = list_states(files, cpu, &read);

	for (size_t i = 0; i < read.n_states && !err; i++)
		err = read_state(files, cpu, with_usage, &read.states[i]);
	snprintf(path, sizeof(path), CPU_ROOT "/cpu%" PRIu32 "/power/pm_qos_resume_latency_us",
		 cpu);
	err = err ?: read_text(files, path, &read.resume_latency);
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
	bool equal = left->n_states == right->n_states &&
		     text_equal(left->resume_latency, right->resume_latency);

	for (size_t i = 0; equal && i < left->n_states; i++)
		equal = state_equal(&left->states[i], &right->states[i], with_usage);
	return equal;
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
	const struct member texts[] = {
		{ .name = CPU_ROOT "/cpuidle/current_driver", .text = &machine.driver },
		{ .name = CPU_ROOT "/cpuidle/current_governor", .text = &machine.governor },
		{ .name = CPU_ROOT "/cpuidle/available_governors", .text = &machine.governors },
		{ .name = CPU_ROOT "/umwait_control/enable_c02", .text = &machine.enable_c02 },
		{ .name = CPU_ROOT "/umwait_control/max_time", .text = &machine.max_time },
	};
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(texts) && !err; i++)
		err = read_text(files, texts[i].name, texts[i].text);
	if (!err && !machine.governor)
		err = read_text(files, CPU_ROOT "/cpuidle/current_governor_ro", &machine.governor);
	if (err)
		return err;
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
