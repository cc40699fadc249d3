/* SPDX-License-Identifier: GPL-2.0-only */
/* A command that runs while something is measured. It is started in two steps, so that counters can
 * be opened for it in between, and its end and its signals are passed on as env(1) and timeout(1)
 * do (measure.md, "run"). */
#ifndef MEASURE_COMMAND_H
#define MEASURE_COMMAND_H

#include <signal.h>
#include <sys/types.h>

#include "base/wait.h"
#include "host/host.h"

#define COMMAND_FAILED        125 /* we failed, once the command was parsed */
#define COMMAND_NOT_RUN       126 /* it cannot be executed */
#define COMMAND_NOT_FOUND     127
#define COMMAND_SIGNAL_OFFSET 128

struct run_process;

/* Of all zero bytes: none. */
struct command_process {
	pid_t pid;
	int go; /* what is written here lets it run */
	int failure; /* where it reports that it cannot run */
	int ended; /* becomes readable when it ends, or -1 */
	int either; /* the same, or when stop asks to end; or -1 */
	/* The caller records signals, and asks to end by these, all the time or until the command
	 * runs; or NULL. */
	const struct wait_stop *stop, *stop_before;
	int handles[3]; /* counters of it: tsc, aperf, mperf; or -1 */
	const char *refusal; /* why they are not open; static text */
	bool has_signals; /* they are passed on */
	struct sigaction before[3]; /* what they did before */
};

/* Starts a process that waits to become argv (NULL-terminated), and that the kernel kills if this
 * thread ends before it; it does not if the command becomes another user. stop: the caller records
 * signals, and asks to end by this; or NULL, and command_run() passes them on. stop_before: the
 * caller records signals up to command_run() alone, and has asked to end by this; or NULL. Returns
 * 0 or a negative errno. */
int command_prepare(char *const *argv, const struct wait_stop *stop,
		    const struct wait_stop *stop_before, struct command_process *ret_command);

/* Opens the counters of the process, for those who may not count on CPUs. */
void command_count(struct host *host, struct command_process *command);

/* Lets it run; from now on, without stop, SIGTERM and SIGHUP are passed on, and SIGINT is ignored.
 * Returns 0; -EINTR if the caller was asked to end before, and it does not run; or the negative
 * errno of execvp(): -ENOENT, -EACCES... */
int command_run(struct command_process *command);

/* For waits: ends one when the command has ended, or when stop asks to. */
struct wait_stop command_end_source(struct command_process *command);

/* After stop has asked to end: ends the command by SIGTERM, and by SIGKILL if it goes on. */
void command_end(struct command_process *command);

/* Waits for the end, and sets the figures of the command but "seconds" (mhz if its counters were
 * opened). *ret_status: its exit status or 128 and its signal. Signals have their former effect
 * again. Returns 0 or a negative errno. */
int command_finish(struct host *host, struct command_process *command, int *ret_status,
		   struct run_process *ret_process);

/* Ends a process that has not run yet, and closes what is open. */
void command_done(struct host *host, struct command_process *command);

#endif
