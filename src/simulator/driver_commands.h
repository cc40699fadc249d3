/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The seam between driver.c, which takes requests apart, and the back ends in driver_mailbox.c and
 * driver_registers.c, which carry out one entry each (hardware.md, section 2). The lock of the
 * state must not be held: each command takes it, as the kernel's driver holds its mutex, and waits
 * ordered delays out before.
 */
#ifndef SIMULATOR_DRIVER_COMMANDS_H
#define SIMULATOR_DRIVER_COMMANDS_H

#include "isst_abi.h"
#include "simulator/faults.h"
#include "transport/transport.h"

struct driver {
	struct transport transport;
	struct sim_state *state;
	struct sim_faults *faults;
};

/*
 * Carries out one entry, and puts what was read into it. entry is a struct isst_mbox_command,
 * isst_io_command, isst_msr_command or isst_phy_id. Returns 0 or a negative errno: -EINVAL (not on
 * the driver's list, unknown CPU, or no PUNIT behind it), -EPERM (lacks CAP_SYS_ADMIN), -ENXIO
 * (firmware's refusal, or an offline CPU), -EIO (an MSR that cannot be accessed so), what a fault
 * says.
 */
int driver_mailbox_command(struct driver *driver, void *entry);

/* The same for a register of the MMIO window. */
int driver_mmio_command(struct driver *driver, void *entry);

/* The same for an MSR. */
int driver_msr_command(struct driver *driver, void *entry);

/* The same for the question which physical CPU a logical one is. */
int driver_phy_id_command(struct driver *driver, void *entry);

/* The CPU of that number, or NULL. */
const struct sim_cpu *driver_find_cpu(const struct driver *driver, uint32_t cpu);

/* Lets the event meet the faults and waits out their delay. Returns what is left to suffer. */
struct sim_fault_effect driver_meet_faults(struct driver *driver,
					   const struct sim_fault_event *event);

#endif
