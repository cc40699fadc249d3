/* SPDX-License-Identifier: GPL-2.0-only */
/* Time and loads of a simulated machine. Its clock is virtual and part of the shared state: nothing
 * sleeps, only what waits for a measurement advances it, and all counters advance with it
 * (measure.md, "The simulator moves"). The loads are those of this process, and end with it. */
#ifndef SIMULATOR_CLOCK_H
#define SIMULATOR_CLOCK_H

#include "instruments/workload.h"
#include "simulator/faults.h"

/* Makes the workload of a machine. state and faults stay the caller's and must outlive it, and
 * state->loads is set. Returns 0 or -ENOMEM. */
int clock_open(struct sim_state *state, const struct sim_faults *faults,
	       struct workload **ret_workload);

/* Ends the loads and frees the workload; NULL is fine. */
void clock_close(struct workload *workload);

#endif
