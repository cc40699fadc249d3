/* SPDX-License-Identifier: GPL-2.0-only */
/* Which idle states a CPU is to have, from what cpuidle set was given. */
#ifndef FEATURES_IDLE_CHOICE_H
#define FEATURES_IDLE_CHOICE_H

#include "machine/cpuidle.h"

/* Names are as the kernel shows them, comma between; what is not wanted is NULL or false. */
struct idle_choice {
	const char *enable;
	const char *disable;
	const char *deepest; /* one name: it and all lighter states on, all deeper ones off */
	bool has_max_latency;
	uint64_t max_latency_us; /* states that take no longer to leave on, all others off */
};

/*
 * Decides for each of the CPU's states: disabled[i] becomes what it is to be, which is as it is
 * where nothing is said of it. enable and disable come after deepest and max_latency. Returns 0; or
 * -ENOENT for a name that no state has, with *ret_wrong a new text of it; or -ENOMEM.
 */
int idle_choice_apply(const struct idle_choice *choice, const struct cpuidle_cpu *cpu,
		      bool *disabled, char **ret_wrong);

/* The name that enable and disable both have, as a new text; NULL: none, or no memory. */
char *idle_choice_find_conflict(const struct idle_choice *choice);

/* The names of a CPU's states with commas between, as a new text; NULL: no memory. */
char *idle_choice_names(const struct cpuidle_cpu *cpu);

#endif
