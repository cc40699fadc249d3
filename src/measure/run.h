/* SPDX-License-Identifier: GPL-2.0-only */
/* measure run: figures of CPUs and packages over some seconds, while loads, a pipe or a command
 * run (measure.md, "run"). */
#ifndef MEASURE_RUN_H
#define MEASURE_RUN_H

#include "instruments/workload.h"
#include "measure/command.h"
#include "measure/results.h"
#include "measure/sources.h"

struct run_load {
	enum load_kind kind;
	struct cpuset cpus;
};

struct run_job {
	struct sources_options sources;
	uint64_t ns; /* with a command: at most */
	uint64_t interval_ns; /* a window of its own for each of these; 0: one for all */
	struct run_load *loads;
	size_t n_loads;
	bool has_pipe;
	uint32_t pipe_cpus[2];
	char *const *command; /* NULL-terminated; or NULL */
	/* The caller records signals, and asks to end early by this: then the measurement is
	 * refused, with -EINTR, once a command has ended; or ends with what was measured, if
	 * ends_early. NULL: see command_run(). */
	const struct wait_stop *stop;
	const struct wait_stop *stop_before; /* the same until a command runs, without stop */
	bool ends_early;
	/* Called at the end of each interval with its figures, to which it may add. Returns 0 or
	 * -ENOMEM, which ends the measurement. NULL: it is not called. */
	int (*take_window)(void *data, struct run_window *window);
	/* Called each second of waiting with the time that has passed. NULL: it is not called. */
	void (*progress)(void *data, uint64_t done_ns);
	void *data; /* of both */
};

struct run_result {
	struct run_window window;
	struct texts texts; /* of its figures */
	int command_status; /* of a command that ran, as a shell shows it */
	char *refusal; /* a sentence why nothing was measured, or NULL */
	int error; /* with it, a negative errno; of a command that could not run: of execvp() */
	bool command_failed; /* with it: the command could not run */
};

/* Measures. Returns 0, also if it was refused; or -ENOMEM. */
int run_measure(const struct run_job *job, struct run_result *ret_result);

void run_result_done(struct run_result *result);
#define _cleanup_run_result_ __attribute__((cleanup(run_result_done)))

#endif
