/* SPDX-License-Identifier: GPL-2.0-only */
/* A measurement that --save wrote: who measured what, where, with which settings, and its figures
 * by name (docs/spec/measure.md, "try", for comparing). */
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

/* A figure, of each run of which the file has one: of the intervals of measure run, of the runs of
 * measure try, else of one. A run of which it is missing is left out. */
struct saved_figure {
	char *name; /* "usecs-per-op", "mhz with 3 cores", "cpu-3 p99-us of C6 after 1000 us" */
	double *values; /* above 0 */
	size_t n_values;
};

/* What was measured with one state of the machine. */
struct saved_side {
	struct saved_figure *figures; /* by name each once, in the order of the file */
	size_t n_figures;
};

enum { SAVED_WITHOUT, SAVED_WITH, SAVED_SIDES };

/* Of all zero bytes: none. Texts point into json. */
struct saved_run {
	const char *file; /* the name for messages; the caller's */
	enum saved_run_kind kind;
	struct measured_machine about;
	const char *host, *time; /* its name, and when it began (RFC 3339); or NULL */
	const char *model; /* what answered in place of hardware, or NULL: nothing did */
	json_t *state; /* of the machine, a sound state document; of try: without its document */
	json_t *document; /* of try: what was applied, a sound state document; else NULL */
	struct described_machine machine;
	struct run_window run; /* what was found, by kind; the others are empty */
	struct ladder_result ladder;
	struct trial_result trial;
	struct wake_result wake;
	struct jitter_result jitter;
	struct saved_side sides[SAVED_SIDES]; /* of try both; else the first */
	const json_t *given_work; /* an array of words */
	json_t *json; /* all that the file has */
};

#define _cleanup_saved_run_ __attribute__((cleanup(saved_run_done)))

/* Members of the file beside those of the results. */
#define SAVED_STATE    "state"
#define SAVED_DOCUMENT "document"

/* The settings of a state document, an array. */
const json_t *saved_settings(const json_t *document);

/* The words before the name of that; "" if there is none, or it is a recording, whose name says so.
 * Static text. */
const char *saved_model_prefix(const char *model);

/* The word of the command that measured: "run", "wake"... Static text. */
const char *saved_run_command(enum saved_run_kind kind);

/* Reads a file of --save, and checks what the members above are made of. Returns 0; -EINVAL if it
 * is not such a file, another negative errno of reading (-EFBIG: it is too large), both with
 * *ret_problem a new text "FILE: cpus[3].mhz: ..." in one line; or -ENOMEM. */
int saved_run_read(const char *file, struct saved_run *ret_run, char **ret_problem);

/* The same of a text that was read. */
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

/* The figure of that name, or NULL. */
const struct saved_figure *saved_side_find(const struct saved_side *side, const char *name);

#endif
