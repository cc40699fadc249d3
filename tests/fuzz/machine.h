/* SPDX-License-Identifier: GPL-2.0-only */
/* A simulated machine for fuzz targets, one that answers wrongly as the input says. Small; opened
 * once for all inputs, its state put back before each. */
#ifndef FUZZ_MACHINE_H
#define FUZZ_MACHINE_H

#include "fuzz.h"
#include "host/host.h"
#include "simulator/state.h"

struct fuzz_machine {
	struct host host;
	struct files files;
	struct sim_platform *platform;
	struct sim_state *state;
	struct sim_faults *faults;
	struct files *sysfs;
	void *snapshot; /* of the state's data */
	/* What is left of the input; NULL: the machine is as it should be. */
	struct fuzz_input *answers; /* of the driver */
	struct fuzz_input *contents; /* of files */
};

/* Opens the machine of tests/fuzz/machines, once for the process; it is never closed. */
struct fuzz_machine *fuzz_machine_open(const char *name);

/* Everything as it was first; answers and contents as given (each may be NULL). */
void fuzz_machine_restart(struct fuzz_machine *machine, struct fuzz_input *answers,
			  struct fuzz_input *contents);

/* Changes an answer of the driver as the input says; result is the driver's, as is what is
 * returned. */
int fuzz_answers_distort(struct fuzz_input *input, uint32_t request, void *argument, int result);

#endif
