// SPDX-License-Identifier: GPL-2.0-only
/* intel-speed-select: puts the parts of the program together and runs it. */
#include <stddef.h>

#include "run/app.h"
#include "features/features.h"

#ifdef HAVE_DAEMON
#define FOLLOW oob_run
#else
#define FOLLOW NULL
#endif

#ifdef HAVE_SIMULATOR
#include "simulator/simulator.h"

static const struct app_simulator simulator = {
	.open = simulator_open,
	.list = simulator_list_platforms,
};
#define SIMULATOR (&simulator)
#else
#define SIMULATOR NULL
#endif

int main(int argc, char **argv)
{
	const struct app app = {
		.features = features,
		.info = &info_command,
		.simulator = SIMULATOR,
		.follow = FOLLOW,
		.version = VERSION,
	};

	return app_run(&app, argc, argv);
}
