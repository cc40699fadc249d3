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

/* What the user asked for. */
struct run_request {
	const struct command *command;
	const char *name; /* "perf-profile info" */
	const void *arguments; /* of the command */
	const struct globals *globals;
	const struct cpuset *cpus; /* of --cpu, those given by number; NULL: no --cpu */
	struct host *host;
	struct output *output;
	bool writes; /* a setting command */
	bool strict; /* called as isst: refuse what is a warning to scripts for the kernel's tool */
	/* Set by a command that runs another one, whose status becomes ours; or NULL */
	struct passed_status *passed;
	bool banner; /* put the two lines of output.md, "Where it goes", on stdout */
};

/* Opens the machine and the platform, chooses the targets, runs the handler. What fails becomes an
 * error in the output. Returns the exit status; output is the caller's to finish. */
enum status dispatch_run(const struct run_request *request);

#endif
