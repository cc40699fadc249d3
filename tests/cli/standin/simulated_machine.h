/* SPDX-License-Identifier: GPL-2.0-only */
/* The simulator's parts, put together without the program: for the stand-in and its helper. */
#ifndef STANDIN_SIMULATED_MACHINE_H
#define STANDIN_SIMULATED_MACHINE_H

#include "simulator/driver.h"
#include "simulator/sysfs/sysfs.h"

struct simulated_machine {
	struct sim_platform *platform;
	struct sim_state *state;
	struct sim_faults *faults;
	struct files *files;
};

/* Opens the machine of a platform file with its state in a directory. On failure says on stderr
 * what is wrong, returns a negative errno, and leaves a machine for simulated_machine_done(). */
int simulated_machine_init(struct simulated_machine *machine, const char *platform_file,
			   const char *state_directory);
void simulated_machine_done(struct simulated_machine *machine);

#endif
