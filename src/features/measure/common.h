/* SPDX-License-Identifier: GPL-2.0-only */
/* What commands that measure have in common: the CPUs that are measured, what the settings predict
 * for them, and saving the results. */
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

/* What the arguments of each command that measures begin with. */
struct measure_arguments {
	bool all;
	struct option_texts requires;
	const char *save;
};

/* The same of a command that lets something run. */
struct measure_work_arguments {
	struct measure_arguments common;
	struct option_texts loads; /* KIND or KIND:SET */
	const char *pipe; /* A,B */
	struct option_rest command;
};

/* What the driver must know of such a command. */
struct measure_kind {
	const char *command; /* its word, "run", for saved files */
	const char *unit; /* that follows the numbers of --require */
	const struct json_field *tables[3]; /* with figures for --require, up to NULL */
	const struct json_field *fields; /* of the result */
	bool has_machine_last; /* in its document after the requirements */
	/* Shows the result as text. Returns 0 or -ENOMEM. */
	int (*show)(const struct measurement *measurement, const void *result);
};

/* What is measured, and what is known before it begins. */
struct measurement {
	struct context *context;
	const struct measure_kind *kind;
	struct requirements requirements;
	struct cpuset isolated;
	struct cpuset cpus; /* measured */
	bool with_packages; /* what Speed Select limits is read of all CPUs of their packages */
	struct run_job job; /* its loads are the measurement's */
	uint64_t waited_ns, total_ns; /* by jobs before this one, and by all; total_ns 0: one */
	struct cpufreq_machine cpufreq;
	struct frequency_inputs *inputs; /* by measured CPU: of cpufreq */
	char **unknown; /* by measured CPU: why what cpufreq limits is not known, or NULL */
	struct ladder_rules rules; /* with the power limits of packages */
	/* For the file of --save: what runs, as typed, or NULL; and when it began. */
	const struct measure_work_arguments *work;
	char time[32]; /* CHANGE_LOG_TIME_SIZE */
	struct expected expected; /* of the domains of the context; none without Speed Select */
	struct measured_machine machine;
};

/* The value of an option, or another one if it is not given. */
static inline uint64_t measurement_option(const struct option_number *option, uint64_t otherwise)
{
	return option->given ? option->value : otherwise;
}

void measurement_done(struct measurement *measurement);
#define _cleanup_measurement_ __attribute__((cleanup(measurement_done)))

/* Finds the CPUs that are isolated, to measurement->isolated. Returns 0, also after a mistake,
 * which is reported; or -ENOMEM. */
int measurement_find_isolated(struct measurement *measurement);

/* A command that keeps CPUs busy, interrupts them or forces idle states needs --cpu or --all, one
 * of the two: reports if they are missing for what it does (NULL: nothing of that), or both given.
 */
void measurement_check_named(struct context *context, bool all, const char *what);

/* Begins a command: does that, reads the other options that all have, and finds the CPUs that are
 * measured. Returns 0, also after a mistake, which is reported; or -ENOMEM. */
int measurement_begin(struct measurement *measurement, const struct measure_kind *kind,
		      const char *what);

/* Finds the CPUs that are measured: those of --cpu, or all that are not isolated, which is
 * reported. Returns 0, also after a mistake, which is reported; or -ENOMEM. */
int measurement_find_cpus(struct measurement *measurement);

/* Begins a command that lets something run, and reads that to the job (measure.md, first section):
 * loads, which without a set are on the measured CPUs, those of --cpu or --all, a pipe, and a
 * command. Returns 0, also after a mistake, which is reported; or -ENOMEM. */
int measurement_begin_work(struct measurement *measurement, const struct measure_kind *kind);

/* Reads what the prediction needs: what cpufreq and Speed Select limit now. Returns 0 or -ENOMEM.
 */
int measurement_read_limits(struct measurement *measurement);

/* Reads what cpufreq limits of a CPU, and takes what it limits of the whole machine; of isolated
 * CPUs only what can be read without interrupting them. A value that cannot be read is not a limit;
 * *ret_unknown (it may be NULL) is then a new text with the reason, else NULL. Returns 0 or
 * -ENOMEM. */
int measurement_read_inputs(const struct measurement *measurement,
			    const struct cpufreq_machine *machine, uint32_t cpu,
			    struct frequency_inputs *inputs, char **ret_unknown);

/* Why a limit that is read (what) is of no use, by a negative errno: a new text; NULL: no memory.
 */
