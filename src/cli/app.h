/* SPDX-License-Identifier: GPL-2.0-only */
/* The program: what main puts together, and running it. */
#ifndef CLI_APP_H
#define CLI_APP_H

#include "cli/command.h"
#include "cli/globals.h"
#include "cli/status.h"
#include "machine/host.h"

/* A machine that is not this one: what --simulate and --list-platforms need. */
struct app_simulator {
	/* As simulator_open(). */
	int (*open)(const char *platform, const char *state_directory, bool reset,
		    struct host **ret_host, char **ret_message);
	/* As simulator_list_platforms(). */
	int (*list)(bool brief, struct host_choices *ret_choices);
};

struct output;

struct app {
	struct feature_list features;
	const struct command *info; /* what --info runs */
	const struct app_simulator *simulator; /* NULL: built without */
	/* What --oob runs, as oob_run(); NULL: built without. */
	enum status (*follow)(const struct globals *globals, struct host *host,
			      struct output *output);
	const char *version; /* "0.1" */
};

/* Runs the command line. Returns the exit status. */
enum status app_run(const struct app *app, int argc, char **argv);

#endif
