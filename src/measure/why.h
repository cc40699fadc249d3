/* SPDX-License-Identifier: GPL-2.0-only */
/* cpufreq explain --measure: finds what keeps a CPU from a higher frequency (measure.md, "jitter,
 * ladder, explain"). */
#ifndef MEASURE_WHY_H
#define MEASURE_WHY_H

#include "measure/ladder.h"
#include "sst/predict.h"

/* A CPU that is less busy has no frequency that could be explained. */
#define WHY_BUSY_PERCENT 50.0
/* A frequency this far below the settings' limit, in steps of 100 MHz, has another cause. */
#define WHY_GAP_PERCENT 2.0

/* The limits that the settings give a CPU. */
struct why_limits {
	struct frequency_prediction prediction;
	struct frequency_inputs inputs;
	struct frequency_activity activity; /* of its package */
	struct sst_clos clos; /* of the CPU, if inputs.has_clos */
	unsigned int trl_level; /* of its load */
};

/* cpufreq explain --measure: what limits a CPU. */
struct why_cpu {
	const struct run_cpu *cpu;
	struct figure gap_percent; /* the missing part of the prediction */
	struct named_figure *upper; /* the upper limits */
	size_t n_upper;
	struct texts evidence;
	/* A name of frequency_limit_name(), or "high-priority-cores", "power", "power-limit",
	 * "power-cap", "throttling", "hardware", "smi", "stolen", "unknown", "not-checked". */
	const char *limited_by;
	const char *conclusion;
	const char *setting, *setting_reason; /* what to change, or why no change helps */
	bool has_price; /* the setting lowers other CPUs: */
	struct cpuset lowered;
	double at_most_mhz, now_mhz;
	struct texts texts;
};

/* The window owns packages. */
struct why_result {
	struct figure seconds;
	json_t *cpus; /* an array */
	struct run_package *packages;
	size_t n_packages;
};

extern const struct json_field why_measured_fields[]; /* of struct run_cpu, before the next table */
extern const struct json_field why_cpu_fields[], why_result_fields[];

/* Sets knows_minimum and is_below_minimum of a measured CPU. is_below_minimum: the CPU is busy, and
 * slower than the minimum of its CLOS and all other limits, because its package has too little
 * power for all minima. */
void why_check_minimum(struct run_cpu *cpu, const struct why_limits *limits);

/* Explains a CPU that has a prediction in a window of run_measure(). rules has the power limits.
 * *to is empty at first. Returns 0 or -ENOMEM. */
int why_explain(const struct run_window *window, const struct run_cpu *cpu,
		const struct why_limits *limits, const struct ladder_rules *rules,
		struct why_cpu *to);

void why_cpu_done(struct why_cpu *cpu);

/* Finds what to change for CPUs (a list for --cpu) with the same limited_by. For limits of turbo,
 * which depend on other cores, there is no command. *ret_command: a new text with a complete
 * command, and no advice; or NULL, with *ret_advice a static text, if no command helps. limits:
 * those of one of the CPUs. Returns 0 or -ENOMEM. */
int why_find_setting(const char *limited_by, const struct why_limits *limits, const char *cpus,
		     char **ret_command, const char **ret_advice);

#endif
