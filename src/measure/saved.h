/* SPDX-License-Identifier: GPL-2.0-only */
/* A measurement that --save wrote: the command, the machine, its settings, and the figures with
 * their names (docs/spec/measure.md, "try", for comparing). */
#ifndef MEASURE_SAVED_H
#define MEASURE_SAVED_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/results.h"

#define SAVED_RUN_FORMAT      "intel-speed-select-run"
#define SAVED_RUN_VERSION     1
#define SAVED_RUN_MAX_BYTES   (256u << 20)
#define SAVED_RUN_MAX_FIGURES 10000

enum saved_run_kind {
	SAVED_RUN_RUN,
	SAVED_RUN_WAKE,
	SAVED_RUN_JITTER,
	SAVED_RUN_LADDER,
	SAVED_RUN_TRY,
	SAVED_RUN_KINDS
};

/* The values of a figure, one for each run. The runs are the intervals of measure run, the runs of
 * measure try, or the only run of another command. A run without the figure has no value. */
struct saved_figure {
	char *name; /* "usecs-per-op", "mhz with 3 cores", "cpu-3 p99-us of C6 after 1000 us" */
	double *values; /* The figures with one state of the machine. */
	size_t n_values;
};

/* What was measured with one state of the machine. */
struct saved_side {
	struct saved_figure *figures; /* each name once, in the order of the file */
	size_t n_figures;
};

enum { SAVED_WITHOUT, SAVED_WITH, SAVED_SIDES };

/* If all bytes are 0, there is no run. Texts point into json. */
struct saved_run {
	const char *file; /* the name for messages; the caller owns it */
	enum saved_run_kind kind;
	struct measured_machine about;
	const char *host, *time; /* the machine's name, and the start time (RFC 3339); or NULL */
	const char *model; /* what replaced the hardware, or NULL */
	json_t *state; /* of the machine: a valid state document; of try: without document */
	json_t *document; /* of try: what was applied, a valid state document; else NULL */
	struct described_machine machine;
	struct run_window run; /* the results: only the member of kind is set */
	struct ladder_result ladder;
	struct trial_result trial;
	struct wake_result wake;
	struct jitter_result jitter;
	struct saved_side sides[SAVED_SIDES]; /* of try: both; else only the first one */
	const json_t *given_work; /* an array of words */
	json_t *json; /* the complete file */
};

#define _cleanup_saved_run_ __attribute__((cleanup(saved_run_done)))

/* Members of the file that are no results. */
#define SAVED_STATE    "state"
#define SAVED_DOCUMENT "document"

/* The settings of a state document, an array. */
const json_t *saved_settings(const json_t *document);

/* The words before the name of a model. They are "" if there is no model, or if the name shows that
 * it is a recording. Static text. */
const char *saved_model_prefix(const char *model);

/* The word of the command that measured: "run", "wake"... Static text. */
const char *saved_run_command(enum saved_run_kind kind);

/* Reads a file of --save, and checks the members above. Returns 0; -EINVAL if the file is no saved
 * measurement; another negative errno of reading (-EFBIG: too large); or -ENOMEM. For all errors
 * except -ENOMEM, *ret_problem is a new text in one line: "FILE: cpus[3].mhz: ...". */
int saved_run_read(const char *file, struct saved_run *ret_run, char **ret_problem);

/* Like saved_run_read(), but takes the text of the file. */
int saved_run_parse(const char *file, const char *text, size_t length, struct saved_run *ret_run,
		    char **ret_problem);

void saved_run_done(struct saved_run *run);

/* Several files. */
struct saved_runs {
	struct saved_run *list;
	size_t count;
};

#define _cleanup_saved_runs_ __attribute__((cleanup(saved_runs_done)))

void saved_runs_done(struct saved_runs *runs);

/* The figure with this name, or NULL. */
const struct saved_figure *saved_side_find(const struct saved_side *side, const char *name);

#endif
