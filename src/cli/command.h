/* SPDX-License-Identifier: GPL-2.0-only */
/* Features and commands as data: used by the parser, help, completion and the dispatcher. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/option.h"

struct context;

/* What a command is and needs; the dispatcher acts on these, handlers do not. */
enum command_flag {
	COMMAND_WRITES = 1 << 0, /* changes the machine */
	COMMAND_NEEDS_CPUS = 1 << 1, /* makes no sense without --cpu */
	COMMAND_WITHOUT_DRIVER = 1 << 2, /* also where BIOS sets all of Speed Select */
	COMMAND_SHOWS_CPUS = 1 << 3, /* counts and lists CPUs, offline ones too */
	COMMAND_EACH_CPU = 1 << 4, /* without --cpu: runs for every online CPU, not by domain */
	COMMAND_NOT_FOR_IO = 1 << 5, /* leaves domains without an online CPU out */
	/* Works on any Linux machine: no platform is opened, there are no targets but
	 * context->targets.cpus */
	COMMAND_ANY_MACHINE = 1 << 6,
	/* The platform is opened where there is one; where not, it runs as COMMAND_ANY_MACHINE */
	COMMAND_ASKS_SST = 1 << 7,
	/* The kernel tree's tool has no such command: results go to standard output without a
	 * banner under both names */
	COMMAND_IS_NEW = 1 << 8,
	COMMAND_NOT_OF_CPUS = 1 << 9, /* --cpu is refused */
	/* The machine is not opened: there is context->request->host */
	COMMAND_NO_MACHINE = 1 << 10,
	COMMAND_TAKES_LOCK = 1 << 11, /* runs under the lock of commands that write */
	/* Its handler takes the lock (run/writer.h), and may change settings for a while: signals
	 * are held, as for a command that writes */
	COMMAND_TEMPORARY = 1 << 12,
	/* The only command of its feature, whose word can be left out: "metrics --textfile FILE" */
	COMMAND_IS_IMPLIED = 1 << 13,
	/* It reads the machine while that changes: answers of the driver are not cached */
	COMMAND_MEASURES = 1 << 14,
	/* A signal ends its measurement early: what was measured is shown and saved, and the exit
	 * status is that of a process which the signal ends */
	COMMAND_ENDS_EARLY = 1 << 15
};

/* A command, or a feature, which has commands. A table of them ends with one without a name. */
struct command {
	const char *name;
	const char *summary; /* one line, no full stop; "Intel(R) SST-PP: performance levels" */
	unsigned int flags;
	const struct option *options; /* or NULL */
	size_t arguments_size; /* of context->request->arguments, which the options fill */
	/* A reading command: does the work on context->targets.list and puts the results into
	 * context->output. One that writes: checks what the user asks for, and leaves the requests
	 * in context->plan.wanted; they are planned and carried out after it
	 * (run/setting.h). Returns 0 (failures of single targets are noted in the context), or a
	 * negative errno that ends the run. */
	int (*run)(struct context *context);
	int variant; /* for a handler of several commands: context->request->command->variant */
	const char *about; /* more for the command's own help, or NULL */
	const struct command *commands; /* of a feature; else NULL */
	/* Where in the arguments a struct option_number has the seconds that the command may wait
	 * for the lock, and for what the machine lacks; 0: it does not wait. */
	size_t wait_offset;
	/* The command that runs in its place, with the same arguments, if a struct option_number of
	 * them is given; or NULL. */
	const struct command *measured;
	size_t measured_offset;
	/* Of a reading command: names of files that several parts of it read, blanks between, or
	 * "*" for all; each file is read once. NULL: no part reads what another does. */
	const char *keeps_files;
};

/* Is it one that the kernel tree's tool does not have? It takes letters of global options, and no
 * options of other commands. */
static inline bool command_is_ours(const struct command *command)
{
	return command->flags & (COMMAND_ANY_MACHINE | COMMAND_IS_NEW);
}

/* Does it show values of power domains, as the reading commands of the kernel tree's tool do? Under
 * the name isst the CPUs of --cpu in one power domain share a node of text. */
static inline bool command_is_of_domains(const struct command *command)
{
	return !(command->flags & (COMMAND_WRITES | COMMAND_EACH_CPU | COMMAND_ANY_MACHINE |
				   COMMAND_NO_MACHINE | COMMAND_IS_NEW));
}

#endif
