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

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/units.h"

#define MAX_UPTIME_S      UINT64_C(1000000000000)
#define HELD_LATENCY      "/dev/cpu_dma_latency"
#define HELD_BY_NOBODY_US 2000000000

static bool is_absent(int err)
{
	return err == -ENOENT || err == -ENODEV;
}

#define STATE(file, member) FILE_MEMBER(file, struct cpuidle_state, member)

#define N_COMMON 5

/* The first N_COMMON members are the same on all CPUs of a core type: the driver has one table. */
static const struct file_member state_list[] = {
	{ STATE("name", name) },
	{ STATE("desc", desc) },
	{ STATE("default_status", default_status) },
	{ STATE("latency", latency_us) },
	{ STATE("residency", residency_us) },
	[N_COMMON] = { STATE("usage", usage), .varies = true },
	{ STATE("time", time_us), .varies = true },
	{ STATE("disable", disabled) },
};

static const struct file_members state_members = { .list = state_list,
						   .count = ARRAY_SIZE(state_list),
						   .is_absent = is_absent };

static const struct file_members own_members = {
	.list = state_list + N_COMMON,
	.count = ARRAY_SIZE(state_list) - N_COMMON,
};

#define LIMIT(file, member) FILE_MEMBER(file, struct cpuidle_cpu, member)

static const struct file_member limit_list[] = {
	{ LIMIT(CPUIDLE_RESUME_LATENCY, resume_latency) },
};

static const struct file_members limit_members = { .list = limit_list,
						   .count = ARRAY_SIZE(limit_list),
						   .is_absent = is_absent };

#define MACHINE(file, member) FILE_MEMBER(file, struct cpuidle_machine, member)

static const struct file_member machine_list[] = {
	{ MACHINE(FILES_CPUS "/cpuidle/current_driver", driver) },
	{ MACHINE(CPUIDLE_GOVERNOR, governor) },
	{ MACHINE(FILES_CPUS "/cpuidle/current_governor_ro", governor) },
	{ MACHINE(FILES_CPUS "/cpuidle/available_governors", governors) },
	{ MACHINE(CPUIDLE_C1_DEMOTION, c1_demotion) },
	{ MACHINE(CPUIDLE_ENABLE_C02, enable_c02) },
	{ MACHINE(CPUIDLE_UMWAIT_MAX_TIME, max_time) },
};

static const struct file_members machine_members = { .list = machine_list,
						     .count = ARRAY_SIZE(machine_list),
						     .is_absent = is_absent };

/* Sets *ret_has to whether a CPU has a state with this number. Returns 0 or -ENOMEM. */
static int has_state(struct files *files, uint32_t cpu, size_t number, bool *ret_has)
{
	_cleanup_(files_free_names) char **names = NULL;
	_cleanup_free_ char *name = text_format("state%zu", number);
	int err = name ? files_list(files, files_cpu_path(cpu, "cpuidle").text, &names) : -ENOMEM;

	*ret_has = false;
	for (char **at = names; !err && *at; at++)
		*ret_has = *ret_has || strcmp(*at, name) == 0;
	return err == -ENOMEM ? err : 0;
}

/* Reads the number and the name of all states. The kernel numbers them from 0 without gaps. */
static int read_names(struct files *files, uint32_t cpu, struct cpuidle_cpu *ret_cpu)
{
	for (;;) {
		size_t number = ret_cpu->n_states;
		struct file_path path = files_cpu_path(cpu, "cpuidle/state%zu/name", number);
		struct cpuidle_state *state;
		char *name;
		int err = files_read_line(files, path.text, &name);

		if (err && !is_absent(err))
			return err;
		if (err)
			return number > 0 ? 0 : -ENOENT;
		state = array_add(&ret_cpu->states, &ret_cpu->n_states, sizeof(*state));
		if (!state) {
			free(name);
			return -ENOMEM;
		}
		state->name = name;
		state->number = (uint32_t)number;
	}
}

