/* SPDX-License-Identifier: GPL-2.0-only */
/* SIGINT, SIGTERM and SIGHUP while something is set: noted, and asked for between two writes. */
#ifndef RUN_SIGNALS_H
#define RUN_SIGNALS_H

#include "base/wait.h"

/* From now on SIGINT, SIGTERM and SIGHUP (a connection that is lost) are noted instead of ending
 * the process, and system calls that they meet end with EINTR; one that was ignored stays ignored.
 * SIGPIPE and SIGXFSZ are ignored, for good: a reader that goes away, or a limit on file sizes
 * (ulimit -f), must not end the program halfway; the write fails instead (EPIPE, EFBIG). Forgets
 * what was noted before. Returns 0, or a negative errno with nothing changed: no descriptor is
 * left. */
int signals_install(void);

/* For waits: has one of the signals come since signals_install()? */
struct wait_stop signals_source(void);

/* Nothing is set any more, only the results are still to be shown: the next of each signal is
 * passed over, the one after that ends the process. What was noted stays so. */
void signals_settle(void);

#endif
