/* SPDX-License-Identifier: GPL-2.0-only */
/* cpufreq explain: every known limit of a CPU's frequency, and the one that binds. */
#ifndef FEATURES_CPUFREQ_EXPLAIN_H
#define FEATURES_CPUFREQ_EXPLAIN_H

#include "cli/option.h"
#include "host/cpufreq.h"
#include "run/context.h"
#include "sst/expected.h"

/* What is known of one CPU. Frequencies in kHz; 0: not known, or no limit. */
struct frequency_facts {
	/* of cpufreq */
	uint32_t lowest_khz; /* of the hardware */
	uint32_t highest_khz;
	uint32_t min_khz; /* scaling limits */
	uint32_t max_khz;
	uint32_t base_khz;
	uint32_t min_percent; /* of highest_khz */
	uint32_t max_percent;
	bool turbo_off;
	bool is_not_sse; /* the base frequencies are not those of the instruction set */
	/* of Speed Select */
	bool has_level;
	uint32_t level;
	uint32_t level_base_khz;
	uint32_t base_freq_khz; /* SST-BF is on: the CPU's base frequency with it */
	bool has_clos; /* SST-CP is on, and the CPU's CLOS is known */
	uint32_t clos;
	uint32_t clos_min_khz;
	uint32_t clos_max_khz;
	size_t active_cores; /* of its power domain: those with an online CPU */
	uint32_t turbo_limit_khz; /* by the number of active cores */
	size_t high_priority_cores; /* SST-TF is on: counted per package */
	uint32_t turbo_freq_khz; /* SST-TF is on: of a high-priority core, by their number */
	uint32_t clip_khz; /* SST-TF is on: of a low-priority core */
};

/* Has the whole machine turbo switched off? */
bool frequency_turbo_is_off(const struct cpufreq_machine *machine);

/* The facts of cpufreq about a CPU of a policy. */
struct frequency_facts frequency_facts_of_policy(const struct cpufreq_machine *machine,
						 const struct cpufreq_policy *policy);

/* Adds those of Speed Select. */
void frequency_facts_take(struct frequency_facts *facts, const struct expected_cpu *cpu);

enum frequency_kind {
	FREQUENCY_UPPER, /* it cannot go above */
	FREQUENCY_LOWER, /* it is not asked to go below */
	FREQUENCY_GUARANTEED /* with all cores busy */
};

struct frequency_limit {
	const char *name; /* "scaling-maximum"; static text */
	enum frequency_kind kind;
	uint32_t khz;
};

#define FREQUENCY_LIMITS 16

/* Fills limits with the known ones, those of the hardware first, and returns how many. */
size_t frequency_limits_collect(const struct frequency_facts *facts,
				struct frequency_limit limits[FREQUENCY_LIMITS]);

/* The limit of that kind that binds: the lowest upper one, the highest lower one; of equal ones the
 * first. NULL: there is none. */
const struct frequency_limit *frequency_limits_binding(const struct frequency_limit *limits,
						       size_t count, enum frequency_kind kind);

struct cpufreq_explain_arguments {
	struct option_number isa; /* one of levels_trl_words; not given: SSE */
};

/* Handler, as struct command describes it. */
int cpufreq_explain(struct context *context);

#endif
