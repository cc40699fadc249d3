/* SPDX-License-Identifier: GPL-2.0-only */
/* What the measure commands have in common: the measured CPUs, the predictions for them, and saving
 * the results. */
#ifndef FEATURES_MEASURE_COMMON_H
#define FEATURES_MEASURE_COMMON_H

#include "features/measure/require.h"
#include "measure/ladder.h"
#include "measure/run.h"
#include "sst/expected.h"

struct histogram_bin;
struct measurement;
struct saved_runs;
struct screen;
struct why_limits;

/* The first arguments of each measure command. */
struct measure_arguments {
	bool all;
	struct option_texts requires;
	const char *save;
};

/* The first arguments of a command that runs loads, a pipe or a command. */
struct measure_work_arguments {
	struct measure_arguments common;
	struct option_texts loads; /* KIND or KIND:SET */
	const char *pipe; /* A,B */
	struct option_rest command;
};

/* What the driver must know about a measure command. */
struct measure_kind {
	const char *command; /* its word, "run", for saved files */
	const char *unit; /* the unit after the numbers of --require */
	const struct json_field *tables[3]; /* with the figures for --require; NULL ends them */
	const struct json_field *fields; /* of the result */
	bool has_machine_last; /* its document has "machine" after the requirements */
	/* Shows the result as text. Returns 0 or -ENOMEM. */
	int (*show)(const struct measurement *measurement, const void *result);
};

/* A measurement, and what is known before it begins. */
struct measurement {
	struct context *context;
	const struct measure_kind *kind;
	struct requirements requirements;
	struct cpuset isolated;
	struct cpuset cpus; /* measured */
	bool with_packages; /* also read the Speed Select limits of all CPUs of their packages */
	struct run_job job; /* the measurement owns its loads */
	uint64_t waited_ns, total_ns; /* of jobs before this one; of all, or 0 for one job */
	struct cpufreq_machine cpufreq;
	struct frequency_inputs *inputs; /* from cpufreq, for each measured CPU */
	char **unknown; /* for each measured CPU: why cpufreq limits are unknown, or NULL */
	struct ladder_rules rules; /* with the power limits of packages */
	/* For the file of --save: the work as typed (or NULL), and the start time. */
	const struct measure_work_arguments *work;
	char time[32]; /* CHANGE_LOG_TIME_SIZE */
	struct expected expected; /* for the domains of the context; none without Speed Select */
	struct measured_machine machine;
};

/* The value of an option, or another one if it is not given. */
static inline uint64_t measurement_option(const struct option_number *option, uint64_t otherwise)
{
	return option->given ? option->value : otherwise;
}

void measurement_done(struct measurement *measurement);
#define _cleanup_measurement_ __attribute__((cleanup(measurement_done)))

/* Sets measurement->isolated to the isolated CPUs. Returns 0, also after a mistake, which is
 * reported; or -ENOMEM. */
int measurement_find_isolated(struct measurement *measurement);

/* Reports if both --cpu and --all are given, or none of them though the command needs one. what:
 * what the command does to CPUs (keeps them busy, interrupts them, forces idle states); NULL:
 * nothing, so that none is needed. */
void measurement_check_named(struct context *context, bool all, const char *what);

/* Begins a command: calls measurement_check_named(), reads the other common options, and finds the
 * measured CPUs. Returns 0, also after a mistake, which is reported; or -ENOMEM. */
int measurement_begin(struct measurement *measurement, const struct measure_kind *kind,
		      const char *what);

/* Finds the measured CPUs: those of --cpu, or all CPUs that are not isolated. Reports isolated CPUs
 * that are left out. Returns 0, also after a mistake, which is reported; or -ENOMEM. */
int measurement_find_cpus(struct measurement *measurement);

/* Begins a command that runs loads, a pipe or a command, and sets the job (measure.md, first
 * section). Loads without a set run on the measured CPUs, those of --cpu or --all. Returns 0, also
 * after a mistake, which is reported; or -ENOMEM. */
int measurement_begin_work(struct measurement *measurement, const struct measure_kind *kind);

/* Reads the current limits of cpufreq and Speed Select for the prediction. Returns 0 or -ENOMEM. */
int measurement_read_limits(struct measurement *measurement);

/* Reads the cpufreq limits of a CPU, and adds those of the machine. Of an isolated CPU, reads only
 * limits that do not interrupt it. A value that cannot be read is no limit; *ret_unknown (it may be
 * NULL) is then a new text with the reason, else NULL. Returns 0 or -ENOMEM. */
