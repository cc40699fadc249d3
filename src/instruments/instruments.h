/* SPDX-License-Identifier: GPL-2.0-only */
/* The instruments of the machine that the program runs on: its counters and the loads (measure.md,
 * "Sources, rights, traps"). */
#ifndef INSTRUMENTS_INSTRUMENTS_H
#define INSTRUMENTS_INSTRUMENTS_H

#include "host/host.h"

/* Opens the instruments of a host that has none; host_close() closes them. Returns 0 or -ENOMEM. */
int instruments_open_real(struct host *host);

#endif
