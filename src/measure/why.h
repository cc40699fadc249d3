/* SPDX-License-Identifier: GPL-2.0-only */
/* cpufreq explain --measure: what keeps a CPU from a higher frequency (measure.md, "jitter, ladder,
 * explain"). */
#ifndef MEASURE_WHY_H
#define MEASURE_WHY_H

#include "measure/ladder.h"
#include "sst/predict.h"

/* A CPU that is less busy has no frequency that could be explained. */
#define WHY_BUSY_PERCENT 50.0
/* That much less than the settings allow, in steps of 100 MHz, needs another explanation. */
#define WHY_GAP_PERCENT 2.0

/* What the settings allow a CPU. */
struct why_limits {
	struct frequency_prediction prediction;
	struct frequency_inputs inputs;
	struct frequency_activity activity; /* of its package */
	struct sst_clos clos; /* of it, if inputs.has_clos */
	unsigned int trl_level; /* of its load */
};

/* cpufreq explain --measure: what limits a CPU. */
struct why_cpu {
	const struct run_cpu *cpu;
	struct figure gap_percent; /* of the prediction */
	struct named_figure *upper; /* limits */
	size_t n_upper;
	struct texts evidence;
	/* A name of frequency_limit_name(), or "high-priority-cores", "power", "power-limit",
	 * "power-cap", "throttling", "hardware", "smi", "stolen", "unknown", "not-checked". */
	const char *limited_by;
	const char *conclusion;
	const char *setting, *setting_reason; /* what to change, or why nothing */
	bool has_price; /* others have less then: */
	struct cpuset lowered;
	double at_most_mhz, now_mhz;
	struct texts texts;
};

/* Packages are those of the window. */
struct why_result {
	struct figure seconds;
	json_t *cpus; /* an array */
	struct run_package *packages;
	size_t n_packages;
};

extern const struct json_field why_measured_fields[]; /* of a struct run_cpu, before the next */
extern const struct json_field why_cpu_fields[], why_result_fields[];

/* Adds to a measured CPU, if the minimum of its CLOS is known: was it busy, and below it, though
 * nothing else kept it there? Then its package had too little power for all minima. */
void why_check_minimum(struct run_cpu *cpu, const struct why_limits *limits);

/* Explains a CPU of a window of run_measure() with a prediction. rules has the power limits. *to is
 * empty at first. Returns 0 or -ENOMEM. */
int why_explain(const struct run_window *window, const struct run_cpu *cpu,
		const struct why_limits *limits, const struct ladder_rules *rules,
		struct why_cpu *to);

void why_cpu_done(struct why_cpu *cpu);

/* Finds what to change for CPUs (a list as --cpu takes it) that are limited by the same, unless
 * that is a limit of turbo, for which other cores count: a new text with a complete command, and no
 * advice; or, if no command gives these CPUs more, NULL and *ret_advice, static text. limits are
 * those of one of the CPUs. Returns 0 or -ENOMEM. */
int why_find_setting(const char *limited_by, const struct why_limits *limits, const char *cpus,
		     char **ret_command, const char **ret_advice);

#endif