int measurement_read_inputs(const struct measurement *measurement,
			    const struct cpufreq_machine *machine, uint32_t cpu,
			    struct frequency_inputs *inputs, char **ret_unknown);

/* Why a limit (what) cannot be used after the negative errno err: a new text. NULL: no memory. */
char *measurement_explain_limit(const char *what, int err);

/* The class of CPUs that Speed Select treats equally: "SST-BF, CLOS 0". A new text; NULL: no
 * memory. */
char *measurement_make_class(const struct frequency_inputs *inputs);

/* Adds the class and the prediction to each CPU of a window of run_measure() (measure.md, "One
 * predictor"). Cores that were busy or have a load of measurement->job count as active. There is no
 * prediction if a setting that may limit could not be read. limits (or NULL): the inputs of the
 * prediction for each CPU of the window. Returns 0 or -ENOMEM. */
int measurement_predict(const struct measurement *measurement, struct run_window *window,
			struct why_limits *limits);

/* Finds the CPUs of a window that the prediction counts as active: they are busy or have a load.
 * Returns 0 or -ENOMEM. */
int measurement_find_active(const struct measurement *measurement, const struct run_window *window,
			    struct cpuset *active);

/* The power domain of a CPU, an index of measurement->expected; SIZE_MAX: Speed Select reports
 * nothing about the CPU. */
size_t measurement_find_domain(const struct measurement *measurement, uint32_t cpu);

/* Returns true if the PUNIT core of a CPU has a CPU in the set. */
bool measurement_has_unit(const struct topology *topology, const struct cpuset *cpus, uint32_t cpu);

/* Reads the power limits of packages to measurement->rules: the long-term limit of powercap or the
 * TDP of the level, the lower one. Returns 0 or -ENOMEM. */
int measurement_read_power_limits(struct measurement *measurement);

/* For --clear-limits: clears the limit reasons of the hardware, for all users, so that the job
 * finds only new ones. logs: sends a line to syslog. Returns 0, also after a failure, which is
 * reported; or -ENOMEM. */
int measurement_clear_limits(struct measurement *measurement, bool logs);

/* Sets measurement->machine. Returns 0 or -ENOMEM. */
int measurement_read_machine(struct measurement *measurement);

/* Lets a signal end the job early, with what was measured; but only until a command runs. */
void measurement_end_early(struct measurement *measurement);

/* Reports a note if a signal has ended a measurement early. */
void measurement_note_end(struct context *context);

/* Reports before a change what will be changed and for how long; a dry run shows it. lines (or
 * NULL): the changes. This function modifies them. */
void measurement_announce(const struct context *context, const char *text, char *lines);

/* Shows the progress on a terminal if a measurement takes longer than two seconds. */
void measurement_show_progress(const struct context *context, const char *things, uint64_t done,
			       uint64_t total);

/* Runs the job. Returns 0, also if it was refused, which is reported; or -ENOMEM. */
int measurement_run(struct measurement *measurement, struct run_result *ret_result);

/* Makes the document of a result (a structure with the fields of the kind), with the requirements
 * and their figures, and the machine. NULL: no memory. */
json_t *measurement_make_document(struct measurement *measurement, const void *result);

/* Ends a command: saves the document (NULL: no memory) and the samples to the file of --save (see
 * measurement_save()). Shows the document, or the result and the requirements as text. Returns 0 or
 * a negative errno. */
int measurement_finish(const struct measurement *measurement, json_t *document,
		       const json_t *samples, const void *result);

/* Sets the start time, and reports if the file of --save (NULL: none) cannot be written. */
void measurement_check_save(struct measurement *measurement, const char *file);

/* Appends the bins of a histogram as bars. Returns 0 or -ENOMEM. */
int measurement_put_histogram(struct screen *screen, const char *label,
			      const struct histogram_bin *bins, size_t n_bins);

/* Shows the lines of a screen, and destroys its text. Returns 0 or -ENOMEM. */
int measurement_put_screen(struct context *context, struct screen *screen);

/* Saves a document to the file of --save, with the word of the command, the samples (an array), and
 * the state of the machine, for comparing. EPP and EPB of isolated CPUs are left out. Returns 0,
 * also if the file cannot be written, which is reported; or a negative errno. */
int measurement_save(const struct measurement *measurement, const json_t *document,
		     const json_t *samples);

/* Reads files of --save in their order, and marks the results with their machine. Reports and
 * leaves out other files; also reports figures of a model beside others. Returns 0, or -ENOMEM with
 * the files read before in *runs, which is empty at first. */
int measurement_read_saved(struct context *context, const struct option_texts *files,
			   struct saved_runs *runs);

#endif