char *measurement_explain_limit(const char *what, int err);

/* The word for CPUs that Speed Select treats equally, "SST-BF, CLOS 0". A new text; NULL: no
 * memory.
 */
char *measurement_make_class(const struct frequency_inputs *inputs);

/* Adds to each CPU of a window of run_measure() its class and prediction, with the cores that have
 * a load of measurement->job or were busy (measure.md, "One predictor"). If a setting that may
 * limit could not be read, there is no prediction. limits (or NULL) becomes what the prediction is
 * made of, by CPU of the window. Returns 0 or -ENOMEM. */
int measurement_predict(const struct measurement *measurement, struct run_window *window,
			struct why_limits *limits);

/* Finds the CPUs of a window that are busy or have a load, as the prediction has it. Returns 0 or
 * -ENOMEM. */
int measurement_find_active(const struct measurement *measurement, const struct run_window *window,
			    struct cpuset *active);

/* The power domain of a CPU, an index of measurement->expected; SIZE_MAX: Speed Select reports
 * nothing of it. */
size_t measurement_find_domain(const struct measurement *measurement, uint32_t cpu);

/* Does the PUNIT core of a CPU have a CPU in the set? */
bool measurement_has_unit(const struct topology *topology, const struct cpuset *cpus, uint32_t cpu);

/* Reads how much power packages may use, to measurement->rules: the long-term limits of
 * powercap or the TDP of the level, the lower one. Returns 0 or -ENOMEM. */
int measurement_read_power_limits(struct measurement *measurement);

/* For --clear-limits: clears why the hardware limited frequencies, for everybody, so that what the
 * job finds set has appeared since. logs: sends a line to syslog. Returns 0, also after a failure,
 * which is reported; or -ENOMEM. */
int measurement_clear_limits(struct measurement *measurement, bool logs);

/* Reads what holds for the machine. Returns 0 or -ENOMEM. */
int measurement_read_machine(struct measurement *measurement);

/* Lets a signal end the job early, with what was measured; a command that it runs ends it itself.
 */
void measurement_end_early(struct measurement *measurement);

/* Notes that a signal has ended a measurement early, if one has. */
void measurement_note_end(struct context *context);

/* Reports what will be changed and for how long, before it is; a dry run shows it. lines (or NULL):
 * which changes, which it spoils. */
void measurement_announce(const struct context *context, const char *text, char *lines);

/* Shows on a terminal how far a measurement is that takes longer than two seconds. */
void measurement_show_progress(const struct context *context, const char *things, uint64_t done,
			       uint64_t total);

/* Runs the job. Returns 0, also if it was refused, which is reported; or -ENOMEM. */
int measurement_run(struct measurement *measurement, struct run_result *ret_result);

/* Makes the document of a result, a structure of the fields of the kind, with the requirements,
 * which have their figures, and what holds for the machine. NULL: no memory. */
json_t *measurement_make_document(struct measurement *measurement, const void *result);

/* Ends a command: saves the document (NULL: no memory) with the samples to the file of --save (see
 * measurement_save()), and shows it, or the result and the requirements as text. Returns 0 or a
 * negative errno. */
int measurement_finish(const struct measurement *measurement, json_t *document,
		       const json_t *samples, const void *result);

/* Notes that the measurement begins, and reports if the file of --save (NULL: none) cannot be
 * written. */
void measurement_check_save(struct measurement *measurement, const char *file);

/* Appends the bins of a histogram as bars. Returns 0 or -ENOMEM. */
int measurement_put_histogram(struct screen *screen, const char *label,
			      const struct histogram_bin *bins, size_t n_bins);

/* Shows the lines of a screen, and spoils its text. Returns 0 or -ENOMEM. */
int measurement_put_screen(struct context *context, struct screen *screen);

/* Saves a document to the file of --save, with the word of the command, the samples, an array, and
 * the state of the machine, for comparing. EPP and EPB of isolated CPUs are left out. Returns 0,
 * also if it cannot be written, which is reported; or a negative errno. */
int measurement_save(const struct measurement *measurement, const json_t *document,
		     const json_t *samples);

/* Reads files of --save, in their order, and marks the results with what they are of. One that is
 * not such a file is reported, and left out; figures of a model beside others are reported.
 * Returns 0, or -ENOMEM with those read before in *runs, which is empty at first. */
int measurement_read_saved(struct context *context, const struct option_texts *files,
			   struct saved_runs *runs);

#endif