int cpuidle_read_names(struct files *files, uint32_t cpu, struct cpuidle_cpu *ret_cpu)
{
	_cleanup_cpuidle_cpu_ struct cpuidle_cpu read = { 0 };
	bool has_more = false;
	int err = read_names(files, cpu, &read);

	if (!err)
		err = has_state(files, cpu, read.n_states, &has_more);
	if (err || has_more)
		return err ?: -EINVAL;
	*ret_cpu = steal(read);
	return 0;
}

int cpuidle_read_disabled(struct files *files, uint32_t cpu, uint32_t number, bool *ret_disabled)
{
	uint64_t value;
	int err = files_read_number(
		files, files_cpu_path(cpu, "cpuidle/state%" PRIu32 "/disable", number).text,
		&value);

	if (!err)
		*ret_disabled = value != 0;
	return err;
}

int cpuidle_read_cpu(struct files *files, uint32_t cpu, bool with_usage,
		     struct cpuidle_cpu *ret_cpu)
{
	_cleanup_cpuidle_cpu_ struct cpuidle_cpu read = { 0 };
	int err = read_names(files, cpu, &read);

	for (size_t i = 0; i < read.n_states && !err; i++) {
		struct file_path path = files_cpu_path(cpu, "cpuidle/state%zu/", i);

		err = files_read_members(files, path.text, &state_members, with_usage,
					 &read.states[i]);
	}
	if (err)
		return err;
	err = files_read_members(files, files_cpu_path(cpu, "%s", "").text, &limit_members,
				 with_usage, &read);
	if (!err)
		*ret_cpu = steal(read);
	return err;
}

/* Returns true if name is in names, a list with commas. names may be NULL. */
static bool has_name(const char *names, const char *name)
{
	size_t length = strlen(name);

	while (names) {
		if (strncmp(names, name, length) == 0 && strchr(",", names[length]))
			return true;
		names = strchr(names, ',');
		if (names)
			names++;
	}
	return false;
}

static bool can_change(const struct cpuidle_choice *choice, const char *name)
{
	return choice->has_max_latency || choice->deepest || has_name(choice->enable, name) ||
	       has_name(choice->disable, name);
}

static int copy_text(char **copy, const char *text)
{
	*copy = text ? strdup(text) : NULL;
	return text && !*copy ? -ENOMEM : 0;
}

/* Reads a state of a CPU. Copies the values that both CPUs have in common from `like`. */
static int read_state_like(struct files *files, uint32_t cpu, const struct cpuidle_state *like,
			   const struct cpuidle_reading *reading, struct cpuidle_state *state)
{
	struct file_path path = files_cpu_path(cpu, "cpuidle/state%" PRIu32 "/", like->number);
	bool is_needed = !reading->choice || can_change(reading->choice, like->name);
	int err = is_needed ? files_read_members(files, path.text, &own_members,
						 reading->with_usage, state)
			    : 0;

	if (err)
		return err;
	state->number = like->number;
	state->latency_us = like->latency_us;
	state->residency_us = like->residency_us;
	err = copy_text(&state->name, like->name);
	if (!err)
		err = copy_text(&state->desc, like->desc);
	return err ? err : copy_text(&state->default_status, like->default_status);
}

int cpuidle_read_like(struct files *files, uint32_t cpu, const struct cpuidle_cpu *like,
		      const struct cpuidle_reading *reading, struct cpuidle_cpu *ret_cpu)
{
	_cleanup_cpuidle_cpu_ struct cpuidle_cpu read = { 0 };
	int err = 0;

	read.states = calloc(like->n_states, sizeof(*read.states));
	if (!read.states)
		return -ENOMEM;
	read.n_states = like->n_states;
	for (size_t i = 0; i < read.n_states && !err; i++)
		err = read_state_like(files, cpu, &like->states[i], reading, &read.states[i]);
	if (!err && !reading->choice)
		err = files_read_members(files, files_cpu_path(cpu, "%s", "").text, &limit_members,
					 reading->with_usage, &read);
	if (is_absent(err)) /* the CPU has other states */
		return cpuidle_read_cpu(files, cpu, reading->with_usage, ret_cpu);
	if (!err)
		*ret_cpu = steal(read);
	return err;
}

