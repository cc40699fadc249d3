/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording in a form that can be compared: values by place and name, and values of CPUs. */
#ifndef RECORD_ITEMS_H
#define RECORD_ITEMS_H

#include <jansson.h>

#include "base/cpuset.h"

/* The values of a name by CPU: by_cpu has the number of the CPU's value, from 1; 0: none. */
struct cpu_values {
	char *name;
	size_t n_values;
	json_t **values;
	size_t n_cpus;
	uint16_t *by_cpu;
};

struct items {
	bool with_varying;
	json_t *files; /* of the recording, while it is read */
	json_t *places; /* by place: values by name */
	size_t n_names;
	struct cpu_values *names;
	struct cpu_values packages, dies; /* of CPUs, to find the place of a request */
	bool is_short_of_memory;
};

/* Reads a recording; with_varying: also the values that change by themselves. Returns 0; or a
 * negative errno, and *ret_message is a new sentence (NULL: no memory): -EINVAL for a file that is
 * not a recording, others of opening and reading. */
int items_read(const char *path, bool with_varying, struct items *ret_items, char **ret_message);

/* Reads a recording in memory, and removes its requests and files of CPUs. Returns 0 or -ENOMEM. */
int items_init(struct items *items, json_t *recording, bool with_varying);

#define _cleanup_items_ __attribute__((cleanup(items_done)))
void items_done(struct items *items);

/* Returns the values of CPUs for a name, or NULL. */
struct cpu_values *items_find(const struct items *items, const char *name);

/* Returns the value of a CPU, or NULL; values may be NULL. */
json_t *items_value(const struct cpu_values *values, size_t cpu);

#endif
