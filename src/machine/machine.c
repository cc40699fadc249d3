// SPDX-License-Identifier: GPL-2.0-only
/* Reads the CPU's identity and the topology, each once (hardware.md, sections 1 and 5). */
#include "machine/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int explain(char **ret_message, const char *what, int err)
{
	if (asprintf(ret_message, "%s: %s", what, strerror(-err)) < 0)
		*ret_message = NULL;
	return err;
}

int machine_open(struct host *host, struct machine **ret_machine, char **ret_message)
{
	struct machine *machine = calloc(1, sizeof(*machine));
	const char *what = "the CPU cannot be identified from /proc/cpuinfo";
	int err;

	*ret_message = NULL;
	if (!machine)
		return -ENOMEM;
	machine->host = host;
	err = identity_read(host->files, &machine->identity);
	if (!err) {
		what = "the CPU topology below /sys/devices/system/cpu cannot be read";
		err = topology_read(host->files, &machine->topology);
	}
	if (err) {
		machine_close(&machine);
		return explain(ret_message, what, err);
	}
	*ret_machine = machine;
	return 0;
}

int machine_update(struct host *host, struct machine **machine, bool *ret_moved, char **ret_message)
{
	int err =
		*machine ? topology_update(host->files, &(*machine)->topology, ret_moved) : -ESTALE;

	*ret_message = NULL;
	if (!err)
		return 0;
	machine_close(machine);
	err = machine_open(host, machine, ret_message);
	if (!err)
		*ret_moved = true;
	return err;
}

void machine_close(struct machine **machine)
{
	if (*machine) {
		identity_done(&(*machine)->identity);
		topology_done(&(*machine)->topology);
		cpuset_done(&(*machine)->switchable);
		free(*machine);
	}
	*machine = NULL;
}