void cpuidle_cpu_done(struct cpuidle_cpu *cpu)
{
	for (size_t i = 0; i < cpu->n_states; i++)
		files_free_members(&state_members, &cpu->states[i]);
	free(cpu->states);
	files_free_members(&limit_members, cpu);
	*cpu = (struct cpuidle_cpu){ 0 };
}

bool cpuidle_cpu_equal(const struct cpuidle_cpu *left, const struct cpuidle_cpu *right,
		       bool with_usage)
{
	if (left->n_states != right->n_states)
		return false;
	for (size_t i = 0; i < left->n_states; i++) {
		if (!files_members_equal(&state_members, &left->states[i], &right->states[i],
					 with_usage))
			return false;
	}
	return files_members_equal(&limit_members, left, right, with_usage);
}

void cpuidle_subtract(struct cpuidle_cpu *cpu, const struct cpuidle_cpu *before)
{
	for (size_t i = 0; i < cpu->n_states && i < before->n_states; i++) {
		cpu->states[i].usage -= before->states[i].usage;
		cpu->states[i].time_us -= before->states[i].time_us;
	}
}

int cpuidle_read_machine(struct files *files, struct cpuidle_machine *ret_machine)
{
	return files_read_members(files, "", &machine_members, true, ret_machine);
}

void cpuidle_machine_done(struct cpuidle_machine *machine)
{
	files_free_members(&machine_members, machine);
}

int cpuidle_read_held_latency(struct files *files, uint32_t *ret_us)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	int32_t us; /* the type of the file's content */
	int err = files->ops->read(files, HELD_LATENCY, 0, &text, &length);

	if (err)
		return err;
	if (length != sizeof(us))
		return -EINVAL;
	memcpy(&us, text, sizeof(us));
	if (us < 0)
		return -EINVAL;
	if (us >= HELD_BY_NOBODY_US)
		return -ENODATA;
	*ret_us = (uint32_t)us;
	return 0;
}

int cpuidle_read_uptime(struct files *files, uint64_t *ret_us)
{
	_cleanup_free_ char *text = NULL;
	uint64_t seconds, fraction;
	const char *at;
	int err = files_read_line(files, "/proc/uptime", &text);

	if (err)
		return err;
	at = text;
	if (number_parse_digits(&at, 10, &seconds) || seconds > MAX_UPTIME_S ||
	    number_parse_fraction(&at, US_PER_S, &fraction) || (*at != ' ' && *at != '\0') ||
	    seconds + fraction == 0)
		return -EINVAL;
	*ret_us = seconds * US_PER_S + fraction;
	return 0;
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
			const char *name = cpu->states[i].name;

			if (strlen(name) != length || strncmp(name, names, length) != 0)
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

int cpuidle_choose(const struct cpuidle_choice *choice, const struct cpuidle_cpu *cpu,
		   bool *disabled, const char **ret_option, char **ret_wrong)
{
	const char *deepest = choice->deepest;
	size_t n_enabled = 0;
	int err;

	for (size_t i = 0; i < cpu->n_states; i++) {
		disabled[i] = choice->has_max_latency
				      ? cpu->states[i].latency_us > choice->max_latency_us
				      : cpu->states[i].disabled != 0;
		/* If two states have the same name, the deeper one is used. */
		if (deepest && strcmp(cpu->states[i].name, deepest) == 0)
			n_enabled = i + 1;
	}
	*ret_option = "--deepest";
	if (deepest && n_enabled == 0)
		return refuse_name(deepest, strlen(deepest), ret_wrong);
	for (size_t i = 0; i < cpu->n_states && deepest; i++)
		disabled[i] = i >= n_enabled;
	*ret_option = "--enable";
	err = choose_names(cpu, choice->enable, false, disabled, ret_wrong);
	if (err)
		return err;
	*ret_option = "--disable";
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
	struct buffer text = { 0 };

	for (size_t i = 0; i < cpu->n_states; i++) {
		buffer_append_string(&text, i ? ", " : "");
		buffer_append_string(&text, cpu->states[i].name);
	}
	return buffer_steal(&text, NULL);
}

const char *cpuidle_latency_word(const char *text)
{
	if (strcmp(text, "0") == 0)
		return "none";
	return strcmp(text, "n/a") == 0 ? "0" : text;
}
