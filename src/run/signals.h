/* SPDX-License-Identifier: GPL-2.0-only */
/* Records SIGINT, SIGTERM and SIGHUP for a setting command, which checks them between two
 * writes. */
#ifndef RUN_SIGNALS_H
#define RUN_SIGNALS_H

#include "base/wait.h"

/* From now on SIGINT, SIGTERM and SIGHUP (a lost connection) are recorded instead of ending the
 * process, and interrupt system calls with EINTR; an ignored signal stays ignored. SIGPIPE and
 * SIGXFSZ are ignored until the process ends: a closed pipe, or a limit on file sizes (ulimit -f),
 * must not end the program between two writes; the write fails instead (EPIPE, EFBIG). Earlier
 * signals are forgotten. Returns 0, or a negative errno with nothing changed: no file descriptor is
 * free. */
int signals_install(void);

/* Returns the source of stop requests for waits: the signals since signals_install(). */
struct wait_stop signals_source(void);

/* Returns the first signal that arrived since signals_install(); 0: none. */
int signals_first(void);

/* To be called when all writes are made and only the results are missing: the next signal of each
 * kind is ignored, and a second one ends the process. Recorded signals stay recorded. */
void signals_settle(void);

#endif
