/* SPDX-License-Identifier: GPL-2.0-only */
/* measure ladder: checks if CPUs reach the promised frequencies with one busy core, with two, and
 * so on (measure.md, "jitter, ladder, explain"). */
#ifndef MEASURE_LADDER_H
#define MEASURE_LADDER_H

#include "measure/results.h"
#include "sst/predict.h"

/* A load with a smaller share of the time was not the only task on its CPU. */
#define LADDER_BUSY_PERCENT 99.0
/* With more stolen time, a hypervisor disturbed the CPU. */
#define LADDER_STOLEN_PERCENT 1.0
/* From this share of the power limit on, the limit may reduce frequencies. */
#define LADDER_POWER_PERCENT 98.0

/* The power limit of a package. */
struct ladder_limit {
	uint32_t package;
	double watts; /* above 0 */
	const char *source; /* "powercap", "TDP of the level": the lower one */
	double tdp_w; /* the TDP of the level; 0: unknown */
};

struct ladder_rules {
	double tolerance_percent; /* how far below a promise is accepted, 0 to 100 */
	struct ladder_limit *limits;
	size_t n_limits;
};

/* The power limit of a package (its number), or NULL. */
struct ladder_limit *ladder_find_limit(const struct ladder_rules *rules, uint32_t package);

/* Returns true if the CPU's package is at its power limit: a reason of PLR appeared, or the power
 * reached the limit in rules. */
bool ladder_power_is_limited(const struct run_window *window, const struct run_cpu *cpu,
			     const struct ladder_rules *rules);

/* Checks a step. window: the result of run_measure(), with the prediction for each CPU. busy: the
 * CPUs that had a load. Sets all members of the step (empty at first) except cpu. A step fails if a
 * checked CPU fails; it passes if all CPUs are checked and pass. If a package is at its power
 * limit, only its CPUs with the promised frequency are checked. The window owns the texts of the
 * figures. Returns 0 or -ENOMEM. */
int ladder_check(const struct run_window *window, const struct cpuset *busy,
		 const struct ladder_rules *rules, struct ladder_step *step);

/* Counts busy CPUs of a step that show how the turbo-ratio limits count: adds to fits[R] the CPUs
 * whose frequency only the reading R predicts. */
void ladder_find_counts(const struct run_window *window, const struct cpuset *busy,
			const struct ladder_rules *rules, size_t fits[N_FREQUENCY_READINGS]);

/* The sources of "predicted-high-mhz": the reading of the turbo-ratio limits that gives the higher
 * prediction. */
extern const char *const ladder_readings[N_FREQUENCY_READINGS];

#endif
