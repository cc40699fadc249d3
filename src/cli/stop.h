/* SPDX-License-Identifier: GPL-2.0-only */
/* SIGINT, SIGTERM and SIGHUP while something is set: noted, and asked for between two writes. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <signal.h>
#include <stdbool.h>

/* What the signals did before. */
struct stop {
	struct sigaction old_interrupt;
	struct sigaction old_terminate;
	struct sigaction old_hangup;
	struct sigaction old_pipe;
};

/*
 * From now on SIGINT, SIGTERM and SIGHUP (a connection that is lost) are noted instead of ending
 * the process, and system calls that they meet end with EINTR; one that was ignored stays ignored.
 * SIGPIPE is ignored: a reader that goes away is no reason to end halfway. Forgets what was noted
 * before. To be ended with stop_restore(), before another stop_install().
 */
void stop_install(struct stop *ret_stop);

/* Has one of the signals come since stop_install()? */
bool stop_is_asked(void);

/* Gives the signals back what they did before; what was noted stays so. */
void stop_restore(const struct stop *stop);

#endif
