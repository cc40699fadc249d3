/* SPDX-License-Identifier: GPL-2.0-only */
/* cpufreq explain: every known limit of a CPU's frequency, and the one that binds. */
#ifndef FEATURES_CPUFREQ_EXPLAIN_H
#define FEATURES_CPUFREQ_EXPLAIN_H

#include "cli/option.h"
#include "host/cpufreq.h"
#include "run/context.h"
#include "sst/expected.h"

/* Fills in the limits of cpufreq for a CPU of a policy. */
void cpufreq_take_limits(const struct cpufreq_machine *machine, const struct cpufreq_policy *policy,
			 struct frequency_inputs *inputs);

struct cpufreq_explain_arguments {
	struct option_number isa; /* one of levels_trl_words; not given: SSE */
	struct option_number measure_s;
	struct option_number load; /* one of load_kind_words */
	bool clear_limits;
	bool all;
};

/* Handlers, as struct command describes them; the second is that of --measure
 * (features/measure/why.c). */
int cpufreq_explain(struct context *context);
int cpufreq_explain_measured(struct context *context);

#endif
