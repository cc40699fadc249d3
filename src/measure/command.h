/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a command while something is measured (measure.md, "run"). The command starts in two steps;
 * its counters are opened between them. Its exit status and signals are passed on as env(1) and
 * timeout(1) do. */
#ifndef MEASURE_COMMAND_H
#define MEASURE_COMMAND_H

#include <signal.h>
#include <sys/types.h>

#include "base/wait.h"
#include "host/host.h"

#define COMMAND_FAILED        125 /* this program failed after it parsed the command */
#define COMMAND_NOT_RUN       126 /* the command cannot be executed */
#define COMMAND_NOT_FOUND     127
#define COMMAND_SIGNAL_OFFSET 128

struct run_process;

/* If all bytes are 0, there is no command. */
struct command_process {
	pid_t pid;
	int go; /* a byte that is written here lets the command run */
	int failure; /* the new process reports here why execvp() failed */
	int ended; /* readable when the command has ended; or -1 */
	int either; /* the same, or when stop requests the end; or -1 */
	/* The caller records signals and requests the end with these: with stop at any time, with
	 * stop_before until the command runs. Or NULL. */
	const struct wait_stop *stop, *stop_before;
	int handles[3]; /* the command's counters: tsc, aperf, mperf; or -1 */
	const char *refusal; /* why handles are not open; static text */
	bool has_signals; /* signals are passed on */
	struct sigaction before[3]; /* the former actions of these signals */
};

/* Starts a process that waits and then executes argv (NULL-terminated). The kernel kills the
 * process if this thread ends first, except if the command changes its user. stop: the caller
 * records signals and requests the end with it; NULL: command_run() passes signals on. stop_before:
 * the same, only until command_run(); or NULL. Returns 0 or a negative errno. */
int command_prepare(char *const *argv, const struct wait_stop *stop,
		    const struct wait_stop *stop_before, struct command_process *ret_command);

/* Opens the counters of the process, for users who may not open counters of CPUs. */
void command_count(struct host *host, struct command_process *command);

/* Lets the command run. If stop is NULL, SIGTERM and SIGHUP are passed on from now on, and SIGINT
 * is ignored. Returns 0; -EINTR if the end was requested before, then the command does not run; or
 * the negative errno of execvp(): -ENOENT, -EACCES... */
int command_run(struct command_process *command);

/* For waits: ends a wait when the command has ended, or when stop requests it. */
struct wait_stop command_end_source(struct command_process *command);

/* To be called after stop requested the end. Sends SIGTERM to the command, then SIGKILL if it still
 * runs. */
void command_end(struct command_process *command);

/* Waits until the command ends, and sets its figures except "seconds" (mhz only if its counters
 * were opened). *ret_status: its exit status, or 128 + its signal. Restores the actions of signals.
 * Returns 0 or a negative errno. */
int command_finish(struct host *host, struct command_process *command, int *ret_status,
		   struct run_process *ret_process);

/* Ends a process that does not run the command yet, and closes pipes and counters. */
void command_done(struct host *host, struct command_process *command);

#endif
