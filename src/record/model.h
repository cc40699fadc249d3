/* SPDX-License-Identifier: GPL-2.0-only */
/* The members of a platform file while they are made: the power domains and CPUs of the machine,
 * numbered as the file numbers them, and what was read. */
#ifndef RECORD_MODEL_H
#define RECORD_MODEL_H

#include "record/parts.h"

#define MODEL_NO_DOMAIN SIZE_MAX
#define MODEL_LEVELS    (SST_MAX_LEVEL + 1)

/* A power domain of the model: one of the platform's, or a die. */
struct model_domain {
	const struct power_domain *served; /* or NULL */
	uint32_t package; /* the machine's number of it */
	uint32_t package_index; /* the model's: without gaps */
	uint32_t index; /* in the package */
	uint32_t die;
	uint32_t punit;
	/* Of a package without an online CPU, of which nothing is known: the domain that it is
	 * taken to be like, of another package; else MODEL_NO_DOMAIN. */
	size_t like;
	struct cpuset cores;
	struct cpuset cpus;
};

/* Where a CPU is. */
struct model_cpu {
	size_t domain; /* or MODEL_NO_DOMAIN */
	uint32_t core;
	uint32_t slot; /* the thread, or the place in a module */
	uint32_t core_id;
	uint32_t physical_cpu;
};

struct model {
	const struct machine *machine;
	struct platform *platform; /* or NULL */
	const struct asked *asked;
	const struct kernel_files *files;
	bool is_tpmi;
	bool is_mailbox;
	uint32_t first_cpu; /* online */
	size_t n_cpus; /* the highest present one, and 1 */
	size_t n_packages;
	size_t n_domains;
	struct model_domain *domains;
	struct model_cpu *cpus;
	uint32_t threads_per_core;
	uint32_t cores_per_module;
};

/* A number limited to low and high. */
static inline json_int_t model_clamp(uint64_t number, uint64_t low, uint64_t high)
{
	return (json_int_t)(number < low ? low : number > high ? high : number);
}

static inline uint32_t model_least(uint32_t left, uint32_t right)
{
	return left < right ? left : right;
}

/* A text as a platform file has it: printable, in UTF-8 and not empty. NULL: no memory. */
json_t *model_text(const char *text);

/* A set as the list that a platform file has. NULL: no memory. */
json_t *model_list(const struct cpuset *set);

/* The mask of the cores of a level, all that are enabled or those of SST-BF; 0: it was not read. */
uint64_t model_find_mask(const struct model *model, const struct power_domain *domain,
			 uint32_t level, bool of_base_freq);

/* The index of the first domain of a die, or MODEL_NO_DOMAIN. */
size_t model_find_domain(const struct model *model, uint32_t package, uint32_t die);

/* Finds the power domains and CPUs (model_cpus.c). Returns 0 or -ENOMEM. */
int model_find_places(struct model *model);

/* Members (model_cpus.c, model_files.c). */
json_t *model_topology(const struct model *model);
json_t *model_cpufreq(const struct model *model);
json_t *model_core_types(const struct model *model);
json_t *model_cpuidle(const struct model *model);
json_t *model_umwait(const struct model *model);
json_t *model_uncore(const struct model *model);

#endif
