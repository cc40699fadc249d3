/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's Speed Select driver in front of the simulated PUNITs (hardware.md, section 2). */
#ifndef SIMULATOR_DRIVER_H
#define SIMULATOR_DRIVER_H

#include "host/requests.h"
#include "host/transport.h"
#include "simulator/faults.h"

struct driver {
	struct transport transport;
	struct sim_state *state;
	struct sim_faults *faults;
};

/* Opens the simulated device, in place of /dev/isst_interface. state and faults stay the caller's
 * and must outlive the transport. Returns 0; -ENOENT if the machine has no driver; the error of the
 * recording or of a fault; -ENOMEM. */
int driver_open(struct sim_state *state, struct sim_faults *faults,
		struct transport **ret_transport);

/* Carries out a request of the TPMI back end (hardware.md, section 4). argument is the ABI's
 * structure. Returns 0; or -ENOTTY, as the common driver reports every error of this back end. */
int driver_tpmi_request(struct driver *driver, uint32_t number, void *argument);

/* Stores a recorded answer about a level (GET_PERF_LEVEL_INFO and the like) in *level. */
void driver_tpmi_take_answer(const struct request_item *item, struct punit_level *level);

#endif
