// SPDX-License-Identifier: GPL-2.0-only
/* The simulator's parts, put together without the program. What is half open after a failure is
 * closed by simulated_machine_done(). */
#include <stdio.h>

#include "base/cleanup.h"
#include "base/fileio.h"
#include "simulated_machine.h"

static int open_parts(struct simulated_machine *machine, const char *platform_file,
		      const char *state_directory, char **ret_message)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	int r;

	r = fileio_read(platform_file, 0, &text, &length);
	if (!r)
		r = platform_file_parse(platform_file, text, length, &machine->platform,
					ret_message);
	if (!r)
		r = state_open(machine->platform, state_directory, false, &machine->state,
			       ret_message);
	if (!r)
		r = faults_open(machine->state, &machine->faults, ret_message);
	if (!r)
		r = sysfs_open(machine->state, machine->faults, &machine->files);
	return r;
}

int simulated_machine_init(struct simulated_machine *machine, const char *platform_file,
			   const char *state_directory)
{
	_cleanup_free_ char *message = NULL;
	int r;

	*machine = (struct simulated_machine){ 0 };
	r = open_parts(machine, platform_file, state_directory, &message);
	if (message)
		fprintf(stderr, "%s\n", message);
	return r;
}

void simulated_machine_done(struct simulated_machine *machine)
{
	if (machine->files)
		sysfs_close(machine->files);
	if (machine->faults)
		faults_close(machine->faults);
	if (machine->state)
		state_close(machine->state);
	if (machine->platform)
		platform_file_free(machine->platform);
	*machine = (struct simulated_machine){ 0 };
}
