/* SPDX-License-Identifier: GPL-2.0-only */
/* Time and loads of a simulated machine. The clock is virtual and part of the shared state. Nothing
 * sleeps: the clock and all counters advance only when a command waits for a measurement
 * (measure.md, "The simulator moves"). The loads belong to this process, and end with it. */
#ifndef SIMULATOR_CLOCK_H
#define SIMULATOR_CLOCK_H

#include "instruments/workload.h"
#include "simulator/faults.h"

/* Makes the workload of a machine, and sets state->loads. state and faults stay the caller's and
 * must outlive the workload. Returns 0 or -ENOMEM. */
int clock_open(struct sim_state *state, const struct sim_faults *faults,
	       struct workload **ret_workload);

/* Ends the loads and frees the workload; NULL is fine. */
void clock_close(struct workload *workload);

#endif
