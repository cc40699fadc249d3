/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine: its host, its CPU, its topology. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include "machine/host.h"
#include "machine/identity.h"
#include "machine/topology.h"

struct machine {
	struct host *host; /* the caller's */
	struct identity identity;
	struct topology topology;
	/* CPUs that are known to have cpuN/online: nothing checks for the file again */
	struct cpuset switchable;
};

/*
 * Reads what the machine is. Returns 0; or a negative errno with *ret_message a new sentence for
 * the user: what could not be read and why; NULL where memory is short.
 */
int machine_open(struct host *host, struct machine **ret_machine, char **ret_message);

/*
 * Reads again what can change while a process runs: which CPUs are online. If *machine is NULL, or
 * a CPU came online that it does not know, everything is read. *ret_moved: other CPUs are online
 * than before, so that what was derived from *machine is out of date. Returns as machine_open(),
 * with *machine NULL on failure.
 */
int machine_update(struct host *host, struct machine **machine, bool *ret_moved,
		   char **ret_message);

/* Frees *machine, which may be NULL, and leaves NULL. */
void machine_close(struct machine **machine);

#endif
