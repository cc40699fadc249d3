/* SPDX-License-Identifier: GPL-2.0-only */
/* The program: what main puts together, and running it. */
#ifndef RUN_APP_H
#define RUN_APP_H

#include "cli/command.h"
#include "cli/globals.h"
#include "host/host.h"
#include "output/report.h"

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
	const struct command *features;
	const struct command *info; /* what --info runs */
	const struct app_simulator *simulator; /* NULL: built without */
	/* oob_run(); NULL: built without. */
	enum status (*follow)(const struct globals *globals, struct host *host,
			      struct output *output);
	const char *version; /* "0.1" */
};

/* --oob: follows levels until a signal ends it. Errors before it is ready are put into the output,
 * and whether that can be written is checked first. Returns, in the parent of a background process
 * too, the exit status: 0 after SIGTERM or SIGINT; 5 if another one runs. */
enum status oob_run(const struct globals *globals, struct host *host, struct output *output);

/* Runs the command line. Returns the exit status: an enum status, or that of a command which was
 * run (measure.md, "run"). */
int app_run(const struct app *app, int argc, char **argv);

#endif
