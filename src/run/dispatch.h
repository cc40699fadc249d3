/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a parsed command: prepares what its row in the table requires, and calls its handler. */
#ifndef RUN_DISPATCH_H
#define RUN_DISPATCH_H

#include "cli/command.h"
#include "cli/globals.h"
#include "output/report.h"

struct host;

struct passed_status {
	bool is_set;
	int status;
};

/* The user's request. */
struct run_request {
	const struct command *command;
	const char *name; /* "perf-profile info" */
	const void *arguments; /* of the command */
	const struct globals *globals;
	const struct cpuset *cpus; /* the CPUs that --cpu gives by number; NULL: no --cpu */
	struct host *host;
	struct output *output;
	bool writes; /* a setting command */
	bool strict; /* called as isst: refuse what is a warning for old scripts */
	/* Set by a command that runs a program, whose status becomes that of this one; or NULL */
	struct passed_status *passed;
	bool banner; /* put the two lines of output.md, "Where it goes", on stdout */
};

/* Opens the machine and the platform, chooses the targets, and runs the handler. A failure becomes
 * an error in the output. Returns the exit status. The caller finishes the output. */
enum status dispatch_run(const struct run_request *request);

#endif
