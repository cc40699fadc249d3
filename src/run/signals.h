/* SPDX-License-Identifier: GPL-2.0-only */
/* Records SIGINT, SIGTERM and SIGHUP during a setting command, which checks between two writes. */
#ifndef RUN_SIGNALS_H
#define RUN_SIGNALS_H

#include "base/wait.h"

/* From now on SIGINT, SIGTERM and SIGHUP (a lost connection) are recorded instead of ending the
 * process, and interrupt system calls with EINTR; a signal that was ignored stays ignored. SIGPIPE
 * and SIGXFSZ are ignored until the process ends: a closed pipe, or a limit on file sizes (ulimit
 * -f), must not end the program between two writes; the write fails instead (EPIPE, EFBIG). Earlier
 * signals are forgotten. Returns 0, or a negative errno with nothing changed: no descriptor is
 * left. */
int signals_install(void);

/* For waits: returns whether one of the signals arrived since signals_install(). */
struct wait_stop signals_source(void);

/* The first of them that arrived since then; 0: none. */
int signals_first(void);

/* To be called when all writes are made and only the results are missing: the next signal of each
 * kind is ignored, the one after that ends the process. Recorded signals stay recorded. */
void signals_settle(void);

#endif
