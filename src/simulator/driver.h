/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's Speed Select driver in front of the simulated PUNITs (hardware.md, section 2). */
#ifndef SIMULATOR_DRIVER_H
#define SIMULATOR_DRIVER_H

#include "simulator/faults.h"
#include "transport/transport.h"

/*
 * Opens the simulated device, as /dev/isst_interface would open. state and faults stay the
 * caller's and must outlive it. Returns 0; -ENOENT where the machine has no driver; what a fault
 * says; -ENOMEM.
 */
int driver_open(struct sim_state *state, struct sim_faults *faults,
		struct transport **ret_transport);

#endif
