/* SPDX-License-Identifier: GPL-2.0-only */
/* measure run: measures CPUs and packages for some seconds, while loads, a pipe or a command run
 * (measure.md, "run"). */
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
	uint64_t ns; /* duration; but a command is measured to its end */
	uint64_t interval_ns; /* length of a window; 0: one window for all */
	struct run_load *loads;
	size_t n_loads;
	bool has_pipe;
	uint32_t pipe_cpus[2];
	char *const *command; /* NULL-terminated; or NULL */
	/* The caller records signals and requests an early end with it. If ends_early, the
	 * measurement ends with what was measured. Otherwise it is refused with -EINTR after the
	 * command has ended. NULL: see command_run(). */
	const struct wait_stop *stop;
	const struct wait_stop *stop_before; /* the same, only until a command runs; or NULL */
	bool ends_early;
	/* Called at the end of each interval. It may add to the window. Returns 0, or -ENOMEM,
	 * which ends the measurement. NULL: it is not called. */
	int (*take_window)(void *data, struct run_window *window);
	/* Called each second of waiting with the time that has passed. NULL: it is not called. */
	void (*progress)(void *data, uint64_t done_ns);
	void *data; /* for both functions */
};

struct run_result {
	struct run_window window;
	struct texts texts; /* of its figures */
	int command_status; /* the exit status of a command that ran, as in a shell */
	char *refusal; /* a sentence why nothing was measured, or NULL */
	int error; /* with refusal: a negative errno; of execvp() if the command could not run */
	bool command_failed; /* with refusal: the command could not run */
};

/* Measures. Returns 0, also if the measurement was refused; or -ENOMEM. */
int run_measure(const struct run_job *job, struct run_result *ret_result);

void run_result_done(struct run_result *result);
#define _cleanup_run_result_ __attribute__((cleanup(run_result_done)))

#endif
