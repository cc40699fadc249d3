// SPDX-License-Identifier: GPL-2.0-only
/* The list of platforms in the plain form that the command line takes. */
#include "simulator/simulator.h"

#include <errno.h>
#include <stdlib.h>

/* Moves names and descriptions over, so that neither list frees them twice. */
static void move_names(struct simulator_platform *platforms, size_t count, char **names)
{
	for (size_t i = 0; i < count; i++) {
		names[2 * i] = platforms[i].name;
		names[2 * i + 1] = platforms[i].description;
		platforms[i].name = NULL;
		platforms[i].description = NULL;
	}
}

int simulator_list_names(char ***ret_names)
{
	struct simulator_platform *platforms;
	char **names;
	size_t count;
	int err = simulator_list_platforms(&platforms, &count);

	if (err)
		return err;
	names = calloc(2 * count + 1, sizeof(*names));
	if (names)
		move_names(platforms, count, names);
	simulator_free_platforms(platforms, count);
	if (!names)
		return -ENOMEM;
	*ret_names = names;
	return 0;
}
