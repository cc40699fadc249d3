/* SPDX-License-Identifier: GPL-2.0-only */
/* measure ladder: are the promised frequencies reached, with one busy core, with two, and so on
 * (measure.md, "jitter, ladder, explain")? */
#ifndef MEASURE_LADDER_H
#define MEASURE_LADDER_H

#include "measure/results.h"
#include "sst/predict.h"

/* Below that share a load did not have its CPU to itself. */
#define LADDER_BUSY_PERCENT 99.0
/* Above it a hypervisor took time. */
#define LADDER_STOLEN_PERCENT 1.0
/* From this share of the power limit on, the limit may be what takes frequency. */
#define LADDER_POWER_PERCENT 98.0

/* How much power a package may use. */
struct ladder_limit {
	uint32_t package;
	double watts; /* above 0 */
	const char *source; /* "powercap", "TDP of the level": the lower one */
	double tdp_w; /* the latter; 0: unknown */
};

struct ladder_rules {
	double tolerance_percent; /* that may be missing of a promise, 0 to 100 */
	struct ladder_limit *limits;
	size_t n_limits;
};

/* The power limit of a package (its number), or NULL. */
struct ladder_limit *ladder_find_limit(const struct ladder_rules *rules, uint32_t package);

/* Is the power of the CPU's package at its limit: by a reason of PLR that appeared, or by the limit
 * that rules have? */
bool ladder_power_is_limited(const struct run_window *window, const struct run_cpu *cpu,
			     const struct ladder_rules *rules);

/* Checks a step: window is what run_measure() measured, with the prediction for each CPU, and busy
 * has the CPUs that had a load. Sets the members of the step (empty at first) but cpu. A step fails
 * if a CPU that is checked does, and passes if all CPUs are checked and pass. A CPU whose package
 * has its power at the limit is checked only if it has what is promised. Texts of figures are those
 * of the window. Returns 0 or -ENOMEM. */
int ladder_check(const struct run_window *window, const struct cpuset *busy,
		 const struct ladder_rules *rules, struct ladder_step *step);

/* Counts the busy CPUs of a step that show what the turbo-ratio limits count: adds to fits those
 * with a frequency that only that reading predicts. */
void ladder_find_counts(const struct run_window *window, const struct cpuset *busy,
			const struct ladder_rules *rules, size_t fits[N_FREQUENCY_READINGS]);

/* The sources of "predicted-high-mhz": the reading of the turbo-ratio limits that gives the higher
 * prediction. */
extern const char *const ladder_readings[N_FREQUENCY_READINGS];

#endif
