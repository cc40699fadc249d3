/* SPDX-License-Identifier: GPL-2.0-only */
/* measure ladder: are the promised frequencies reached, with one busy core, with two, and so on
 * (measure.md, "jitter, ladder, why")? */
#ifndef MEASURE_LADDER_H
#define MEASURE_LADDER_H

#include <jansson.h>
#include <stdbool.h>

#include "base/cpuset.h"
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
	const char *source; /* "powercap", "TDP of the level" */
};

struct ladder_rules {
	double tolerance_percent; /* that may be missing of a promise, 0 to 100 */
	const struct ladder_limit *limits;
	size_t n_limits;
};

/* The package of a CPU of a window, or NULL. */
const json_t *ladder_find_package(const json_t *window, const json_t *cpu);

/* The power limit of a package (its number), or NULL. */
const struct ladder_limit *ladder_find_limit(const struct ladder_rules *rules, uint32_t package);

/* Is the power of the CPU's package at its limit: by a reason of PLR that appeared, or by the limit
 * that rules have? */
bool ladder_power_is_limited(const json_t *window, const json_t *cpu,
			     const struct ladder_rules *rules);

/* Judges a step: window is what run_measure() measured, with "predicted-mhz" of each CPU, and busy
 * has the CPUs that had a load. A new object with "cores", "result" ("pass", "fail" or
 * "not-judged"), "reasons" (why CPUs are not judged, each once), "not-judged-cpus", "notes" (what
 * CPUs pass in spite of), "groups" (CPUs with one promise, and the slowest of them) and "packages"
 * (those with such CPUs: power and its limit). A step fails if a CPU that is judged does, and
 * passes if all CPUs are judged and pass. A CPU whose package has its power at the limit is judged
 * only if it has what is promised. NULL: no memory.
 */
json_t *ladder_judge(const json_t *window, const struct cpuset *busy,
		     const struct ladder_rules *rules);

/* Counts the busy CPUs of a step that show what the turbo-ratio limits count: adds to fits those
 * with a frequency that only that reading predicts. */
void ladder_find_counts(const json_t *window, const struct cpuset *busy,
			const struct ladder_rules *rules, size_t fits[N_FREQUENCY_READINGS]);

/* The sources of "predicted-high-mhz": which reading gives more. */
extern const char *const ladder_readings[N_FREQUENCY_READINGS];

#endif
