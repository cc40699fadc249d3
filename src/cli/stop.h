/* SPDX-License-Identifier: GPL-2.0-only */
/* SIGINT, SIGTERM and SIGHUP while something is set: noted, and asked for between two writes. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <stdbool.h>

/*
 * From now on SIGINT, SIGTERM and SIGHUP (a connection that is lost) are noted instead of ending
 * the process, and system calls that they meet end with EINTR; one that was ignored stays ignored.
 * SIGPIPE is ignored, for good: a reader that goes away is no reason to end halfway or without a
 * word. Forgets what was noted before.
 */
void stop_install(void);

/* Has one of the signals come since stop_install()? */
bool stop_is_asked(void);

/*
 * Nothing is set any more, only the results are still to be shown: the next of each signal is
 * passed over, the one after that ends the process. What was noted stays so.
 */
void stop_settle(void);

#endif
