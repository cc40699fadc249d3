// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names and figures of cpuidle set (sysfs.md, "cpuidle"). Pure: nothing is read here. A name is
 * taken as the kernel shows it, blanks within and all, and never in part.
 */
#include "features/idle_choice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static bool is_state(const struct cpuidle_state *state, const char *name, size_t length)
{
	return strlen(state->name) == length && strncmp(state->name, name, length) == 0;
}

static int refuse(const char *name, size_t length, char **ret_wrong)
{
	*ret_wrong = strndup(name, length);
	return *ret_wrong ? -ENOENT : -ENOMEM;
}

/* Sets every state of one name. */
static int set_name(const struct cpuidle_cpu *cpu, const char *name, size_t length, bool *disabled,
		    bool value, char **ret_wrong)
{
	bool found = false;

	for (size_t i = 0; i < cpu->n_states; i++) {
		if (!is_state(&cpu->states[i], name, length))
			continue;
		disabled[i] = value;
		found = true;
	}
	return found ? 0 : refuse(name, length, ret_wrong);
}

static int set_names(const struct cpuidle_cpu *cpu, const char *names, bool *disabled, bool value,
		     char **ret_wrong)
{
	int err = 0;

	while (names && !err) {
		size_t length = strcspn(names, ",");

		err = set_name(cpu, names, length, disabled, value, ret_wrong);
		names = names[length] ? names + length + 1 : NULL;
	}
	return err;
}

/* States are in order of depth; of two with one name the deeper counts. */
static int set_deepest(const struct cpuidle_cpu *cpu, const char *name, bool *disabled,
		       char **ret_wrong)
{
	size_t deepest = cpu->n_states;

	for (size_t i = 0; i < cpu->n_states; i++) {
		if (is_state(&cpu->states[i], name, strlen(name)))
			deepest = i;
	}
	if (deepest == cpu->n_states)
		return refuse(name, strlen(name), ret_wrong);
	for (size_t i = 0; i < cpu->n_states; i++)
		disabled[i] = i > deepest;
	return 0;
}

int idle_choice_apply(const struct idle_choice *choice, const struct cpuidle_cpu *cpu,
		      bool *disabled, char **ret_wrong)
{
	int err = 0;

	for (size_t i = 0; i < cpu->n_states; i++)
		disabled[i] = choice->has_max_latency
				      ? cpu->states[i].latency_us > choice->max_latency_us
				      : cpu->states[i].disabled != 0;
	if (choice->deepest)
		err = set_deepest(cpu, choice->deepest, disabled, ret_wrong);
	err = err ?: set_names(cpu, choice->enable, disabled, false, ret_wrong);
	return err ?: set_names(cpu, choice->disable, disabled, true, ret_wrong);
}

static bool has_name(const char *names, const char *name, size_t length)
{
	while (names) {
		size_t here = strcspn(names, ",");

		if (here == length && strncmp(names, name, length) == 0)
			return true;
		names = names[here] ? names + here + 1 : NULL;
	}
	return false;
}

char *idle_choice_find_conflict(const struct idle_choice *choice)
{
	const char *names = choice->enable;

	while (names) {
		size_t length = strcspn(names, ",");

		if (has_name(choice->disable, names, length))
			return strndup(names, length);
		names = names[length] ? names + length + 1 : NULL;
	}
	return NULL;
}

char *idle_choice_names(const struct cpuidle_cpu *cpu)
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
