/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the program that main() puts together, and the function that runs it. */
#ifndef RUN_APP_H
#define RUN_APP_H

#include "cli/command.h"
#include "cli/globals.h"
#include "host/host.h"
#include "output/report.h"

/* Simulated machines, for --simulate and --list-platforms. */
struct app_simulator {
	/* As simulator_open(). */
	int (*open)(const char *platform, const char *state_directory, bool reset,
		    struct host **ret_host, char **ret_message);
	/* As simulator_list_platforms(). */
	int (*list)(bool brief, struct host_choices *ret_choices);
};

struct output;

struct app {
	const struct command *features;
	const struct command *info; /* what --info runs */
	const struct app_simulator *simulator; /* NULL: built without a simulator */
	/* oob_run(); NULL: built without the daemon. */
	enum status (*follow)(const struct globals *globals, struct host *host,
			      struct output *output);
	const char *version; /* "0.1" */
};

/* Runs --oob: follows levels until a signal ends it. First checks that the output can be written,
 * and puts errors into it until the daemon is ready. Returns the exit status, also in the parent of
 * a background process: 0 after SIGTERM or SIGINT; 5 if another daemon runs. */
enum status oob_run(const struct globals *globals, struct host *host, struct output *output);

/* Runs the command line. Returns the exit status: an enum status, or that of a command which was
 * run (measure.md, "run"). */
int app_run(const struct app *app, int argc, char **argv);

#endif
