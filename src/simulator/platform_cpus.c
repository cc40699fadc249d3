// SPDX-License-Identifier: GPL-2.0-only
/* The places of logical CPUs that a platform file lists one by one, as a recording of a real
 * machine does: its numbers follow no rule. */
#include <inttypes.h>

#include "base/buffer.h"
#include "base/json_fields.h"
#include "simulator/platform_file.h"

#define MAX_CORE_ID 65535

enum { PACKAGE, DOMAIN, CORE_ID, PHYSICAL_CPU, N_NUMBERS };

static struct sim_domain *find_domain(struct sim_platform *platform, uint32_t package,
				      uint32_t index)
{
	for (size_t i = 0; i < platform->n_domains; i++) {
		if (platform->domains[i].package == package && platform->domains[i].index == index)
			return &platform->domains[i];
	}
	return NULL;
}

void platform_cpus_read(struct json_reader *reader, json_t *list, void *to)
{
	static const struct json_field number = { .kind = JSON_U32, .max = UINT32_MAX };
	static const struct json_field place = {
		.kind = JSON_LIST,
		.min = N_NUMBERS,
		.max = N_NUMBERS,
		.element = &number,
		.element_size = sizeof(uint32_t),
	};
	struct sim_platform *platform = to;
	uint32_t numbers[N_NUMBERS] = { 0 };
	struct sim_domain *domain;
	struct sim_cpu *cpu;

	json_read_value(reader, list, &place, numbers);
	if (reader->err)
		return;
	domain = find_domain(platform, numbers[PACKAGE], numbers[DOMAIN]);
	if (!domain) {
		json_refuse(reader, NULL, "package %" PRIu32 " has no domain %" PRIu32,
			    numbers[PACKAGE], numbers[DOMAIN]);
		return;
	}
	json_check_range(reader, NULL, numbers[CORE_ID], 0, MAX_CORE_ID);
	cpu = array_add(&platform->cpus, &platform->n_cpus, sizeof(*cpu));
	if (!cpu || cpuset_add(&domain->cpus, (uint32_t)platform->n_cpus - 1)) {
		json_refuse_memory(reader);
		return;
	}
	*cpu = (struct sim_cpu){
		.package = domain->package,
		.domain = (uint32_t)(domain - platform->domains),
		.core_id = numbers[CORE_ID],
		.physical_cpu = numbers[PHYSICAL_CPU],
		.policy = (uint32_t)platform->n_cpus - 1,
	};
}
