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

/* Opens the simulated device, as /dev/isst_interface would open. state and faults remain the
 * caller's and must outlive it. Returns 0; -ENOENT if the machine has no driver; the error of a
 * fault; -ENOMEM. */
int driver_open(struct sim_state *state, struct sim_faults *faults,
		struct transport **ret_transport);

/* Carries out a request of the TPMI back end (hardware.md, section 4); argument is as the ABI has
 * it. Returns 0 or -ENOTTY: the common driver reports every error of this back end as ENOTTY. */
int driver_tpmi_request(struct driver *driver, uint32_t number, void *argument);

/* Takes what a real machine answered about a level (GET_PERF_LEVEL_INFO and the like). */
void driver_tpmi_take_answer(const struct request_item *item, struct punit_level *level);

#endif
